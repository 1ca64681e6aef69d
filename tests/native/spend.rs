//! What a build costs and how it went: estimated before, told while it waits, and accounted for at its end.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use plotbridge::estimate::{By, estimate};
use plotbridge::llm::account;
use plotbridge::llm::caller::Caller;
use plotbridge::llm::ledger::Ledger;
use plotbridge::llm::{ChatModel, ChatReply, ChatRequest, Embedder, Finish, Later, Models};
use plotbridge::pace::{Host, Native, Progress};
use plotbridge::report::{Estimate, EstimatedStage};
use plotbridge::{Code, Engine, IndexConfig};
use pollster::block_on;

use crate::double::{Letters, Say, Scripted, decided, quoted, task};
use crate::support::root;

const ALL: By = By { chat: true, embed: true };

fn story() -> String {
    std::fs::read_to_string(root().join("books/white-line.txt")).unwrap()
}

fn estimated(text: &str, by: By) -> Estimate {
    let host = Native::default();
    block_on(estimate(text.as_bytes(), &Default::default(), IndexConfig::default(), by, &host)).unwrap()
}

/// What a dull but dutiful reader says of any passage.
fn dutiful(task: &str, request: &ChatRequest) -> Say {
    let passage = quoted(request);
    let words: Vec<&str> = passage.split_whitespace().collect();
    let plain = |text: &[&str]| text.join(" ").replace(['"', '\\'], "");
    let named: Vec<String> = words
        .windows(2)
        .filter(|pair| !pair[0].ends_with('.') && pair[1].starts_with(|c: char| c.is_uppercase()))
        .map(|pair| pair[1].trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .filter(|name| name.len() > 3)
        .take(8)
        .map(|name| {
            format!(
                r#"{{"name":"{name}","type":"person","description":"{name} {}"}}"#,
                plain(&words[..20.min(words.len())])
            )
        })
        .collect();
    let told: Vec<String> = words
        .chunks(60)
        .take(6)
        .map(|some| {
            format!(
                r#"{{"label":"{}","details":"{}"}}"#,
                plain(&some[..3.min(some.len())]),
                plain(&some[..22.min(some.len())])
            )
        })
        .collect();
    Say::Text(match task {
        "entities" => format!(r#"{{"entities":[{}]}}"#, named.join(",")),
        "triples" => r#"{"triples":[]}"#.to_owned(),
        "gleaning" => r#"{"entities":[],"triples":[]}"#.to_owned(),
        "events" => format!(r#"{{"events":[{}]}}"#, told.join(",")),
        "merges" => decided(passage, |_, _| "different"),
        _ => plain(&words[..50.min(words.len())]),
    })
}

fn stage<'a>(estimate: &'a Estimate, name: &str) -> &'a EstimatedStage {
    let found = estimate.stages.iter().find(|stage| stage.stage == name);
    found.unwrap_or_else(|| panic!("no stage {name} in {:?}", estimate.stages))
}

#[test]
fn an_estimate_is_what_is_then_asked() {
    let text = story();
    let estimate = estimated(&text, ALL);
    let (chat, embed) = (Rc::new(Scripted::new(dutiful)), Rc::new(Letters::new()));
    let models = Models { chat: Some(chat.clone()), embed: Some(embed), ..Models::default() };
    let host = Native::default();
    let config = IndexConfig::default();
    block_on(Engine::build_with(text.as_bytes(), &Default::default(), config, &models, &host)).unwrap();
    for task in ["entities", "events", "gleaning"] {
        let stage = stage(&estimate, task);
        assert_eq!(stage.requests as usize, chat.count(task), "{task}");
        assert_eq!(stage.requests_range, [stage.requests; 2], "{task} is known");
    }
    let [least, most] = stage(&estimate, "triples").requests_range;
    assert!((least as usize..=most as usize).contains(&chat.count("triples")), "{least} to {most}");
    assert_eq!(most, stage(&estimate, "entities").requests, "at most one for each chunk");
    let asked = chat.asked.borrow();
    let merging = |request: &&ChatRequest| task(request) == "merges";
    let real: u32 =
        asked.iter().filter(|request| !merging(request)).map(|request| account::size(request).prompt).sum();
    let [least, most] = stage(&estimate, "merges").requests_range;
    assert!((least as usize..=most as usize).contains(&chat.count("merges")), "{least} to {most}");
    let names = ["entities", "triples", "events", "gleaning", "descriptions", "summaries", "relations"];
    let guess: u32 =
        estimate.stages.iter().filter(|s| names.contains(&s.stage.as_str())).map(|s| s.prompt_tokens).sum();
    let off = f64::from(guess) / f64::from(real) - 1.0;
    assert!(off.abs() <= 0.15, "{guess} for {real}: {:.1} % off", 100.0 * off);
    let chunks = stage(&estimate, "chunk_vectors");
    let call = models.ledger.calls().into_iter().find(|call| call.stage == "chunk_vectors").unwrap();
    assert_eq!((chunks.requests, chunks.completion_tokens), (call.requests, 0));
}

#[test]
fn an_estimate_adds_up_and_says_what_it_does_not_know() {
    let text = story();
    let estimate = estimated(&text, ALL);
    let sum = |pick: fn(&EstimatedStage) -> u32| estimate.stages.iter().map(pick).sum::<u32>();
    assert_eq!(estimate.total.requests, sum(|stage| stage.requests));
    assert_eq!(estimate.total.prompt_tokens, sum(|stage| stage.prompt_tokens));
    assert_eq!(estimate.total.completion_range[1], sum(|stage| stage.completion_range[1]));
    for stage in &estimate.stages {
        let [least, most] = stage.completion_range;
        assert!((least..=most).contains(&stage.completion_tokens), "{stage:?}");
        let [least, most] = stage.requests_range;
        assert!((least..=most).contains(&stage.requests), "{stage:?}");
    }
    let codes: Vec<&str> = estimate.issues.iter().map(|issue| issue.code.as_str()).collect();
    assert_eq!(codes, ["estimate_modelled", "estimate_without_retries"]);
    let vectors = estimated(&text, By { chat: false, embed: true });
    assert!(
        vectors.issues.is_empty() && vectors.stages.iter().all(|s| s.prompt_range == [s.prompt_tokens; 2])
    );
    assert!(estimated(&text, By { chat: false, embed: false }).stages.is_empty());
}

#[test]
fn vectors_of_what_rules_read_are_known_before() {
    let text = story();
    let estimate = estimated(&text, By { chat: false, embed: true });
    let models = Models { embed: Some(Rc::new(Letters::new())), ..Models::default() };
    let (host, config) = (Native::default(), IndexConfig::default());
    block_on(Engine::build_with(text.as_bytes(), &Default::default(), config, &models, &host)).unwrap();
    let real: Vec<(&str, u32)> =
        models.ledger.calls().iter().map(|call| (call.stage, call.requests)).collect();
    let guess: Vec<(&str, u32)> =
        estimate.stages.iter().map(|stage| (stage.stage.as_str(), stage.requests)).collect();
    assert_eq!(guess, real);
}

/// A model that waits for a server before each reply, as far as its caller is told.
struct Waits;

impl ChatModel for Waits {
    fn name(&self) -> &str {
        "waits"
    }

    fn chat<'a>(
        &'a self,
        _: &'a ChatRequest,
        caller: &'a dyn Caller,
    ) -> Later<'a, plotbridge::Result<ChatReply>> {
        Box::pin(async move {
            for ms in [2_900.0, 2_800.0, 1_900.0, 0.0] {
                caller.waits(ms);
                let mut turn = false;
                std::future::poll_fn(|context| {
                    context.waker().wake_by_ref();
                    if std::mem::replace(&mut turn, true) {
                        std::task::Poll::Ready(())
                    } else {
                        std::task::Poll::Pending
                    }
                })
                .await;
            }
            let (text, finish) = ("{}".to_owned(), Finish::Stop);
            Ok(ChatReply { text, finish, tokens: Default::default(), kept: Default::default() })
        })
    }
}

