//! The `*.plot.json` file: versioned, checked when read, written the same way everywhere.
//!
//! docs/index-format.md describes the format. The shapes here mirror it and nothing else; they are turned
//! into the types of `knowledge` and `index`, which know no serde. Offsets in the file are UTF-16 units.
//! A file is untrusted: every id, span, width and count is checked before it is used, and the message
//! says where the first fault lies.
//!
//! Invariant: `read(write(index)) == index`, and `write` gives the same bytes for the same index.

mod file;
mod shapes;
mod vectors;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::book::Book;
use crate::config::IndexConfig;
use crate::error::{Code, Error, Result};
use crate::index::{Index, Space};
use crate::knowledge::{Chunk, ChunkId, ClusterId, EntityId, Event, EventId, Knowledge, Span};
use crate::offline::embedder;
use crate::pace::Pace;
use crate::text::{Document, Utf16Map};

use file::File;
use shapes::*;

/// What the file calls itself.
pub const FORMAT: &str = "plotbridge-index";
/// The version of the format that this code writes and reads.
pub const VERSION: u32 = 1;

/// Pieces in which a file is read; a page gets a turn between two.
const STEPS: usize = 10;

/// The most spans of one list; a chunk of 512 tokens cannot name anyone more often.
const MOST_SPANS: usize = 600;
/// The most text of one list, in bytes: some ten thousand words.
const MOST_TEXT: usize = 1 << 16;

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

/// The file's parts, cut but not yet parsed, so that each can be parsed in a slice of its own.
#[derive(Deserialize)]
struct Parts<'a> {
    format: Option<String>,
    version: Option<u64>,
    #[serde(borrow)]
    book: Option<&'a RawValue>,
    #[serde(borrow)]
    config: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    chapters: Option<&'a RawValue>,
    #[serde(borrow)]
    skips: Option<&'a RawValue>,
    #[serde(borrow)]
    chunks: Option<&'a RawValue>,
    #[serde(borrow)]
    entities: Option<&'a RawValue>,
    #[serde(borrow)]
    mentions: Option<&'a RawValue>,
    #[serde(borrow)]
    triples: Option<&'a RawValue>,
    #[serde(borrow)]
    events: Option<&'a RawValue>,
    #[serde(borrow)]
    clusters: Option<&'a RawValue>,
    #[serde(borrow)]
    spaces: Option<&'a RawValue>,
    #[serde(borrow)]
    issues: Option<&'a RawValue>,
}

/// The index in a file, with the offset map of its text.
///
/// # Errors
/// `index_version`, `index_damaged`, `vector_invalid`, or `aborted` when the caller cancels.
pub async fn read(file: &[u8], pace: &Pace<'_>) -> Result<(Index, Utf16Map)> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    if file.first() == Some(&b'<') {
        return Err(Error::new(Code::IndexDamaged, "the file is an HTML or XML page, not an index"));
    }
    let parts: Parts<'_> = serde_json::from_slice(file)
        .map_err(|error| Error::new(Code::IndexDamaged, format!("the index is not whole JSON: {error}")))?;
    check_version(&parts)?;

    let step = async |done| pace.step("open", done, STEPS).await;
    step(0).await?;
    let head: Head = parse("book", parts.book)?;
    let text: String = parse("text", parts.text)?;
    let map = Utf16Map::new(&text);
    if digest(&text) != head.sha256 {
        return Err(damaged("book.sha256", "the text is not the one that was indexed"));
    }
    step(1).await?;
    let spans = Spans { map: &map };
    let document = document(&spans, &parts, head, text)?;
    let chunks: Vec<ChunkShape> = parse("chunks", parts.chunks)?;
    let chunks = chunks
        .into_iter()
        .enumerate()
        .map(|(at, chunk)| chunk.into_chunk(&spans, at, document.chapters.len()))
        .collect::<Result<Vec<_>>>()?;
    let config = config(parse("config", parts.config)?)?;
    step(2).await?;
    let knowledge = knowledge(&spans, &parts, &chunks, pace).await?;
    let mut index = Index { document, config, chunks, knowledge, spaces: Vec::new() };
    step(8).await?;
    let spaces: Vec<SpaceShape> = parse("spaces", parts.spaces)?;
    step(9).await?;
    index.spaces =
        spaces.into_iter().map(|space| space.into_space(&index)).collect::<Result<Vec<Space>>>()?;
    check_first_space(&index)?;
    step(STEPS).await?;
    Ok((index, map))
}

