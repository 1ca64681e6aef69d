//! The file's objects, one shape for each, with the way into and out of the engine's types.

use serde::{Deserialize, Serialize};

use crate::config::IndexConfig;
use crate::error::Result;
use crate::index::{Index, Space};
use crate::knowledge::{
    Alias, Chapter, Chunk, Cluster, Entity, EntityKind, Event, Issue, Mention, Phrase, Skip, Span, Triple,
    TripleKind,
};
use crate::text::{SKIP_REASONS, Utf16Map};

use super::vectors::{Matrix, rows};
use super::{FORMAT, Limits, Spans, VERSION, cluster_id, damaged};

type Pair = (u32, u32);

#[derive(Serialize)]
pub(super) struct File<'a> {
    format: &'static str,
    version: u32,
    book: Head,
    config: Vec<(&'static str, serde_json::Value)>,
    chapters: Vec<ChapterShape>,
    skips: Vec<SkipShape>,
    chunks: Vec<ChunkShape>,
    entities: Vec<EntityShape>,
    mentions: Vec<MentionShape>,
    triples: Vec<TripleShape>,
    events: Vec<EventShape>,
    clusters: Vec<ClusterShape>,
    spaces: Vec<SpaceShape>,
    issues: Vec<IssueShape>,
    text: &'a str,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) title: String,
    pub(super) author: String,
    pub(super) language: String,
    pub(super) sha256: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ChapterShape {
    title: String,
    start: u32,
    end: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct SkipShape {
    start: u32,
    end: u32,
    reason: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct IssueShape {
    code: String,
    message: String,
}

/// start, end, chapter, tokens
#[derive(Serialize, Deserialize)]
pub(super) struct ChunkShape(u32, u32, u32, u32);

#[derive(Serialize, Deserialize)]
pub(super) struct EntityShape {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    aliases: Vec<AliasShape>,
    description: Vec<Pair>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct AliasShape {
    name: String,
    count: u32,
    evidence: u32,
    reason: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct MentionShape {
    entity: u32,
    chunk: u32,
    uses: Vec<Pair>,
    description: Vec<Pair>,
}

/// A phrase: its text, or an entity's id.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum PhraseShape {
    Entity(u32, String),
    Words(String),
}

#[derive(Serialize, Deserialize)]
pub(super) struct TripleShape {
    subject: PhraseShape,
    predicate: String,
    object: PhraseShape,
    kind: String,
    chunk: u32,
    start: u32,
    end: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct EventShape {
    start: u32,
    end: u32,
    chunk: u32,
    participants: Vec<u32>,
    pub(super) cluster: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ClusterShape {
    label: String,
    summary: Vec<Pair>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct SpaceShape {
    id: String,
    dims: u32,
    encoding: String,
    tau: f64,
    quantile: f64,
    pons_edges: u32,
    d_cross: f64,
    chunks: Matrix,
    entities: Matrix,
    events: Matrix,
    clusters: Matrix,
    facts: Matrix,
}

impl<'a> File<'a> {
    pub(super) fn of(index: &'a Index, map: &Utf16Map, sha256: String) -> Self {
        let (document, knowledge) = (&index.document, &index.knowledge);
        let pair = |span: Span| (map.to_utf16(span.start), map.to_utf16(span.end));
        let pairs = |spans: &[Span]| spans.iter().map(|&span| pair(span)).collect::<Vec<_>>();
        Self {
            format: FORMAT,
            version: VERSION,
            book: Head {
                title: document.title.clone(),
                author: document.author.clone(),
                language: document.language.clone(),
                sha256,
            },
            config: config_pairs(&index.config),
            chapters: document
                .chapters
                .iter()
                .map(|chapter| {
                    let (start, end) = pair(chapter.span);
                    ChapterShape { title: chapter.title.clone(), start, end }
                })
                .collect(),
            skips: document
                .skips
                .iter()
                .map(|skip| {
                    let (start, end) = pair(skip.span);
                    SkipShape { start, end, reason: skip.reason.to_owned() }
                })
                .collect(),
            chunks: index
                .chunks
                .iter()
                .map(|chunk| {
                    let (start, end) = pair(chunk.span);
                    ChunkShape(start, end, chunk.chapter, chunk.tokens)
                })
                .collect(),
            entities: knowledge
                .entities
                .iter()
                .map(|entity| EntityShape {
                    name: entity.name.clone(),
                    kind: entity.kind.as_str().to_owned(),
                    aliases: entity.aliases.iter().map(|alias| AliasShape::of(alias, map)).collect(),
                    description: pairs(&entity.description),
                })
                .collect(),
            mentions: knowledge
                .mentions
                .iter()
                .map(|mention| MentionShape {
                    entity: mention.entity.0,
                    chunk: mention.chunk.0,
                    uses: pairs(&mention.uses),
                    description: pairs(&mention.description),
                })
                .collect(),
            triples: knowledge
                .triples
                .iter()
                .map(|triple| TripleShape::of(triple, pair(triple.span)))
                .collect(),
            events: knowledge
                .events
                .iter()
                .map(|event| {
                    let (start, end) = pair(event.span);
                    let participants = event.participants.iter().map(|id| id.0).collect();
                    EventShape { start, end, chunk: event.chunk.0, participants, cluster: event.cluster.0 }
                })
                .collect(),
            clusters: knowledge
                .clusters
                .iter()
                .map(|cluster| ClusterShape {
                    label: cluster.label.clone(),
                    summary: pairs(&cluster.summary),
                })
                .collect(),
            spaces: index.spaces.iter().map(SpaceShape::of).collect(),
            issues: document
                .issues
                .iter()
                .map(|issue| IssueShape {
                    code: issue.code.clone().into_owned(),
                    message: issue.message.clone(),
                })
                .collect(),
            text: &document.text,
        }
    }
}

fn config_pairs(config: &IndexConfig) -> Vec<(&'static str, serde_json::Value)> {
    vec![
        ("chunk_tokens", config.chunk_tokens.into()),
        ("chunk_overlap", config.chunk_overlap.into()),
        ("event_words", config.event_words.into()),
        ("dims", config.dims.into()),
        ("weak_tie", config.weak_tie.into()),
        ("encoding", config.encoding.as_str().into()),
        ("tau_quantile", config.tau_quantile.into()),
    ]
}

impl ChapterShape {
    pub(super) fn into_chapter(self, spans: &Spans<'_>) -> Result<Chapter> {
        Ok(Chapter { title: self.title, span: spans.span((self.start, self.end))? })
    }
}

impl SkipShape {
    pub(super) fn into_skip(self, spans: &Spans<'_>) -> Result<Skip> {
        let known = SKIP_REASONS.iter().find(|reason| **reason == self.reason);
        let reason = known.ok_or_else(|| damaged("skips", &format!("{:?} is no reason", self.reason)))?;
        Ok(Skip { span: spans.span((self.start, self.end))?, reason })
    }
}

impl IssueShape {
    pub(super) fn into_issue(self) -> Issue {
        Issue { code: self.code.into(), message: self.message }
    }
}

impl ChunkShape {
    pub(super) fn into_chunk(self, spans: &Spans<'_>, at: usize, chapters: usize) -> Result<Chunk> {
        let Self(start, end, chapter, tokens) = self;
        if chapter as usize >= chapters.max(1) {
            return Err(damaged("chunks", &format!("chunk {at} has no chapter {chapter}")));
        }
        Ok(Chunk { span: spans.span((start, end))?, chapter, tokens })
    }
}

impl AliasShape {
    fn of(alias: &Alias, map: &Utf16Map) -> Self {
        Self {
            name: alias.name.clone(),
            count: alias.count,
            evidence: map.to_utf16(alias.evidence),
            reason: alias.reason.clone(),
        }
    }
    fn into_alias(self, spans: &Spans<'_>) -> Result<Alias> {
        let evidence = spans.offset(self.evidence)?;
        Ok(Alias { name: self.name, count: self.count, evidence, reason: self.reason })
    }
}

impl EntityShape {
    pub(super) fn into_entity(self, spans: &Spans<'_>) -> Result<Entity> {
        let kind = EntityKind::ALL.into_iter().find(|kind| kind.as_str() == self.kind);
        Ok(Entity {
            kind: kind.ok_or_else(|| damaged("entities", &format!("{:?} is no type", self.kind)))?,
            name: self.name,
            aliases: self.aliases.into_iter().map(|alias| alias.into_alias(spans)).collect::<Result<_>>()?,
            description: spans.spans(self.description)?,
        })
    }
}

impl MentionShape {
    pub(super) fn into_mention(self, spans: &Spans<'_>, limits: &Limits) -> Result<Mention> {
        if self.uses.is_empty() {
            return Err(damaged("mentions", "one has no use"));
        }
        Ok(Mention {
            entity: limits.entity(self.entity)?,
            chunk: limits.chunk(self.chunk)?,
            uses: spans.spans(self.uses)?,
            description: spans.spans(self.description)?,
        })
    }
}

impl PhraseShape {
    fn of(phrase: &Phrase) -> Self {
        match phrase.entity {
            Some(entity) => Self::Entity(entity.0, phrase.text.clone()),
            None => Self::Words(phrase.text.clone()),
        }
    }
    fn into_phrase(self, limits: &Limits) -> Result<Phrase> {
        Ok(match self {
            Self::Entity(entity, text) => Phrase { text, entity: Some(limits.entity(entity)?) },
            Self::Words(text) => Phrase { text, entity: None },
        })
    }
}

const STATED: &str = "stated";
const TOGETHER: &str = "together";

impl TripleShape {
    fn of(triple: &Triple, (start, end): Pair) -> Self {
        let kind = match triple.kind {
            TripleKind::Stated => STATED,
            TripleKind::CoOccurrence => TOGETHER,
        };
        Self {
            subject: PhraseShape::of(&triple.subject),
            predicate: triple.predicate.clone(),
            object: PhraseShape::of(&triple.object),
            kind: kind.to_owned(),
            chunk: triple.chunk.0,
            start,
            end,
        }
    }
    pub(super) fn into_triple(self, spans: &Spans<'_>, limits: &Limits) -> Result<Triple> {
        let kind = match self.kind.as_str() {
            STATED => TripleKind::Stated,
            TOGETHER => TripleKind::CoOccurrence,
            other => return Err(damaged("triples", &format!("{other:?} is no kind"))),
        };
        Ok(Triple {
            subject: self.subject.into_phrase(limits)?,
            predicate: self.predicate,
            object: self.object.into_phrase(limits)?,
            kind,
            chunk: limits.chunk(self.chunk)?,
            span: spans.span((self.start, self.end))?,
        })
    }
}

impl EventShape {
    pub(super) fn into_event(self, spans: &Spans<'_>, limits: &Limits, label: String) -> Result<Event> {
        let participants = self.participants.iter().map(|&id| limits.entity(id)).collect::<Result<_>>()?;
        let (span, chunk) = (spans.span((self.start, self.end))?, limits.chunk(self.chunk)?);
        Ok(Event { label, span, chunk, participants, cluster: cluster_id(self.cluster) })
    }
}

impl ClusterShape {
    pub(super) fn into_cluster(self, spans: &Spans<'_>) -> Result<Cluster> {
        Ok(Cluster { label: self.label, events: Vec::new(), summary: spans.spans(self.summary)? })
    }
}

impl SpaceShape {
    fn of(space: &Space) -> Self {
        Self {
            id: space.id.clone(),
            dims: space.dims as u32,
            encoding: if space.events.as_bytes().is_some() { "int8" } else { "f32" }.to_owned(),
            tau: space.tau,
            quantile: space.quantile,
            pons_edges: space.pons_edges,
            d_cross: space.d_cross,
            chunks: Matrix::of(&space.chunks),
            entities: Matrix::of(&space.entities),
            events: Matrix::of(&space.events),
            clusters: Matrix::of(&space.clusters),
            facts: Matrix::of(&space.facts),
        }
    }

    pub(super) fn into_space(self, index: &Index) -> Result<Space> {
        let knowledge = &index.knowledge;
        let dims = self.dims as usize;
        let matrix = |name: &str, matrix: Matrix, count: Option<usize>| {
            rows(&format!("{}.{name}", self.id), matrix, &self.encoding, dims, count)
        };
        Ok(Space {
            dims,
            tau: self.tau,
            quantile: self.quantile,
            pons_edges: self.pons_edges,
            d_cross: self.d_cross,
            chunks: matrix("chunks", self.chunks, Some(index.chunks.len()))?,
            entities: matrix("entities", self.entities, Some(knowledge.entities.len()))?,
            events: matrix("events", self.events, Some(knowledge.events.len()))?,
            clusters: matrix("clusters", self.clusters, Some(knowledge.clusters.len()))?,
            facts: matrix("facts", self.facts, None)?,
            id: self.id,
        })
    }
}
