//! The short name of an event: what kind of happening, and of whom.
//!
//! Only a verb that says that something happened ([`super::realis`]) names an event: its class (`arrival`),
//! or, where it is of none, the verb with what follows (`opened the door`). So does a noun such as `wedding`
//! where something happens in its sentence. Verbs of speech, looks and movement are so frequent that any
//! other class goes before them. Where nothing happens the event is `speech` or `description`.
//!
//! Invariant: a label is `what`, or `what: who` or `what: who, who`, and never empty.

use std::ops::Range;

use super::cast::Cast;
use super::english::{self, Class, Gender, Tag};
use super::realis::Reading;
use super::referents::Referents;
use super::tokens::{Gap, Shape, Words};
use crate::knowledge::{EntityId, EntityKind};

/// The label of an event.
pub(crate) fn label(
    reading: &Reading<'_>,
    cast: &Cast,
    referents: &Referents<'_>,
    tokens: Range<usize>,
    participants: &[EntityId],
) -> String {
    let (what, verb) = what(reading, cast, tokens);
    let first = verb.and_then(|verb| subject(reading, cast, referents, verb));
    let of =
        |kind: fn(EntityKind) -> bool| participants.iter().filter(move |entity| kind(cast.kind(**entity)));
    let people = of(|kind| matches!(kind, EntityKind::Person | EntityKind::Group));
    let others = of(|kind| !matches!(kind, EntityKind::Person | EntityKind::Group));
    let rest = people.chain(others).filter(|id| Some(**id) != first);
    let names: Vec<&str> = first
        .iter()
        .chain(rest)
        .take(2)
        .filter_map(|id| cast.entities.get(id.index()))
        .map(|entity| entity.name.as_str())
        .collect();
    match names.is_empty() {
        true => what,
        false => format!("{what}: {}", names.join(", ")),
    }
}

/// Who is the subject of a verb: the name or pronoun right before its auxiliaries, or right behind it
/// (`said Anne`).
fn subject(reading: &Reading<'_>, cast: &Cast, referents: &Referents<'_>, verb: usize) -> Option<EntityId> {
    let words = reading.words;
    let start = reading.chain_start(verb);
    let pronoun = reading.perceived(verb).or_else(|| start.checked_sub(1));
    if let Some(one) = pronoun.and_then(|pronoun| referents.of(pronoun)) {
        return Some(one);
    }
    let before = cast.within(start.saturating_sub(4)..start).iter().find(|naming| naming.end == start);
    let behind = || {
        let joined = words.tokens.get(verb + 1).is_some_and(|token| token.gap == Gap::Space);
        cast.within(verb + 1..verb + 2).first().filter(|_| joined)
    };
    let naming = before.or_else(behind)?;
    (!words.tokens[naming.end - 1].possessive).then_some(naming.entity)
}

/// A verb by which something happens.
struct Candidate {
    at: usize,
    weight: i32,
    class: Option<Class>,
}

/// What kind of happening these tokens tell, and by which verb.
fn what(reading: &Reading<'_>, cast: &Cast, tokens: Range<usize>) -> (String, Option<usize>) {
    let words = reading.words;
    let told = tokens.clone().filter(|at| reading.happened(*at));
    let candidates: Vec<Candidate> = told.filter_map(|at| candidate(reading, cast, at)).collect();
    let strong = |candidate: &&Candidate| candidate.class.is_some_and(|class| !english::is_weak(class));
    let rank = |candidate: &&Candidate| (candidate.weight, candidate.class.map(std::cmp::Reverse));
    let named = |best: &Candidate| {
        let class = best.class.map(english::class_name);
        (class.map_or_else(|| phrase(words, best.at), str::to_owned), Some(best.at))
    };
    if let Some(best) = candidates.iter().filter(strong).max_by_key(rank) {
        return named(best);
    }
    if let Some(class) = noun(reading, tokens.clone()) {
        return (english::class_name(class).to_owned(), None);
    }
    if let Some(best) = candidates.iter().max_by_key(|one| (one.weight, one.class.is_none())) {
        return named(best);
    }
    let quoted = tokens.clone().filter(|at| words.tokens[*at].quoted).count();
    let what = if quoted * 2 > tokens.len() { "speech" } else { "description" };
    (what.to_owned(), None)
}

