//! The two graphs of PonsRAG: the character graph, and the pons layer between characters and events.

mod character;
mod pons;

pub use character::{CharacterGraph, Fact};
pub use pons::{PonsLayer, inverse_frequencies, tau_for};
