//! Unit vectors in few bytes, their dot products, and the best k of a list.
//!
//! A [`Rows`] holds many vectors of one width, either as 32-bit floats or as one signed byte a number
//! with a scale a vector. Rounding to 127 steps moves a cosine by less than 0.01 at 128 dimensions.
//! Sums run in eight fixed lanes, so a vectorising compiler and a plain one add in the same order.

use std::cmp::Ordering;

/// Vectors of one width, as floats or as scaled bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    dims: usize,
    numbers: Numbers,
}

#[derive(Clone, Debug, PartialEq)]
enum Numbers {
    Exact(Vec<f32>),
    Bytes { codes: Vec<i8>, scales: Vec<f32> },
}

impl Default for Numbers {
    fn default() -> Self {
        Self::Bytes { codes: Vec::new(), scales: Vec::new() }
    }
}

impl Rows {
    /// Vectors kept as 32-bit floats; `numbers` holds them one after another.
    pub fn exact(dims: usize, mut numbers: Vec<f32>) -> Self {
        numbers.truncate(numbers.len() / dims.max(1) * dims);
        Self { dims, numbers: Numbers::Exact(numbers) }
    }

    /// Vectors of bytes, each with its scale: number = code · scale.
    pub fn from_bytes(dims: usize, mut codes: Vec<i8>, mut scales: Vec<f32>) -> Self {
        let count = scales.len().min(codes.len() / dims.max(1));
        codes.truncate(count * dims);
        scales.truncate(count);
        Self { dims, numbers: Numbers::Bytes { codes, scales } }
    }

    /// Vectors rounded to bytes, each scaled so that its largest number becomes 127.
    pub fn quantised(dims: usize, numbers: &[f32]) -> Self {
        let mut rows = Self::from_bytes(dims, Vec::with_capacity(numbers.len()), Vec::new());
        numbers.chunks_exact(dims.max(1)).for_each(|row| rows.push(row));
        rows
    }

    /// Adds one vector, kept as the others are.
    pub fn push(&mut self, row: &[f32]) {
        match &mut self.numbers {
            Numbers::Exact(numbers) => numbers.extend(row),
            Numbers::Bytes { codes, scales } => {
                let scale = row.iter().fold(0f32, |most, number| most.max(number.abs())) / 127.0;
                scales.push(scale);
                codes.extend(
                    row.iter().map(|number| if scale > 0.0 { (number / scale).round() as i8 } else { 0 }),
                );
            }
        }
    }

    /// Numbers in one vector.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// How many vectors.
    pub fn len(&self) -> usize {
        match &self.numbers {
            Numbers::Exact(numbers) => numbers.len() / self.dims.max(1),
            Numbers::Bytes { scales, .. } => scales.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The floats, one vector after another, where the rows are kept so.
    pub fn as_exact(&self) -> Option<&[f32]> {
        match &self.numbers {
            Numbers::Exact(numbers) => Some(numbers),
            Numbers::Bytes { .. } => None,
        }
    }

    /// The bytes and scales, where the rows are kept so.
    pub fn as_bytes(&self) -> Option<(&[i8], &[f32])> {
        match &self.numbers {
            Numbers::Exact(_) => None,
            Numbers::Bytes { codes, scales } => Some((codes, scales)),
        }
    }

    /// One vector as floats; zeros where there is none.
    pub fn row(&self, index: usize) -> Vec<f32> {
        let range = index * self.dims..(index + 1) * self.dims;
        match &self.numbers {
            Numbers::Exact(numbers) => {
                numbers.get(range).map_or_else(|| vec![0.0; self.dims], <[f32]>::to_vec)
            }
            Numbers::Bytes { codes, scales } => match (codes.get(range), scales.get(index)) {
                (Some(codes), Some(&scale)) => codes.iter().map(|&code| f32::from(code) * scale).collect(),
                _ => vec![0.0; self.dims],
            },
        }
    }

    /// The dot product of one vector with `query`; cosine, since both have unit length.
    pub fn dot(&self, index: usize, query: &[f32]) -> f64 {
        let range = index * self.dims..(index + 1) * self.dims;
        match &self.numbers {
            Numbers::Exact(numbers) => numbers.get(range).map_or(0.0, |row| f64::from(dot(row, query))),
            Numbers::Bytes { codes, scales } => match (codes.get(range), scales.get(index)) {
                (Some(row), Some(&scale)) => f64::from(dot_bytes(row, query) * scale),
                _ => 0.0,
            },
        }
    }

    /// The dot product of every vector with `query`.
    pub fn dots(&self, query: &[f32]) -> Vec<f64> {
        (0..self.len()).map(|index| self.dot(index, query)).collect()
    }
}

const LANES: usize = 8;

/// Dot product of two float vectors of one length.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0f32; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    let rest = a.len().min(b.len()) / LANES * LANES;
    let tail: f32 = a.iter().zip(b).skip(rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + tail
}

fn dot_bytes(a: &[i8], b: &[f32]) -> f32 {
    let mut lanes = [0f32; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            lanes[lane] += f32::from(a[lane]) * b[lane];
        }
    }
    let rest = a.len().min(b.len()) / LANES * LANES;
    let tail: f32 = a.iter().zip(b).skip(rest).map(|(&a, b)| f32::from(a) * b).sum();
    lanes.iter().sum::<f32>() + tail
}

/// Scales a vector to unit length; a zero vector stays zero.
pub fn normalise(vector: &mut [f32]) {
    let norm = dot(vector, vector).sqrt();
    if norm > 0.0 {
        vector.iter_mut().for_each(|number| *number /= norm);
    }
}

/// The indices of the `k` largest scores, best first; ties go to the smaller index, and a score that
/// is not a number counts as the least. O(n log n).
///
/// ```
/// assert_eq!(plotbridge::algo::vector::top_k(&[0.5, 2.0, f64::NAN, 2.0], 3), [1, 3, 0]);
/// ```
pub fn top_k(scores: &[f64], k: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| descending(scores[a], scores[b]).then(a.cmp(&b)));
    order.truncate(k);
    order
}

