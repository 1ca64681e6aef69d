//! Events: the story cut into small happenings, each with its participants and a label.
//!
//! Consecutive sentences of a chunk are merged until they hold enough words to stand alone; a short
//! tail joins what precedes it. So events tile the story's sentences, and every sentence is found
//! with exactly one. Who says `I` in a chapter takes part where the chapter says `I`.
//!
//! Invariant: events are in text order; each is whole sentences of one chunk.

use std::collections::HashMap;
use std::ops::Range;

use super::cast::Cast;
use super::labels;
use super::realis::Reading;
use super::referents::Referents;
use super::tokens::Words;
use crate::error::Result;
use crate::knowledge::{ChunkId, Cluster, ClusterId, EntityId, Event, EventId, Span, Told};
use crate::pace::Pace;

/// Events with the sentences of each, and their clusters without summaries.
#[derive(Debug, Default)]
pub(crate) struct Plot {
    /// In text order.
    pub(crate) events: Vec<Event>,
    /// The sentences of each event.
    pub(crate) sentences: Vec<Range<usize>>,
    /// In order of first event; summaries still empty.
    pub(crate) clusters: Vec<Cluster>,
}

/// Cuts the story into events of at least `least` words.
pub(crate) async fn cut(
    reading: Reading<'_>,
    cast: &Cast,
    referents: &Referents<'_>,
    least: usize,
    pace: &Pace<'_>,
) -> Result<Plot> {
    let words = reading.words;
    let mut plot = Plot::default();
    let mut ids: HashMap<String, ClusterId> = HashMap::new();
    let mut start = 0;
    while start < words.sentences.len() {
        let chunk = words.sentences[start].chunk;
        let own = words.sentences[start..].iter().take_while(|sentence| sentence.chunk == chunk).count();
        for sentences in pieces(words, start..start + own, least) {
            plot.add(&reading, cast, referents, &mut ids, chunk, sentences);
        }
        start += own;
        pace.step("events", start.min(words.sentences.len() - 1), words.sentences.len()).await?;
    }
    Ok(plot)
}

/// Merges sentences into pieces of at least `least` words; a short tail joins the piece before it.
fn pieces(words: &Words, sentences: Range<usize>, least: usize) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut open = sentences.start..sentences.start;
    let mut length = 0;
    for index in sentences {
        length += words.sentences[index].tokens.len();
        open.end = index + 1;
        if length >= least {
            pieces.push(open.clone());
            open.start = open.end;
            length = 0;
        }
    }
    if !open.is_empty() {
        match pieces.last_mut() {
            Some(last) => last.end = open.end,
            None => pieces.push(open),
        }
    }
    pieces
}

impl Plot {
    fn add(
        &mut self,
        reading: &Reading<'_>,
        cast: &Cast,
        referents: &Referents<'_>,
        ids: &mut HashMap<String, ClusterId>,
        chunk: u32,
        sentences: Range<usize>,
    ) {
        let words = reading.words;
        let (first, last) = (&words.sentences[sentences.start], &words.sentences[sentences.end - 1]);
        let tokens = first.tokens.start..last.tokens.end;
        let mut participants: Vec<EntityId> = Vec::new();
        for naming in cast.within(tokens.clone()) {
            if !participants.contains(&naming.entity) {
                participants.push(naming.entity);
            }
        }
        let says_i = |at: &usize| {
            let token = &words.tokens[*at];
            !token.quoted && words.lower(token) == "i"
        };
        let narrator = tokens.clone().find(says_i).and_then(|at| referents.narrator(at));
        participants.extend(narrator.filter(|narrator| !participants.contains(narrator)));
        let label = labels::label(reading, cast, referents, tokens, &participants);
        let id = EventId::new(self.events.len());
        let cluster = *ids.entry(label.to_lowercase()).or_insert_with(|| {
            self.clusters.push(Cluster {
                label: label.clone(),
                events: Vec::new(),
                summary: Told::default(),
            });
            ClusterId::new(self.clusters.len() - 1)
        });
        // Labels that differ in case only are one label: the cluster's.
        let kept = &mut self.clusters[cluster.index()];
        kept.events.push(id);
        self.events.push(Event {
            label: kept.label.clone(),
            span: Span { start: first.span.start, end: last.span.end },
            details: None,
            chunk: ChunkId(chunk),
            participants,
            cluster,
        });
        self.sentences.push(sentences);
    }
}
