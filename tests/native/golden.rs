//! What a reader sees for the bundled questions, as texts to be read by people in `tests/data`:
//! `white-line.golden.txt`; what each stage and each ablation does for them, `white-line.traces.txt`, and with a
//! chat model's decisions `white-line.steps.txt`; over a book that one wrote `white-line.written.txt`; the same of
//! CodaRAG `white-line.coda.txt`. A change of them is no fault in itself, but somebody has to have looked at it:
//! `PLOTBRIDGE_BLESS=1 cargo nextest run golden` writes them anew, and the diff is reviewed with the change that
//! caused it.

use std::fmt::Write;
use std::rc::Rc;

use plotbridge::config::Profile;
use plotbridge::eval::ABLATIONS;
use plotbridge::knowledge::Told;
use plotbridge::llm::{ChatModel, ChatRequest, Embedder, Models};
use plotbridge::report::{Nodes, Setting, SettingValue, Trace};
use plotbridge::{AskOptions, Engine, QueryConfig};

use super::double::{Letters, Say, Scripted, quoted};
use super::models::build;
use super::support::*;

const FILE: &str = "tests/data/white-line.golden.txt";

/// Passages shown for each question.
const PASSAGES: usize = 3;
/// Words shown of each.
const WORDS: usize = 8;

fn told(book: &Engine, gold: &Gold) -> String {
    let answer = ask(book, &gold.question, &AskOptions::default());
    let chapters = book.info().chapters;
    let mut text = format!("{}  {}\n", gold.id, gold.question);
    let _ = writeln!(text, "  answer   {}", answer.text);
    for passage in answer.trace.evidence.iter().take(PASSAGES) {
        let chapter = chapters.iter().rposition(|chapter| chapter.start <= passage.start).unwrap_or(0);
        let words: Vec<&str> = passage.text.split_whitespace().take(WORDS).collect();
        let overlaps =
            |span: &plotbridge::knowledge::Span| passage.start < span.end && span.start < passage.end;
        let mark = if gold.evidence.iter().any(overlaps) { '+' } else { '-' };
        let _ = writeln!(text, "  passage {mark} {}: {}", chapter + 1, words.join(" "));
    }
    for pair in &answer.trace.pairs {
        let _ = writeln!(text, "  pair     {} — {}", pair.character, pair.event);
    }
    text
}

#[test]
fn the_bundled_questions_are_answered_as_reviewed() {
    let story = story();
    let mut found = "Each question with its answer, the first three passages (+ where it overlaps the evidence;\n\
         chapter, first eight words) and the matched pairs in story order. Written by tests/native/golden.rs.\n"
        .to_owned();
    for gold in questions() {
        let _ = write!(found, "\n{}", told(&story, &gold));
    }
    reviewed(FILE, &found);
}

