//! Several rankings made one, by reciprocal ranks.
//!
//! Definition: an item's score is the sum, over the lists that hold it, of `w / (k + rank)`, the first rank
//! being 1 and `w` the list's weight, 1 in the reference. Scores of the lists take no part, so that lists on different scales can be fused; `k` says how
//! slowly a place loses its worth (60: the first is worth twice the sixty-second).
//!
//! Reference: Cormack, Clarke, Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank
//! learning methods" (2009).

use std::collections::BTreeMap;

use super::vector::descending;

/// The items of all lists with their scores, best first; ties go to the smaller item.
///
/// A list that holds an item twice counts its first place. O(n log n) for n places.
///
/// # Example
/// ```
/// use plotbridge::algo::fusion::reciprocal_ranks;
/// let fused = reciprocal_ranks(&[(&[7, 3], 1.0), (&[3, 9], 1.0)], 60.0);
/// assert_eq!(fused.iter().map(|&(item, _)| item).collect::<Vec<_>>(), [3, 7, 9]);
/// assert_eq!(fused[0].1, 1.0 / 62.0 + 1.0 / 61.0);
/// ```
pub fn reciprocal_ranks(lists: &[(&[usize], f64)], k: f64) -> Vec<(usize, f64)> {
    let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
    for (list, weight) in lists {
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        for (place, &item) in list.iter().enumerate() {
            first.entry(item).or_insert(place);
        }
        for (item, place) in first {
            *sums.entry(item).or_default() += weight / (k + place as f64 + 1.0);
        }
    }
    let mut fused: Vec<(usize, f64)> = sums.into_iter().collect();
    fused.sort_by(|a, b| descending(a.1, b.1).then(a.0.cmp(&b.0)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_smaller_item_and_a_list_counts_an_item_once() {
        assert_eq!(reciprocal_ranks(&[(&[5, 5, 2], 1.0), (&[2, 5], 1.0)], 60.0).len(), 2);
        let fused = reciprocal_ranks(&[(&[8], 1.0), (&[4], 1.0)], 60.0);
        assert_eq!(fused, [(4, 1.0 / 61.0), (8, 1.0 / 61.0)]);
        assert_eq!(reciprocal_ranks(&[(&[8], 3.0), (&[4], 1.0)], 0.0), [(8, 3.0), (4, 1.0)]);
        assert!(reciprocal_ranks(&[], 60.0).is_empty());
    }
}
