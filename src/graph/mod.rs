//! The graphs: PonsRAG's character graph with its synonyms, its pons layer between characters and events, and
//! CodaRAG's graph of relations.

mod character;
mod functional;
mod pons;
mod relations;
mod synonyms;

pub use character::{CharacterGraph, Fact};
pub use functional::{functional, roles};
pub use pons::{PonsLayer, Weighting, inverse_frequencies, tau_for, ubiquitous};
pub use relations::relation_graph;
pub use synonyms::{Bar, MOST_SYNONYMS, Synonym, Synonyms};
