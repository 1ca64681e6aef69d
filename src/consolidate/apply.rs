//! Each group becomes one entity, and everything that pointed to its members points to it.
//!
//! It bears the name that is used most, or the one that the author chose; the other names stay as aliases,
//! each with why it is one and from where a reader knows. Its mentions in one chunk become one, triples and
//! participants are re-pointed, a triple from it to itself is dropped, and a rule's labels name it by its
//! name. What a chat model wrote of two members in one chunk is also kept as it was, for a reading position
//! before the merge.
//!
//! Invariant: as of [`Knowledge`]; entities keep their order, and a group stands where its first member did.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::decide::Decision;
use super::sides::NAMED;
use crate::knowledge::{
    Alias, ChunkId, Cluster, ClusterId, Entity, EntityId, EntityKind, EventId, Knowledge, Mention, Phrase,
    Span, Told, TripleKind, Verdict,
};
use crate::lexical::folded;

/// The most sentences that describe an entity, a mention, or a cluster.
const SENTENCES: (usize, usize, usize) = (8, 3, 3);
/// Between the kind of a rule's label and its names, and between two names.
const KIND: &str = ": ";
const AND: &str = ", ";

/// Merges the groups: `groups` says for each entity the first of its group, `called` what an author wants
/// entities to be called.
pub(super) fn apply(
    knowledge: &mut Knowledge,
    groups: &[usize],
    decisions: &[Decision],
    called: &[(usize, String)],
) {
    let alone = groups.iter().enumerate().all(|(place, group)| place == *group);
    if alone && called.is_empty() {
        return;
    }
    let before: Vec<String> = knowledge.entities.iter().map(|entity| entity.name.clone()).collect();
    let ids = entities(knowledge, groups, decisions, called);
    mentions(knowledge, &ids);
    triples(knowledge, &ids);
    let renamed: HashMap<&str, &str> = before
        .iter()
        .zip(&ids)
        .map(|(name, id)| (name.as_str(), knowledge.entities[id.index()].name.as_str()))
        .filter(|(was, is)| was != is)
        .collect();
    let labels: Vec<String> =
        knowledge.events.iter().map(|event| label(&event.label, event.details.is_some(), &renamed)).collect();
    for (event, label) in knowledge.events.iter_mut().zip(labels) {
        let mut seen = BTreeSet::new();
        event.participants.iter_mut().for_each(|id| *id = ids[id.index()]);
        event.participants.retain(|id| seen.insert(*id));
        event.label = label;
    }
    clusters(knowledge);
}

/// Makes one entity of each group, and says which each was made part of.
fn entities(
    knowledge: &mut Knowledge,
    groups: &[usize],
    decisions: &[Decision],
    called: &[(usize, String)],
) -> Vec<EntityId> {
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut ids, mut made): (Vec<EntityId>, Vec<Vec<Entity>>) = Default::default();
    for (place, entity) in knowledge.entities.drain(..).enumerate() {
        let next = made.len();
        let at = *places.entry(groups[place]).or_insert(next);
        ids.push(EntityId::new(at));
        let entity = if at == next { entity } else { joining(entity, place, groups, decisions) };
        if at == next { made.push(vec![entity]) } else { made[at].push(entity) }
    }
    let mut wanted: BTreeMap<usize, &str> = BTreeMap::new();
    for (entity, name) in called {
        wanted.insert(ids[*entity].index(), name);
    }
    let single = |group: &Vec<Entity>| group.len() == 1;
    let mut taken: HashSet<String> =
        made.iter().filter(|group| single(group)).map(|group| group[0].name.clone()).collect();
    for (place, group) in made.into_iter().enumerate() {
        let wanted = wanted.get(&place).copied();
        let entity = if single(&group) && wanted.is_none() {
            group.into_iter().next()
        } else {
            one(group, wanted, &taken)
        };
        taken.extend(entity.iter().map(|entity| entity.name.clone()));
        knowledge.entities.extend(entity);
    }
    ids
}

/// A member on its way into a group: its names are the group's by the decision that joined it.
fn joining(mut entity: Entity, place: usize, groups: &[usize], decisions: &[Decision]) -> Entity {
    let here = |decision: &&Decision| {
        let (one, other) = (decision.pair.one, decision.pair.other);
        decision.verdict == Verdict::Same && groups[one] == groups[other] && (one == place || other == place)
    };
    if let Some(decision) = decisions.iter().filter(here).min_by_key(|decision| decision.evidence) {
        for alias in &mut entity.aliases {
            alias.evidence = alias.evidence.max(decision.evidence);
            if alias.reason == NAMED || alias.reason == "first form" {
                alias.reason = decision.reason.clone();
            }
        }
    }
    entity
}

/// One entity of several.
fn one(group: Vec<Entity>, wanted: Option<&str>, taken: &HashSet<String>) -> Option<Entity> {
    let mut group = group.into_iter();
    let mut entity = group.next()?;
    for other in group {
        // A type of the book's own belongs to one kind.
        if entity.kind == EntityKind::Other && other.kind != EntityKind::Other {
            (entity.kind, entity.category) = (other.kind, None);
        }
        if entity.kind == other.kind {
            entity.category = entity.category.or(other.category);
        }
        entity.description = both(&entity.description, &other.description, SENTENCES.0);
        for alias in other.aliases {
            match entity.aliases.iter_mut().find(|known| known.name == alias.name) {
                Some(known) => known.count = known.count.saturating_add(alias.count),
                None => entity.aliases.push(alias),
            }
        }
    }
    entity.aliases.sort_by(|a, b| (Reverse(a.count), &a.name).cmp(&(Reverse(b.count), &b.name)));
    let wanted = |alias: &&Alias| wanted.is_some_and(|name| folded(&alias.name) == name);
    let free = |alias: &&Alias| !taken.contains(&alias.name);
    let names = entity.aliases.iter().filter(free);
    let name = entity.aliases.iter().filter(free).find(wanted).or(names.clone().next());
    entity.name = name.map_or(entity.name, |alias| alias.name.clone());
    Some(entity)
}

