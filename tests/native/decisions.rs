//! What a question's stages leave to a chat model: asked for, read, and decided by rule where it gives nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plotbridge::llm::{ChatModel, ChatRequest, Finish, Models};
use plotbridge::report::Trace;
use plotbridge::stage::kind;
use plotbridge::{AskOptions, Code, Engine, Method, Position};

use crate::double::{Letters, Say, Scripted, quoted, task};
use crate::models::{STORY, build, fair};
use crate::support::{Ticking, ask, book, codes, pons_with, retrieve};

pub(crate) const QUESTION: &str = "Who gave Silas Tapp the brass key?";

/// A book that a chat model read and an endpoint embedded: the paper's profile.
pub(crate) fn paper_book() -> (Engine, Rc<Letters>) {
    let embed = Rc::new(Letters::new());
    let models =
        Models { chat: Some(Rc::new(Scripted::new(fair))), embed: Some(embed.clone()), ..Models::default() };
    (build(STORY, &models).unwrap().0, embed)
}

/// Options with these models and tunables.
pub(crate) fn with(
    chat: Rc<dyn ChatModel>,
    embed: Option<Rc<Letters>>,
    settings: &[(&str, &str)],
) -> AskOptions {
    let embed = embed.map(|embed| embed as Rc<dyn plotbridge::llm::Embedder>);
    // The facts are another stage's.
    let mut options = pons_with(settings);
    options.config.set("recognition", "rule").unwrap();
    AskOptions { models: Models { chat: Some(chat), embed, ..Models::default() }, ..options }
}

/// What the paper's book finds where the filter gets this reply.
fn filtered(say: fn() -> Say, settings: &[(&str, &str)]) -> (Trace, usize, Vec<ChatRequest>) {
    let (book, embed) = paper_book();
    let model = Rc::new(Scripted::new(move |_: &str, _: &ChatRequest| say()));
    let trace = retrieve(&book, QUESTION, &with(model.clone(), Some(embed), settings));
    let asked = model.asked.borrow().clone();
    (trace, asked.len(), asked)
}

/// Why pairs were left out.
fn left_out(trace: &Trace) -> Vec<&str> {
    let pairs = trace.dropped.iter().filter(|dropped| !dropped.character.is_empty());
    pairs.map(|dropped| dropped.reason.as_str()).collect()
}

fn text(text: &str) -> Say {
    Say::Text(text.to_owned())
}

#[test]
fn the_chat_model_chooses_among_the_pairs_in_story_order() {
    let (whole, none, _) = filtered(|| text("0"), &[("filter", "off")]);
    assert_eq!((whole.filter.by.as_str(), none), ("off", 0));
    assert!(whole.pairs.len() >= 3 && left_out(&whole).is_empty(), "{:?}", whole.pairs);

    let (trace, _, asked) = filtered(|| text("2, 0, 2, 77"), &[]);
    let list: Vec<&str> = quoted(&asked[0]).lines().collect();
    assert_eq!(task(&asked[0]), "filter");
    assert!(asked[0].messages[1].content.ends_with(&format!("Question: {QUESTION}")));
    // Numbered from 0, each line a kept pair of the whole, in the story's order.
    let line = |(number, pair): (usize, &plotbridge::report::Pair)| {
        format!("{number}. {}: {}", pair.character, pair.details)
    };
    assert_eq!(list, whole.pairs.iter().enumerate().map(line).collect::<Vec<_>>());
    let events = |trace: &Trace| trace.pairs.iter().map(|pair| pair.event.clone()).collect::<Vec<_>>();
    assert_eq!(events(&trace), [events(&whole)[0].clone(), events(&whole)[2].clone()]);
    assert_eq!((trace.filter.by.as_str(), trace.filter.reply.as_str()), ("chat", "2, 0, 2, 77"));
    assert_eq!(left_out(&trace), vec!["not chosen by the chat model"; whole.pairs.len() - 2]);
    let unread = &whole.pairs[1].details;
    assert!(whole.context.contains(unread.as_str()) && !trace.context.contains(unread.as_str()));
    let call = &trace.calls[1];
    assert_eq!((call.stage.as_str(), call.model.as_str(), call.requests), ("filter", "scripted", 1));
    assert_eq!((trace.calls[0].stage.as_str(), trace.calls[0].model.as_str()), ("question", "letters"));
}

