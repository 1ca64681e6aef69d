//! Maximum-weight bipartite matching: which rows go with which columns, each at most once.
//!
//! The crate `pathfinding` solves the assignment problem (Kuhn-Munkres); this file guards it. The
//! solver wants at least as many columns as rows, an ordered weight type and no infinities, and it
//! always fills every row; here weights are scaled to integers, tall problems are transposed, and
//! pairs without an edge (weight ≤ 0) are dropped afterwards, since filling them changes no sum.
//!
//! Reference: Kuhn (1955), Munkres (1957); PonsRAG eq. 9.

use ndarray::{Array2, ArrayView2};
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

/// Weights are compared to this many parts of the largest one.
const RESOLUTION: f64 = 1e12;

/// A row matched with a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The row.
    pub row: usize,
    /// The column.
    pub column: usize,
    /// Their weight, above zero.
    pub weight: f64,
}

/// The pairs of a maximum-weight matching, by row.
///
/// # Arguments
/// - `weights`: rows by columns; values ≤ 0 and values that are not finite are no edges.
///
/// # Returns
/// Pairs of weight above zero, each row and column at most once, with the largest possible sum (to
/// one part in 10¹² of the largest weight).
///
/// # Complexity
/// O(n² m) time for the shorter side n, O(n m) space.
///
/// # Example
/// ```
/// use plotbridge::algo::assignment::maximum_weight_matching;
/// let weights = ndarray::arr2(&[[3.0, 2.0], [2.0, 0.0]]);
/// let pairs = maximum_weight_matching(weights.view());
/// // the best edge alone gives 3, the two others together 4
/// assert_eq!(pairs.iter().map(|pair| (pair.row, pair.column)).collect::<Vec<_>>(), [(0, 1), (1, 0)]);
/// ```
pub fn maximum_weight_matching(weights: ArrayView2<'_, f64>) -> Vec<Pair> {
    if weights.nrows() > weights.ncols() {
        let mut pairs = maximum_weight_matching(weights.t());
        for pair in &mut pairs {
            std::mem::swap(&mut pair.row, &mut pair.column);
        }
        pairs.sort_by_key(|pair| pair.row);
        return pairs;
    }
    let scaled = whole(weights);
    if scaled.is_empty() {
        return Vec::new();
    }
    let (_, columns) =
        kuhn_munkres(&Matrix::from_fn(weights.nrows(), weights.ncols(), |place| scaled[place]));
    columns
        .into_iter()
        .enumerate()
        .map(|(row, column)| Pair { row, column, weight: edge(weights[(row, column)]) })
        .filter(|pair| pair.weight > 0.0)
        .collect()
}

/// Weights as whole numbers, the largest as [`RESOLUTION`]; 0 where there is no edge.
pub(super) fn whole(weights: ArrayView2<'_, f64>) -> Array2<i64> {
    let largest = weights.iter().map(|&weight| edge(weight)).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    weights.map(|&weight| (edge(weight) / largest * RESOLUTION).round() as i64)
}

fn edge(weight: f64) -> f64 {
    if weight.is_finite() && weight > 0.0 { weight } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::arr2;
    use proptest::prelude::*;

    /// The best sum by trying every matching.
    fn brute_force(weights: &Array2<f64>, row: usize, taken: u32) -> f64 {
        if row == weights.nrows() {
            return 0.0;
        }
        let mut best = brute_force(weights, row + 1, taken);
        for column in 0..weights.ncols() {
            if taken & (1 << column) == 0 && weights[(row, column)] > 0.0 {
                best =
                    best.max(weights[(row, column)] + brute_force(weights, row + 1, taken | (1 << column)));
            }
        }
        best
    }

    proptest! {
        #[test]
        fn equals_brute_force(height in 1usize..7, width in 1usize..7, values in prop::collection::vec(-0.5f64..1.0, 49)) {
            let weights = Array2::from_shape_fn((height, width), |(r, c)| values[r * 7 + c]);
            let pairs = maximum_weight_matching(weights.view());
            let sum: f64 = pairs.iter().map(|pair| pair.weight).sum();
            prop_assert!((sum - brute_force(&weights, 0, 0)).abs() < 1e-9);
            let mut rows: Vec<_> = pairs.iter().map(|pair| pair.row).collect();
            let mut columns: Vec<_> = pairs.iter().map(|pair| pair.column).collect();
            rows.dedup();
            columns.sort_unstable();
            columns.dedup();
            prop_assert_eq!((rows.len(), columns.len()), (pairs.len(), pairs.len()));
        }
    }

    #[test]
    fn non_edges_are_no_pairs() {
        assert!(maximum_weight_matching(arr2(&[[0.0, -1.0], [f64::NAN, f64::INFINITY]]).view()).is_empty());
        assert!(maximum_weight_matching(Array2::zeros((0, 3)).view()).is_empty());
        let tall = maximum_weight_matching(arr2(&[[1.0], [5.0], [2.0]]).view());
        assert_eq!(tall, [Pair { row: 1, column: 0, weight: 5.0 }]);
    }
}
