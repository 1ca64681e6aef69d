//! An index made ready to answer: what is worked out from it once and used by every question.
//!
//! None of this is stored: the word positions, the units of the offline recipe, the built-in embedder's
//! table and the character graph all follow from the index in well under a second. What is large and only
//! a question needs (the embedder's table, where each word stands, the baseline's words) waits for the first that does, so that an
//! open book takes little more memory than its file.
//!
//! Invariant: events are the grid. Every unit (window, surroundings, chunk, chapter) is a run of whole
//! events, so all are ranges of one stream of terms.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use crate::algo::csr::Csr;
use crate::algo::vector::Rows;
use crate::error::Result;
use crate::graph::{self, CharacterGraph, PonsLayer, Weighting, relation_graph};
use crate::index::{Index, Space};
use crate::knowledge::{ChunkId, EntityId, EventId, Relation, Span};
use crate::lexical::{Analyser, Forms, Lexicon};
use crate::offline::NARRATES;
use crate::offline::embedder::Embedder;
use crate::pace::Pace;
use crate::scales::Scales;

/// An index with all that questions need beside it.
pub struct Book {
    /// The artefact itself.
    pub index: Index,
    /// The story's terms, irregular forms brought to their base.
    pub lexicon: Lexicon,
    /// Which entities a run of words names.
    pub forms: Forms,
    /// The units that are scored.
    pub scales: Scales,
    /// The built-in embedder's table for this book.
    embedder: OnceCell<Embedder>,
    /// Phrases, chunks and facts.
    pub graph: CharacterGraph,
    /// Characters and the events that name them.
    pub mentioned: PonsLayer,
    /// The pons layers by cosine at their spaces' own tau, by space and weighting, once a question has needed them.
    pub similar: RefCell<BTreeMap<(String, Weighting), Rc<PonsLayer>>>,
    /// The character graph with each space's own synonyms, once a question has needed it.
    walks: RefCell<BTreeMap<String, Rc<Csr>>>,
    /// Entities and relations, once a question has needed them.
    relations: OnceCell<Csr>,
    /// FastRP vectors where the index has none, and those of roles; once a question has needed them.
    functional: OnceCell<Rows>,
    roles: OnceCell<Rows>,
    /// The chunks for the fixed `bm25` baseline.
    plain: OnceCell<PlainChunks>,
}

/// The `bm25` baseline's own stream: Snowball stems without irregular forms, one unit a chunk.
pub struct PlainChunks {
    /// The terms of all chunks.
    pub lexicon: Lexicon,
    /// Each chunk's positions.
    pub ranges: Vec<Range<u32>>,
}

impl Book {
    /// Who tells most of the story, of those that are not to be looked for, and the sentence that shows it.
    pub fn narration(&self, others: &[EntityId]) -> Option<(EntityId, Span)> {
        let knowledge = &self.index.knowledge;
        let told = knowledge.triples.iter().filter(|triple| triple.predicate == NARRATES);
        let tellers = told.filter_map(|triple| Some((triple.subject.entity?, triple.span)));
        let tellers: Vec<(EntityId, Span)> = tellers.filter(|(teller, _)| !others.contains(teller)).collect();
        let part = |teller: EntityId| {
            knowledge.events.iter().filter(|event| event.participants.contains(&teller)).count()
        };
        // The first of those with the largest part.
        tellers.into_iter().rev().max_by_key(|(teller, _)| part(*teller))
    }