/// A verb that happens, weighed by how surely it is the main one.
fn candidate(reading: &Reading<'_>, cast: &Cast, at: usize) -> Option<Candidate> {
    let words = reading.words;
    let token = &words.tokens[at];
    let next = |place: usize| words.at(token.sentence, place).map(|next| words.lower(next));
    let base = words.word(token).verb;
    // "Went on", "gave way", "left off" are no departure and no gift.
    let idle = matches!(
        (base, next(at + 1)),
        (Some("go" | "come" | "get"), Some("on"))
            | (Some("give"), Some("way" | "up" | "in" | "out" | "over"))
            | (Some("leave"), Some("off" | "out"))
    );
    if idle {
        return None;
    }
    let weight = 2 * i32::from(follows_subject(words, cast, at)) + i32::from(!token.quoted);
    // What "it" or "you" did names no event of those who take part.
    let start = reading.chain_start(at);
    let subject = start.checked_sub(1).and_then(|before| words.at(token.sentence, before));
    if subject.is_some_and(|subject| matches!(words.lower(subject), "it" | "you" | "ye")) {
        return None;
    }
    let away = matches!(next(at + 1), Some("out" | "away" | "off" | "forth" | "home"));
    let from = next(at + 1) == Some("from");
    let ends = words.at(token.sentence, at + 1).is_none_or(|next| next.gap != Gap::Space);
    let class = base.and_then(|base| match base {
        "leave" if reading.is_passive(at) => None,
        // To go somewhere is no more than to move; to go is to leave.
        "go" => english::verb_class(if away || from || ends { "leave" } else { "walk" }),
        base if away && moves(base) => english::verb_class("leave"),
        base if english::entry(base).is(Tag::Speech) => {
            english::verb_class(base).or_else(|| english::verb_class("say"))
        }
        base => english::verb_class(carried(words, at, base)),
    });
    // Without a class the verb itself is shown: it must be sure, and say something.
    let light = base.is_some_and(|base| english::entry(base).is(Tag::Light));
    let shown = weight >= 2 && (!light || phrase(words, at).contains(' '));
    (class.is_some() || shown).then_some(Candidate { at, weight, class })
}

/// Whether a verb with `out`, `away` or `off` is a departure: `stole out`, `set off`.
fn moves(base: &'static str) -> bool {
    let moving = english::verb_class(base).is_some_and(|class| english::class_name(class) == "movement");
    moving
        || matches!(
            base,
            "steal"
                | "slip"
                | "set"
                | "make"
                | "ride"
                | "drive"
                | "sail"
                | "creep"
                | "march"
                | "dash"
                | "bolt"
                | "start"
                | "get"
        )
}

/// What a verb such as `give` carries: the cry of `gave a cry`, the look of `gave him a look`; itself where
/// it carries nothing.
fn carried(words: &Words, at: usize, base: &'static str) -> &'static str {
    if !matches!(base, "give" | "make" | "take" | "catch" | "utter") {
        return base;
    }
    let next = |place: usize| words.at(words.tokens[at].sentence, place);
    let is = |place: usize, tag| next(place).is_some_and(|next| words.entry(next).is(tag));
    let from = at + 1 + usize::from(is(at + 1, Tag::Pronoun));
    if !next(from).is_some_and(|next| matches!(words.lower(next), "a" | "an" | "no")) {
        return base;
    }
    (from + 1..from + 3).filter_map(next).find_map(|token| words.word(token).verb).unwrap_or(base)
}

/// The verb as it stands with its particle or object: `opened the door`, `sat down`.
fn phrase(words: &Words, at: usize) -> String {
    let sentence = words.tokens[at].sentence;
    let mut text = words.lower(&words.tokens[at]).to_owned();
    let mut noun = false;
    for place in at + 1..at + 4 {
        let Some(token) = words.at(sentence, place).filter(|token| token.gap == Gap::Space) else { break };
        let lower = words.lower(token);
        let particle = matches!(lower, "up" | "down" | "out" | "off" | "away" | "back" | "in" | "over");
        let article = matches!(lower, "the" | "a" | "an" | "his" | "her" | "my" | "their" | "its");
        let plain =
            token.shape == Shape::Lower && !words.entry(token).is(Tag::Stop) && !lower.ends_with("ly");
        let first = place == at + 1;
        if !(first && (particle || article) || !first && plain && (article_before(words, place) || noun)) {
            break;
        }
        noun |= !first;
        text.push(' ');
        text.push_str(lower);
        if particle || token.possessive {
            break;
        }
    }
    let whole = |article: &str| text.strip_suffix(article).map(str::to_owned);
    [" the", " a", " an", " his", " her", " my", " their", " its"].into_iter().find_map(whole).unwrap_or(text)
}

fn article_before(words: &Words, place: usize) -> bool {
    words.before(place).is_some_and(|before| is_determiner(words, before.word))
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

/// The strongest class among nouns of sentences in which something happens; narration before speech.
fn noun(reading: &Reading<'_>, tokens: Range<usize>) -> Option<Class> {
    let words = reading.words;
    let happens: Vec<u32> =
        tokens.clone().filter(|at| reading.happened(*at)).map(|at| words.tokens[at].sentence).collect();
    let nouns = tokens.filter_map(|at| {
        let token = &words.tokens[at];
        let determined =
            words.before(at).is_some_and(|before| is_determiner(words, before.word) || before.possessive);
        let text = words.lower(token);
        let entry = words.entry(token);
        let class = entry.noun_class().or_else(|| english::entry(text.strip_suffix('s')?).noun_class())?;
        let told = determined && token.shape == Shape::Lower && happens.contains(&token.sentence);
        (told && !english::is_weak(class)).then_some((token.quoted, class))
    });
    nouns.min().map(|(_, class)| class)
}
