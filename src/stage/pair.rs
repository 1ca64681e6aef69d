//! Pons match: one character for each event and one event for each character, so that the sum of their
//! weights is largest (PonsRAG 4.4, eq. 9). Only anchored and awakened nodes take part.

use ndarray::Array2;

use crate::algo::assignment::maximum_weight_matching;
use crate::algo::vector::descending;
use crate::config::QueryConfig;
use crate::graph::PonsLayer;
use crate::knowledge::{EntityId, EventId};

use super::{Nodes, Pair};

/// The matched pairs, heaviest first, at most k4.
pub fn pair(layer: &PonsLayer, anchors: &Nodes, awakened: &Nodes, config: &QueryConfig) -> Vec<Pair> {
    let mut characters: Vec<EntityId> =
        anchors.characters.iter().chain(&awakened.characters).map(|node| node.id).collect();
    let mut events: Vec<EventId> =
        anchors.events.iter().chain(&awakened.events).map(|node| node.id).collect();
    // A fixed order, so that equal sums always give the same matching.
    characters.sort_unstable();
    events.sort_unstable();
    let mut weights = Array2::zeros((characters.len(), events.len()));
    for (row, character) in characters.iter().enumerate() {
        for (event, weight) in layer.weights.row(character.index()) {
            if let Ok(column) = events.binary_search(&EventId::new(event)) {
                weights[(row, column)] = weight;
            }
        }
    }
    let mut pairs: Vec<Pair> = maximum_weight_matching(weights.view())
        .into_iter()
        .map(|pair| Pair { character: characters[pair.row], event: events[pair.column], weight: pair.weight })
        .collect();
    pairs.sort_by(|a, b| descending(a.weight, b.weight).then(a.event.cmp(&b.event)));
    pairs.truncate(config.k4);
    pairs
}
