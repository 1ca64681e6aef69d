//! What `retrieve` prints: every stage of one method for one question. Each key, with its meaning, its range
//! and its stage, stands in docs/trace.md.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Call, Issue};

/// A character with its score.
#[derive(Clone, Debug, Serialize)]
pub struct NamedScore {
    /// The entity's name.
    pub name: String,
    /// Comparable within its list.
    pub score: f64,
}

/// An event with its score. Labels repeat in a book; the span says which event it is.
#[derive(Clone, Debug, Serialize)]
pub struct EventScore {
    /// The event's label.
    pub label: String,
    /// Comparable within its list.
    pub score: f64,
    /// 0 to 1 through the book.
    pub position: f64,
    /// First UTF-16 unit of the event.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// Anchored or awakened nodes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Nodes {
    /// Best first.
    pub characters: Vec<NamedScore>,
    /// Best first.
    pub events: Vec<EventScore>,
}

/// A fact that was a candidate to link the question to the character graph.
#[derive(Clone, Debug, Serialize)]
pub struct Fact {
    /// Who or what.
    pub subject: String,
    /// The verb or relation.
    pub predicate: String,
    /// Whom or what.
    pub object: String,
    /// Its likeness to the question, 0 to 1 over all facts of the book.
    pub score: f64,
    /// Whether the walk starts from it.
    pub kept: bool,
    /// Why not; empty where it does.
    pub reason: String,
}

/// Who decided which facts are kept.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Recognition {
    /// `chat`, `rule` or `off`; empty for a method without facts.
    pub by: String,
}

/// A matched pair that the filter kept.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// The character's name.
    pub character: String,
    /// The character's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The event's label.
    pub event: String,
    /// What is told.
    pub details: String,
    /// `w_uv` (PonsRAG eq. 4).
    pub weight: f64,
    /// The chunk the event lies in.
    pub chunk: u32,
    /// 0 to 1 through the book.
    pub position: f64,
    /// First UTF-16 unit of the event.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// The candidate subgraph: the pons edges between anchored and awakened nodes, and the pairs among them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Matching {
    /// 1-to-1, 1-to-2, 1-to-3, top or dense.
    pub mode: String,
    /// Heaviest first, the pairs and the heaviest others.
    pub edges: Vec<Edge>,
    /// Edges that are not listed.
    pub omitted: u32,
}

/// A character-event edge.
#[derive(Clone, Debug, Serialize)]
pub struct Edge {
    /// The character's name.
    pub character: String,
    /// The event's label.
    pub event: String,
    /// `w_uv` (PonsRAG eq. 4).
    pub weight: f64,
    /// Whether it is a pair that the filter was given.
    pub matched: bool,
    /// 0 to 1 through the book.
    pub position: f64,
    /// First UTF-16 unit of the event.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// A pair or line that was left out.
#[derive(Clone, Debug, Serialize)]
pub struct Dropped {
    /// The character's name, empty where it had none.
    pub character: String,
    /// The event's label.
    pub event: String,
    /// Why.
    pub reason: String,
    /// 0 to 1 through the book.
    pub position: f64,
    /// First UTF-16 unit of the event.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// CodaRAG's cues.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cues {
    /// Intent and scope.
    pub high: Vec<String>,
    /// Entities and details.
    pub low: Vec<String>,
    /// `chat`, `rule`, `off` for the question itself; empty for a method without cues.
    pub by: String,
}

/// An entity associated with the question.
#[derive(Clone, Debug, Serialize)]
pub struct Associated {
    /// Its name.
    pub name: String,
    /// The sum of its reciprocal ranks.
    pub score: f64,
    /// The pathways that raised it.
    pub via: Vec<&'static str>,
    /// Its place in the list of each of them, from 1.
    pub places: Vec<u32>,
}

/// A relation between two of them.
#[derive(Clone, Debug, Serialize)]
pub struct Related {
    /// One of the two.
    pub source: String,
    /// The other.
    pub target: String,
    /// What is stated of the two.
    pub keywords: Vec<String>,
    /// What is told of them.
    pub description: String,
    /// The cosine with the high-level cues.
    pub score: f64,
    /// What its triples weigh.
    pub weight: f64,
}

/// An entity or a relation that was taken out.
#[derive(Clone, Debug, Serialize)]
pub struct Eliminated {
    /// The entity; empty for a relation.
    pub entity: String,
    /// One end of the relation; empty for an entity.
    pub source: String,
    /// The other.
    pub target: String,
    /// Why.
    pub reason: String,
    /// Whether it was put back, since it holds the others together.
    pub restored: bool,
}

/// A passage.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// The chunk it lies in.
    pub chunk: u32,
    /// First UTF-16 unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// The passage itself.
    pub text: String,
    /// Falls from first to last.
    pub score: f64,
    /// The part that made it rank here.
    pub focus: Focus,
}

