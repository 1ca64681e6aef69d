//! Lines for the filter: what may stand in the plotline, most wanted first.
//!
//! In the paper profile each matched pair is a line, best first by `S(q, v)`; where the layers are not
//! tied, each anchored event is one. In the offline profile every event is a line, each with its
//! characters; after the first twelve, a linked event may stand at every sixth place; neighbours in time
//! stand right behind their event.
//!
//! Departure: the offline arrangement is ours, with the measured effect in docs/departures.md.

use std::collections::BTreeMap;

use crate::algo::vector::descending;
use crate::book::Book;
use crate::knowledge::{EntityId, EntityKind, EventId};
use crate::question::{Direction, Question};

use super::{Line, Nodes, Pair};

/// Offline, the best this many events come before the first linked one.
const UNLINKED: usize = 12;
/// Offline, then every sixth place may hold a linked event.
const LINKED_EVERY: usize = 6;
/// Neighbours in time are taken of this many best events.
const NEIGHBOURS_OF: usize = 5;

/// One line for each pair: an event with several partners is told of each.
pub fn pairs(pairs: &[Pair], anchors: &Nodes, scores: &[f64]) -> Vec<Line> {
    let line = |pair: &Pair| Line {
        event: pair.event,
        characters: vec![pair.character],
        linked: !anchors.has_event(pair.event),
    };
    by_score(pairs.iter().map(line).collect(), scores)
}

/// One line for each anchored event, told of nobody.
pub fn anchored(anchors: &Nodes, scores: &[f64]) -> Vec<Line> {
    let line = |event| Line { event, characters: Vec::new(), linked: false };
    by_score(anchors.events.iter().map(|node| line(node.id)).collect(), scores)
}

/// One line for each event of the book, in the order in which they should fill a context.
///
/// # Arguments
/// - `awakened`: events that may be linked, most wanted first.
/// - `pairs`: whom events are told of, heaviest first; none where no event is told of anybody.
pub fn events(
    book: &Book,
    question: &Question,
    anchors: &Nodes,
    awakened: &Nodes,
    pairs: Option<&[Pair]>,
    scores: &[f64],
) -> Vec<Line> {
    let mut partners: BTreeMap<EventId, Vec<EntityId>> = BTreeMap::new();
    for pair in pairs.unwrap_or_default() {
        partners.entry(pair.event).or_default().push(pair.character);
    }
    let told_of = |event: EventId| match partners.get(&event) {
        Some(matched) => matched.clone(),
        None => pairs.and_then(|_| named(book, event)).into_iter().collect(),
    };
    let line = |event: EventId, linked: bool| Line { event, characters: told_of(event), linked };
    let ranked = by_score((0..scores.len()).map(|event| line(EventId::new(event), false)).collect(), scores);
    let mut linked = awakened.events.iter().map(|node| line(node.id, true));
    let mut lines: Vec<Line> = Vec::with_capacity(ranked.len());
    let mut taken = vec![false; scores.len()];
    let mut take = |lines: &mut Vec<Line>, line: Line| {
        if !std::mem::replace(&mut taken[line.event.index()], true) {
            lines.push(line);
        }
    };
    for (place, next) in ranked.into_iter().enumerate() {
        let event = next.event;
        take(&mut lines, next);
        if place < NEIGHBOURS_OF
            && let Some(direction) = question.direction
        {
            let (before, after) = book.scales.neighbours(event.index());
            let neighbour = if direction == Direction::Forward { after } else { before };
            if let Some(event) = neighbour {
                take(&mut lines, line(EventId::new(event), !anchors.has_event(EventId::new(event))));
            }
        }
        if lines.len() >= UNLINKED
            && lines.len().is_multiple_of(LINKED_EVERY)
            && let Some(link) = linked.next()
        {
            take(&mut lines, link);
        }
    }
    lines
}

/// Lines ordered for cutting: best score first, ties in story order, then as they came.
fn by_score(mut lines: Vec<Line>, scores: &[f64]) -> Vec<Line> {
    let score = |line: &Line| scores.get(line.event.index()).copied().unwrap_or(0.0);
    lines.sort_by(|a, b| descending(score(a), score(b)).then(a.event.cmp(&b.event)));
    lines
}

/// Whom an event without a partner is told of: the first person it names, else the first place or thing.
fn named(book: &Book, event: EventId) -> Option<EntityId> {
    let named = &book.index.knowledge.events.get(event.index())?.participants;
    let person = |id: &&EntityId| {
        let entity = book.index.knowledge.entities.get(id.index());
        entity.is_some_and(|entity| matches!(entity.kind, EntityKind::Person | EntityKind::Group))
    };
    named.iter().find(person).or(named.first()).copied()
}
