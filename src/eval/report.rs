//! The documents of an evaluation: what each question got, and what a method got over all of them.
//!
//! A measure that a question has nothing for (accuracy without options, recall without marked
//! evidence) is `None`, and counts in no mean. The keys are those of `plotbridge eval --json`; keys may
//! be added.

use serde::Serialize;

/// One value for each measure: a question's scores, a method's means, or their intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Scores<T> {
    /// Words shared with the best gold answer.
    pub f1: T,
    /// Equal to a gold answer.
    pub em: T,
    /// The right option chosen.
    pub acc: T,
    /// Share of the gold spans that the first so many passages overlap.
    pub recall_at: AtPassages<T>,
    /// Share of the gold spans that the passages overlap which fit into so many tokens.
    pub recall_at_tokens: AtTokens<T>,
}

/// One value for each number of passages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AtPassages<T> {
    /// The best passage alone.
    #[serde(rename = "1")]
    pub one: T,
    /// The first five.
    #[serde(rename = "5")]
    pub five: T,
    /// The first ten.
    #[serde(rename = "10")]
    pub ten: T,
    /// The first twenty.
    #[serde(rename = "20")]
    pub twenty: T,
}

/// One value for each number of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AtTokens<T> {
    /// About three passages.
    #[serde(rename = "1200")]
    pub few: T,
    /// A whole context.
    #[serde(rename = "6000")]
    pub many: T,
}

/// A question that could not be asked; it scores 0 in every measure that it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The question's id.
    pub id: String,
    /// Stable code of the error.
    pub code: String,
    /// One sentence.
    pub message: String,
}

/// What one question got.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The question's id.
    pub id: String,
    /// What it has gold for.
    pub scores: Scores<Option<f64>>,
    /// Mean tokens of a passage; `None` where none came.
    pub passage_tokens: Option<f64>,
    /// Tokens of the context.
    pub context_tokens: Option<f64>,
    /// Milliseconds from the question to its answer, on the host's clock.
    pub ms: Option<f64>,
    /// Why it could not be asked.
    pub failure: Option<Failure>,
}

/// What a method got over all questions.
#[derive(Clone, Debug, Serialize)]
pub struct MethodScores {
    /// Mean over the questions that have gold for it.
    #[serde(flatten)]
    pub means: Scores<Option<f64>>,
    /// Mean over questions of the mean tokens of a passage.
    pub passage_tokens_mean: Option<f64>,
    /// Mean tokens of the context.
    pub context_tokens_mean: Option<f64>,
    /// Half of the questions took at most so many milliseconds.
    pub ms_p50: Option<f64>,
    /// Nineteen of twenty questions took at most so many milliseconds.
    pub ms_p95: Option<f64>,
    /// Questions that could not be asked.
    pub failures: u32,
    /// Which, and why.
    pub failed: Vec<Failure>,
    /// Ends of the 95 % interval of each mean.
    pub intervals: Scores<Option<[f64; 2]>>,
    /// Questions that have gold for a measure.
    pub counted: Scores<u32>,
}
