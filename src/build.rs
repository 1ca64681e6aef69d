//! From a document to a book: cut, extract, embed, calibrate; by rule, or with models.

use crate::book::Book;
use crate::config::IndexConfig;
use crate::error::Result;
use crate::extract;
use crate::index::Index;
use crate::knowledge::Chunk;
use crate::llm::{Models, Usage};
use crate::offline;
use crate::pace::Pace;
use crate::part;
use crate::scales::Scales;
use crate::spaces;
use crate::text::{self, Document};

/// Longest title of a chapter that an index keeps, in bytes: it stands before each line of a context.
const LONGEST_TITLE: usize = 500;

/// Bounds what stands before each line of a context.
fn bounded(mut document: Document) -> Document {
    for title in document.chapters.iter_mut().map(|chapter| &mut chapter.title) {
        let end =
            title.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|&end| end <= LONGEST_TITLE);
        title.truncate(end.last().unwrap_or(0));
    }
    document
}

/// Indexes a document that is cut already.
///
/// # Errors
/// `aborted` when the caller cancels.
pub(crate) async fn from_chunks(
    document: Document,
    chunks: Vec<Chunk>,
    config: IndexConfig,
    pace: &Pace<'_>,
) -> Result<Book> {
    let (knowledge, issues) = offline::extract(&document, &chunks, &config, pace).await?;
    let mut index = Index { document, config, extractor: None, chunks, knowledge, spaces: Vec::new() };
    index.document.issues.extend(issues);
    from_index(index, pace).await
}

/// Indexes a document with a chat model, an endpoint's embedder, or both; tells what they cost.
///
/// # Errors
/// The endpoint's own; `aborted` when the caller cancels.
pub(crate) async fn with_models(
    document: Document,
    config: IndexConfig,
    models: &Models,
    pace: &Pace<'_>,
) -> Result<(Book, Usage)> {
    let document = bounded(document);
    let chunks = text::chunk_paced(&document, config.chunk_tokens, config.chunk_overlap, pace).await?;
    let mut usage = Usage::default();
    let mut book = match &models.chat {
        None => from_chunks(document, chunks, config, pace).await?,
        Some(chat) => {
            let at_once = models.at_once;
            let read = extract::extract(&document, &chunks, &config, chat.as_ref(), at_once, pace).await?;
            usage.join(read.usage);
            let (knowledge, extractor) = (read.knowledge, Some(chat.name().to_owned()));
            let mut index = Index { document, config, extractor, chunks, knowledge, spaces: Vec::new() };
            index.document.issues.extend(read.issues);
            from_index(index, pace).await?
        }
    };
    if let Some(embedder) = &models.embed {
        let (space, spent) = spaces::of_endpoint(&book, embedder.as_ref(), usage, pace).await?;
        usage = spent;
        book.index.spaces.push(space);
    }
    Ok((book, usage))
}

/// A book read anew as far as a cut: by rule, or with what a chat model wrote of the chunks before it; an
/// endpoint's vectors are the whole book's.
///
/// # Errors
/// `aborted` when the caller cancels.
pub(crate) async fn until(
    whole: &Book,
    document: Document,
    chunks: Vec<Chunk>,
    pace: &Pace<'_>,
) -> Result<Book> {
    let (index, config) = (&whole.index, whole.index.config);
    let mut book = match &index.extractor {
        None => from_chunks(document, chunks, config, pace).await?,
        extractor => {
            let knowledge = extract::until(index, &document, &chunks, pace).await?;
            let extractor = extractor.clone();
            let part = Index { document, config, extractor, chunks, knowledge, spaces: Vec::new() };
            from_index(part, pace).await?
        }
    };
    for space in index.spaces.iter().skip(1) {
        let space = part::space(whole, space, &book);
        book.index.spaces.push(space);
        pace.step("embed", 1, 1).await?;
    }
    Ok(book)
}

/// Embeds an index that holds its knowledge already.
///
/// # Errors
/// `aborted` when the caller cancels.
pub(crate) async fn from_index(index: Index, pace: &Pace<'_>) -> Result<Book> {
    let (lexicon, scales) = Scales::new(&index, pace).await?;
    let mut book = Book::with_words(index, lexicon, scales, pace).await?;
    let space = spaces::built_in(&book, pace).await?;
    book.index.spaces.push(space);
    book.refresh(pace).await?;
    Ok(book)
}
