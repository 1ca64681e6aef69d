//! The built-in embedder: vectors from the book's own company of words, no model file.
//!
//! A term starts as a fixed pseudo-random direction of its spelling: its stem and its character
//! n-grams, hashed, so that `lamplighter` and `lamplight` start close and a word the book does not hold
//! still has a place. Then the book teaches it: an event is the idf-weighted sum of its terms, less what
//! all events share, and each term moves to the mean of the events it stands in (random indexing, a
//! one-pass reduction of the term by term co-occurrence to `dims` numbers). A text is the idf-weighted
//! sum of its terms' vectors, scaled to unit length.
//!
//! Invariant: everything follows from the lexicon's stream, so the table is worked out again when a
//! file is opened and is not stored.
//!
//! Reference: Kanerva, Kristoferson, Holst, "Random indexing of text samples for latent semantic
//! analysis" (2000); Bojanowski et al., "Enriching word vectors with subword information" (2017).

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1};

use crate::algo::bm25::idf;
use crate::algo::vector::normalise;
use crate::error::{Code, Error, Result};
use crate::lexical::Lexicon;
use crate::pace::Pace;

/// The embedder's name in index files and traces; changes whenever its vectors would.
pub const ID: &str = "builtin-1";

/// Non-zero numbers of one hashed direction.
const SPARSITY: usize = 8;
/// Lengths of the character n-grams of a stem with its bounds marked.
const GRAMS: std::ops::RangeInclusive<usize> = 3..=5;
/// Share of a term's start that comes from its n-grams.
const GRAM_SHARE: f32 = 0.4;
/// Share of a term's final vector that comes from the book.
const BOOK_SHARE: f32 = 0.5;
/// The most numbers of a table and of its scenes: half a gigabyte. The longest novels need a fiftieth.
const MOST_NUMBERS: usize = 1 << 27;

/// A table of term vectors for one book.
pub struct Embedder {
    dims: usize,
    /// One row for each term of the lexicon.
    table: Array2<f32>,
    idf: Vec<f32>,
    unseen_idf: f32,
}

impl Embedder {
    /// Learns the table from a book's stream, cut into `events`.
    ///
    /// O(s · dims) time for s terms of the stream, O(t · dims) space for t distinct ones.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn learn(
        lexicon: &Lexicon,
        events: &[Range<u32>],
        dims: usize,
        pace: &Pace<'_>,
    ) -> Result<Self> {
        let terms = lexicon.terms();
        let numbers = (terms.len() + events.len()).saturating_mul(dims);
        if numbers > MOST_NUMBERS {
            let message = format!(
                "{} distinct words and {} events make {numbers} numbers at dims {dims}, over {MOST_NUMBERS}",
                terms.len(),
                events.len()
            );
            return Err(Error::new(Code::TooLarge, message));
        }
        let mut frequencies = vec![0usize; terms.len()];
        let distinct = |range: &Range<u32>| {
            let mut distinct = lexicon.terms_at(range.clone()).to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            distinct
        };
        let work = terms.len() + 3 * events.len();
        for (done, event) in events.iter().enumerate() {
            for term in distinct(event) {
                frequencies[term as usize] += 1;
            }
            if done % 256 == 0 {
                pace.step("embed", done, work).await?;
            }
        }
        let mut table = Array2::zeros((terms.len(), dims));
        for (term, stem) in terms.iter().enumerate() {
            table.row_mut(term).assign(&start(stem, dims));
            if term % 256 == 0 {
                pace.step("embed", events.len() + term, work).await?;
            }
        }
        let idf_of = |df: usize| idf(events.len(), df) as f32;
        let mut embedder = Self {
            dims,
            table,
            idf: frequencies.iter().map(|&df| idf_of(df)).collect(),
            unseen_idf: idf_of(0),
        };

        let mut common = Array1::<f32>::zeros(dims);
        let mut scenes = Array2::<f32>::zeros((events.len(), dims));
        for (event, range) in events.iter().enumerate() {
            let scene = embedder.sum(lexicon.terms_at(range.clone()).iter().copied());
            common += &scene;
            scenes.row_mut(event).assign(&scene);
            if event % 64 == 0 {
                pace.step("embed", terms.len() + events.len() + event, work).await?;
            }
        }
        common /= events.len().max(1) as f32;
        for term in 0..terms.len() {
            let mut taught = Array1::<f32>::zeros(dims);
            for event in holders(lexicon.positions(term as u32), events) {
                taught += &(&scenes.row(event) - &common);
            }
            let mut own = embedder.table.row_mut(term);
            own *= 1.0 - BOOK_SHARE;
            own.scaled_add(BOOK_SHARE, &unit(taught));
            if term % 64 == 0 {
                pace.step("embed", terms.len() + 2 * events.len() + term * events.len() / terms.len(), work)
                    .await?;
            }
        }
        Ok(embedder)
    }

    /// Numbers in a vector.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The unit vector of a text; zeros when it has no term.
    pub fn embed(&self, lexicon: &Lexicon, text: &str) -> Vec<f32> {
        let mut sum = Array1::<f32>::zeros(self.dims);
        for (term, id) in lexicon.look_up(text) {
            match id.map(|id| id as usize).filter(|&id| id < self.idf.len()) {
                Some(id) => sum.scaled_add(self.idf[id], &self.table.row(id)),
                None => sum.scaled_add(self.unseen_idf, &(start(&term, self.dims) * (1.0 - BOOK_SHARE))),
            }
        }
        unit(sum).to_vec()
    }

    fn sum(&self, terms: impl Iterator<Item = u32>) -> Array1<f32> {
        let mut sum = Array1::<f32>::zeros(self.dims);
        for term in terms.map(|term| term as usize).filter(|&term| term < self.idf.len()) {
            sum.scaled_add(self.idf[term], &self.table.row(term));
        }
        unit(sum)
    }
}

