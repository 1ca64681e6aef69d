//! The documents about models' work: what it will cost, what it did cost, and how much of a book they read.

use serde::Serialize;

use super::Issue;

/// What `estimate` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// In the order in which they are asked.
    pub stages: Vec<EstimatedStage>,
    /// Everything together.
    pub total: EstimatedStage,
    /// What a reader should know.
    pub issues: Vec<Issue>,
}

/// What one stage will cost.
#[derive(Clone, Debug, Serialize)]
pub struct EstimatedStage {
    /// The stage, or `total`.
    pub stage: String,
    /// Requests.
    pub requests: u32,
    /// Tokens sent.
    pub prompt_tokens: u32,
    /// Tokens received.
    pub completion_tokens: u32,
    /// The fewest and the most requests; the same where the number is known.
    pub requests_range: [u32; 2],
    /// The fewest and the most tokens sent.
    pub prompt_range: [u32; 2],
    /// The fewest and the most tokens received.
    pub completion_range: [u32; 2],
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
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
    /// Requests sent once more, after a fault or a reply that could not be read; they are among the requests.
    pub retried: u32,
    /// Replies that were kept from before, so that no request was sent.
    pub cached: u32,
    /// Requests whose tokens are our estimate, because the server did not say.
    pub estimated: u32,
    /// Milliseconds that the requests took, added up.
    pub ms: f64,
}

/// How much of a book the models read that built it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Coverage {
    /// Parts of the text.
    pub chunks: u32,
    /// Those of which every question was answered to the end; all of them where rules read.
    pub read: u32,
    /// What was not answered for, or not to the end, in text order.
    pub unread: Vec<Unread>,
    /// What a model named that does not stand in its part of the text, and was left out.
    pub ungrounded: Ungrounded,
}

/// A question to a chunk that was not answered, or not to the end.
#[derive(Clone, Debug, Serialize)]
pub struct Unread {
    /// The chunk.
    pub chunk: u32,
    /// What was asked.
    pub stage: String,
    /// `reply_withheld`, `reply_unreadable`, `reply_failed`, or `reply_cut` where only the end is missing.
    pub code: String,
    /// Why.
    pub why: String,
}

/// What was left out because it does not stand in its chunk.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Ungrounded {
    /// Entities.
    pub entities: u32,
    /// Triples.
    pub triples: u32,
    /// Events.
    pub events: u32,
}

/// The entity that most relations touch.
#[derive(Clone, Debug, Serialize)]
pub struct Hub {
    /// Its name.
    pub name: String,
    /// The share of all relations that touch it, 0 to 1.
    pub share: f64,
}
