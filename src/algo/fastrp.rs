//! Fast random projection: vectors of a graph's vertices, near for those of like neighbourhoods.
//!
//! Definition: `A` the weights, `D` the degrees (row sums), `m` half of their sum, `P = D⁻¹ A`, and
//! `L = diag((d_j / 2m)^β)`. A start matrix `R` gives each vertex a random direction, its entries
//! `√s · {+1, 0, −1}` with the chances `1/2s, 1 − 1/s, 1/2s` (very sparse, s = 3). Then
//!
//! ```text
//! N₁ = P L R,   Nₖ = P Nₖ₋₁,   Z = Σ aₖ · rows of Nₖ scaled to length 1
//! ```
//!
//! so that `Nₖ` holds where a walk of k steps ends, squeezed into `dims` numbers, and a dot product of two rows
//! estimates how alike the ends of two walks are. Rows of `Z` are scaled to length 1 once more; a vertex without
//! edges has zeros. Two vertices of different components are near-orthogonal whatever part they play there:
//! what lies near here is what shares company, not what has the same role (systems 2.2, II.d).
//!
//! With another start the same recursion gives another likeness: where `R` holds features of the vertices
//! (what they are, how many ties they have), near are those whose surroundings look alike, whoever is in
//! them.
//!
//! Invariant: the same graph, start and settings give the same bits everywhere. Directions come from a counter
//! that is mixed (SplitMix64), one row for each vertex; sums run by target; powers come from `libm`.
//!
//! Reference: Chen, Sultan, Tian, Chen, Skiena, "Fast and accurate network embeddings via very sparse random
//! projection" (2019); Li, Hastie, Church, "Very sparse random projections" (2006). The weights 0, 1, 1 and the
//! degrees as they are (β = 0) are the defaults of Neo4j's FastRP; the paper's own examples weight later powers
//! more, and centre the columns.

use super::csr::Csr;
use super::vector::normalise;
use crate::error::Result;
use crate::pace::Pace;

/// How many numbers a vector has (systems 2.2).
pub const DIMS: usize = 256;
/// What each power counts: the first step, the second, the third.
pub const WEIGHTS: [f32; 3] = [0.0, 1.0, 1.0];
/// The power of a vertex's degree with which its direction starts: 0 leaves them as they are.
pub const DEGREE_POWER: f64 = 0.0;

/// One in so many entries of a start is not zero.
const SPARSITY: u64 = 3;
/// Where the counter begins: any number does, and another gives other vectors.
const SEED: u64 = 0x5A17_C0DA;
/// Vertices between two looks at the clock.
const SOME: usize = 64;

/// A random direction of `dims` numbers for each of `size` vertices: the very sparse start.
pub fn directions(size: usize, dims: usize) -> Vec<f32> {
    let mut start = Vec::with_capacity(size * dims);
    let length = libm::sqrtf(SPARSITY as f32);
    for vertex in 0..size as u64 {
        for place in 0..dims as u64 {
            // One row of 2³² counters for each vertex.
            let drawn = mixed(SEED.wrapping_add((vertex << 32) | place)) >> 32;
            start.push(match (drawn * 2 * SPARSITY) >> 32 {
                0 => length,
                1 => -length,
                _ => 0.0,
            });
        }
    }
    start
}

