//! The short name of an event: what kind of happening, and of whom.
//!
//! The main verb is looked for first after a name or a subject pronoun in narration, where English
//! puts what happens. Its class names the event (`arrival`); a verb without class gives its base form.
//! Verbs of thought, looks and speech are so frequent that any other class or noun goes before them.
//!
//! Invariant: a label is `what`, or `what: who` or `what: who, who`, and never empty.

use std::ops::Range;

use super::cast::Cast;
use super::english::{self, Class, Gender, Tag};
use super::tokens::{Gap, Shape, Words};
use crate::knowledge::{EntityId, EntityKind};

/// The label of an event.
pub(crate) fn label(words: &Words, cast: &Cast, tokens: Range<usize>, participants: &[EntityId]) -> String {
    let what = what(words, cast, tokens);
    let of =
        |kind: fn(EntityKind) -> bool| participants.iter().filter(move |entity| kind(cast.kind(**entity)));
    let people = of(|kind| matches!(kind, EntityKind::Person | EntityKind::Group));
    let others = of(|kind| !matches!(kind, EntityKind::Person | EntityKind::Group));
    let names: Vec<&str> = people
        .chain(others)
        .take(2)
        .filter_map(|id| cast.entities.get(id.index()))
        .map(|entity| entity.name.as_str())
        .collect();
    match names.is_empty() {
        true => what,
        false => format!("{what}: {}", names.join(", ")),
    }
}

/// A verb that may be the main one.
struct Candidate {
    weight: i32,
    base: &'static str,
    class: Option<Class>,
}

/// What kind of happening these tokens tell.
fn what(words: &Words, cast: &Cast, tokens: Range<usize>) -> String {
    let candidates: Vec<Candidate> = tokens.clone().filter_map(|at| candidate(words, cast, at)).collect();
    let strong = |candidate: &&Candidate| candidate.class.is_some_and(|class| !is_weak(class));
    let rank = |candidate: &&Candidate| (candidate.weight, candidate.class.map(std::cmp::Reverse));
    let classed = candidates.iter().filter(strong).filter(|candidate| candidate.weight >= 2).max_by_key(rank);
    if let Some(class) = classed.and_then(|best| best.class) {
        return english::class_name(class).to_owned();
    }
    if let Some(class) = noun(words, tokens.clone()) {
        return english::class_name(class).to_owned();
    }
    let says = |candidate: &&Candidate| !english::entry(candidate.base).is(Tag::Light);
    let best = candidates.iter().filter(says).max_by_key(|candidate| candidate.weight);
    match best.or(candidates.first()) {
        Some(Candidate { class: Some(class), .. }) => english::class_name(*class).to_owned(),
        Some(Candidate { base, .. }) => (*base).to_owned(),
        None => topic(words, tokens),
    }
}

fn is_weak(class: Class) -> bool {
    matches!(english::class_name(class), "thought" | "observation" | "speech")
}

/// The verb at a token, weighed by how surely it tells what happens.
fn candidate(words: &Words, cast: &Cast, at: usize) -> Option<Candidate> {
    let token = &words.tokens[at];
    let word = words.word(token);
    let base = word.verb.filter(|_| token.shape == Shape::Lower)?;
    let on = words.at(token.sentence, at + 1).is_some_and(|next| words.lower(next) == "on");
    if matches!(base, "be" | "have" | "do" | "seem" | "let")
        || word.entry.is(Tag::Stop)
        || (base == "go" && on)
    {
        return None;
    }
    let base = carried(words, at, base)?;
    let past = word.text != base && !word.text.ends_with('s') && !word.text.ends_with("ing");
    let subject = follows_subject(words, cast, at);
    let before = words.before(at);
    let nominal = before.is_some_and(|before| is_determiner(words, before.word) || before.possessive);
    if nominal && !subject {
        return None;
    }
    let weight = 2 * i32::from(subject) + i32::from(past) + i32::from(!token.quoted);
    Some(Candidate { weight, base, class: english::verb_class(base) })
}