/// A host that remembers every progress.
#[derive(Default)]
struct Hears(RefCell<Vec<Progress>>);

impl Host for Hears {
    fn now_ms(&self) -> f64 {
        0.0
    }
    fn cancelled(&self) -> bool {
        false
    }
    fn progress(&self, progress: Progress) {
        self.0.borrow_mut().push(progress);
    }
    fn pause(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(std::future::ready(()))
    }
}

#[test]
fn a_wait_is_told_with_the_stage_that_waits() {
    let host = Hears::default();
    let models = Models { chat: Some(Rc::new(Waits)), at_once: 1, ..Models::default() };
    let text = "CHAPTER I\n\nAda came home. Ben saw Ada.\n";
    let config = IndexConfig::default();
    block_on(Engine::build_with(text.as_bytes(), &Default::default(), config, &models, &host)).unwrap();
    let heard = host.0.borrow();
    let waits: Vec<(&str, f64)> =
        heard.iter().filter_map(|progress| Some((progress.stage, progress.waiting?))).take(3).collect();
    assert_eq!(waits, [("passages", 3.0), ("passages", 2.0), ("passages", 0.0)]);
}

#[test]
fn the_end_of_a_build_says_what_was_read_and_what_was_not() {
    let text = story();
    let withheld = |task: &str, request: &ChatRequest| match task {
        "events" if quoted(request).contains("Quennell") => Say::Ended(String::new(), Finish::Filter),
        "triples" => Say::Text(
            r#"{"triples":[{"subject":"John Doe","predicate":"is","object":"Nobody Here"}]}"#.to_owned(),
        ),
        _ => dutiful(task, request),
    };
    let models = Models { chat: Some(Rc::new(Scripted::new(withheld))), ..Models::default() };
    let (host, config) = (Native::default(), IndexConfig::default());
    let (book, _) =
        block_on(Engine::build_with(text.as_bytes(), &Default::default(), config, &models, &host)).unwrap();
    let coverage = book.coverage().unwrap();
    assert_eq!(coverage.chunks, book.info().counts.chunks);
    assert!(!coverage.unread.is_empty() && coverage.read < coverage.chunks, "{coverage:?}");
    assert_eq!(coverage.read as usize + coverage.unread.len(), coverage.chunks as usize);
    assert!(coverage.unread.iter().all(|part| part.stage == "events" && part.code == "reply_withheld"));
    let left_out = coverage.ungrounded.triples;
    assert!(left_out > 0 && left_out <= coverage.chunks, "at most one a chunk: {left_out}");
    let opened = block_on(Engine::open(book.save().unwrap(), &host)).unwrap();
    assert!(opened.coverage().is_none());
    let (ours, theirs) = (book.info(), opened.info());
    assert_eq!(ours.empty, theirs.empty);
    let hub = ours.top_hub.map(|hub| (hub.name, hub.share));
    assert_eq!(hub, theirs.top_hub.map(|hub| (hub.name, hub.share)), "it follows from the index");
    let rules = block_on(Engine::build(text.as_bytes(), &Default::default(), config, &host)).unwrap();
    let all = rules.coverage().unwrap();
    assert!(all.read == all.chunks && all.unread.is_empty());
    assert!(rules.info().top_hub.is_some_and(|hub| hub.share > 0.0 && hub.share < 1.0));
}

