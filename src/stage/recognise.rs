//! Recognition memory: the facts that link the question to the character graph (HippoRAG 2).
//!
//! The question is compared with every stated fact; the best five, scores scaled to 0 to 1 over all facts,
//! are candidates, and a chat model says which of them help, four at most. What it writes is mapped back to
//! the candidate whose words are nearest, so that it can add none.
//!
//! Departure: without a chat model a rule decides, a fact is kept when it shares a content word with the
//! question.

use crate::algo::edit::edit_distance;
use crate::algo::vector::{min_max, top_k};
use crate::book::Book;
use crate::config::QueryConfig;
use crate::index::Space;
use crate::llm::{ChatRequest, reply};
use crate::prompts::FACTS;
use crate::question::Question;

use super::Candidate;

/// Facts that a chat model may keep (HippoRAG 2).
const MOST_KEPT: usize = 4;

/// Letters of a fact that are compared.
const LONGEST: usize = 400;

/// The facts nearest to the question, best first, all kept so far.
pub fn candidates(book: &Book, space: &Space, vector: &[f32], config: &QueryConfig) -> Vec<Candidate> {
    let scores = min_max(&space.facts.dots(vector));
    let best = top_k(&scores, config.link_facts).into_iter().filter(|&fact| fact < book.graph.facts.len());
    best.map(|fact| Candidate { fact, score: scores[fact], kept: true, reason: "" }).collect()
}

/// Keeps what shares a content word with the question.
pub fn by_rule(book: &Book, question: &Question, candidates: &mut [Candidate]) {
    for candidate in candidates {
        let held = book.lexicon.known_terms(text(book, candidate));
        candidate.kept = question.known_terms().iter().any(|term| held.contains(term));
        candidate.reason = if candidate.kept { "" } else { "shares no content word with the question" };
    }
}

/// What a chat model is asked.
pub fn request(book: &Book, question: &Question, candidates: &[Candidate]) -> ChatRequest {
    let line =
        |candidate: &Candidate| words(book, candidate).map_or(String::new(), |words| words.join(" | "));
    let facts: Vec<String> = candidates.iter().map(line).collect();
    FACTS.request(&facts.join("\n"), &format!("Question: {}", question.text))
}

/// The places of the candidates that a chat model's reply names, most helpful first.
///
/// # Errors
/// What to tell the model of a reply that cannot be read.
pub fn read(book: &Book, reply: &str, candidates: &[Candidate]) -> Result<Vec<usize>, String> {
    let named = reply::triples(reply).map_err(|fault| fault.sentence().to_owned())?.items;
    let facts: Vec<Vec<char>> = candidates.iter().map(|candidate| folded(text(book, candidate))).collect();
    let mut kept: Vec<usize> = Vec::new();
    for triple in named {
        let written = folded(&format!("{} {} {}", triple.subject, triple.predicate, triple.object));
        let nearest = (0..facts.len()).min_by_key(|&place| edit_distance(&facts[place], &written));
        kept.extend(nearest.filter(|place| !kept.contains(place) && kept.len() < MOST_KEPT));
    }
    Ok(kept)
}

/// Keeps the candidates at some places.
pub fn keep(candidates: &mut [Candidate], kept: &[usize]) {
    for (place, candidate) in candidates.iter_mut().enumerate() {
        candidate.kept = kept.contains(&place);
        candidate.reason = if candidate.kept { "" } else { "not among those that the chat model kept" };
    }
}

fn text<'a>(book: &'a Book, candidate: &Candidate) -> &'a str {
    book.graph.facts.get(candidate.fact).map_or("", |fact| &fact.text)
}

fn words<'a>(book: &'a Book, candidate: &Candidate) -> Option<&'a [String; 3]> {
    book.graph.facts.get(candidate.fact).map(|fact| &fact.words)
}

/// The letters that are compared, as many as a fact has.
fn folded(text: &str) -> Vec<char> {
    text.to_lowercase().chars().take(LONGEST).collect()
}