/// A part of a passage.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Focus {
    /// First UTF-16 unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// An event with its place.
#[derive(Clone, Debug, Serialize)]
pub struct Scene {
    /// The event's label.
    pub label: String,
    /// 0 to 1 through the book.
    pub position: f64,
    /// First UTF-16 unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// What a question turns on.
#[derive(Clone, Debug, Default, Serialize)]
pub struct QueryType {
    /// `char`, `plot`, `mix`; empty where nobody told.
    #[serde(rename = "type")]
    pub kind: String,
    /// `chat`, `rule` or `off`.
    pub by: String,
}

/// One step of a question that is worked out in several.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// What the chat model thought; empty at the first.
    pub thought: String,
    /// What the method was asked; empty where the thought ended the steps.
    pub query: String,
    /// Passages that no step before had found, best first.
    pub passages: Vec<StepPassage>,
    /// The estimated tokens of its own context.
    pub context_tokens: u32,
}

/// Where a passage of a step stands.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StepPassage {
    /// The chunk it lies in.
    pub chunk: u32,
    /// First UTF-16 unit.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// Its score in this step.
    pub score: f64,
}

/// How the filter decided what serves the question.
#[derive(Clone, Debug, Serialize)]
pub struct Filter {
    /// `chat`, `rule`, or `off` for nobody: everything that fits was kept.
    pub by: String,
    /// The chat model's reply, empty without one.
    pub reply: String,
    /// `first`, `last`, `after`, `before`: what the question's word of time asks for, where the rule
    /// resolved one, else empty.
    pub time: String,
    /// The event that it is resolved against, else null.
    pub scene: Option<Scene>,
}

/// A setting in effect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// Its name, as `--set` or the call takes it.
    pub name: String,
    /// What it was.
    pub value: SettingValue,
    /// Who set it: `default`, `set` by the caller, `auto` as profile and models have it, `index`.
    pub from: String,
}

/// What a setting was.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SettingValue {
    /// A number.
    Number(f64),
    /// A name.
    Text(String),
}

/// What `retrieve` prints: every stage of one method for one question.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// The method's name.
    pub method: String,
    /// PonsRAG and CodaRAG only: paper or offline.
    pub profile: String,
    /// As asked.
    pub question: String,
    /// What it turns on.
    pub query_type: QueryType,
    /// The space the question was embedded in.
    pub embedding_space: String,
    /// The settings that the method read, as they took effect.
    pub settings: Vec<Setting>,
    /// Who kept which of the facts.
    pub recognition: Recognition,
    /// Facts that may link the question to the character graph, best first.
    pub facts: Vec<Fact>,
    /// Nodes tied to the query.
    pub anchors: Nodes,
    /// Nodes the anchors awakened.
    pub awakened: Nodes,
    /// What pairs were chosen from.
    pub matching: Matching,
    /// In story order; in the matching of one to one each character and each event at most once.
    pub pairs: Vec<Pair>,
    /// What was left out, and why.
    pub dropped: Vec<Dropped>,
    /// How the filter decided.
    pub filter: Filter,
    /// The steps of a question that was worked out in several; empty for one.
    pub steps: Vec<Step>,
    /// CodaRAG and LightRAG only, as the next two.
    pub cues: Cues,
    /// Best first.
    pub entities: Vec<Associated>,
    /// Best first.
    pub relations: Vec<Related>,
    /// CodaRAG only.
    pub eliminated: Vec<Eliminated>,
    /// Best first.
    pub evidence: Vec<Evidence>,
    /// Exactly what a generator would be given.
    pub context: String,
    /// Its estimated tokens.
    pub context_tokens: u32,
    /// What was asked of models, in the order in which the stages asked; for an answer with the answer's own.
    pub calls: Vec<Call>,
    /// Milliseconds by stage.
    pub timings_ms: BTreeMap<String, f64>,
    /// What a reader should know.
    pub issues: Vec<Issue>,
}
