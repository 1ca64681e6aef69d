//! Who says "I" in a chapter.
//!
//! A chapter whose narration says `I` is told by somebody. Others call that person by name in their speeches,
//! while the narration itself hardly ever names him: `"Sit down, Jane," said Mr. Rochester` has Mr. Rochester
//! named by the narration and Jane called only. So the narrator of a chapter is the person called most
//! there among those the narration leaves unnamed. A chapter that calls nobody is told by who told the one
//! before. A chapter by someone else (a nested tale, a letter) calls somebody else.
//!
//! Invariant: a chapter in which the narration does not say `I` has no narrator; nobody is called `I`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::cast::{Cast, Naming};
use super::english::{self, Tag};
use super::tokens::{Gap, Words};
use crate::knowledge::{Chunk, EntityId, EntityKind};

/// The least uses of `I` outside speeches, and in how many words there must be one.
const FIRST_PERSON: (usize, usize) = (5, 125);
/// How often a narrator is called by name for once that the narration names him.
const CALLED: u32 = 4;
/// How often somebody must be called by name in a chapter to take the word from who told before.
const SWITCH: u32 = 3;

/// In fewer chapters that are told so, a narrator may be named in his own alone.
const FEW: usize = 4;

/// A run of chapters that one person tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Narration {
    /// Who tells.
    pub(crate) narrator: EntityId,
    /// The tokens told.
    pub(crate) tokens: Range<usize>,
    /// The sentence that shows best who tells: in a run or before it.
    pub(crate) sentence: usize,
}

/// How a person is named in one chapter.
#[derive(Clone, Copy, Debug, Default)]
struct Named {
    /// In speeches, called by name.
    called: u32,
    /// In the narration.
    told: u32,
}

/// The runs of chapters told by a person known by name, in text order.
pub(crate) fn find(words: &Words, cast: &Cast, chunks: &[Chunk]) -> Vec<Narration> {
    let chapter = |sentence: usize| {
        let chunk = words.sentences[sentence].chunk as usize;
        chunks.get(chunk).map_or(0, |chunk| chunk.chapter)
    };
    let mut told: Vec<(Range<usize>, BTreeMap<EntityId, Named>)> = Vec::new();
    let mut start = 0;
    while start < words.sentences.len() {
        let own = chapter(start);
        let end = (start..words.sentences.len()).find(|&next| chapter(next) != own);
        let end = end.unwrap_or(words.sentences.len());
        let tokens = words.sentences[start].tokens.start..words.sentences[end - 1].tokens.end;
        start = end;
        if first_person(words, tokens.clone()) {
            let uses = namings(words, cast, tokens.clone());
            told.push((tokens, uses));
        }
    }
    let mut book: BTreeMap<EntityId, Named> = BTreeMap::new();
    for (id, named) in told.iter().flat_map(|(_, uses)| uses) {
        let sum = book.entry(*id).or_default();
        (sum.called, sum.told) = (sum.called + named.called, sum.told + named.told);
    }
    // Whom the narration names as often as not is never its narrator.
    let known = |id: &EntityId| {
        let named = book.get(id).copied().unwrap_or_default();
        is_named(cast, *id) && named.told * 2 <= named.called
    };
    let few = told.len() < FEW;
    let mut found: Vec<Narration> = Vec::new();
    for (tokens, uses) in told {
        let before = found.last().map(|run| run.narrator);
        let least = if before.is_some() { SWITCH } else { 2 };
        let fits = |id: &EntityId| {
            known(id) && !is_told_of(cast, &uses, *id) && (few || is_elsewhere(cast, &tokens, *id))
        };
        let called = most_called(&uses, least, fits);
        let Some(narrator) = called.or_else(|| inherited(before, &uses)) else { continue };
        match found.last_mut().filter(|run| run.narrator == narrator && run.tokens.end == tokens.start) {
            Some(run) => run.tokens.end = tokens.end,
            None => found.push(Narration { narrator, tokens, sentence: 0 }),
        }
    }
    for run in &mut found {
        run.sentence = evidence(words, cast, run);
    }
    found
}

/// Whether the narration of these tokens says `I`.
fn first_person(words: &Words, tokens: Range<usize>) -> bool {
    let narration = || words.tokens[tokens.clone()].iter().filter(|token| !token.quoted);
    let says = narration().filter(|token| words.lower(token) == "i").count();
    says >= FIRST_PERSON.0 && says * FIRST_PERSON.1 >= narration().count()
}

fn namings(words: &Words, cast: &Cast, tokens: Range<usize>) -> BTreeMap<EntityId, Named> {
    let mut uses: BTreeMap<EntityId, Named> = BTreeMap::new();
    for naming in cast.within(tokens) {
        let named = uses.entry(naming.entity).or_default();
        let called = is_called(words, naming);
        let quoted = words.tokens[naming.start].quoted;
        named.called += u32::from(called && quoted);
        named.told += u32::from(!called && !quoted);
    }
    uses
}

