//! Pons match: which characters go with which events (PonsRAG eq. 9).
//!
//! Only anchored and awakened nodes take part, with the edges between them (`E_sub`). The paper's own
//! reading is one character for each event and one event for each character, so that the sum of the
//! weights is largest; its ablations let a node have two or three partners, take the heaviest edges
//! without matching, or take all. What is kept is in every case the heaviest.
//!
//! Departure: `k4` is stated for one partner each. With two or three it is doubled or trebled, as the
//! paper's contexts grow (table 5: 1,187, 2,438, 3,856 tokens).

use ndarray::Array2;

use crate::algo::assignment;
use crate::algo::flow::Flow;
use crate::algo::vector::descending;
use crate::config::{self, QueryConfig};
use crate::error::Result;
use crate::graph::PonsLayer;
use crate::knowledge::{EntityId, EventId};
use crate::pace::Pace;

use super::{Matching, Nodes, Pair};

/// The matched pairs, with what they were chosen from and what was cut.
///
/// # Errors
/// `aborted` when the caller cancels.
pub async fn pair(
    layer: &PonsLayer,
    anchors: &Nodes,
    awakened: &Nodes,
    config: &QueryConfig,
    pace: &Pace<'_>,
) -> Result<Matching> {
    let mut characters: Vec<EntityId> =
        anchors.characters.iter().chain(&awakened.characters).map(|node| node.id).collect();
    let mut events: Vec<EventId> =
        anchors.events.iter().chain(&awakened.events).map(|node| node.id).collect();
    // A fixed order, so that equal sums always give the same matching.
    characters.sort_unstable();
    events.sort_unstable();
    let edges = between(layer, &characters, &events);
    let mut pairs = match config.matching.bound() {
        None => edges.clone(),
        Some(bound) => matched(&characters, &events, &edges, bound, pace).await?,
    };
    heaviest_first(&mut pairs);
    let most = match config.matching {
        config::Matching::Dense => usize::MAX,
        matching => config.k4 * matching.bound().unwrap_or(1),
    };
    let cut = pairs.split_off(pairs.len().min(most));
    let mut edges = edges;
    heaviest_first(&mut edges);
    Ok(Matching { edges, pairs, cut })
}

/// The edges whose ends are both among the nodes, by character, then event.
fn between(layer: &PonsLayer, characters: &[EntityId], events: &[EventId]) -> Vec<Pair> {
    let of = |&character: &EntityId| {
        let edges = layer.weights.row(character.index());
        let pairs = edges.map(move |(event, weight)| Pair { character, event: EventId::new(event), weight });
        pairs.filter(|pair| events.binary_search(&pair.event).is_ok())
    };
    characters.iter().flat_map(of).collect()
}

/// The edges of the largest sum, each node in at most `bound`.
async fn matched(
    characters: &[EntityId],
    events: &[EventId],
    edges: &[Pair],
    bound: usize,
    pace: &Pace<'_>,
) -> Result<Vec<Pair>> {
    let mut weights = Array2::zeros((characters.len(), events.len()));
    for edge in edges {
        let place =
            characters.binary_search(&edge.character).ok().zip(events.binary_search(&edge.event).ok());
        if let Some(place) = place {
            weights[place] = edge.weight;
        }
    }
    let pairs = if bound == 1 {
        assignment::maximum_weight_matching(weights.view())
    } else {
        let mut flow = Flow::new(weights.view(), bound);
        while flow.round() {
            pace.step("match", 0, 1).await?;
        }
        flow.pairs(weights.view())
    };
    let named = |pair: assignment::Pair| Pair {
        character: characters[pair.row],
        event: events[pair.column],
        weight: pair.weight,
    };
    Ok(pairs.into_iter().map(named).collect())
}

