//! The `*.plot.json` file: versioned, checked when read, written the same way everywhere.
//!
//! docs/index-format.md describes the format. The shapes here mirror it and nothing else; they are turned
//! into the types of `knowledge` and `index`, which know no serde. Offsets in the file are UTF-16 units.
//! A file is untrusted: every id, span, width and count is checked before it is used, and the message
//! says where the first fault lies.
//!
//! Invariant: `read(write(index)) == index`, and `write` gives the same bytes for the same index.

mod check;
mod file;
mod merges;
mod parts;
mod shapes;
mod space;
mod ties;
mod vectors;

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::algo::vector::Rows;
use crate::book::Book;
use crate::config::IndexConfig;
use crate::error::{Code, Error, Result};
use crate::index::{Index, Space};
use crate::knowledge::{ClusterId, EventId, Knowledge};
use crate::offline::embedder;
use crate::pace::Pace;
use crate::text::{Document, Utf16Map};

use check::{Limits, Spans};
use file::File;
use merges::{MergeShape, WishesShape};
use parts::{Parts, clipped, parsed, string};
use shapes::*;
use space::{FunctionalShape, SpaceShape};
use ties::{RelationShape, TripleShape};

/// What the file calls itself.
pub const FORMAT: &str = "plotbridge-index";
/// The version of the format that this code writes and reads.
pub const VERSION: u32 = 1;

/// Pieces in which a file is read; a page gets a turn between two.
const STEPS: usize = 10;

/// The file of an index.
///
/// # Errors
/// `crashed` if it cannot be written as JSON, which would be a fault of ours.
pub fn write(index: &Index, map: &Utf16Map) -> Result<Vec<u8>> {
    let file = File::of(index, map, digest(&index.document.text));
    serde_json::to_vec(&file)
        .map_err(|error| Error::new(Code::Crashed, "the index cannot be written").caused_by(error))
}

/// SHA-256 of a text's UTF-8, in hexadecimal.
fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether bytes claim to be an index file.
pub fn is_index(bytes: &[u8]) -> bool {
    let head = bytes.get(..200).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head);
    head.trim_start_matches('\u{feff}').trim_start().starts_with('{') && head.contains(FORMAT)
}

/// The index in a file, with the offset map of its text. A file that is handed over (`Vec<u8>`) is let
/// go of piece by piece.
///
/// # Errors
/// `index_version`, `index_damaged`, `vector_invalid`, `too_large`, or `aborted` when the caller cancels.
pub async fn read<'a>(file: impl Into<Cow<'a, [u8]>>, pace: &Pace<'_>) -> Result<(Index, Utf16Map)> {
    let mut parts = Parts::cut(file.into())?;
    let step = async |done| pace.step("open", done, STEPS).await;
    step(0).await?;
    // From the back of the file, so that what is read can be let go of.
    let text = parts.take_with("text", |json| string("text", json))?;
    let map = Utf16Map::new(&text);
    let head: Head = parts.take("book")?;
    if digest(&text) != head.sha256 {
        return Err(damaged("book.sha256", "the text is not the one that was indexed"));
    }
    step(1).await?;
    let spaces = parts.take_with("spaces", spaces)?;
    let functional = parts.take_some_with("functional", functional)?;
    step(2).await?;
    let spans = Spans { map: &map };
    let config = config(parts.take("config")?)?;
    let extractor = head.extractor.clone().map(|model| check::name("book", model)).transpose()?;
    let prompts = head.prompts.clone().map(|prompts| check::name("book", prompts)).transpose()?;
    let document = document(&spans, &mut parts, head, text)?;
    let chunks: Vec<ChunkShape> = parts.take("chunks")?;
    let chunks = chunks.into_iter().enumerate();
    let chunks = exact(chunks.map(|(at, chunk)| chunk.into_chunk(&spans, at, document.chapters.len())))?;
    check::chunks(&chunks, &document.chapters, document.text.len())?;
    step(3).await?;
    let (mut knowledge, described) = knowledge(&spans, &mut parts, chunks.len(), pace).await?;
    knowledge.relate(config.weak_tie);
    described.into_iter().try_for_each(|relation| relation.describe(&mut knowledge))?;
    check::knowledge(&knowledge, &chunks, document.text.len())?;
    let wishes: WishesShape = parts.take_some("wishes")?;
    let wishes = wishes.into_wishes(&spans)?;
    let index = Index { document, config, wishes, extractor, prompts, chunks, knowledge, functional, spaces };
    check_spaces(&index)?;
    step(STEPS).await?;
    Ok((index, map))
}

