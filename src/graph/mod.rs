//! The two graphs of PonsRAG: the character graph with its synonyms, and the pons layer between characters
//! and events.

mod character;
mod pons;
mod synonyms;

pub use character::{CharacterGraph, Fact};
pub use pons::{PonsLayer, Weighting, inverse_frequencies, tau_for, ubiquitous};
pub use synonyms::{Bar, MOST_SYNONYMS, Synonym, Synonyms};
