//! One chunk read by a chat model: entities, then the triples stated of them, then events, then once more whom
//! and what the first two missed.

use std::fmt::Write;

use super::passage::{Passage, name_words};
use super::{Draft, types};
use crate::asker::{Asked, Asker, Skip};
use crate::error::Result;
use crate::knowledge::{Chunk, EntityType};
use crate::llm::reply::{self, Gleaned};
use crate::prompts::{ENTITIES, EVENTS, GLEANING, TRIPLES, TYPED};

/// How chunks are read.
pub(super) struct How<'a> {
    /// The types that entities are given; none where the five kinds are enough.
    pub(super) types: &'a [EntityType],
    /// Whether a chunk whose entities were asked for is gleaned once.
    pub(super) gleaning: bool,
}

/// Asks the questions of a chunk, but for those that `draft` answers already.
///
/// # Errors
/// As [`Asker::list`].
pub(super) async fn draft(
    text: &str,
    chunk: &Chunk,
    mut draft: Draft,
    how: &How<'_>,
    asker: &Asker<'_>,
) -> Result<Draft> {
    let passage = Passage::new(text, chunk);
    // A chunk without a word has nothing to tell.
    if passage.sentences.is_empty() {
        return Ok(draft);
    }
    let mut first = false;
    if draft.entities.is_empty() {
        let request = match how.types {
            [] => ENTITIES.request(passage.text(), ""),
            types => TYPED.request(passage.text(), &types::listed(types)),
        };
        let asked = asker.list("entities", &request, reply::entities).await?;
        let listed = draft.taken("entities", asked);
        first = listed.is_some();
        draft.entities = listed.unwrap_or_default();
        draft.entities.iter_mut().for_each(|entity| types::settle(entity, how.types));
    }
    let named = draft.standing(&passage);
    if draft.triples.is_none() && !named.is_empty() {
        let named = format!("Names: {}", named.join("; "));
        let asked = asker.list("triples", &TRIPLES.request(passage.text(), &named), reply::triples).await?;
        draft.triples = draft.taken("triples", asked);
    }
    if draft.events.is_none() {
        let asked = asker.list("events", &EVENTS.request(passage.text(), ""), reply::events).await?;
        draft.events = draft.taken("events", asked);
    }
    if how.gleaning && first {
        let noted = draft.noted(&passage);
        let asked = asker.list("gleaning", &GLEANING.request(passage.text(), &noted), reply::gleaned).await?;
        let missed = draft.taken("gleaning", asked).unwrap_or_default();
        // Of triples that could not be read, the next reading asks once more.
        let open = draft.triples.is_none() && !named.is_empty();
        let missed = missed.into_iter().filter(|missed| !(open && matches!(missed, Gleaned::Triple(_))));
        missed.for_each(|missed| draft.add(missed));
    }
    Ok(draft)
}

impl Draft {
    /// The names that stand in the passage.
    fn standing(&self, passage: &Passage<'_>) -> Vec<String> {
        let names = self.entities.iter().map(|entity| entity.name.trim());
        names.filter(|name| !passage.find(name).is_empty()).map(str::to_owned).collect()
    }

    /// What was written down of a passage so far: its names, and the facts one a line.
    fn noted(&self, passage: &Passage<'_>) -> String {
        let mut noted = format!("Names: {}\nFacts:", self.standing(passage).join("; "));
        for reply::Triple { subject, predicate, object } in self.triples.iter().flatten() {
            let _ = write!(noted, "\n{subject} {predicate} {object}");
        }
        noted
    }

    /// Takes what was missed: somebody whose name is not listed, a fact that is not.
    fn add(&mut self, missed: Gleaned) {
        match missed {
            Gleaned::Entity(mut entity) => {
                // It was asked for by kind alone.
                entity.category.clear();
                let words = name_words(&entity.name);
                if self.entities.iter().all(|known| name_words(&known.name) != words) {
                    self.entities.push(entity);
                }
            }
            Gleaned::Triple(triple) => {
                let words = |triple: &reply::Triple| {
                    [&triple.subject, &triple.predicate, &triple.object].map(|part| name_words(part))
                };
                let known = self.triples.get_or_insert_default();
                if known.iter().all(|known| words(known) != words(&triple)) {
                    known.push(triple);
                }
            }
        }
    }

    /// The records that came, and a note where they are not all.
    fn taken<T>(&mut self, task: &'static str, asked: Asked<Vec<T>>) -> Option<Vec<T>> {
        let (records, skip) = match asked {
            Asked::Read(records) => return Some(records),
            Asked::Part(records) => (Some(records), Skip::Cut),
            Asked::Skipped(skip) => (None, skip),
        };
        self.skipped.push((task, skip));
        records
    }
}
