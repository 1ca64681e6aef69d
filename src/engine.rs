//! One handle that owns a book: build it from a text or open its file, ask it, save it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use crate::baseline::{self, Baseline};
use crate::book::Book;
use crate::build;
use crate::config::{IndexConfig, QueryConfig, unknown};
use crate::describe::{self, Places};
use crate::error::{Code, Error, Result};
use crate::index::Index;
use crate::knowledge::{Issue, Span};
use crate::pace::{Host, Pace};
use crate::pons;
use crate::position::{self, Position};
use crate::question::Question;
use crate::report::{Answer, Chunks, Info, Inspect, Trace};
use crate::retrieval::Retrieval;
use crate::snapshot;
use crate::stage::answer::{self, NOT_FOUND};
use crate::text::{self, ReadOptions, Utf16Map};

/// Tokens of a context where the caller says nothing (PonsRAG B: 6000).
pub const CONTEXT_TOKENS: u32 = 6000;

/// Which method retrieves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// PonsRAG.
    Pons,
    /// Chunks by vectors.
    Dense,
    /// Chunks by words.
    Bm25,
}

impl Method {
    /// Every method of this version.
    pub const ALL: [Self; 3] = [Self::Pons, Self::Dense, Self::Bm25];

    /// The method of this name.
    ///
    /// # Errors
    /// `usage` for a name that is none, or a method of a later version.
    pub fn named(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join(", ");
            Error::new(Code::Usage, format!("method {name:?} is not in this version, which has {names}"))
        })
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pons => "pons",
            Self::Dense => "dense",
            Self::Bm25 => "bm25",
        }
    }
}

/// How a question is asked.
#[derive(Clone, Debug)]
pub struct AskOptions {
    /// Which method retrieves; PonsRAG.
    pub method: Method,
    /// The most tokens of the context, 100 to 1,000,000; 6000.
    pub context_tokens: u32,
    /// The tunables.
    pub config: QueryConfig,
    /// Options of a multiple-choice question; empty for an open one.
    pub choices: Vec<String>,
    /// How far the reader is: nothing from later reaches the result. `None`: the whole book.
    pub up_to: Option<Position>,
    /// Retrieval steps; more than one needs a chat model, without which one is run and told so.
    pub steps: u32,
}

impl Default for AskOptions {
    fn default() -> Self {
        Self {
            method: Method::Pons,
            context_tokens: CONTEXT_TOKENS,
            config: QueryConfig::default(),
            choices: Vec::new(),
            up_to: None,
            steps: 1,
        }
    }
}

impl AskOptions {
    fn checked(&self) -> Result<()> {
        self.config.check()?;
        let tokens = self.context_tokens;
        if !(100..=1_000_000).contains(&tokens) {
            let message = format!("context tokens are {tokens}, but must be 100 to 1000000");
            return Err(Error::new(Code::Usage, message));
        }
        if !(1..=10).contains(&self.steps) {
            return Err(Error::new(Code::Usage, format!("steps are {}, but must be 1 to 10", self.steps)));
        }
        if self.choices.len() == 1 || self.choices.len() > 26 {
            let message = format!("there are {} choices, but there must be 2 to 26", self.choices.len());
            return Err(Error::new(Code::Usage, message));
        }
        let wordless = |choice: &&String| !choice.chars().any(char::is_alphanumeric);
        if let Some(choice) = self.choices.iter().find(wordless) {
            return Err(Error::new(Code::Usage, format!("the choice {choice:?} has no letter or digit")));
        }
        Ok(())
    }
}

/// A book that answers.
///
/// ```
/// use plotbridge::{AskOptions, Engine, pace::Native};
/// let host = Native::default();
/// let story = "CHAPTER I\n\nMr Tapp rowed Mrs Quennell over the river. She gave him a brass key.\n";
/// let book = pollster::block_on(Engine::build(story.as_bytes(), &Default::default(), Default::default(), &host))?;
/// let answer = pollster::block_on(book.ask("Who gave him a brass key?", &AskOptions::default(), &host))?;
/// assert_eq!(answer.citations[0].quote, "She gave him a brass key.");
/// # Ok::<(), plotbridge::Error>(())
/// ```
pub struct Engine {
    book: Rc<Book>,
    map: Utf16Map,
    /// The book as far as the last reading position asked for, by its cut.
    read: RefCell<Option<(u32, Rc<Book>)>>,
}

impl Engine {
    /// Reads a book's bytes and indexes it without any model.
    ///
    /// # Errors
    /// `usage` for a tunable out of its range;
    /// `unreadable`, `unsupported_format`, `encoding` or `too_large` for bytes that are no plain text
    /// this version reads; `aborted` when the host cancels.
    pub async fn build(
        bytes: &[u8],
        read: &ReadOptions,
        config: IndexConfig,
        host: &dyn Host,
    ) -> Result<Self> {
        config.check()?;
        let pace = Pace::new(host);
        let document = text::read_paced(bytes, read, &pace).await?;
        pace.step("read", 4, 4).await?;
        let book = build::build(document, config, &pace).await?;
        let map = Utf16Map::new(&book.index.document.text);
        Ok(Self::of(book, map))
    }

