//! Ask a book, in a web page, with no server.
//!
//! Plotbridge answers questions about long narratives from a graph of their people and plot. It
//! implements PonsRAG: characters and events are linked by a *pons* layer; a question ties down
//! anchors, they awaken what is linked to them, characters and events are matched one to one, and what
//! serves the question is told in story order, each line with its exact place in the book. It runs
//! natively and, compiled to WebAssembly, in a browser tab, without any server or model.
//!
//! # Key types
//! - [`Engine`]: one book. Build it from a text or open its index file, ask it, save it.
//! - [`AskOptions`] with [`QueryConfig`]: how a question is asked; [`IndexConfig`]: how a book is indexed.
//! - [`report::Answer`] and [`report::Trace`]: what comes back, the documents JavaScript gets too.
//! - [`Error`] with its stable [`Code`]; a partial failure is a [`knowledge::Issue`] in the result.
//!
//! # Reading order
//! `text` (bytes to document to chunks), [`knowledge`] (the nouns), `offline` (knowledge by rule),
//! [`index`] and [`snapshot`] (the artefact and its file), [`algo`] and [`graph`] (numbers), [`stage`]
//! (one step each), [`pons`] and [`baseline`] (steps in order), [`engine`] (the handle), [`eval`] (how good
//! the answers are). Most users need only the handle.

pub mod algo;
pub mod asker;
mod asking;
pub mod baseline;
pub mod book;
mod build;
pub mod coda;
pub mod config;
mod consolidate;
mod describe;
pub mod diagnose;
pub mod engine;
pub mod error;
pub mod estimate;
pub mod eval;
mod extract;
pub mod graph;
pub mod hippo;
pub mod index;
pub mod knowledge;
pub mod lexical;
pub mod light;
pub mod llm;
pub mod offline;
pub mod options;
pub mod pace;
mod part;
pub mod pons;
pub mod position;
mod prompts;
pub mod question;
pub mod report;
pub mod retrieval;
pub mod scales;
pub mod snapshot;
pub mod spaces;
pub mod stage;
pub mod text;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use asking::methods_that_read;
pub use config::{IndexConfig, QueryConfig};
pub use engine::Engine;
pub use error::{Code, Error, Result};
pub use options::{AskOptions, Method};
pub use position::Position;
