//! Multi-granularity scores of events: `S(q, v) = α event + β summary + γ surroundings` (PonsRAG eq. 5).
//!
//! In the paper each part is a cosine: with the event's details `r_v`, its cluster's summary `s_v` and
//! its chunk `c_v`. In the offline profile the parts are fused scores, words first: standard scores of
//! BM25 plus a share of the cosine's, for the event's window, its centred context and, words only, its
//! chapter.
//!
//! Departure: the offline profile (docs/departures.md, with the measured effect).

use crate::algo::vector::z_scores;
use crate::book::Book;
use crate::config::{Profile, QueryConfig};
use crate::knowledge::{EntityId, EventId};
use crate::lexical::words;
use crate::offline::reasons::gives_reason;
use crate::question::{Asks, Question};

/// Weight of a date where the question asks when.
const DATED: f64 = 0.3;
/// What an event gains that is of the class of happening the question asks about.
const HAPPENED: f64 = 3.0;
/// What it gains beside where a reason is asked for and one is given in it or next to it.
const EXPLAINED: f64 = 2.0;
/// What one gains that shows who tells the story, where that is asked: more than any words give.
const TOLD: f64 = 20.0;
/// Weight of words of looks where the question asks what somebody looks like.
const LOOKS: f64 = 0.5;

/// For every event the score of its chunk: what an answer rests on where chunks are all that is scored.
pub fn by_chunk(book: &Book, chunks: &[f64]) -> Vec<f64> {
    let of_chunk = |event: &crate::knowledge::Event| chunks.get(event.chunk.index()).copied().unwrap_or(0.0);
    book.index.knowledge.events.iter().map(of_chunk).collect()
}

/// `S(q, v)` for every event, in event order.
pub fn multi_granularity(book: &Book, question: &Question, config: &QueryConfig) -> Vec<f64> {
    match config.profile {
        Profile::Paper => by_cosine(book, question, config),
        Profile::Auto | Profile::Offline => fused(book, question, config),
    }
}

fn by_cosine(book: &Book, question: &Question, config: &QueryConfig) -> Vec<f64> {
    let Some((space, vector)) = question.space(book) else { return Vec::new() };
    let QueryConfig { alpha, beta, gamma, .. } = *config;
    let chunks = space.chunks.dots(vector);
    let clusters = space.clusters.dots(vector);
    let at = |scores: &[f64], place: usize| scores.get(place).copied().unwrap_or(0.0);
    let score = |(place, event): (usize, &crate::knowledge::Event)| {
        alpha * space.events.dot(place, vector)
            + beta * at(&clusters, event.cluster.index())
            + gamma * at(&chunks, event.chunk.index())
    };
    book.index.knowledge.events.iter().enumerate().map(score).collect()
}

/// The offline recipe: always in the built-in space, which it was made for.
fn fused(book: &Book, question: &Question, config: &QueryConfig) -> Vec<f64> {
    let Some(space) = book.space() else { return Vec::new() };
    let QueryConfig { alpha, beta, gamma, .. } = *config;
    let terms = question.known_terms();
    let cosines = space.events.dots(&question.vector);
    let clusters = space.clusters.dots(&question.vector);
    let of_cluster =
        |event: &crate::knowledge::Event| clusters.get(event.cluster.index()).copied().unwrap_or(0.0);
    let summaries: Vec<f64> = book.index.knowledge.events.iter().map(of_cluster).collect();

    let parts = [
        (alpha, book.scales.window_scores(&book.lexicon, &terms)),
        (alpha * config.dense_share, cosines.clone()),
        (beta, summaries),
        (gamma, book.scales.context_scores(&book.lexicon, &terms)),
        (gamma * config.dense_share, book.scales.context_cosines(&cosines)),
        (config.delta, book.scales.section_scores(&book.lexicon, &terms)),
    ];
    let asked = asked_kind(book, question);
    let mut scores = happened(book, question);
    scores.resize(cosines.len(), 0.0);
    for (weight, part) in parts.iter().chain(&asked).filter(|(weight, _)| *weight != 0.0) {
        for (score, standard) in scores.iter_mut().zip(z_scores(part)) {
            *score += weight * standard;
        }
    }
    scores
}

/// What an event gains by what it is said to be: the happening that is asked about, of one whom the question
/// names or, if it names nobody, of anybody; half of it where that is next to the event. And where it shows
/// who tells the story, if that is asked.
fn happened(book: &Book, question: &Question) -> Vec<f64> {
    let events = &book.index.knowledge.events;
    let mut gains = vec![0.0; events.len()];
    if question.happening.is_some() {
        let own: Vec<f64> = events.iter().map(|event| question.fit(book, event)).collect();
        // The more else a question says, the more its own words decide.
        let share = 1.0 / (1 + question.rest) as f64;
        for (event, gain) in gains.iter_mut().enumerate() {
            let (before, after) = book.scales.neighbours(event);
            let beside = [before, after].into_iter().flatten();
            let near = beside.clone().map(|event| own[event] / 2.0).fold(own[event], f64::max);
            let explained = question.asks == Asks::Why
                && own[event] > 0.0
                && beside.chain([event]).any(|event| explains(book, event));
            let explained = if explained { EXPLAINED } else { 0.0 };
            *gain = share * near * (HAPPENED + explained);
        }
    }
    if question.tells {
        let told = book.narration(&question.names).map(|(_, span)| span);
        for (event, gain) in events.iter().zip(&mut gains) {
            *gain += f64::from(u8::from(told.is_some_and(|span| event.span.contains(span)))) * TOLD;
        }
    }
    gains
}

/// Whether an event's text gives a reason.
fn explains(book: &Book, event: usize) -> bool {
    let words: Vec<_> = words(book.text(book.event_span(EventId::new(event)))).collect();
    gives_reason(&words)
}

/// What an event gains by holding the kind of thing that is asked for: a date, or looks where somebody
/// whom the question names is near.
fn asked_kind(book: &Book, question: &Question) -> Option<(f64, Vec<f64>)> {
    let events = &book.index.knowledge.events;
    match question.asks {
        Asks::When => {
            Some((DATED, book.scales.dated.iter().map(|&dated| f64::from(u8::from(dated))).collect()))
        }
        Asks::Looks => {
            let takes_part = |event: usize| {
                let named = |id: &EntityId| question.names(*id);
                question.names.is_empty()
                    || events.get(event).is_some_and(|told| told.participants.iter().any(named))
            };
            let gain = |event: usize| {
                let (before, after) = book.scales.neighbours(event);
                let window = [before, Some(event), after];
                let near = window.iter().flatten().any(|&event| takes_part(event));
                let looks: u32 = window.iter().flatten().map(|&event| book.scales.looks[event]).sum();
                if near { libm::log(1.0 + f64::from(looks)) } else { 0.0 }
            };
            Some((LOOKS, (0..events.len()).map(gain).collect()))
        }
        _ => None,
    }
}