/// What is told of two, as of one: sentences in text order, or the fuller of two texts.
fn both(one: &Told, other: &Told, most: usize) -> Told {
    match (one, other) {
        (Told::Quoted(one), Told::Quoted(other)) => Told::Quoted(first(one, other, most)),
        (Told::Written(one), Told::Written(other)) if other.contains(one.as_str()) => {
            Told::Written(other.clone())
        }
        (Told::Written(one), Told::Written(other)) if one.contains(other.as_str()) => {
            Told::Written(one.clone())
        }
        (Told::Written(one), Told::Written(other)) => Told::Written(format!("{one} {other}")),
        (written @ Told::Written(_), _) | (_, written) => written.clone(),
    }
}

fn first(one: &[Span], other: &[Span], most: usize) -> Vec<Span> {
    let mut spans: Vec<Span> = one.iter().chain(other).copied().collect();
    spans.sort_unstable();
    spans.dedup();
    spans.truncate(most.max(one.len()));
    spans
}

/// One mention for each entity and chunk; what was written apart is kept beside.
fn mentions(knowledge: &mut Knowledge, ids: &[EntityId]) {
    let mut here: BTreeMap<(ChunkId, EntityId), Vec<Mention>> = BTreeMap::new();
    for mention in knowledge.mentions.drain(..) {
        let entity = ids[mention.entity.index()];
        here.entry((mention.chunk, entity)).or_default().push(Mention { entity, ..mention });
    }
    let mut fragments: BTreeMap<(ChunkId, EntityId), Vec<Mention>> = BTreeMap::new();
    for fragment in knowledge.fragments.drain(..) {
        let entity = ids[fragment.entity.index()];
        fragments.entry((fragment.chunk, entity)).or_default().push(Mention { entity, ..fragment });
    }
    for (key, several) in here {
        let mut all = several.iter();
        let Some(mut mention) = all.next().cloned() else { continue };
        for other in all {
            mention.uses.extend(&other.uses);
            mention.description = both(&mention.description, &other.description, SENTENCES.1);
        }
        mention.uses.sort_unstable();
        mention.uses.dedup();
        let written = several.iter().any(|mention| matches!(mention.description, Told::Written(_)));
        if several.len() > 1 && written {
            // Of a member that was merged before, its own fragments stand here already.
            let apart = fragments.entry(key).or_default();
            let held: BTreeSet<Span> = apart.iter().flat_map(|fragment| fragment.uses.clone()).collect();
            apart.extend(
                several.into_iter().filter(|mention| !mention.uses.iter().any(|used| held.contains(used))),
            );
        }
        knowledge.mentions.push(mention);
    }
    knowledge.fragments = fragments.into_values().flatten().collect();
}

/// Triples between the new entities, without those of one with itself; a weak tie once a chunk.
fn triples(knowledge: &mut Knowledge, ids: &[EntityId]) {
    let entities = &knowledge.entities;
    let point = |phrase: &mut Phrase| {
        if let Some(entity) = phrase.entity.as_mut() {
            *entity = ids[entity.index()];
            phrase.text = entities[entity.index()].name.clone();
        }
    };
    let mut tied: BTreeSet<(ChunkId, EntityId, EntityId)> = BTreeSet::new();
    knowledge.triples.retain_mut(|triple| {
        point(&mut triple.subject);
        point(&mut triple.object);
        let Some((subject, object)) = triple.subject.entity.zip(triple.object.entity) else { return true };
        let weak = triple.kind == TripleKind::CoOccurrence;
        let tie = (triple.chunk, subject.min(object), subject.max(object));
        subject != object && (!weak || tied.insert(tie))
    });
}

/// A rule's label with the names of now; a chat model's is its own.
fn label(label: &str, written: bool, renamed: &HashMap<&str, &str>) -> String {
    let Some((kind, names)) = label.split_once(KIND).filter(|_| !written) else { return label.to_owned() };
    let mut now: Vec<&str> = Vec::new();
    for name in names.split(AND) {
        let name = renamed.get(name).copied().unwrap_or(name);
        if !now.contains(&name) {
            now.push(name);
        }
    }
    format!("{kind}{KIND}{}", now.join(AND))
}

/// The events of equal label together again; where two clusters became one, so do their summaries.
fn clusters(knowledge: &mut Knowledge) {
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut ids: HashMap<String, usize> = HashMap::new();
    let mut parts: Vec<BTreeSet<ClusterId>> = Vec::new();
    for (place, event) in knowledge.events.iter_mut().enumerate() {
        let next = clusters.len();
        let id = *ids.entry(event.label.clone()).or_insert(next);
        if id == next {
            clusters.push(Cluster {
                label: event.label.clone(),
                events: Vec::new(),
                summary: Told::default(),
            });
            parts.push(BTreeSet::new());
        }
        clusters[id].events.push(EventId::new(place));
        parts[id].insert(event.cluster);
        event.cluster = ClusterId::new(id);
    }
    for (cluster, parts) in clusters.iter_mut().zip(&parts) {
        let mut summaries =
            parts.iter().filter_map(|id| knowledge.clusters.get(id.index())).map(|old| &old.summary);
        cluster.summary = summaries.next().cloned().unwrap_or_default();
        summaries.for_each(|other| cluster.summary = both(&cluster.summary, other, SENTENCES.2));
    }
    knowledge.clusters = clusters;
}