/// SplitMix64's mixing: every bit of the counter moves every bit of the result.
fn mixed(counter: u64) -> u64 {
    let mut word = counter.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// The vectors of a graph's vertices, one after another.
///
/// # Arguments
/// - `graph`: square and undirected, each edge in both rows; weights ≥ 0.
/// - `start`: `dims` numbers for each vertex, such as [`directions`].
/// - `weights`: what the rows after one step, two steps, ... count in the sum.
/// - `degree_power`: β; 0 starts from every vertex alike, less than 0 makes those of many ties count less.
///
/// # Returns
/// `dims` numbers for each vertex, of length 1, or all zero where nothing reaches it.
///
/// # Errors
/// `aborted` when the caller cancels.
///
/// # Complexity
/// O(k · e · dims) time for k weights and e edges, O(v · dims) auxiliary space.
///
/// # Example
/// ```
/// use plotbridge::algo::{csr::Csr, fastrp};
/// use plotbridge::pace::{Native, Pace};
/// // two servants of one master, and a stranger
/// let edges = vec![(0, 2, 1.0), (2, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0)];
/// let (graph, host) = (Csr::new(4, 4, edges), Native::default());
/// let pace = Pace::new(&host);
/// let start = fastrp::directions(4, 256);
/// let found = fastrp::embed(&graph, start, 256, &[0.0, 1.0, 1.0], 0.0, &pace);
/// let rows = pollster::block_on(found)?;
/// let dot = |a: usize, b: usize| plotbridge::algo::vector::dot(&rows[a * 256..][..256], &rows[b * 256..][..256]);
/// assert!(dot(0, 1) > 0.999, "they keep the same company");
/// assert_eq!(dot(3, 3), 0.0, "nothing ties the stranger");
/// # Ok::<(), plotbridge::Error>(())
/// ```
pub async fn embed(
    graph: &Csr,
    mut start: Vec<f32>,
    dims: usize,
    weights: &[f32],
    degree_power: f64,
    pace: &Pace<'_>,
) -> Result<Vec<f32>> {
    let (size, degrees) = (graph.height(), graph.row_sums());
    start.resize(size * dims, 0.0);
    scale(&mut start, dims, &degrees, degree_power);
    let mut sum = vec![0.0; start.len()];
    let mut power = start;
    for (step, weight) in weights.iter().enumerate() {
        power = stepped(graph, &power, dims, &degrees, (step, weights.len()), pace).await?;
        for (row, sum) in power.chunks_exact(dims.max(1)).zip(sum.chunks_exact_mut(dims.max(1))) {
            add(sum, row, *weight);
        }
    }
    sum.chunks_exact_mut(dims.max(1)).for_each(normalise);
    Ok(sum)
}

/// `L R`: each vertex's start times its share of all degrees, to the power.
fn scale(start: &mut [f32], dims: usize, degrees: &[f64], power: f64) {
    let all: f64 = degrees.iter().sum();
    if power == 0.0 || all <= 0.0 {
        return;
    }
    for (row, degree) in start.chunks_exact_mut(dims.max(1)).zip(degrees) {
        let share = if *degree > 0.0 { libm::pow(degree / all, power) } else { 0.0 };
        row.iter_mut().for_each(|number| *number *= share as f32);
    }
}

/// `P N`: every vertex takes the mean of its neighbours' rows, by the weights of its edges.
async fn stepped(
    graph: &Csr,
    rows: &[f32],
    dims: usize,
    degrees: &[f64],
    (step, steps): (usize, usize),
    pace: &Pace<'_>,
) -> Result<Vec<f32>> {
    let mut next = vec![0.0; rows.len()];
    for (vertex, (sum, degree)) in next.chunks_exact_mut(dims.max(1)).zip(degrees).enumerate() {
        for (target, weight) in graph.row(vertex).filter(|_| *degree > 0.0) {
            let row = rows.get(target * dims..(target + 1) * dims).unwrap_or_default();
            add_scaled(sum, row, (weight / degree) as f32);
        }
        if vertex % SOME == 0 {
            pace.step("functional", step * degrees.len() + vertex, steps * degrees.len()).await?;
        }
    }
    Ok(next)
}

/// Adds a row scaled to length `weight`.
fn add(sum: &mut [f32], row: &[f32], weight: f32) {
    let mut unit = row.to_vec();
    normalise(&mut unit);
    add_scaled(sum, &unit, weight);
}

fn add_scaled(sum: &mut [f32], row: &[f32], weight: f32) {
    sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += weight * number);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_a_start_is_not_zero_and_its_rows_are_far_apart() {
        let (size, dims) = (40, 1024);
        let start = directions(size, dims);
        let (plus, minus) =
            (start.iter().filter(|n| **n > 0.0).count(), start.iter().filter(|n| **n < 0.0).count());
        // 40,960 draws of 1/6: a standard deviation is 75 of 6827.
        for count in [plus, minus] {
            assert!((count as f64 - 6826.7).abs() < 4.0 * 75.5, "{plus} and {minus}");
        }
        let row = |at: usize| &start[at * dims..][..dims];
        let far = |a: usize, b: usize| super::super::vector::dot(row(a), row(b)).abs() / dims as f32;
        // The dot product of two rows has a standard deviation of 32 where their lengths are 1024.
        let pairs = (0..size).flat_map(|a| (0..a).map(move |b| (a, b)));
        assert!(pairs.into_iter().all(|(a, b)| far(a, b) < 5.0 * 32.0 / 1024.0));
        assert_eq!(start, directions(size, dims));
    }
}
