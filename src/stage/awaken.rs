//! Pons awaken: raise what the anchors reach through the pons layer (PonsRAG eq. 7 and 8).
//!
//! Co-HITS spreads the anchors' weight over the bipartite graph; the best `k3` nodes that are not
//! anchors are awakened.
//!
//! Departures: read literally, "the top k3 of the activation, anchors removed" is nearly empty, since
//! the anchors hold the restart mass; the default removes them first and takes k3 on each side (systems
//! 1.6); iteration stops at a change of 1e-10 where 1e-6 would do, which costs some ten rounds and makes
//! near ties sure. In the offline profile the awakened events are a pool of the activation's best hundred, ordered
//! by their score for the question: there the activation alone drifts to typical events.

use crate::algo::cohits::CoHits;
use crate::algo::vector::{descending, top_k};
use crate::book::Book;
use crate::config::{Profile, QueryConfig, Start, TopK};
use crate::error::Result;
use crate::graph::PonsLayer;
use crate::knowledge::{EntityId, EventId};
use crate::pace::Pace;

use super::{Nodes, Scored};

/// Events of the activation that the offline profile orders by the question.
const POOL: usize = 100;

/// Nodes the anchors awaken, best first on each side.
///
/// # Arguments
/// - `layer`: the pons layer's weights.
/// - `anchors`: where the activation starts, on each side by itself.
/// - `scores`: `S(q, v)` of every event.
///
/// # Errors
/// `aborted` when the caller cancels.
pub async fn awaken(
    book: &Book,
    layer: &PonsLayer,
    anchors: &Nodes,
    scores: &[f64],
    config: &QueryConfig,
    pace: &Pace<'_>,
) -> Result<Nodes> {
    let (characters, events) = (book.index.knowledge.entities.len(), book.index.knowledge.events.len());
    let rows = starts(&anchors.characters, characters, EntityId::index, config.start);
    let columns = starts(&anchors.events, events, EventId::index, config.start);
    let graph = CoHits::new(&layer.weights);
    let mut spreading = graph.spread(&rows, &columns, config.lambda_char, config.lambda_plot);
    while spreading.round() {
        pace.step("awaken", 0, 1).await?;
    }
    let settled = spreading.scores;

    let joint: Vec<f64> = settled.rows.iter().chain(&settled.columns).copied().collect();
    let mut anchored = vec![false; joint.len()];
    anchors.characters.iter().for_each(|node| anchored[node.id.index()] = true);
    anchors.events.iter().for_each(|node| anchored[characters + node.id.index()] = true);
    let pool = if config.profile != Profile::Paper { POOL } else { config.k3 };
    let mut awakened = Nodes::default();
    for node in best_of(&joint, &anchored, characters, config.topk_mode, [config.k3, pool]) {
        match node.checked_sub(characters) {
            None => awakened.characters.push(Scored { id: EntityId::new(node), score: joint[node] }),
            Some(event) => awakened.events.push(Scored { id: EventId::new(event), score: joint[node] }),
        }
    }
    if config.profile != Profile::Paper {
        awakened
            .events
            .sort_by(|a, b| descending(scores[a.id.index()], scores[b.id.index()]).then(a.id.cmp(&b.id)));
    }
    awakened.events.truncate(config.k3);
    Ok(awakened)
}

/// Where the activation starts on one side: at its anchors, alike or by their scores. Where no score is above
/// zero they are alike.
fn starts<T: Copy>(anchors: &[Scored<T>], size: usize, place: fn(T) -> usize, start: Start) -> Vec<f64> {
    let by_score = start == Start::Scores && anchors.iter().any(|node| node.score > 0.0);
    let mut starts = vec![0.0; size];
    for node in anchors {
        starts[place(node.id)] = if by_score { node.score.max(0.0) } else { 1.0 };
    }
    starts
}

/// The most active nodes of both sides in one row, characters first, without the anchors: "the top k3 of
/// the activation, anchors removed", as `mode` reads it. `k` is k3 for characters, or for both together,
/// and for events.
fn best_of(joint: &[f64], anchored: &[bool], characters: usize, mode: TopK, k: [usize; 2]) -> Vec<usize> {
    let mut chosen = match mode {
        TopK::JointLiteral => top_k(joint, k[0]).into_iter().filter(|&node| !anchored[node]).collect(),
        TopK::JointExcl => best(joint, anchored, 0..joint.len(), k[0]),
        TopK::PerSideExcl => {
            let mut both = best(joint, anchored, 0..characters, k[0]);
            both.extend(best(joint, anchored, characters..joint.len(), k[1]));
            both
        }
    };
    chosen.retain(|&node| joint[node] > 0.0);
    chosen
}

fn best(scores: &[f64], anchored: &[bool], side: std::ops::Range<usize>, k: usize) -> Vec<usize> {
    let free: Vec<usize> = side.filter(|&node| !anchored[node]).collect();
    let values: Vec<f64> = free.iter().map(|&node| scores[node]).collect();
    top_k(&values, k).into_iter().map(|place| free[place]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters 0 to 3, then events 4 to 8; anchored are 0 and 4.
    const JOINT: [f64; 9] = [0.9, 0.3, 0.2, 0.0, 0.8, 0.15, 0.1, 0.05, 0.0];
    const ANCHORED: [bool; 9] = [true, false, false, false, true, false, false, false, false];

    /// Systems 1.6: read literally the anchors fill the top; jointly the smaller side, whose shares are
    /// larger, does; per side both layers get new nodes.
    #[test]
    fn the_top_k3_in_its_three_readings() {
        for (mode, k, expected) in [
            (TopK::JointLiteral, 2, vec![]),
            (TopK::JointLiteral, 4, vec![1, 2]),
            (TopK::JointExcl, 2, vec![1, 2]),
            (TopK::JointExcl, 4, vec![1, 2, 5, 6]),
            (TopK::PerSideExcl, 1, vec![1, 5]),
            (TopK::PerSideExcl, 2, vec![1, 2, 5, 6]),
            // A node that nothing reaches is never awakened.
            (TopK::PerSideExcl, 9, vec![1, 2, 5, 6, 7]),
            (TopK::JointExcl, 9, vec![1, 2, 5, 6, 7]),
            (TopK::PerSideExcl, 0, vec![]),
        ] {
            assert_eq!(best_of(&JOINT, &ANCHORED, 4, mode, [k, k]), expected, "{mode:?}, {k}");
        }
    }

    #[test]
    fn activation_starts_at_the_anchors_alike_or_by_score() {
        let anchors = |scores: &[f64]| -> Vec<Scored<EventId>> {
            let node = |(place, &score)| Scored { id: EventId::new(2 * place), score };
            scores.iter().enumerate().map(node).collect()
        };
        let start = |scores: &[f64], start| starts(&anchors(scores), 4, EventId::index, start);
        assert_eq!(start(&[3.0, 1.0], Start::Uniform), [1.0, 0.0, 1.0, 0.0]);
        assert_eq!(start(&[3.0, 1.0], Start::Scores), [3.0, 0.0, 1.0, 0.0]);
        assert_eq!(start(&[3.0, -1.0], Start::Scores), [3.0, 0.0, 0.0, 0.0]);
        assert_eq!(start(&[-3.0, -1.0], Start::Scores), [1.0, 0.0, 1.0, 0.0]);
    }
}