fn most_called(
    uses: &BTreeMap<EntityId, Named>,
    least: u32,
    known: impl Fn(&EntityId) -> bool,
) -> Option<EntityId> {
    uses.iter()
        .filter(|(id, named)| named.called >= least && named.told * CALLED <= named.called && known(id))
        .max_by_key(|(id, named)| (named.called, std::cmp::Reverse(**id)))
        .map(|(id, _)| *id)
}

/// Whether an entity is a person with a name: `the old man` tells nothing that a reader could ask for.
fn is_named(cast: &Cast, id: EntityId) -> bool {
    let person = cast.entities.get(id.index()).filter(|entity| entity.kind == EntityKind::Person);
    person.is_some_and(|entity| !entity.name.starts_with("the "))
}

/// Whether the narration speaks of somebody with the same first name: `Catherine Lind` does not tell a chapter
/// that tells of `Catherine`.
fn is_told_of(cast: &Cast, uses: &BTreeMap<EntityId, Named>, id: EntityId) -> bool {
    let given = |id: EntityId| {
        let names = cast.entities.get(id.index()).map_or(&[][..], |entity| &entity.aliases).iter();
        names.filter_map(|alias| alias.name.split(' ').next()).filter(|word| !is_title(word))
    };
    let own: Vec<&str> = given(id).collect();
    let told = |other: EntityId, named: &Named| {
        other != id
            && named.told * CALLED > uses.get(&id).map_or(0, |own| own.called)
            && named.told > 1
            && cast.kind(other) == EntityKind::Person
            && given(other).any(|word| own.contains(&word))
    };
    uses.iter().any(|(other, named)| told(*other, named))
}

/// Whether somebody is named outside of these tokens: who is not, is no more than a guest of one chapter.
fn is_elsewhere(cast: &Cast, tokens: &Range<usize>, id: EntityId) -> bool {
    cast.namings.iter().any(|naming| naming.entity == id && !tokens.contains(&naming.start))
}

fn is_title(word: &str) -> bool {
    english::entry(&word.to_lowercase()).is(Tag::Honorific)
}

/// Who told before goes on where the narration does not speak of him as of another.
fn inherited(last: Option<EntityId>, uses: &BTreeMap<EntityId, Named>) -> Option<EntityId> {
    let told = |id: &EntityId| uses.get(id).is_some_and(|named| named.told > 2.max(named.called));
    last.filter(|id| !told(id))
}

/// Whether a name is set off by commas or the marks of a speech: a vocative.
pub(crate) fn is_called(words: &Words, naming: &Naming) -> bool {
    let first = &words.tokens[naming.start];
    let last = &words.tokens[naming.end - 1];
    let opens = first.initial || first.gap == Gap::Comma;
    let next = words.at(first.sentence, naming.end);
    let closes = next.is_none_or(|token| !matches!(token.gap, Gap::Space | Gap::Hyphen));
    opens && closes && !last.possessive
}

/// The sentence up to the end of a run that names its narrator and speaks most of telling, the earliest of
/// equals.
fn evidence(words: &Words, cast: &Cast, run: &Narration) -> usize {
    let mut best = (0, words.tokens[run.tokens.start].sentence as usize);
    let teller = surnames(cast, run.narrator);
    let is_teller = |naming: &&Naming| {
        naming.entity == run.narrator || surnames(cast, naming.entity).iter().any(|own| teller.contains(own))
    };
    for naming in cast.within(0..run.tokens.end).iter().filter(is_teller) {
        let sentence = words.tokens[naming.start].sentence as usize;
        let telling = words.sentences[sentence].tokens.clone().any(|at| tells(words, at));
        let called = is_called(words, naming);
        let worth = match (telling && called, naming.entity == run.narrator) {
            (true, _) => 4,
            (false, true) => 1 + usize::from(called) + 2 * usize::from(telling),
            (false, false) => 0,
        };
        if worth > best.0 {
            best = (worth, sentence);
        }
    }
    best.1
}

/// The last words of an entity's forms of several words: `Dean` of `Ellen Dean`, which `Mrs Dean` shares.
fn surnames(cast: &Cast, id: EntityId) -> Vec<&str> {
    let person = cast.entities.get(id.index()).filter(|entity| entity.kind == EntityKind::Person);
    let forms = person.map_or(&[][..], |entity| &entity.aliases).iter();
    forms.filter_map(|alias| alias.name.rsplit_once(' ')).map(|(_, last)| last).collect()
}

/// Whether a word speaks of the telling of a story: `tell me`, `her tale`.
fn tells(words: &Words, at: usize) -> bool {
    let token = &words.tokens[at];
    let next = words.at(token.sentence, at + 1).map(|next| words.lower(next));
    match words.lower(token) {
        "tale" | "story" | "narrative" | "narrator" | "history" => true,
        "tell" | "relate" => matches!(next, Some("me" | "us")),
        _ => false,
    }
}
