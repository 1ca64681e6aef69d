//! Identities that the text states: after `Mrs Quennell was T. Lind.` two people are one.
//!
//! Names alone never join these, so only the plainest statement counts: a whole sentence of narration
//! that is a person, `was` or `is`, and another person. The aliases that it adds carry the sentence's
//! end as evidence: before it a reader does not know. An initial may stand before the second name.

use std::cmp::Reverse;

use super::cast::Cast;
use super::tokens::{Sentence, Words};
use crate::knowledge::{Entity, EntityId, EntityKind};

/// Joins the entities that a sentence says are one.
pub(crate) fn join(words: &Words, cast: &mut Cast) {
    for sentence in &words.sentences {
        if let Some((one, other)) = stated(words, cast, sentence) {
            let (kept, gone) = (one.min(other), one.max(other));
            merge(cast, kept, gone, sentence.span.end);
        }
    }
}

/// The two persons of a sentence that says they are one.
fn stated(words: &Words, cast: &Cast, sentence: &Sentence) -> Option<(EntityId, EntityId)> {
    let namings = cast.within(sentence.tokens.clone());
    let [one, other] = namings else { return None };
    let first = words.tokens.get(one.start)?;
    let verb = words.tokens.get(one.end)?;
    let between = words.tokens.get(one.end + 1..other.start)?;
    let article = |at: usize| words.tokens.get(at).is_some_and(|token| words.lower(token) == "the");
    let whole = (one.start == sentence.tokens.start
        || one.start == sentence.tokens.start + 1 && article(sentence.tokens.start))
        && other.end == sentence.tokens.end
        && between
            .iter()
            .all(|token| words.lower(token) == "the" || token.capital() && token.span().len() == 1)
        && !first.quoted
        && !first.possessive;
    let persons = [one, other].iter().all(|naming| cast.kind(naming.entity) == EntityKind::Person);
    let said = matches!(words.lower(verb), "was" | "is") && one.entity != other.entity;
    (whole && persons && said).then_some((one.entity, other.entity))
}

/// Makes `gone` part of `kept`, which comes first in the text.
fn merge(cast: &mut Cast, kept: EntityId, gone: EntityId, evidence: u32) {
    let Entity { aliases, .. } = cast.entities.remove(gone.index());
    if let Some(entity) = cast.entities.get_mut(kept.index()) {
        entity.aliases.extend(aliases.into_iter().map(|mut alias| {
            alias.evidence = alias.evidence.max(evidence);
            alias.reason = "the text says that they are one".to_owned();
            alias
        }));
        // Stable: among equals, the earlier entity's forms stay first.
        entity.aliases.sort_by_key(|alias| Reverse(alias.count));
        if let Some(most) = entity.aliases.first() {
            entity.name.clone_from(&most.name);
        }
    }
    for naming in &mut cast.namings {
        naming.entity = match naming.entity {
            entity if entity == gone => kept,
            EntityId(id) if id > gone.0 => EntityId(id - 1),
            entity => entity,
        };
    }
}