/// Fails where a file that somebody has read no longer says what is found; writes it where told to.
fn reviewed(file: &str, found: &str) {
    if std::env::var_os("PLOTBRIDGE_BLESS").is_some() {
        std::fs::write(root().join(file), found).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(root().join(file)).unwrap_or_default();
    let changed: Vec<String> = golden
        .lines()
        .chain(std::iter::repeat("(end)"))
        .zip(found.lines())
        .filter(|(was, is)| was != is)
        .map(|(was, is)| format!("was {was}\nis  {is}"))
        .take(10)
        .collect();
    assert!(
        golden == found,
        "{file} is stale. First changes:\n{}\nRead them; if they are meant: PLOTBRIDGE_BLESS=1 cargo nextest run golden",
        changed.join("\n")
    );
}

const TRACES: &str = "tests/data/white-line.traces.txt";

/// The questions whose traces are shown.
const TRACED: [&str; 3] = ["white-line-02", "white-line-06", "white-line-09"];

/// A setting with where it comes from.
fn told_as(setting: &Setting) -> String {
    let value = match &setting.value {
        SettingValue::Number(number) => ((number * 1e3).round() / 1e3).to_string(),
        SettingValue::Text(text) => text.clone(),
    };
    format!("{} {value} ({})", setting.name, setting.from)
}

/// One trace as lines: every stage's own, scores to three places; of each list the first `most`.
fn stages(gold: &Gold, trace: &Trace, most: usize) -> String {
    let mut text = format!("{}, {}  {}\n", gold.id, trace.profile, trace.question);
    let set: Vec<String> =
        trace.settings.iter().filter(|setting| setting.from != "default").map(told_as).collect();
    let _ = writeln!(text, "  settings  {}", set.join(" · "));
    for (stage, nodes) in [("anchors", &trace.anchors), ("awakened", &trace.awakened)] {
        let characters: Vec<String> = nodes
            .characters
            .iter()
            .take(most)
            .map(|node| format!("{} {:.3}", node.name, node.score))
            .collect();
        let _ = writeln!(text, "  {stage:9} {}", characters.join(" · "));
        for event in nodes.events.iter().take(most) {
            let _ =
                writeln!(text, "  {:9} {:6.3} at {:.3}  {}", "", event.score, event.position, event.label);
        }
    }
    let matched = trace.matching.edges.iter().filter(|edge| edge.matched).count();
    let edges = trace.matching.edges.len() + trace.matching.omitted as usize;
    let _ = writeln!(text, "  matching  {}: {matched} pairs of {edges} edges", trace.matching.mode);
    for pair in trace.pairs.iter().take(most) {
        let _ = writeln!(
            text,
            "  pair      {:6.3} at {:.3}  {} — {}",
            pair.weight, pair.position, pair.character, pair.event
        );
    }
    for dropped in trace.dropped.iter().take(most) {
        let _ = writeln!(text, "  dropped   {} — {}: {}", dropped.character, dropped.event, dropped.reason);
    }
    let chunks: Vec<String> =
        trace.evidence.iter().take(most).map(|passage| passage.chunk.to_string()).collect();
    let _ = writeln!(text, "  evidence  chunks {}", chunks.join(" "));
    let _ = writeln!(text, "  context   {} tokens", trace.context_tokens);
    text
}

/// What a setting makes of all questions, in one line.
fn summary(story: &Engine, name: &str, config: QueryConfig) -> String {
    let options = AskOptions { config, ..AskOptions::default() };
    let (mut sums, mut recall, mut told) = ([0.0; 5], [0.0; 3], 0.0);
    let gold = questions();
    for gold in &gold {
        let trace = retrieve(story, &gold.question, &options);
        let count = |nodes: &Nodes| (nodes.characters.len() + nodes.events.len()) as f64;
        let edges = trace.matching.edges.len() + trace.matching.omitted as usize;
        let parts = [
            count(&trace.awakened),
            edges as f64,
            trace.pairs.len() as f64,
            trace.dropped.len() as f64,
            f64::from(trace.context_tokens),
        ];
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        if !gold.evidence.is_empty() {
            told += 1.0;
            for (sum, k) in recall.iter_mut().zip([1, 5, 20]) {
                *sum += share_found(gold, &trace, k);
            }
        }
    }
    let [awakened, edges, pairs, dropped, tokens] = sums.map(|sum| sum / gold.len() as f64);
    let [one, five, twenty] = recall.map(|sum| sum / told);
    format!(
        "  {name:12} {awakened:8.1} {edges:7.1} {pairs:6.1} {dropped:8.1} {tokens:7.0}   {one:.3} {five:.3} {twenty:.3}\n"
    )
}

/// The document that shows one of them, and where.
const DOCUMENT: &str = "docs/trace.md";
const SHOWN: (&str, &str) = ("```trace\n", "```\n");

/// The example of docs/trace.md is what a reader gets.
#[test]
fn the_example_in_the_document_is_as_it_is_today() {
    let story = story();
    let gold = questions();
    let gold = gold.iter().find(|gold| gold.id == "white-line-09").unwrap();
    let example = stages(gold, &retrieve(&story, &gold.question, &AskOptions::default()), 5);
    let document = read_file(DOCUMENT);
    let (before, rest) = document.split_once(SHOWN.0).unwrap();
    let (_, after) = rest.split_once(SHOWN.1).unwrap();
    reviewed(DOCUMENT, &format!("{before}{}{example}{}{after}", SHOWN.0, SHOWN.1));
}

/// PonsRAG by rule in both profiles, whole and with each ablation; what docs/trace.md shows is one of these.
#[test]
fn every_stage_and_every_ablation_does_as_reviewed() {
    let story = story();
    let mut found =
        "PonsRAG's stages by rule. First the means over all bundled questions, whole and with each of\n\
         the paper's ablations; then three questions stage by stage: anchored and awakened characters, then\n\
         events, with their scores; pairs in story order with their weights; what was dropped. Written by\n\
         tests/native/golden.rs.\n"
            .to_owned();
    for profile in [Profile::Offline, Profile::Paper] {
        let whole = QueryConfig { profile, ..QueryConfig::default() };
        let _ = writeln!(
            found,
            "\n  {:12} awakened   edges  pairs  dropped  tokens   recall at 1, 5, 20",
            profile.as_str()
        );
        found += &summary(&story, "whole", whole);
        for ablation in &ABLATIONS {
            found += &summary(&story, ablation.name, ablation.of(whole).unwrap());
        }
    }
    for profile in [Profile::Offline, Profile::Paper] {
        for gold in questions().iter().filter(|gold| TRACED.contains(&gold.id.as_str())) {
            let options = pons_with(&[("profile", profile.as_str())]);
            let _ =
                write!(found, "\n{}", stages(gold, &retrieve(&story, &gold.question, &options), usize::MAX));
        }
    }
    reviewed(TRACES, &found);
}

const STEPS: &str = "tests/data/white-line.steps.txt";

/// What a dutiful model decides: every third line, one thought, then the end.
fn dutiful(task: &str, request: &ChatRequest) -> Say {
    let list = quoted(request);
    let said = &request.messages[1].content;
    Say::Text(match task {
        "filter" => (0..list.lines().count()).step_by(3).map(|line| format!("{line} ")).collect(),
        "thought" if said.ends_with("none") => "What stood in the letter from the fever hospital?".to_owned(),
        "thought" => "So the answer is: it is told.".to_owned(),
        "facts" => facts(list),
        "query_type" => r#"{"ID": "mix"}"#.to_owned(),
        "answer" => "### Final Answer\nIt is told.".to_owned(),
        _ => "NONE".to_owned(),
    })
}

/// The first two facts of a list.
fn facts(list: &str) -> String {
    let fact = |line: &str| {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        serde_json::json!({"subject": parts[0], "predicate": parts[1], "object": parts[2]})
    };
    let facts: Vec<serde_json::Value> = list.lines().take(2).map(fact).collect();
    serde_json::json!({ "facts": facts }).to_string()
}

const WRITTEN: &str = "tests/data/white-line.written.txt";

/// A name that stands in a text with its title, in the order told, each once.
fn titled(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let mut names: Vec<String> = Vec::new();
    for two in words.windows(2).filter(|two| ["Mr", "Mrs", "Miss", "Captain", "Dr", "Sir"].contains(&two[0]))
    {
        let name = format!("{} {}", two[0], bare(two[1]));
        if !names.contains(&name) && two[1].starts_with(char::is_uppercase) {
            names.push(name);
        }
    }
    names.truncate(4);
    names
}

/// The first words of the first sentence that holds some words.
fn said_of(text: &str, name: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let start = flat.find(name).unwrap_or(0);
    flat[start..].split(' ').take(12).collect::<Vec<_>>().join(" ").replace('"', "'")
}

/// What a mechanical reader writes of each chunk: whom it names with a title, who is with whom, what is told of
/// them; whatever is to be put together it puts together. Asked a question, it decides as `dutiful` does and
/// answers with the first line that it is given.
fn reader(task: &str, request: &ChatRequest) -> Say {
    let text = quoted(request);
    let names = titled(text);
    Say::Text(match task {
        "entities" => {
            let entity = |name: &String| {
                let description = format!("{name}, of whom is written: {}", said_of(text, name));
                serde_json::json!({"name": name, "type": "person", "description": description})
            };
            serde_json::json!({"entities": names.iter().map(entity).collect::<Vec<_>>()}).to_string()
        }
        "triples" => {
            let triple = |two: &[String]| serde_json::json!({"subject": two[0], "predicate": "is told of with", "object": two[1]});
            serde_json::json!({"triples": names.windows(2).map(triple).collect::<Vec<_>>()}).to_string()
        }
        "events" => {
            let event = |name: &String| {
                let label = format!("About {name}");
                serde_json::json!({"label": label, "details": format!("It is told: {}.", said_of(text, name))})
            };
            serde_json::json!({"events": names.iter().map(event).collect::<Vec<_>>()}).to_string()
        }
        "description" => format!("In {} places: {}", text.lines().count(), text.lines().next().unwrap_or("")),
        "summary" => format!("Told {} times: {}", text.lines().count(), text.lines().next().unwrap_or("")),
        "answer" => {
            let line = text.lines().next().unwrap_or_default();
            let words = line.split("It is told: ").nth(1).unwrap_or(line).trim_end_matches(['.', '>']);
            format!("### Key Facts\n- \"{words}\"\n### Final Answer\n{words}")
        }
        _ => return dutiful(task, request),
    })
}

/// The whole path where a chat model wrote what the layers hold: descriptions, summaries and event details are
/// its own, it filters and answers, in the built-in space and in an endpoint's.
#[test]
fn a_book_that_a_chat_model_wrote_is_asked_as_reviewed() {
    let text = read_file("books/white-line.txt");
    let chat = || -> Rc<dyn ChatModel> { Rc::new(Scripted::new(reader)) };
    let mut found = "PonsRAG in its paper profile over descriptions, summaries and event details that a scripted\n\
         chat model wrote, which then recognises facts, filters and answers: without an embedding endpoint, and\n\
         with a scripted one that counts letters. After each trace the context's first lines and the answer.\n\
         Written by tests/native/golden.rs.\n"
        .to_owned();
    for embed in [None, Some(Rc::new(Letters::new()) as Rc<dyn Embedder>)] {
        let models = Models { chat: Some(chat()), embed, ..Models::default() };
        let (book, _) = build(&text, &models).unwrap();
        let knowledge = &book.book().index.knowledge;
        let written = |told: &Told| usize::from(matches!(told, Told::Written(_)));
        let descriptions: usize = knowledge.entities.iter().map(|entity| written(&entity.description)).sum();
        let summaries: usize = knowledge.clusters.iter().map(|cluster| written(&cluster.summary)).sum();
        let details = knowledge.events.iter().filter(|event| event.details.is_some()).count();
        let _ = writeln!(
            found,
            "\nwritten: {descriptions} of {} descriptions, {summaries} of {} summaries, {details} of {} events",
            knowledge.entities.len(),
            knowledge.clusters.len(),
            knowledge.events.len()
        );
        for gold in questions().iter().filter(|gold| TRACED.contains(&gold.id.as_str())) {
            let profile = if models.embed.is_some() { "auto" } else { "paper" };
            let options = AskOptions { models: models.clone(), ..pons_with(&[("profile", profile)]) };
            let answer = ask(&book, &gold.question, &options);
            let _ =
                write!(found, "\n{}{}", stages(gold, &answer.trace, usize::MAX), decisions(&answer.trace));
            for line in answer.trace.context.lines().take(3) {
                let _ = writeln!(found, "  reads     {line}");
            }
            let _ = writeln!(found, "  answer    {}", answer.text);
            for citation in &answer.citations {
                let _ = writeln!(found, "  cites     {}: {}", citation.chapter + 1, citation.quote);
            }
            let codes: Vec<&str> = answer.issues.iter().map(|issue| issue.code.as_str()).collect();
            let _ = writeln!(found, "  issues    {}", codes.join(" "));
        }
    }
    reviewed(WRITTEN, &found);
}

/// What was left to a chat model, as lines.
fn decisions(trace: &Trace) -> String {
    let mut text = format!("  turns on  {} by {}\n", trace.query_type.kind, trace.query_type.by);
    let _ = writeln!(text, "  filter    by {}: {}", trace.filter.by, trace.filter.reply.replace('\n', " / "));
    for step in &trace.steps {
        let chunks: Vec<String> = step.passages.iter().map(|passage| passage.chunk.to_string()).collect();
        let _ = writeln!(
            text,
            "  step      {:?} asks {:?}: {} tokens, chunks {}",
            step.thought,
            step.query,
            step.context_tokens,
            chunks.join(" ")
        );
    }
    for call in &trace.calls {
        let _ = writeln!(text, "  call      {} of {}: {} requests", call.stage, call.model, call.requests);
    }
    text
}

/// The whole path with a chat model that decides and two steps, in both profiles.
#[test]
fn a_chat_models_decisions_do_as_reviewed() {
    let story = story();
    let mut found =
        "PonsRAG where a scripted chat model decides: it keeps every third line that it is offered, thinks\n\
         once and then ends the steps. Written by tests/native/golden.rs.\n"
            .to_owned();
    for profile in [Profile::Offline, Profile::Paper] {
        for gold in questions().iter().filter(|gold| TRACED.contains(&gold.id.as_str())) {
            let model: Rc<dyn ChatModel> = Rc::new(Scripted::new(dutiful));
            let settings = [
                ("profile", profile.as_str()),
                ("recognition", "chat"),
                ("filter", "chat"),
                ("query_type", "chat"),
            ];
            let models = Models { chat: Some(model), ..Models::default() };
            let options = AskOptions { models, steps: 3, ..pons_with(&settings) };
            let answer = ask(&story, &gold.question, &options);
            let _ =
                write!(found, "\n{}{}", stages(gold, &answer.trace, usize::MAX), decisions(&answer.trace));
        }
    }
    reviewed(STEPS, &found);
}

const CODA: &str = "tests/data/white-line.coda.txt";

/// Items of a list that are shown.
const SHOWN_ITEMS: usize = 12;

/// One trace of CodaRAG as lines.
fn associations(gold: &Gold, trace: &Trace) -> String {
    let mut text = format!("{}, {}  {}\n", gold.id, trace.profile, trace.question);
    let (high, low) = (trace.cues.high.join(", "), trace.cues.low.join(", "));
    let _ = writeln!(text, "  cues      by {}: high {high}; low {low}", trace.cues.by);
    for entity in trace.entities.iter().take(SHOWN_ITEMS) {
        let ways = entity.via.iter().zip(&entity.places).map(|(way, place)| format!("{way} {place}"));
        let ways = ways.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "  entity    {:.4}  {} ({ways})", entity.score, entity.name);
    }
    for relation in trace.relations.iter().take(SHOWN_ITEMS) {
        let (source, target) = (&relation.source, &relation.target);
        let (score, weight, keywords) = (relation.score, relation.weight, relation.keywords.join(", "));
        let _ =
            writeln!(text, "  relation  {score:6.3}  {source} — {target}, weight {weight:.2}: {keywords}");
    }
    let (kept, gone) = ((trace.entities.len(), trace.relations.len()), trace.eliminated.len());
    let _ = writeln!(text, "  kept      {} entities, {} relations; {gone} eliminated", kept.0, kept.1);
    for gone in trace.eliminated.iter().take(SHOWN_ITEMS) {
        let ends = [gone.source.as_str(), gone.target.as_str()].join(" — ");
        let what = if gone.entity.is_empty() { &ends } else { &gone.entity };
        let back = if gone.restored { ", put back" } else { "" };
        let _ = writeln!(text, "  gone      {what}: {}{back}", gone.reason);
    }
    let chunks: Vec<String> = trace.evidence.iter().map(|passage| passage.chunk.to_string()).collect();
    let _ = writeln!(text, "  evidence  chunks {}", chunks.join(" "));
    let _ = writeln!(text, "  context   {} tokens", trace.context_tokens);
    for call in &trace.calls {
        let _ = writeln!(text, "  call      {} of {}: {} requests", call.stage, call.model, call.requests);
    }
    text
}

