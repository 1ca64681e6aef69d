//! From a document to a book: cut, extract, embed, calibrate.

use crate::algo::vector::Rows;
use crate::book::Book;
use crate::config::{Encoding, IndexConfig};
use crate::error::Result;
use crate::graph::{PonsLayer, tau_for};
use crate::index::{Index, Space};
use crate::knowledge::{Chunk, Span};
use crate::offline::{self, embedder};
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
    let chunks = text::chunk_paced(&document, config.chunk_tokens, config.chunk_overlap, pace).await?;
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
    let chunks = book.index.chunks.iter().map(|chunk| book.text(chunk.span).to_owned());
    let chunks = embed_all(book, chunks, "chunk_vectors", pace).await?;
    let entities = (0..knowledge.entities.len()).map(|id| profile(book, crate::knowledge::EntityId::new(id)));
    let entities = embed_all(book, entities, "entity_vectors", pace).await?;
    let events = knowledge.events.iter().map(|event| book.text(event.span).to_owned());
    let events = embed_all(book, events, "event_vectors", pace).await?;
    let clusters = knowledge.clusters.iter().map(|cluster| of_spans(&cluster.summary));
    let clusters = embed_all(book, clusters, "cluster_vectors", pace).await?;
    let facts = book.graph.facts.iter().map(|fact| fact.text.clone());
    let facts = embed_all(book, facts, "fact_vectors", pace).await?;
    Ok(Space {
        id: embedder::ID.to_owned(),
        dims: book.index.config.dims,
        tau: 0.0,
        quantile: book.index.config.tau_quantile,
        pons_edges: 0,
        d_cross: d_cross(&entities, &events, pace).await?,
        chunks,
        entities,
        events,
        clusters,
        facts,
    })
}

async fn embed_all(
    book: &Book,
    texts: impl ExactSizeIterator<Item = String>,
    stage: &'static str,
    pace: &Pace<'_>,
) -> Result<Rows> {
    let embedder = book.embedder(pace).await?;
    let (dims, count) = (embedder.dims(), texts.len());
    let mut rows = match book.index.config.encoding {
        Encoding::Int8 => Rows::from_bytes(dims, Vec::new(), Vec::new()),
        Encoding::F32 => Rows::exact(dims, Vec::new()),
    };
    for (done, text) in texts.enumerate() {
        rows.push(&embedder.embed(&book.lexicon, &text));
        if done % 16 == 0 {
            pace.step(stage, done, count).await?;
        }
    }
    Ok(rows)
}

/// Mean of one less the cosine over all pairs (PonsRAG eq. 10): one less the dot product of the means.
async fn d_cross(entities: &Rows, events: &Rows, pace: &Pace<'_>) -> Result<f64> {
    if entities.is_empty() || events.is_empty() {
        return Ok(0.0);
    }
    let all = entities.len() + events.len();
    let (ours, theirs) =
        (mean(entities, 0, all, pace).await?, mean(events, entities.len(), all, pace).await?);
    Ok(1.0 - ours.iter().zip(theirs).map(|(a, b)| a * b).sum::<f64>())
}

/// The mean of all vectors, `before` of `all` of which are done.
async fn mean(rows: &Rows, before: usize, all: usize, pace: &Pace<'_>) -> Result<Vec<f64>> {
    let mut mean = vec![0.0; rows.dims()];
    for index in 0..rows.len() {
        for (sum, number) in mean.iter_mut().zip(rows.row(index)) {
            *sum += f64::from(number);
        }
        if index % 256 == 0 {
            pace.step("means", before + index, all).await?;
        }
    }
    let count = rows.len().max(1) as f64;
    mean.iter_mut().for_each(|sum| *sum /= count);
    Ok(mean)
}

/// Sets tau by its quantile over the book's own pairs, and counts the edges it leaves.
async fn calibrated(index: &Index, mut space: Space, pace: &Pace<'_>) -> Result<Space> {
    space.tau = tau_for(&space, space.quantile);
    let layer = PonsLayer::by_cosine(index, &space, space.tau, pace).await?;
    space.pons_edges = layer.weights.edge_count() as u32;
    Ok(space)
}
