//! A retrieval as a document: what each stage had, chose and dropped.

use std::collections::BTreeSet;

use crate::asking;
use crate::book::Book;
use crate::config::{self, Profile};
use crate::knowledge::{EntityKind, EventId};
use crate::options::Method;
use crate::question::Question;
use crate::report::*;
use crate::retrieval::{self, Retrieval};
use crate::stage::filter::NOT_CHOSEN;
use crate::stage::{self, Passage};

use super::{Places, association, issue, told};

/// Edges of the candidate subgraph that a trace lists.
const EDGES: usize = 200;

/// Every stage of one retrieval.
pub(crate) fn trace(
    book: &Book,
    places: &Places<'_>,
    question: &Question,
    method: Method,
    found: &Retrieval,
) -> Trace {
    Trace {
        method: method.as_str().to_owned(),
        profile: found.profile.map_or("", Profile::as_str).to_owned(),
        question: question.text.clone(),
        query_type: QueryType::default(),
        embedding_space: question.space(book).map_or(String::new(), |(space, _)| space.id.clone()),
        settings: Vec::new(),
        recognition: Recognition { by: found.recognised.by.to_owned() },
        facts: found.recognised.facts.iter().filter_map(|candidate| fact(book, candidate)).collect(),
        anchors: nodes(book, places, &found.anchors),
        awakened: nodes(book, places, &found.awakened),
        matching: matching(book, places, found),
        pairs: found.pairs.iter().map(|pair| matched(book, places, pair)).collect(),
        dropped: dropped(book, places, found),
        filter: filter(book, places, &found.filter),
        steps: Vec::new(),
        cues: association::cues(&found.associations),
        entities: association::entities(book, &found.associations),
        relations: association::relations(book, &found.associations),
        eliminated: association::eliminated(book, &found.associations),
        evidence: found.evidence.iter().map(|passage| evidence(book, places, passage)).collect(),
        context: found.context.text.clone(),
        context_tokens: found.context.tokens,
        calls: Vec::new(),
        timings_ms: found.timings.iter().map(|&(stage, ms)| (stage.to_owned(), ms)).collect(),
        issues: issues(book, question).into_iter().chain(found.issues.iter().map(issue)).collect(),
    }
}

fn fact(book: &Book, candidate: &stage::Candidate) -> Option<Fact> {
    let [subject, predicate, object] = book.graph.facts.get(candidate.fact)?.words.clone();
    let stage::Candidate { score, kept, reason, .. } = *candidate;
    Some(Fact { subject, predicate, object, score, kept, reason: reason.to_owned() })
}

/// The pairs, and the heaviest other edges as far as they are told.
fn matching(book: &Book, places: &Places<'_>, found: &Retrieval) -> Matching {
    let key = |pair: &stage::Pair| (pair.event, pair.character);
    let chosen: BTreeSet<_> = found.matching.pairs.iter().map(key).collect();
    let mut others = EDGES.saturating_sub(chosen.len());
    let mut edges = Vec::new();
    for pair in &found.matching.edges {
        let matched = chosen.contains(&key(pair));
        if edges.len() == EDGES || !matched && others == 0 {
            continue;
        }
        others -= usize::from(!matched);
        let span = book.event_span(pair.event);
        let ((start, end), position) = (places.units(span), places.position(span));
        edges.push(Edge {
            character: book.name(pair.character).to_owned(),
            event: book.label(pair.event).to_owned(),
            weight: pair.weight,
            matched,
            position,
            start,
            end,
        });
    }
    let omitted = (found.matching.edges.len() - edges.len()) as u32;
    Matching { mode: found.mode.map_or("", config::Matching::as_str).to_owned(), edges, omitted }
}

/// Offline every event of the book is a candidate line; only those that a stage raised or a chat model was
/// offered are worth a word when they are dropped.
fn dropped(book: &Book, places: &Places<'_>, found: &Retrieval) -> Vec<Dropped> {
    let raised: BTreeSet<EventId> = found
        .anchors
        .events
        .iter()
        .map(|node| node.id)
        .chain(found.awakened.events.iter().map(|node| node.id))
        .chain(found.matching.pairs.iter().map(|pair| pair.event))
        .collect();
    let worth = |dropped: &&stage::Dropped| {
        let line = &dropped.line;
        line.linked || raised.contains(&line.event) || dropped.reason == NOT_CHOSEN
    };
    found.plotline.dropped.iter().filter(worth).flat_map(|dropped| left_out(book, places, dropped)).collect()
}

