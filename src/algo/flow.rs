//! Maximum-weight matching where a node may have several partners: each row and each column is in at
//! most `bound` pairs, and the sum of the pairs' weights is as large as it can be.
//!
//! Seen as a flow: every unit goes from a source to a row, over an edge to a column, and on to a sink.
//! Source and sink sides carry `bound` units a node at no cost, an edge carries one unit and costs its
//! weight below zero. The cheapest flow of each size follows from the one before it by sending one unit
//! along the cheapest path of what is still free, where a path may take an edge back (successive shortest
//! paths). Costs below zero would break Dijkstra's search, so every node holds a potential, the cost of
//! reaching it so far, and edges are measured against those. What a unit gains falls from round to round:
//! the first that gains nothing ends it, so a pair that would make the sum smaller is never made.
//!
//! With a bound of one it is the assignment of `assignment.rs`, which is quicker there.
//!
//! Reference: Edmonds and Karp (1972), Tomizawa (1971); PonsRAG table 5, "1-to-N".

use ndarray::{Array2, ArrayView2};

use super::assignment::{Pair, whole};

/// Not reached.
const FAR: i64 = i64::MAX;

/// A matching on its way to the largest sum.
pub struct Flow {
    /// Weights as whole numbers, 0 where there is no edge.
    weights: Array2<i64>,
    /// The edges that are pairs.
    taken: Array2<bool>,
    /// How many pairs each row, then each column, is in.
    uses: Vec<usize>,
    /// The cost of reaching each row, each column, and last the sink.
    potentials: Vec<i64>,
    bound: usize,
}

/// How a search has come to a node.
#[derive(Clone, Copy)]
struct Reach {
    cost: i64,
    from: Option<usize>,
    settled: bool,
}

impl Flow {
    /// No pair yet.
    ///
    /// # Arguments
    /// - `weights`: rows by columns; values ≤ 0 and values that are not finite are no edges.
    /// - `bound`: the most pairs of a row or column.
    pub fn new(weights: ArrayView2<'_, f64>, bound: usize) -> Self {
        let weights = whole(weights);
        let (height, width) = weights.dim();
        // Reached over its heaviest edge, a column costs least; the sink as little as the least column.
        let columns = weights.columns().into_iter().map(|column| -column.iter().copied().max().unwrap_or(0));
        let mut potentials: Vec<i64> = vec![0; height].into_iter().chain(columns).collect();
        potentials.push(potentials.iter().copied().min().unwrap_or(0));
        Self {
            taken: Array2::from_elem((height, width), false),
            uses: vec![0; height + width],
            weights,
            potentials,
            bound,
        }
    }

    /// Sends one more unit; whether one was left that makes the sum larger.
    ///
    /// O((r + c)²) time for r rows and c columns; at most `bound` times the shorter side are sent.
    pub fn round(&mut self) -> bool {
        let sink = self.uses.len();
        let reached = self.search();
        let nearest = reached[sink].cost;
        if nearest == FAR {
            return false;
        }
        for (potential, reach) in self.potentials.iter_mut().zip(&reached) {
            *potential += reach.cost.min(nearest);
        }
        // The cost of the whole path, source to sink.
        if self.potentials[sink] >= 0 {
            return false;
        }
        self.send(&reached);
        true
    }

    /// Dijkstra from the source, until the sink is settled; ties go to the smaller node.
    fn search(&self) -> Vec<Reach> {
        let (height, sink) = (self.weights.nrows(), self.uses.len());
        let mut reached = vec![Reach { cost: FAR, from: None, settled: false }; sink + 1];
        for row in (0..height).filter(|&row| self.uses[row] < self.bound) {
            reached[row].cost = -self.potentials[row];
        }
        while let Some(node) = nearest(&reached) {
            reached[node].settled = true;
            if node == sink {
                break;
            }
            for (next, cost) in self.ways(node) {
                let measured = reached[node].cost + cost + self.potentials[node] - self.potentials[next];
                if !reached[next].settled && measured < reached[next].cost {
                    reached[next] = Reach { cost: measured, from: Some(node), settled: false };
                }
            }
        }
        reached
    }

