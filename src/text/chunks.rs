//! Chunks: whole sentences of one chapter, packed up to a token limit.
//!
//! Packing is greedy: a sentence joins the chunk while the limit holds. White space and stars after a
//! sentence belong to its chunk. A sentence above the limit is cut at white space, or else between
//! characters, and each piece begins a chunk.
//!
//! Invariant: no chunk is above the limit or crosses a chapter or a skip; without overlap, chunks and
//! skips tile the text exactly.

use super::sentences::Sentences;
use super::{Document, tokens};
use crate::error::Result;
use crate::knowledge::{Chunk, Skip, Span};
use crate::pace::{self, Pace};

/// The least limit that is kept: below it a single word may be too long.
const LEAST: usize = 32;
/// Sentences read between two looks at the clock.
const BETWEEN: usize = 8;

/// How large chunks are, and how much they repeat, in tokens.
#[derive(Clone, Copy)]
struct Limits {
    tokens: usize,
    overlap: usize,
}

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
    let cut = pace::straight(async |pace| chunk_paced(document, max_tokens, overlap, pace).await);
    // Without a host nothing cancels it.
    cut.unwrap_or_default()
}

/// [`chunk`], in steps between which a page stays responsive.
///
/// # Errors
/// `aborted` when the caller cancels.
pub async fn chunk_paced(
    document: &Document,
    max_tokens: usize,
    overlap: usize,
    pace: &Pace<'_>,
) -> Result<Vec<Chunk>> {
    let tokens = max_tokens.max(LEAST);
    // Half of a chunk at most, so that chunks together are no more than a few times the text.
    let limits = Limits { tokens, overlap: overlap.min(tokens / 2) };
    let mut chunks = Vec::new();
    for (place, chapter) in document.chapters.iter().enumerate() {
        for segment in segments(&document.skips, chapter.span) {
            let units = units(&document.text, segment, limits.tokens, pace).await?;
            pack(&document.text, &units, place as u32, limits, &mut chunks, pace).await?;
        }
    }
    pace.step("chunks", document.text.len(), document.text.len()).await?;
    Ok(chunks)
}

/// What lies between the skips of a chapter.
fn segments(skips: &[Skip], chapter: Span) -> impl Iterator<Item = Span> + '_ {
    let from = skips.partition_point(|skip| skip.span.end <= chapter.start);
    let inside =
        skips.iter().skip(from).map(|skip| skip.span).take_while(move |skip| skip.start < chapter.end);
    let after = Span { start: chapter.end, end: chapter.end };
    let mut at = chapter.start;
    inside.chain([after]).filter_map(move |skip| {
        let segment = Span { start: at, end: skip.start.max(at) };
        at = skip.end.max(at);
        (!segment.is_empty()).then_some(segment)
    })
}

/// The sentences of a segment (all of it, where there is none), each up to the start of the next, the first from the segment's start.
async fn units(text: &str, segment: Span, limit: usize, pace: &Pace<'_>) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    let mut start = segment.start;
    for (count, sentence) in Sentences::new(text, segment).skip(1).enumerate() {
        push_unit(text, Span { start, end: sentence.start }, limit, &mut units);
        start = sentence.start;
        if count % BETWEEN == 0 {
            // The first half of the segment's way; packing is the second.
            pace.step("chunks", (segment.start + start) as usize / 2, text.len()).await?;
        }
    }
    push_unit(text, Span { start, end: segment.end }, limit, &mut units);
    Ok(units)
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

async fn pack(
    text: &str,
    units: &[Unit],
    chapter: u32,
    limits: Limits,
    chunks: &mut Vec<Chunk>,
    pace: &Pace<'_>,
) -> Result<()> {
    let limit = limits.tokens as u64 * 100;
    let end = units.last().map_or(0, |unit| unit.span.range().end);
    let (mut first, mut spent) = (0, 0);
    for (place, unit) in units.iter().enumerate() {
        if place > first && (unit.cut || spent + unit.price > limit) {
            close(text, units.get(first..place).unwrap_or_default(), chapter, chunks);
            let room = limit.saturating_sub(unit.price);
            (first, spent) = repeated(units, first, place, limits.overlap as u64 * 100, room);
            pace.step("chunks", (end + unit.span.range().start) / 2, text.len()).await?;
        }
        spent += unit.price;
    }
    close(text, units.get(first..).unwrap_or_default(), chapter, chunks);
    Ok(())
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