    /// Works out everything a question needs. Linear in the text.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn new(index: Index, pace: &Pace<'_>) -> Result<Self> {
        let (lexicon, scales) = Scales::new(&index, pace).await?;
        Self::with_words(index, lexicon, scales, pace).await
    }

    /// The same where the builder has the words already.
    pub(crate) async fn with_words(
        index: Index,
        lexicon: Lexicon,
        scales: Scales,
        pace: &Pace<'_>,
    ) -> Result<Self> {
        let graph = CharacterGraph::new(&index, pace).await?;
        let forms = Forms::new(&index.knowledge.entities);
        let mut book = Self {
            index,
            lexicon,
            forms,
            scales,
            embedder: OnceCell::new(),
            graph,
            similar: RefCell::default(),
            walks: RefCell::default(),
            mentioned: PonsLayer::default(),
            relations: OnceCell::new(),
            functional: OnceCell::new(),
            roles: OnceCell::new(),
            plain: OnceCell::new(),
        };
        book.refresh(pace).await?;
        Ok(book)
    }

    /// Works out what rests on the vectors, once the index has them.
    pub(crate) async fn refresh(&mut self, pace: &Pace<'_>) -> Result<()> {
        if let Some(space) = self.index.spaces.first() {
            self.mentioned = PonsLayer::by_mention(&self.index, space, pace).await?;
            self.scales.measure_contexts(&space.events, pace).await?;
        }
        Ok(())
    }

    /// The built-in embedder of this book, learnt by the first call.
    ///
    /// # Errors
    /// `too_large` for more distinct words than a book has; `aborted` when the caller cancels.
    pub async fn embedder(&self, pace: &Pace<'_>) -> Result<&Embedder> {
        if let Some(learnt) = self.embedder.get() {
            return Ok(learnt);
        }
        let dims = self.index.config.dims;
        let learnt = Embedder::learn(&self.lexicon, &self.scales.events, dims, pace).await?;
        // Another call may have been first; both are the same.
        Ok(self.embedder.get_or_init(|| learnt))
    }

    /// The chunks' words for the fixed `bm25` baseline, read by the first call.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn plain(&self, pace: &Pace<'_>) -> Result<&PlainChunks> {
        if let Some(plain) = self.plain.get() {
            return Ok(plain);
        }
        let mut plain = PlainChunks { lexicon: Lexicon::new(Analyser::Plain), ranges: Vec::new() };
        for (done, chunk) in self.index.chunks.iter().enumerate() {
            plain.ranges.push(plain.lexicon.push(self.text(chunk.span)));
            pace.step("passages", done, self.index.chunks.len()).await?;
        }
        plain.lexicon.settle();
        Ok(self.plain.get_or_init(|| plain))
    }

    /// The edges of the character graph with a space's synonyms, of cosine `least` at the least; the space's
    /// own where that is negative, which are kept.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn walk(&self, space: &Space, least: f64, pace: &Pace<'_>) -> Result<Rc<Csr>> {
        let own = least <= space.synonyms.least;
        if let Some(edges) = self.walks.borrow().get(&space.id).filter(|_| own) {
            return Ok(Rc::clone(edges));
        }
        let synonyms = space.synonyms.from_cosine(least);
        let edges = Rc::new(self.graph.edges(&synonyms, pace).await?);
        if own {
            // Another call may have been first; both are the same.
            self.walks.borrow_mut().insert(space.id.clone(), Rc::clone(&edges));
        }
        Ok(edges)
    }

    /// The graph of the relations: symmetric rows over the entities, with the relations' weights.
    pub fn relations(&self) -> &Csr {
        self.relations.get_or_init(|| relation_graph(&self.index.knowledge))
    }

    /// Vectors of the entities by the company they keep: the index's own, worked out where its file is from
    /// before they were kept.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn functional(&self, pace: &Pace<'_>) -> Result<&Rows> {
        if !self.index.functional.is_empty() {
            return Ok(&self.index.functional);
        }
        if let Some(rows) = self.functional.get() {
            return Ok(rows);
        }
        let rows = graph::functional(self.relations(), pace).await?;
        // Another call may have been first; both are the same.
        Ok(self.functional.get_or_init(|| rows))
    }

    /// Vectors of the entities by what they are and how those around them are tied, whoever they are.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn roles(&self, pace: &Pace<'_>) -> Result<&Rows> {
        if let Some(rows) = self.roles.get() {
            return Ok(rows);
        }
        let rows = graph::roles(&self.index.knowledge.entities, self.relations(), pace).await?;
        // Another call may have been first; both are the same.
        Ok(self.roles.get_or_init(|| rows))
    }

    /// The phrases of the character graph, in the order of its vertices.
    pub fn phrases(&self) -> Vec<String> {
        let names = self.index.knowledge.entities.iter().map(|entity| entity.name.clone());
        names.chain(self.graph.phrases.iter().cloned()).collect()
    }

    /// The space questions are embedded in.
    pub fn space(&self) -> Option<&Space> {
        self.index.spaces.first()
    }

    /// Some of the book's text.
    pub fn text(&self, span: Span) -> &str {
        span.of(&self.index.document.text)
    }

    /// An entity's name; empty for an id of another book.
    pub fn name(&self, entity: EntityId) -> &str {
        self.index.knowledge.entities.get(entity.index()).map_or("", |entity| &entity.name)
    }

    /// What is embedded of a relation: its keywords, both names, its description (LightRAG's order).
    pub fn relation_line(&self, relation: &Relation) -> String {
        let keywords = self.index.knowledge.keywords(relation).join(", ");
        let (one, other) = (self.name(relation.ends.0), self.name(relation.ends.1));
        let told = relation.description.line(&self.index.document.text);
        [keywords.as_str(), one, other, &told]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// An event's label.
    pub fn label(&self, event: EventId) -> &str {
        self.index.knowledge.events.get(event.index()).map_or("", |event| &event.label)
    }

    /// Where an event is told.
    pub fn event_span(&self, event: EventId) -> Span {
        self.index.knowledge.events.get(event.index()).map_or(Span::new(0, 0), |event| event.span)
    }

    /// What happens in an event, on one line: a chat model's words where it has some, else the text.
    pub fn details(&self, event: EventId) -> String {
        let Some(event) = self.index.knowledge.events.get(event.index()) else { return String::new() };
        let told = event.details.as_deref().unwrap_or_else(|| self.text(event.span));
        told.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The chunk an event lies in.
    pub fn event_chunk(&self, event: EventId) -> ChunkId {
        self.index.knowledge.events.get(event.index()).map_or(ChunkId(0), |event| event.chunk)
    }

    /// The title of the chapter an event lies in; empty where chapters have none.
    pub fn chapter_title(&self, chunk: ChunkId) -> &str {
        let chapter = self.index.chunks.get(chunk.index()).map_or(0, |chunk| chunk.chapter as usize);
        self.index.document.chapters.get(chapter).map_or("", |chapter| &chapter.title)
    }
}
