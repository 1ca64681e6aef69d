//! The stages a method is made of. A stage does one step, knows nothing of the others, and hands plain
//! data on; the types that pass between them stand here, so no stage imports another; the methods put them in order.

pub mod anchor;
pub mod answer;
pub mod arrange;
pub mod associate;
mod association;
pub mod awaken;
pub mod choose;
pub mod cite;
pub mod context;
pub mod cues;
pub mod eliminate;
pub mod evidence;
pub mod filter;
pub mod fuse;
pub mod generate;
pub mod hop;
pub mod kind;
pub mod option;
pub mod order;
pub mod pair;
pub mod recognise;
pub mod score;
pub mod seed;
pub mod think;
pub mod walk;

pub use association::{Associations, Cued, Cues, Eliminated, Item, Path, Raised, Seeds};

use crate::knowledge::{ChunkId, EntityId, EventId, Span};

/// Something with its score for the question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored<T> {
    /// What.
    pub id: T,
    /// How well; comparable within one list only.
    pub score: f64,
}

/// Characters and events, each list best first: the anchors, or the awakened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nodes {
    /// The character side.
    pub characters: Vec<Scored<EntityId>>,
    /// The event side.
    pub events: Vec<Scored<EventId>>,
}

impl Nodes {
    /// Whether an event is among them.
    pub fn has_event(&self, event: EventId) -> bool {
        self.events.iter().any(|node| node.id == event)
    }
}

/// A fact that may link the question to the character graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Its place among the graph's facts.
    pub fact: usize,
    /// Its cosine with the question, scaled to 0 to 1 over all facts.
    pub score: f64,
    /// Whether it links.
    pub kept: bool,
    /// Why not, in a few words; empty where it does.
    pub reason: &'static str,
}

/// The candidates, and who decided which are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recognised {
    /// Best first.
    pub facts: Vec<Candidate>,
    /// `chat`, `rule` or `off`; empty where nothing was recognised.
    pub by: &'static str,
}

/// Where a walk over the character graph led: one number each, the larger the better.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walk {
    /// How much each entity was visited; without a walk, its description's cosine with the question.
    pub characters: Vec<f64>,
    /// How much each chunk was; without a walk its cosine, scaled to 0 to 1.
    pub passages: Vec<f64>,
}

/// A matched character and event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Who.
    pub character: EntityId,
    /// In what.
    pub event: EventId,
    /// The weight `w_uv` of the edge between them.
    pub weight: f64,
}

/// What the matching made of the edges between anchored and awakened nodes; each list heaviest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matching {
    /// Every edge (`E_sub`).
    pub edges: Vec<Pair>,
    /// The pairs.
    pub pairs: Vec<Pair>,
    /// Pairs that are not among the k4 heaviest.
    pub cut: Vec<Pair>,
}

/// An event of the plotline, with its characters where it has some.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What happens.
    pub event: EventId,
    /// Who it is told of: the matched partners, else one it names, else nobody.
    pub characters: Vec<EntityId>,
    /// Whether it was awakened, not anchored.
    pub linked: bool,
}

/// A time that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// At first.
    First,
    /// At last.
    Last,
    /// After a scene.
    After,
    /// Before a scene.
    Before,
}

impl Time {
    /// Its name in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Last => "last",
            Self::After => "after",
            Self::Before => "before",
        }
    }
}

/// A question's word of time, resolved: the scene that parts what is asked for from what is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// On which side of the scene.
    pub time: Time,
    /// The scene.
    pub scene: EventId,
}

/// A line that was left out, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// The line.
    pub line: Line,
    /// Why, in a few words.
    pub reason: &'static str,
}

/// What the filter kept, in story order, and what it dropped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plotline {
    /// Kept, in story order.
    pub kept: Vec<Line>,
    /// Left out, best first.
    pub dropped: Vec<Dropped>,
}

/// A span of one chunk returned as evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    /// The chunk it lies in.
    pub chunk: ChunkId,
    /// Its text, trimmed.
    pub span: Span,
    /// The part that made it rank here; the whole passage where nothing finer is known.
    pub focus: Span,
    /// Falls from first to last.
    pub score: f64,
}
