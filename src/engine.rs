//! One handle that owns a book: build it from a text or open its file, ask it, save it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use crate::asking::Asking;
use crate::book::Book;
use crate::build;
use crate::config::IndexConfig;
use crate::describe::{self, Places};
use crate::error::{Code, Error, Result};
use crate::index::Index;
use crate::knowledge::Span;
use crate::llm::{Models, Usage};
use crate::options::AskOptions;
use crate::pace::{Host, Pace};
use crate::position::{self, Position};
use crate::report::{Answer, Chunks, Coverage, Info, Inspect, Trace};
use crate::snapshot;
use crate::text::{self, ReadOptions, Utf16Map};

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
    coverage: Option<Coverage>,
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
        Ok(Self::build_with(bytes, read, config, &Models::default(), host).await?.0)
    }

    /// Reads a book's bytes and indexes it with a chat model, an endpoint's embedder, or both; the built-in
    /// space is always made beside. Tells what the models cost. The bytes of an index are read once more: a
    /// chat model is asked only for what none has answered yet, such as what a filter withheld from another.
    ///
    /// # Errors
    /// As [`Engine::build`], and the endpoint's own where it is gone, refuses or wants another key; a part
    /// that it did not answer for is an issue.
    pub async fn build_with(
        bytes: &[u8],
        read: &ReadOptions,
        config: IndexConfig,
        models: &Models,
        host: &dyn Host,
    ) -> Result<(Self, Usage)> {
        config.check()?;
        let (pace, ledger) = (Pace::new(host), models.ledger.part());
        let building = async {
            let anew = models.chat.is_some() || models.embed.is_some() || !read.merges.is_empty();
            if snapshot::is_index(bytes) && anew {
                let (index, map) = snapshot::read(bytes, &pace).await?;
                let (book, reading) = build::again(index, &read.merges, models, &ledger, &pace).await?;
                return Ok((book, map, reading));
            }
            let document = text::read_paced(bytes, read, &pace).await?;
            pace.step("read", 4, 4).await?;
            let (book, reading) =
                build::with_models(document, (config, &read.merges), models, &ledger, &pace).await?;
            let map = Utf16Map::new(&book.index.document.text);
            Ok((book, map, reading))
        };
        let (book, map, reading) = pace.heeding(&ledger, building).await?;
        let coverage = Some(describe::coverage(&book, &reading));
        Ok((Self { coverage, ..Self::of(book, map) }, ledger.usage()))
    }

    /// How much of the book the models read that built it here; none for one that was opened.
    pub fn coverage(&self) -> Option<&Coverage> {
        self.coverage.as_ref()
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
        snapshot::check_graph(&book)?;
        Ok(Self::of(book, map))
    }

    fn of(book: Book, map: Utf16Map) -> Self {
        Self { book: Rc::new(book), map, read: RefCell::new(None), coverage: None }
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
        let read = Rc::new(build::until(&self.book, document, chunks, pace).await?);
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

    /// The same text, cut as it is here and read by rule with other tunables of indexing.
    ///
    /// # Errors
    /// `usage` for a tunable out of its range; `aborted` when the host cancels.
    pub async fn anew(&self, config: IndexConfig, host: &dyn Host) -> Result<Self> {
        config.check()?;
        let (index, pace) = (&self.book.index, Pace::new(host));
        let (document, chunks) = (index.document.clone(), index.chunks.clone());
        let book =
            build::by_rule(build::blank(document, chunks, config, index.wishes.clone()), &pace).await?;
        let map = Utf16Map::new(&book.index.document.text);
        Ok(Self::of(book, map))
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
        let (pace, ledger) = (Pace::new(host), options.models.ledger.part());
        let book = self.read_to(options.up_to, &pace).await?;
        let places = self.places();
        let asking = Asking { book: &book, places, options, host, pace: &pace, ledger: &ledger };
        pace.heeding(&ledger, asking.retrieve(question)).await
    }

    /// Answers a question: the best sentence with its place, or a chat model's words with checked quotations;
    /// the option best supported; and the trace. The host hears of each part as soon as it is known.
    ///
    /// # Errors
    /// As [`Engine::retrieve`], and the chat model's own: its failure fails the call, while an embedder's is
    /// the issue `embedding_fallback`.
    pub async fn ask(&self, question: &str, options: &AskOptions, host: &dyn Host) -> Result<Answer> {
        options.checked()?;
        let (pace, ledger) = (Pace::new(host), options.models.ledger.part());
        let book = self.read_to(options.up_to, &pace).await?;
        let places = self.places();
        let asking = Asking { book: &book, places, options, host, pace: &pace, ledger: &ledger };
        pace.heeding(&ledger, asking.answer(question)).await
    }

    fn places(&self) -> Places<'_> {
        let (start, end) = position::story(&self.book);
        Places { map: &self.map, story: Span { start, end } }
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
