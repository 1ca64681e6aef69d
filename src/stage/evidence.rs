//! Evidence: passages with exact spans, best first.
//!
//! Offline, a passage is a chunk ranked by its best event, which is its focus. In the paper profile the
//! pairs come first, each as its event widened to its chunk, a chunk of several pairs once; then the
//! chunks in the order of the walk.
//!
//! Departure: the offline study gained three points at rank 1 by passages that cross chunk borders; a
//! passage here lies inside one chunk, as the interface promises.

use crate::algo::vector::{descending, min_max, top_k};
use crate::book::Book;
use crate::knowledge::{ChunkId, EventId, Span};

use super::{Pair, Passage, Scored};

/// Passages returned where the book has them.
pub const PASSAGES: usize = 20;

/// Chunks by their best event.
pub fn by_best_event(book: &Book, scores: &[f64]) -> Vec<Passage> {
    let mut best: Vec<Option<usize>> = vec![None; book.index.chunks.len()];
    for (event, told) in book.index.knowledge.events.iter().enumerate() {
        let Some(place) = best.get_mut(told.chunk.index()) else { continue };
        if place.is_none_or(|held| scores[event] > scores[held]) {
            *place = Some(event);
        }
    }
    let value = |best: &Option<usize>| best.map_or(f64::NEG_INFINITY, |event| scores[event]);
    let values: Vec<f64> = best.iter().map(value).collect();
    top_k(&values, PASSAGES)
        .into_iter()
        .filter(|&chunk| values[chunk].is_finite())
        .map(|chunk| {
            let focus = best[chunk].map_or(Span::new(0, 0), |event| book.event_span(EventId::new(event)));
            Passage { focus, ..whole(book, ChunkId::new(chunk), values[chunk]) }
        })
        .collect()
}

/// Chunks in a given order.
pub fn by_chunk(book: &Book, chunks: &[Scored<ChunkId>]) -> Vec<Passage> {
    chunks.iter().take(PASSAGES).map(|scored| whole(book, scored.id, scored.score)).collect()
}

/// Chunks in a given order, which is all that is known of them; with it a score for each of the book's chunks.
pub fn in_order(book: &Book, chunks: &[ChunkId]) -> (Vec<Passage>, Vec<f64>) {
    let mut scores = vec![0.0; book.index.chunks.len()];
    for (place, chunk) in chunks.iter().enumerate() {
        if let Some(score) = scores.get_mut(chunk.index()) {
            *score = 1.0 / (1.0 + place as f64);
        }
    }
    let ranked = chunks.iter().filter_map(|&id| Some(Scored { id, score: *scores.get(id.index())? }));
    (by_chunk(book, &ranked.collect::<Vec<_>>()), scores)
}

/// One passage for each chunk of kept pairs, in the order of its best pair: by the mean of the pair's weight
/// and score, each scaled to 0 to 1 over the pairs; then `rest`, as far as it names other chunks.
pub fn by_pairs(book: &Book, pairs: &[Pair], scores: &[f64], rest: &[Scored<ChunkId>]) -> Vec<Passage> {
    let weights = min_max(&pairs.iter().map(|pair| pair.weight).collect::<Vec<_>>());
    let own = min_max(&pairs.iter().map(|pair| scores[pair.event.index()]).collect::<Vec<_>>());
    let mut ranked: Vec<(f64, &Pair)> =
        pairs.iter().enumerate().map(|(place, pair)| ((weights[place] + own[place]) / 2.0, pair)).collect();
    ranked.sort_by(|a, b| descending(a.0, b.0).then(a.1.event.cmp(&b.1.event)));
    let ranked: Vec<Scored<EventId>> =
        ranked.into_iter().map(|(score, pair)| Scored { id: pair.event, score }).collect();
    by_events(book, &ranked, rest)
}

/// One passage for each chunk of the anchored events, best first; then `rest`, as far as it names other
/// chunks.
pub fn by_anchors(book: &Book, anchors: &[Scored<EventId>], rest: &[Scored<ChunkId>]) -> Vec<Passage> {
    let scores = min_max(&anchors.iter().map(|node| node.score).collect::<Vec<_>>());
    let scaled = anchors.iter().zip(scores).map(|(node, score)| Scored { id: node.id, score });
    by_events(book, &scaled.collect::<Vec<_>>(), rest)
}

fn by_events(book: &Book, events: &[Scored<EventId>], rest: &[Scored<ChunkId>]) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    for &Scored { id, score } in events {
        let focus = book.event_span(id);
        let chunk = book.event_chunk(id);
        // A chunk's passage is the whole of it: a second event there adds nothing to read.
        if !passages.iter().any(|passage| passage.chunk == chunk) {
            passages.push(Passage { focus, ..whole(book, chunk, score) });
        }
    }
    let least = passages.last().map_or(1.0, |passage| passage.score);
    let most = rest.first().map_or(1.0, |scored| scored.score).max(f64::MIN_POSITIVE);
    for scored in rest {
        if passages.len() >= PASSAGES {
            break;
        }
        if !passages.iter().any(|passage| passage.chunk == scored.id) {
            passages.push(whole(book, scored.id, least * (scored.score / most)));
        }
    }
    passages
}

/// A chunk as a passage, white space at its ends cut.
fn whole(book: &Book, chunk: ChunkId, score: f64) -> Passage {
    let span = book.index.chunks.get(chunk.index()).map_or(Span::new(0, 0), |chunk| chunk.span);
    let text = book.text(span);
    let start = span.start as usize + (text.len() - text.trim_start().len());
    let span = Span::new(start, start + text.trim().len());
    Passage { chunk, span, focus: span, score }
}
