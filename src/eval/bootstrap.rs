//! How far a mean would move with other questions of the kind: 95 % intervals by resampling questions.
//!
//! The generator is our own and always starts at the same place, so that the same scores give the same
//! interval everywhere, and two methods are resampled alike.

const RESAMPLES: usize = 1000;
/// Places of the ends among the sorted means: 2.5 % lie below the one, 2.5 % above the other.
const ENDS: [usize; 2] = [24, 975];

/// The mean of some values; `None` of none.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The ends of the 95 % percentile interval of the mean; `None` of no values.
pub fn interval(values: &[f64]) -> Option<[f64; 2]> {
    let mut random = SplitMix(0);
    let resample = |_| mean(&(0..values.len()).filter_map(|_| random.draw(values)).collect::<Vec<f64>>());
    let mut means: Vec<f64> = (0..RESAMPLES).filter_map(resample).collect();
    means.sort_by(f64::total_cmp);
    means.get(ENDS[0]).zip(means.get(ENDS[1])).map(|(&low, &high)| [low, high])
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

    /// One of the values, each as likely as the others.
    fn draw(&mut self, values: &[f64]) -> Option<f64> {
        let place = (u128::from(self.next()) * values.len() as u128) >> 64;
        values.get(place as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The first three numbers of the published generator for seed 0.
    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix(0);
        let first = [random.next(), random.next(), random.next()];
        assert_eq!(first, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }

    #[test]
    fn the_same_values_give_the_same_interval() {
        let values: Vec<f64> = (0..200).map(|i| f64::from(i % 2)).collect();
        let [low, high] = interval(&values).unwrap();
        assert_eq!(interval(&values), Some([low, high]));
        // Normal approximation: 0.5 +- 1.96 * 0.5 / sqrt(200) = 0.431 to 0.569.
        assert!((low - 0.431).abs() < 0.02 && (high - 0.569).abs() < 0.02, "{low} to {high}");
    }

    #[test]
    fn an_interval_holds_the_mean_and_needs_values() {
        assert_eq!(interval(&[]), None);
        assert_eq!(interval(&[0.25]), Some([0.25, 0.25]));
        let values = [0.0, 0.1, 0.9, 1.0, 1.0];
        let ([low, high], mean) = (interval(&values).unwrap(), mean(&values).unwrap());
        assert!(low < mean && mean < high, "{low} {mean} {high}");
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!(percentile(&values, 0.5), Some(3.0));
        assert_eq!(percentile(&values, 0.95), Some(5.0));
        assert_eq!(percentile(&[], 0.5), None);
    }
}