/// Orders the larger score first; what is not a number comes last.
pub fn descending(a: f64, b: f64) -> Ordering {
    b.partial_cmp(&a).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Scores as standard scores: less their mean, over their standard deviation; zeros when all are equal.
pub fn z_scores(scores: &[f64]) -> Vec<f64> {
    let count = scores.len().max(1) as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let deviation = (scores.iter().map(|score| (score - mean) * (score - mean)).sum::<f64>() / count).sqrt();
    scores.iter().map(|score| if deviation > 1e-12 { (score - mean) / deviation } else { 0.0 }).collect()
}

/// Scores moved and scaled to 0 to 1; all ones when all are equal, as HippoRAG 2 does.
pub fn min_max(scores: &[f64]) -> Vec<f64> {
    let low = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let high = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter().map(|score| if high > low { (score - low) / (high - low) } else { 1.0 }).collect()
}

/// The value below which the share `quantile` of `values` lies, between two of them as numpy's default puts it;
/// 0 for none.
///
/// ```
/// assert_eq!(plotbridge::algo::vector::quantile(vec![4.0, 1.0, 3.0, 2.0], 0.5), 2.5);
/// ```
pub fn quantile(mut values: Vec<f64>, quantile: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = quantile.clamp(0.0, 1.0) * values.len().saturating_sub(1) as f64;
    let below = values.get(place as usize).copied().unwrap_or(0.0);
    let above = values.get(place as usize + 1).copied().unwrap_or(below);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_keep_cosines() {
        let mut numbers: Vec<f32> = (0..260).map(|i| ((i * 7919) % 97) as f32 - 48.0).collect();
        numbers.chunks_exact_mut(130).for_each(normalise);
        let (exact, bytes) = (Rows::exact(130, numbers.clone()), Rows::quantised(130, &numbers));
        let query = exact.row(1);
        for row in 0..2 {
            assert!((exact.dot(row, &query) - bytes.dot(row, &query)).abs() < 0.01);
        }
        assert!((exact.dot(1, &query) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_zero_vector_survives() {
        let rows = Rows::quantised(3, &[0.0; 3]);
        assert_eq!((rows.len(), rows.dot(0, &[1.0; 3]), rows.dot(9, &[1.0; 3])), (1, 0.0, 0.0));
    }

    /// As `numpy.quantile` does.
    #[test]
    fn a_quantile_lies_between_two_values() {
        let values = || vec![7.0, 1.0, 4.0, 2.0];
        let found = [0.0, 0.1, 0.25, 0.5, 0.75, 0.95, 1.0].map(|share| quantile(values(), share));
        for (found, numpy) in found.iter().zip([1.0, 1.3, 1.75, 3.0, 4.75, 6.55, 7.0]) {
            assert!((found - numpy).abs() < 1e-12, "{found} {numpy}");
        }
        assert_eq!((quantile(vec![3.0], 0.7), quantile(Vec::new(), 0.5)), (3.0, 0.0));
    }

    #[test]
    fn scales() {
        assert_eq!(z_scores(&[1.0, 3.0]), [-1.0, 1.0]);
        assert_eq!(z_scores(&[2.0, 2.0]), [0.0, 0.0]);
        assert_eq!(min_max(&[2.0, 2.0]), [1.0, 1.0]);
        assert_eq!(quantile(vec![3.0, 1.0, 2.0], 0.5), 2.0);
    }
}