#[test]
fn a_model_that_finds_nothing_is_told_aloud() {
    let nothing = |task: &str, _: &ChatRequest| Say::Text(format!(r#"{{"{task}":[]}}"#));
    let models = Models { chat: Some(Rc::new(Scripted::new(nothing))), ..Models::default() };
    let (host, config) = (Native::default(), IndexConfig::default());
    let text = "CHAPTER I\n\nIt rained all day. The rain was cold. It went on raining.\n";
    let (book, _) =
        block_on(Engine::build_with(text.as_bytes(), &Default::default(), config, &models, &host)).unwrap();
    let issues = book.info().issues;
    let issue = issues.iter().find(|issue| issue.code == "empty_stage").unwrap();
    assert!(
        issue.message.contains("no entities") && issue.message.contains("no pons edges"),
        "{}",
        issue.message
    );
}

#[test]
fn a_book_that_is_all_tied_to_one_name_is_told_aloud() {
    const NAMES: [&str; 24] = [
        "Ada", "Ben", "Cora", "Dora", "Edgar", "Fanny", "Gus", "Hetty", "Ivo", "Jane", "Kit", "Lena", "Max",
        "Nell", "Otto", "Polly", "Quin", "Rosa", "Sam", "Tess", "Ursula", "Vera", "Walt", "Zoe",
    ];
    /// What is said of a book where each of so many names thanks the name at the place that `whom` says.
    fn issue(count: usize, whom: fn(usize) -> usize) -> Option<String> {
        let names = &NAMES[..count];
        let thanks = |(at, name): (usize, &&str)| (name.to_string(), names[whom(at) % count].to_owned());
        let pairs: Vec<(String, String)> =
            names.iter().enumerate().map(thanks).filter(|(one, other)| one != other).collect();
        let chapter = |(at, (one, other)): (usize, &(String, String))| {
            format!("CHAPTER {}\n\n{one} thanked {other}.\n\n", at + 1)
        };
        let text: String = pairs.iter().enumerate().map(chapter).collect();
        let reader = |task: &str, request: &ChatRequest| {
            let words: Vec<&str> = quoted(request).trim().trim_end_matches('.').split_whitespace().collect();
            let [.., one, "thanked", other] = words[..] else { return dutiful(task, request) };
            Say::Text(match task {
                "entities" => format!(
                    r#"{{"entities":[{{"name":"{one}","type":"person"}},{{"name":"{other}","type":"person"}}]}}"#
                ),
                "triples" => format!(
                    r#"{{"triples":[{{"subject":"{one}","predicate":"thanked","object":"{other}"}}]}}"#
                ),
                _ => return dutiful(task, request),
            })
        };
        let models = Models { chat: Some(Rc::new(Scripted::new(reader))), ..Models::default() };
        let (host, config) = (Native::default(), IndexConfig::default());
        let (book, _) =
            block_on(Engine::build_with(text.as_bytes(), &Default::default(), config, &models, &host))
                .unwrap();
        assert_eq!(book.info().counts.relations as usize, pairs.len(), "{:?}", book.info().counts);
        book.info().issues.into_iter().find(|issue| issue.code == "one_hub").map(|issue| issue.message)
    }
    let message = issue(24, |_| 0).unwrap();
    assert_eq!(message, "100 of 100 relations touch \"Ada\": the model may have tied all to it.");
    assert_eq!(issue(24, |at| at + 1), None, "everybody thanks the next one");
    assert_eq!(issue(20, |_| 0), None, "nineteen relations are too few to tell");
}

#[test]
fn a_build_and_its_questions_share_a_budget() {
    let text = story();
    let chat = Rc::new(Scripted::new(dutiful));
    let models = Models { chat: Some(chat.clone()), ledger: Ledger::with_budget(30), ..Models::default() };
    let (host, config) = (Native::default(), IndexConfig::default());
    let error = block_on(Engine::build_with(text.as_bytes(), &Default::default(), config, &models, &host));
    let error = error.map(|_| ()).unwrap_err();
    assert_eq!(error.code(), Code::Budget);
    let embed: Rc<dyn Embedder> = Rc::new(Letters::new());
    let models = Models { embed: Some(embed), ledger: Ledger::with_budget(5), ..Models::default() };
    let error = block_on(Engine::build_with(text.as_bytes(), &Default::default(), config, &models, &host));
    assert_eq!(error.map(|_| ()).unwrap_err().code(), Code::Budget);
}
