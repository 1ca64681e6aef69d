//! What the rest of the program rests on, checked as a file is read: ids, spans, order, and sizes.
//!
//! The limits are there so that a file of a few megabytes cannot make work of the square of its size, by
//! lists that each hold the whole text or a name that every event repeats. They are far from what books
//! need; docs/index-format.md gives both.
//!
//! Invariant: whoever passes here can be indexed by, sliced with and swept over without a further look.

use std::collections::{BTreeMap, HashSet};

use crate::error::{Code, Error, Result};
use crate::knowledge::{
    Chapter, Chunk, ChunkId, Entity, EntityId, EntityType, Event, Knowledge, Mention, Skip, Span, Told,
};
use crate::text::Utf16Map;

use super::{clipped, damaged, exact};

/// The most spans of one list; a chunk of 512 tokens cannot name anyone more often.
pub(super) const MOST_SPANS: usize = 600;
/// The most text of one list, in bytes: some ten thousand words.
const MOST_TEXT: usize = 1 << 16;
/// The longest name, label, title, phrase or reason, in bytes.
const LONGEST_NAME: usize = 4096;
/// The most types of entities, as the configuration allows.
const MOST_TYPES: usize = 50;
/// The most forms of one name.
const MOST_ALIASES: usize = 256;
/// All descriptions and summaries together may be this many times the text, and this much in any case.
const MOST_TOLD: (usize, usize) = (32, 8 << 20);
/// All chunks together may be this many times the text: they overlap by half of each at most.
const MOST_CHUNKED: usize = 8;
/// The most tokens of a chunk, as the configuration allows.
const MOST_TOKENS: u32 = 512;

/// How many chunks and entities ids may point to.
pub(super) struct Limits {
    pub(super) chunks: usize,
    pub(super) entities: usize,
}

impl Limits {
    pub(super) fn chunk(&self, id: u32) -> Result<ChunkId> {
        if (id as usize) < self.chunks {
            Ok(ChunkId(id))
        } else {
            Err(damaged("chunks", &format!("there is no chunk {id}")))
        }
    }
    pub(super) fn entity(&self, id: u32) -> Result<EntityId> {
        if (id as usize) < self.entities {
            Ok(EntityId(id))
        } else {
            Err(damaged("entities", &format!("there is no entity {id}")))
        }
    }
}

/// Turns the file's UTF-16 offsets into byte spans, refusing those that do not fit the text.
pub(super) struct Spans<'a> {
    pub(super) map: &'a Utf16Map,
}

impl Spans<'_> {
    pub(super) fn span(&self, (start, end): (u32, u32)) -> Result<Span> {
        let bytes = self.map.to_byte(start).zip(self.map.to_byte(end)).filter(|(start, end)| start <= end);
        let (start, end) =
            bytes.ok_or_else(|| damaged("text", &format!("there is no text from {start} to {end}")))?;
        Ok(Span { start, end })
    }
    /// The spans of one list: a description, a summary, the uses in a chunk.
    pub(super) fn spans(&self, pairs: Vec<(u32, u32)>) -> Result<Vec<Span>> {
        let spans = exact(pairs.into_iter().map(|pair| self.span(pair)))?;
        let length = length(&spans);
        if spans.len() > MOST_SPANS || length > MOST_TEXT {
            let what = format!(
                "a list of {} spans holds {length} bytes, over {MOST_SPANS} or {MOST_TEXT}",
                spans.len()
            );
            return Err(damaged("text", &what));
        }
        Ok(spans)
    }
    pub(super) fn offset(&self, unit: u32) -> Result<u32> {
        self.map.to_byte(unit).ok_or_else(|| damaged("text", &format!("there is no offset {unit}")))
    }
}

fn length(spans: &[Span]) -> usize {
    spans.iter().map(|span| span.len()).sum()
}

fn size(told: &Told) -> usize {
    match told {
        Told::Quoted(spans) => length(spans),
        Told::Written(words) => words.len(),
    }
}

