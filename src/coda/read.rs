//! From what survived to what is read: chunks in their order, evidence and context, in each profile.

use crate::algo::vector::top_k;
use crate::config::Profile;
use crate::knowledge::{ChunkId, EntityId, RelationId};
use crate::stage::context::{self, Context};
use crate::stage::evidence::{self, PASSAGES};
use crate::stage::fuse::{self, Support};
use crate::stage::{Associations, Passage, Scored, score};

use super::cue::Asked;

/// What is read.
pub(super) struct Read {
    pub(super) evidence: Vec<Passage>,
    pub(super) context: Context,
    /// What an answer by rule starts from.
    pub(super) scores: Vec<f64>,
}

/// What is read of what survived, in at most `room` tokens.
pub(super) fn read(asked: &Asked<'_>, found: &Associations, room: u32) -> Read {
    let Asked { book, question, config, .. } = *asked;
    let support = fuse::support(book, &found.entities, &found.relations);
    let (evidence, scores) = match config.profile {
        Profile::Paper => by_support(asked, &support),
        Profile::Auto | Profile::Offline => {
            let own = score::multi_granularity(book, question, config);
            let scores = fuse::beside(&own, &score::by_chunk(book, &support.worth), config.support);
            (evidence::by_best_event(book, &scores), scores)
        }
    };
    let entities: Vec<EntityId> = found.entities.iter().map(|node| node.id).collect();
    let relations: Vec<RelationId> = found.relations.iter().map(|node| node.id).collect();
    let context =
        context::associations(book, &entities, &relations, &evidence, context::rooms(config, room), room);
    Read { evidence, context, scores }
}

/// Chunks by what they support, then by the question's cosine.
fn by_support(asked: &Asked<'_>, support: &Support) -> (Vec<Passage>, Vec<f64>) {
    let Asked { book, question, .. } = *asked;
    let cosines = question.space(book).map_or(Vec::new(), |(space, vector)| space.chunks.dots(vector));
    let scores = fuse::by_support(support, &cosines);
    let ranked = top_k(&scores, PASSAGES).into_iter();
    let ranked: Vec<Scored<ChunkId>> =
        ranked.map(|chunk| Scored { id: ChunkId::new(chunk), score: scores[chunk] }).collect();
    (evidence::by_chunk(book, &ranked), score::by_chunk(book, &scores))
}
