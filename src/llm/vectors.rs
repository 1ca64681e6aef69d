//! Vectors as they come from outside: checked, then brought to unit length.
//!
//! A wrong count shifts every text's vector, a wrong width or a vector of zeros silently finds nothing:
//! each is an error before it can enter an index.

/// The widest vector taken, in numbers; an index holds no wider one.
pub const WIDEST: usize = 8192;

/// The vectors at unit length, if they are one for each of `count` texts, all of one width, finite, and
/// none is zero.
///
/// # Errors
/// What is wrong, in words.
pub fn unit(mut vectors: Vec<Vec<f32>>, count: usize) -> Result<Vec<Vec<f32>>, String> {
    if vectors.len() != count {
        return Err(format!("{} vectors came for {count} texts", vectors.len()));
    }
    let width = vectors.first().map_or(0, Vec::len);
    for (place, vector) in vectors.iter_mut().enumerate() {
        if vector.len() != width || width == 0 {
            return Err(format!("vector {place} has {} numbers, the first has {width}", vector.len()));
        }
        if width > WIDEST {
            return Err(format!("vector {place} has {width} numbers, over {WIDEST}"));
        }
        let squares: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        if !squares.is_finite() {
            return Err(format!("vector {place} has a number that is not finite"));
        }
        if squares == 0.0 {
            return Err(format!("vector {place} is all zeros"));
        }
        let length = libm::sqrt(squares);
        for x in vector {
            *x = (f64::from(*x) / length) as f32;
        }
    }
    Ok(vectors)
}

/// Whether a vector is one that [`unit()`] gives: finite, and of unit length but for rounding.
pub fn is_unit(vector: &[f32]) -> bool {
    let squares: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    (squares - 1.0).abs() < 1e-3
}

/// The mean of vectors of one width, each counted by its weight.
pub fn mean(vectors: &[Vec<f32>], weights: &[usize]) -> Vec<f32> {
    let mut sum = vec![0.0; vectors.first().map_or(0, Vec::len)];
    let all = weights.iter().sum::<usize>().max(1) as f64;
    for (vector, &weight) in vectors.iter().zip(weights) {
        for (sum, &x) in sum.iter_mut().zip(vector) {
            *sum += f64::from(x) * weight as f64 / all;
        }
    }
    sum.into_iter().map(|x| x as f32).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn vectors_come_out_at_unit_length() {
        assert_eq!(unit(vec![vec![3.0, 4.0], vec![0.0, -2.0]], 2).unwrap(), [[0.6, 0.8], [0.0, -1.0]]);
        assert_eq!(unit(vec![vec![1e-30, 0.0], vec![0.0, 1e30]], 2).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
        assert!(unit(Vec::new(), 0).unwrap().is_empty());
    }

    #[test]
    fn what_is_of_unit_length_is_known_again() {
        let units = unit(vec![vec![3.0, 4.0, 5.0], vec![1e-30, 0.0, 1e-31]], 2).unwrap();
        assert!(units.iter().all(|vector| is_unit(vector)));
        for vector in [&[][..], &[0.0], &[f32::NAN, 1.0], &[f32::INFINITY], &[0.6, 0.7]] {
            assert!(!is_unit(vector), "{vector:?}");
        }
    }

    #[test]
    fn a_mean_counts_by_weight() {
        assert_eq!(mean(&[vec![1.0, 0.0], vec![0.0, 1.0]], &[3, 1]), [0.75, 0.25]);
        assert!(mean(&[], &[]).is_empty());
    }

    #[test]
    fn what_would_spoil_an_index_is_refused() {
        let rows = [
            (vec![vec![1.0]], 2, "1 vectors came for 2 texts"),
            (vec![vec![1.0], vec![1.0]], 1, "2 vectors came for 1 texts"),
            (vec![vec![1.0, 0.0], vec![1.0]], 2, "vector 1 has 1 numbers, the first has 2"),
            (vec![vec![1.0; WIDEST + 1]], 1, "vector 0 has 8193 numbers, over 8192"),
            (vec![vec![]], 1, "vector 0 has 0 numbers, the first has 0"),
            (vec![vec![1.0], vec![0.0]], 2, "vector 1 is all zeros"),
            (vec![vec![f32::NAN]], 1, "vector 0 has a number that is not finite"),
            (vec![vec![1.0, f32::INFINITY]], 1, "vector 0 has a number that is not finite"),
        ];
        for (vectors, count, what) in rows {
            assert_eq!(unit(vectors, count).unwrap_err(), what);
        }
    }
}
