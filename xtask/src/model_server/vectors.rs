//! Vectors of texts: the hashed bag of their stems, so that texts with words in common are near.
//!
//! Each distinct stem adds 1 or -1 at a place that its hash chooses. The invariant: a vector depends
//! on its text alone, has length 1, and is never all zeros, whatever the text.

use std::collections::BTreeSet;

use super::sentences::words;

/// Numbers of a vector unless a request asks for another width.
pub const WIDTH: usize = 64;

/// A vector of unit length.
pub fn vector(text: &str, width: usize) -> Vec<f32> {
    let width = width.max(1);
    let stems: BTreeSet<String> = words(text).filter(|word| word.len() > 2).map(|word| stem(&word)).collect();
    let mut sums = vec![0.0_f32; width];
    for stem in &stems {
        add(&mut sums, hash(stem));
    }
    if sums.iter().all(|sum| *sum == 0.0) {
        add(&mut sums, hash(text));
    }
    let length = sums.iter().map(|sum| sum * sum).sum::<f32>().sqrt();
    sums.iter().map(|sum| sum / length).collect()
}

fn add(sums: &mut [f32], hash: u64) {
    let place = hash % sums.len() as u64;
    sums[place as usize] += if hash >> 63 == 0 { 1.0 } else { -1.0 };
}

/// FNV-1a, whose high bits are mixed once more.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A word without its commonest English ending.
pub fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    let endings = ["ings", "ing", "edly", "ed", "ies", "es", "ly", "s", "y", "e"];
    let long_enough = |stem: &&str| stem.chars().count() >= 3;
    let cut = endings.iter().find_map(|ending| word.strip_suffix(ending).filter(long_enough));
    cut.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &str, b: &str) -> f32 {
        vector(a, WIDTH).iter().zip(vector(b, WIDTH)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn vectors_have_length_one_whatever_the_text() {
        for text in ["", "a", "The keeper of the light", "ключ", "\u{0}", &"word ".repeat(5000)] {
            for width in [1, 3, WIDTH] {
                let vector = vector(text, width);
                let length: f32 = vector.iter().map(|x| x * x).sum();
                assert!(vector.len() == width && (length - 1.0).abs() < 1e-5, "{text:?} {width}");
            }
        }
    }

    #[test]
    fn texts_with_words_in_common_are_nearer() {
        let (near, far) = ("The keepers walked to the lights", "A bread recipe needs yeast");
        assert!(cosine("The keeper walks to a light", near) > 0.8);
        assert!(cosine("The keeper walks to a light", far) < 0.3);
    }

    #[test]
    fn endings_are_cut() {
        let cases =
            [("walked", "walk"), ("walks", "walk"), ("stories", "stor"), ("story", "stor"), ("was", "was")];
        for (word, expected) in cases {
            assert_eq!(stem(word), expected);
        }
    }
}
