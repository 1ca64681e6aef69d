//! An answer without a chat model: the sentence of the book that fits the question best, or a plain
//! "not found".
//!
//! Candidates are the sentences of the best events and of their neighbours. A sentence is worth what it
//! and its surroundings cover of the question, the score of its event, and most of all whether it holds
//! the kind of thing that was asked for. One that only echoes the question, or asks one itself, is worth
//! less. Below a least cover nothing is claimed.
//!
//! Departure: all of it is ours; the paper generates the answer with a chat model.

use crate::algo::vector::{min_max, top_k};
use crate::book::Book;
use crate::config::QueryConfig;
use crate::knowledge::{EntityKind, EventId, Span};
use crate::lexical::words;
use crate::offline::english::{self, Tag};
use crate::offline::reasons::gives_reason;
use crate::question::{Asks, Direction, Question};
use crate::text::sentences;

/// What is said when nothing fits.
pub const NOT_FOUND: &str = "not found in what you have read";

/// Whether an answer is the sentence that nothing was found, whatever its case and the marks around it.
pub fn is_not_found(answer: &str) -> bool {
    answer.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case(NOT_FOUND)
}

/// Events whose sentences are looked at.
const EVENTS: usize = 60;
/// Sentences of fewer words are quoted with the event around them.
const SHORT: usize = 6;
/// Worth of holding the kind of thing that was asked for.
const KIND: f64 = 0.2;
/// Worth of a word for the happening that was asked about.
const HAPPENING: f64 = 0.1;
/// Worth of the event's own score, from the last of those looked at to the first: how much better an event
/// is than the others says more than its rank.
const SCORED: f64 = 1.6;
/// The share of the least cover that is enough for a question that names someone of this book.
const NAMED: f64 = 0.8;
/// What it costs to stand beside the event, not in it: less where the question asks for what is next.
const BESIDE: f64 = 0.5;
/// What the scene of the happening is worth where a reason is asked for and the question says nothing else.
const SCENE: f64 = 2.0;
/// What a reason is worth in or beside an event of the happening that was asked about.
const EXPLAINED: f64 = 0.5;
/// What it costs to ask a question oneself.
const ASKING: f64 = 0.6;
/// What it costs to say hardly more than the question.
const ECHO: f64 = 0.3;
/// Terms beyond the question's that make a sentence more than an echo.
const NEWS: usize = 3;

/// How far a sentence is believed whose surroundings cover the whole question: on FairytaleQA (val) seven
/// in ten such sentences lay in the evidence, one in three where half was covered.
pub const BELIEF: f64 = 0.75;

/// A quoted sentence and how well it fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The sentence.
    pub span: Span,
    /// How far to believe that it answers, 0 to [`BELIEF`].
    pub confidence: f64,
}

/// The best sentence, where one fits.
///
/// # Arguments
/// - `scores`: `S(q, v)` of every event, from which the candidates are taken.
pub fn best_sentence(
    book: &Book,
    question: &Question,
    scores: &[f64],
    config: &QueryConfig,
) -> Option<Candidate> {
    // A question that names someone of this book is likelier to be about it.
    let least = config.min_cover * if question.names.is_empty() { 1.0 } else { NAMED };
    let told = question.tells.then(|| book.narration(&question.names)).flatten();
    if let Some((_, span)) = told {
        return Some(Candidate { span, confidence: BELIEF });
    }
    if let Some(candidate) = introduction(book, question) {
        return Some(candidate);
    }
    let mut best: Option<(f64, Candidate)> = None;
    let order = top_k(scores, EVENTS);
    let shares = min_max(&order.iter().map(|&event| scores[event]).collect::<Vec<_>>());
    for (event, share) in order.into_iter().zip(shares) {
        let fit = question.fit_of(book, EventId::new(event));
        let around = question.cover_at(book, event, fit);
        if around < least {
            continue;
        }
        let scored = SCORED * share;
        let (before, after) = book.scales.neighbours(event);
        let scene = question.asks == Asks::Why && fit > 0.0;
        for (place, beside) in [(Some(event), None), (before, Some(false)), (after, Some(true))] {
            let Some(place) = place.map(EventId::new) else { continue };
            let span = book.event_span(place);
            for sentence in sentences(&book.index.document.text, span) {
                let told = book.text(sentence);
                // What explains the happening itself is told before it or, in the pluperfect, after.
                let explained = scene && gives_reason(&folded(told));
                let apart = if explained { -EXPLAINED } else { distance(question, beside) };
                let about = if scene { fit * SCENE / (1 + question.rest) as f64 } else { 0.0 };
                let worth = around / 2.0 + scored + about - apart + worth(book, question, place, told);
                if best.is_none_or(|(most, _)| worth > most) {
                    let short = words(told).count() < SHORT;
                    let span = if short { span } else { sentence };
                    best = Some((worth, Candidate { span, confidence: BELIEF * around }));
                }
            }
        }
    }
    best.map(|(_, candidate)| candidate).filter(|candidate| candidate.confidence > 0.0)
}

/// For a question that asks who someone is and nothing else, the first sentence that describes them.
fn introduction(book: &Book, question: &Question) -> Option<Candidate> {
    let [name] = question.names[..] else { return None };
    let entity = book.index.knowledge.entities.get(name.index())?;
    let forms: Vec<u32> =
        entity.aliases.iter().flat_map(|alias| book.lexicon.known_terms(&alias.name)).collect();
    let only = question.terms.iter().all(|term| term.id.is_some_and(|id| forms.contains(&id)));
    let span = *entity.description.quoted().first()?;
    (question.asks == Asks::Who && only).then_some(Candidate { span, confidence: BELIEF })
}