/// The facts' vectors are in the order of the character graph, which is known only when it is made.
pub(crate) fn check_facts(book: &Book) -> Result<()> {
    let facts = book.graph.facts.len();
    match book.index.spaces.iter().find(|space| space.facts.len() != facts) {
        Some(space) => Err(Error::new(
            Code::VectorInvalid,
            format!(
                "the vectors {}.facts are invalid: there are {}, but {facts} are needed",
                space.id,
                space.facts.len()
            ),
        )),
        None => Ok(()),
    }
}

/// Questions are embedded by the built-in embedder, with the width of the configuration.
fn check_first_space(index: &Index) -> Result<()> {
    let first = index.spaces.first().ok_or_else(|| damaged("spaces", "there is no embedding space"))?;
    if first.id != embedder::ID {
        let message = format!("the first is {:?}, but this program embeds with {:?}", first.id, embedder::ID);
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

fn check_version(parts: &Parts<'_>) -> Result<()> {
    if parts.format.as_deref() != Some(FORMAT) {
        return Err(Error::new(Code::IndexDamaged, format!("the file is not a {FORMAT} file")));
    }
    match parts.version {
        Some(version) if version == u64::from(VERSION) => Ok(()),
        Some(version) => Err(Error::new(
            Code::IndexVersion,
            format!(
                "the index has version {version}, but this program reads version {VERSION}: index the book again"
            ),
        )),
        None => Err(damaged("version", "it is missing")),
    }
}

/// The error for a fault at one place of the file.
pub(crate) fn damaged(place: &str, what: &str) -> Error {
    Error::new(Code::IndexDamaged, format!("the index is damaged at {place}: {what}"))
}

fn parse<T: DeserializeOwned>(place: &str, part: Option<&RawValue>) -> Result<T> {
    let part = part.ok_or_else(|| damaged(place, "it is missing"))?;
    serde_json::from_str(part.get()).map_err(|error| damaged(place, &error.to_string()))
}

fn config(pairs: Vec<(String, serde_json::Value)>) -> Result<IndexConfig> {
    let mut config = IndexConfig::default();
    for (key, value) in pairs {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        config.set(&key, &text).map_err(|error| damaged("config", &error.to_string()))?;
    }
    Ok(config)
}

fn document(spans: &Spans<'_>, parts: &Parts<'_>, head: Head, text: String) -> Result<Document> {
    let chapters: Vec<ChapterShape> = parse("chapters", parts.chapters)?;
    let skips: Vec<SkipShape> = parse("skips", parts.skips)?;
    let issues: Vec<IssueShape> = parse("issues", parts.issues)?;
    Ok(Document {
        title: head.title,
        author: head.author,
        language: head.language,
        text,
        chapters: chapters.into_iter().map(|chapter| chapter.into_chapter(spans)).collect::<Result<_>>()?,
        skips: skips.into_iter().map(|skip| skip.into_skip(spans)).collect::<Result<_>>()?,
        issues: issues.into_iter().map(IssueShape::into_issue).collect(),
    })
}

async fn knowledge(
    spans: &Spans<'_>,
    parts: &Parts<'_>,
    chunks: &[Chunk],
    pace: &Pace<'_>,
) -> Result<Knowledge> {
    let entities: Vec<EntityShape> = parse("entities", parts.entities)?;
    let limits = Limits { chunks: chunks.len(), entities: entities.len() };
    let entities =
        entities.into_iter().map(|entity| entity.into_entity(spans)).collect::<Result<Vec<_>>>()?;
    pace.step("open", 3, STEPS).await?;
    let mentions: Vec<MentionShape> = parse("mentions", parts.mentions)?;
    pace.step("open", 4, STEPS).await?;
    let mentions =
        mentions.into_iter().map(|mention| mention.into_mention(spans, &limits)).collect::<Result<_>>()?;
    pace.step("open", 5, STEPS).await?;
    let triples: Vec<TripleShape> = parse("triples", parts.triples)?;
    let triples =
        triples.into_iter().map(|triple| triple.into_triple(spans, &limits)).collect::<Result<_>>()?;
    pace.step("open", 6, STEPS).await?;
    let clusters: Vec<ClusterShape> = parse("clusters", parts.clusters)?;
    let mut clusters =
        clusters.into_iter().map(|cluster| cluster.into_cluster(spans)).collect::<Result<Vec<_>>>()?;
    pace.step("open", 7, STEPS).await?;
    let shapes: Vec<EventShape> = parse("events", parts.events)?;
    let mut events = Vec::with_capacity(shapes.len());
    for (at, shape) in shapes.into_iter().enumerate() {
        let place = shape.cluster as usize;
        let cluster = clusters
            .get_mut(place)
            .ok_or_else(|| damaged("events", &format!("event {at} has no cluster {place}")))?;
        cluster.events.push(EventId::new(at));
        events.push(shape.into_event(spans, &limits, cluster.label.clone())?);
    }
    if let Some(empty) = clusters.iter().position(|cluster| cluster.events.is_empty()) {
        return Err(damaged("clusters", &format!("cluster {empty} has no event")));
    }
    check_order(chunks, &events)?;
    Ok(Knowledge { entities, mentions, triples, events, clusters })
}

/// What the units of `scales` and the sweep of `algo::bm25` rest on.
fn check_order(chunks: &[Chunk], events: &[Event]) -> Result<()> {
    if chunks.windows(2).any(|two| two[1].span.start <= two[0].span.start) {
        return Err(damaged("chunks", "they are not in text order"));
    }
    if events.windows(2).any(|two| two[1].span.start < two[0].span.end || two[1].chunk < two[0].chunk) {
        return Err(damaged("events", "they are not in text order"));
    }
    let inside =
        |event: &Event| chunks.get(event.chunk.index()).is_some_and(|chunk| chunk.span.contains(event.span));
    match events.iter().position(|event| !inside(event)) {
        Some(at) => Err(damaged("events", &format!("event {at} is not inside its chunk"))),
        None => Ok(()),
    }
}

/// How many chunks and entities ids may point to.
struct Limits {
    chunks: usize,
    entities: usize,
}

impl Limits {
    fn chunk(&self, id: u32) -> Result<ChunkId> {
        if (id as usize) < self.chunks {
            Ok(ChunkId(id))
        } else {
            Err(damaged("chunks", &format!("there is no chunk {id}")))
        }
    }
    fn entity(&self, id: u32) -> Result<EntityId> {
        if (id as usize) < self.entities {
            Ok(EntityId(id))
        } else {
            Err(damaged("entities", &format!("there is no entity {id}")))
        }
    }
}

/// Turns the file's UTF-16 offsets into byte spans, refusing those that do not fit the text.
struct Spans<'a> {
    map: &'a Utf16Map,
}

impl Spans<'_> {
    fn span(&self, (start, end): (u32, u32)) -> Result<Span> {
        let bytes = self.map.to_byte(start).zip(self.map.to_byte(end)).filter(|(start, end)| start <= end);
        let (start, end) =
            bytes.ok_or_else(|| damaged("text", &format!("there is no text from {start} to {end}")))?;
        Ok(Span { start, end })
    }
    /// The spans of one list: a description, a summary, the uses in a chunk. Bounded, so that a file
    /// cannot make work of the square of its size by lists that each hold the whole text.
    fn spans(&self, pairs: Vec<(u32, u32)>) -> Result<Vec<Span>> {
        let spans = pairs.into_iter().map(|pair| self.span(pair)).collect::<Result<Vec<_>>>()?;
        let length: usize = spans.iter().map(|span| span.len()).sum();
        if spans.len() > MOST_SPANS || length > MOST_TEXT {
            let what = format!(
                "a list of {} spans holds {length} bytes, over {MOST_SPANS} or {MOST_TEXT}",
                spans.len()
            );
            return Err(damaged("text", &what));
        }
        Ok(spans)
    }
    fn offset(&self, unit: u32) -> Result<u32> {
        self.map.to_byte(unit).ok_or_else(|| damaged("text", &format!("there is no offset {unit}")))
    }
}

/// A cluster's place, checked by whoever holds the list.
fn cluster_id(place: u32) -> ClusterId {
    ClusterId(place)
}
