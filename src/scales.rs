//! The units of the offline recipe: each event seen at three sizes of its surroundings.
//!
//! An event is scored with its *window* (itself and both neighbours), its *context* (a passage of up to
//! 512 tokens centred on it) and its *section* (its chapter). All are runs of whole events inside one
//! chapter. A chapter's heading words count once in each of its units; an event with a pronoun carries
//! the names of the events before it (systems 1.8 item 8, offline study section 3).

use std::ops::Range;

use crate::algo::bm25::{Units, score};
use crate::algo::vector::{Rows, dot};
use crate::error::Result;
use crate::index::Index;
use crate::knowledge::{EntityId, Event};
use crate::lexical::{Analyser, Lexicon, words};
use crate::offline::english::{self, Entry, Tag};
use crate::pace::Pace;
use crate::text::tokens;

/// Tokens of a centred context, as of a chunk.
const CONTEXT_TOKENS: u32 = 512;
/// How many events back a pronoun may reach for its name.
const CARRY: usize = 4;
/// How many names of one event it may take: beyond, an event is a list, which no pronoun stands for.
const CARRIED: usize = 16;

/// The three sizes, for every event.
pub struct Scales {
    /// Each event's own positions in the stream.
    pub events: Vec<Range<u32>>,
    /// Each event's estimated tokens.
    pub event_tokens: Vec<u32>,
    windows: Vec<Range<u32>>,
    contexts: Vec<Range<u32>>,
    context_events: Vec<Range<usize>>,
    /// Length of the sum of a context's event vectors.
    context_norms: Vec<f64>,
    /// Whether an event names a month, a day or a year.
    pub dated: Vec<bool>,
    /// How many words of an event speak of how somebody looks.
    pub looks: Vec<u32>,
    sections: Vec<Range<u32>>,
    section_of: Vec<usize>,
    headings: Vec<Vec<u32>>,
    carried: Vec<Vec<u32>>,
}