/// What a verb such as `give` carries: the cry of `gave a cry`; itself where it carries nothing.
fn carried(words: &Words, at: usize, base: &'static str) -> Option<&'static str> {
    if !matches!(base, "give" | "make" | "take" | "catch" | "utter") {
        return Some(base);
    }
    let next = |place: usize| words.at(words.tokens[at].sentence, place);
    if !next(at + 1).is_some_and(|next| matches!(words.lower(next), "a" | "an" | "no")) {
        return Some(base);
    }
    let noun = (at + 2..at + 4).filter_map(next).find_map(|token| words.word(token).verb);
    Some(noun.unwrap_or(base))
}

/// Whether a name or a subject pronoun stands before the verb, adverbs and auxiliaries aside.
pub(crate) fn follows_subject(words: &Words, cast: &Cast, at: usize) -> bool {
    let sentence = words.tokens[at].sentence;
    for place in (at.saturating_sub(3)..at).rev() {
        let Some(token) = words.at(sentence, place) else { return false };
        if words.tokens[place + 1].gap != Gap::Space {
            return false;
        }
        let text = words.lower(token);
        if words.entry(token).is(Tag::SubjectPronoun) {
            return true;
        }
        if let Some(naming) =
            cast.within(place..place + 1).last().or(cast.within(place.saturating_sub(3)..place + 1).last())
            && naming.end == place + 1
        {
            return !token.possessive;
        }
        let passes = text.ends_with("ly")
            || matches!(
                text,
                "had"
                    | "have"
                    | "has"
                    | "then"
                    | "never"
                    | "at"
                    | "once"
                    | "now"
                    | "was"
                    | "is"
                    | "did"
                    | "again"
                    | "also"
                    | "soon"
                    | "only"
                    | "just"
                    | "still"
                    | "always"
            );
        if !passes {
            return false;
        }
    }
    false
}

pub(crate) fn is_determiner(words: &Words, word: u32) -> bool {
    let word = &words.vocabulary[word as usize];
    matches!(
        word.text.as_str(),
        "the"
            | "a"
            | "an"
            | "this"
            | "that"
            | "these"
            | "those"
            | "my"
            | "his"
            | "their"
            | "its"
            | "our"
            | "your"
            | "no"
            | "every"
            | "some"
            | "any"
            | "of"
            | "in"
            | "with"
            | "for"
            | "such"
            | "at"
            | "on"
            | "by"
            | "from"
            | "into"
    ) || (word.text == "her" && word.entry.gender() == Some(Gender::Female))
        || word.entry.is(Tag::Telling)
}

/// The strongest class among nouns; narration before speech.
fn noun(words: &Words, tokens: Range<usize>) -> Option<Class> {
    let nouns = tokens.filter_map(|at| {
        let token = &words.tokens[at];
        let determined =
            words.before(at).is_some_and(|before| is_determiner(words, before.word) || before.possessive);
        let text = words.lower(token);
        let entry = words.entry(token);
        let class = entry.noun_class().or_else(|| english::entry(text.strip_suffix('s')?).noun_class())?;
        (determined && !is_weak(class) && token.shape == Shape::Lower).then_some((token.quoted, class))
    });
    nouns.min().map(|(_, class)| class)
}

/// The rarest word of an event without verbs, so that it is called something.
fn topic(words: &Words, tokens: Range<usize>) -> String {
    let rarest = tokens
        .filter(|at| {
            words.tokens[*at].shape == Shape::Lower && !words.entry(&words.tokens[*at]).is(Tag::Stop)
        })
        .map(|at| words.word(&words.tokens[at]))
        .filter(|word| word.text.len() > 3)
        .min_by_key(|word| word.lower);
    rarest.map_or_else(|| "scene".to_owned(), |word| word.text.clone())
}
