//! Triples and relations as the file has them. Of relations only what does not follow from the triples is
//! there: the descriptions that a chat model made.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::knowledge::{EntityId, Knowledge, Phrase, Relation, Told, Triple, TripleKind};
use crate::text::Utf16Map;

use super::check::{Limits, Spans, name, written};
use super::shapes::pair;
use super::{clipped, damaged};

/// A phrase: its text, or an entity's id.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum PhraseShape {
    Entity(u32, String),
    Words(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TripleShape {
    subject: PhraseShape,
    predicate: String,
    object: PhraseShape,
    kind: String,
    chunk: u32,
    start: u32,
    end: u32,
}

/// A relation that a chat model described; the others follow from the triples.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RelationShape {
    ends: (u32, u32),
    description: String,
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
            Self::Entity(entity, text) => {
                Phrase { text: name("triples", text)?, entity: Some(limits.entity(entity)?) }
            }
            Self::Words(text) => Phrase { text: name("triples", text)?, entity: None },
        })
    }
}

const STATED: &str = "stated";
const TOGETHER: &str = "together";

impl TripleShape {
    pub(super) fn of(triple: &Triple, map: &Utf16Map) -> Self {
        let (start, end) = pair(map, triple.span);
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
            other => return Err(damaged("triples", &format!("{:?} is no kind", clipped(other)))),
        };
        Ok(Triple {
            subject: self.subject.into_phrase(limits)?,
            predicate: name("triples", self.predicate)?,
            object: self.object.into_phrase(limits)?,
            kind,
            chunk: limits.chunk(self.chunk)?,
            span: spans.span((self.start, self.end))?,
        })
    }
}

impl RelationShape {
    pub(super) fn of(relation: &Relation) -> Option<Self> {
        match &relation.description {
            Told::Written(words) => {
                Some(Self { ends: (relation.ends.0.0, relation.ends.1.0), description: words.clone() })
            }
            Told::Quoted(_) => None,
        }
    }
    /// Gives the relation of these ends its description.
    pub(super) fn describe(self, knowledge: &mut Knowledge) -> Result<()> {
        let (one, other) = self.ends;
        let related = knowledge.relation(EntityId(one), EntityId(other)).filter(|_| one < other);
        let relation = related.and_then(|id| knowledge.relations.get_mut(id.index()));
        let relation =
            relation.ok_or_else(|| damaged("relations", &format!("nothing ties {one} and {other}")))?;
        relation.description = Told::Written(written("relations", self.description)?);
        Ok(())
    }
}
