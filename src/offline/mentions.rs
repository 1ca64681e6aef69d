//! What each chunk says of an entity, and what the whole book says of it.
//!
//! A sentence says much of someone where it gives a role, a relation or a look, or where the name is
//! the subject; speech says less than narration. The best one to three sentences of a chunk describe
//! the mention, the best of all chunks, spread over the book, describe the entity.
//!
//! Invariant: mentions are sorted by chunk, then entity; descriptions are whole sentences in text order.

use std::collections::BTreeMap;

use super::cast::{Cast, Naming, span};
use super::english::{self, Tag};
use super::tokens::{Gap, Words};
use crate::error::Result;
use crate::knowledge::{ChunkId, EntityId, Mention, Span, Told};
use crate::pace::Pace;

/// The most sentences and words of one mention's description.
const MENTION: (usize, usize) = (3, 60);
/// The most sentences and words of an entity's description.
const ENTITY: (usize, usize) = (8, 120);
/// Sentences longer than this are cut from no description, but count against it.
const LONG: usize = 80;

/// A sentence with what it says of an entity.
#[derive(Clone, Copy)]
struct Said {
    sentence: usize,
    score: i32,
}

/// The mentions of all chunks; fills the entities' descriptions.
pub(crate) async fn describe(words: &Words, cast: &mut Cast, pace: &Pace<'_>) -> Result<Vec<Mention>> {
    let mut mentions = Vec::new();
    let mut best: Vec<Vec<Said>> = vec![Vec::new(); cast.entities.len()];
    for (index, sentences) in words.chunks.iter().enumerate() {
        let mut here: BTreeMap<EntityId, (Vec<Span>, Vec<Said>)> = BTreeMap::new();
        for sentence in sentences.clone() {
            for naming in cast.within(words.sentences[sentence].tokens.clone()) {
                let (uses, told) = here.entry(naming.entity).or_default();
                uses.push(span(words, naming));
                let score = score(words, sentence, naming);
                match told.last_mut().filter(|last| last.sentence == sentence) {
                    Some(last) => last.score = last.score.max(score),
                    None => told.push(Said { sentence, score }),
                }
            }
        }
        for (entity, (uses, told)) in here {
            let chosen = choose(words, &told, MENTION);
            if let Some(first) = told.iter().max_by_key(|told| (told.score, std::cmp::Reverse(told.sentence)))
            {
                best[entity.index()].push(*first);
            }
            mentions.push(Mention {
                entity,
                chunk: ChunkId::new(index),
                uses,
                description: Told::Quoted(chosen),
            });
        }
        pace.step("mentions", index, words.chunks.len()).await?;
    }
    for (index, (entity, told)) in cast.entities.iter_mut().zip(&best).enumerate() {
        entity.description = Told::Quoted(choose(words, &spread(told), ENTITY));
        if index % 64 == 0 {
            pace.step("people", index, best.len()).await?;
        }
    }
    Ok(mentions)
}

/// The best sentences within so many sentences and words, in text order; always at least one.
fn choose(words: &Words, told: &[Said], (most, limit): (usize, usize)) -> Vec<Span> {
    let mut order = told.to_vec();
    order.sort_by_key(|told| (std::cmp::Reverse(told.score), told.sentence));
    let mut chosen: Vec<usize> = Vec::new();
    let mut length = 0;
    for told in &order {
        let count = words.sentences[told.sentence].tokens.len();
        let weak = told.score < 2 && !chosen.is_empty();
        if chosen.len() < most
            && !weak
            && (length + count <= limit || chosen.is_empty())
            && !chosen.contains(&told.sentence)
        {
            chosen.push(told.sentence);
            length += count;
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|sentence| words.sentences[sentence].span).collect()
}

/// The best of the first, second, ... quarter of an entity's chunks come before the second best of any.
fn spread(told: &[Said]) -> Vec<Said> {
    let quarter = told.len().div_ceil(4).max(1);
    let mut all: Vec<Said> = Vec::new();
    for part in told.chunks(quarter) {
        let best = part.iter().max_by_key(|told| (told.score, std::cmp::Reverse(told.sentence)));
        all.extend(part.iter().map(|told| Said {
            score: told.score + if Some(told.sentence) == best.map(|best| best.sentence) { 3 } else { 0 },
            ..*told
        }));
    }
    if let Some(first) = all.first_mut() {
        first.score += 2;
    }
    all
}

/// How much a sentence says of the entity named there.
fn score(words: &Words, sentence: usize, naming: &Naming) -> i32 {
    let tokens = words.sentences[sentence].tokens.clone();
    let first = &words.tokens[naming.start];
    let size = match tokens.len() {
        0..5 => -2,
        8..40 => 1,
        LONG.. => -3,
        _ => 0,
    };
    let speech = if first.quoted { -2 } else { 0 };
    let around = naming.start.saturating_sub(6).max(tokens.start)..(naming.end + 8).min(tokens.end);
    let any = |tag| around.clone().any(|place| words.entry(&words.tokens[place]).is(tag));
    2 + size
        + speech
        + follows(words, tokens.end, naming)
        + i32::from(any(Tag::Kin)) * 2
        + i32::from(any(Tag::Telling))
}

/// What stands after the name: a copula with a role says most, then an apposition, then any verb.
fn follows(words: &Words, end: usize, naming: &Naming) -> i32 {
    let last = &words.tokens[naming.end - 1];
    let Some(after) = words.tokens.get(naming.end).filter(|_| naming.end < end) else { return 0 };
    let text = words.lower(after);
    if last.possessive {
        return i32::from(words.entry(after).is(Tag::Kin)) * 2;
    }
    if after.gap == Gap::Comma {
        return i32::from(matches!(text, "a" | "an" | "the" | "who" | "whose" | "his" | "her")) * 3;
    }
    let Some(verb) = words.word(after).verb.filter(|_| after.gap == Gap::Space) else { return 0 };
    let next = words.tokens.get(naming.end + 1).filter(|_| naming.end + 1 < end);
    let role =
        next.is_some_and(|next| matches!(words.lower(next), "a" | "an" | "the" | "his" | "her" | "my"));
    let state = next.is_some_and(|next| words.word(next).verb.is_none() && !words.entry(next).is(Tag::Stop));
    match verb {
        "be" if role => 5,
        "be" if state => 3,
        _ if english::entry(verb).is(Tag::Speech) => 0,
        _ => 2,
    }
}
