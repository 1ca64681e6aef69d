//! Generalized Co-HITS on a weighted bipartite graph.
//!
//! Two sides lend each other their scores, each pulled back to its start:
//! `x = (1 - λx) x0 + λx Svu y` and `y = (1 - λy) y0 + λy Suv x`, where `Svu[i,k] = w_ik / Σ_i' w_i'k`
//! shares an event's score among its characters and `Suv[k,i] = w_ik / Σ_k' w_ik'` a character's among
//! its events. A node without edges keeps only its own start.
//!
//! Reference: Deng, Lyu, King, "A generalized Co-HITS algorithm and its application to bipartite
//! graphs" (KDD 2009); PonsRAG eq. 7 gives neither the lambdas nor the start, see docs/departures.md.

use super::csr::Csr;

/// Rounds after which iteration stops in any case.
const ROUNDS: usize = 200;
/// Sum of absolute changes below which the scores count as settled.
const SETTLED: f64 = 1e-10;

/// The settled scores of both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// One for each row (character).
    pub rows: Vec<f64>,
    /// One for each column (event).
    pub columns: Vec<f64>,
}

/// The bipartite graph with both directions' shares worked out once.
pub struct CoHits {
    /// For each row the columns it hears from, each with its share of the column's score.
    to_rows: Csr,
    /// For each column the rows it hears from, each with its share of the row's score.
    to_columns: Csr,
}

impl CoHits {
    /// From weights ≥ 0, rows by columns. O(e) time and space.
    pub fn new(weights: &Csr) -> Self {
        let transposed = weights.transposed();
        let (row_sums, column_sums) = (weights.row_sums(), transposed.row_sums());
        let share = |sum: f64, weight: f64| if sum > 0.0 { weight / sum } else { 0.0 };
        Self {
            to_rows: weights.weighed(|_, column, weight| share(column_sums[column], weight)),
            to_columns: transposed.weighed(|_, row, weight| share(row_sums[row], weight)),
        }
    }

    /// The fixed point from these starts.
    ///
    /// # Arguments
    /// - `rows`, `columns`: the starts x0 and y0, each scaled to sum to one here; a side without a
    ///   positive start stays at zero.
    /// - `lambda_rows`, `lambda_columns`: 0 keeps the start, 1 takes everything from the other side.
    ///
    /// # Complexity
    /// O(r e) time; the error shrinks by `lambda_rows · lambda_columns` a round.
    ///
    /// # Example
    /// ```
    /// use plotbridge::algo::{cohits::CoHits, csr::Csr};
    /// // one character in two events, the first edge three times as heavy
    /// let graph = CoHits::new(&Csr::new(1, 2, vec![(0, 0, 3.0), (0, 1, 1.0)]));
    /// let scores = graph.settle(&[1.0], &[0.0, 0.0], 0.5, 0.5);
    /// assert!((scores.columns[0] / scores.columns[1] - 3.0).abs() < 1e-9);
    /// ```
    pub fn settle(&self, rows: &[f64], columns: &[f64], lambda_rows: f64, lambda_columns: f64) -> Scores {
        let mut spreading = self.spread(rows, columns, lambda_rows, lambda_columns);
        while spreading.round() {}
        spreading.scores
    }

    /// The same one round at a time, for graphs so large that a page wants turns in between.
    pub fn spread(
        &self,
        rows: &[f64],
        columns: &[f64],
        lambda_rows: f64,
        lambda_columns: f64,
    ) -> Spreading<'_> {
        let start = Scores {
            rows: scaled(rows, self.to_rows.height()),
            columns: scaled(columns, self.to_columns.height()),
        };
        Spreading { graph: self, scores: start.clone(), start, lambda_rows, lambda_columns, rounds: 0 }
    }
}

/// Co-HITS on its way to the fixed point.
pub struct Spreading<'a> {
    graph: &'a CoHits,
    start: Scores,
    lambda_rows: f64,
    lambda_columns: f64,
    rounds: usize,
    /// The scores so far.
    pub scores: Scores,
}

impl Spreading<'_> {
    /// One round over both sides; whether the scores still move.
    pub fn round(&mut self) -> bool {
        let rows = blend(&self.graph.to_rows, &self.start.rows, &self.scores.columns, self.lambda_rows);
        let columns = blend(&self.graph.to_columns, &self.start.columns, &rows, self.lambda_columns);
        let change = distance(&rows, &self.scores.rows) + distance(&columns, &self.scores.columns);
        self.scores = Scores { rows, columns };
        self.rounds += 1;
        change >= SETTLED && self.rounds < ROUNDS
    }
}

/// One half step: `(1 - λ) start + λ shares · other`.
fn blend(shares: &Csr, start: &[f64], other: &[f64], lambda: f64) -> Vec<f64> {
    (0..shares.height())
        .map(|node| {
            let heard: f64 = shares.row(node).map(|(from, share)| share * other[from]).sum();
            (1.0 - lambda) * start[node] + lambda * heard
        })
        .collect()
}