fn folded(sentence: &str) -> Vec<std::borrow::Cow<'_, str>> {
    words(sentence).collect()
}

/// What it costs to stand before (`false`) or after (`true`) the event that was found.
fn distance(question: &Question, beside: Option<bool>) -> f64 {
    match (beside, question.direction) {
        (None, _) => 0.0,
        (Some(true), Some(Direction::Forward)) | (Some(false), Some(Direction::Backward)) => BESIDE / 4.0,
        _ => BESIDE,
    }
}

/// What a sentence itself is worth.
fn worth(book: &Book, question: &Question, event: EventId, sentence: &str) -> f64 {
    let terms = book.lexicon.known_terms(sentence);
    let asked = question.known_terms();
    let news = terms.iter().filter(|term| !asked.contains(term)).count();
    let mut worth = question.cover(&terms);
    if fits(book, question, event, sentence) {
        worth += KIND;
    }
    let happens = |word: &str| english::happening(word) == question.happening;
    if question.happening.is_some() && words(sentence).any(|word| happens(&word)) {
        worth += HAPPENING;
    }
    if sentence.trim_end_matches(['"', '\'', '\u{201d}', '\u{2019}', ')']).ends_with('?') {
        worth -= ASKING;
    }
    if news < NEWS {
        worth -= ECHO;
    }
    worth
}

/// Whether a sentence holds the kind of thing that the question asks for, beyond its own words.
fn fits(book: &Book, question: &Question, event: EventId, sentence: &str) -> bool {
    let named = |kinds: &[EntityKind]| {
        let told = book.index.knowledge.events.get(event.index());
        told.into_iter().flat_map(|told| &told.participants).filter(|id| !question.names(**id)).any(|id| {
            let entity = book.index.knowledge.entities.get(id.index());
            entity.is_some_and(|entity| {
                kinds.contains(&entity.kind)
                    && entity.aliases.iter().any(|alias| sentence.contains(&alias.name))
            })
        })
    };
    let asked: Vec<_> = words(&question.text).collect();
    let says =
        |what: &dyn Fn(&str) -> bool| words(sentence).any(|word| what(&word) && !asked.contains(&word));
    let tagged = |tag: Tag| says(&|word| english::entry(word).is(tag));
    match question.asks {
        Asks::Who => named(&[EntityKind::Person, EntityKind::Group]) || tagged(Tag::Kin) || tagged(Tag::Role),
        Asks::Where => named(&[EntityKind::Place]) || tagged(Tag::Place),
        Asks::When => tagged(Tag::Month) || tagged(Tag::Day) || says(&|word| TIMES.contains(&word)),
        Asks::Why => gives_reason(&folded(sentence)),
        Asks::HowMany => tagged(Tag::Number) || says(&|word| word.bytes().any(|byte| byte.is_ascii_digit())),
        Asks::Looks => tagged(Tag::Looks),
        Asks::What => false,
    }
}

/// Words by which a sentence tells a time.
const TIMES: [&str; 14] = [
    "morning", "night", "evening", "noon", "midnight", "dawn", "dusk", "week", "weeks", "month", "months",
    "year", "years", "o'clock",
];
/// Which option the book supports best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Its place in the list of options.
    pub option: usize,
    /// Its share of the support of all options, 0 to 1.
    pub confidence: f64,
}

/// The option whose own words stand most, and closest to the question's, in the best events.
///
/// `None` when no option's words are found, or when two options are supported equally.
pub fn best_choice(book: &Book, question: &Question, options: &[Question], scores: &[f64]) -> Option<Choice> {
    let support: Vec<f64> = options.iter().map(|option| support(book, question, option, scores)).collect();
    let all: f64 = support.iter().sum();
    let order = top_k(&support, 2);
    let first = *order.first()?;
    let tied = order.get(1).is_some_and(|&second| support[second] == support[first]);
    if tied || support[first] <= 0.0 {
        return None;
    }
    Some(Choice { option: first, confidence: support[first] / all })
}

/// The most an option gets from one event: what it covers of the option there, weighted by what the
/// event covers of the question and by its rank.
fn support(book: &Book, question: &Question, option: &Question, scores: &[f64]) -> f64 {
    let mut most = 0.0;
    for (rank, event) in top_k(scores, EVENTS).into_iter().enumerate() {
        let stream = book.lexicon.terms_at(book.scales.window(event));
        let worth =
            option.cover(stream) * (0.2 + question.cover(stream)) * (1.0 - 0.7 * rank as f64 / EVENTS as f64);
        if worth > most {
            most = worth;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case and the marks around it aside it is this sentence and no other.
    #[test]
    fn that_nothing_was_found_is_one_sentence() {
        for said in [
            NOT_FOUND,
            "Not found in what you have read.",
            "**\u{201c}NOT FOUND in what you have read\u{201d}**\n",
        ] {
            assert!(is_not_found(said), "{said}");
        }
        let other = [
            "",
            "not found",
            "not  found in what you have read",
            "It is not found in what you have read.",
            "Not found in what you have read, but she was his sister.",
        ];
        for said in other {
            assert!(!is_not_found(said), "{said}");
        }
    }
}
