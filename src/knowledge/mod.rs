//! The nouns of a book's index: chunks, entities with their mentions, triples, relations, events, clusters.
//!
//! Plain data without behaviour that needs more than itself. The book's text is never copied: what the
//! rule-based extractor tells is [`Span`]s of the document, so each can be cited, highlighted and cut at a
//! reading position. Only what a chat model wrote is words of its own ([`Told`]).
//!
//! Invariant: every span lies on character boundaries inside the document's text, and every id
//! points into the list it names. `snapshot` checks both when a file is opened.

mod id;
mod merge;
mod relation;

use std::borrow::Cow;

pub use id::{ChunkId, ClusterId, EntityId, EventId, RelationId, TripleId};
pub use merge::{Decider, Group, Merge, Reveal, Verdict, Wishes};
pub use relation::{FRAGMENTS, Relation, relate};

/// A half-open range of the document's text, in bytes of its UTF-8.
///
/// Outside the crate offsets are UTF-16 units; [`Utf16Map`](crate::text::Utf16Map) converts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }
    /// Its bytes as a range, to slice with.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
    /// Its length in bytes.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }
    /// Whether it holds nothing.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }
    /// Whether `other` lies inside.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
    /// Its text; empty when it does not fit `text`.
    pub fn of(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }
}

/// What is told of something: sentences of the book, or what a chat model made of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Whole sentences, in text order.
    Quoted(Vec<Span>),
    /// A chat model's words.
    Written(String),
}

impl Default for Told {
    fn default() -> Self {
        Self::Quoted(Vec::new())
    }
}

impl Told {
    /// The telling on one line.
    pub fn line(&self, text: &str) -> String {
        match self {
            Self::Quoted(spans) => {
                let words = spans.iter().flat_map(|span| span.of(text).split_whitespace());
                words.collect::<Vec<_>>().join(" ")
            }
            Self::Written(words) => words.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }

    /// The book's own sentences, where it is told in them.
    pub fn quoted(&self) -> &[Span] {
        match self {
            Self::Quoted(spans) => spans,
            Self::Written(_) => &[],
        }
    }
}

/// A recorded partial failure or a fact the reader of a result should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Stable code, such as `no_persons` or `embedding_fallback`.
    pub code: Cow<'static, str>,
    /// One sentence for people.
    pub message: String,
}

impl Issue {
    /// An issue with this code and sentence.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code: Cow::Borrowed(code), message: message.into() }
    }
}

/// A part of the book under one heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// The heading's text, e.g. `CHAPTER I. The Ferry`; the document's title where there is none.
    pub title: String,
    /// From the first byte of the heading to the next heading or the end of the story.
    pub span: Span,
}

/// A part of the document that is not story and is not searched, but is not lost either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// Which part.
    pub span: Span,
    /// Why: one of [`SKIP_REASONS`](crate::text::SKIP_REASONS).
    pub reason: &'static str,
}

/// A span cut for indexing: whole sentences inside one chapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Which part of the text; trailing white space belongs to it, so chunks and skips tile the text.
    pub span: Span,
    /// Place of its chapter in the chapter list.
    pub chapter: u32,
    /// Estimated tokens.
    pub tokens: u32,
}

/// What an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntityKind {
    /// A person, or an animal or thing that acts as one.
    Person,
    /// A family, people, regiment, crew.
    Group,
    /// A place.
    Place,
    /// A thing: a ship, a letter, a jewel with a name.
    Object,
    /// Named, but none of these for sure.
    Other,
}

impl EntityKind {
    /// Every kind, persons and groups first, as the page shows them.
    pub const ALL: [EntityKind; 5] =
        [EntityKind::Person, EntityKind::Group, EntityKind::Place, EntityKind::Object, EntityKind::Other];

    /// The stable string of the index file and of `inspect`.
    pub fn as_str(self) -> &'static str {
        match self {
            EntityKind::Person => "person",
            EntityKind::Group => "group",
            EntityKind::Place => "place",
            EntityKind::Object => "object",
            EntityKind::Other => "other",
        }
    }
}

/// A type of entities that a chat model found the book to have, beside the five kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityType {
    /// One to three words, such as `ferryman`; no two types share them.
    pub name: String,
    /// Which of the five it belongs to.
    pub kind: EntityKind,
    /// What belongs to it.
    pub description: String,
}

