//! Lines for the filter: what may stand in the plotline, most wanted first by `S(q, v)`.
//!
//! In the paper profile each matched pair is a line; where the layers are not tied, each anchored event is
//! one. In the offline profile every event of the book is a line, with its characters.
//!
//! Departure: the offline arrangement is ours. Places that awakened events or neighbours in time take from
//! events of higher score were tried and cost more than they bring (docs/departures.md).

use std::collections::BTreeMap;

use crate::algo::vector::descending;
use crate::book::Book;
use crate::knowledge::{EntityId, EntityKind, EventId};

use super::{Line, Nodes, Pair};

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

/// One line for each event of the book.
///
/// # Arguments
/// - `awakened`: which of them are linked.
/// - `pairs`: whom events are told of, heaviest first; none where no event is told of anybody.
pub fn events(book: &Book, awakened: &Nodes, pairs: Option<&[Pair]>, scores: &[f64]) -> Vec<Line> {
    let mut partners: BTreeMap<EventId, Vec<EntityId>> = BTreeMap::new();
    for pair in pairs.unwrap_or_default() {
        partners.entry(pair.event).or_default().push(pair.character);
    }
    let told_of = |event: EventId| match partners.get(&event) {
        Some(matched) => matched.clone(),
        None => pairs.and_then(|_| named(book, event)).into_iter().collect(),
    };
    let line = |event: EventId| Line { event, characters: told_of(event), linked: awakened.has_event(event) };
    by_score((0..scores.len()).map(|event| line(EventId::new(event))).collect(), scores)
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
