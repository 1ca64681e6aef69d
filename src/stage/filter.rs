//! The flow filter without a chat model: keep what serves the question, within the context's tokens.
//!
//! Lines are taken best first by `S(q, v)`; a linked event (awakened, or a neighbour in time) below the
//! median score of the anchors is dropped; what no longer fits is dropped; an anchor is dropped for no
//! other reason. What is kept is put in story order (systems 1.8, items 1 and 9).
//!
//! Departure: the paper asks a chat model which pairs help.

use crate::algo::vector::{descending, quantile};
use crate::book::Book;
use crate::knowledge::EventId;

use super::{Dropped, Line, Nodes, Plotline};

/// Tokens of a line's frame: its number, chapter and character.
const FRAME_TOKENS: u32 = 12;

/// Filters lines that come in the order in which they should be taken.
///
/// # Arguments
/// - `lines`: candidates, most wanted first, each event at most once.
/// - `anchors`: their events' median score is the bar for linked ones.
/// - `scores`: `S(q, v)` of every event.
/// - `room`: tokens for all kept lines together.
pub fn filter(book: &Book, lines: Vec<Line>, anchors: &Nodes, scores: &[f64], room: u32) -> Plotline {
    let score = |event: EventId| scores.get(event.index()).copied().unwrap_or(0.0);
    let bar = quantile(anchors.events.iter().map(|node| score(node.id)).collect(), 0.5);
    let mut plotline = Plotline::default();
    let mut used = 0;
    for line in lines {
        let cost = book.scales.event_tokens.get(line.event.index()).copied().unwrap_or(0) + FRAME_TOKENS;
        let reason = if line.linked && score(line.event) < bar {
            Some("linked, but less about the question than the median anchor")
        } else if used + cost > room {
            Some("does not fit the context")
        } else {
            None
        };
        match reason {
            Some(reason) => plotline.dropped.push(Dropped { line, reason }),
            None => {
                used += cost;
                plotline.kept.push(line);
            }
        }
    }
    plotline.kept.sort_by_key(|line| line.event);
    plotline
}

/// Lines ordered for cutting: best score first, ties in story order.
pub fn by_score(mut lines: Vec<Line>, scores: &[f64]) -> Vec<Line> {
    let score = |line: &Line| scores.get(line.event.index()).copied().unwrap_or(0.0);
    lines.sort_by(|a, b| descending(score(a), score(b)).then(a.event.cmp(&b.event)));
    lines
}
