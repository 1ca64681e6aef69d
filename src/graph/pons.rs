//! The pons layer: weighted edges between characters and events.
//!
//! `I_u = ln(N / (1 + freq(u)))` (eq. 3) holds back characters that are everywhere, and
//! `w_uv = sim(d_u, r_v) · I_u` where `sim ≥ tau`, else there is no edge (eq. 4). Appendix C tries two others:
//! "Pure Semantic" leaves `I_u` out; "Entity Mention" has edges where the text names the character. The
//! offline profile takes the second, weighted by `I_u (1 + sim) / 2`, a quarter of it for what is no person or
//! group: with averaged descriptions a cosine alone ties everybody to the same typical events.
//!
//! Departures: `I_u` is never below zero and a character with `I_u = 0` has no edge, since Co-HITS
//! wants weights ≥ 0, nor has a pair whose cosine is not above zero, whatever tau; in a book of three
//! chunks or fewer `I_u` is 1 (systems 1.4). The paper's mention is one
//! in the event's chunk, ours in the event; its pure semantic compares `s_v`, ours `r_v` as eq. 4 does.
//!
//! Invariant: all weights are above zero; a node without an edge can be an anchor, but nothing else.

use crate::algo::csr::Csr;
use crate::algo::vector::quantile;
use crate::error::Result;
use crate::index::{Index, Space};
use crate::knowledge::{ChunkId, EntityId, EntityKind, Event};
use crate::pace::Pace;

/// Books of at most this many chunks are too short for inverse frequencies.
const SHORT_BOOK: usize = 3;
/// Pairs looked at to place tau; more would not move it by a hundredth.
const TAU_SAMPLE: u64 = 50_000;

/// Character-event pairs that the cosine layer compares. A novel has a million or two; beyond this only
/// the characters named in most chunks take part, since nothing else bounds the layer's memory.
const MOST_PAIRS: usize = 6_000_000;

/// `I_u` of every character: natural logarithm of chunks over one more than the chunks that name it, or in
/// which it takes part as the one who says `I`.
pub fn inverse_frequencies(index: &Index) -> Vec<f64> {
    let mentioned = index.knowledge.mentions.iter().map(|mention| (mention.entity, mention.chunk));
    let takes_part = |event: &'_ Event| {
        let chunk = event.chunk;
        event.participants.clone().into_iter().map(move |entity| (entity, chunk))
    };
    let mut uses: Vec<(EntityId, ChunkId)> =
        mentioned.chain(index.knowledge.events.iter().flat_map(takes_part)).collect();
    uses.sort_unstable();
    uses.dedup();
    let mut frequencies = vec![0usize; index.knowledge.entities.len()];
    for (entity, _) in uses {
        if let Some(count) = frequencies.get_mut(entity.index()) {
            *count += 1;
        }
    }
    let chunks = index.chunks.len();
    let weigh = |frequency: usize| {
        if chunks <= SHORT_BOOK { 1.0 } else { libm::log(chunks as f64 / (1 + frequency) as f64).max(0.0) }
    };
    frequencies.into_iter().map(weigh).collect()
}

/// How many characters are named in so many chunks that `I_u` leaves them no edge.
pub fn ubiquitous(index: &Index) -> usize {
    inverse_frequencies(index).into_iter().filter(|&weight| weight == 0.0).count()
}

/// What a cosine is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weighting {
    /// `I_u` (eq. 4).
    Inverse,
    /// Nothing (appendix C, "Pure Semantic").
    Semantic,
}

/// The weighted bipartite graph, characters by events.
#[derive(Clone, Debug, Default)]
pub struct PonsLayer {
    /// `w_uv`, all above zero.
    pub weights: Csr,
}

impl PonsLayer {
    /// No edge at all: both layers by themselves.
    pub fn none(index: &Index) -> Self {
        let (characters, events) = (index.knowledge.entities.len(), index.knowledge.events.len());
        Self { weights: Csr::new(characters, events, Vec::new()) }
    }

    /// Edges where cosine reaches `tau` (eq. 4).
    ///
    /// O(u v dims) time for u characters and v events: seconds for a long novel, hence the pace.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn by_cosine(
        index: &Index,
        space: &Space,
        tau: f64,
        weighting: Weighting,
        pace: &Pace<'_>,
    ) -> Result<Self> {
        let inverse = inverse_frequencies(index);
        // The rarer a character, the larger its weight: the least come first.
        let most = (MOST_PAIRS / space.events.len().max(1)).max(1);
        let bar = if inverse.len() <= most {
            f64::INFINITY
        } else {
            quantile(inverse.clone(), most as f64 / inverse.len() as f64)
        };
        let semantic = weighting == Weighting::Semantic;
        let takes_part = |rarity: f64| rarity < bar && (semantic || rarity > 0.0);
        let mut edges = Vec::new();
        for (character, &rarity) in inverse.iter().enumerate().filter(|&(_, &rarity)| takes_part(rarity)) {
            pace.step("pons", character, inverse.len()).await?;
            let weight = if semantic { 1.0 } else { rarity };
            let description = space.entities.row(character);
            for event in 0..space.events.len() {
                let similarity = space.events.dot(event, &description);
                if similarity >= tau && similarity > 0.0 {
                    edges.push((character as u32, event as u32, similarity * weight));
                }
            }
        }
        Ok(Self { weights: Csr::new(inverse.len(), index.knowledge.events.len(), edges) })
    }

    /// Edges where the event names the character.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn by_mention(index: &Index, space: &Space, pace: &Pace<'_>) -> Result<Self> {
        let inverse = inverse_frequencies(index);
        let mut edges = Vec::new();
        for (event, told) in index.knowledge.events.iter().enumerate() {
            if event % 64 == 0 {
                pace.step("ties", event, index.knowledge.events.len()).await?;
            }
            let details = space.events.row(event);
            for character in told.participants.iter().map(|id| id.index()).filter(|&id| id < inverse.len()) {
                let similarity = (1.0 + space.entities.dot(character, &details)) / 2.0;
                let weight = inverse[character] * similarity * share(index, character);
                if weight > 0.0 {
                    edges.push((character as u32, event as u32, weight));
                }
            }
        }
        Ok(Self { weights: Csr::new(inverse.len(), index.knowledge.events.len(), edges) })
    }
}

/// What a plotline is told of counts whole, a place or a thing a quarter: rarity alone would pair every
/// scene with where it is set.
fn share(index: &Index, character: usize) -> f64 {
    match index.knowledge.entities.get(character).map(|entity| entity.kind) {
        Some(EntityKind::Person | EntityKind::Group) => 1.0,
        _ => 0.25,
    }
}

/// The cosine below which the share `share` of the character-event pairs lies: tau for an embedder whose
/// cosines are on another scale than the paper's. Pairs are sampled evenly, the same number of events
/// for each character.
pub fn tau_for(space: &Space, share: f64) -> f64 {
    let (characters, events) = (space.entities.len(), space.events.len());
    let stride = ((characters as u64 * events as u64 / TAU_SAMPLE) as usize).max(1);
    let mut sample = Vec::new();
    for character in 0..characters {
        let description = space.entities.row(character);
        // A start of its own, so that characters together see all events.
        sample.extend(
            (character % stride..events).step_by(stride).map(|event| space.events.dot(event, &description)),
        );
    }
    quantile(sample, share)
}