fn scaled(start: &[f64], size: usize) -> Vec<f64> {
    let mut start: Vec<f64> =
        (0..size).map(|place| start.get(place).copied().unwrap_or(0.0).max(0.0)).collect();
    let sum: f64 = start.iter().sum();
    if sum > 0.0 {
        start.iter_mut().for_each(|weight| *weight /= sum);
    }
    start
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters a, b; events 2, 3, 4, 5 with a-2=2, a-3=3, a-4=4, b-4=5, b-5=6.
    fn drawn() -> CoHits {
        CoHits::new(&Csr::new(2, 4, vec![(0, 0, 2.0), (0, 1, 3.0), (0, 2, 4.0), (1, 2, 5.0), (1, 3, 6.0)]))
    }

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < 1e-8, "{found:?} is not {expected:?}");
        }
    }

    /// One Gauss-Seidel step against the unit test of an independent implementation (AAQS).
    #[test]
    fn one_step_from_a_uniform_start() {
        let graph = drawn();
        let mut spreading = graph.spread(&[1.0; 2], &[1.0; 4], 0.9, 0.1);
        spreading.round();
        close(&spreading.scores.rows, &[3.0 / 5.0, 2.0 / 5.0]);
        close(&spreading.scores.columns, &[143.0 / 600.0, 49.0 / 200.0, 1781.0 / 6600.0, 543.0 / 2200.0]);
    }

    /// Fixed points worked out with numpy from the closed form.
    #[test]
    fn fixed_points() {
        type Row<'a> = (&'a [f64], &'a [f64], f64, [f64; 2], [f64; 4]);
        let rows: [Row<'_>; 3] = [
            (
                &[1.0; 2],
                &[1.0; 4],
                0.5,
                [0.52570778, 0.47429222],
                [0.18341198, 0.21261796, 0.34961764, 0.25435242],
            ),
            (
                &[1.0, 0.0],
                &[0.0, 0.0, 0.0, 1.0],
                0.5,
                [0.63846404, 0.36153596],
                [0.07094045, 0.10641067, 0.22404816, 0.59860072],
            ),
            (
                &[1.0, 0.0],
                &[0.0, 0.0, 0.0, 1.0],
                0.85,
                [0.49174596, 0.50825404],
                [0.09288535, 0.13932802, 0.38214158, 0.38564506],
            ),
        ];
        for (x0, y0, lambda, x, y) in rows {
            let scores = drawn().settle(x0, y0, lambda, lambda);
            close(&scores.rows, &x);
            close(&scores.columns, &y);
        }
    }

    /// With one lambda at 1 a side keeps no start of its own, and the other is a personalised PageRank over
    /// two steps: to the other side and back.
    #[test]
    fn one_sided_it_is_pagerank_over_two_steps() {
        let graph = drawn();
        let two_steps = (0..4u32).flat_map(|event| {
            let heard = graph.to_rows.edges().filter(move |&(_, from, _)| from == event as usize);
            let on = |(row, _, share): (usize, usize, f64)| {
                let told = graph.to_columns.edges().filter(move |&(_, from, _)| from == row);
                told.map(move |(to, _, weight)| (event, to as u32, share * weight)).collect::<Vec<_>>()
            };
            heard.flat_map(on).collect::<Vec<_>>()
        });
        let walk = Csr::new(4, 4, two_steps.collect());
        for damping in [0.3, 0.5, 0.85] {
            let rank = crate::algo::pagerank::page_rank(&walk, &[0.0, 1.0, 0.0, 3.0], damping);
            close(&drawn().settle(&[1.0, 0.0], &[0.0, 1.0, 0.0, 3.0], 1.0, damping).columns, &rank);
        }
    }

    /// With both at 0 nothing spreads; with both at 1 the starts are forgotten.
    #[test]
    fn at_the_ends_the_start_is_all_or_nothing() {
        let graph = drawn();
        let kept = graph.settle(&[1.0, 3.0], &[1.0, 1.0, 0.0, 0.0], 0.0, 0.0);
        assert_eq!((kept.rows, kept.columns), (vec![0.25, 0.75], vec![0.5, 0.5, 0.0, 0.0]));
        let one = graph.settle(&[1.0, 0.0], &[1.0, 0.0, 0.0, 0.0], 1.0, 1.0);
        let other = graph.settle(&[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0], 1.0, 1.0);
        close(&one.columns, &other.columns);
        // Every node then has its share of all weight: 9 and 11 of 20.
        close(&one.rows, &[0.45, 0.55]);
    }

    #[test]
    fn a_node_without_edges_keeps_its_own_start() {
        let graph = CoHits::new(&Csr::new(2, 1, vec![(0, 0, 1.0)]));
        let scores = graph.settle(&[1.0, 1.0], &[0.0], 0.5, 0.5);
        close(&scores.rows[1..], &[0.25]);
    }
}
