//! The documents about a book itself: how it was read and cut, what its handle knows, what its index holds.
//!
//! They follow from the book alone; no question is in them.

use serde::Serialize;

use super::{Hub, Issue};

/// A title with the part of the text under it.
#[derive(Clone, Debug, Serialize)]
pub struct Chapter {
    /// The heading.
    pub title: String,
    /// First UTF-16 unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// A part of the text that is not chunked, and why.
#[derive(Clone, Debug, Serialize)]
pub struct Skip {
    /// First UTF-16 unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// `boilerplate`, `front_matter`, `contents`, `heading`, `separator`.
    pub reason: String,
}

/// A chunk with its text.
#[derive(Clone, Debug, Serialize)]
pub struct Chunk {
    /// Its place.
    pub id: u32,
    /// Place of its chapter.
    pub chapter: u32,
    /// First UTF-16 unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// Estimated tokens.
    pub tokens: u32,
    /// The text itself.
    pub text: String,
}

/// What `chunks` prints: how a file was read and cut.
#[derive(Clone, Debug, Serialize)]
pub struct Chunks {
    /// Title found or given.
    pub title: String,
    /// Author, empty when not found.
    pub author: String,
    /// BCP 47 tag.
    pub language: String,
    /// UTF-16 units of the document text.
    pub text_length: u32,
    /// In text order.
    pub chapters: Vec<Chapter>,
    /// In text order.
    pub chunks: Vec<Chunk>,
    /// In text order.
    pub skips: Vec<Skip>,
    /// What a reader should know.
    pub issues: Vec<Issue>,
}

/// How much an index holds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Counts {
    /// Chunks.
    pub chunks: u32,
    /// Entities.
    pub entities: u32,
    /// Mentions: one for each entity and chunk.
    pub mentions: u32,
    /// Triples, stated and weak.
    pub triples: u32,
    /// Distinct related pairs of entities.
    pub relations: u32,
    /// Events.
    pub events: u32,
    /// Clusters.
    pub clusters: u32,
    /// Character-event edges at tau.
    pub pons_edges: u32,
    /// Entities named in so many chunks that they have no such edge.
    pub ubiquitous: u32,
}

/// An embedding space, without its vectors.
#[derive(Clone, Debug, Serialize)]
pub struct Space {
    /// Which embedder.
    pub id: String,
    /// Numbers in a vector.
    pub dims: u32,
    /// How they are stored.
    pub encoding: String,
    /// Least cosine of a pons edge.
    pub tau: f64,
    /// The share of pairs below it.
    pub quantile: f64,
    /// Character-event edges at tau.
    pub pons_edges: u32,
    /// Mean of one less the cosine over all character-event pairs (PonsRAG eq. 10).
    pub d_cross: f64,
    /// Synonym edges of the character graph, each direction by itself.
    pub synonyms: u32,
}

/// What a book's handle knows at once.
#[derive(Clone, Debug, Serialize)]
pub struct Info {
    /// Title.
    pub title: String,
    /// Author, empty when not found.
    pub author: String,
    /// BCP 47 tag.
    pub language: String,
    /// UTF-16 units of the document text.
    pub text_length: u32,
    /// In text order.
    pub chapters: Vec<Chapter>,
    /// How much it holds.
    pub counts: Counts,
    /// At least one.
    pub embedding_spaces: Vec<Space>,
    /// The entity that most relations touch; none without relations.
    pub top_hub: Option<Hub>,
    /// What the index holds none of: `entities`, `relations`, `events`, `pons_edges`.
    pub empty: Vec<String>,
    /// What a reader should know.
    pub issues: Vec<Issue>,
}

/// An entity as `inspect` lists it.
#[derive(Clone, Debug, Serialize)]
pub struct Entity {
    /// Unique in the index.
    pub name: String,
    /// person, group, place, object or other.
    #[serde(rename = "type")]
    pub kind: String,
    /// The type that a chat model found for it, beside the five; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Other accepted forms, most used first.
    pub aliases: Vec<String>,
    /// From where on a reader can know each of them for a name of this entity, 0 to 1, in their order.
    pub known_from: Vec<f64>,
    /// How often it is named.
    pub mentions: u32,
    /// In how many chunks.
    pub chunks: u32,
    /// The sentences that describe it.
    pub description: String,
}

/// A decision about two names as `inspect` lists it.
#[derive(Clone, Debug, Serialize)]
pub struct Merge {
    /// The one, as the book writes it.
    pub one: String,
    /// The other.
    pub other: String,
    /// `same`, and they were merged; `different` or `uncertain`, and they were not.
    pub verdict: String,
    /// `rule`, `chat` or `author`.
    pub by: String,
    /// Why.
    pub reason: String,
    /// The UTF-16 unit where its evidence ends: before it a reader cannot know.
    pub evidence: u32,
}

/// An event as `inspect` lists it.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// Short name of what happens.
    pub label: String,
    /// What is told.
    pub details: String,
    /// The chunk it lies in.
    pub chunk: u32,
    /// First UTF-16 unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// 0 to 1 through the book.
    pub position: f64,
}

/// What `inspect` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Inspect {
    /// Title.
    pub title: String,
    /// How much the index holds.
    pub counts: Counts,
    /// Mean of one less the cosine over all character-event pairs (PonsRAG eq. 10).
    pub d_cross: f64,
    /// At least one.
    pub embedding_spaces: Vec<Space>,
    /// Size of the index file.
    pub bytes: u32,
    /// The entity that most relations touch; none without relations.
    pub top_hub: Option<Hub>,
    /// What the index holds none of: `entities`, `relations`, `events`, `pons_edges`.
    pub empty: Vec<String>,
    /// Persons and groups first, most named first.
    pub entities: Vec<Entity>,
    /// Which names were merged, which were looked at and not, and why.
    pub merges: Vec<Merge>,
    /// In text order.
    pub events: Vec<Event>,
    /// What a reader should know.
    pub issues: Vec<Issue>,
}
