//! The walk over the character graph that starts from the recognised facts (HippoRAG 2).
//!
//! A phrase restarts it with the mean, over the kept facts that hold it, of the fact's score over the
//! number of chunks that the phrase is tied to; the five best phrases do, and every chunk with a twentieth
//! of its scaled cosine. Where no fact was kept there is no walk: characters and chunks stand by their
//! cosines, as HippoRAG 2 falls back to dense retrieval.
//!
//! Departure: where a rule recognised the facts, a character that the question names restarts the walk with
//! full weight.

use crate::algo::csr::Csr;
use crate::algo::pagerank::page_rank;
use crate::algo::vector::{min_max, top_k};
use crate::book::Book;
use crate::config::QueryConfig;
use crate::index::Space;
use crate::knowledge::EntityId;

use super::{Candidate, Walk};

/// Phrases that restart the walk (HippoRAG 2: 5).
const START_PHRASES: usize = 5;

/// Where the walk, or without one the cosines, leads: `edges` are the graph's, `named` restart it too.
pub fn walk(
    book: &Book,
    (space, vector): (&Space, &[f32]),
    edges: &Csr,
    facts: &[Candidate],
    named: &[EntityId],
    config: &QueryConfig,
) -> Walk {
    let dense = min_max(&space.chunks.dots(vector));
    let mut restart = phrase_weights(book, facts);
    for name in named {
        restart[name.index()] = 1.0;
    }
    if named.is_empty() && !facts.iter().any(|fact| fact.kept) {
        return Walk { characters: space.entities.dots(vector), passages: dense };
    }
    restart.extend(dense.iter().map(|score| score * config.passage_weight));
    let mut characters = page_rank(edges, &restart, config.damping);
    let passages = characters.split_off(book.graph.phrase_count().min(characters.len()));
    characters.truncate(book.graph.entity_count);
    Walk { characters, passages }
}

/// The restart weight of each phrase. A fact may score 0, where there are few: then its phrases weigh
/// nothing, and the chunks restart the walk alone.
pub fn phrase_weights(book: &Book, facts: &[Candidate]) -> Vec<f64> {
    let graph = &book.graph;
    let mut sums = vec![0.0; graph.phrase_count()];
    let mut counts = vec![0u32; sums.len()];
    for candidate in facts.iter().filter(|candidate| candidate.kept) {
        let Some(fact) = graph.facts.get(candidate.fact) else { continue };
        for phrase in [fact.subject, fact.object] {
            sums[phrase] += candidate.score / f64::from(graph.chunk_counts[phrase].max(1));
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
