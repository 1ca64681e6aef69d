//! Pons awaken: raise what the anchors reach through the pons layer (PonsRAG 4.3, eq. 7 and 8).
//!
//! Co-HITS spreads the anchors' weight over the bipartite graph; the best `k3` nodes that are not
//! anchors are awakened.
//!
//! Departures: read literally, "the top k3 of the activation, anchors removed" is nearly empty, since
//! the anchors hold the restart mass; the default removes them first and takes k3 on each side (systems
//! 1.6). In the offline profile the awakened events are a pool of the activation's best hundred, ordered
//! by their score for the question: there the activation alone drifts to typical events.

use crate::algo::cohits::CoHits;
use crate::algo::vector::{descending, top_k};
use crate::book::Book;
use crate::config::{Profile, QueryConfig, TopK};
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
/// - `anchors`: where the activation starts, uniformly on each side.
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
    let mut rows = vec![0.0; characters];
    let mut columns = vec![0.0; events];
    anchors.characters.iter().for_each(|node| rows[node.id.index()] = 1.0);
    anchors.events.iter().for_each(|node| columns[node.id.index()] = 1.0);
    let graph = CoHits::new(&layer.weights);
    let mut spreading = graph.spread(&rows, &columns, config.lambda_char, config.lambda_plot);
    while spreading.round() {
        pace.step("awaken", 0, 1).await?;
    }
    let settled = spreading.scores;

    let anchored: Vec<bool> = rows.iter().chain(&columns).map(|&start| start > 0.0).collect();
    let joint: Vec<f64> = settled.rows.iter().chain(&settled.columns).copied().collect();
    let pool = if config.profile != Profile::Paper { POOL } else { config.k3 };
    let chosen = match config.topk_mode {
        TopK::JointLiteral => {
            top_k(&joint, config.k3).into_iter().filter(|&node| !anchored[node]).collect::<Vec<_>>()
        }
        TopK::JointExcl => best(&joint, &anchored, 0..joint.len(), config.k3),
        TopK::PerSideExcl => {
            let mut both = best(&joint, &anchored, 0..characters, config.k3);
            both.extend(best(&joint, &anchored, characters..joint.len(), pool));
            both
        }
    };
    let mut awakened = Nodes::default();
    for node in chosen.into_iter().filter(|&node| joint[node] > 0.0) {
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

fn best(scores: &[f64], anchored: &[bool], side: std::ops::Range<usize>, k: usize) -> Vec<usize> {
    let free: Vec<usize> = side.filter(|&node| !anchored[node]).collect();
    let values: Vec<f64> = free.iter().map(|&node| scores[node]).collect();
    top_k(&values, k).into_iter().map(|place| free[place]).collect()
}