/// The vectors, decoded from the file's own text.
fn spaces(json: &[u8]) -> Result<Vec<Space>> {
    let spaces: Vec<SpaceShape<'_>> = parsed("spaces", json)?;
    spaces.into_iter().map(SpaceShape::into_space).collect()
}

/// The vectors by company, likewise.
fn functional(json: &[u8]) -> Result<Rows> {
    parsed::<FunctionalShape<'_>>("functional", json)?.into_rows()
}

/// A list with no room to spare: what is read stays as long as the book.
fn exact<T>(items: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let mut list = items.collect::<Result<Vec<T>>>()?;
    list.shrink_to_fit();
    Ok(list)
}

/// The facts' vectors are in the order of the character graph, and synonyms are of its phrases; it is known
/// only when it is made.
pub(crate) fn check_graph(book: &Book) -> Result<()> {
    let (facts, phrases) = (book.graph.facts.len(), book.graph.phrase_count());
    for space in &book.index.spaces {
        vectors::counted(&space.id, "facts", &space.facts, facts)?;
        let vertices = space.synonyms.edges.iter().flat_map(|edge| [edge.from, edge.to]);
        if let Some(none) = vertices.max().filter(|&vertex| vertex as usize >= phrases) {
            return Err(damaged("spaces.synonyms", &format!("there is no phrase {none}")));
        }
    }
    Ok(())
}

/// As many vectors as there are things; and questions are embedded by the built-in embedder, with the
/// width of the configuration.
fn check_spaces(index: &Index) -> Result<()> {
    let knowledge = &index.knowledge;
    if !index.functional.is_empty() {
        vectors::counted("functional", "rows", &index.functional, knowledge.entities.len())?;
    }
    let pairs = knowledge.entities.len() as u64 * knowledge.events.len() as u64;
    for (at, space) in index.spaces.iter().enumerate() {
        vectors::counted(&space.id, "chunks", &space.chunks, index.chunks.len())?;
        vectors::counted(&space.id, "entities", &space.entities, knowledge.entities.len())?;
        vectors::counted(&space.id, "events", &space.events, knowledge.events.len())?;
        vectors::counted(&space.id, "clusters", &space.clusters, knowledge.clusters.len())?;
        // A file from before they were kept has none.
        if !space.relations.is_empty() {
            vectors::counted(&space.id, "relations", &space.relations, knowledge.relations.len())?;
        }
        if u64::from(space.pons_edges) > pairs {
            return Err(damaged("spaces", &format!("there are no {} pons_edges", space.pons_edges)));
        }
        if index.spaces.iter().take(at).any(|other| other.id == space.id) {
            return Err(damaged("spaces", &format!("{:?} stands twice", clipped(&space.id))));
        }
    }
    let first = index.spaces.first().ok_or_else(|| damaged("spaces", "there is no embedding space"))?;
    if first.id != embedder::ID {
        let id = clipped(&first.id);
        let message = format!("the first is {id:?}, but this program embeds with {:?}", embedder::ID);
        return Err(damaged("spaces", &message));
    }
    if first.dims != index.config.dims {
        let message = format!(
            "the vectors {} are {} wide, but the configuration says {}",
            first.id, first.dims, index.config.dims
        );
        return Err(Error::new(Code::VectorInvalid, message));
    }
    Ok(())
}

/// The error for a fault at one place of the file.
pub(crate) fn damaged(place: &str, what: &str) -> Error {
    Error::new(Code::IndexDamaged, format!("the index is damaged at {place}: {what}"))
}

