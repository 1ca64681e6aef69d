//! An answer without a chat model: the sentence of the book that fits the question best, or a plain
//! "not found".
//!
//! Candidates are the sentences of the best events. A sentence is worth the share of the question's
//! weight that it covers, half as much what its surroundings cover, and a little for holding the kind of
//! thing that was asked for. Below a least cover nothing is claimed.
//!
//! Departure: all of it is ours; the paper generates the answer with a chat model.

use crate::algo::vector::top_k;
use crate::book::Book;
use crate::config::QueryConfig;
use crate::knowledge::{EntityKind, EventId, Span};
use crate::lexical::words;
use crate::offline::english::{self, Tag};
use crate::question::{Asks, Question};
use crate::text::sentences;

/// What is said when nothing fits.
pub const NOT_FOUND: &str = "not found in what you have read";

/// Events whose sentences are looked at.
const EVENTS: usize = 60;
/// Sentences of fewer words are quoted with the event around them.
const SHORT: usize = 6;
/// Worth of the kind of thing that was asked for.
const KIND: f64 = 0.15;
/// Worth of the event's own rank, from first to last.
const RANK: f64 = 0.3;

/// A quoted sentence and how well it fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The sentence.
    pub span: Span,
    /// The share of the question's weight that it and its surroundings cover, 0 to 1.
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
    // A question that names someone of this book is about this book: half the cover is enough.
    let least = if question.names.is_empty() { config.min_cover } else { config.min_cover / 2.0 };
    let mut best: Option<(f64, Candidate)> = None;
    for (rank, event) in top_k(scores, EVENTS).into_iter().enumerate() {
        let around = question.cover(book.lexicon.terms_at(book.scales.window(event)));
        if around < least {
            continue;
        }
        let span = book.event_span(EventId::new(event));
        for sentence in sentences(&book.index.document.text, span) {
            let own = question.cover(&book.lexicon.known_terms(book.text(sentence)));
            let kind = if fits(book, question, event, book.text(sentence)) { KIND } else { 0.0 };
            let worth = own + around / 2.0 + kind + RANK * (1.0 - rank as f64 / EVENTS as f64);
            if best.is_none_or(|(most, _)| worth > most) {
                let short = words(book.text(sentence)).count() < SHORT;
                best = Some((
                    worth,
                    Candidate { span: if short { span } else { sentence }, confidence: around },
                ));
            }
        }
    }
    best.map(|(_, candidate)| candidate).filter(|candidate| candidate.confidence > 0.0)
}

/// Whether a sentence holds the kind of thing that the question asks for.
fn fits(book: &Book, question: &Question, event: usize, sentence: &str) -> bool {
    let told = book.index.knowledge.events.get(event);
    let names = |kinds: &[EntityKind]| {
        told.is_some_and(|told| {
            told.participants.iter().any(|id| {
                let entity = book.index.knowledge.entities.get(id.index());
                entity.is_some_and(|entity| kinds.contains(&entity.kind) && sentence.contains(&entity.name))
                    && !question.names.contains(id)
            })
        })
    };
    let tagged =
        |tags: &[Tag]| words(sentence).any(|word| tags.iter().any(|&tag| english::entry(&word).is(tag)));
    let says = |list: &[&str]| words(sentence).any(|word| list.contains(&word.as_ref()));
    match question.asks {
        Asks::Who => names(&[EntityKind::Person, EntityKind::Group]) || tagged(&[Tag::Kin, Tag::Role]),
        Asks::Where => names(&[EntityKind::Place]) || tagged(&[Tag::Place]),
        Asks::When => {
            tagged(&[Tag::Month, Tag::Day])
                || says(&[
                    "morning", "night", "evening", "year", "years", "day", "days", "week", "hour", "hours",
                    "o'clock", "when", "after", "before",
                ])
        }
        Asks::Why => says(&["because", "for", "since", "so", "lest", "order", "reason", "that"]),
        Asks::HowMany => {
            tagged(&[Tag::Number])
                || words(sentence).any(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
        }
        Asks::What => false,
    }
}

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