    /// Where a unit can go from a row or column, and what that costs.
    fn ways(&self, node: usize) -> Vec<(usize, i64)> {
        let (height, width) = self.weights.dim();
        let sink = self.uses.len();
        if node < height {
            let free = |&column: &usize| self.weights[(node, column)] > 0 && !self.taken[(node, column)];
            return (0..width)
                .filter(free)
                .map(|column| (height + column, -self.weights[(node, column)]))
                .collect();
        }
        let column = node - height;
        let back = (0..height).filter(|&row| self.taken[(row, column)]);
        let back = back.map(|row| (row, self.weights[(row, column)]));
        let on = (self.uses[node] < self.bound).then_some((sink, 0));
        back.chain(on).collect()
    }

    /// Walks the path found back from the sink: edges on it become pairs, pairs on it come free.
    fn send(&mut self, reached: &[Reach]) {
        let height = self.weights.nrows();
        let mut node = self.uses.len();
        if let Some(last) = reached[node].from {
            self.uses[last] += 1;
            node = last;
        }
        while let Some(from) = reached[node].from {
            let (row, column) = if from < height { (from, node - height) } else { (node, from - height) };
            self.taken[(row, column)] = from < height;
            node = from;
        }
        self.uses[node] += 1;
    }

    /// The pairs so far, by row, then column, with these weights.
    pub fn pairs(&self, weights: ArrayView2<'_, f64>) -> Vec<Pair> {
        let taken = self.taken.indexed_iter().filter(|(_, taken)| **taken);
        taken.map(|((row, column), _)| Pair { row, column, weight: weights[(row, column)] }).collect()
    }
}

/// The node to settle next.
fn nearest(reached: &[Reach]) -> Option<usize> {
    let open = |&node: &usize| !reached[node].settled && reached[node].cost < FAR;
    (0..reached.len()).filter(open).min_by_key(|&node| reached[node].cost)
}

