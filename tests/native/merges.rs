//! Consolidation from outside: what authors wish, what a chat model decides, what a reading position undoes;
//! and on novels, the aliases that LitBank knows.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plotbridge::config::{By, IndexConfig};
use plotbridge::knowledge::{Group, Reveal, Span, Wishes};
use plotbridge::llm::{ChatModel, ChatRequest, Models};
use plotbridge::pace::Native;
use plotbridge::report::{Inspect, Merge};
use plotbridge::text::ReadOptions;
use plotbridge::{Engine, Position};
use pollster::block_on;
use serde_json::Value;

use super::double::{Letters, Say, Scripted, decided, quoted};
use super::support::{self, shared};

fn built(text: &str, merging: By, merges: Wishes) -> Engine {
    let read = ReadOptions { merges, ..ReadOptions::default() };
    let config = IndexConfig { merging, ..IndexConfig::default() };
    block_on(Engine::build(text.as_bytes(), &read, config, &Native::default())).unwrap()
}

fn inspect(book: &Engine) -> Inspect {
    block_on(book.inspect(&Native::default())).unwrap()
}

fn different(one: &str, other: &str) -> (String, String) {
    (one.to_owned(), other.to_owned())
}

fn group(names: &[&str], name: Option<&str>) -> Group {
    Group {
        names: names.iter().map(|&name| name.to_owned()).collect(),
        name: name.map(str::to_owned),
        from: None,
    }
}

/// The entities' forms, each sorted.
fn cast(book: &Engine) -> Vec<BTreeSet<String>> {
    let of = |entity: plotbridge::report::Entity| entity.aliases.into_iter().chain([entity.name]).collect();
    inspect(book).entities.into_iter().map(of).collect()
}

fn together(book: &Engine, one: &str, other: &str) -> bool {
    cast(book).iter().any(|forms| forms.contains(one) && forms.contains(other))
}

const SCENE: &str = "CHAPTER I\n\nMr. Edgar Lind came to the ferry. Mr. Lind asked for Mrs. Lind. Edgar Lind was \
    her husband, and she had gone. Hareton Lind laughed. Mr. Lind said nothing. Mrs. Lind wept. Hareton Lind \
    rowed them over. Edgar smiled at Mrs. Lind.\n\nCHAPTER II\n\nSilas Tapp kept the ferry. The ferry was old. \
    Mr. Tapp said so. Silas Tapp said so too, and Mr. Tapp went home.\n";

fn decision<'a>(merges: &'a [Merge], one: &str, other: &str) -> Option<&'a Merge> {
    let names = |merge: &&Merge| {
        [&merge.one, &merge.other] == [one, other] || [&merge.one, &merge.other] == [other, one]
    };
    merges.iter().find(names)
}

#[test]
fn what_rules_merge_and_what_they_do_not_is_listed_with_reasons() {
    let merges = inspect(&built(SCENE, By::Auto, Wishes::default())).merges;
    let shown = || merges.iter().map(|merge| format!("{merge:?}")).collect::<Vec<_>>().join("\n");
    let wife = merges.iter().find(|merge| merge.one == "Mrs Lind" && merge.verdict == "different");
    assert_eq!(wife.map(|merge| merge.reason.as_str()), Some("husband and wife"), "{}", shown());
    let brothers = decision(&merges, "Hareton Lind", "Edgar Lind").or(decision(
        &merges,
        "Hareton Lind",
        "Mr Edgar Lind",
    ));
    assert_eq!(brothers.map(|merge| merge.reason.as_str()), Some("different given names"), "{}", shown());
    assert!(merges.iter().any(|merge| merge.verdict == "same" && merge.by == "rule"), "{}", shown());
    for merge in &merges {
        let known = &SCENE[..merge.evidence as usize];
        let stands = |name: &str| known.replace('.', "").contains(name);
        assert!(stands(&merge.one) && stands(&merge.other), "{merge:?}");
    }
}

