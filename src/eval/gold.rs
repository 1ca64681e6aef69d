//! The marked evidence of a question, found in its book: where it stands, and by which words a context tells
//! of it.
//!
//! A passage has a place, a context only words. A context tells of a span when it holds an event that
//! overlaps the span: the event's words as the book has them, or its details on one line.

use super::score::overlap;
use super::{GoldQuestion, questions::GoldSpan};
use crate::book::Book;
use crate::error::{Code, Error, Result};
use crate::knowledge::{EventId, Span};
use crate::text::Utf16Map;

/// What is marked of a question.
#[derive(Default)]
pub(super) struct Gold {
    /// In UTF-16 units.
    pub(super) spans: Vec<(u32, u32)>,
    /// For each span the words of its events.
    told: Vec<Vec<String>>,
    /// What is marked, in words: what stands at each span, and what the file gives without a place.
    pub(super) words: Vec<String>,
}

impl Gold {
    /// Finds a question's evidence in its book.
    ///
    /// # Errors
    /// `usage` for a span outside of the text.
    pub(super) fn of(book: &Book, map: &Utf16Map, question: &GoldQuestion) -> Result<Self> {
        let mut gold = Self::default();
        for span in &question.evidence {
            let bytes = map.code_points_to_byte(span.start).zip(map.code_points_to_byte(span.end));
            let (start, end) = bytes.ok_or_else(|| outside(map, question, span))?;
            gold.words.push(book.text(Span { start, end }).to_owned());
            gold.spans.push((map.to_utf16(start), map.to_utf16(end)));
            gold.told.push(words_of_events(book, Span { start, end }));
        }
        gold.words.extend(question.told.iter().cloned());
        Ok(gold)
    }

    /// The share of the spans of which a context tells an event; `None` without any span.
    pub(super) fn recall_by_context(&self, context: &str) -> Option<f64> {
        let told = |events: &&Vec<String>| events.iter().any(|words| context.contains(words.as_str()));
        let found = self.told.iter().filter(told).count();
        (!self.told.is_empty()).then(|| found as f64 / self.told.len() as f64)
    }
}

/// The words by which a context would tell each event that overlaps a span.
fn words_of_events(book: &Book, span: Span) -> Vec<String> {
    let events = (0..book.index.knowledge.events.len()).map(EventId::new);
    let overlapping = events.filter(|&event| {
        let own = book.event_span(event);
        overlap((own.start, own.end), (span.start, span.end))
    });
    let words = |event| [book.details(event), book.text(book.event_span(event)).trim().to_owned()];
    overlapping.flat_map(words).filter(|words| !words.is_empty()).collect()
}

fn outside(map: &Utf16Map, question: &GoldQuestion, GoldSpan { start, end, .. }: &GoldSpan) -> Error {
    let (id, length) = (&question.id, map.to_code_points(u32::MAX));
    let message = format!(
        "the evidence of question {id:?}, {start} to {end}, is not in the text of {length} characters"
    );
    Error::new(Code::Usage, message)
}