/// A chat model that takes the names and the last words for cues and removes every fourth of what it is shown.
fn selective(task: &str, request: &ChatRequest) -> Say {
    let list = quoted(request);
    Say::Text(match task {
        "cues" => {
            let words: Vec<&str> = list.split_whitespace().collect();
            let (names, rest): (Vec<&str>, Vec<&str>) =
                words.iter().skip(1).partition(|word| word.starts_with(char::is_uppercase));
            serde_json::json!({"high": rest[rest.len().saturating_sub(3)..], "low": names}).to_string()
        }
        "eliminate" => {
            let numbers = list.lines().filter_map(|line| line.split_once('.')).map(|(number, _)| number);
            let fourth = numbers.enumerate().filter(|(place, _)| place % 4 == 3);
            fourth.map(|(_, number)| format!("{number} ")).collect()
        }
        _ => "NONE".to_owned(),
    })
}

/// CodaRAG by rule in both profiles, and where a scripted chat model takes the cues and eliminates.
#[test]
fn associations_are_as_reviewed() {
    let story = story();
    let mut found = "CodaRAG's stages: cues, the first entities with the pathways that raised them and their places there,\n\
         the first relations, what was eliminated, the chunks of the evidence. By rule in both profiles; then\n\
         with a scripted chat model that takes out every fourth. Written by tests/native/golden.rs.\n"
        .to_owned();
    for (profile, by_model) in [(Profile::Offline, false), (Profile::Paper, false), (Profile::Paper, true)] {
        for gold in questions().iter().filter(|gold| TRACED.contains(&gold.id.as_str())) {
            let chat: Option<Rc<dyn ChatModel>> =
                if by_model { Some(Rc::new(Scripted::new(selective))) } else { None };
            let models = Models { chat, ..Models::default() };
            let config = QueryConfig { profile, ..QueryConfig::default() };
            let options = AskOptions { models, config, ..by(plotbridge::Method::Coda) };
            let _ = write!(found, "\n{}", associations(gold, &retrieve(&story, &gold.question, &options)));
        }
    }
    reviewed(CODA, &found);
}