fn config(pairs: Vec<(String, serde_json::Value)>) -> Result<IndexConfig> {
    let mut config = IndexConfig::default();
    for (key, value) in pairs {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        config.set(&key, &text).map_err(|error| damaged("config", &error.to_string()))?;
    }
    Ok(config)
}

fn document(spans: &Spans<'_>, parts: &mut Parts<'_>, head: Head, text: String) -> Result<Document> {
    let chapters: Vec<ChapterShape> = parts.take("chapters")?;
    let skips: Vec<SkipShape> = parts.take("skips")?;
    let issues: Vec<IssueShape> = parts.take("issues")?;
    let document = Document {
        title: head.title,
        author: head.author,
        language: head.language,
        text,
        chapters: chapters.into_iter().map(|chapter| chapter.into_chapter(spans)).collect::<Result<_>>()?,
        skips: skips.into_iter().map(|skip| skip.into_skip(spans)).collect::<Result<_>>()?,
        issues: issues.into_iter().map(IssueShape::into_issue).collect(),
    };
    check::document(&document.chapters, &document.skips)?;
    Ok(document)
}

/// All but the relations, of which the descriptions are given that do not follow from the triples.
async fn knowledge(
    spans: &Spans<'_>,
    parts: &mut Parts<'_>,
    chunks: usize,
    pace: &Pace<'_>,
) -> Result<(Knowledge, Vec<RelationShape>)> {
    let entities: Vec<EntityShape> = parts.take("entities")?;
    let limits = Limits { chunks, entities: entities.len() };
    let entities = exact(entities.into_iter().map(|entity| entity.into_entity(spans)))?;
    let types: Vec<TypeShape> = parts.take_some("types")?;
    let types = exact(types.into_iter().map(TypeShape::into_type))?;
    check::entities(&entities, &types)?;
    pace.step("open", 4, STEPS).await?;
    let fragments: Vec<MentionShape> = parts.take_some("fragments")?;
    let fragments = exact(fragments.into_iter().map(|fragment| fragment.into_mention(spans, &limits)))?;
    let merges: Vec<MergeShape> = parts.take_some("merges")?;
    let merges = exact(merges.into_iter().map(|merge| merge.into_merge(spans)))?;
    // From the back again: the clusters, then the events before them, and so on.
    let clusters: Vec<ClusterShape> = parts.take("clusters")?;
    let mut clusters = exact(clusters.into_iter().map(|cluster| cluster.into_cluster(spans)))?;
    pace.step("open", 5, STEPS).await?;
    let shapes: Vec<EventShape> = parts.take("events")?;
    let mut events = Vec::with_capacity(shapes.len());
    for (at, shape) in shapes.into_iter().enumerate() {
        let place = shape.cluster as usize;
        let cluster = clusters
            .get_mut(place)
            .ok_or_else(|| damaged("events", &format!("event {at} has no cluster {place}")))?;
        cluster.events.push(EventId::new(at));
        events.push(shape.into_event(spans, &limits, cluster.label.clone())?);
    }
    clusters.iter_mut().for_each(|cluster| cluster.events.shrink_to_fit());
    if let Some(empty) = clusters.iter().position(|cluster| cluster.events.is_empty()) {
        return Err(damaged("clusters", &format!("cluster {empty} has no event")));
    }
    pace.step("open", 6, STEPS).await?;
    let described: Vec<RelationShape> = parts.take_some("relations")?;
    let triples: Vec<TripleShape> = parts.take("triples")?;
    let triples = exact(triples.into_iter().map(|triple| triple.into_triple(spans, &limits)))?;
    pace.step("open", 7, STEPS).await?;
    let mentions: Vec<MentionShape> = parts.take("mentions")?;
    let mentions = exact(mentions.into_iter().map(|mention| mention.into_mention(spans, &limits)))?;
    let relations = Vec::new();
    let knowledge =
        Knowledge { types, entities, mentions, triples, relations, events, clusters, merges, fragments };
    Ok((knowledge, described))
}

/// A cluster's place, checked by whoever holds the list.
fn cluster_id(place: u32) -> ClusterId {
    ClusterId(place)
}