impl Scales {
    /// Reads the story's events into one stream and lays out the units.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn new(index: &Index, pace: &Pace<'_>) -> Result<(Lexicon, Self)> {
        let (events, text) = (&index.knowledge.events, index.document.text.as_str());
        let mut lexicon = Lexicon::new(Analyser::Based);
        let mut stream = Vec::with_capacity(events.len());
        let mut event_tokens = Vec::with_capacity(events.len());
        for (done, event) in events.iter().enumerate() {
            stream.push(lexicon.push(event.span.of(text)));
            event_tokens.push(tokens(event.span.of(text)).max(1));
            if done % 16 == 0 {
                pace.step("words", done, 4 * events.len()).await?;
            }
        }
        let runs = chapter_runs(index);
        let headings = runs
            .iter()
            .map(|(chapter, _)| {
                index
                    .document
                    .chapters
                    .get(*chapter)
                    .map_or(Vec::new(), |chapter| sorted(lexicon.note(&chapter.title)))
            })
            .collect();
        let (dated, looks) = spoken(index, pace).await?;
        let mut scales = Self {
            windows: Vec::with_capacity(events.len()),
            contexts: Vec::with_capacity(events.len()),
            context_events: Vec::with_capacity(events.len()),
            context_norms: vec![1.0; events.len()],
            sections: runs.iter().map(|(_, run)| positions(&stream, run)).collect(),
            section_of: Vec::with_capacity(events.len()),
            headings,
            dated,
            looks,
            carried: carried_names(index, &mut lexicon, pace).await?,
            events: stream,
            event_tokens,
        };
        for (section, (_, run)) in runs.iter().enumerate() {
            for event in run.clone() {
                let window = event.saturating_sub(1).max(run.start)..(event + 2).min(run.end);
                let context = centred(event, run, &scales.event_tokens);
                scales.windows.push(positions(&scales.events, &window));
                scales.contexts.push(positions(&scales.events, &context));
                scales.context_events.push(context);
                scales.section_of.push(section);
                if event % 64 == 0 {
                    pace.step("words", 3 * events.len() + event, 4 * events.len()).await?;
                }
            }
        }
        lexicon.settle();
        Ok((lexicon, scales))
    }

    /// Works out the lengths of the contexts' vector sums, so that a context's cosine is a sum of dots.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn measure_contexts(&mut self, events: &Rows, pace: &Pace<'_>) -> Result<()> {
        let mut sum = vec![0f32; events.dims()];
        let mut held: Range<usize> = 0..0;
        for (event, range) in self.context_events.iter().enumerate() {
            if range.start < held.start || range.start >= held.end {
                sum.fill(0.0);
                held = range.start..range.start;
            }
            for gone in held.start..range.start {
                add(&mut sum, &events.row(gone), -1.0);
            }
            for come in held.end..range.end {
                add(&mut sum, &events.row(come), 1.0);
            }
            held = range.clone();
            self.context_norms[event] = f64::from(dot(&sum, &sum)).max(0.0).sqrt().max(1e-6);
            if event % 64 == 0 {
                pace.step("contexts", event, self.context_events.len()).await?;
            }
        }
        Ok(())
    }

    /// BM25 of every event's window for these distinct terms.
    pub fn window_scores(&self, lexicon: &Lexicon, terms: &[u32]) -> Vec<f64> {
        scored(lexicon, terms, &self.windows, |term, event| {
            has(&self.headings[self.section_of[event]], term) || has(&self.carried[event], term)
        })
    }

    /// BM25 of every event's centred context.
    pub fn context_scores(&self, lexicon: &Lexicon, terms: &[u32]) -> Vec<f64> {
        let headed = |term, event: usize| has(&self.headings[self.section_of[event]], term);
        scored(lexicon, terms, &self.contexts, headed)
    }

    /// BM25 of every event's chapter.
    pub fn section_scores(&self, lexicon: &Lexicon, terms: &[u32]) -> Vec<f64> {
        let headed = |term, section: usize| has(&self.headings[section], term);
        let sections = scored(lexicon, terms, &self.sections, headed);
        self.section_of.iter().map(|&section| sections[section]).collect()
    }

    /// The cosine of every event's centred context, from the events' own cosines.
    pub fn context_cosines(&self, event_cosines: &[f64]) -> Vec<f64> {
        let mut before = vec![0.0; event_cosines.len() + 1];
        for (event, cosine) in event_cosines.iter().enumerate() {
            before[event + 1] = before[event] + cosine;
        }
        let sum = |range: &Range<usize>| {
            before.get(range.end).copied().unwrap_or(0.0) - before.get(range.start).copied().unwrap_or(0.0)
        };
        self.context_events.iter().zip(&self.context_norms).map(|(range, norm)| sum(range) / norm).collect()
    }

    /// The events before and after this one in its chapter: its window.
    pub fn neighbours(&self, event: usize) -> (Option<usize>, Option<usize>) {
        let same = |other: &usize| self.section_of.get(*other) == self.section_of.get(event);
        (
            event.checked_sub(1).filter(same),
            Some(event + 1).filter(|other| *other < self.events.len() && same(other)),
        )
    }

    /// The positions of an event's window.
    pub fn window(&self, event: usize) -> Range<u32> {
        self.windows.get(event).cloned().unwrap_or(0..0)
    }
}

/// For each event, whether a word of it names a month, a day or a year, and how many speak of looks.
async fn spoken(index: &Index, pace: &Pace<'_>) -> Result<(Vec<bool>, Vec<u32>)> {
    let dates = |word: &str, entry: Entry| {
        entry.is(Tag::Month)
            || entry.is(Tag::Day)
            || word.len() == 4 && word.starts_with('1') && word.bytes().all(|b| b.is_ascii_digit())
    };
    let events = &index.knowledge.events;
    let (mut dated, mut looks) = (Vec::with_capacity(events.len()), Vec::with_capacity(events.len()));
    for (done, event) in events.iter().enumerate() {
        let (mut date, mut look) = (false, 0);
        for word in words(event.span.of(&index.document.text)) {
            let entry = english::entry(&word);
            date |= dates(&word, entry);
            look += u32::from(entry.is(Tag::Looks));
        }
        dated.push(date);
        looks.push(look);
        if done % 32 == 0 {
            pace.step("words", events.len() + done, 4 * events.len()).await?;
        }
    }
    Ok((dated, looks))
}

