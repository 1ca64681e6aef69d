//! The file's objects, one shape for each, with the way into and out of the engine's types.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::knowledge::{
    Alias, Chapter, Chunk, Cluster, Entity, EntityKind, EntityType, Event, Issue, Mention, Skip, Span, Told,
};
use crate::text::{SKIP_REASONS, Utf16Map};

use super::check::{Limits, MOST_SPANS, Spans, name, written};
use super::{clipped, cluster_id, damaged, exact};

type Pair = (u32, u32);

pub(super) fn pair(map: &Utf16Map, span: Span) -> Pair {
    (map.to_utf16(span.start), map.to_utf16(span.end))
}

fn pairs(map: &Utf16Map, spans: &[Span]) -> Vec<Pair> {
    spans.iter().map(|&span| pair(map, span)).collect()
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) title: String,
    pub(super) author: String,
    pub(super) language: String,
    /// The chat model that read the book; absent where rules did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) extractor: Option<String>,
    /// The fingerprint of what it was read with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) prompts: Option<String>,
    pub(super) sha256: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChapterShape {
    title: String,
    start: u32,
    end: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SkipShape {
    start: u32,
    end: u32,
    reason: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IssueShape {
    code: String,
    message: String,
}

/// start, end, chapter, tokens
#[derive(Serialize, Deserialize)]
pub(super) struct ChunkShape(u32, u32, u32, u32);

/// A type of entities that a chat model found the book to have.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TypeShape {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    description: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntityShape {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    /// The name of a discovered type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    aliases: Vec<AliasShape>,
    description: ToldShape,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AliasShape {
    name: String,
    count: u32,
    evidence: u32,
    reason: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MentionShape {
    entity: u32,
    chunk: u32,
    uses: Vec<Pair>,
    description: ToldShape,
}

/// Places in the book, or a chat model's words.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum ToldShape {
    Quoted(Vec<Pair>),
    Written(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventShape {
    start: u32,
    end: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    details: Option<String>,
    chunk: u32,
    participants: Vec<u32>,
    pub(super) cluster: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClusterShape {
    label: String,
    summary: ToldShape,
}

impl ChapterShape {
    pub(super) fn of(chapter: &Chapter, map: &Utf16Map) -> Self {
        let (start, end) = pair(map, chapter.span);
        Self { title: chapter.title.clone(), start, end }
    }
    pub(super) fn into_chapter(self, spans: &Spans<'_>) -> Result<Chapter> {
        Ok(Chapter { title: name("chapters", self.title)?, span: spans.span((self.start, self.end))? })
    }
}

impl SkipShape {
    pub(super) fn of(skip: &Skip, map: &Utf16Map) -> Self {
        let (start, end) = pair(map, skip.span);
        Self { start, end, reason: skip.reason.to_owned() }
    }
    pub(super) fn into_skip(self, spans: &Spans<'_>) -> Result<Skip> {
        let known = SKIP_REASONS.iter().find(|reason| **reason == self.reason);
        let reason =
            known.ok_or_else(|| damaged("skips", &format!("{:?} is no reason", clipped(&self.reason))))?;
        Ok(Skip { span: spans.span((self.start, self.end))?, reason })
    }
}

impl IssueShape {
    pub(super) fn of(issue: &Issue) -> Self {
        Self { code: issue.code.clone().into_owned(), message: issue.message.clone() }
    }
    pub(super) fn into_issue(self) -> Issue {
        Issue { code: self.code.into(), message: self.message }
    }
}

impl ChunkShape {
    pub(super) fn of(chunk: &Chunk, map: &Utf16Map) -> Self {
        let (start, end) = pair(map, chunk.span);
        Self(start, end, chunk.chapter, chunk.tokens)
    }
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
        Ok(Alias {
            name: name("entities", self.name)?,
            count: self.count,
            evidence,
            reason: name("entities", self.reason)?,
        })
    }
}

fn kind_of(place: &str, name: &str) -> Result<EntityKind> {
    let kind = EntityKind::ALL.into_iter().find(|kind| kind.as_str() == name);
    kind.ok_or_else(|| damaged(place, &format!("{:?} is no type", clipped(name))))
}

impl TypeShape {
    pub(super) fn of(known: &EntityType) -> Self {
        Self {
            name: known.name.clone(),
            kind: known.kind.as_str().to_owned(),
            description: known.description.clone(),
        }
    }
    pub(super) fn into_type(self) -> Result<EntityType> {
        Ok(EntityType {
            kind: kind_of("types", &self.kind)?,
            name: name("types", self.name)?,
            description: name("types", self.description)?,
        })
    }
}

impl EntityShape {
    pub(super) fn of(entity: &Entity, map: &Utf16Map) -> Self {
        Self {
            name: entity.name.clone(),
            kind: entity.kind.as_str().to_owned(),
            category: entity.category.clone(),
            aliases: entity.aliases.iter().map(|alias| AliasShape::of(alias, map)).collect(),
            description: ToldShape::of(&entity.description, map),
        }
    }
    pub(super) fn into_entity(self, spans: &Spans<'_>) -> Result<Entity> {
        Ok(Entity {
            kind: kind_of("entities", &self.kind)?,
            category: self.category.map(|category| name("entities", category)).transpose()?,
            name: name("entities", self.name)?,
            aliases: exact(self.aliases.into_iter().map(|alias| alias.into_alias(spans)))?,
            description: self.description.into_told(spans)?,
        })
    }
}

impl MentionShape {
    pub(super) fn of(mention: &Mention, map: &Utf16Map) -> Self {
        Self {
            entity: mention.entity.0,
            chunk: mention.chunk.0,
            uses: pairs(map, &mention.uses),
            description: ToldShape::of(&mention.description, map),
        }
    }
    pub(super) fn into_mention(self, spans: &Spans<'_>, limits: &Limits) -> Result<Mention> {
        if self.uses.is_empty() {
            return Err(damaged("mentions", "one has no use"));
        }
        Ok(Mention {
            entity: limits.entity(self.entity)?,
            chunk: limits.chunk(self.chunk)?,
            uses: spans.spans(self.uses)?,
            description: self.description.into_told(spans)?,
        })
    }
}

impl ToldShape {
    fn of(told: &Told, map: &Utf16Map) -> Self {
        match told {
            Told::Quoted(spans) => Self::Quoted(pairs(map, spans)),
            Told::Written(words) => Self::Written(words.clone()),
        }
    }
    fn into_told(self, spans: &Spans<'_>) -> Result<Told> {
        Ok(match self {
            Self::Quoted(pairs) => Told::Quoted(spans.spans(pairs)?),
            Self::Written(words) => Told::Written(written("knowledge", words)?),
        })
    }
}

impl EventShape {
    pub(super) fn of(event: &Event, map: &Utf16Map) -> Self {
        let (start, end) = pair(map, event.span);
        let participants = event.participants.iter().map(|id| id.0).collect();
        let details = event.details.clone();
        Self { start, end, details, chunk: event.chunk.0, participants, cluster: event.cluster.0 }
    }
    pub(super) fn into_event(self, spans: &Spans<'_>, limits: &Limits, label: String) -> Result<Event> {
        let participants = exact(self.participants.into_iter().map(|id| limits.entity(id)))?;
        if participants.len() > MOST_SPANS {
            let what = format!("one has {} participants, over {MOST_SPANS}", participants.len());
            return Err(damaged("events", &what));
        }
        let (span, chunk) = (spans.span((self.start, self.end))?, limits.chunk(self.chunk)?);
        let details = self.details.map(|details| written("events", details)).transpose()?;
        Ok(Event { label, span, details, chunk, participants, cluster: cluster_id(self.cluster) })
    }
}

impl ClusterShape {
    pub(super) fn of(cluster: &Cluster, map: &Utf16Map) -> Self {
        Self { label: cluster.label.clone(), summary: ToldShape::of(&cluster.summary, map) }
    }
    pub(super) fn into_cluster(self, spans: &Spans<'_>) -> Result<Cluster> {
        Ok(Cluster {
            label: name("clusters", self.label)?,
            events: Vec::new(),
            summary: self.summary.into_told(spans)?,
        })
    }
}
