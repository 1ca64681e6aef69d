//! From a document to a book: cut, extract, embed, calibrate.

use crate::algo::vector::Rows;
use crate::book::Book;
use crate::config::{Encoding, IndexConfig};
use crate::error::Result;
use crate::graph::{CharacterGraph, PonsLayer, tau_for};
use crate::index::{Index, Space};
use crate::knowledge::{Chunk, Span};
use crate::lexical::Lexicon;
use crate::offline::{self, embedder, embedder::Embedder};
use crate::pace::Pace;
use crate::scales::Scales;
use crate::stage::context::profile;
use crate::text::{self, Document};

/// Longest title of a chapter that an index keeps, in bytes: it stands before each line of a context.
const LONGEST_TITLE: usize = 500;

/// Indexes a document without any model.
///
/// # Errors
/// `aborted` when the caller cancels.
pub(crate) async fn build(mut document: Document, config: IndexConfig, pace: &Pace<'_>) -> Result<Book> {
    for title in document.chapters.iter_mut().map(|chapter| &mut chapter.title) {
        let end =
            title.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|&end| end <= LONGEST_TITLE);
        title.truncate(end.last().unwrap_or(0));
    }
    let mut chunks = Vec::new();
    for chapter in 0..document.chapters.len() {
        pace.step("chunks", chapter, document.chapters.len()).await?;
        chunks.extend(text::chunk_chapter(&document, chapter, config.chunk_tokens, config.chunk_overlap));
    }
    from_chunks(document, chunks, config, pace).await
}

/// Indexes a document that is cut already.
///
/// # Errors
/// `aborted` when the caller cancels.
pub(crate) async fn from_chunks(
    document: Document,
    chunks: Vec<Chunk>,
    config: IndexConfig,
    pace: &Pace<'_>,
) -> Result<Book> {
    let (knowledge, issues) = offline::extract(&document, &chunks, &config, pace).await?;
    let mut index = Index { document, config, chunks, knowledge, spaces: Vec::new() };
    index.document.issues.extend(issues);

    let (lexicon, scales) = Scales::new(&index, pace).await?;
    let mut book = Book::with_words(index, lexicon, scales, pace).await?;
    let space = embed(&book, pace).await?;
    let space = calibrated(&book.index, space, pace).await?;
    book.index.spaces.push(space);
    book.refresh(pace).await?;
    Ok(book)
}

/// The built-in space of a book: every list of texts as vectors.
async fn embed(book: &Book, pace: &Pace<'_>) -> Result<Space> {
    let knowledge = &book.index.knowledge;
    let of_spans = |spans: &[Span]| {
        let texts: Vec<&str> = spans.iter().map(|&span| book.text(span)).collect();
        texts.join(" ")
    };
    let embedder = book.embedder(pace).await?;
    let rows = |stage, texts: Vec<String>| {
        embed_all(embedder, &book.lexicon, texts, book.index.config.encoding, stage, pace)
    };
    let chunks = book.index.chunks.iter().map(|chunk| book.text(chunk.span).to_owned());
    let chunks = rows("chunk_vectors", chunks.collect()).await?;
    let entities = (0..knowledge.entities.len()).map(|id| profile(book, crate::knowledge::EntityId::new(id)));
    let entities = rows("entity_vectors", entities.collect()).await?;
    let events = knowledge.events.iter().map(|event| book.text(event.span).to_owned());
    let events = rows("event_vectors", events.collect()).await?;
    let clusters = knowledge.clusters.iter().map(|cluster| of_spans(&cluster.summary));
    let clusters = rows("cluster_vectors", clusters.collect()).await?;
    let facts = CharacterGraph::new(&book.index).facts;
    let facts = rows("fact_vectors", facts.into_iter().map(|fact| fact.text).collect()).await?;
    Ok(Space {
        id: embedder::ID.to_owned(),
        dims: book.index.config.dims,
        tau: 0.0,
        quantile: book.index.config.tau_quantile,
        pons_edges: 0,
        d_cross: d_cross(&entities, &events),
        chunks,
        entities,
        events,
        clusters,
        facts,
    })
}

async fn embed_all(
    embedder: &Embedder,
    lexicon: &Lexicon,
    texts: Vec<String>,
    encoding: Encoding,
    stage: &'static str,
    pace: &Pace<'_>,
) -> Result<Rows> {
    let mut numbers = Vec::new();
    for (done, text) in texts.iter().enumerate() {
        numbers.extend(embedder.embed(lexicon, text));
        if done % 32 == 0 {
            pace.step(stage, done, texts.len()).await?;
        }
    }
    let dims = embedder.dims();
    Ok(match encoding {
        Encoding::Int8 => Rows::quantised(dims, &numbers),
        Encoding::F32 => Rows::exact(dims, numbers),
    })
}

/// Mean of one less the cosine over all pairs (PonsRAG eq. 10): one less the dot product of the means.
fn d_cross(entities: &Rows, events: &Rows) -> f64 {
    if entities.is_empty() || events.is_empty() {
        return 0.0;
    }
    1.0 - entities.mean().iter().zip(events.mean()).map(|(a, b)| a * b).sum::<f64>()
}

/// Sets tau by its quantile over the book's own pairs, and counts the edges it leaves.
async fn calibrated(index: &Index, mut space: Space, pace: &Pace<'_>) -> Result<Space> {
    space.tau = tau_for(&space, space.quantile);
    let layer = PonsLayer::by_cosine(index, &space, space.tau, pace).await?;
    space.pons_edges = layer.weights.edge_count() as u32;
    Ok(space)
}
