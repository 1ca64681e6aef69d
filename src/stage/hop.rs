//! One hop of a relation graph (LightRAG's local and global search), and the chunks that what it found rests
//! on.
//!
//! Locally entities are hit and their relations follow, by the number of relations that their ends have, then
//! by weight. Globally relations are hit and their ends follow. Both are merged in turn. Each item then names
//! its source chunks, five at most, an entity's first those in which more of the relations found are told.

use crate::algo::vector::descending;
use crate::book::Book;
use crate::knowledge::{ChunkId, EntityId, RelationId};

use super::{Associations, Raised, Scored, Seeds};

/// Source chunks that an item names at most (LightRAG: 5).
const RELATED: usize = 5;

/// What was found, best first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Entities hit, and ends of relations hit, in turn.
    pub entities: Vec<EntityId>,
    /// Relations of entities hit, and relations hit, in turn.
    pub relations: Vec<RelationId>,
}

/// Local and global search together.
pub fn both(book: &Book, seeds: &Seeds) -> Found {
    let hit: Vec<EntityId> = seeds.entities.iter().map(|seed| seed.id).collect();
    let globally: Vec<RelationId> = seeds.relations.iter().map(|seed| seed.id).collect();
    let relations = &book.index.knowledge.relations;
    let ends = globally.iter().filter_map(|id| relations.get(id.index()));
    let ends: Vec<EntityId> = ends.flat_map(|relation| [relation.ends.0, relation.ends.1]).collect();
    let degree = |id: EntityId| book.relations().row(id.index()).count();
    let mut locally: Vec<(usize, f64, RelationId)> = Vec::new();
    for (place, relation) in relations.iter().enumerate() {
        let (one, other) = relation.ends;
        if hit.contains(&one) || hit.contains(&other) {
            locally.push((degree(one) + degree(other), relation.weight, RelationId::new(place)));
        }
    }
    locally.sort_by(|a, b| b.0.cmp(&a.0).then(descending(a.1, b.1)).then(a.2.cmp(&b.2)));
    let locally: Vec<RelationId> = locally.into_iter().map(|(.., id)| id).collect();
    Found { entities: in_turn(&[&hit, &ends]), relations: in_turn(&[&locally, &globally]) }
}

/// The source chunks of each entity, then of each relation, in their order.
pub fn chunks(book: &Book, found: &Found) -> [Vec<ChunkId>; 2] {
    let knowledge = &book.index.knowledge;
    let relations = || found.relations.iter().filter_map(|id| knowledge.relations.get(id.index()));
    let mut told: Vec<(EntityId, ChunkId)> = Vec::new();
    let mut of_relations: Vec<ChunkId> = Vec::new();
    for relation in relations() {
        let mut chunks: Vec<ChunkId> = knowledge.behind(relation).map(|triple| triple.chunk).collect();
        chunks.sort_unstable();
        chunks.dedup();
        told.extend(chunks.iter().flat_map(|&chunk| [(relation.ends.0, chunk), (relation.ends.1, chunk)]));
        of_relations.extend(chunks.into_iter().take(RELATED));
    }
    told.sort_unstable();
    let times = |entity, chunk| told.iter().filter(|&&pair| pair == (entity, chunk)).count();
    let mut of_entities: Vec<ChunkId> = Vec::new();
    for &entity in &found.entities {
        let mentions = knowledge.mentions.iter().filter(|mention| mention.entity == entity);
        let mut chunks: Vec<(usize, ChunkId)> =
            mentions.map(|mention| (times(entity, mention.chunk), mention.chunk)).collect();
        chunks.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        of_entities.extend(chunks.into_iter().take(RELATED).map(|(_, chunk)| chunk));
    }
    [of_entities, of_relations]
}

/// What was found as it is told of, each by its place; what was hit is a seed.
pub fn told(found: &Found, hits: &Seeds) -> Associations {
    let score = |place: usize| 1.0 / (1.0 + place as f64);
    let rank = |id: EntityId| hits.entities.iter().position(|hit| hit.id == id);
    let entities = found.entities.iter().enumerate();
    let relations = found.relations.iter().enumerate();
    Associations {
        entities: entities
            .map(|(place, &id)| Raised { id, score: score(place), ranks: [rank(id), None, None, None] })
            .collect(),
        relations: relations.map(|(place, &id)| Scored { id, score: score(place) }).collect(),
        ..Associations::default()
    }
}

/// Of several lists the first of each, then the second of each, and so on, each item once.
pub fn in_turn<T: Copy + Ord>(lists: &[&[T]]) -> Vec<T> {
    let mut known = std::collections::BTreeSet::new();
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    let all = (0..longest).flat_map(|place| lists.iter().filter_map(move |list| list.get(place)));
    all.filter(|item| known.insert(**item)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_merged_in_turn() {
        assert_eq!(in_turn(&[&[3, 1][..], &[1, 2, 4], &[]]), [3, 1, 2, 4]);
        assert_eq!(in_turn::<u32>(&[]), [0u32; 0]);
    }
}
