//! The relation graph of CodaRAG: entities, tied by the relations between them.
//!
//! Undirected and weighted, as LightRAG's: each relation is an edge in both its rows, of the relation's weight
//! (systems 2.2). It holds no chunk and no phrase that is no entity, unlike the [character
//! graph](super::CharacterGraph), on which PonsRAG's walk goes.
//!
//! Invariant: as high as there are entities, the same seen from either end, no edge from an entity to itself.

use crate::algo::csr::Csr;
use crate::knowledge::Knowledge;

/// The graph of a book's relations, each in both rows. O(r log r) for r relations.
pub fn relation_graph(knowledge: &Knowledge) -> Csr {
    let both = knowledge.relations.iter().flat_map(|relation| {
        let (a, b) = relation.ends;
        [(a.0, b.0, relation.weight), (b.0, a.0, relation.weight)]
    });
    let size = knowledge.entities.len();
    Csr::new(size, size, both.collect())
}