/// BM25 of units that hold a term once more where `holds` says so.
fn scored(
    lexicon: &Lexicon,
    terms: &[u32],
    ranges: &[Range<u32>],
    holds: impl Fn(u32, usize) -> bool,
) -> Vec<f64> {
    let positions: Vec<&[u32]> = terms.iter().map(|&term| lexicon.positions(term)).collect();
    let holders = |&term: &u32| {
        let units = (0..ranges.len()).filter(|&unit| holds(term, unit));
        units.map(|unit| unit as u32).collect::<Vec<u32>>()
    };
    let extra: Vec<Vec<u32>> = terms.iter().map(holders).collect();
    score(&positions, &Units { ranges, extra: &extra })
}

fn sorted(mut terms: Vec<u32>) -> Vec<u32> {
    terms.sort_unstable();
    terms
}

fn has(sorted: &[u32], term: u32) -> bool {
    sorted.binary_search(&term).is_ok()
}

fn add(sum: &mut [f32], row: &[f32], sign: f32) {
    for (sum, number) in sum.iter_mut().zip(row) {
        *sum += sign * number;
    }
}

fn positions(stream: &[Range<u32>], events: &Range<usize>) -> Range<u32> {
    match (stream.get(events.start), stream.get(events.end.wrapping_sub(1))) {
        (Some(first), Some(last)) if events.start < events.end => first.start..last.end,
        _ => 0..0,
    }
}

/// Runs of events of one chapter, with the chapter's place.
fn chapter_runs(index: &Index) -> Vec<(usize, Range<usize>)> {
    let chapter_of = |event: usize| {
        let chunk = index.knowledge.events[event].chunk;
        index.chunks.get(chunk.index()).map_or(0, |chunk| chunk.chapter as usize)
    };
    let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
    for event in 0..index.knowledge.events.len() {
        let chapter = chapter_of(event);
        match runs.last_mut() {
            Some((last, run)) if *last == chapter => run.end = event + 1,
            _ => runs.push((chapter, event..event + 1)),
        }
    }
    runs
}

/// The run of events around one, grown on both sides in turn while it stays under the token limit.
fn centred(event: usize, section: &Range<usize>, tokens: &[u32]) -> Range<usize> {
    let mut run = event..event + 1;
    let mut sum = tokens[event];
    loop {
        let mut grown = false;
        if run.start > section.start && sum + tokens[run.start - 1] <= CONTEXT_TOKENS {
            run.start -= 1;
            sum += tokens[run.start];
            grown = true;
        }
        if run.end < section.end && sum + tokens[run.end] <= CONTEXT_TOKENS {
            sum += tokens[run.end];
            run.end += 1;
            grown = true;
        }
        if !grown {
            return run;
        }
    }
}

/// Whether an event's text names one who takes part in it: who says `I` takes part unnamed.
fn names(index: &Index, event: &Event, id: EntityId) -> bool {
    let text = event.span.of(&index.document.text);
    let aliases = index.knowledge.entities.get(id.index()).map_or(&[][..], |entity| &entity.aliases);
    aliases.iter().filter_map(|alias| alias.name.rsplit(' ').next()).any(|word| text.contains(word))
}

/// For each event with a personal pronoun, the terms of the names used shortly before and not in it.
async fn carried_names(index: &Index, lexicon: &mut Lexicon, pace: &Pace<'_>) -> Result<Vec<Vec<u32>>> {
    let terms_of: Vec<Vec<u32>> =
        index.knowledge.entities.iter().map(|entity| lexicon.note(&entity.name)).collect();
    let events = &index.knowledge.events;
    let third_person =
        |word: &str| english::entry(word).is(Tag::Pronoun) && english::entry(word).gender().is_some();
    let text = index.document.text.as_str();
    let mut carried = Vec::with_capacity(events.len());
    for (place, event) in events.iter().enumerate() {
        let mut terms = Vec::new();
        if words(event.span.of(text)).any(|word| third_person(&word)) {
            let mut gone: Vec<EntityId> = events[place.saturating_sub(CARRY)..place]
                .iter()
                .flat_map(|before| before.participants.iter().take(CARRIED).map(move |id| (before, *id)))
                .filter(|(before, id)| names(index, before, *id) && !event.participants.contains(id))
                .map(|(_, id)| id)
                .collect();
            gone.sort_unstable();
            gone.dedup();
            let named = gone.iter().filter_map(|id| terms_of.get(id.index())).flatten();
            terms = sorted(named.copied().collect());
            terms.dedup();
        }
        carried.push(terms);
        if place % 32 == 0 {
            pace.step("words", 2 * events.len() + place, 4 * events.len()).await?;
        }
    }
    Ok(carried)
}