#[test]
fn a_choice_of_nothing_keeps_everything_or_nothing_as_configured() {
    let (whole, ..) = filtered(|| text("0"), &[("filter", "off")]);
    let (kept, ..) = filtered(|| text("NONE"), &[]);
    assert_eq!((kept.context.as_str(), kept.filter.by.as_str()), (whole.context.as_str(), "chat"));
    assert_eq!(codes(&kept.issues), ["filter_none"]);
    let (empty, ..) = filtered(|| text("NONE"), &[("on_none", "empty")]);
    assert_eq!((empty.context.as_str(), empty.pairs.len(), empty.context_tokens), ("", 0, 0));
    assert_eq!(left_out(&empty).len(), whole.pairs.len());
    assert!(!empty.evidence.is_empty() && empty.issues.is_empty());
}

#[test]
fn a_filter_that_gives_nothing_to_go_by_leaves_the_pairs_as_they_are() {
    let (whole, ..) = filtered(|| text("0"), &[("filter", "off")]);
    type Row = (fn() -> Say, &'static str, usize);
    let hostile: [Row; 6] = [
        (|| text("I cannot choose."), "reply_unreadable", 2),
        (|| text("99"), "reply_unreadable", 2),
        (|| text("<think>0, 1"), "reply_unreadable", 2),
        (|| Say::Ended(String::new(), Finish::Filter), "reply_withheld", 1),
        (|| Say::Fail(Code::EndpointTimeout), "reply_failed", 1),
        (|| Say::Fail(Code::EndpointAuth), "reply_failed", 1),
    ];
    for (say, code, requests) in hostile {
        let (trace, asked, _) = filtered(say, &[]);
        assert_eq!((codes(&trace.issues), asked), (vec![code], requests));
        assert_eq!((trace.context.as_str(), trace.filter.by.as_str()), (whole.context.as_str(), "off"));
    }
    let (_, _, asked) = filtered(|| text("99"), &[]);
    assert!(asked[1].messages[3].content.contains("it names no line from 0 to"), "{:?}", asked[1]);
}

#[test]
fn offline_the_rule_filters_unless_the_chat_model_is_asked_for() {
    let book = book(STORY);
    let model = Rc::new(Scripted::new(|_: &str, request: &ChatRequest| {
        let list = quoted(request);
        text(list.lines().find(|line| line.contains("brass key and told")).map_or("NONE", |line| &line[..1]))
    }));
    let by_rule = retrieve(&book, QUESTION, &with(model.clone(), None, &[]));
    assert_eq!((by_rule.filter.by.as_str(), model.asked.borrow().len()), ("rule", 0));
    let chosen = retrieve(&book, QUESTION, &with(model.clone(), None, &[("filter", "chat")]));
    assert_eq!((chosen.filter.by.as_str(), model.count("filter")), ("chat", 1));
    assert!(chosen.context.contains("brass key and told") && !chosen.context.contains("sea chest"));
    assert_eq!(chosen.evidence.len(), by_rule.evidence.len());
    let alone = retrieve(&book, QUESTION, &pons_with(&[("filter", "chat")]));
    assert_eq!((codes(&alone.issues), alone.filter.by.as_str()), (vec!["needs_chat_model"], "rule"));
    for method in [Method::Dense, Method::Bm25] {
        let trace = retrieve(&book, QUESTION, &AskOptions { method, ..with(model.clone(), None, &[]) });
        assert_eq!((trace.filter.by.as_str(), trace.filter.reply.as_str()), ("off", ""));
    }
}

#[test]
fn a_word_of_time_is_resolved_against_the_story() {
    let (book, embed) = paper_book();
    let options = |question: &str| {
        let models = Models { embed: Some(embed.clone()), ..Models::default() };
        retrieve(&book, question, &AskOptions { models, ..pons_with(&[("k2", "2"), ("k1", "2")]) })
    };
    let trace = options("What happened after Silas Tapp carried the registers up to the loft?");
    assert_eq!(trace.filter.by, "rule");
    assert_eq!(trace.filter.time, "after", "{:?}", trace.anchors);
    let labels: Vec<String> = crate::support::inspected(&book).into_iter().map(|event| event.label).collect();
    let scene = trace.filter.scene.clone().unwrap();
    assert!(labels.contains(&scene.label), "{:?}", trace.filter);
    assert_eq!(options("What was the letter?").filter.time, "");
    assert_eq!(options("Who came at last?").filter.time, "last");
}

#[test]
fn nothing_from_later_is_offered_before_a_reading_position_and_a_cancel_is_heard() {
    let (book, embed) = paper_book();
    let model = Rc::new(Scripted::new(|_: &str, _: &ChatRequest| text("0")));
    let options = with(model.clone(), Some(embed), &[]);
    let options = AskOptions { up_to: Some(Position::Chapter(1)), ..options };
    let trace = retrieve(&book, QUESTION, &options);
    assert_eq!((trace.filter.by.as_str(), trace.pairs.len()), ("chat", 1));
    let asked = format!("{:?}", model.asked.borrow());
    assert!(asked.contains("brass key") && !asked.contains("Lind"), "{asked}");

    let calm = Ticking::new(usize::MAX);
    pollster::block_on(book.retrieve(QUESTION, &options, &calm)).unwrap();
    for at in 1..calm.pauses() {
        let host = Ticking::new(at);
        let error = pollster::block_on(book.retrieve(QUESTION, &options, &host)).unwrap_err();
        assert_eq!(error.code(), Code::Aborted, "at pause {at}");
    }
}

/// A chat model that thinks these thoughts one after another, filters nothing and then answers.
fn thinker(thoughts: &'static [&'static str]) -> Rc<Scripted<impl Fn(&str, &ChatRequest) -> Say>> {
    let next = std::cell::Cell::new(0);
    Rc::new(Scripted::new(move |task: &str, _: &ChatRequest| match task {
        "thought" => {
            next.set(next.get() + 1);
            text(thoughts.get(next.get() - 1).unwrap_or(&""))
        }
        "filter" => text("0, 1, 2, 3, 4, 5"),
        "cues" => text("high: trust\nlow: brass key"),
        "eliminate" => text("NONE"),
        _ => text("### Final Answer\nMrs Quennell"),
    }))
}

