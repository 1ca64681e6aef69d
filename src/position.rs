//! A reading position: how far the reader is, and the book as if it ended there.
//!
//! Nothing that rests on text after the position may reach a prompt, an answer or the screen. For
//! knowledge extracted by rule that is kept by construction: the document is cut at the last sentence
//! end at or before the position and what is left is read anew, so names, aliases, merges, labels,
//! descriptions and summaries are those of a reader who has come so far. The chunks before the cut are
//! the whole book's own, and offsets and ids stay the same.

use crate::book::Book;
use crate::error::{Code, Error, Result};
use crate::index::Index;
use crate::knowledge::{Chapter, Chunk, Skip, Span};
use crate::text::{Document, Utf16Map, sentences, tokens};

/// How far the reader is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Position {
    /// Share of the way from the first chunk's start to the last chunk's end, 0 to 1.
    Share(f64),
    /// The end of a chapter, from 1.
    Chapter(u32),
    /// A UTF-16 unit of the document text.
    Offset(u32),
}

/// The byte at which a book is cut for a position: the end of the last sentence at or before it; the
/// story's start where no sentence ends before it.
///
/// # Errors
/// `usage` for a share outside 0 to 1, a chapter the book has not, or an offset past the text's end.
pub fn cut(book: &Book, map: &Utf16Map, position: Position) -> Result<u32> {
    let document = &book.index.document;
    let (start, end) = story(book);
    let at = match position {
        Position::Share(share) if (0.0..=1.0).contains(&share) => {
            let (first, last) = (map.to_utf16(start), map.to_utf16(end));
            let unit = first + (f64::from(last - first) * share) as u32;
            // The nearest character boundary at or before the unit.
            map.to_byte(unit).or_else(|| map.to_byte(unit.saturating_sub(1))).unwrap_or(start)
        }
        Position::Share(share) => return Err(refused(&format!("{share}"), "a share is 0 to 1")),
        Position::Chapter(number) => {
            let chapter = (number as usize).checked_sub(1).and_then(|place| document.chapters.get(place));
            let count = document.chapters.len();
            chapter
                .ok_or_else(|| refused(&format!("chapter {number}"), &format!("the book has {count}")))?
                .span
                .end
        }
        Position::Offset(unit) => {
            let inside = || map.to_byte(unit).or_else(|| map.to_byte(unit.saturating_sub(1)));
            let length = map.to_utf16(document.text.len() as u32);
            inside()
                .filter(|_| unit <= length)
                .ok_or_else(|| refused(&format!("offset {unit}"), &format!("the text has {length} units")))?
        }
    };
    Ok(sentence_end(book, at).unwrap_or(start).max(start))
}

fn refused(what: &str, limit: &str) -> Error {
    Error::new(Code::Usage, format!("the reading position is {what}, but {limit}"))
}

/// The bytes from the first chunk's start to the last chunk's end.
pub fn story(book: &Book) -> (u32, u32) {
    let chunks = &book.index.chunks;
    (chunks.first().map_or(0, |chunk| chunk.span.start), chunks.last().map_or(0, |chunk| chunk.span.end))
}

/// The end of the last sentence that ends at or before `at`.
fn sentence_end(book: &Book, at: u32) -> Option<u32> {
    let before = book.index.chunks.partition_point(|chunk| chunk.span.start < at);
    book.index.chunks[..before].iter().rev().find_map(|chunk| {
        let ends = sentences(&book.index.document.text, chunk.span).into_iter().map(|sentence| sentence.end);
        ends.rev().find(|&end| end <= at)
    })
}

/// The document and its chunks as far as a cut: what begins before it, up to it.
pub fn until(index: &Index, cut: u32) -> (Document, Vec<Chunk>) {
    let document = &index.document;
    let kept = |span: Span| (span.start < cut).then(|| Span { start: span.start, end: span.end.min(cut) });
    let chunk = |chunk: &Chunk| {
        let span = kept(chunk.span)?;
        let whole = span == chunk.span;
        let tokens = if whole { chunk.tokens } else { tokens(span.of(&document.text)) };
        Some(Chunk { span, tokens, ..*chunk })
    };
    let read = Document {
        title: document.title.clone(),
        author: document.author.clone(),
        language: document.language.clone(),
        text: document.text.get(..cut as usize).unwrap_or_default().to_owned(),
        chapters: document
            .chapters
            .iter()
            .filter_map(|chapter| Some(Chapter { title: chapter.title.clone(), span: kept(chapter.span)? }))
            .collect(),
        skips: document
            .skips
            .iter()
            .filter_map(|skip| Some(Skip { span: kept(skip.span)?, reason: skip.reason }))
            .collect(),
        issues: Vec::new(),
    };
    (read, index.chunks.iter().filter_map(chunk).collect())
}
