//! What passes between the stages of CodaRAG: cues, seeds, what they raise, and what is eliminated of it.

use crate::index::Space;
use crate::knowledge::{EntityId, RelationId};

use super::Scored;

/// What a question asks for, in large and in detail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cues {
    /// High level: intent, scope, how things are related.
    pub high: Vec<String>,
    /// Low level: names, things, details.
    pub low: Vec<String>,
    /// `chat`, `rule` or `off`; empty for a method without cues.
    pub by: &'static str,
}

/// The cues as vectors of one space.
#[derive(Clone, Copy, Debug)]
pub struct Cued<'a> {
    /// Whose vectors they are.
    pub space: &'a Space,
    /// The high-level cues, joined.
    pub high: &'a [f32],
    /// The low-level cues, joined.
    pub low: &'a [f32],
    /// Entities that the low-level cues name, where names count by themselves.
    pub named: &'a [EntityId],
}

/// Where navigation starts; both lists best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seeds {
    /// `E0` with `a(e)`: entities hit, and ends of relations hit.
    pub entities: Vec<Scored<EntityId>>,
    /// Relations hit, with their cosines.
    pub relations: Vec<Scored<RelationId>>,
}

impl Seeds {
    /// One flag for each of `count` entities.
    pub fn flags(&self, count: usize) -> Vec<bool> {
        let mut flags = vec![false; count];
        for seed in &self.entities {
            if let Some(flag) = flags.get_mut(seed.id.index()) {
                *flag = true;
            }
        }
        flags
    }
}

/// What raises an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// It, or a relation of it, is what the cues speak of.
    Seed,
    /// A relation ties it to a seed.
    Semantic,
    /// A walk from the seeds comes to it.
    Contextualized,
    /// It stands in the graph as a seed does.
    Functional,
}

impl Path {
    /// Every pathway, in the order of [`Raised::ranks`].
    pub const ALL: [Self; 4] = [Self::Seed, Self::Semantic, Self::Contextualized, Self::Functional];

    /// Its name in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Semantic => "semantic",
            Self::Contextualized => "contextualized",
            Self::Functional => "functional",
        }
    }
}

/// An entity that navigation came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Raised {
    /// Who or what.
    pub id: EntityId,
    /// The sum of its reciprocal ranks.
    pub score: f64,
    /// Its place in the list of each pathway, from 0.
    pub ranks: [Option<usize>; 4],
}

impl Raised {
    /// Whether it is a seed.
    pub fn is_seed(&self) -> bool {
        self.ranks[0].is_some()
    }

    /// How many pathways raised it.
    pub fn ways(&self) -> usize {
        self.ranks.iter().flatten().count()
    }
}

/// An entity or a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// An entity.
    Entity(EntityId),
    /// A relation.
    Relation(RelationId),
}

/// What was taken out, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eliminated {
    /// What.
    pub item: Item,
    /// Why, in a few words.
    pub reason: &'static str,
    /// Whether it was put back, since it holds kept seeds together.
    pub restored: bool,
}

/// Everything associated with a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Associations {
    /// What was looked for.
    pub cues: Cues,
    /// What stays, best first.
    pub entities: Vec<Raised>,
    /// What stays between them, best first.
    pub relations: Vec<Scored<RelationId>>,
    /// What was taken out.
    pub eliminated: Vec<Eliminated>,
}
