//! The built artefact: a document, its chunks, its knowledge and its embedding spaces.
//!
//! Plain owned data. `snapshot` writes and reads it as `*.plot.json`; `engine` makes it and answers
//! from it. What can be worked out from it quickly (word positions, the character graph, the built-in
//! embedder's table) is not part of it.

use crate::algo::vector::Rows;
use crate::config::IndexConfig;
use crate::graph::Synonyms;
use crate::knowledge::{Chunk, Knowledge, Wishes};
use crate::text::Document;

/// Everything an index file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// The book's text with its chapters and skips.
    pub document: Document,
    /// How it was indexed.
    pub config: IndexConfig,
    /// What its author wishes of its names.
    pub wishes: Wishes,
    /// The chat model that read it; none where rules did.
    pub extractor: Option<String>,
    /// The fingerprint of the prompts that it was read with; none where rules read, or in a file from before
    /// they were kept.
    pub prompts: Option<String>,
    /// The text cut for indexing, in text order.
    pub chunks: Vec<Chunk>,
    /// Entities, mentions, triples, relations, events, clusters.
    pub knowledge: Knowledge,
    /// FastRP vectors of the entities; none in a file from before they were kept.
    pub functional: Rows,
    /// At least one: the built-in embedder's comes first.
    pub spaces: Vec<Space>,
}

/// The vectors of one embedder, all of one width and of unit length.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    /// Which embedder.
    pub id: String,
    /// Numbers in a vector.
    pub dims: usize,
    /// Least cosine of a pons edge for this embedder (PonsRAG eq. 4).
    pub tau: f64,
    /// The share of the book's character-event pairs below `tau`.
    pub quantile: f64,
    /// Character-event pairs with weight at `tau` (PonsRAG eq. 4), with cosine edges.
    pub pons_edges: u32,
    /// Mean of one less the cosine over all character-event pairs (PonsRAG eq. 10).
    pub d_cross: f64,
    /// The vector of [`PROBE`](crate::spaces::PROBE), by which an endpoint's embedder is known again; empty
    /// for the built-in one.
    pub probe: Rows,
    /// One vector for each chunk.
    pub chunks: Rows,
    /// One for each entity's description `d_u`.
    pub entities: Rows,
    /// One for each event `r_v`.
    pub events: Rows,
    /// One for each cluster's summary `s_v`.
    pub clusters: Rows,
    /// One for each distinct stated fact, in the character graph's order.
    pub facts: Rows,
    /// One for each relation; none in a file from before they were kept.
    pub relations: Rows,
    /// Phrases of the character graph that mean nearly the same; none in a file from before they were kept.
    pub synonyms: Synonyms,
}