/// A chat model's words, bounded as a list of spans is.
pub(super) fn written(place: &str, words: String) -> Result<String> {
    if words.len() <= MOST_TEXT {
        return Ok(words);
    }
    Err(damaged(place, &format!("a text of {} bytes is over {MOST_TEXT}", words.len())))
}

/// A text that others repeat: no longer than names are.
pub(super) fn name(place: &str, name: String) -> Result<String> {
    if name.len() <= LONGEST_NAME {
        return Ok(name);
    }
    Err(damaged(place, &format!("a text of {} bytes is over {LONGEST_NAME}", name.len())))
}

/// A number of the file between its limits.
pub(super) fn number(place: &str, number: f64, low: f64, high: f64) -> Result<f64> {
    if (low..=high).contains(&number) {
        return Ok(number);
    }
    Err(damaged(place, &format!("{number} is not a number from {low} to {high}")))
}

/// Chapters and skips one after another.
pub(super) fn document(chapters: &[Chapter], skips: &[Skip]) -> Result<()> {
    apart("chapters", chapters.iter().map(|chapter| chapter.span))?;
    apart("skips", skips.iter().map(|skip| skip.span))
}

fn apart(place: &str, spans: impl Iterator<Item = Span> + Clone) -> Result<()> {
    let next = spans.clone().skip(1);
    match spans.zip(next).position(|(one, next)| next.start < one.end) {
        Some(at) => Err(damaged(place, &format!("{at} and {} are not in text order", at + 1))),
        None => Ok(()),
    }
}

/// Chunks in text order, each in its chapter, and no more of them than an overlap explains.
pub(super) fn chunks(chunks: &[Chunk], chapters: &[Chapter], text: usize) -> Result<()> {
    let all: usize = chunks.iter().map(|chunk| chunk.span.len()).sum();
    if all > text.saturating_mul(MOST_CHUNKED) {
        return Err(damaged("chunks", &format!("{all} bytes are over {MOST_CHUNKED} times the text")));
    }
    let wrong = |what: &str, at: usize| Err(damaged("chunks", &format!("chunk {at} {what}")));
    let follows = |one: &Chunk, next: &Chunk| one.span.start < next.span.start && one.chapter <= next.chapter;
    if let Some(at) = chunks.windows(2).position(|two| !follows(&two[0], &two[1])) {
        return wrong("is not before the next: they are not in text order", at);
    }
    for (at, chunk) in chunks.iter().enumerate() {
        let chapter = chapters.get(chunk.chapter as usize).map(|chapter| chapter.span);
        if chunk.span.is_empty() || chapter.is_some_and(|chapter| !chapter.contains(chunk.span)) {
            return wrong("is empty or not inside its chapter", at);
        }
        if !(1..=MOST_TOKENS).contains(&chunk.tokens) {
            return wrong(&format!("has {} tokens, but may have 1 to {MOST_TOKENS}", chunk.tokens), at);
        }
    }
    Ok(())
}

/// Names once each, forms within their limit; types of the kind they say, and no more than may be.
pub(super) fn entities(entities: &[Entity], types: &[EntityType]) -> Result<()> {
    let mut kinds = BTreeMap::new();
    for known in types {
        if known.name.is_empty() || kinds.insert(known.name.as_str(), known.kind).is_some() {
            return Err(damaged("types", &format!("{:?} has no name or another's", clipped(&known.name))));
        }
    }
    if types.len() > MOST_TYPES {
        return Err(damaged("types", &format!("there are {}, over {MOST_TYPES}", types.len())));
    }
    for (at, entity) in entities.iter().enumerate() {
        let category = entity.category.as_deref();
        if category.is_some_and(|category| kinds.get(category) != Some(&entity.kind)) {
            return Err(damaged("entities", &format!("entity {at} is of no type of its kind")));
        }
    }
    let mut names = HashSet::new();
    for (at, entity) in entities.iter().enumerate() {
        if entity.name.is_empty() || !names.insert(entity.name.as_str()) {
            return Err(damaged("entities", &format!("entity {at} has no name or another's")));
        }
        if entity.aliases.len() > MOST_ALIASES {
            let what = format!("entity {at} has {} forms, but may have {MOST_ALIASES}", entity.aliases.len());
            return Err(damaged("entities", &what));
        }
    }
    Ok(())
}

