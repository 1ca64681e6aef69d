//! Personalised PageRank by power iteration.
//!
//! Definition: `p = (1 - d) s + d Pᵀ p`, with `s` the restart distribution, `d` the damping and `P`
//! the row-stochastic matrix of the weights; the mass of vertices without edges returns to `s`, as in
//! igraph's PRPACK, which HippoRAG 2 uses (damping 0.5).
//!
//! Reference: Haveliwala, "Topic-sensitive PageRank" (2002); PonsRAG 4.2 for its use here.

use super::csr::Csr;

/// When iteration stops; the error shrinks by the damping each round.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Rounds after which it stops in any case.
    pub rounds: usize,
    /// Sum of absolute changes below which the ranks count as settled.
    pub change: f64,
}

/// As far as it pays where nothing else is said.
const SETTLED: Stop = Stop { rounds: 200, change: 1e-12 };

/// The stationary probabilities of a walk that restarts by `restart`.
///
/// # Arguments
/// - `graph`: square; an undirected graph holds each edge in both rows. Weights ≥ 0.
/// - `restart`: one weight ≥ 0 for each vertex, scaled to sum to one here; all zero means uniform.
/// - `damping`: share of the walk that follows edges, 0 to below 1.
///
/// # Returns
/// One probability for each vertex, summing to one; empty for an empty graph.
///
/// # Complexity
/// O(r (v + e)) time for r rounds (about 40 at damping 0.5), O(v) auxiliary space.
///
/// # Example
/// ```
/// use plotbridge::algo::{csr::Csr, pagerank::page_rank};
/// // a — b — c, restart at a
/// let graph = Csr::new(3, 3, vec![(0, 1, 1.0), (1, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0)]);
/// let rank = page_rank(&graph, &[1.0, 0.0, 0.0], 0.5);
/// assert!((rank[0] - 7.0 / 12.0).abs() < 1e-9);
/// assert!((rank.iter().sum::<f64>() - 1.0).abs() < 1e-9);
/// ```
pub fn page_rank(graph: &Csr, restart: &[f64], damping: f64) -> Vec<f64> {
    page_rank_until(graph, restart, damping, SETTLED)
}

/// The same with another end.
pub fn page_rank_until(graph: &Csr, restart: &[f64], damping: f64, stop: Stop) -> Vec<f64> {
    let size = graph.height();
    let restart = distribution(restart, size);
    let out = graph.row_sums();
    let mut rank = restart.clone();
    for _ in 0..stop.rounds {
        let mut next = vec![0.0; size];
        let mut dangling = 0.0;
        for vertex in 0..size {
            if out[vertex] > 0.0 {
                let share = rank[vertex] / out[vertex];
                for (target, weight) in graph.row(vertex) {
                    next[target] += share * weight;
                }
            } else {
                dangling += rank[vertex];
            }
        }
        let mut change = 0.0;
        for vertex in 0..size {
            next[vertex] =
                (1.0 - damping) * restart[vertex] + damping * (next[vertex] + dangling * restart[vertex]);
            change += (next[vertex] - rank[vertex]).abs();
        }
        rank = next;
        if change < stop.change {
            break;
        }
    }
    rank
}

/// `weights` scaled to sum to one over `size` places; uniform where nothing is positive.
fn distribution(weights: &[f64], size: usize) -> Vec<f64> {
    let mut scaled: Vec<f64> = (0..size)
        .map(|place| weights.get(place).copied().filter(|weight| weight.is_finite()).unwrap_or(0.0).max(0.0))
        .collect();
    let sum: f64 = scaled.iter().sum();
    for weight in &mut scaled {
        *weight = if sum > 0.0 { *weight / sum } else { 1.0 / size as f64 };
    }
    scaled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_edges_the_rank_is_the_restart() {
        let graph = Csr::new(3, 3, Vec::new());
        assert_eq!(page_rank(&graph, &[2.0, 0.0, 2.0], 0.85), [0.5, 0.0, 0.5]);
        assert!(page_rank(&Csr::new(0, 0, Vec::new()), &[], 0.5).is_empty());
    }

    #[test]
    fn no_restart_weight_means_uniform() {
        let graph = Csr::new(2, 2, vec![(0, 1, 1.0), (1, 0, 1.0)]);
        assert_eq!(page_rank(&graph, &[0.0, f64::NAN], 0.5), [0.5, 0.5]);
    }
}