#[test]
fn an_author_takes_apart_and_puts_together_and_the_index_keeps_it() {
    let plain = built(SCENE, By::Auto, Wishes::default());
    assert!(together(&plain, "Silas Tapp", "Mr Tapp"), "{:?}", cast(&plain));
    let wishes = Wishes {
        same: vec![group(&["Hareton Lind", "Silas Tapp"], Some("Hareton Lind"))],
        different: vec![different("Silas Tapp", "Mr. Tapp")],
    };
    let wished = built(SCENE, By::Auto, wishes);
    let again = block_on(Engine::open(wished.save().unwrap(), &Native::default())).unwrap();
    for book in [&wished, &again] {
        assert!(!together(book, "Silas Tapp", "Mr Tapp"), "{:?}", cast(book));
        assert!(together(book, "Silas Tapp", "Hareton Lind"), "{:?}", cast(book));
        let document = inspect(book);
        assert!(document.entities.iter().any(|entity| entity.name == "Hareton Lind"));
        assert!(document.merges.iter().any(|merge| merge.by == "author" && merge.verdict == "same"));
        assert!(document.merges.iter().any(|merge| merge.by == "author" && merge.verdict == "different"));
        assert!(document.issues.is_empty(), "{:?}", document.issues);
    }
    assert_eq!(wished.save().unwrap(), again.save().unwrap());
}

#[test]
fn who_is_one_only_from_somewhere_on_is_two_before() {
    let text =
        format!("{SCENE}\n\nCHAPTER III\n\nSilas Tapp was gone. Mr. Tapp was gone. Hareton Lind slept.\n");
    let units = text.find("CHAPTER III").unwrap() as u32;
    let host = Native::default();
    let of = |from| {
        let one = Group { from: Some(from), ..group(&["Silas Tapp", "Hareton Lind"], Some("Hareton Lind")) };
        // What a rule would take for one from the first page on.
        let other = Group { from: Some(from), ..group(&["Silas Tapp", "Mr. Tapp"], None) };
        built(&text, By::Auto, Wishes { same: vec![one, other], different: Vec::new() })
    };
    for from in [Reveal::Chapter(3), Reveal::Unit(units + 60)] {
        let built = of(from);
        let opened = block_on(Engine::open(built.save().unwrap(), &host)).unwrap();
        for book in [&built, &opened] {
            for other in ["Hareton Lind", "Mr Tapp"] {
                let whole = inspect(book);
                let merge = decision(&whole.merges, "Silas Tapp", other);
                let merge = merge.unwrap_or_else(|| panic!("{other}: {:?}", whole.merges));
                assert!(merge.verdict == "same" && merge.evidence > units, "{merge:?}");
            }
            assert!(together(book, "Silas Tapp", "Hareton Lind") && together(book, "Silas Tapp", "Mr Tapp"));
            let named = |position| {
                let up_to =
                    plotbridge::AskOptions { up_to: position, ..support::by(plotbridge::Method::Pons) };
                let trace =
                    support::retrieve(book, "What did Silas Tapp, Mr. Tapp and Hareton Lind do?", &up_to);
                let mut names: Vec<String> =
                    trace.anchors.characters.into_iter().map(|anchor| anchor.name).collect();
                names.retain(|name| name.contains("Tapp") || name.contains("Hareton"));
                names.sort();
                names
            };
            assert_eq!(named(None), ["Hareton Lind"]);
            assert_eq!(named(Some(Position::Chapter(3))), ["Hareton Lind"]);
            assert_eq!(named(Some(Position::Chapter(2))), ["Hareton Lind", "Mr Tapp", "Silas Tapp"]);
        }
    }
    let wishes = |from| Wishes {
        same: vec![Group { from: Some(from), ..group(&["Silas Tapp", "Hareton Lind"], None) }],
        different: Vec::new(),
    };
    for (from, limit) in [(Reveal::Chapter(9), "the book has 2"), (Reveal::Unit(99_999), "none there")] {
        let read = ReadOptions { merges: wishes(from), ..ReadOptions::default() };
        let refused = block_on(Engine::build(SCENE.as_bytes(), &read, IndexConfig::default(), &host));
        let refused = refused.err().unwrap();
        assert!(refused.to_string().contains(limit), "{refused}");
    }
}

