//! The three pathways of associative navigation (CodaRAG II.b to II.d): what is tied to the seeds, what a
//! walk from them comes to, and what stands in the graph as they do.
//!
//! - **Semantic**, for a neighbour `e` of the seeds: `α max cos(q_hi, r) + (1 - α) cos(q_lo, e)` over the
//!   relations `r` that join it to one.
//! - **Contextualized**: personalised PageRank over the relations' weights, restarted by `a(e)`, damping 0.85,
//!   to a change of 1e-8 or 100 rounds; on request over its value in a walk that starts everywhere.
//! - **Functional**: of each seed the nearest by the stored FastRP vectors, `max a(e0) cos(z_e0, z_e)`.
//!
//! The formula and the damping are from one secondary source, the rest is reconstruction (systems 2.2).
//!
//! Invariant: no list holds a seed; each is best first, ties to the smaller id.

use crate::algo::pagerank::{Stop, page_rank_until};
use crate::algo::vector::{Rows, top_k};
use crate::book::Book;
use crate::config::{Hubs, QueryConfig};
use crate::knowledge::EntityId;

use super::{Cued, Scored, Seeds};

/// Where the walk settles.
const STOP: Stop = Stop { rounds: 100, change: 1e-8 };

/// Entities that relations tie to the seeds.
pub fn semantic(book: &Book, cued: &Cued<'_>, seeds: &Seeds, config: &QueryConfig) -> Vec<Scored<EntityId>> {
    let is_seed = seeds.flags(book.index.knowledge.entities.len());
    let mut reached: Vec<Option<f64>> = vec![None; is_seed.len()];
    for (place, relation) in book.index.knowledge.relations.iter().enumerate() {
        let (one, other) = relation.ends;
        for (from, to) in [(one, other), (other, one)] {
            if is_seed.get(from.index()) == Some(&true) && is_seed.get(to.index()) == Some(&false) {
                let cosine = cued.space.relations.dot(place, cued.high);
                let best = &mut reached[to.index()];
                *best = Some(best.map_or(cosine, |best| best.max(cosine)));
            }
        }
    }
    let alpha = config.semantic_alpha;
    let score = |(entity, relation): (usize, &Option<f64>)| {
        let own = || cued.space.entities.dot(entity, cued.low);
        relation.map_or(f64::NEG_INFINITY, |relation| alpha * relation + (1.0 - alpha) * own())
    };
    best(&reached.iter().enumerate().map(score).collect::<Vec<_>>(), config.k_sem)
}

/// Entities that a walk from the seeds comes to.
pub fn contextualized(book: &Book, seeds: &Seeds, config: &QueryConfig) -> Vec<Scored<EntityId>> {
    let graph = book.relations();
    let mut restart = vec![0.0; graph.height()];
    for seed in &seeds.entities {
        if let Some(weight) = restart.get_mut(seed.id.index()) {
            *weight = seed.score.max(0.0);
        }
    }
    if config.k_con == 0 || restart.iter().all(|&weight| weight <= 0.0) {
        return Vec::new();
    }
    let mut visits = page_rank_until(graph, &restart, config.walk_damping, STOP);
    if config.hubs == Hubs::Correct {
        let everywhere = page_rank_until(graph, &vec![1.0; graph.height()], config.walk_damping, STOP);
        visits.iter_mut().zip(everywhere).for_each(|(visits, all)| *visits /= all.max(f64::MIN_POSITIVE));
    }
    for (visits, is_seed) in visits.iter_mut().zip(seeds.flags(graph.height())) {
        // What the walk never comes to is not associated.
        if is_seed || *visits <= 0.0 {
            *visits = f64::NEG_INFINITY;
        }
    }
    best(&visits, config.k_con)
}

/// Entities that stand in the graph as seeds do, by their stored vectors.
pub fn functional(vectors: &Rows, seeds: &Seeds, config: &QueryConfig) -> Vec<Scored<EntityId>> {
    let is_seed = seeds.flags(vectors.len());
    let mut scores = vec![f64::NEG_INFINITY; vectors.len()];
    if config.k_fun == 0 {
        return Vec::new();
    }
    for seed in seeds.entities.iter().filter(|seed| seed.id.index() < vectors.len()) {
        let mut cosines = vectors.dots(&vectors.row(seed.id.index()));
        cosines
            .iter_mut()
            .zip(&is_seed)
            .filter(|(_, is_seed)| **is_seed)
            .for_each(|(cosine, _)| *cosine = 0.0);
        for near in top_k(&cosines, config.k_fun).into_iter().filter(|&near| cosines[near] > 0.0) {
            scores[near] = scores[near].max(seed.score * cosines[near]);
        }
    }
    best(&scores, config.k_fun)
}

/// The best `k` of those that have a score.
fn best(scores: &[f64], k: usize) -> Vec<Scored<EntityId>> {
    let nearest = top_k(scores, k).into_iter().filter(|&place| scores[place].is_finite());
    nearest.map(|place| Scored { id: EntityId::new(place), score: scores[place] }).collect()
}
