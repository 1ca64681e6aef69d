//! One chunk read by a chat model: entities, then the triples stated of them, then events.

use super::Draft;
use super::passage::Passage;
use crate::asker::{Asked, Asker};
use crate::error::Result;
use crate::knowledge::Chunk;
use crate::llm::reply::{self, Fault, Read};
use crate::prompts::{ENTITIES, EVENTS, TRIPLES};

/// Asks the three questions of a chunk, but for those that `draft` answers already.
///
/// # Errors
/// As [`Asker::ask`].
pub(super) async fn draft(text: &str, chunk: &Chunk, mut draft: Draft, asker: &Asker<'_>) -> Result<Draft> {
    let passage = Passage::new(text, chunk);
    // A chunk without a word has nothing to tell.
    if passage.sentences.is_empty() {
        return Ok(draft);
    }
    if draft.entities.is_empty() {
        match asker.ask("entities", &ENTITIES.request(passage.text(), ""), items(reply::entities)).await? {
            Asked::Read(read) => draft.entities = read,
            Asked::Skipped(skip) => draft.skipped.push(("entities", skip)),
        }
    }
    let names: Vec<&str> = draft.entities.iter().map(|entity| entity.name.trim()).collect();
    let standing: Vec<&str> = names.into_iter().filter(|name| !passage.find(name).is_empty()).collect();
    if draft.triples.is_none() && !standing.is_empty() {
        let named = format!("Names: {}", standing.join("; "));
        match asker.ask("triples", &TRIPLES.request(passage.text(), &named), items(reply::triples)).await? {
            Asked::Read(read) => draft.triples = Some(read),
            Asked::Skipped(skip) => draft.skipped.push(("triples", skip)),
        }
    }
    if draft.events.is_none() {
        match asker.ask("events", &EVENTS.request(passage.text(), ""), items(reply::events)).await? {
            Asked::Read(read) => draft.events = Some(read),
            Asked::Skipped(skip) => draft.skipped.push(("events", skip)),
        }
    }
    Ok(draft)
}

/// A reader's records, or what to tell the model of its reply.
fn items<T>(
    read: impl Fn(&str) -> std::result::Result<Read<T>, Fault>,
) -> impl Fn(&str) -> std::result::Result<Vec<T>, String> {
    move |reply| read(reply).map(|read| read.items).map_err(|fault| fault.sentence().to_owned())
}
