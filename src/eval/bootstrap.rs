//! How far a mean would move with other questions of the kind: 95 % intervals by resampling.
//!
//! Questions about one book share its luck, so where there are books enough (five) whole books are drawn
//! again, else single questions. The generator is our own and always starts at the same place, so that the
//! same scores give the same interval everywhere, and two methods are resampled alike.

const RESAMPLES: usize = 1000;
/// Places of the ends among the sorted means: 2.5 % lie below the one, 2.5 % above the other.
const ENDS: [usize; 2] = [24, 975];

/// So many books, and they are resampled rather than questions.
pub const ENOUGH_BOOKS: usize = 5;

/// Of fewer units that differ, not even all in one direction tell at 5 %: a coin falls five times on one
/// side in one of sixteen trials.
pub const ENOUGH_DIFFERING: usize = 6;

/// What a question got, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// The book it asks of, as a number.
    pub book: usize,
    /// The score, or a difference of two.
    pub value: f64,
}

/// A sum over so many questions.
#[derive(Clone, Copy, Default)]
struct Sum {
    total: f64,
    count: usize,
}

/// The mean of some values; `None` of none.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// What is drawn again: books where they are enough, else questions. Books follow in order of their numbers.
fn units(values: &[Value]) -> Vec<Sum> {
    let mut books: Vec<Sum> = Vec::new();
    for &Value { book, value } in values {
        books.resize(books.len().max(book + 1), Sum::default());
        if let Some(sum) = books.get_mut(book) {
            sum.total += value;
            sum.count += 1;
        }
    }
    books.retain(|sum| sum.count > 0);
    if books.len() >= ENOUGH_BOOKS {
        return books;
    }
    values.iter().map(|one| Sum { total: one.value, count: 1 }).collect()
}

/// The ends of the 95 % percentile interval of the mean over all questions; `None` of no values.
pub fn interval(values: &[Value]) -> Option<[f64; 2]> {
    let units = units(values);
    let mut random = SplitMix(0);
    let resample = |_| {
        let mut all = Sum::default();
        for drawn in (0..units.len()).filter_map(|_| random.draw(&units)) {
            all.total += drawn.total;
            all.count += drawn.count;
        }
        (all.count > 0).then(|| all.total / all.count as f64)
    };
    let mut means: Vec<f64> = (0..RESAMPLES).filter_map(resample).collect();
    means.sort_by(f64::total_cmp);
    means.get(ENDS[0]).zip(means.get(ENDS[1])).map(|(&low, &high)| [low, high])
}

/// How many of the resampled units differ from 0, by more than rounding.
pub fn differing(differences: &[Value]) -> usize {
    units(differences).iter().filter(|sum| sum.total.abs() > 1e-9).count()
}

/// Whether differences may be claimed: their interval leaves out 0, and enough differ.
pub fn claimed(differences: &[Value]) -> bool {
    let outside = |[low, high]: [f64; 2]| low > 0.0 || high < 0.0;
    differing(differences) >= ENOUGH_DIFFERING && interval(differences).is_some_and(outside)
}

/// The value that so great a share of the values does not exceed (nearest rank); `None` of none.
pub fn percentile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// SplitMix64, the generator of Steele, Lea and Flood (2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of the units, each as likely as the others.
    fn draw(&mut self, units: &[Sum]) -> Option<Sum> {
        let place = (u128::from(self.next()) * units.len() as u128) >> 64;
        units.get(place as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Values of one book.
    fn book(values: &[f64]) -> Vec<Value> {
        values.iter().map(|&value| Value { book: 0, value }).collect()
    }

    /// The first three numbers of the published generator for seed 0.
    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix(0);
        let first = [random.next(), random.next(), random.next()];
        assert_eq!(first, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }

    #[test]
    fn the_same_values_give_the_same_interval() {
        let values = book(&(0..200).map(|i| f64::from(i % 2)).collect::<Vec<_>>());
        let [low, high] = interval(&values).unwrap();
        assert_eq!(interval(&values), Some([low, high]));
        // Normal approximation: 0.5 +- 1.96 * 0.5 / sqrt(200) = 0.431 to 0.569.
        assert!((low - 0.431).abs() < 0.02 && (high - 0.569).abs() < 0.02, "{low} to {high}");
    }

    #[test]
    fn an_interval_holds_the_mean_and_needs_values() {
        assert_eq!(interval(&[]), None);
        assert_eq!(interval(&book(&[0.25])), Some([0.25, 0.25]));
        let values = [0.0, 0.1, 0.9, 1.0, 1.0];
        let ([low, high], mean) = (interval(&book(&values)).unwrap(), mean(&values).unwrap());
        assert!(low < mean && mean < high, "{low} {mean} {high}");
    }

    /// Questions agree within a book: drawn one by one they seem to tell much, drawn by book little.
    #[test]
    fn five_books_are_resampled_and_four_are_not() {
        let of = |books: usize| -> Vec<Value> {
            let value = |at: usize| Value { book: at / 40, value: (at / 40 % 2) as f64 };
            (0..books * 40).map(value).collect()
        };
        let width = |values: &[Value]| interval(values).map(|[low, high]| high - low).unwrap();
        assert!(width(&of(4)) < 0.2, "{}", width(&of(4)));
        assert!(width(&of(5)) > 0.7, "{}", width(&of(5)));
        // Questions of a book may stand anywhere in the file.
        let mut mixed = of(5);
        mixed.reverse();
        assert_eq!(interval(&mixed), interval(&of(5)));
    }

    #[test]
    fn a_larger_book_weighs_more() {
        let mut values = book(&[1.0; 1]);
        values.extend((0..400).map(|at| Value { book: 1 + at / 100, value: 0.0 }));
        let [low, high] = interval(&values).unwrap();
        assert!(low == 0.0 && high < 0.02, "{low} to {high}");
    }

    #[test]
    fn a_difference_is_claimed_only_where_enough_differ_and_the_interval_leaves_out_0() {
        let rows: [(&str, &[f64], bool); 6] = [
            ("nothing", &[], false),
            ("no difference at all", &[0.0; 50], false),
            ("five in one direction", &[0.5; 5], false),
            ("six in one direction", &[-0.5; 6], true),
            ("rounding", &[1e-17; 50], false),
            ("as many up as down", &[0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5], false),
        ];
        for (what, values, expected) in rows {
            assert_eq!(claimed(&book(values)), expected, "{what}");
        }
        // Two hundred questions of five books: five things differ, not two hundred.
        let books: Vec<Value> = (0..200).map(|at| Value { book: at % 5, value: 0.5 }).collect();
        assert_eq!((differing(&books), claimed(&books)), (5, false));
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!(percentile(&values, 0.5), Some(3.0));
        assert_eq!(percentile(&values, 0.95), Some(5.0));
        assert_eq!(percentile(&[], 0.5), None);
    }
}
