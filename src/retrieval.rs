//! What a method found, before it is put into words: the stages' own data, and how long each took.

use crate::config::{self, By, Profile};
use crate::error::Result;
use crate::knowledge::Issue;
use crate::pace::Pace;
use crate::stage::context::Context;
use crate::stage::{Associations, Matching, Nodes, Order, Pair, Passage, Plotline, Recognised};

/// The outcome of one method for one question; lists are empty where a method has nothing for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retrieval {
    /// Facts that link the question to the character graph.
    pub recognised: Recognised,
    /// Nodes tied to the query.
    pub anchors: Nodes,
    /// Nodes the anchors awakened.
    pub awakened: Nodes,
    /// The profile that ran.
    pub profile: Option<Profile>,
    /// How pairs were chosen.
    pub mode: Option<config::Matching>,
    /// The edges between anchored and awakened nodes, and the pairs among them.
    pub matching: Matching,
    /// Matched pairs that the filter kept, in story order.
    pub pairs: Vec<Pair>,
    /// What the filter kept and dropped.
    pub plotline: Plotline,
    /// Cues, and what they led to.
    pub associations: Associations,
    /// Passages, best first.
    pub evidence: Vec<Passage>,
    /// What a generator would be given.
    pub context: Context,
    /// `S(q, v)` of every event: what the offline answer starts from.
    pub scores: Vec<f64>,
    /// How the filter decided.
    pub filter: Filter,
    /// What a reader should know of how it was found.
    pub issues: Vec<Issue>,
    /// Stages with their milliseconds, in order.
    pub timings: Vec<(&'static str, f64)>,
}

/// How the filter decided; by nobody where a method has none.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// By whom: the chat model, the rule, or nobody.
    pub by: By,
    /// The chat model's reply, as read.
    pub reply: String,
    /// What the question's word of time asks for, where the rule resolved one.
    pub order: Option<Order>,
}

impl Default for Filter {
    fn default() -> Self {
        Self { by: By::Off, reply: String::new(), order: None }
    }
}

/// Times the stages of a method and lets each be cancelled.
pub struct Stopwatch<'a> {
    pace: &'a Pace<'a>,
    last: f64,
    laps: Vec<(&'static str, f64)>,
}

impl<'a> Stopwatch<'a> {
    /// Starts now.
    pub fn new(pace: &'a Pace<'a>) -> Self {
        Self { pace, last: pace.now_ms(), laps: Vec::new() }
    }

    /// Ends a stage.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn lap(&mut self, stage: &'static str) -> Result<()> {
        self.laps.push((stage, self.pace.now_ms() - self.last));
        self.pace.step(stage, 1, 1).await?;
        self.last = self.pace.now_ms();
        Ok(())
    }

    /// The stages with their milliseconds.
    pub fn finish(self) -> Vec<(&'static str, f64)> {
        self.laps
    }
}
