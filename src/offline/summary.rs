//! Extractive summaries: the sentences nearest the centre of a cluster's events.
//!
//! Each sentence is a bag of words weighed by rarity in the book; the centre is the sum of the
//! cluster's sentences; the sentences that share most with it stand for all.
//!
//! Invariant: a summary is whole sentences in text order; sums run in text order.

use std::collections::{BTreeSet, HashMap};

use super::english::Tag;
use super::events::Plot;
use super::tokens::{WordId, Words};
use crate::error::Result;
use crate::knowledge::{Span, Told};
use crate::pace::Pace;

/// The most sentences and words of a summary.
const MOST: (usize, usize) = (3, 80);
/// From this many words on a sentence stands for itself.
const FULL: usize = 10;
/// More sentences than this of one cluster are sampled evenly.
const MAX_SENTENCES: usize = 2_000;

/// Fills the summaries of all clusters.
pub(crate) async fn summarise(words: &Words, plot: &mut Plot, pace: &Pace<'_>) -> Result<()> {
    let rarity = rarity(words);
    let total = plot.clusters.len();
    for index in 0..total {
        let cluster = &plot.clusters[index];
        let summary = match cluster.events[..] {
            [only] => vec![plot.events[only.index()].span],
            _ => {
                let sentences: Vec<usize> =
                    cluster.events.iter().flat_map(|event| plot.sentences[event.index()].clone()).collect();
                central(words, &rarity, &sentences)
            }
        };
        plot.clusters[index].summary = Told::Quoted(summary);
        if index % 8 == 0 {
            pace.step("clusters", index, total).await?;
        }
    }
    Ok(())
}

/// The logarithm of how rare each word is, over sentences; 0 for words without topic.
fn rarity(words: &Words) -> Vec<f64> {
    let mut counts = vec![0u32; words.vocabulary.len()];
    let mut last = vec![usize::MAX; words.vocabulary.len()];
    for (index, sentence) in words.sentences.iter().enumerate() {
        for token in &words.tokens[sentence.tokens.clone()] {
            let word = token.word as usize;
            if last[word] != index {
                last[word] = index;
                counts[word] += 1;
            }
        }
    }
    let all = words.sentences.len() as f64;
    let rare = |(word, count): (&super::tokens::Word, &u32)| match word.entry.is(Tag::Stop) || *count == 0 {
        true => 0.0,
        false => libm::log(1.0 + all / f64::from(*count)),
    };
    words.vocabulary.iter().zip(&counts).map(rare).collect()
}

fn central(words: &Words, rarity: &[f64], sentences: &[usize]) -> Vec<Span> {
    let step = sentences.len().div_ceil(MAX_SENTENCES).max(1);
    let bags: Vec<(usize, BTreeSet<WordId>)> = sentences
        .iter()
        .step_by(step)
        .map(|index| {
            (
                *index,
                words.tokens[words.sentences[*index].tokens.clone()].iter().map(|token| token.word).collect(),
            )
        })
        .collect();
    let mut centre: HashMap<WordId, f64> = HashMap::new();
    for word in bags.iter().flat_map(|(_, bag)| bag) {
        *centre.entry(*word).or_default() += rarity[*word as usize];
    }
    let mut scored: Vec<(f64, usize)> = bags
        .iter()
        .map(|(index, bag)| {
            let shared: f64 = bag
                .iter()
                .map(|word| rarity[*word as usize] * centre.get(word).copied().unwrap_or_default())
                .sum();
            let size: f64 = bag.iter().map(|word| rarity[*word as usize] * rarity[*word as usize]).sum();
            // A sentence of few words is near the centre of anything, and says little.
            let whole = (words.sentences[*index].tokens.len().min(FULL) as f64) / FULL as f64;
            (whole * shared / libm::sqrt(size.max(1.0)), *index)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut chosen: Vec<usize> = Vec::new();
    let mut length = 0;
    for (_, index) in scored {
        let count = words.sentences[index].tokens.len();
        if chosen.len() < MOST.0 && (chosen.is_empty() || length + count <= MOST.1) {
            chosen.push(index);
            length += count;
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|index| words.sentences[index].span).collect()
}
