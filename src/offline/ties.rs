//! Weak ties: two entities that take part in one event, without direction, once a chunk.

use std::collections::BTreeSet;

use crate::knowledge::{ChunkId, Entity, EntityId, Event, Phrase, Triple, TripleKind};

/// The predicate of weak ties.
const APPEARS: &str = "appears with";
/// The most participants of one event that are tied to each other.
const MAX_TIED: usize = 12;
/// The most weak ties of one book.
pub(crate) const MAX_TIES: usize = 200_000;

/// The weak ties of a book's events, taken in text order: two entities of one event, once a chunk.
#[derive(Default)]
pub(crate) struct Ties {
    chunk: Option<ChunkId>,
    tied: BTreeSet<(EntityId, EntityId)>,
    count: usize,
}

impl Ties {
    /// Ties the participants of the next event.
    pub(crate) fn add(&mut self, event: &Event, entities: &[Entity], weak: &mut Vec<Triple>) {
        if self.chunk.replace(event.chunk) != Some(event.chunk) {
            self.tied.clear();
        }
        let some = &event.participants[..event.participants.len().min(MAX_TIED)];
        for (place, a) in some.iter().enumerate() {
            for b in &some[place + 1..] {
                if self.count < MAX_TIES && self.tied.insert((*a.min(b), *a.max(b))) {
                    self.count += 1;
                    weak.push(Triple {
                        subject: named(entities, *a),
                        predicate: APPEARS.to_owned(),
                        object: named(entities, *b),
                        kind: TripleKind::CoOccurrence,
                        chunk: event.chunk,
                        span: event.span,
                    });
                }
            }
        }
    }

    /// Whether ties were left out beyond [`MAX_TIES`].
    pub(crate) fn capped(&self) -> bool {
        self.count == MAX_TIES
    }
}

/// An entity as an end of a triple.
pub(crate) fn named(entities: &[Entity], id: EntityId) -> Phrase {
    let text = entities.get(id.index()).map(|entity| entity.name.clone()).unwrap_or_default();
    Phrase { text, entity: Some(id) }
}
