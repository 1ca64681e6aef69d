//! Synonym edges: phrases of the character graph that mean nearly the same, found by their vectors.
//!
//! From each phrase with more than two letters or digits, every other phrase whose cosine reaches a bar is
//! its synonym, at most the hundred nearest (HippoRAG 2). The bar is 0.8 for an endpoint's embedder. The
//! built-in one's cosines are on another scale, so there it is a quantile: the value that the nearest
//! neighbours of a given share of the phrases do not reach (systems 1.4).
//!
//! Cost: O(p² dims) for p phrases, so it is done when a book is indexed and its file keeps the edges found;
//! of more than [`MOST_PHRASES`] the later ones have none.
//!
//! Reference: HippoRAG 2, indexing, synonymy edges.

use crate::algo::vector::{Rows, descending, quantile};
use crate::error::Result;
use crate::pace::Pace;

/// The most synonyms of one phrase (HippoRAG 2).
pub const MOST_SYNONYMS: usize = 100;

/// Phrases that are compared with each other. A novel has some two thousand; nothing else bounds the square.
const MOST_PHRASES: usize = 6000;

/// Phrases of no more letters and digits than this are not looked from.
const SHORT: usize = 2;

/// An edge found from one phrase to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synonym {
    /// The vertex it was found from.
    pub from: u32,
    /// The vertex it leads to.
    pub to: u32,
    /// How near they are.
    pub cosine: f64,
}

/// The synonym edges of one space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Synonyms {
    /// The cosine from which phrases are synonyms.
    pub least: f64,
    /// By the vertex they were found from, then the one they lead to.
    pub edges: Vec<Synonym>,
}

/// Where phrases begin to be synonyms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bar {
    /// At this cosine.
    Cosine(f64),
    /// Above the nearest neighbours of this share of the phrases.
    Share(f64),
}

impl Synonyms {
    /// Finds the synonyms among phrases by their vectors, one for each in their order.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn find(phrases: &[String], vectors: &Rows, bar: Bar, pace: &Pace<'_>) -> Result<Self> {
        let all: Vec<usize> = (0..phrases.len().min(vectors.len())).take(MOST_PHRASES).collect();
        let nearest = nearest(&all, vectors, pace).await?;
        let from: Vec<usize> = all.iter().copied().filter(|&phrase| is_long(&phrases[phrase])).collect();
        let least = match bar {
            Bar::Cosine(cosine) => cosine,
            Bar::Share(share) => quantile(from.iter().map(|&phrase| nearest[phrase]).collect(), share),
        };
        let mut edges = Vec::new();
        for (done, &phrase) in from.iter().enumerate() {
            // Most phrases have none.
            if nearest[phrase] >= least && nearest[phrase] > 0.0 {
                edges.extend(neighbours(phrase, &all, vectors, least));
            }
            pace.step("synonyms", all.len() + done, all.len() + from.len()).await?;
        }
        Ok(Self { least, edges })
    }

    /// The edges of at least this cosine.
    pub fn from_cosine(&self, least: f64) -> Vec<Synonym> {
        self.edges.iter().filter(|synonym| synonym.cosine >= least).copied().collect()
    }
}

fn is_long(phrase: &str) -> bool {
    phrase.chars().filter(|c| c.is_alphanumeric()).count() > SHORT
}

/// The cosine of each phrase with its nearest neighbour; 0 where all are farther.
async fn nearest(all: &[usize], vectors: &Rows, pace: &Pace<'_>) -> Result<Vec<f64>> {
    let mut nearest = vec![0.0f64; all.len()];
    for (done, &phrase) in all.iter().enumerate() {
        let vector = vectors.row(phrase);
        for &other in &all[..done] {
            let cosine = vectors.dot(other, &vector);
            nearest[phrase] = nearest[phrase].max(cosine);
            nearest[other] = nearest[other].max(cosine);
        }
        pace.step("synonyms", done, 2 * all.len()).await?;
    }
    Ok(nearest)
}

/// The synonyms of one phrase, by vertex: the nearest, as many as there may be.
fn neighbours(phrase: usize, all: &[usize], vectors: &Rows, least: f64) -> Vec<Synonym> {
    let vector = vectors.row(phrase);
    let edge = |&other: &usize| {
        let cosine = vectors.dot(other, &vector);
        (other != phrase && cosine >= least && cosine > 0.0).then(|| Synonym {
            from: phrase as u32,
            to: other as u32,
            cosine: rounded(cosine),
        })
    };
    let mut found: Vec<Synonym> = all.iter().filter_map(edge).collect();
    found.sort_by(|a, b| descending(a.cosine, b.cosine).then(a.to.cmp(&b.to)));
    found.truncate(MOST_SYNONYMS);
    found.sort_by_key(|synonym| synonym.to);
    found
}

/// A cosine to four places: a file holds no more of it, and a walk does not tell the difference.
fn rounded(cosine: f64) -> f64 {
    (cosine.min(1.0) * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::pace::Native;

    fn found(rows: &[(&str, [f32; 2])], bar: Bar) -> Synonyms {
        let phrases: Vec<String> = rows.iter().map(|(phrase, _)| (*phrase).to_owned()).collect();
        let vectors = Rows::exact(2, rows.iter().flat_map(|(_, vector)| *vector).collect());
        pollster::block_on(Synonyms::find(&phrases, &vectors, bar, &Pace::new(&Native::default()))).unwrap()
    }

    fn pairs(synonyms: &Synonyms) -> Vec<(u32, u32, f64)> {
        synonyms.edges.iter().map(|edge| (edge.from, edge.to, edge.cosine)).collect()
    }

    #[test]
    fn near_phrases_are_found_from_both_ends_and_short_ones_from_the_other_alone() {
        let rows = [
            ("lamp", [1.0, 0.0]),
            ("lantern", [0.8, 0.6]),
            ("no", [0.8, 0.6]),
            ("ferry", [0.0, 1.0]),
            ("", [0.0, 0.0]),
        ];
        let found = found(&rows, Bar::Cosine(0.8));
        assert_eq!(pairs(&found), [(0, 1, 0.8), (0, 2, 0.8), (1, 0, 0.8), (1, 2, 1.0)]);
        assert_eq!(found.from_cosine(0.9).len(), 1);
    }

    #[test]
    fn a_share_sets_the_bar_among_nearest_neighbours() {
        let rows =
            [("lamp", [1.0, 0.0]), ("lantern", [0.96, 0.28]), ("boat", [0.6, 0.8]), ("ferry", [0.0, 1.0])];
        let half = found(&rows, Bar::Share(0.5));
        // Nearest neighbours are at 0.8, 0.8, 0.96 and 0.96.
        assert!((half.least - 0.88).abs() < 1e-6, "{half:?}");
        assert_eq!(pairs(&half), [(0, 1, 0.96), (1, 0, 0.96)]);
        assert!(found(&rows, Bar::Share(0.0)).edges.len() > 2);
    }

    #[test]
    fn a_hundred_neighbours_are_enough() {
        let rows: Vec<(&str, [f32; 2])> = (0..140).map(|_| ("the same", [1.0, 0.0])).collect();
        let found = found(&rows, Bar::Cosine(0.8));
        assert_eq!(found.edges.len(), 140 * MOST_SYNONYMS);
        assert!(found.edges.iter().all(|edge| edge.from != edge.to));
    }
}
