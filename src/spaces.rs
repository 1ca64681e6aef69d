//! Embedding spaces: everything that an index embeds, by the built-in embedder or by an endpoint's.
//!
//! Both embed the same lists: chunks `c_v`, characters `d_u`, events `r_v`, clusters `s_v`, facts, relations (as
//! LightRAG: keywords, both names, description), and the phrases of the character graph, of which only the
//! synonyms found are kept. The built-in space takes an event's text with what a chat model made of it, since it counts words; an
//! endpoint's takes the details alone, as the paper does (PonsRAG 4.1). tau is set by its quantile over the
//! book's own character-event pairs.
//!
//! Invariant: an index holds the built-in space first, whatever built it, so that it can always be asked.

use std::pin::pin;

use futures_util::{StreamExt, stream};

use crate::algo::vector::Rows;
use crate::book::Book;
use crate::config::Encoding;
use crate::error::{Code, Error, Result};
use crate::graph::{Bar, PonsLayer, Synonyms, Weighting, tau_for};
use crate::index::{Index, Space};
use crate::knowledge::{EntityId, Event};
use crate::llm::batch::MOST_TEXTS;
use crate::llm::ledger::Ledger;
use crate::llm::{self, account};
use crate::offline::embedder;
use crate::pace::Pace;
use crate::stage::context::profile;

/// A text whose vector tells one embedder from another: kept beside a space, and embedded with each
/// question.
pub const PROBE: &str = "The lamplighter counted his lamps twice, and went home along the river.";

/// How near that vector must come to the stored one for an embedder to be the space's own.
pub const SAME: f32 = 0.99;

/// The built-in space of a book.
///
/// # Errors
/// `aborted` when the caller cancels.
pub(crate) async fn built_in(book: &Book, pace: &Pace<'_>) -> Result<Space> {
    let embedder = book.embedder(pace).await?;
    let (lexicon, dims, encoding) = (&book.lexicon, embedder.dims(), book.index.config.encoding);
    let told = |event: &Event| match &event.details {
        Some(details) => format!("{} {details}", book.text(event.span)),
        None => book.text(event.span).to_owned(),
    };
    let embed = async |stage, texts: Vec<String>| {
        let mut rows = no_rows(dims, encoding);
        for (done, text) in texts.iter().enumerate() {
            rows.push(&embedder.embed(lexicon, text));
            if done % 16 == 0 {
                pace.step(stage, done, texts.len()).await?;
            }
        }
        Ok(rows)
    };
    let bar = Bar::Share(book.index.config.synonym_share);
    let space = fill(book, (embedder::ID, dims), told, embed, bar, pace).await?;
    calibrated(&book.index, space, pace).await
}

/// The space of an endpoint's embedder, `at_once` of whose requests are under way side by side; what they
/// cost is told to `ledger`.
///
/// # Errors
/// As [`llm::Embedder::embed`]; `vector_invalid` when the width changes between two requests; `usage` when
/// the model bears the built-in embedder's name.
pub(crate) async fn of_endpoint(
    book: &Book,
    endpoint: &dyn llm::Embedder,
    at_once: usize,
    ledger: &Ledger,
    pace: &Pace<'_>,
) -> Result<Space> {
    let space = embedded(book, endpoint, at_once, ledger, pace).await?;
    calibrated(&book.index, space, pace).await
}

/// The same without its tau.
///
/// # Errors
/// As [`of_endpoint`].
pub(crate) async fn embedded(
    book: &Book,
    endpoint: &dyn llm::Embedder,
    at_once: usize,
    ledger: &Ledger,
    pace: &Pace<'_>,
) -> Result<Space> {
    if endpoint.name() == embedder::ID {
        let message = format!("the embedding model is called {:?}, as the built-in one is", embedder::ID);
        return Err(Error::new(Code::Usage, message));
    }
    let probe = account::embed(ledger, "probe", endpoint, &[PROBE.to_owned()]).await?;
    let probe = probe.vectors.into_iter().next().unwrap_or_default();
    let (dims, encoding) = (probe.len(), book.index.config.encoding);
    let embed = async |stage, texts: Vec<String>| {
        let mut rows = no_rows(dims, encoding);
        let begun = pace.now_ms();
        tell(pace, stage, (0, texts.len()), ledger.tokens(), begun).await?;
        let asking = texts.chunks(MOST_TEXTS).map(|some| account::embed(ledger, stage, endpoint, some));
        let mut coming = pin!(stream::iter(asking).buffered(at_once.max(1)));
        while let Some(embedded) = coming.next().await {
            for vector in embedded?.vectors {
                check_width(&vector, dims)?;
                rows.push(&vector);
            }
            tell(pace, stage, (rows.len(), texts.len()), ledger.tokens(), begun).await?;
        }
        Ok(rows)
    };
    let details = |event: &Event| event.details.clone().unwrap_or_else(|| book.text(event.span).to_owned());
    let bar = Bar::Cosine(book.index.config.synonym_cosine);
    let mut space = fill(book, (endpoint.name(), dims), details, embed, bar, pace).await?;
    space.probe.push(&probe);
    Ok(space)
}

