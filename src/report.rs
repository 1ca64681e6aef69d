//! The documents that leave the engine: the same keys and nesting in JavaScript and on the command line.
//!
//! Every key is always present, empty where a method has nothing for it. Offsets are UTF-16 units of the
//! document text, so `text.slice(start, end)` is right in JavaScript. The shapes are a promise (README,
//! pkg/index.d.ts); keys may be added.

use std::collections::BTreeMap;

use serde::Serialize;

mod book;

pub use book::*;

/// A recorded partial failure.
#[derive(Clone, Debug, Serialize)]
pub struct Issue {
    /// Stable code.
    pub code: String,
    /// One sentence.
    pub message: String,
}

/// A character with its score.
#[derive(Clone, Debug, Serialize)]
pub struct NamedScore {
    /// The entity's name.
    pub name: String,
    /// Comparable within its list.
    pub score: f64,
}

/// An event with its score. Labels repeat in a book; the span says which event it is.
#[derive(Clone, Debug, Serialize)]
pub struct EventScore {
    /// The event's label.
    pub label: String,
    /// Comparable within its list.
    pub score: f64,
    /// 0 to 1 through the book.
    pub position: f64,
    /// First UTF-16 unit of the event.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// Something named by a label, with its score.
#[derive(Clone, Debug, Serialize)]
pub struct LabelScore {
    /// The label.
    pub label: String,
    /// Comparable within its list.
    pub score: f64,
}

/// Anchored or awakened nodes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Nodes {
    /// Best first.
    pub characters: Vec<NamedScore>,
    /// Best first.
    pub events: Vec<EventScore>,
}

/// A matched pair that the filter kept.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// The character's name.
    pub character: String,
    /// The character's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The event's label.
    pub event: String,
    /// What is told.
    pub details: String,
    /// `w_uv` (PonsRAG eq. 4).
    pub weight: f64,
    /// The chunk the event lies in.
    pub chunk: u32,
    /// 0 to 1 through the book.
    pub position: f64,
    /// First UTF-16 unit of the event.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// A line that the filter dropped.
#[derive(Clone, Debug, Serialize)]
pub struct Dropped {
    /// The character's name, empty where it had none.
    pub character: String,
    /// The event's label.
    pub event: String,
    /// Why.
    pub reason: String,
    /// 0 to 1 through the book.
    pub position: f64,
    /// First UTF-16 unit of the event.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// CodaRAG's cues.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cues {
    /// Intent and scope.
    pub high: Vec<String>,
    /// Entities and details.
    pub low: Vec<String>,
}

/// A passage.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// The chunk it lies in.
    pub chunk: u32,
    /// First UTF-16 unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// The passage itself.
    pub text: String,
    /// Falls from first to last.
    pub score: f64,
    /// The part that made it rank here.
    pub focus: Focus,
}

/// A part of a passage.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Focus {
    /// First UTF-16 unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// What `retrieve` prints: every stage of one method for one question.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// The method's name.
    pub method: String,
    /// As asked.
    pub question: String,
    /// The space the question was embedded in.
    pub embedding_space: String,
    /// Nodes tied to the query.
    pub anchors: Nodes,
    /// Nodes the anchors awakened.
    pub awakened: Nodes,
    /// In story order, each character and each event at most once.
    pub pairs: Vec<Pair>,
    /// What the filter left out.
    pub dropped: Vec<Dropped>,
    /// CodaRAG only.
    pub cues: Cues,
    /// CodaRAG only.
    pub entities: Vec<NamedScore>,
    /// CodaRAG only.
    pub relations: Vec<LabelScore>,
    /// CodaRAG only.
    pub eliminated: Vec<String>,
    /// Best first.
    pub evidence: Vec<Evidence>,
    /// Exactly what a generator would be given.
    pub context: String,
    /// Its estimated tokens.
    pub context_tokens: u32,
    /// What was asked of models, in the order in which the stages asked; for an answer with the answer's own.
    pub calls: Vec<Call>,
    /// Milliseconds by stage.
    pub timings_ms: BTreeMap<String, f64>,
    /// What a reader should know.
    pub issues: Vec<Issue>,
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
    /// Requests answered.
    pub requests: u32,
    /// Tokens sent.
    pub prompt_tokens: u32,
    /// Tokens received.
    pub completion_tokens: u32,
    /// Requests sent once more because the reply before could not be read; they are among the requests.
    pub retried: u32,
    /// Replies that were kept from before, so that no request was sent.
    pub cached: u32,
    /// Milliseconds waited for the replies, added up.
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