    /// Opens an index file: borrowed, or as a `Vec<u8>` that is let go of as it is read.
    ///
    /// # Errors
    /// `index_version` for a file of another version, `index_damaged` or `vector_invalid` for one that
    /// is not whole, `too_large` for one that no book needs; the message says where. `aborted` when the host cancels.
    pub async fn open<'a>(file: impl Into<Cow<'a, [u8]>>, host: &dyn Host) -> Result<Self> {
        let pace = Pace::new(host);
        let (index, map) = snapshot::read(file, &pace).await?;
        let book = Book::new(index, &pace).await?;
        snapshot::check_facts(&book)?;
        Ok(Self::of(book, map))
    }

    fn of(book: Book, map: Utf16Map) -> Self {
        Self { book: Rc::new(book), map, read: RefCell::new(None) }
    }

    /// The book as far as a position: the whole, the last one asked for, or one read anew.
    async fn read_to(&self, position: Option<Position>, pace: &Pace<'_>) -> Result<Rc<Book>> {
        let Some(position) = position else { return Ok(Rc::clone(&self.book)) };
        let cut = position::cut(&self.book, &self.map, position)?;
        if cut >= position::story(&self.book).1 {
            return Ok(Rc::clone(&self.book));
        }
        if let Some((_, read)) = self.read.borrow().as_ref().filter(|(at, _)| *at == cut) {
            return Ok(Rc::clone(read));
        }
        let index = &self.book.index;
        let (document, chunks) = position::until(index, cut);
        let read = Rc::new(build::from_chunks(document, chunks, index.config, pace).await?);
        self.read.replace(Some((cut, Rc::clone(&read))));
        Ok(read)
    }

    /// An engine over an index that the caller has made or changed, checked as a file would be.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub async fn from_index(index: &Index, host: &dyn Host) -> Result<Self> {
        let file = snapshot::write(index, &Utf16Map::new(&index.document.text))?;
        Self::open(file, host).await
    }

    /// The index file: the same bytes for the same book and configuration, natively and in wasm.
    ///
    /// # Errors
    /// `crashed` if the index cannot be written as JSON, which would be a fault of ours.
    pub fn save(&self) -> Result<Vec<u8>> {
        snapshot::write(&self.book.index, &self.map)
    }

    /// The book behind the handle, for those who run single stages.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// What the handle knows at once.
    pub fn info(&self) -> Info {
        describe::info(&self.book, &self.places())
    }

    /// Everything the index holds, as a document.
    ///
    /// # Errors
    /// `aborted` when the host cancels.
    pub async fn inspect(&self, host: &dyn Host) -> Result<Inspect> {
        let pace = Pace::new(host);
        let bytes = self.save()?.len();
        pace.step("inspect", 1, 2).await?;
        let document = describe::inspect(&self.book, &self.places(), bytes);
        pace.step("inspect", 2, 2).await?;
        Ok(document)
    }

    /// The text between two UTF-16 offsets; to the end where `end` is `None`.
    ///
    /// # Errors
    /// `usage` when the offsets are out of range, out of order, or inside a character.
    pub fn text(&self, start: u32, end: Option<u32>) -> Result<&str> {
        let text = &self.book.index.document.text;
        let length = self.map.to_utf16(text.len() as u32);
        let end = end.unwrap_or(length);
        let bytes = self.map.to_byte(start).zip(self.map.to_byte(end)).filter(|(start, end)| start <= end);
        bytes.and_then(|(start, end)| text.get(start as usize..end as usize)).ok_or_else(|| {
            Error::new(
                Code::Usage,
                format!("there is no text from {start} to {end} in a text of {length} units"),
            )
        })
    }

    /// Runs a method's retrieval and returns every stage.
    ///
    /// # Errors
    /// `question_invalid`, `usage`, or `aborted` when the host cancels.
    pub async fn retrieve(&self, question: &str, options: &AskOptions, host: &dyn Host) -> Result<Trace> {
        options.checked()?;
        let pace = Pace::new(host);
        let book = self.read_to(options.up_to, &pace).await?;
        let question = Question::new(&book, question, &pace).await?;
        let found = found(&book, &question, options, &pace).await?;
        Ok(describe::trace(&book, &self.places(), &question, options.method, &found))
    }

    /// Answers a question: the best sentence with its place, the option best supported, and the trace.
    ///
    /// # Errors
    /// As [`Engine::retrieve`].
    pub async fn ask(&self, question: &str, options: &AskOptions, host: &dyn Host) -> Result<Answer> {
        options.checked()?;
        let pace = Pace::new(host);
        let book = self.read_to(options.up_to, &pace).await?;
        let question = Question::new(&book, question, &pace).await?;
        let found = found(&book, &question, options, &pace).await?;
        let trace = describe::trace(&book, &self.places(), &question, options.method, &found);

        let candidate = answer::best_sentence(&book, &question, &found.scores, &options.config);
        let mut issues = Vec::new();
        if options.steps > 1 {
            issues.push(Issue::new("needs_chat_model", "more than one step needs a chat model; one was run"));
        }
        let choice = match options.choices.as_slice() {
            [] => None,
            choices => {
                let choice = choice(&book, &question, choices, &found, &pace).await?;
                if choice.is_none() {
                    issues.push(Issue::new("no_choice", "no option is better supported than the others"));
                }
                choice
            }
        };
        let (text, citations) = match candidate {
            Some(candidate) => {
                let quote = book.text(candidate.span);
                let citation = describe::citation(&book, &self.places(), candidate.span);
                (quote.split_whitespace().collect::<Vec<_>>().join(" "), vec![citation])
            }
            None => (NOT_FOUND.to_owned(), Vec::new()),
        };
        let confidence = choice
            .as_ref()
            .map(|(_, confidence)| *confidence)
            .or(candidate.map(|candidate| candidate.confidence));
        let issues = trace.issues.iter().cloned().chain(issues.iter().map(describe::issue)).collect();
        Ok(Answer {
            text,
            choice: choice.map(|(choice, _)| choice),
            confidence,
            citations,
            usage: Default::default(),
            issues,
            trace,
        })
    }

    fn places(&self) -> Places<'_> {
        let (start, end) = position::story(&self.book);
        Places { map: &self.map, story: Span { start, end } }
    }
}