/// A surface form accepted for an entity, and what the acceptance rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The form as the book writes it, e.g. `Mrs Harker`.
    pub name: String,
    /// How often the book uses it for this entity.
    pub count: u32,
    /// Where the evidence of the merge ends, in bytes: before this offset a reader cannot know that
    /// the form names this entity. For the entity's first form, its first use.
    pub evidence: u32,
    /// The rule that merged it, e.g. `same surname and honorific`; for the first form `first form`.
    pub reason: String,
}

/// The canonical node for someone or something named: one per person, place, group or thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// The form used most; unique in one index.
    pub name: String,
    /// What it is.
    pub kind: EntityKind,
    /// The name of its [`EntityType`], of the same kind; none where no types were looked for, or none fits.
    pub category: Option<String>,
    /// Every accepted form, the name's own included, most used first.
    pub aliases: Vec<Alias>,
    /// What describes it best; its description `d_u` is the name and this (systems: PonsRAG 4.1, one
    /// description per entity).
    pub description: Told,
}

/// An entity in one chunk: its uses there and what the chunk says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Who or what.
    pub entity: EntityId,
    /// Where.
    pub chunk: ChunkId,
    /// Each use of one of its forms in the chunk, in text order; never empty.
    pub uses: Vec<Span>,
    /// What this chunk says of it. Written words rest on this chunk alone.
    pub description: Told,
}

/// One end of a triple: a phrase, and the entity it names if it names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The words, as the book writes them or the entity's name.
    pub text: String,
    /// The entity, where the phrase is one of its forms.
    pub entity: Option<EntityId>,
}

/// How a triple was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TripleKind {
    /// The text states it: subject, verb or role, object.
    Stated,
    /// Both are named in one event; a weak tie without direction.
    CoOccurrence,
}

/// Subject, predicate, object as extracted from one chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triple {
    /// Who or what.
    pub subject: Phrase,
    /// The verb's base form, a role (`daughter of`), or `appears with`.
    pub predicate: String,
    /// Whom or what.
    pub object: Phrase,
    /// How it was found.
    pub kind: TripleKind,
    /// The chunk that says so.
    pub chunk: ChunkId,
    /// The sentence or event that says so.
    pub span: Span,
}

/// A plot node: something that happens, told in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// A short name of what happens, the cluster's key, e.g. `arrival: Maëlle`.
    pub label: String,
    /// The text that tells it: whole sentences of one chunk.
    pub span: Span,
    /// Its details `r_v` in a chat model's words, which rest on its chunk; where there are none, the text
    /// itself.
    pub details: Option<String>,
    /// The chunk it lies in.
    pub chunk: ChunkId,
    /// The entities named in it, in order of first use, each once; last, unnamed, who says `I` in it.
    pub participants: Vec<EntityId>,
    /// The cluster of its label.
    pub cluster: ClusterId,
}

/// The events of one label, with a summary (PonsRAG 4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The shared label.
    pub label: String,
    /// Its events, in text order; never empty.
    pub events: Vec<EventId>,
    /// What stands for all of it: the summary `s_v`. For a single event what it tells itself.
    pub summary: Told,
}

/// Everything extracted from one book.
///
/// Invariants: events are in text order, each inside its chunk, and together they tile the story's
/// sentences; mentions are sorted by chunk, then entity, one for each such pair; relations are those of the
/// triples, once [`Knowledge::relate`] has made them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knowledge {
    /// The types that the book was found to have; none where they were not looked for.
    pub types: Vec<EntityType>,
    /// One per person, place, group or thing.
    pub entities: Vec<Entity>,
    /// One per entity and chunk.
    pub mentions: Vec<Mention>,
    /// Stated and weak ties.
    pub triples: Vec<Triple>,
    /// What ties two entities, by their ends; made of the triples.
    pub relations: Vec<Relation>,
    /// In text order.
    pub events: Vec<Event>,
    /// In order of their first event.
    pub clusters: Vec<Cluster>,
    /// Which names were merged, which were not, and why.
    pub merges: Vec<Merge>,
    /// Mentions as they were before two of one chunk were merged, of those that a chat model wrote, under
    /// their entity of now: what a reading position before the merge is told. Sorted as mentions are.
    pub fragments: Vec<Mention>,
}
