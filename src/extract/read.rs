//! One chunk read by a chat model: entities, then the triples stated of them, then events.

use super::Draft;
use super::passage::Passage;
use crate::asker::{Asked, Asker, Skip};
use crate::error::Result;
use crate::knowledge::Chunk;
use crate::llm::reply;
use crate::prompts::{ENTITIES, EVENTS, TRIPLES};

/// Asks the three questions of a chunk, but for those that `draft` answers already.
///
/// # Errors
/// As [`Asker::list`].
pub(super) async fn draft(text: &str, chunk: &Chunk, mut draft: Draft, asker: &Asker<'_>) -> Result<Draft> {
    let passage = Passage::new(text, chunk);
    // A chunk without a word has nothing to tell.
    if passage.sentences.is_empty() {
        return Ok(draft);
    }
    if draft.entities.is_empty() {
        let asked = asker.list("entities", &ENTITIES.request(passage.text(), ""), reply::entities).await?;
        draft.entities = draft.taken("entities", asked).unwrap_or_default();
    }
    let names: Vec<&str> = draft.entities.iter().map(|entity| entity.name.trim()).collect();
    let standing: Vec<&str> = names.into_iter().filter(|name| !passage.find(name).is_empty()).collect();
    if draft.triples.is_none() && !standing.is_empty() {
        let named = format!("Names: {}", standing.join("; "));
        let asked = asker.list("triples", &TRIPLES.request(passage.text(), &named), reply::triples).await?;
        draft.triples = draft.taken("triples", asked);
    }
    if draft.events.is_none() {
        let asked = asker.list("events", &EVENTS.request(passage.text(), ""), reply::events).await?;
        draft.events = draft.taken("events", asked);
    }
    Ok(draft)
}

impl Draft {
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
