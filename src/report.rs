//! The documents that leave the engine: the same keys and nesting in JavaScript and on the command line.
//!
//! Every key is always present, empty where a method has nothing for it. Offsets are UTF-16 units of the
//! document text, so `text.slice(start, end)` is right in JavaScript. The shapes are a promise (README,
//! pkg/index.d.ts); keys may be added.

use serde::Serialize;

mod book;
mod diagnosis;
mod spend;
mod trace;

pub use book::*;
pub use diagnosis::*;
pub use spend::*;
pub use trace::*;

/// A recorded partial failure.
#[derive(Clone, Debug, Serialize)]
pub struct Issue {
    /// Stable code.
    pub code: String,
    /// One sentence.
    pub message: String,
}

/// A quotation with its exact place.
#[derive(Clone, Debug, Serialize)]
pub struct Citation {
    /// First UTF-16 unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// The quoted text.
    pub quote: String,
    /// Place of its chapter.
    pub chapter: u32,
}

/// What a call cost at an endpoint; zeros without one.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Usage {
    /// Requests sent.
    pub requests: u32,
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
}

/// What a listener is told while a question is answered, in the order in which it is known.
#[derive(Clone, Copy, Debug)]
pub enum Heard<'a> {
    /// A passage, best first.
    Evidence(&'a Evidence),
    /// The next piece of the answer.
    Text(&'a str),
    /// The answer begins anew: the pieces heard so far are none of it.
    Anew,
    /// Where the answer stands.
    Citation(&'a Citation),
    /// What it cost.
    Usage(&'a Usage),
}

/// What `ask` gives.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The answer, or `not found in what you have read`.
    pub text: String,
    /// The option best supported, where options were given and one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    /// How well it is supported, 0 to 1; absent when nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Where the answer stands.
    pub citations: Vec<Citation>,
    /// What it cost.
    pub usage: Usage,
    /// What a reader should know.
    pub issues: Vec<Issue>,
    /// How it was found.
    pub trace: Trace,
}