/// Everything in its chunk and in order; together no more told than a text can tell.
pub(super) fn knowledge(knowledge: &Knowledge, chunks: &[Chunk], text: usize) -> Result<()> {
    let place = |chunk: ChunkId| chunks.get(chunk.index()).map_or(Span::new(0, 0), |chunk| chunk.span);
    let order = |place: &str, at: usize| Err(damaged(place, &format!("{at} is not where it should be")));
    let mentions = &knowledge.mentions;
    let within = |span: &Span, chunk| !span.is_empty() && place(chunk).contains(*span);
    let inside = |chunk, spans: &[Span]| spans.iter().all(|span| within(span, chunk));
    let sorted = |at: usize| {
        at == 0
            || (mentions[at - 1].chunk, mentions[at - 1].entity) < (mentions[at].chunk, mentions[at].entity)
    };
    for (at, mention) in mentions.iter().enumerate() {
        if !(sorted(at)
            && inside(mention.chunk, &mention.uses)
            && inside(mention.chunk, mention.description.quoted()))
        {
            return order("mentions", at);
        }
    }
    let outside = |mention: &Mention| {
        !(inside(mention.chunk, &mention.uses) && inside(mention.chunk, mention.description.quoted()))
    };
    if let Some(at) = knowledge.fragments.iter().position(outside) {
        return order("fragments", at);
    }
    if let Some(at) = knowledge.triples.iter().position(|triple| !within(&triple.span, triple.chunk)) {
        return order("triples", at);
    }
    events(&knowledge.events, place)?;
    let described = knowledge.entities.iter().map(|entity| size(&entity.description));
    let summed = knowledge.clusters.iter().map(|cluster| size(&cluster.summary));
    let written =
        knowledge.mentions.iter().chain(&knowledge.fragments).map(|mention| match &mention.description {
            Told::Written(words) => words.len(),
            Told::Quoted(_) => 0,
        });
    let details = knowledge.events.iter().map(|event| event.details.as_ref().map_or(0, String::len));
    let related = knowledge.relations.iter().map(|relation| match &relation.description {
        Told::Written(words) => words.len(),
        Told::Quoted(_) => 0,
    });
    let told: usize = described.chain(related).chain(summed).chain(written).chain(details).sum();
    let most = text.saturating_mul(MOST_TOLD.0).saturating_add(MOST_TOLD.1);
    if told > most {
        let message = format!("the index tells {told} bytes in descriptions and summaries, over {most}");
        return Err(Error::new(Code::TooLarge, message));
    }
    Ok(())
}

/// What the units of `scales` and the sweep of `algo::bm25` rest on.
fn events(events: &[Event], place: impl Fn(ChunkId) -> Span) -> Result<()> {
    if events.windows(2).any(|two| two[1].span.start < two[0].span.end || two[1].chunk < two[0].chunk) {
        return Err(damaged("events", "they are not in text order"));
    }
    for (at, event) in events.iter().enumerate() {
        let length = event.span.len();
        if length == 0 || length > MOST_TEXT || !place(event.chunk).contains(event.span) {
            return Err(damaged("events", &format!("event {at} is empty, too long or not inside its chunk")));
        }
        let mut participants = event.participants.clone();
        participants.sort_unstable();
        participants.dedup();
        if participants.len() < event.participants.len() || participants.len() > length {
            return Err(damaged("events", &format!("event {at} names somebody twice or more than it can")));
        }
    }
    Ok(())
}
