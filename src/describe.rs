//! From the engine's data to the documents of `report`: ids become names, bytes become UTF-16 units.

mod association;
mod trace;

use std::collections::BTreeSet;

use crate::asker;
use crate::book::Book;
use crate::extract::{self, Reading};
use crate::graph::ubiquitous;
use crate::index::Index;
use crate::knowledge::{self, Alias, EntityKind, EventId, Span};
use crate::llm;
use crate::llm::ledger::{self, Ledger};
use crate::prompts;
use crate::report::*;
use crate::text::{Document, Utf16Map};

pub(crate) use trace::{steps, trace};

/// How bytes of a book's text are told outside: as UTF-16 units, and as a share of the way through.
pub(crate) struct Places<'a> {
    pub(crate) map: &'a Utf16Map,
    /// The whole story, from the first chunk's start to the last one's end, also where a question is
    /// asked of a part of it.
    pub(crate) story: Span,
}

impl Places<'_> {
    fn units(&self, span: Span) -> (u32, u32) {
        (self.map.to_utf16(span.start), self.map.to_utf16(span.end))
    }

    /// How far through the story a span begins, 0 to 1.
    fn position(&self, span: Span) -> f64 {
        let unit = |byte: u32| f64::from(self.map.to_utf16(byte));
        let (start, end) = (unit(self.story.start), unit(self.story.end));
        ((unit(span.start) - start) / (end - start).max(1.0)).clamp(0.0, 1.0)
    }
}

/// How a document was read and cut.
pub(crate) fn chunks(document: &Document, chunks: &[knowledge::Chunk]) -> Chunks {
    let places = Places { map: &Utf16Map::new(&document.text), story: Span::new(0, document.text.len()) };
    let chunk = |(id, chunk): (usize, &knowledge::Chunk)| {
        let (start, end) = places.units(chunk.span);
        let text = chunk.span.of(&document.text).to_owned();
        Chunk { id: id as u32, chapter: chunk.chapter, start, end, tokens: chunk.tokens, text }
    };
    Chunks {
        title: document.title.clone(),
        author: document.author.clone(),
        language: document.language.clone(),
        text_length: places.map.to_utf16(document.text.len() as u32),
        chapters: chapters(document, &places),
        chunks: chunks.iter().enumerate().map(chunk).collect(),
        skips: document
            .skips
            .iter()
            .map(|skip| {
                let (start, end) = places.units(skip.span);
                Skip { start, end, reason: skip.reason.to_owned() }
            })
            .collect(),
        issues: document.issues.iter().map(issue).collect(),
    }
}

fn chapters(document: &Document, places: &Places<'_>) -> Vec<Chapter> {
    let chapter = |chapter: &knowledge::Chapter| {
        let (start, end) = places.units(chapter.span);
        Chapter { title: chapter.title.clone(), start, end }
    };
    document.chapters.iter().map(chapter).collect()
}

/// What an index tells of itself, and that it was not read as it would be now.
fn issues(index: &Index) -> Vec<Issue> {
    let own = prompts::fingerprint();
    let others = index.prompts.as_ref().filter(|kept| **kept != own).map(|kept| {
        let message = format!(
            "The chat model read this book with other prompts ({kept}) than this version has ({own}): it is asked as \
             it is; index the text again to have it read by these."
        );
        knowledge::Issue::new("other_prompts", message)
    });
    index.document.issues.iter().chain(&others).map(issue).collect()
}

/// An issue as a document.
pub(crate) fn issue(issue: &knowledge::Issue) -> Issue {
    Issue { code: issue.code.clone().into_owned(), message: issue.message.clone() }
}

/// What a call cost, as a document.
pub(crate) fn usage(usage: llm::Usage) -> Usage {
    Usage { requests: usage.requests, prompt_tokens: usage.prompt, completion_tokens: usage.completion }
}

/// What was asked of models, as documents.
pub(crate) fn calls(ledger: &Ledger) -> Vec<Call> {
    let call = |call: ledger::Call| {
        let ledger::Call { stage, model, requests, prompt_tokens, completion_tokens, .. } = call;
        let ledger::Call { retried, cached, estimated, ms, .. } = call;
        let stage = stage.to_owned();
        Call { stage, model, requests, prompt_tokens, completion_tokens, retried, cached, estimated, ms }
    };
    ledger.calls().into_iter().map(call).collect()
}

/// What a handle knows at once.
pub(crate) fn info(book: &Book, places: &Places<'_>) -> Info {
    let document = &book.index.document;
    Info {
        title: document.title.clone(),
        author: document.author.clone(),
        language: document.language.clone(),
        text_length: places.map.to_utf16(document.text.len() as u32),
        chapters: chapters(document, places),
        counts: counts(book),
        embedding_spaces: spaces(book),
        top_hub: top_hub(book),
        empty: empty(&counts(book)),
        issues: issues(&book.index),
    }
}

fn spaces(book: &Book) -> Vec<Space> {
    let space = |space: &crate::index::Space| Space {
        id: space.id.clone(),
        dims: space.dims as u32,
        encoding: if space.events.as_bytes().is_some() { "int8" } else { "f32" }.to_owned(),
        tau: space.tau,
        quantile: space.quantile,
        pons_edges: space.pons_edges,
        d_cross: space.d_cross,
        synonyms: space.synonyms.edges.len() as u32,
    };
    book.index.spaces.iter().map(space).collect()
}