/// Ties in story order, then by character.
fn heaviest_first(pairs: &mut [Pair]) {
    pairs.sort_by(|a, b| {
        descending(a.weight, b.weight).then(a.event.cmp(&b.event)).then(a.character.cmp(&b.character))
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::Scored;
    use super::*;
    use crate::algo::csr::Csr;
    use crate::config::Matching as Mode;
    use crate::pace::Native;
    use pollster::block_on;

    /// Characters 0 to 2, events 0 to 3; the third character and the fourth event are neither anchored
    /// nor awakened.
    fn drawn(mode: Mode, k4: usize) -> Matching {
        let edges =
            vec![(0, 0, 9.0), (0, 1, 8.0), (0, 2, 1.0), (1, 0, 7.0), (1, 1, 2.0), (2, 0, 50.0), (0, 3, 50.0)];
        let layer = PonsLayer { weights: Csr::new(3, 4, edges) };
        let character = |id| Scored { id: EntityId::new(id), score: 1.0 };
        let event = |id| Scored { id: EventId::new(id), score: 1.0 };
        let anchors = Nodes { characters: vec![character(1)], events: vec![event(2), event(0)] };
        let awakened = Nodes { characters: vec![character(0)], events: vec![event(1)] };
        let config = QueryConfig { matching: mode, k4, ..QueryConfig::default() };
        let host = Native::default();
        block_on(pair(&layer, &anchors, &awakened, &config, &Pace::new(&host))).unwrap()
    }

    fn weights(pairs: &[Pair]) -> Vec<f64> {
        pairs.iter().map(|pair| pair.weight).collect()
    }

    #[test]
    fn each_mode_takes_its_own_edges_of_the_subgraph() {
        for (mode, expected) in [
            // 8 + 7 is more than 9 + 2.
            (Mode::OneToOne, vec![8.0, 7.0]),
            (Mode::OneToTwo, vec![9.0, 8.0, 7.0, 2.0]),
            (Mode::OneToThree, vec![9.0, 8.0, 7.0, 2.0, 1.0]),
            (Mode::Top, vec![9.0, 8.0, 7.0, 2.0, 1.0]),
            (Mode::Dense, vec![9.0, 8.0, 7.0, 2.0, 1.0]),
        ] {
            let found = drawn(mode, 30);
            assert_eq!(weights(&found.pairs), expected, "{mode:?}");
            assert_eq!(
                weights(&found.edges),
                [9.0, 8.0, 7.0, 2.0, 1.0],
                "{mode:?}: edges to others are none"
            );
            assert!(found.cut.is_empty());
        }
    }

    /// Of matchings that weigh the same one is taken, however the nodes came.
    #[test]
    fn ties_do_not_hang_on_the_order_of_the_nodes() {
        let edges =
            (0..4).flat_map(|u| (0..5).map(move |v| (u, v, if (u + v) % 2 == 0 { 2.0 } else { 1.0 })));
        let layer = PonsLayer { weights: Csr::new(4, 5, edges.collect()) };
        let host = Native::default();
        for mode in [Mode::OneToOne, Mode::OneToTwo, Mode::OneToThree, Mode::Top] {
            let config = QueryConfig { matching: mode, k4: 7, ..QueryConfig::default() };
            let found = |turn: usize| {
                let mut anchors = Nodes {
                    characters: (0..4).map(|id| Scored { id: EntityId::new(id), score: 1.0 }).collect(),
                    events: (0..5).map(|id| Scored { id: EventId::new(id), score: 1.0 }).collect(),
                };
                anchors.characters.rotate_left(turn % 4);
                anchors.events.rotate_left(turn);
                block_on(pair(&layer, &anchors, &Nodes::default(), &config, &Pace::new(&host))).unwrap()
            };
            assert!((1..5).all(|turn| found(turn) == found(0)), "{mode:?}");
        }
    }

    #[test]
    fn what_is_lighter_than_the_k4_heaviest_is_cut_and_told() {
        for (mode, kept, cut) in [
            (Mode::OneToOne, vec![8.0], vec![7.0]),
            (Mode::OneToTwo, vec![9.0, 8.0], vec![7.0, 2.0]),
            (Mode::OneToThree, vec![9.0, 8.0, 7.0], vec![2.0, 1.0]),
            (Mode::Top, vec![9.0], vec![8.0, 7.0, 2.0, 1.0]),
            (Mode::Dense, vec![9.0, 8.0, 7.0, 2.0, 1.0], vec![]),
        ] {
            let found = drawn(mode, 1);
            assert_eq!((weights(&found.pairs), weights(&found.cut)), (kept, cut), "{mode:?}");
        }
    }
}