const THOUGHTS: [&str; 3] = [
    "The sea chest was opened with the brass key.",
    "A letter came from the harbour office.",
    "So the answer is: Mrs Quennell.",
];

#[test]
fn a_question_is_worked_out_in_steps_around_every_method() {
    for method in Method::ALL {
        let (book, embed) = paper_book();
        let model = thinker(&THOUGHTS);
        let options = AskOptions { method, steps: 5, ..with(model.clone(), Some(embed), &[]) };
        let answer = ask(&book, QUESTION, &options);
        let trace = &answer.trace;
        let told: Vec<(&str, &str)> =
            trace.steps.iter().map(|step| (step.thought.as_str(), step.query.as_str())).collect();
        let wanted =
            [("", QUESTION), (THOUGHTS[0], THOUGHTS[0]), (THOUGHTS[1], THOUGHTS[1]), (THOUGHTS[2], "")];
        assert_eq!(told, wanted, "{method:?}");
        assert_eq!((answer.text.as_str(), codes(&answer.issues)), ("Mrs Quennell", vec![]));

        // One cap for the context that is theirs together.
        assert!(trace.steps.iter().all(|step| step.context_tokens <= options.context_tokens));
        assert!(trace.context_tokens <= options.context_tokens);
        let single = retrieve(&book, QUESTION, &AskOptions { steps: 1, ..options.clone() });
        assert!(single.steps.is_empty() && trace.context_tokens >= trace.steps[0].context_tokens);

        // Every passage is told in the step that found it first, and best first in all.
        let mut chunks: Vec<u32> =
            trace.steps.iter().flat_map(|step| step.passages.iter().map(|passage| passage.chunk)).collect();
        chunks.sort_unstable();
        let mut evidence: Vec<u32> = trace.evidence.iter().map(|passage| passage.chunk).collect();
        evidence.sort_unstable();
        assert_eq!(chunks, evidence, "{method:?}");
        assert!(trace.evidence.windows(2).all(|two| two[0].score >= two[1].score));

        // What was thought before is shown with the next request, and all requests are counted.
        let last = model.asked.borrow().iter().rfind(|request| task(request) == "thought").unwrap().clone();
        assert!(last.messages[1].content.ends_with(&format!("- {}\n- {}", THOUGHTS[0], THOUGHTS[1])));
        let calls: u32 = trace.calls.iter().map(|call| call.requests).sum();
        assert_eq!(answer.usage.requests, calls);
        let stage =
            |name: &str| trace.calls.iter().find(|call| call.stage == name).map_or(0, |call| call.requests);
        // Cues are embedded as the question is.
        let embedded = if matches!(method, Method::Coda | Method::Light) { 6 } else { 3 };
        assert_eq!((stage("thought"), stage("question"), stage("generate")), (3, embedded, 1));
        assert_eq!(stage("filter"), if method == Method::Pons { 3 } else { 0 });
    }
}

