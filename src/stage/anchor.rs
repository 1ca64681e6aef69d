//! Query anchors: the characters and events that the question ties down (PonsRAG 4.2, eq. 6).
//!
//! Characters: the question is matched with the stated facts, the best ones that speak of it restart a
//! walk over the character graph (HippoRAG 2), and the k1 characters the walk visits most are anchors.
//! Events: the k2 best by multi-granularity score.
//!
//! Departures: without a chat model the recognition filter is a rule, a fact is kept when it shares a
//! content word with the question; and a character that the question names restarts the walk with full
//! weight. When neither gives a start, the characters whose descriptions are nearest to the question are
//! the anchors and the chunks stand in the order of their cosines, as HippoRAG 2 falls back to dense
//! retrieval.

use crate::algo::pagerank::page_rank;
use crate::algo::vector::{min_max, top_k};
use crate::book::Book;
use crate::config::{Layers, QueryConfig};
use crate::index::Space;
use crate::knowledge::{ChunkId, EntityId, EventId};
use crate::question::Question;

use super::{Nodes, Scored};

/// Phrases of the kept facts that restart the walk (HippoRAG 2: 5).
const START_PHRASES: usize = 5;

/// The anchors, and what goes for the chunks.
#[derive(Clone, Debug, Default)]
pub struct Anchors {
    /// The anchored characters and events, best first.
    pub nodes: Nodes,
    /// The walk's probability of each chunk; without a walk its cosine with the question, scaled to 0 to 1.
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
pub fn anchor(book: &Book, question: &Question, scores: &[f64], config: &QueryConfig) -> Anchors {
    let Some((space, vector)) = question.space(book) else { return Anchors::default() };
    let (characters, passages) = characters(book, space, vector, question, config);
    let events = top_k(scores, config.k2)
        .into_iter()
        .map(|event| Scored { id: EventId::new(event), score: scores[event] })
        .collect();
    Anchors { nodes: Nodes { characters, events }, passages }
}

fn characters(
    book: &Book,
    space: &Space,
    vector: &[f32],
    question: &Question,
    config: &QueryConfig,
) -> (Vec<Scored<EntityId>>, Vec<f64>) {
    let mut restart = fact_weights(book, &space.facts.dots(vector), question, config);
    for name in &question.names {
        restart[name.index()] = 1.0;
    }
    let dense = min_max(&space.chunks.dots(vector));
    if restart.iter().all(|&weight| weight == 0.0) {
        return (nearest(space, vector, config), dense);
    }
    restart.extend(dense.iter().map(|score| score * config.passage_weight));
    let rank = page_rank(&book.graph.edges, &restart, config.damping);
    let (phrases, passages) = rank.split_at(book.graph.phrase_count.min(rank.len()));
    let entities = &phrases[..book.graph.entity_count.min(phrases.len())];
    let anchors = top_k(entities, config.k1)
        .into_iter()
        .filter(|&entity| entities[entity] > 0.0)
        .map(|entity| Scored { id: EntityId::new(entity), score: entities[entity] })
        .collect();
    (anchors, passages.to_vec())
}

/// The restart weight of each phrase: the mean, over the kept facts that hold it, of the fact's score
/// over the number of chunks that name the phrase.
fn fact_weights(book: &Book, cosines: &[f64], question: &Question, config: &QueryConfig) -> Vec<f64> {
    let graph = &book.graph;
    let scores = min_max(cosines);
    let mut sums = vec![0.0; graph.phrase_count];
    let mut counts = vec![0u32; graph.phrase_count];
    for fact in top_k(&scores, config.link_facts).into_iter().filter(|&fact| fact < graph.facts.len()) {
        if !speaks_of(book, question, &graph.facts[fact].text) {
            continue;
        }
        for phrase in [graph.facts[fact].subject, graph.facts[fact].object] {
            sums[phrase] += scores[fact] / f64::from(graph.chunk_counts[phrase].max(1));
            counts[phrase] += 1;
        }
    }
    let means: Vec<f64> =
        sums.iter().zip(&counts).map(|(sum, &count)| sum / f64::from(count.max(1))).collect();
    let mut kept = vec![0.0; means.len()];
    for phrase in top_k(&means, START_PHRASES) {
        kept[phrase] = means[phrase];
    }
    kept
}

fn speaks_of(book: &Book, question: &Question, fact: &str) -> bool {
    let held = book.lexicon.known_terms(fact);
    question.known_terms().iter().any(|term| held.contains(term))
}

fn nearest(space: &Space, vector: &[f32], config: &QueryConfig) -> Vec<Scored<EntityId>> {
    let cosines = space.entities.dots(vector);
    top_k(&cosines, config.k1)
        .into_iter()
        .filter(|&entity| cosines[entity] > 0.0)
        .map(|entity| Scored { id: EntityId::new(entity), score: cosines[entity] })
        .collect()
}

/// Chunks by the walk, or without one by cosine, best first.
pub fn passages_by_walk(anchors: &Anchors) -> Vec<Scored<ChunkId>> {
    top_k(&anchors.passages, anchors.passages.len())
        .into_iter()
        .map(|chunk| Scored { id: ChunkId::new(chunk), score: anchors.passages[chunk] })
        .collect()
}