pub(crate) fn counts(book: &Book) -> Counts {
    let knowledge = &book.index.knowledge;
    Counts {
        chunks: book.index.chunks.len() as u32,
        entities: knowledge.entities.len() as u32,
        mentions: knowledge.mentions.len() as u32,
        triples: knowledge.triples.len() as u32,
        relations: knowledge.relations.len() as u32,
        events: knowledge.events.len() as u32,
        clusters: knowledge.clusters.len() as u32,
        pons_edges: book.space().map_or(0, |space| space.pons_edges),
        ubiquitous: ubiquitous(&book.index) as u32,
    }
}

/// The entity that most relations touch; of several the first.
pub(crate) fn top_hub(book: &Book) -> Option<Hub> {
    let entities = &book.index.knowledge.entities;
    let related = &book.index.knowledge.relations;
    let mut touched = vec![0u32; entities.len()];
    for (a, b) in related.iter().map(|relation| relation.ends) {
        for id in [a, b] {
            touched.get_mut(id.index()).into_iter().for_each(|count| *count += 1);
        }
    }
    let (place, count) = touched.iter().enumerate().rev().max_by_key(|(_, count)| **count)?;
    let name = entities.get(place).filter(|_| *count > 0)?.name.clone();
    Some(Hub { name, share: f64::from(*count) / related.len().max(1) as f64 })
}

/// What an index should hold and does not.
pub(crate) fn empty(counts: &Counts) -> Vec<String> {
    let rows = [
        ("entities", counts.entities),
        ("relations", counts.relations),
        ("events", counts.events),
        ("pons_edges", counts.pons_edges),
    ];
    rows.into_iter().filter(|(_, count)| *count == 0).map(|(what, _)| what.to_owned()).collect()
}

/// How much of a book its models read.
pub(crate) fn coverage(book: &Book, reading: &Reading) -> Coverage {
    let chunks = book.index.chunks.len() as u32;
    let open: BTreeSet<usize> = reading.unread.iter().map(|(chunk, ..)| *chunk).collect();
    let unread = |(chunk, stage, skip): &(usize, &'static str, asker::Skip)| Unread {
        chunk: *chunk as u32,
        stage: (*stage).to_owned(),
        code: skip.code().to_owned(),
        why: skip.why().to_owned(),
    };
    let extract::Dropped { entities, triples, events } = reading.dropped;
    Coverage {
        chunks,
        read: chunks.saturating_sub(open.len() as u32),
        unread: reading.unread.iter().map(unread).collect(),
        ungrounded: Ungrounded { entities: entities as u32, triples: triples as u32, events: events as u32 },
    }
}

/// Everything an index holds.
pub(crate) fn inspect(book: &Book, places: &Places<'_>, bytes: usize) -> Inspect {
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
        let others = || entity.aliases.iter().filter(|alias| alias.name != entity.name);
        let evidence = |alias: &Alias| Span { start: alias.evidence, end: alias.evidence };
        Entity {
            name: entity.name.clone(),
            kind: entity.kind.as_str().to_owned(),
            category: entity.category.clone(),
            aliases: others().map(|alias| alias.name.clone()).collect(),
            known_from: others().map(|alias| places.position(evidence(alias))).collect(),
            mentions: uses[id].0,
            chunks: uses[id].1,
            description: entity.description.line(&book.index.document.text),
        }
    };
    let merge = |merge: &knowledge::Merge| Merge {
        one: merge.one.clone(),
        other: merge.other.clone(),
        verdict: merge.verdict.as_str().to_owned(),
        by: merge.by.as_str().to_owned(),
        reason: merge.reason.clone(),
        evidence: places.map.to_utf16(merge.evidence),
    };
    Inspect {
        title: book.index.document.title.clone(),
        counts: counts(book),
        d_cross: book.space().map_or(0.0, |space| space.d_cross),
        embedding_spaces: spaces(book),
        bytes: bytes as u32,
        top_hub: top_hub(book),
        empty: empty(&counts(book)),
        entities: order.into_iter().map(entity).collect(),
        merges: knowledge.merges.iter().map(merge).collect(),
        events: (0..knowledge.events.len()).map(|event| told(book, places, EventId::new(event))).collect(),
        issues: issues(&book.index),
    }
}

fn told(book: &Book, places: &Places<'_>, event: EventId) -> Event {
    let span = book.event_span(event);
    let (start, end) = places.units(span);
    Event {
        label: book.label(event).to_owned(),
        details: book.details(event),
        chunk: book.event_chunk(event).0,
        start,
        end,
        position: places.position(span),
    }
}

/// A quotation with its place.
pub(crate) fn citation(book: &Book, places: &Places<'_>, span: Span) -> Citation {
    let (start, end) = places.units(span);
    let chapters = &book.index.document.chapters;
    let chapter = chapters.iter().rposition(|chapter| chapter.span.start <= span.start).unwrap_or(0);
    Citation { start, end, quote: book.text(span).to_owned(), chapter: chapter as u32 }
}