/// The pairs of the largest sum, by row, then column.
///
/// # Returns
/// Pairs of weight above zero, each row and column in at most `bound` of them, with the largest possible
/// sum (to one part in 10¹² of the largest weight).
///
/// # Complexity
/// O(b n (r + c)²) time for the shorter side n of r rows and c columns and a bound b, O(r c) space.
///
/// # Example
/// ```
/// use plotbridge::algo::flow::maximum_weight_matching;
/// let weights = ndarray::arr2(&[[3.0, 2.0, 1.0]]);
/// let pairs = maximum_weight_matching(weights.view(), 2);
/// assert_eq!(pairs.iter().map(|pair| pair.column).collect::<Vec<_>>(), [0, 1]);
/// ```
pub fn maximum_weight_matching(weights: ArrayView2<'_, f64>, bound: usize) -> Vec<Pair> {
    let mut flow = Flow::new(weights, bound);
    while flow.round() {}
    flow.pairs(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::assignment;
    use ndarray::arr2;
    use proptest::prelude::*;

    fn sum(pairs: &[Pair]) -> f64 {
        pairs.iter().map(|pair| pair.weight).sum()
    }

    /// The best sum by trying every set of edges, edge by edge.
    fn brute_force(weights: &Array2<f64>, bound: usize, edge: usize, uses: &mut [usize]) -> f64 {
        let (height, width) = weights.dim();
        if edge == height * width {
            return 0.0;
        }
        let (row, column) = (edge / width, edge % width);
        let mut best = brute_force(weights, bound, edge + 1, uses);
        if weights[(row, column)] > 0.0 && uses[row] < bound && uses[height + column] < bound {
            uses[row] += 1;
            uses[height + column] += 1;
            best = best.max(weights[(row, column)] + brute_force(weights, bound, edge + 1, uses));
            uses[row] -= 1;
            uses[height + column] -= 1;
        }
        best
    }

    /// The heaviest edge first, as long as both its ends are free.
    fn greedy(weights: &Array2<f64>, bound: usize) -> f64 {
        let mut edges: Vec<((usize, usize), f64)> =
            weights.indexed_iter().map(|(place, &weight)| (place, weight)).collect();
        edges.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut uses = vec![0; weights.nrows() + weights.ncols()];
        let mut total = 0.0;
        for ((row, column), weight) in edges.into_iter().filter(|(_, weight)| *weight > 0.0) {
            if uses[row] < bound && uses[weights.nrows() + column] < bound {
                uses[row] += 1;
                uses[weights.nrows() + column] += 1;
                total += weight;
            }
        }
        total
    }

    /// Weights of few sizes, so that ties abound, and many cells without an edge.
    fn weights(most: usize) -> impl Strategy<Value = Array2<f64>> {
        let cell = prop_oneof![3 => Just(0.0), 2 => (1..4u8).prop_map(f64::from), 3 => -0.5..5.0f64];
        (1..=most, 1..=most, prop::collection::vec(cell, most * most)).prop_map(
            move |(height, width, cells)| {
                Array2::from_shape_fn((height, width), |(r, c)| cells[r * most + c])
            },
        )
    }

    proptest! {
        #[test]
        fn equals_brute_force(weights in weights(4), bound in 1usize..4) {
            let mut uses = vec![0; weights.nrows() + weights.ncols()];
            let best = brute_force(&weights, bound, 0, &mut uses);
            prop_assert!((sum(&maximum_weight_matching(weights.view(), bound)) - best).abs() < 1e-9);
        }

        #[test]
        fn keeps_its_bound_and_takes_edges_only(weights in weights(12), bound in 1usize..5) {
            let pairs = maximum_weight_matching(weights.view(), bound);
            prop_assert!(pairs.iter().all(|pair| pair.weight > 0.0 && pair.weight == weights[(pair.row, pair.column)]));
            for row in 0..weights.nrows() {
                prop_assert!(pairs.iter().filter(|pair| pair.row == row).count() <= bound);
            }
            for column in 0..weights.ncols() {
                prop_assert!(pairs.iter().filter(|pair| pair.column == column).count() <= bound);
            }
            prop_assert!(pairs.is_sorted_by(|a, b| (a.row, a.column) < (b.row, b.column)), "each edge once, in order");
        }

        #[test]
        fn no_choice_by_turns_is_better_and_more_partners_never_weigh_less(weights in weights(9)) {
            let sums: Vec<f64> = (1..5).map(|bound| sum(&maximum_weight_matching(weights.view(), bound))).collect();
            prop_assert!(sums.is_sorted_by(|a, b| *b >= a - 1e-9), "{sums:?}");
            for (place, &best) in sums.iter().enumerate() {
                prop_assert!(best >= greedy(&weights, place + 1) - 1e-9, "{sums:?}");
            }
        }

        #[test]
        fn one_partner_each_is_the_assignment(weights in weights(11)) {
            let assigned = assignment::maximum_weight_matching(weights.view());
            prop_assert!((sum(&maximum_weight_matching(weights.view(), 1)) - sum(&assigned)).abs() < 1e-9);
        }
    }

    #[test]
    fn a_unit_may_take_a_pair_back() {
        // By turns 3 comes first and leaves 0; the best two are 2 and 2.
        let weights = arr2(&[[3.0, 2.0], [2.0, 0.0]]);
        let places = |bound| {
            let pairs = maximum_weight_matching(weights.view(), bound);
            pairs.iter().map(|pair| (pair.row, pair.column)).collect::<Vec<_>>()
        };
        assert_eq!(places(1), [(0, 1), (1, 0)]);
        assert_eq!(places(2), [(0, 0), (0, 1), (1, 0)]);
        assert!(places(0).is_empty());
    }

    #[test]
    fn without_edges_there_are_no_pairs() {
        let none = arr2(&[[0.0, -1.0], [f64::NAN, f64::INFINITY]]);
        assert!(maximum_weight_matching(none.view(), 2).is_empty());
        assert!(maximum_weight_matching(Array2::zeros((0, 3)).view(), 2).is_empty());
    }
}
