//! Algorithms that know numbers, not words.
//!
//! Each file is one algorithm on slices, matrices or a compressed graph, and returns numbers and
//! indices. None holds a string or an id of this crate; ties always go to the smaller index, and
//! sums run in index order, so native and wasm results are the same bits.

pub mod assignment;
pub mod bm25;
pub mod cohits;
pub mod csr;
pub mod edit;
pub mod fastrp;
pub mod flow;
pub mod fusion;
pub mod pagerank;
pub mod segment;
pub mod separators;
pub mod vector;
