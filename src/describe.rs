//! From the engine's data to the documents of `report`: ids become names, bytes become UTF-16 units.

use std::collections::HashSet;

use crate::book::Book;
use crate::engine::Method;
use crate::knowledge::{self, EntityId, EntityKind, EventId, Span};
use crate::question::Question;
use crate::report::*;
use crate::retrieval::Retrieval;
use crate::stage::context::flat;
use crate::stage::{self, evidence::Passage};
use crate::text::{Document, Utf16Map};

/// A span in UTF-16 units.
pub(crate) fn units(map: &Utf16Map, span: Span) -> (u32, u32) {
    (map.to_utf16(span.start), map.to_utf16(span.end))
}

/// How a document was read and cut.
pub(crate) fn chunks(document: &Document, chunks: &[knowledge::Chunk]) -> Chunks {
    let map = Utf16Map::new(&document.text);
    let chunk = |(id, chunk): (usize, &knowledge::Chunk)| {
        let (start, end) = units(&map, chunk.span);
        let text = chunk.span.of(&document.text).to_owned();
        Chunk { id: id as u32, chapter: chunk.chapter, start, end, tokens: chunk.tokens, text }
    };
    Chunks {
        title: document.title.clone(),
        author: document.author.clone(),
        language: document.language.clone(),
        text_length: map.to_utf16(document.text.len() as u32),
        chapters: chapters(document, &map),
        chunks: chunks.iter().enumerate().map(chunk).collect(),
        skips: document
            .skips
            .iter()
            .map(|skip| {
                let (start, end) = units(&map, skip.span);
                Skip { start, end, reason: skip.reason.to_owned() }
            })
            .collect(),
        issues: document.issues.iter().map(issue).collect(),
    }
}

fn chapters(document: &Document, map: &Utf16Map) -> Vec<Chapter> {
    let chapter = |chapter: &knowledge::Chapter| {
        let (start, end) = units(map, chapter.span);
        Chapter { title: chapter.title.clone(), start, end }
    };
    document.chapters.iter().map(chapter).collect()
}

/// An issue as a document.
pub(crate) fn issue(issue: &knowledge::Issue) -> Issue {
    Issue { code: issue.code.clone().into_owned(), message: issue.message.clone() }
}

/// What a handle knows at once.
pub(crate) fn info(book: &Book, map: &Utf16Map) -> Info {
    let document = &book.index.document;
    Info {
        title: document.title.clone(),
        author: document.author.clone(),
        language: document.language.clone(),
        text_length: map.to_utf16(document.text.len() as u32),
        chapters: chapters(document, map),
        counts: counts(book),
        embedding_spaces: spaces(book),
        issues: document.issues.iter().map(issue).collect(),
    }
}

fn spaces(book: &Book) -> Vec<Space> {
    let space = |space: &crate::index::Space| Space {
        id: space.id.clone(),
        dims: space.dims as u32,
        encoding: if space.events.as_bytes().is_some() { "int8" } else { "f32" }.to_owned(),
        tau: space.tau,
        quantile: space.quantile,
    };
    book.index.spaces.iter().map(space).collect()
}

fn counts(book: &Book) -> Counts {
    let knowledge = &book.index.knowledge;
    let related: HashSet<(EntityId, EntityId)> = knowledge
        .triples
        .iter()
        .filter_map(|triple| triple.subject.entity.zip(triple.object.entity))
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect();
    Counts {
        chunks: book.index.chunks.len() as u32,
        entities: knowledge.entities.len() as u32,
        mentions: knowledge.mentions.len() as u32,
        triples: knowledge.triples.len() as u32,
        relations: related.len() as u32,
        events: knowledge.events.len() as u32,
        clusters: knowledge.clusters.len() as u32,
        pons_edges: book.space().map_or(0, |space| space.pons_edges),
    }
}

/// Everything an index holds.
pub(crate) fn inspect(book: &Book, map: &Utf16Map, bytes: usize) -> Inspect {
    let knowledge = &book.index.knowledge;
    let mut uses = vec![(0u32, 0u32); knowledge.entities.len()];
    for mention in &knowledge.mentions {
        if let Some((times, chunks)) = uses.get_mut(mention.entity.index()) {
            *times += mention.uses.len() as u32;
            *chunks += 1;
        }
    }
    let mut order: Vec<usize> = (0..knowledge.entities.len()).collect();
    let first = |kind: EntityKind| !matches!(kind, EntityKind::Person | EntityKind::Group);
    order.sort_by_key(|&id| (first(knowledge.entities[id].kind), std::cmp::Reverse(uses[id].0), id));
    let entity = |id: usize| {
        let entity = &knowledge.entities[id];
        let others = entity.aliases.iter().filter(|alias| alias.name != entity.name);
        Entity {
            name: entity.name.clone(),
            kind: entity.kind.as_str().to_owned(),
            aliases: others.map(|alias| alias.name.clone()).collect(),
            mentions: uses[id].0,
            chunks: uses[id].1,
            description: entity
                .description
                .iter()
                .map(|&span| flat(book.text(span)))
                .collect::<Vec<_>>()
                .join(" "),
        }
    };
    Inspect {
        title: book.index.document.title.clone(),
        counts: counts(book),
        d_cross: book.space().map_or(0.0, |space| space.d_cross),
        embedding_spaces: spaces(book),
        bytes: bytes as u32,
        entities: order.into_iter().map(entity).collect(),
        events: (0..knowledge.events.len()).map(|event| told(book, map, EventId::new(event))).collect(),
        issues: book.index.document.issues.iter().map(issue).collect(),
    }
}