#[test]
fn steps_find_what_the_question_alone_does_not() {
    let story = crate::support::story();
    let model =
        thinker(&["The children of Osk Bridge school walked along the hill.", "So the answer is: nothing"]);
    let options =
        AskOptions { method: Method::Bm25, steps: 3, context_tokens: 2000, ..with(model, None, &[]) };
    let question = "Who was Obadiah Tench?";
    let alone = retrieve(&story, question, &AskOptions { steps: 1, ..options.clone() });
    let steps = retrieve(&story, question, &options);
    assert!(!alone.context.contains("Osk Bridge school") && steps.context.contains("Osk Bridge school"));
    assert!(steps.context_tokens <= 2000 && steps.evidence.len() == 20);
}

/// Steps may find more passages than are told: the evidence is the best twenty of all, each chunk once with
/// the best score that any step gave it, while the steps tell all.
#[test]
fn of_more_than_twenty_passages_the_best_are_told() {
    let story = crate::support::story();
    const ASKED: [&str; 3] = [
        "Who was Obadiah Tench?",
        "The children of Osk Bridge school walked along the hill.",
        "The captain sailed before the wedding breakfast.",
    ];
    for method in Method::ALL {
        let model = thinker(&[ASKED[1], ASKED[2], "So the answer is: nothing"]);
        let options = AskOptions { method, steps: 4, ..with(model, None, &[]) };
        let trace = retrieve(&story, ASKED[0], &options);
        let found: Vec<u32> =
            trace.steps.iter().flat_map(|step| step.passages.iter().map(|passage| passage.chunk)).collect();
        let distinct: BTreeSet<u32> = found.iter().copied().collect();
        assert!(found.len() > 20 && distinct.len() == found.len(), "{method:?}: {found:?}");

        let mut best: BTreeMap<u32, f64> = BTreeMap::new();
        for question in ASKED {
            for passage in retrieve(&story, question, &AskOptions { steps: 1, ..options.clone() }).evidence {
                let score = best.entry(passage.chunk).or_insert(passage.score);
                *score = score.max(passage.score);
            }
        }
        assert_eq!(best.keys().copied().collect::<BTreeSet<u32>>(), distinct, "{method:?}");
        let mut scores: Vec<f64> = best.values().copied().collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        scores.truncate(20);
        let told: Vec<f64> = trace.evidence.iter().map(|passage| passage.score).collect();
        assert_eq!(told, scores, "{method:?}");
        assert!(trace.evidence.iter().all(|passage| best[&passage.chunk] == passage.score), "{method:?}");
    }
}

#[test]
fn a_first_thought_that_answers_leaves_the_context_of_one_step() {
    let story = crate::support::story();
    for method in Method::ALL {
        for context_tokens in [400, 2000] {
            let model = thinker(&["So the answer is: nothing"]);
            let options = AskOptions { method, steps: 3, context_tokens, ..with(model, None, &[]) };
            let one = retrieve(&story, "Who was Obadiah Tench?", &AskOptions { steps: 1, ..options.clone() });
            let more = retrieve(&story, "Who was Obadiah Tench?", &options);
            assert_eq!(more.steps.len(), 2);
            assert_eq!(one.context, more.context, "{method:?}, {context_tokens}");
        }
    }
}

#[test]
fn every_pair_that_steps_keep_stands_in_their_one_context() {
    let story = crate::support::story();
    for (profile, context_tokens) in [("offline", 400), ("offline", 6000), ("paper", 400), ("paper", 6000)] {
        let model = thinker(&THOUGHTS);
        let options = AskOptions { steps: 3, context_tokens, ..with(model, None, &[("profile", profile)]) };
        let trace = retrieve(&story, "Who was Obadiah Tench?", &options);
        assert!(trace.steps.len() == 3 && trace.context_tokens <= context_tokens);
        assert!(!trace.pairs.is_empty(), "{profile}, {context_tokens}");
        let context: String = trace.context.split_whitespace().collect::<Vec<_>>().join(" ");
        for pair in &trace.pairs {
            assert!(context.contains(&pair.details), "{profile}, {context_tokens}: {}", pair.details);
        }
    }
}

