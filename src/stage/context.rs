//! The context: exactly the text a generator would be given, within its token limit.
//!
//! Offline it opens with the best passage whole, where that takes at most half of the room, and then
//! tells the plotline in story order. In the paper profile each line is a character's profile and an
//! event's details, as the generator prompt describes them (PonsRAG appendix G).

use std::fmt::Write;

use crate::book::Book;
use crate::knowledge::EntityId;
use crate::text::tokens;

use super::Line;
use super::evidence::Passage;

/// A context and its size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The text.
    pub text: String,
    /// Its estimated tokens, at most the limit.
    pub tokens: u32,
}

/// The best passage whole, then the plotline in story order without what the passage tells.
pub fn passage_and_plotline(book: &Book, best: Option<&Passage>, lines: &[Line], limit: u32) -> Context {
    let mut blocks = Vec::new();
    if let Some(passage) = best.filter(|passage| tokens(book.text(passage.span)) <= limit / 2) {
        let title = book.chapter_title(passage.chunk);
        blocks.push(format!("Passage, from {title}:\n{}", book.text(passage.span)));
    }
    let told = best.filter(|_| !blocks.is_empty()).map(|passage| passage.span);
    if !lines.is_empty() {
        blocks.push("Plotline, in story order:".to_owned());
    }
    for line in
        lines.iter().filter(|line| !told.is_some_and(|told| told.contains(book.event_span(line.event))))
    {
        blocks.push(told_line(book, line));
    }
    fitted(blocks, limit)
}

/// Every pair as `<character profile, event details>`, in story order.
pub fn profiles_and_events(book: &Book, lines: &[Line], limit: u32) -> Context {
    let pair = |line: &Line| {
        let profile = line.character.map_or(String::new(), |character| profile(book, character));
        format!("<{profile}, {}>", flat(book.text(book.event_span(line.event))))
    };
    fitted(lines.iter().map(pair).collect(), limit)
}

/// Passages whole, as many as fit, best first: the baselines' context.
pub fn passages(book: &Book, passages: &[Passage], limit: u32) -> Context {
    let block = |passage: &Passage| {
        format!("Passage, from {}:\n{}", book.chapter_title(passage.chunk), book.text(passage.span))
    };
    fitted(passages.iter().map(block).collect(), limit)
}

/// A character's name and description on one line.
pub fn profile(book: &Book, character: EntityId) -> String {
    let Some(entity) = book.index.knowledge.entities.get(character.index()) else { return String::new() };
    let mut profile = entity.name.clone();
    for (place, &span) in entity.description.iter().enumerate() {
        let _ = write!(profile, "{} {}", if place == 0 { ":" } else { "" }, flat(book.text(span)));
    }
    profile
}

fn told_line(book: &Book, line: &Line) -> String {
    let title = book.chapter_title(book.event_chunk(line.event));
    let who = line.character.map_or(String::new(), |character| format!(" {} |", book.name(character)));
    format!("[{title}]{who} {}", flat(book.text(book.event_span(line.event))))
}

/// A text on one line.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Blocks parted by line breaks, as many from the front as fit; a block too large is passed over.
fn fitted(blocks: Vec<String>, limit: u32) -> Context {
    let mut context = Context::default();
    for block in blocks {
        // One more for the line break.
        let size = tokens(&block) + 1;
        if context.tokens + size <= limit {
            if !context.text.is_empty() {
                context.text.push('\n');
            }
            context.text.push_str(&block);
            context.tokens += size;
        }
    }
    context
}
