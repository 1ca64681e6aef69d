//! Ask a book, in a web page, with no server.
//!
//! Plotbridge answers questions about long narratives from a graph of their people and plot
//! (PonsRAG), on one index file, natively or as WebAssembly.

pub mod algo;
pub mod config;
pub mod error;
pub mod graph;
pub mod index;
pub mod knowledge;
pub mod lexical;
pub mod offline;
pub mod pace;
pub mod text;

pub use error::{Code, Error, Result};
