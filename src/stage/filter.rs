//! The flow filter without a chat model: keep what serves the question, within the context's tokens.
//!
//! Lines are taken best first by `S(q, v)`; a linked event (awakened, or a neighbour in time) below the
//! median score of the anchors is dropped; what no longer fits is dropped; an anchor is dropped for no
//! other reason. Switched off, only what does not fit is dropped. What is kept is put in story order
//! (systems 1.8, items 1 and 9).
//!
//! Departure: the paper asks a chat model which pairs help.

use crate::algo::vector::quantile;
use crate::config::By;
use crate::knowledge::EventId;

use super::{Dropped, Line, Nodes, Plotline};

/// Filters lines that come in the order in which they should be taken.
///
/// # Arguments
/// - `lines`: candidates, most wanted first, each event at most once.
/// - `anchors`: their events' median score is the bar for linked ones.
/// - `scores`: `S(q, v)` of every event.
/// - `by`: who decides; only whether anybody does is looked at.
/// - `room`: tokens for all kept lines together.
/// - `cost`: the tokens a line takes in the context; none where they are over the rest of the room.
pub fn filter(
    lines: Vec<Line>,
    anchors: &Nodes,
    scores: &[f64],
    by: By,
    room: u32,
    cost: impl Fn(&Line, u32) -> Option<u32>,
) -> Plotline {
    let score = |event: EventId| scores.get(event.index()).copied().unwrap_or(0.0);
    let bar = quantile(anchors.events.iter().map(|node| score(node.id)).collect(), 0.5);
    let mut plotline = Plotline::default();
    let mut rest = room;
    for line in lines {
        if by != By::Off && line.linked && score(line.event) < bar {
            let reason = "linked, but less about the question than the median anchor";
            plotline.dropped.push(Dropped { line, reason });
            continue;
        }
        match cost(&line, rest) {
            Some(tokens) => {
                rest = rest.saturating_sub(tokens);
                plotline.kept.push(line);
            }
            None => plotline.dropped.push(Dropped { line, reason: "does not fit the context" }),
        }
    }
    // Stable: the partners of one event stay as they came, heaviest first.
    plotline.kept.sort_by_key(|line| line.event);
    plotline
}
