//! The drafts of a chat model found again in an index: to read the book anew as far as a cut, or to ask only
//! for what is missing.
//!
//! A draft names everybody as its own chunk does: by the words that stand there, never by a name that the
//! book gives them later.

use std::collections::BTreeSet;

use super::Draft;
use crate::index::Index;
use crate::knowledge::{EntityId, EntityKind, Knowledge, Mention, Phrase, Told, Triple, TripleKind};
use crate::llm::reply;

/// One draft for each chunk of an index. What each entity is was settled by the whole book's votes, so it is
/// told only with `kinds`.
pub(super) fn drafts(index: &Index, kinds: bool) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = index.chunks.iter().map(|_| Draft::default()).collect();
    for mention in as_drafted(&index.knowledge) {
        let Some(draft) = drafts.get_mut(mention.chunk.index()) else { continue };
        draft.entities.extend(described(index, mention, kinds));
    }
    for triple in index.knowledge.triples.iter().filter(|triple| triple.kind == TripleKind::Stated) {
        let Some(draft) = drafts.get_mut(triple.chunk.index()) else { continue };
        // Where the model named nobody it was asked for no triples: these are the rules'.
        if draft.entities.is_empty() {
            continue;
        }
        let end = |phrase: &Phrase| here(index, triple, phrase);
        let stated = reply::Triple {
            subject: end(&triple.subject),
            predicate: triple.predicate.clone(),
            object: end(&triple.object),
        };
        draft.triples.get_or_insert_default().push(stated);
    }
    for event in &index.knowledge.events {
        let Some(draft) = drafts.get_mut(event.chunk.index()) else { continue };
        if let Some(details) = &event.details {
            let told = reply::Event { label: event.label.clone(), details: details.clone() };
            draft.events.get_or_insert_default().push(told);
        }
    }
    drafts
}

fn described(index: &Index, mention: &Mention, kinds: bool) -> Option<reply::Entity> {
    let Told::Written(description) = &mention.description else { return None };
    let name = mention.uses.first()?.of(&index.document.text).to_owned();
    let known = index.knowledge.entities.get(mention.entity.index()).filter(|_| kinds);
    let kind = known.map_or(EntityKind::Other, |entity| entity.kind);
    let category = known.and_then(|entity| entity.category.clone()).unwrap_or_default();
    Some(reply::Entity { name, kind, category, description: description.clone() })
}

/// The mentions of a book as its chunks were read: of those that were merged within a chunk, each by itself.
fn as_drafted(knowledge: &Knowledge) -> impl Iterator<Item = &Mention> {
    let key = |mention: &Mention| (mention.chunk, mention.entity);
    let merged: BTreeSet<_> = knowledge.fragments.iter().map(key).collect();
    let whole = knowledge.mentions.iter().filter(move |mention| !merged.contains(&key(mention)));
    knowledge.fragments.iter().chain(whole)
}

/// A phrase as its chunk has it: an entity by the words that name it in the sentence that states the triple,
/// else by the first that name it in the chunk.
fn here(index: &Index, triple: &Triple, phrase: &Phrase) -> String {
    let named = |entity: EntityId| {
        let mentions = &index.knowledge.mentions;
        let place =
            mentions.binary_search_by_key(&(triple.chunk, entity), |mention| (mention.chunk, mention.entity));
        let uses = &mentions.get(place.ok()?)?.uses;
        let used = uses.iter().find(|used| triple.span.contains(**used)).or(uses.first())?;
        Some(used.of(&index.document.text).to_owned())
    };
    phrase.entity.and_then(named).unwrap_or_else(|| phrase.text.clone())
}