fn told(book: &Book, map: &Utf16Map, event: EventId) -> Event {
    let span = book.event_span(event);
    let (start, end) = units(map, span);
    Event {
        label: book.label(event).to_owned(),
        details: flat(book.text(span)),
        chunk: book.event_chunk(event).0,
        start,
        end,
        position: position(book, span),
    }
}

/// How far through the story a span begins: 0 at the first chunk's start, 1 at the last one's end.
pub(crate) fn position(book: &Book, span: Span) -> f64 {
    let chunks = &book.index.chunks;
    let (start, end) = match (chunks.first(), chunks.last()) {
        (Some(first), Some(last)) => (f64::from(first.span.start), f64::from(last.span.end)),
        _ => return 0.0,
    };
    ((f64::from(span.start) - start) / (end - start).max(1.0)).clamp(0.0, 1.0)
}

/// A quotation with its place.
pub(crate) fn citation(book: &Book, map: &Utf16Map, span: Span) -> Citation {
    let (start, end) = units(map, span);
    let chapters = &book.index.document.chapters;
    let chapter = chapters.iter().rposition(|chapter| chapter.span.start <= span.start).unwrap_or(0);
    Citation { start, end, quote: book.text(span).to_owned(), chapter: chapter as u32 }
}

/// Every stage of one retrieval.
pub(crate) fn trace(
    book: &Book,
    map: &Utf16Map,
    question: &Question,
    method: Method,
    found: &Retrieval,
) -> Trace {
    Trace {
        method: method.as_str().to_owned(),
        question: question.text.clone(),
        embedding_space: book.space().map_or(String::new(), |space| space.id.clone()),
        anchors: nodes(book, &found.anchors),
        awakened: nodes(book, &found.awakened),
        pairs: found.pairs.iter().map(|pair| matched(book, map, pair)).collect(),
        dropped: found
            .plotline
            .dropped
            .iter()
            .filter(|dropped| dropped.line.linked || paired(found, dropped))
            .map(|dropped| left_out(book, dropped))
            .collect(),
        cues: Cues::default(),
        entities: Vec::new(),
        relations: Vec::new(),
        eliminated: Vec::new(),
        evidence: found.evidence.iter().map(|passage| evidence(book, map, passage)).collect(),
        context: found.context.text.clone(),
        context_tokens: found.context.tokens,
        timings_ms: found.timings.iter().map(|&(stage, ms)| (stage.to_owned(), ms)).collect(),
        issues: issues(book, question),
    }
}

/// Offline every event of the book is a candidate line; only those that a stage raised are worth a word
/// when they are dropped.
fn paired(found: &Retrieval, dropped: &stage::Dropped) -> bool {
    found.anchors.has_event(dropped.line.event)
}

fn issues(book: &Book, question: &Question) -> Vec<Issue> {
    let mut issues = Vec::new();
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

fn nodes(book: &Book, nodes: &stage::Nodes) -> Nodes {
    Nodes {
        characters: nodes
            .characters
            .iter()
            .map(|node| NamedScore { name: book.name(node.id).to_owned(), score: node.score })
            .collect(),
        events: nodes
            .events
            .iter()
            .map(|node| LabelScore { label: book.label(node.id).to_owned(), score: node.score })
            .collect(),
    }
}

fn matched(book: &Book, map: &Utf16Map, pair: &stage::Pair) -> Pair {
    let told = told(book, map, pair.event);
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

fn left_out(book: &Book, dropped: &stage::Dropped) -> Dropped {
    Dropped {
        character: dropped.line.character.map_or(String::new(), |character| book.name(character).to_owned()),
        event: book.label(dropped.line.event).to_owned(),
        reason: dropped.reason.to_owned(),
    }
}

fn evidence(book: &Book, map: &Utf16Map, passage: &Passage) -> Evidence {
    let (start, end) = units(map, passage.span);
    let (focus_start, focus_end) = units(map, passage.focus);
    Evidence {
        chunk: passage.chunk.0,
        start,
        end,
        text: book.text(passage.span).to_owned(),
        score: passage.score,
        focus: Focus { start: focus_start, end: focus_end },
    }
}