fn filter(book: &Book, places: &Places<'_>, filter: &retrieval::Filter) -> Filter {
    let scene = |order: stage::Order| {
        let Event { label, position, start, end, .. } = told(book, places, order.scene);
        Scene { label, position, start, end }
    };
    Filter {
        by: filter.by.as_str().to_owned(),
        reply: filter.reply.clone(),
        time: filter.order.map_or("", |order| order.time.as_str()).to_owned(),
        scene: filter.order.map(scene),
    }
}

/// The steps of a question.
pub(crate) fn steps(places: &Places<'_>, steps: &[asking::Step]) -> Vec<Step> {
    let passage = |passage: &Passage| {
        let (start, end) = places.units(passage.span);
        StepPassage { chunk: passage.chunk.0, start, end, score: passage.score }
    };
    let step = |step: &asking::Step| Step {
        thought: step.thought.clone(),
        query: step.query.clone(),
        passages: step.passages.iter().map(passage).collect(),
        context_tokens: step.context_tokens,
    };
    steps.iter().map(step).collect()
}

fn issues(book: &Book, question: &Question) -> Vec<Issue> {
    let mut issues = Vec::new();
    if book.index.chunks.is_empty() {
        let message = "no sentence ends before the reading position, so there is nothing to ask yet";
        return vec![Issue { code: "nothing_read".to_owned(), message: message.to_owned() }];
    }
    if question.terms.is_empty() {
        let message = "the question has no content word; the order is the book's own";
        issues.push(Issue { code: "no_terms".to_owned(), message: message.to_owned() });
    } else if question.known_terms().is_empty() {
        let message = "none of the question's words stands in this book";
        issues.push(Issue { code: "no_match".to_owned(), message: message.to_owned() });
    }
    if !book.index.knowledge.entities.iter().any(|entity| entity.kind == EntityKind::Person) {
        let message = "no person was found in this book, so the plotline names nobody";
        issues.push(Issue { code: "no_persons".to_owned(), message: message.to_owned() });
    }
    issues
}

fn nodes(book: &Book, places: &Places<'_>, nodes: &stage::Nodes) -> Nodes {
    let event = |node: &stage::Scored<EventId>| {
        let span = book.event_span(node.id);
        let ((start, end), position) = (places.units(span), places.position(span));
        EventScore { label: book.label(node.id).to_owned(), score: node.score, position, start, end }
    };
    Nodes {
        characters: nodes
            .characters
            .iter()
            .map(|node| NamedScore { name: book.name(node.id).to_owned(), score: node.score })
            .collect(),
        events: nodes.events.iter().map(event).collect(),
    }
}

fn matched(book: &Book, places: &Places<'_>, pair: &stage::Pair) -> Pair {
    let told = told(book, places, pair.event);
    let entity = book.index.knowledge.entities.get(pair.character.index());
    Pair {
        character: book.name(pair.character).to_owned(),
        kind: entity.map_or("other", |entity| entity.kind.as_str()).to_owned(),
        event: told.label,
        details: told.details,
        weight: pair.weight,
        chunk: told.chunk,
        position: told.position,
        start: told.start,
        end: told.end,
    }
}

/// One for each character that the line was told of, or one that names nobody.
fn left_out(book: &Book, places: &Places<'_>, dropped: &stage::Dropped) -> Vec<Dropped> {
    let span = book.event_span(dropped.line.event);
    let ((start, end), position) = (places.units(span), places.position(span));
    let of = |character: &str| Dropped {
        character: character.to_owned(),
        event: book.label(dropped.line.event).to_owned(),
        reason: dropped.reason.to_owned(),
        position,
        start,
        end,
    };
    match &dropped.line.characters[..] {
        [] => vec![of("")],
        characters => characters.iter().map(|&character| of(book.name(character))).collect(),
    }
}

fn evidence(book: &Book, places: &Places<'_>, passage: &Passage) -> Evidence {
    let (start, end) = places.units(passage.span);
    let (focus_start, focus_end) = places.units(passage.focus);
    Evidence {
        chunk: passage.chunk.0,
        start,
        end,
        text: book.text(passage.span).to_owned(),
        score: passage.score,
        focus: Focus { start: focus_start, end: focus_end },
    }
}
