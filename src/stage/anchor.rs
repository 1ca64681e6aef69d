//! Query anchors: the characters and events that the question ties down (PonsRAG 4.2, eq. 6).
//!
//! The k1 characters that the walk over the character graph visits most, and the k2 events with the best
//! multi-granularity score.

use crate::algo::vector::top_k;
use crate::config::{Layers, QueryConfig};
use crate::knowledge::{ChunkId, EntityId, EventId};

use super::{Nodes, Scored, Walk};

/// The anchors, and what goes for the chunks.
#[derive(Clone, Debug, Default)]
pub struct Anchors {
    /// The anchored characters and events, best first.
    pub nodes: Nodes,
    /// Where the walk led among the chunks.
    pub passages: Vec<f64>,
}

impl Anchors {
    /// What stays of them where only some layers take part.
    pub fn of(mut self, layers: Layers) -> Self {
        match layers {
            Layers::Char => self.nodes.events.clear(),
            Layers::Plot => self.nodes.characters.clear(),
            Layers::Both | Layers::Apart => (),
        }
        self
    }
}

/// Ties the question to the graph. `scores` holds `S(q, v)` of every event.
pub fn anchor(walk: Walk, scores: &[f64], config: &QueryConfig) -> Anchors {
    let events = top_k(scores, config.k2)
        .into_iter()
        .map(|event| Scored { id: EventId::new(event), score: scores[event] })
        .collect();
    Anchors { nodes: Nodes { characters: characters(&walk, config), events }, passages: walk.passages }
}

/// The characters that the walk visits most.
pub fn characters(walk: &Walk, config: &QueryConfig) -> Vec<Scored<EntityId>> {
    top_k(&walk.characters, config.k1)
        .into_iter()
        .filter(|&entity| walk.characters[entity] > 0.0)
        .map(|entity| Scored { id: EntityId::new(entity), score: walk.characters[entity] })
        .collect()
}

/// Chunks by the walk, or without one by cosine, best first.
pub fn passages_by_walk(passages: &[f64]) -> Vec<Scored<ChunkId>> {
    top_k(passages, passages.len())
        .into_iter()
        .map(|chunk| Scored { id: ChunkId::new(chunk), score: passages[chunk] })
        .collect()
}
