//! Where associative navigation starts (CodaRAG II.a with LightRAG's constants).
//!
//! Low-level cues are compared with every entity, high-level ones with every relation; of each the nearest
//! `seed_top` above a least cosine are hit. `E0` is the entities hit with the ends of the relations hit, and
//! `a(e)` the best of an entity's own cosine and those of its relations that were hit.
//!
//! Departures: offline the least cosine is a share of the book's own, and an entity that a cue names is a seed
//! with full weight, since the built-in embedder's cosines mean little by themselves.

use std::collections::BTreeMap;

use crate::algo::vector::{descending, quantile, top_k};
use crate::book::Book;
use crate::config::QueryConfig;
use crate::knowledge::{EntityId, RelationId};

use super::{Cued, Scored, Seeds};

/// Least cosine of a seed in the paper profile (LightRAG).
pub const LEAST: f64 = 0.2;

/// What the cues hit by themselves: entities and relations, best first.
pub fn hits(cued: &Cued<'_>, config: &QueryConfig) -> Seeds {
    let entities = nearest(&cosines(cued), config).into_iter();
    let relations = nearest(&cued.space.relations.dots(cued.high), config).into_iter();
    Seeds {
        entities: entities.map(|(id, score)| Scored { id: EntityId::new(id), score }).collect(),
        relations: relations.map(|(id, score)| Scored { id: RelationId::new(id), score }).collect(),
    }
}

/// `E0` with `a(e)`: what the cues hit, with the ends of the relations hit.
pub fn seeds(book: &Book, cued: &Cued<'_>, config: &QueryConfig) -> Seeds {
    let (hits, own) = (hits(cued, config), cosines(cued));
    let mut weights: BTreeMap<EntityId, f64> = hits.entities.iter().map(|hit| (hit.id, hit.score)).collect();
    for hit in &hits.relations {
        let Some(relation) = book.index.knowledge.relations.get(hit.id.index()) else { continue };
        for end in [relation.ends.0, relation.ends.1] {
            let own = own.get(end.index()).copied().unwrap_or(hit.score);
            let weight = weights.entry(end).or_insert(own);
            *weight = weight.max(hit.score);
        }
    }
    let mut entities: Vec<Scored<EntityId>> =
        weights.into_iter().map(|(id, score)| Scored { id, score }).collect();
    entities.sort_by(|a, b| descending(a.score, b.score).then(a.id.cmp(&b.id)));
    Seeds { entities, ..hits }
}

/// Each entity's cosine with the low-level cues; 1 for one that they name.
fn cosines(cued: &Cued<'_>) -> Vec<f64> {
    let mut cosines = cued.space.entities.dots(cued.low);
    for name in cued.named {
        if let Some(cosine) = cosines.get_mut(name.index()) {
            *cosine = 1.0;
        }
    }
    cosines
}

/// The nearest ones with their cosines, best first.
fn nearest(cosines: &[f64], config: &QueryConfig) -> Vec<(usize, f64)> {
    let least = match config.seed_cosine {
        set if set > -1.0 => set,
        // What is unlike the cues starts nothing, however little else there is.
        _ => quantile(cosines.to_vec(), config.seed_share).max(f64::MIN_POSITIVE),
    };
    let nearest = top_k(cosines, config.seed_top).into_iter();
    nearest.map(|place| (place, cosines[place])).filter(|&(_, cosine)| cosine >= least).collect()
}