#[test]
fn steps_end_where_nothing_new_is_thought() {
    let (book, embed) = paper_book();
    let asked = |thoughts: &'static [&'static str], steps: u32| {
        let model = thinker(thoughts);
        let options = AskOptions { steps, ..with(model.clone(), Some(embed.clone()), &[]) };
        let answer = ask(&book, QUESTION, &options);
        (answer.trace.steps.len(), model.count("thought"), codes(&answer.issues).join(" "))
    };
    let said = "The brass key hung by the stove.";
    const SAME: [&str; 9] = ["The brass key hung by the stove."; 9];
    assert_eq!(asked(&SAME, 10), (3, 2, String::new()), "{said}");
    assert_eq!(asked(&THOUGHTS, 2), (2, 1, String::new()));
    // Nothing that could be a thought, asked for twice: the steps end with an issue, the answer does not.
    assert_eq!(asked(&["...", "—"], 4), (1, 2, "reply_unreadable".to_owned()));
    assert_eq!(asked(&["<think>so the answer is: 5", "", ""], 4).0, 1);
}

#[test]
fn steps_keep_to_the_reading_position_to_the_pace_and_to_a_chat_model() {
    let (book, embed) = paper_book();
    let model = thinker(&THOUGHTS);
    let options = AskOptions {
        steps: 3,
        up_to: Some(Position::Chapter(1)),
        ..with(model.clone(), Some(embed.clone()), &[])
    };
    let trace = ask(&book, QUESTION, &options).trace;
    assert_eq!(trace.steps.len(), 3);
    let found = serde_json::to_string(&trace).unwrap();
    assert!(!found.contains("Lind") && !found.contains("registers"), "{found}");
    let shown = model.asked.borrow().iter().map(|request| quoted(request).to_owned()).collect::<String>();
    assert!(!shown.contains("Lind") && !shown.contains("registers"), "{shown}");

    let calm = Ticking::new(usize::MAX);
    pollster::block_on(book.ask(QUESTION, &options, &calm)).unwrap();
    for at in 1..calm.pauses() {
        let model = thinker(&THOUGHTS);
        let options = AskOptions { steps: 3, ..with(model, Some(embed.clone()), &[]) };
        let error = pollster::block_on(book.ask(QUESTION, &options, &Ticking::new(at))).unwrap_err();
        assert_eq!(error.code(), Code::Aborted, "at pause {at}");
    }

    let models = Models { embed: Some(embed), ..Models::default() };
    let alone = ask(&book, QUESTION, &AskOptions { steps: 3, models, ..AskOptions::default() });
    assert_eq!((codes(&alone.issues), alone.trace.steps.len()), (vec!["needs_chat_model"], 0));
}

#[test]
fn what_a_question_turns_on_is_told_by_rule_unless_the_chat_model_is_asked() {
    let book = book(STORY);
    let asked = |reply: &'static str, by: &str| {
        let model = Rc::new(Scripted::new(move |_: &str, _: &ChatRequest| text(reply)));
        let trace = retrieve(&book, QUESTION, &with(model.clone(), None, &[("query_type", by)]));
        let told = (trace.query_type.kind, trace.query_type.by);
        (told.0, told.1, model.count("query_type"), codes(&trace.issues).join(" "))
    };
    let row = |kind: &str, by: &str, requests, issues: &str| {
        (kind.to_owned(), by.to_owned(), requests, issues.to_owned())
    };
    assert_eq!(asked("{\"ID\": \"mix\"}", "auto"), row("mix", "chat", 1, ""));
    assert_eq!(asked("{\"ID\": \"mix\"}", "chat"), row("mix", "chat", 1, ""));
    assert_eq!(asked("{\"ID\": \"mix\"}", "rule"), row("plot", "rule", 0, ""));
    assert_eq!(asked("{\"ID\": \"mix\"}", "off"), row("", "off", 0, ""));
    assert_eq!(asked("Both, I think.", "auto"), row("plot", "rule", 2, "reply_unreadable"));
    let alone = retrieve(&book, QUESTION, &pons_with(&[("query_type", "chat")]));
    assert_eq!((codes(&alone.issues), alone.query_type.by.as_str()), (vec!["needs_chat_model"], "rule"));
}

/// docs/quality.md gives the figure.
#[test]
fn the_rule_of_types_agrees_with_the_bundled_storys_own() {
    let lines = crate::support::read_file("books/white-line.questions.jsonl");
    let lines: Vec<serde_json::Value> = lines
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kind = |line: &serde_json::Value| kind::by_rule(line["question"].as_str().unwrap()).as_str();
    let right = lines.iter().filter(|line| kind(line) == line["type"]).count();
    let of = |name: &str| lines.iter().filter(|line| line["type"] == name).count();
    assert_eq!(lines.len(), 50);
    // A rule that always says the most frequent type.
    assert!(right > of("plot") && right == AGREED, "{right} of {}", lines.len());
}

/// Of the story's fifty questions.
const AGREED: usize = 39;