#[test]
fn a_name_that_the_book_has_not_is_told_with_the_nearest() {
    let wishes = Wishes { same: vec![group(&["Silas Tap", "Edgar Lind"], None)], different: Vec::new() };
    let issues = inspect(&built(SCENE, By::Auto, wishes)).issues;
    let told = issues.iter().find(|issue| issue.code == "no_such_name").unwrap();
    assert!(told.message.contains("\"Silas Tap\"") && told.message.contains("Tapp\""), "{}", told.message);
}

#[test]
fn without_merging_nothing_is_merged_whatever_is_wished() {
    let wishes = Wishes { same: vec![group(&["Hareton Lind", "Silas Tapp"], None)], different: Vec::new() };
    let document = inspect(&built(SCENE, By::Off, wishes));
    assert!(document.merges.is_empty(), "{:?}", document.merges);
    assert!(document.entities.iter().all(|entity| entity.aliases.is_empty()));
}

/// Pairs of names of LitBank's characters.
#[derive(Default)]
struct Pairs {
    gold: usize,
    joined: usize,
    right: usize,
}

/// Each name of each character, with the entity of ours that most of its uses are of.
fn named(book: &Engine, gold: &Value) -> Vec<(usize, Option<usize>)> {
    let index = &book.book().index;
    let text = &index.document.text;
    let bytes: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let at = |value: &Value| bytes[value.as_u64().unwrap() as usize] as u32;
    let mentions = &index.knowledge.mentions;
    let uses: Vec<(Span, usize)> = mentions
        .iter()
        .flat_map(|mention| mention.uses.iter().map(|used| (*used, mention.entity.index())))
        .collect();
    let mut named: BTreeMap<(usize, String), BTreeMap<usize, usize>> = BTreeMap::new();
    for (character, entry) in gold["characters"].as_array().unwrap().iter().enumerate() {
        let proper = entry["mentions"].as_array().unwrap().iter().filter(|mention| mention["form"] == "PROP");
        for mention in proper {
            let (start, end) = (at(&mention["start"]), at(&mention["end"]));
            let name = mention["text"].as_str().unwrap().replace('.', "").to_lowercase();
            let ours = named.entry((character, name)).or_default();
            for (_, entity) in uses.iter().filter(|(used, _)| used.start < end && start < used.end) {
                *ours.entry(*entity).or_default() += 1;
            }
        }
    }
    let most =
        |ours: BTreeMap<usize, usize>| ours.into_iter().max_by_key(|(_, count)| *count).map(|(id, _)| id);
    named.into_iter().map(|((character, _), ours)| (character, most(ours))).collect()
}

impl Pairs {
    fn add(&mut self, named: &[(usize, Option<usize>)]) {
        for (place, (character, entity)) in named.iter().enumerate() {
            for (other, with) in &named[place + 1..] {
                let joined = entity.is_some() && entity == with;
                self.gold += usize::from(character == other);
                self.joined += usize::from(joined);
                self.right += usize::from(joined && character == other);
            }
        }
    }