async fn choice(
    book: &Book,
    question: &Question,
    choices: &[String],
    found: &Retrieval,
    pace: &Pace<'_>,
) -> Result<Option<(String, f64)>> {
    let mut options = Vec::with_capacity(choices.len());
    for choice in choices {
        options.push(Question::new(book, choice, pace).await?);
    }
    let best = answer::best_choice(book, question, &options, &found.scores);
    Ok(best.and_then(|best| choices.get(best.option).map(|choice| (choice.clone(), best.confidence))))
}

async fn found(book: &Book, question: &Question, options: &AskOptions, pace: &Pace<'_>) -> Result<Retrieval> {
    let tokens = options.context_tokens;
    match options.method {
        Method::Pons => pons::retrieve(book, question, &options.config, tokens, pace).await,
        Method::Dense => baseline::retrieve(book, question, Baseline::Dense, tokens, pace).await,
        Method::Bm25 => baseline::retrieve(book, question, Baseline::Bm25, tokens, pace).await,
    }
}

/// How a file would be read and cut, without indexing it.
///
/// # Errors
/// As [`Engine::build`].
pub async fn chunks(
    bytes: &[u8],
    read: &ReadOptions,
    config: &IndexConfig,
    host: &dyn Host,
) -> Result<Chunks> {
    config.check()?;
    let pace = Pace::new(host);
    let document = text::read_paced(bytes, read, &pace).await?;
    let chunks = text::chunk_paced(&document, config.chunk_tokens, config.chunk_overlap, &pace).await?;
    Ok(describe::chunks(&document, &chunks))
}

/// Sets tunables by name from text, as `--set key=value` and `config: {key: value}` do.
///
/// # Errors
/// `unknown_option` for a name that neither moment has (with the nearest), `usage` for a bad value or a
/// tunable of the other moment.
pub fn set_query(config: &mut QueryConfig, key: &str, value: &str) -> Result<()> {
    match config.set(key, value) {
        Err(error) if error.code() == Code::UnknownOption => {
            Err(misplaced(key, IndexConfig::KEYS, "when a book is indexed"))
        }
        done => done,
    }
}

/// As [`set_query`], for the tunables of indexing.
///
/// # Errors
/// As [`set_query`].
pub fn set_index(config: &mut IndexConfig, key: &str, value: &str) -> Result<()> {
    match config.set(key, value) {
        Err(error) if error.code() == Code::UnknownOption => {
            Err(misplaced(key, QueryConfig::KEYS, "with each question"))
        }
        done => done,
    }
}

fn misplaced(key: &str, other: &[crate::config::Key], when: &str) -> Error {
    if other.iter().any(|known| known.name == key) {
        return Error::new(Code::Usage, format!("{key} is set {when}, not here"));
    }
    let all = IndexConfig::KEYS.iter().chain(QueryConfig::KEYS);
    unknown(key, all.map(|key| key.name))
}
