//! From bytes to a document with chapters, and from a document to sentences and chunks.

use crate::error::Result;
use crate::knowledge::{Chapter, Chunk, Issue, Skip, Span};

/// What the caller knows about the input.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The file's name: a hint for the format and a last resort for the title.
    pub name: Option<String>,
    /// The encoding to use instead of the recognised one.
    pub encoding: Option<String>,
    /// The title to use instead of the found one.
    pub title: Option<String>,
}

/// A whole input as text, with what is known of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Title.
    pub title: String,
    /// Author, empty when not found.
    pub author: String,
    /// Language as a BCP 47 tag.
    pub language: String,
    /// The document text.
    pub text: String,
    /// Chapters in text order.
    pub chapters: Vec<Chapter>,
    /// Everything that is not chunked, in text order.
    pub skips: Vec<Skip>,
    /// What a reader should know.
    pub issues: Vec<Issue>,
}

/// Reads a plain-text book.
pub fn read(_bytes: &[u8], _options: &ReadOptions) -> Result<Document> {
    Err(crate::Error::new(crate::Code::UnsupportedFormat, "stub"))
}
/// Sentences.
pub fn sentences(_text: &str, _span: Span) -> Vec<Span> {
    Vec::new()
}
/// Chunks.
pub fn chunk(_document: &Document, _max_tokens: usize, _overlap: usize) -> Vec<Chunk> {
    Vec::new()
}
/// Tokens.
pub fn tokens(_text: &str) -> u32 {
    0
}
