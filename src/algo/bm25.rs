//! BM25 over units that are ranges of one stream of terms.
//!
//! A book is indexed once, as the sorted positions of each term. A unit (an event, its surroundings,
//! a chunk, a chapter) is a half-open range of positions, so one index serves every granularity: the
//! frequency of a term in a unit is the number of its positions inside, found by one sweep, since a
//! list of units moves through the stream in order.
//!
//! Definition: `Σ_t idf(t) · tf (k1 + 1) / (tf + k1 (1 - b + b · length / mean length))` with
//! `idf = ln(1 + (N - df + ½) / (df + ½))`, k1 = 1.2, b = 0.75.
//!
//! Reference: Robertson, Zaragoza, "The probabilistic relevance framework: BM25 and beyond" (2009).

use std::ops::Range;

/// How fast repeated uses of a term saturate.
const K1: f64 = 1.2;
/// How far long units are held back.
const B: f64 = 0.75;

/// The weight of a term that stands in `df` of `count` units; always above zero.
pub fn idf(count: usize, df: usize) -> f64 {
    libm::log(1.0 + (count as f64 - df as f64 + 0.5) / (df as f64 + 0.5))
}

/// Units to score: ranges whose starts and whose ends never go back, and terms added to some.
pub struct Units<'a> {
    /// Each unit's positions.
    pub ranges: &'a [Range<u32>],
    /// For each query term, the units that hold it once more than their positions say (a heading's
    /// words, a carried name): sorted, each unit at most once. Shorter lists than the query are fine.
    pub extra: &'a [Vec<u32>],
}

/// The BM25 score of each unit for a query.
///
/// # Arguments
/// - `terms`: for each distinct query term, its sorted positions in the stream.
/// - `units`: what to score.
///
/// # Returns
/// One score ≥ 0 for each unit.
///
/// # Complexity
/// O(q (u + p)) time for q terms, u units and p positions a term (and u for overlapping ranges' sweep).
///
/// # Example
/// ```
/// use plotbridge::algo::bm25::{Units, score};
/// // stream: a b a c, two units of two terms; the query is "a"
/// let scores = score(&[&[0, 2]], &Units { ranges: &[0..2, 2..4], extra: &[] });
/// assert_eq!(scores[0], scores[1]);
/// assert!(scores[0] > 0.0);
/// ```
pub fn score(terms: &[&[u32]], units: &Units<'_>) -> Vec<f64> {
    let count = units.ranges.len();
    let lengths: Vec<f64> =
        units.ranges.iter().map(|range| f64::from(range.end.saturating_sub(range.start))).collect();
    let mean = (lengths.iter().sum::<f64>() / count.max(1) as f64).max(1.0);
    let mut scores = vec![0.0; count];
    for (term, positions) in terms.iter().enumerate() {
        let frequencies =
            frequencies(positions, units.ranges, units.extra.get(term).map_or(&[], Vec::as_slice));
        let weight = idf(count, frequencies.iter().filter(|&&tf| tf > 0).count());
        for (unit, &tf) in frequencies.iter().enumerate().filter(|&(_, &tf)| tf > 0) {
            let tf = f64::from(tf);
            scores[unit] += weight * tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * lengths[unit] / mean));
        }
    }
    scores
}

/// How often a term stands in each unit, by two pointers through its positions.
fn frequencies(positions: &[u32], ranges: &[Range<u32>], extra: &[u32]) -> Vec<u32> {
    let (mut first, mut last) = (0, 0);
    let mut counts: Vec<u32> = ranges
        .iter()
        .map(|range| {
            while positions.get(first).is_some_and(|&position| position < range.start) {
                first += 1;
            }
            last = last.max(first);
            while positions.get(last).is_some_and(|&position| position < range.end) {
                last += 1;
            }
            (last - first) as u32
        })
        .collect();
    for &unit in extra {
        if let Some(count) = counts.get_mut(unit as usize) {
            *count += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_of_overlapping_units() {
        let found = frequencies(&[0, 3, 4, 9], &[0..4, 0..5, 3..5, 5..9, 5..10], &[3]);
        assert_eq!(found, [2, 3, 2, 1, 1]);
    }

    /// Three documents of 2, 3 and 4 terms, worked out by hand from the formula.
    #[test]
    fn by_hand() {
        let ranges = [0..2, 2..5, 5..9];
        let scores = score(&[&[0, 5, 6]], &Units { ranges: &ranges, extra: &[] });
        let idf = (1.0f64 + 1.5 / 2.5).ln();
        assert!((scores[0] - idf * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 2.0 / 3.0))).abs() < 1e-12);
        assert_eq!(scores[1], 0.0);
        assert!((scores[2] - idf * 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * 4.0 / 3.0))).abs() < 1e-12);
    }
}
