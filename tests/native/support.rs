//! What several tests need: the bundled story and its questions, small books, hosts, recall.

use std::cell::Cell;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use plotbridge::knowledge::Span;
use plotbridge::pace::{Host, Native, Progress};
use plotbridge::report::{Answer, Issue, Trace};
use plotbridge::text::{ReadOptions, Utf16Map};
use plotbridge::{AskOptions, Engine, IndexConfig, Method, QueryConfig, Result};
use pollster::block_on;

/// The project's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the project as text.
pub(crate) fn read_file(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A folder of the shared test data; says so when it is absent.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let shared =
        std::env::var_os("PLOTBRIDGE_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let path = shared.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} is absent", path.display());
    None
}

/// A book from its text.
pub(crate) fn try_book(text: &str, config: IndexConfig) -> Result<Engine> {
    block_on(Engine::build(text.as_bytes(), &ReadOptions::default(), config, &Native::default()))
}

/// A book from its text, as configured by default.
pub(crate) fn book(text: &str) -> Engine {
    try_book(text, IndexConfig::default()).unwrap()
}

/// The bundled story.
pub(crate) fn story() -> Engine {
    book(&read_file("books/white-line.txt"))
}

/// The bundled story as an index file.
pub(crate) fn story_file() -> Vec<u8> {
    story().save().unwrap()
}

/// Opens an index file.
pub(crate) fn open(file: &[u8]) -> Result<Engine> {
    block_on(Engine::open(file, &Native::default()))
}

/// Runs a retrieval that must succeed.
pub(crate) fn retrieve(book: &Engine, question: &str, options: &AskOptions) -> Trace {
    block_on(book.retrieve(question, options, &Native::default()))
        .unwrap_or_else(|error| panic!("{question:?}: {error}"))
}

/// Asks a question that must succeed.
pub(crate) fn ask(book: &Engine, question: &str, options: &AskOptions) -> Answer {
    block_on(book.ask(question, options, &Native::default()))
        .unwrap_or_else(|error| panic!("{question:?}: {error}"))
}

/// Options with this method.
pub(crate) fn by(method: Method) -> AskOptions {
    AskOptions { method, ..AskOptions::default() }
}

/// PonsRAG with these tunables set.
pub(crate) fn pons_with(settings: &[(&str, &str)]) -> AskOptions {
    let mut config = QueryConfig::default();
    for (key, value) in settings {
        config.set(key, value).unwrap();
    }
    AskOptions { config, ..AskOptions::default() }
}

/// The events of a book, as `inspect` lists them.
pub(crate) fn inspected(book: &Engine) -> Vec<plotbridge::report::Event> {
    block_on(book.inspect(&Native::default())).unwrap().events
}

/// The codes of some issues.
pub(crate) fn codes(issues: &[Issue]) -> Vec<&str> {
    issues.iter().map(|issue| issue.code.as_str()).collect()
}

/// A question of the bundled file.
pub(crate) struct Gold {
    pub(crate) id: String,
    pub(crate) question: String,
    /// What answers it, in UTF-16 units; nothing where the book does not answer.
    pub(crate) evidence: Vec<Span>,
}

/// The bundled questions, their spans turned from code points into UTF-16 units.
pub(crate) fn questions() -> Vec<Gold> {
    let text = read_file("books/white-line.txt");
    let map = Utf16Map::new(&text);
    let unit = |value: &serde_json::Value| {
        let point = u32::try_from(value.as_u64().unwrap()).unwrap();
        map.to_utf16(map.code_points_to_byte(point).unwrap())
    };
    let gold = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let spans = line["evidence"].as_array().map(Vec::as_slice).unwrap_or_default();
        Gold {
            id: line["id"].as_str().unwrap().to_owned(),
            question: line["question"].as_str().unwrap().to_owned(),
            evidence: spans
                .iter()
                .map(|span| Span { start: unit(&span["start"]), end: unit(&span["end"]) })
                .collect(),
        }
    };
    let lines = read_file("books/white-line.questions.jsonl");
    lines.lines().filter(|line| !line.trim().is_empty()).map(gold).collect()
}

/// The share of a question's gold spans that one of the first `k` passages overlaps.
pub(crate) fn recall_of(book: &Engine, gold: &Gold, options: &AskOptions, k: usize) -> f64 {
    share_found(gold, &retrieve(book, &gold.question, options), k)
}

/// The same of a retrieval that has run.
pub(crate) fn share_found(gold: &Gold, trace: &Trace, k: usize) -> f64 {
    let found = |span: &&Span| {
        trace.evidence.iter().take(k).any(|passage| passage.start < span.end && span.start < passage.end)
    };
    gold.evidence.iter().filter(found).count() as f64 / gold.evidence.len() as f64
}

/// Its mean over the bundled questions that the story answers.
pub(crate) fn recall_at(book: &Engine, options: &AskOptions, k: usize) -> f64 {
    let gold: Vec<Gold> = questions().into_iter().filter(|gold| !gold.evidence.is_empty()).collect();
    gold.iter().map(|gold| recall_of(book, gold, options, k)).sum::<f64>() / gold.len() as f64
}

/// A host whose clock runs a slice at every look, so that every step pauses, and which cancels at a
/// given pause.
pub(crate) struct Ticking {
    now: Cell<f64>,
    pauses: Cell<usize>,
    cancel_at: usize,
}

impl Ticking {
    pub(crate) fn new(cancel_at: usize) -> Self {
        Self { now: Cell::new(0.0), pauses: Cell::new(0), cancel_at }
    }

    pub(crate) fn pauses(&self) -> usize {
        self.pauses.get()
    }
}

impl Host for Ticking {
    fn now_ms(&self) -> f64 {
        self.now.set(self.now.get() + plotbridge::pace::SLICE_MS);
        self.now.get()
    }
    fn cancelled(&self) -> bool {
        self.pauses.get() >= self.cancel_at
    }
    fn progress(&self, progress: Progress) {
        assert!(progress.done <= progress.total, "{progress:?}");
    }
    fn pause(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        self.pauses.set(self.pauses.get() + 1);
        Box::pin(std::future::ready(()))
    }
}

/// Numbers that look random and are the same everywhere: SplitMix64.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Even over -1 to 1.
    pub(crate) fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}
