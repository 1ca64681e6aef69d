//! A book's knowledge out of what rules read and what a chat model wrote of each chunk.
//!
//! The rules' cast is the skeleton: they find every use of a name and know which forms are one person. The
//! model's words hang on it. A name that is a form of someone in the chunk is that someone; another name
//! that stands in the chunk becomes an entity of its own, merged over chunks by its folded words; any other
//! is dropped and counted. A chunk's events are the model's, each on the run of sentences that tells it; its
//! stated triples are the model's; co-occurrence ties are the events' own. What the model did not answer for
//! stays as the rules have it.
//!
//! Departures: the paper's entities are the model's alone, merged by name (PonsRAG 4.1); its events have no
//! place in the text.
//!
//! Invariant: as of [`Knowledge`]; and the result depends on the drafts alone, not on the order in which
//! they came.

use std::collections::{BTreeMap, HashMap};

use super::cast::Cast;
use super::passage::{Passage, name_words};
use super::{Draft, Dropped};
use crate::algo::segment::runs;
use crate::knowledge::{
    Chunk, ChunkId, Cluster, ClusterId, EntityId, EntityType, Event, EventId, Knowledge, Mention, Phrase,
    Span, Told, Triple, TripleKind,
};
use crate::llm::reply;
use crate::offline::ties::{Ties, named};

/// The most that is kept of what one chunk says of one entity, in bytes.
const MOST_TOLD: usize = 4000;

/// Knowledge under construction.
pub(super) struct Assembly<'a> {
    text: &'a str,
    skeleton: Knowledge,
    cast: Cast,
    mentions: BTreeMap<(ChunkId, EntityId), Mention>,
    events: Vec<Event>,
    stated: Vec<Vec<Triple>>,
    /// What did not stand in its chunk.
    pub(super) dropped: Dropped,
}

impl<'a> Assembly<'a> {
    /// Begins with what rules read.
    pub(super) fn new(text: &'a str, mut skeleton: Knowledge) -> Self {
        let cast = Cast::new(std::mem::take(&mut skeleton.entities));
        let mentions = std::mem::take(&mut skeleton.mentions);
        let mentions =
            mentions.into_iter().map(|mention| ((mention.chunk, mention.entity), mention)).collect();
        let dropped = Dropped::default();
        Self { text, skeleton, cast, mentions, events: Vec::new(), stated: Vec::new(), dropped }
    }

    /// Takes what was read of the next chunk.
    pub(super) fn add(&mut self, chunk: &Chunk, draft: Draft) {
        let id = ChunkId::new(self.stated.len());
        let passage = Passage::new(self.text, chunk);
        for described in draft.entities {
            let Some(entity) = self.entity(&passage, id, &described.name) else {
                self.dropped.entities += 1;
                continue;
            };
            self.cast.vote(entity, described.kind, described.category);
            self.describe(entity, id, &passage, &described.name, described.description);
        }
        let stated = match draft.triples {
            Some(triples) => triples.iter().filter_map(|triple| self.state(&passage, id, triple)).collect(),
            None => self.skeleton_triples(id),
        };
        self.stated.push(stated);
        let told = draft.events.map(|events| self.tell(&passage, id, events)).unwrap_or_default();
        let events = if told.is_empty() { self.skeleton_events(id) } else { told };
        self.events.extend(events);
    }

    /// Who or what a name is in a chunk: someone the rules found there, or whoever else stands there.
    fn entity(&mut self, passage: &Passage<'_>, chunk: ChunkId, name: &str) -> Option<EntityId> {
        let here = |id: &EntityId| self.mentions.contains_key(&(chunk, *id));
        if let Some(known) = self.cast.only(&name_words(name), here) {
            return Some(known);
        }
        let uses = passage.find(name);
        let first = *uses.first()?;
        let entity = self.cast.named(first.of(self.text), first, uses.len());
        let mention = Mention { entity, chunk, uses, description: Told::default() };
        self.mentions.entry((chunk, entity)).or_insert(mention);
        Some(entity)
    }

    fn describe(&mut self, entity: EntityId, chunk: ChunkId, at: &Passage<'_>, name: &str, words: String) {
        let words = words.trim();
        let Some(mention) = self.mentions.get_mut(&(chunk, entity)).filter(|_| !words.is_empty()) else {
            return;
        };
        // Forms that the model names and the rules do not know are uses as well.
        if mention.uses.is_empty() {
            mention.uses = at.find(name);
        }
        mention.description = match &mention.description {
            Told::Written(before) if !before.contains(words) && before.len() + words.len() < MOST_TOLD => {
                Told::Written(format!("{before} {words}"))
            }
            Told::Written(_) => return,
            Told::Quoted(_) => Told::Written(words.to_owned()),
        };
    }

    /// One triple, where both its ends stand in the chunk and one of them is an entity.
    fn state(&mut self, passage: &Passage<'_>, chunk: ChunkId, triple: &reply::Triple) -> Option<Triple> {
        let end = |words: &str| -> Option<Phrase> {
            let here = |id: &EntityId| self.mentions.contains_key(&(chunk, *id));
            match self.cast.only(&name_words(words), here) {
                Some(entity) => Some(named(&self.cast.entities, entity)),
                None if passage.find(words).is_empty() => None,
                None => Some(Phrase { text: words.trim().to_owned(), entity: None }),
            }
        };
        let ends = end(&triple.subject).zip(end(&triple.object));
        let ends = ends.filter(|(subject, object)| {
            subject != object && (subject.entity.is_some() || object.entity.is_some())
        });
        let Some((subject, object)) = ends.filter(|_| !triple.predicate.trim().is_empty()) else {
            self.dropped.triples += 1;
            return None;
        };
        let span = passage.nearest(&format!("{} {} {}", triple.subject, triple.predicate, triple.object));
        let predicate = triple.predicate.trim().to_lowercase();
        Some(Triple { subject, predicate, object, kind: TripleKind::Stated, chunk, span })
    }

