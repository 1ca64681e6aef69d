//! The documents that leave the engine: the same keys and nesting in JavaScript and on the command line.
//!
//! Every key is always present, empty where a method has nothing for it. Offsets are UTF-16 units of the
//! document text, so `text.slice(start, end)` is right in JavaScript. The shapes are a promise (README,
//! pkg/index.d.ts); keys may be added.

use serde::Serialize;

mod book;
mod trace;

pub use book::*;
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

/// What one stage asked of one model.
#[derive(Clone, Debug, Serialize)]
pub struct Call {
    /// The stage.
    pub stage: String,
    /// The model's name.
    pub model: String,
    /// Requests sent, also those that failed.
    pub requests: u32,
    /// Tokens sent.
    pub prompt_tokens: u32,
    /// Tokens received.
    pub completion_tokens: u32,
    /// Requests sent once more, after a fault or a reply that could not be read; they are among the requests.
    pub retried: u32,
    /// Replies that were kept from before, so that no request was sent.
    pub cached: u32,
    /// Requests whose tokens are our estimate, because the server did not say.
    pub estimated: u32,
    /// Milliseconds that the requests took, added up.
    pub ms: f64,
}

/// What a call cost at an endpoint; zeros without one.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Usage {
    /// Requests sent.
    pub requests: u32,
    /// Tokens sent.
    pub prompt_tokens: u32,
    /// Tokens received.
    pub completion_tokens: u32,
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
