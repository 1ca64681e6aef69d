//! Chunks: whole sentences of one chapter, packed up to a token limit.
//!
//! Packing is greedy: a sentence joins the chunk while the limit holds. White space and stars after a
//! sentence belong to its chunk. A sentence above the limit is cut at white space, or else between
//! characters, and each piece begins a chunk.
//!
//! Invariant: no chunk is above the limit or crosses a chapter or a skip; without overlap, chunks and
//! skips tile the text exactly.

use crate::knowledge::{Chunk, Span};

use super::{Document, sentences, tokens};

/// The least limit that is kept: below it a single word may be too long.
const LEAST: usize = 32;

/// A sentence with the white space after it.
#[derive(Clone, Copy)]
struct Unit {
    span: Span,
    price: u64,
    /// Whether it is the rest of a cut sentence, which nothing before it may join.
    cut: bool,
}

/// Cuts a document into chunks of at most `max_tokens` (32 at least) that repeat whole sentences of
/// `overlap` tokens or more from their predecessor, where these leave room for anything new.
pub fn chunk(document: &Document, max_tokens: usize, overlap: usize) -> Vec<Chunk> {
    (0..document.chapters.len())
        .flat_map(|place| chunk_chapter(document, place, max_tokens, overlap))
        .collect()
}

/// The chunks of one chapter: what [`chunk`] does, in a piece short enough for a responsive page.
pub fn chunk_chapter(document: &Document, place: usize, max_tokens: usize, overlap: usize) -> Vec<Chunk> {
    let limit = max_tokens.max(LEAST);
    // Half of a chunk at most, so that chunks together are no more than a few times the text.
    let overlap = overlap.min(limit / 2);
    let mut chunks = Vec::new();
    let Some(chapter) = document.chapters.get(place).map(|chapter| chapter.span) else { return chunks };
    let mut at = chapter.start;
    let mut skips = document.skips.iter().map(|skip| skip.span).filter(|skip| skip.end > chapter.start);
    while at < chapter.end {
        let skip = skips.next().unwrap_or(Span { start: u32::MAX, end: u32::MAX });
        if skip.start > at {
            let segment = Span { start: at, end: chapter.end.min(skip.start) };
            let units = units(&document.text, segment, limit);
            pack(&document.text, &units, place as u32, limit, overlap, &mut chunks);
        }
        at = skip.end.min(chapter.end).max(at);
    }
    chunks
}

/// The sentences of a segment (all of it, where there is none), each up to the start of the next, the first from the segment's start.
fn units(text: &str, segment: Span, limit: usize) -> Vec<Unit> {
    let found = sentences::sentences(text, segment);
    let mut units = Vec::with_capacity(found.len().max(1));
    let starts = std::iter::once(segment.start).chain(found.iter().skip(1).map(|span| span.start));
    let ends = found.iter().skip(1).map(|span| span.start).chain([segment.end]);
    for (start, end) in starts.zip(ends) {
        push_unit(text, Span { start, end }, limit, &mut units);
    }
    units
}

/// Keeps a unit, in pieces where it is above the limit.
fn push_unit(text: &str, mut span: Span, limit: usize, units: &mut Vec<Unit>) {
    let mut cut = false;
    loop {
        let words = span.of(text);
        let length = tokens::fit(words, limit);
        let piece = Span::new(span.range().start, span.range().start + length);
        units.push(Unit { span: piece, price: tokens::price(piece.of(text)), cut });
        if length >= words.len() {
            return;
        }
        span.start = piece.end;
        cut = true;
    }
}

fn pack(text: &str, units: &[Unit], chapter: u32, limit: usize, overlap: usize, chunks: &mut Vec<Chunk>) {
    let limit = limit as u64 * 100;
    let (mut first, mut spent) = (0, 0);
    for (place, unit) in units.iter().enumerate() {
        if place > first && (unit.cut || spent + unit.price > limit) {
            close(text, units.get(first..place).unwrap_or_default(), chapter, chunks);
            let room = limit.saturating_sub(unit.price);
            (first, spent) = repeated(units, first, place, overlap as u64 * 100, room);
        }
        spent += unit.price;
    }
    close(text, units.get(first..).unwrap_or_default(), chapter, chunks);
}

/// Where the next chunk starts so that it repeats `wanted` of what stands before `place`, and what
/// the repetition costs: nothing where it would not fit into `room` or would repeat the whole chunk.
fn repeated(units: &[Unit], first: usize, place: usize, wanted: u64, room: u64) -> (usize, u64) {
    let (mut start, mut price) = (place, 0);
    while price < wanted && start > first + 1 {
        match units.get(start - 1) {
            Some(unit) if !units.get(start).is_some_and(|next| next.cut) && price + unit.price <= room => {
                price += unit.price;
                start -= 1;
            }
            _ => break,
        }
    }
    (start, price)
}

fn close(text: &str, units: &[Unit], chapter: u32, chunks: &mut Vec<Chunk>) {
    if let (Some(first), Some(last)) = (units.first(), units.last()) {
        let span = Span { start: first.span.start, end: last.span.end };
        chunks.push(Chunk { span, chapter, tokens: tokens::tokens(span.of(text)) });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{ReadOptions, read};
    use super::*;

    fn words(text: &str, limit: usize, overlap: usize) -> Vec<String> {
        let document = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let of = |chunk: Chunk| chunk.span.of(&document.text).to_owned();
        chunk(&document, limit, overlap).into_iter().map(of).collect()
    }

    /// Sentences of some eleven tokens: A, B, C and so on.
    fn lettered(count: usize) -> String {
        (b'A'..)
            .take(count)
            .map(|letter| format!("{} saw the rain on the far bank again. ", char::from(letter)))
            .collect()
    }

    fn initials(text: &str) -> String {
        text.split(". ").filter_map(|sentence| sentence.chars().next()).collect()
    }

    #[test]
    fn whole_sentences_fill_chunks() {
        let found: Vec<String> = words(&lettered(7), 32, 0).iter().map(|text| initials(text)).collect();
        assert_eq!(found.concat(), "ABCDEFG");
        assert!(found.iter().all(|letters| letters.len() >= 2 || letters == "G"), "{found:?}");
    }

    #[test]
    fn overlap_repeats_whole_sentences() {
        let found: Vec<String> = words(&lettered(8), 48, 10).iter().map(|text| initials(text)).collect();
        assert!(found.len() > 2);
        for two in found.windows(2) {
            assert_eq!(two[0].chars().last(), two[1].chars().next(), "{found:?}");
        }
    }

    #[test]
    fn chunks_stay_in_their_chapter_and_end_with_its_white_space() {
        let found = words("CHAPTER I\n\nIt rained.\n\n* * *\n\nHe ran.\n\nCHAPTER II\n\nShe came.\n", 512, 0);
        assert_eq!(found, ["It rained.\n\n* * *\n\nHe ran.\n\n", "She came.\n"]);
        assert_eq!(words("...\n\n?!\n", 512, 0), ["...\n\n?!\n"]);
    }
}