    /// The model's events of a chunk, each on its run of sentences; one that shares no word with any
    /// sentence is dropped.
    fn tell(&mut self, passage: &Passage<'_>, chunk: ChunkId, events: Vec<reply::Event>) -> Vec<Event> {
        let statements: Vec<String> =
            events.iter().map(|event| format!("{} {}", event.label, event.details)).collect();
        let weights = passage.weights(&statements);
        let best = |row: &[f64]| row.iter().copied().fold(0.0, f64::max);
        let mut held: Vec<usize> = (0..events.len()).filter(|&event| best(&weights[event]) > 0.0).collect();
        // No more events than sentences: those that share most stay.
        held.sort_by(|&a, &b| best(&weights[b]).total_cmp(&best(&weights[a])).then(a.cmp(&b)));
        held.truncate(passage.sentences.len());
        held.sort_unstable();
        self.dropped.events += events.len() - held.len();
        let rows: Vec<Vec<f64>> = held.iter().map(|&event| weights[event].clone()).collect();
        let told = runs(&rows).into_iter().zip(&held);
        told.map(|(run, &event)| {
            let span =
                Span { start: passage.sentences[run.start].start, end: passage.sentences[run.end - 1].end };
            let reply::Event { label, details } = &events[event];
            Event {
                label: label.clone(),
                span,
                details: Some(details.clone()),
                chunk,
                participants: self.participants(chunk, span, details),
                cluster: ClusterId(0),
            }
        })
        .collect()
    }

    /// Who is named in an event's text, in order of first use, then whom its details name besides.
    fn participants(&self, chunk: ChunkId, span: Span, details: &str) -> Vec<EntityId> {
        let here = self.mentions.range((chunk, EntityId(0))..=(chunk, EntityId(u32::MAX)));
        let mut named: Vec<(u32, EntityId)> = Vec::new();
        for ((_, entity), mention) in here {
            let first = mention.uses.iter().find(|place| span.contains(**place));
            named.extend(first.map(|place| (place.start, *entity)));
        }
        named.sort_unstable();
        let mut found: Vec<EntityId> = named.into_iter().map(|(_, entity)| entity).collect();
        let known = |id: &EntityId| self.mentions.contains_key(&(chunk, *id));
        for entity in self.cast.within(&name_words(details), known) {
            if !found.contains(&entity) {
                found.push(entity);
            }
        }
        found
    }

    fn skeleton_triples(&self, chunk: ChunkId) -> Vec<Triple> {
        let stated = |triple: &&Triple| triple.chunk == chunk && triple.kind == TripleKind::Stated;
        self.skeleton.triples.iter().filter(stated).cloned().collect()
    }

    fn skeleton_events(&self, chunk: ChunkId) -> Vec<Event> {
        self.skeleton.events.iter().filter(|event| event.chunk == chunk).cloned().collect()
    }

    /// The knowledge of all chunks taken, of which the entities were given these types.
    pub(super) fn finish(mut self, types: Vec<EntityType>) -> Knowledge {
        let clusters = self.clusters();
        let mut ties = Ties::default();
        let mut weak: BTreeMap<ChunkId, Vec<Triple>> = BTreeMap::new();
        for event in &self.events {
            ties.add(event, &self.cast.entities, weak.entry(event.chunk).or_default());
        }
        let mut triples = Vec::new();
        for (chunk, stated) in self.stated.into_iter().enumerate() {
            triples.extend(stated);
            triples.extend(weak.remove(&ChunkId::new(chunk)).unwrap_or_default());
        }
        Knowledge {
            entities: self.cast.finish(&types),
            types,
            mentions: self.mentions.into_values().collect(),
            triples,
            relations: Vec::new(),
            events: self.events,
            clusters,
            merges: self.skeleton.merges,
            fragments: Vec::new(),
        }
    }

    /// Events of equal label, case, punctuation and spaces aside (PonsRAG 4.1); summaries of rule-made
    /// clusters are kept, the others' are still to be written.
    fn clusters(&mut self) -> Vec<Cluster> {
        let before: HashMap<String, Told> =
            self.skeleton.clusters.drain(..).map(|cluster| (key(&cluster.label), cluster.summary)).collect();
        let mut clusters: Vec<Cluster> = Vec::new();
        let mut ids: HashMap<String, usize> = HashMap::new();
        for (place, event) in self.events.iter_mut().enumerate() {
            let key = key(&event.label);
            let next = clusters.len();
            let id = *ids.entry(key.clone()).or_insert(next);
            if id == next {
                let summary = before.get(&key).cloned().unwrap_or_default();
                clusters.push(Cluster { label: event.label.clone(), events: Vec::new(), summary });
            }
            clusters[id].events.push(EventId::new(place));
            event.label = clusters[id].label.clone();
            event.cluster = ClusterId::new(id);
        }
        for cluster in &mut clusters {
            if let [only] = cluster.events[..] {
                let event = &self.events[only.index()];
                cluster.summary = match &event.details {
                    Some(details) => Told::Written(details.clone()),
                    None => Told::Quoted(vec![event.span]),
                };
            }
        }
        clusters
    }
}

/// What makes two labels one.
fn key(label: &str) -> String {
    name_words(label).join(" ")
}