/// The events, each once and in order, in which a term with these positions stands.
fn holders(positions: &[u32], events: &[Range<u32>]) -> Vec<usize> {
    let holder = |&position: &u32| events.partition_point(|event| event.end <= position);
    let mut holders: Vec<usize> = positions.iter().map(holder).collect();
    holders.dedup();
    holders.retain(|&event| event < events.len());
    holders
}

fn unit(vector: Array1<f32>) -> Array1<f32> {
    let mut numbers = vector.to_vec();
    normalise(&mut numbers);
    Array1::from_vec(numbers)
}

/// The direction a stem starts from: its own hash, and the mean of its n-grams'.
fn start(stem: &str, dims: usize) -> Array1<f32> {
    let mut own = vec![0f32; dims];
    scatter(stem.as_bytes(), &mut own);
    let mut grams = vec![0f32; dims];
    let marked: Vec<char> = std::iter::once('^').chain(stem.chars()).chain(std::iter::once('$')).collect();
    for length in GRAMS {
        for gram in marked.windows(length) {
            scatter(gram.iter().collect::<String>().as_bytes(), &mut grams);
        }
    }
    normalise(&mut own);
    normalise(&mut grams);
    let mut blend = ArrayView1::from(&own).to_owned() * (1.0 - GRAM_SHARE);
    blend.scaled_add(GRAM_SHARE, &ArrayView1::from(&grams));
    unit(blend)
}

/// Adds the hashed direction of some bytes: a few ±1 at pseudo-random places.
fn scatter(bytes: &[u8], vector: &mut [f32]) {
    // FNV-1a for the bytes, then SplitMix64 steps for the places.
    let mut state = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    for _ in 0..SPARSITY {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let place = (mixed >> 1) % vector.len().max(1) as u64;
        if let Some(number) = vector.get_mut(place as usize) {
            *number += if mixed & 1 == 0 { 1.0 } else { -1.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]
    use super::*;
    use crate::algo::vector::dot;
    use crate::lexical::Analyser;
    use crate::pace::Native;

    fn learnt(events: &[&str]) -> (Lexicon, Embedder) {
        let mut lexicon = Lexicon::new(Analyser::Based);
        let ranges: Vec<_> = events.iter().map(|text| lexicon.push(text)).collect();
        let host = Native::default();
        let embedder = pollster::block_on(Embedder::learn(&lexicon, &ranges, 128, &Pace::new(&host)));
        (lexicon, embedder.unwrap_or_else(|error| panic!("{error}")))
    }

    #[test]
    fn company_brings_words_together() {
        let (lexicon, embedder) = learnt(&[
            "The doctor bandaged the wounded sailor.",
            "The surgeon bandaged a wounded man.",
            "A wounded boy was bandaged by the doctor.",
            "The cook salted the soup.",
            "Soup simmered while the cook slept.",
            "The baker burnt the bread.",
        ]);
        let cosine = |a: &str, b: &str| dot(&embedder.embed(&lexicon, a), &embedder.embed(&lexicon, b));
        assert!(cosine("doctor", "surgeon") > cosine("doctor", "cook") + 0.1);
        assert!(cosine("cook", "soup") > cosine("cook", "sailor") + 0.1);
    }

    #[test]
    fn unseen_words_are_placed_by_spelling() {
        let (lexicon, embedder) = learnt(&["The lamplighter came.", "A dog barked.", "Rain fell on slate."]);
        let cosine = |a: &str, b: &str| dot(&embedder.embed(&lexicon, a), &embedder.embed(&lexicon, b));
        assert!(cosine("lamplight", "lamplighter") > cosine("lamplight", "slate") + 0.1);
        assert!(embedder.embed(&lexicon, "the of and").iter().all(|&number| number == 0.0));
    }
}
