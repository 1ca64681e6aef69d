//! Items in order cut into runs, one for each of a list of keys in the same order.
//!
//! Definition: given weights `w[k][i]` of `m` keys and `n ≥ m` items, the runs `r_1 .. r_m` that tile the
//! items in order, none empty, with the largest sum of `w[k][i]` over the items `i` of each key's own run.
//!
//! Solved by dynamic programming over the last item and its key: an item goes to the key of the item before
//! it or to the next one. Ours; the problem is that of aligning two texts in order (Gale and Church 1993),
//! without insertions.

use std::ops::Range;

/// The best runs, one for each key.
///
/// `weights[k][i]` is what item `i` is worth to key `k`; every row has one length. Of equal tilings the one
/// whose later runs begin later wins.
///
/// Returns no run where there is no key or there are fewer items than keys. O(m n) time and memory.
///
/// ```
/// use plotbridge::algo::segment::runs;
/// let weights = [vec![2.0, 1.0, 0.0, 0.0], vec![0.0, 0.0, 3.0, 1.0]];
/// assert_eq!(runs(&weights), [0..2, 2..4]);
/// ```
pub fn runs(weights: &[Vec<f64>]) -> Vec<Range<usize>> {
    let (keys, items) = (weights.len(), weights.first().map_or(0, Vec::len));
    if keys == 0 || items < keys || weights.iter().any(|row| row.len() != items) {
        return Vec::new();
    }
    // The best sum with each item in each key's run; whether the item opens that run.
    let mut best = vec![vec![f64::NEG_INFINITY; items]; keys];
    let mut opens = vec![vec![false; items]; keys];
    for item in 0..items {
        for key in 0..keys.min(item + 1) {
            let stay = if item > 0 { best[key][item - 1] } else { f64::NEG_INFINITY };
            let open = match (key, item) {
                (0, 0) => 0.0,
                (0, _) | (_, 0) => f64::NEG_INFINITY,
                _ => best[key - 1][item - 1],
            };
            opens[key][item] = open >= stay;
            best[key][item] = weights[key][item] + open.max(stay);
        }
    }
    let mut found = Vec::with_capacity(keys);
    let (mut key, mut end) = (keys - 1, items);
    for item in (0..items).rev() {
        if opens[key][item] {
            found.push(item..end);
            end = item;
            key = key.saturating_sub(1);
        }
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn worth(weights: &[Vec<f64>], runs: &[Range<usize>]) -> f64 {
        runs.iter().enumerate().map(|(key, run)| weights[key][run.clone()].iter().sum::<f64>()).sum()
    }

    /// Every tiling of `items` into `keys` runs.
    fn tilings(items: usize, keys: usize, from: usize) -> Vec<Vec<Range<usize>>> {
        if keys == 1 {
            return vec![vec![from..items]];
        }
        let mut all = Vec::new();
        for cut in from + 1..=items - (keys - 1) {
            for mut rest in tilings(items, keys - 1, cut) {
                rest.insert(0, from..cut);
                all.push(rest);
            }
        }
        all
    }

    proptest! {
        #[test]
        fn equals_brute_force(
            (keys, items) in (1usize..5).prop_flat_map(|keys| (Just(keys), keys..9)),
            numbers in proptest::collection::vec(0u8..10, 40),
        ) {
            let at = |key: usize, item: usize| f64::from(numbers[(key * 9 + item) % 40]);
            let weights: Vec<Vec<f64>> = (0..keys).map(|key| (0..items).map(|item| at(key, item)).collect()).collect();
            let found = runs(&weights);
            prop_assert_eq!(found.len(), keys);
            prop_assert_eq!((found[0].start, found[keys - 1].end), (0, items));
            prop_assert!(found.windows(2).all(|two| two[0].end == two[1].start));
            prop_assert!(found.iter().all(|run| !run.is_empty()));
            let most = tilings(items, keys, 0).iter().map(|tiling| worth(&weights, tiling)).fold(0.0, f64::max);
            prop_assert_eq!(worth(&weights, &found), most);
        }
    }

    #[test]
    fn no_run_for_fewer_items_than_keys() {
        assert!(runs(&[vec![1.0], vec![1.0]]).is_empty());
        assert!(runs(&[]).is_empty());
    }
}
