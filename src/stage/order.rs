//! Words of time in a question, resolved against the story's order: at first, before, after, at last and
//! their kin.
//!
//! After and before name a scene: the anchor whose surroundings hold most of what stands behind the word, or
//! of the whole question where nothing stands there ("what did she do then?"). At first and at last name
//! none: they part the strongest anchors in the middle. What lies on the far side is not what was asked for.
//!
//! Departure: the paper leaves it to the chat model, without saying so in the prompt. This is the rule that
//! stands in.

use crate::algo::vector::{descending, quantile};
use crate::book::Book;
use crate::lexical::words;
use crate::question::Question;

use super::{Nodes, Order, Time};

/// The least share of what names a scene that must stand around it.
const COVER: f64 = 0.5;

/// Phrases of each time, the longest first where one begins another.
const PHRASES: [(&[&str], Time); 26] = [
    (&["at", "first"], Time::First),
    (&["first", "time"], Time::First),
    (&["in", "the", "beginning"], Time::First),
    (&["at", "the", "beginning"], Time::First),
    (&["at", "the", "start"], Time::First),
    (&["to", "begin", "with"], Time::First),
    (&["initially"], Time::First),
    (&["originally"], Time::First),
    (&["at", "last"], Time::Last),
    (&["last", "time"], Time::Last),
    (&["in", "the", "end"], Time::Last),
    (&["at", "the", "end"], Time::Last),
    (&["at", "the", "very", "end"], Time::Last),
    (&["finally"], Time::Last),
    (&["eventually"], Time::Last),
    (&["ultimately"], Time::Last),
    (&["shortly", "after"], Time::After),
    (&["after"], Time::After),
    (&["afterwards"], Time::After),
    (&["afterward"], Time::After),
    (&["later"], Time::After),
    (&["then"], Time::After),
    (&["next"], Time::After),
    (&["before"], Time::Before),
    (&["earlier"], Time::Before),
    (&["previously"], Time::Before),
];

/// Phrases that begin as one of time and are none.
const IDIOMS: [&[&str]; 3] = [&["after", "all"], &["next", "to"], &["next", "door"]];

/// Words before "after" that make it no word of time.
const NOT_AFTER: [&str; 14] = [
    "look", "looks", "looked", "looking", "named", "called", "take", "takes", "took", "ran", "run", "runs",
    "chased", "went",
];

/// The word of time of a question, with what stands behind it up to a comma or the end.
pub fn word(question: &str) -> Option<(Time, &str)> {
    let mut at = 0;
    let mut before = String::new();
    while at < question.len() {
        let rest = &question[at..];
        let begin = rest.find(char::is_alphanumeric)?;
        let rest = &rest[begin..];
        let found = PHRASES.iter().find_map(|(phrase, time)| Some((*time, behind(rest, phrase)?)));
        let idiom = IDIOMS.iter().any(|idiom| behind(rest, idiom).is_some());
        if let Some((time, clause)) = found
            && !(idiom || time == Time::After && NOT_AFTER.contains(&before.as_str()))
        {
            let end = clause.find([',', ';', '?', '!', ':']).unwrap_or(clause.len());
            return Some((time, clause[..end].trim()));
        }
        let length = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        before = rest[..length].to_lowercase();
        at += begin + length;
    }
    None
}

/// What stands behind a phrase at the beginning of a text.
fn behind<'a>(text: &'a str, phrase: &[&str]) -> Option<&'a str> {
    phrase.iter().enumerate().try_fold(text, |rest, (place, word)| {
        let rest = if place == 0 { rest } else { rest.trim_start() };
        begins_with(rest, word).then(|| &rest[word.len()..])
    })
}

/// Whether a text begins with a whole word.
fn begins_with(text: &str, word: &str) -> bool {
    let text = text.trim_start();
    let begins = text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    begins && !text[word.len()..].starts_with(char::is_alphanumeric)
}

/// What the question's word of time asks for; none without one, and where it names a scene that no anchor
/// holds.
///
/// # Arguments
/// - `anchors`: the candidates of the scene.
/// - `scores`: `S(q, v)` of every event.
pub fn resolve(book: &Book, question: &Question, anchors: &Nodes, scores: &[f64]) -> Option<Order> {
    let (time, clause) = word(&question.text)?;
    let score = |event: usize| scores.get(event).copied().unwrap_or(0.0);
    let mut strong: Vec<usize> = anchors.events.iter().map(|node| node.id.index()).collect();
    if matches!(time, Time::First | Time::Last) {
        let bar = quantile(strong.iter().map(|&event| score(event)).collect(), 0.5);
        strong.retain(|&event| score(event) >= bar);
        strong.sort_unstable();
        let scene = *strong.get(strong.len().checked_sub(1)? / 2)?;
        return Some(Order { time, scene: crate::knowledge::EventId::new(scene) });
    }
    let held = book.lexicon.known_terms(clause);
    let named = |id: &Option<u32>| id.is_some_and(|id| held.contains(&id));
    let mut terms: Vec<(Option<u32>, f64)> =
        question.terms.iter().map(|term| (term.id, term.weight)).filter(|(id, _)| named(id)).collect();
    if terms.is_empty() && words(clause).count() < 2 {
        terms = question.terms.iter().map(|term| (term.id, term.weight)).collect();
    }
    let all: f64 = terms.iter().map(|(_, weight)| weight).sum();
    let cover = |event: usize| {
        let stream = book.lexicon.terms_at(book.scales.window(event));
        let held = terms.iter().filter(|(id, _)| id.is_some_and(|id| stream.contains(&id)));
        held.map(|(_, weight)| weight).sum::<f64>() / all.max(f64::MIN_POSITIVE)
    };
    let mut scenes: Vec<(f64, usize)> = strong.iter().map(|&event| (cover(event), event)).collect();
    scenes.sort_by(|a, b| descending(a.0, b.0).then(descending(score(a.1), score(b.1))).then(a.1.cmp(&b.1)));
    let (cover, scene) = *scenes.first()?;
    (cover >= COVER).then(|| Order { time, scene: crate::knowledge::EventId::new(scene) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_time_is_found_with_what_it_speaks_of() {
        for (question, found) in [
            ("What did Anne do at first?", Some((Time::First, ""))),
            (
                "After Tapp had been in the archive, what order came?",
                Some((Time::After, "Tapp had been in the archive")),
            ),
            ("What did she say before the wedding?", Some((Time::Before, "the wedding"))),
            ("AT LAST who came?", Some((Time::Last, "who came"))),
            ("At the very end, what did he do?", Some((Time::Last, ""))),
            ("What happened next?", Some((Time::After, ""))),
            ("Who spoke earlier?", Some((Time::Before, ""))),
            ("Who was called after the king, after all?", None),
            ("Who looked after the horse after the fair?", Some((Time::After, "the fair"))),
            ("Who sat next to Ida?", None),
            ("Who lived next door before the flood?", Some((Time::Before, "the flood"))),
            ("Who came next, to Ida?", Some((Time::After, ""))),
            ("Who came first in the race at firsthand?", None),
            ("Wer war's\u{a0}— é", None),
            ("Who is Anne?", None),
            ("", None),
        ] {
            assert_eq!(word(question), found, "{question}");
        }
    }
}
