//! Identities that the text states: after `Mrs Quennell was T. Lind.` two people are one.
//!
//! Names alone never join these, so only the plainest statement counts: a whole sentence of narration
//! that is a person, `was` or `is`, and another person. The aliases that it adds carry the sentence's
//! end as evidence: before it a reader does not know. An initial may stand before the second name.

use std::cmp::Reverse;

use super::cast::Cast;
use super::people::APART;
use super::tokens::{Sentence, Words};
use crate::knowledge::{Decider, Entity, EntityId, EntityKind, Merge, Verdict, Wishes};
use crate::lexical::folded;

/// The reason of such a merge.
const STATED: &str = "the text says that they are one";

/// Joins the entities that a sentence says are one.
pub(crate) fn join(words: &Words, wishes: &Wishes, cast: &mut Cast) {
    for sentence in &words.sentences {
        if let Some((one, other)) = stated(words, cast, sentence) {
            let (kept, gone) = (one.min(other), one.max(other));
            if let Some(decision) = decision(cast, wishes, (kept, gone), sentence.span.end) {
                if decision.verdict == Verdict::Same {
                    merge(cast, kept, gone, sentence.span.end);
                }
                cast.merges.push(decision);
            }
        }
    }
}

/// What is made of a sentence that says two are one: what it says, unless the author keeps them apart.
fn decision(cast: &Cast, wishes: &Wishes, (one, other): (EntityId, EntityId), end: u32) -> Option<Merge> {
    let (one, other) = (cast.entities.get(one.index())?, cast.entities.get(other.index())?);
    let bears =
        |entity: &Entity, name: &str| entity.aliases.iter().any(|alias| folded(&alias.name) == folded(name));
    let apart =
        wishes.apart().any(|(a, b)| bears(one, a) && bears(other, b) || bears(one, b) && bears(other, a));
    let first = |entity: &Entity| entity.aliases.iter().map(|alias| alias.evidence).min().unwrap_or(0);
    let (verdict, by, reason) = match apart {
        true => (Verdict::Different, Decider::Author, APART),
        false => (Verdict::Same, Decider::Rule, STATED),
    };
    let places = (first(one), first(other));
    let (one, other, reason) = (one.name.clone(), other.name.clone(), reason.to_owned());
    Some(Merge { one, other, places, verdict, by, reason, evidence: end })
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
            alias.reason = STATED.to_owned();
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