    fn told(&self) -> String {
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let (precision, recall) = (share(self.right, self.joined), share(self.right, self.gold));
        let f1 = 2.0 * precision * recall / (precision + recall).max(1e-9);
        format!(
            "{} pairs, {} joined, {} right: precision {precision:.3}, recall {recall:.3}, F1 {f1:.3}",
            self.gold, self.joined, self.right
        )
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn aliases_of_ten_novels_are_litbanks() {
    let (Some(gold), Some(books)) = (shared("data/litbank/characters"), shared("data/books")) else { return };
    let mut files: Vec<_> = std::fs::read_dir(gold).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut sums = [Pairs::default(), Pairs::default()];
    for file in files {
        let place = books.join(file.with_extension("txt").file_name().unwrap());
        let Ok(text) = std::fs::read_to_string(&place) else { continue };
        let gold: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        for (sum, merging) in sums.iter_mut().zip([By::Off, By::Rule]) {
            sum.add(&named(&built(&text, merging, Wishes::default()), &gold));
        }
    }
    eprintln!("without merging: {}\nby rule: {}", sums[0].told(), sums[1].told());
    let [apart, merged] = sums;
    assert!(merged.right > 2 * apart.right.max(1), "merging joins what is one");
    assert!(merged.right * 10 >= merged.joined * 9, "nine in ten of the joined pairs are right");
}

/// The decisions on novels, to be read by people: `PLOTBRIDGE_READ=wuthering_heights,silas_marner`.
#[test]
#[ignore = "reads ../shared/data, and prints"]
fn decisions_on_novels_can_be_read() {
    let (Some(books), Ok(wanted)) = (shared("data/books"), std::env::var("PLOTBRIDGE_READ")) else { return };
    for name in wanted.split(',') {
        let text = std::fs::read_to_string(books.join(format!("{name}.txt"))).unwrap();
        let document = inspect(&built(&text, By::Rule, Wishes::default()));
        for entity in &document.entities {
            eprintln!(
                "{name}\t{}\t{}\t{}\t{}",
                entity.kind,
                entity.mentions,
                entity.name,
                entity.aliases.join(" | ")
            );
        }
        for merge in &document.merges {
            let Merge { one, other, verdict, by, reason, evidence } = merge;
            eprintln!("{name}\t{verdict}\t{by}\t{one} = {other}\t{reason}\t{evidence}");
        }
    }
}

#[test]
fn a_position_before_the_evidence_of_a_wish_undoes_it() {
    let wishes = Wishes { same: vec![group(&["Hareton Lind", "Silas Tapp"], None)], different: Vec::new() };
    let book = built(SCENE, By::Auto, wishes);
    let up_to =
        |position| plotbridge::AskOptions { up_to: Some(position), ..support::by(plotbridge::Method::Pons) };
    let names = |position| {
        let trace =
            block_on(book.retrieve("What did Hareton do?", &up_to(position), &Native::default())).unwrap();
        assert!(trace.issues.iter().all(|issue| issue.code != "no_such_name"), "{:?}", trace.issues);
        serde_json::to_string(&trace).unwrap()
    };
    assert!(!names(Position::Chapter(1)).contains("Tapp"));
    assert!(names(Position::Share(1.0)).contains("Tapp"));
}

/// Two chapters in which two names are told of as two; a chat model takes them for one.
const TWO: &str = "CHAPTER I\n\nSilas Tapp rowed over the river before dawn. Aaron Moor carried the lamp up the hill. \
    Silas Tapp tied the boat at the stairs. Aaron Moor said nothing.\n\nCHAPTER II\n\nIn the spring Aaron Moor came \
    back to the river. Aaron Moor took the oars as Silas Tapp had done.\n";

/// Who names everybody that stands in a chunk and takes `Silas Tapp` and `Aaron Moor` for one.
fn reader(task: &str, request: &ChatRequest) -> Say {
    let passage = quoted(request);
    let describe = |name: &&str| {
        format!(
            r#"{{"name":"{name}","type":"person","description":"{name} is told of {} words on."}}"#,
            passage.len()
        )
    };
    Say::Text(match task {
        "entities" => {
            let standing = ["Silas Tapp", "Aaron Moor"].into_iter().filter(|name| passage.contains(name));
            let entities: Vec<String> = standing.map(|name| describe(&name)).collect();
            format!(r#"{{"entities":[{}]}}"#, entities.join(","))
        }
        "triples" => r#"{"triples":[]}"#.to_owned(),
        "events" => r#"{"events":[]}"#.to_owned(),
        "merges" => decided(passage, |_, _| "same"),
        _ => format!("MERGED {passage}"),
    })
}

type Script = fn(&str, &ChatRequest) -> Say;

/// The book read by models under which everybody is like everybody.
fn read_by(model: &Rc<Scripted<Script>>, bytes: &[u8]) -> Engine {
    let chat: Rc<dyn ChatModel> = Rc::clone(model) as Rc<dyn ChatModel>;
    let models =
        Models { chat: Some(chat), embed: Some(Rc::new(Letters::new())), at_once: 1, ..Models::default() };
    let config = IndexConfig { merge_cosine: 0.0, chunk_tokens: 32, ..IndexConfig::default() };
    block_on(Engine::build_with(bytes, &ReadOptions::default(), config, &models, &Native::default()))
        .unwrap()
        .0
}

#[test]
fn a_chat_model_merges_and_a_reader_before_its_evidence_knows_nothing_of_it() {
    let model = Rc::new(Scripted::new(reader as Script));
    let book = read_by(&model, TWO.as_bytes());
    assert!(together(&book, "Silas Tapp", "Aaron Moor"), "{:?}", cast(&book));
    let merges = inspect(&book).merges;
    let merge = decision(&merges, "Silas Tapp", "Aaron Moor").unwrap();
    assert_eq!((merge.by.as_str(), merge.verdict.as_str()), ("chat", "same"));
    assert_eq!(merge.reason, "the test says same");
    let second = TWO.find("CHAPTER II").unwrap() as u32;
    assert!(merge.evidence > second, "{merge:?}");
    let file = book.save().unwrap();
    let again = block_on(Engine::open(file.clone(), &Native::default())).unwrap();
    for book in [&book, &again] {
        let names = |position| {
            let up_to = plotbridge::AskOptions { up_to: position, ..support::by(plotbridge::Method::Pons) };
            let trace = support::retrieve(book, "What did Silas Tapp and Aaron Moor do?", &up_to);
            let anchors = trace.anchors.characters.into_iter().map(|anchor| anchor.name);
            anchors.collect::<BTreeSet<String>>().len()
        };
        assert_eq!((names(None), names(Some(Position::Chapter(1)))), (1, 2));
    }
    let asked = model.count("merges");
    assert!(asked > 0);
    let more = read_by(&model, &file);
    assert_eq!(model.count("merges"), asked, "what was decided is not asked again");
    assert!(together(&more, "Silas Tapp", "Aaron Moor"));
    assert_eq!(inspect(&more).merges.len(), merges.len());
}

#[test]
fn a_chat_models_merge_is_taken_apart_by_the_author_without_asking() {
    let model = Rc::new(Scripted::new(reader as Script));
    let file = read_by(&model, TWO.as_bytes()).save().unwrap();
    let asked = model.asked.borrow().len();
    let merges = Wishes { same: Vec::new(), different: vec![different("Silas Tapp", "Aaron Moor")] };
    let read = ReadOptions { merges, ..ReadOptions::default() };
    let (config, models) = (IndexConfig::default(), Models::default());
    let apart = block_on(Engine::build_with(&file, &read, config, &models, &Native::default())).unwrap().0;
    assert!(!together(&apart, "Silas Tapp", "Aaron Moor"), "{:?}", cast(&apart));
    let told = inspect(&apart);
    let of =
        |name: &str| told.entities.iter().find(|entity| entity.name == name).unwrap().description.clone();
    assert!(!of("Silas Tapp").contains("Aaron Moor is"), "{}", of("Silas Tapp"));
    assert!(of("Aaron Moor").contains("Aaron Moor is"), "{}", of("Aaron Moor"));
    assert_eq!(model.asked.borrow().len(), asked);
}

#[test]
fn what_names_forbid_is_not_even_asked() {
    let text = "Mr. Lind rowed over the river. Mrs. Lind carried the lamp. Mr. Lind tied the boat. Mrs. Lind wept.\n";
    let model = Rc::new(Scripted::new(reader as Script));
    let book = read_by(&model, text.as_bytes());
    assert_eq!(model.count("merges"), 0);
    let merges = inspect(&book).merges;
    assert!(merges.iter().any(|merge| merge.reason == "husband and wife"), "{merges:?}");
}
