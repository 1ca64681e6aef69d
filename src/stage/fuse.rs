//! The pathways made one (CodaRAG II.e): entities by reciprocal ranks, the relations between them, the chunks
//! that both rest on.
//!
//! Entities are the seeds and all that a pathway raised, each once, with the place it had in every list. The
//! seeds' list weighs as much as the pathways' together: each pathway starts from all of them and adds none, so
//! that with a weight of 1 whatever two pathways raise would go before what the question names.
//! Relations are all those between kept entities, by the high-level cues' cosine, then the number of relations
//! that their ends have, then weight. Chunks are all of the book's, by how many kept entities and relations
//! they support, then by the question's cosine.
//!
//! Departure: offline a chunk's own words count first (systems 1.8 item 8), and what it supports counts by the
//! fused scores, so that a chunk which names the whole cast is not the best for every question.

use crate::algo::fusion::reciprocal_ranks;
use crate::algo::vector::{descending, z_scores};
use crate::book::Book;
use crate::config::QueryConfig;
use crate::knowledge::{EntityId, RelationId};

use super::{Cued, Raised, Scored, Seeds};

/// Everything raised, best first.
///
/// # Arguments
/// - `pathways`: semantic, contextualized, functional.
pub fn entities(seeds: &Seeds, pathways: [&[Scored<EntityId>]; 3], config: &QueryConfig) -> Vec<Raised> {
    let [semantic, contextualized, functional] = pathways;
    let lists = [&seeds.entities[..], semantic, contextualized, functional];
    let lists = lists.map(|list| list.iter().map(|node| node.id.index()).collect::<Vec<_>>());
    let weights = [config.seed_weight, 1.0, 1.0, 1.0];
    let weighed: Vec<(&[usize], f64)> = lists.iter().map(Vec::as_slice).zip(weights).collect();
    let fused = reciprocal_ranks(&weighed, config.rank_constant);
    let rank = |list: &Vec<usize>, id| list.iter().position(|&other| other == id);
    let raised = fused.into_iter().map(|(id, score)| Raised {
        id: EntityId::new(id),
        score,
        ranks: lists.each_ref().map(|list| rank(list, id)),
    });
    raised.collect()
}

/// The relations between what was raised, best first.
pub fn relations(book: &Book, cued: &Cued<'_>, raised: &[Raised]) -> Vec<Scored<RelationId>> {
    let mut among = vec![false; book.index.knowledge.entities.len()];
    for entity in raised {
        if let Some(flag) = among.get_mut(entity.id.index()) {
            *flag = true;
        }
    }
    let degree = |entity: EntityId| book.relations().row(entity.index()).count();
    let mut found: Vec<(Scored<RelationId>, usize, f64)> = Vec::new();
    for (place, relation) in book.index.knowledge.relations.iter().enumerate() {
        let (one, other) = relation.ends;
        if among.get(one.index()) == Some(&true) && among.get(other.index()) == Some(&true) {
            let score = cued.space.relations.dot(place, cued.high);
            let scored = Scored { id: RelationId::new(place), score };
            found.push((scored, degree(one) + degree(other), relation.weight));
        }
    }
    found.sort_by(|a, b| {
        let by_cosine = descending(a.0.score, b.0.score);
        by_cosine.then(b.1.cmp(&a.1)).then(descending(a.2, b.2)).then(a.0.id.cmp(&b.0.id))
    });
    found.into_iter().map(|(scored, ..)| scored).collect()
}

/// What each chunk supports: how many of the kept, and what they are worth together.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    /// Kept entities and relations with this chunk as a source.
    pub items: Vec<usize>,
    /// The sum of their worth.
    pub worth: Vec<f64>,
}

/// What every chunk of the book supports. A relation is worth the lesser of its ends.
pub fn support(book: &Book, entities: &[Raised], relations: &[Scored<RelationId>]) -> Support {
    let (knowledge, count) = (&book.index.knowledge, book.index.chunks.len());
    let mut support = Support { items: vec![0; count], worth: vec![0.0; count] };
    let mut add = |chunk: usize, worth: f64| {
        if let (Some(items), Some(sum)) = (support.items.get_mut(chunk), support.worth.get_mut(chunk)) {
            *items += 1;
            *sum += worth;
        }
    };
    let mut worth = vec![None; knowledge.entities.len()];
    for entity in entities {
        if let Some(slot) = worth.get_mut(entity.id.index()) {
            *slot = Some(entity.score);
        }
    }
    let of = |entity: EntityId| worth.get(entity.index()).copied().flatten();
    for mention in &knowledge.mentions {
        if let Some(worth) = of(mention.entity) {
            add(mention.chunk.index(), worth);
        }
    }
    for relation in relations.iter().filter_map(|scored| knowledge.relations.get(scored.id.index())) {
        let worth = of(relation.ends.0).zip(of(relation.ends.1)).map_or(0.0, |(a, b)| a.min(b));
        let mut chunks: Vec<usize> = knowledge.behind(relation).map(|triple| triple.chunk.index()).collect();
        chunks.sort_unstable();
        chunks.dedup();
        chunks.into_iter().for_each(|chunk| add(chunk, worth));
    }
    support
}

/// A number for each chunk that orders them by what they support, then by cosine.
pub fn by_support(support: &Support, cosines: &[f64]) -> Vec<f64> {
    let score = |(&items, &cosine): (&usize, &f64)| items as f64 + (1.0 + cosine.clamp(-1.0, 1.0)) / 2.1;
    support.items.iter().zip(cosines).map(score).collect()
}

/// Scores beside which what was associated counts.
pub fn beside(own: &[f64], associated: &[f64], weight: f64) -> Vec<f64> {
    let associated = z_scores(associated);
    own.iter().zip(associated).map(|(own, associated)| own + weight * associated).collect()
}