/// Tells how far a list is, what was spent, and how long the rest may take by what it took so far.
async fn tell(
    pace: &Pace<'_>,
    stage: &'static str,
    (done, total): (usize, usize),
    tokens: u64,
    begun: f64,
) -> Result<()> {
    let left = (total - done) as f64 * (pace.now_ms() - begun) / done.max(1) as f64 / 1e3;
    pace.report(stage, done, total, Some(tokens), Some(left).filter(|_| done > 0)).await
}

fn check_width(vector: &[f32], dims: usize) -> Result<()> {
    if vector.len() == dims {
        return Ok(());
    }
    let message = format!("the embedding endpoint gave {} numbers where it gave {dims} before", vector.len());
    Err(Error::new(Code::VectorInvalid, message))
}

/// Embeds every list of a book, one after another.
async fn fill(
    book: &Book,
    (id, dims): (&str, usize),
    told: impl Fn(&Event) -> String,
    embed: impl AsyncFn(&'static str, Vec<String>) -> Result<Rows>,
    bar: Bar,
    pace: &Pace<'_>,
) -> Result<Space> {
    let knowledge = &book.index.knowledge;
    let chunks = book.index.chunks.iter().map(|chunk| book.text(chunk.span).to_owned());
    let chunks = embed("chunk_vectors", chunks.collect()).await?;
    let entities = (0..knowledge.entities.len()).map(|id| profile(book, EntityId::new(id)));
    let entities = embed("entity_vectors", entities.collect()).await?;
    let events = embed("event_vectors", knowledge.events.iter().map(told).collect()).await?;
    let clusters = (0..knowledge.clusters.len()).map(|cluster| summary(book, cluster));
    let clusters = embed("cluster_vectors", clusters.collect()).await?;
    let facts = book.graph.facts.iter().map(|fact| fact.text.clone());
    let facts = embed("fact_vectors", facts.collect()).await?;
    let relations = knowledge.relations.iter().map(|relation| book.relation_line(relation));
    let relations = embed("relation_vectors", relations.collect()).await?;
    let phrases = book.phrases();
    let vectors = embed("phrase_vectors", phrases.clone()).await?;
    let synonyms = Synonyms::find(&phrases, &vectors, bar, pace).await?;
    Ok(Space {
        id: id.to_owned(),
        dims,
        tau: 0.0,
        quantile: book.index.config.tau_quantile,
        pons_edges: 0,
        d_cross: d_cross(&entities, &events, pace).await?,
        probe: no_rows(dims, book.index.config.encoding),
        chunks,
        entities,
        events,
        clusters,
        facts,
        relations,
        synonyms,
    })
}

/// A cluster's summary; for a cluster of one event what that event tells.
fn summary(book: &Book, cluster: usize) -> String {
    let Some(cluster) = book.index.knowledge.clusters.get(cluster) else { return String::new() };
    let line = cluster.summary.line(&book.index.document.text);
    match cluster.events[..] {
        [only] if line.is_empty() => book.details(only),
        _ => line,
    }
}

fn no_rows(dims: usize, encoding: Encoding) -> Rows {
    match encoding {
        Encoding::Int8 => Rows::from_bytes(dims, Vec::new(), Vec::new()),
        Encoding::F32 => Rows::exact(dims, Vec::new()),
    }
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
    let layer = PonsLayer::by_cosine(index, &space, space.tau, Weighting::Inverse, pace).await?;
    space.pons_edges = layer.weights.edge_count() as u32;
    Ok(space)
}
