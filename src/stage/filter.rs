//! The flow filter's own part: what a rule keeps, what a chat model chose, and what fits the context.
//!
//! By rule a linked event (one that was awakened) is dropped on the far side of what the question's word of
//! time asks for, and in the paper profile below the median score of the anchors; an anchor is not. What is
//! kept, by rule or by choice, is taken best first as long as it fits, and put in story order (systems 1.8, items
//! 1, 3 and 9).
//!
//! Departure: the rule; the paper has a chat model alone.

use crate::algo::vector::quantile;
use crate::knowledge::EventId;

use super::{Dropped, Line, Nodes, Order, Plotline, Time};

/// Why a line was dropped that a chat model was offered.
pub const NOT_CHOSEN: &str = "not chosen by the chat model";
/// Why a line was dropped that it was not offered.
pub const NOT_OFFERED: &str = "below what the chat model was offered";

/// Why a line was dropped that was kept and found no room.
pub const NOT_FITTING: &str = "does not fit the context";

/// Lines that stay, most wanted first, and lines that do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// In the order in which they fill the context.
    pub lines: Vec<Line>,
    /// Left out.
    pub dropped: Vec<Dropped>,
}

/// What the rule keeps.
///
/// # Arguments
/// - `lines`: candidates, most wanted first.
/// - `scores`: `S(q, v)` of every event.
/// - `bar`: the least score of a linked event; none where every event has the place of its own score.
/// - `order`: what the question's word of time asks for.
pub fn by_rule(lines: Vec<Line>, scores: &[f64], bar: Option<f64>, order: Option<&Order>) -> Kept {
    let mut kept = Kept::default();
    for line in lines {
        let below = line.linked && bar.is_some_and(|bar| score(scores, line.event) < bar);
        let astray = order.and_then(|order| astray(order, line.event)).filter(|_| line.linked);
        match astray {
            _ if below => {
                let reason = "linked, but less about the question than the median anchor";
                kept.dropped.push(Dropped { line, reason });
            }
            Some(reason) => kept.dropped.push(Dropped { line, reason }),
            None => kept.lines.push(line),
        }
    }
    kept
}

/// The median score of the anchored events.
pub fn median(anchors: &Nodes, scores: &[f64]) -> f64 {
    quantile(anchors.events.iter().map(|node| score(scores, node.id)).collect(), 0.5)
}

fn score(scores: &[f64], event: EventId) -> f64 {
    scores.get(event.index()).copied().unwrap_or(0.0)
}

/// Why an event is on the far side of what the question asks for.
fn astray(order: &Order, event: EventId) -> Option<&'static str> {
    let (early, late) = (event < order.scene, event > order.scene);
    match order.time {
        Time::First if late => Some("linked, but late where the question asks what was at first"),
        Time::Last if early => Some("linked, but early where the question asks what was at last"),
        Time::After if early => Some("linked, but before the scene that the question looks on from"),
        Time::Before if late => Some("linked, but after the scene that the question looks back from"),
        _ => None,
    }
}

/// What a chat model chose of the lines it was offered, by their places there.
pub fn chosen(lines: Vec<Line>, offered: &[Line], places: &[usize]) -> Kept {
    let mut kept = Kept::default();
    for line in lines {
        let place = offered.iter().position(|candidate| *candidate == line);
        match place {
            Some(place) if places.contains(&place) => kept.lines.push(line),
            Some(_) => kept.dropped.push(Dropped { line, reason: NOT_CHOSEN }),
            None => kept.dropped.push(Dropped { line, reason: NOT_OFFERED }),
        }
    }
    kept
}

/// What of the lines fits.
///
/// # Arguments
/// - `room`: tokens for all lines together.
/// - `cost`: the tokens a line takes in the context; none where they are over the rest of the room.
pub fn fit(kept: Kept, room: u32, cost: impl Fn(&Line, u32) -> Option<u32>) -> Plotline {
    let mut plotline = Plotline { kept: Vec::new(), dropped: kept.dropped };
    let mut rest = room;
    for line in kept.lines {
        match cost(&line, rest) {
            Some(tokens) => {
                rest = rest.saturating_sub(tokens);
                plotline.kept.push(line);
            }
            None => plotline.dropped.push(Dropped { line, reason: NOT_FITTING }),
        }
    }
    plotline.kept.sort_by_key(|line| line.event);
    plotline
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Scored;

    fn line(event: usize, linked: bool) -> Line {
        Line { event: EventId::new(event), characters: Vec::new(), linked }
    }

    fn events(lines: &[Line]) -> Vec<usize> {
        lines.iter().map(|line| line.event.index()).collect()
    }

    #[test]
    fn linked_lines_on_the_far_side_in_time_are_dropped_and_anchors_never() {
        let scores = vec![1.0; 6];
        let anchor = |event: usize| Scored { id: EventId::new(event), score: 1.0 };
        let anchors = Nodes { characters: Vec::new(), events: vec![anchor(0), anchor(2), anchor(5)] };
        let lines = || vec![line(0, false), line(1, true), line(2, false), line(3, true), line(5, false)];
        for (time, kept) in [
            (Time::First, vec![0, 1, 2, 5]),
            (Time::Before, vec![0, 1, 2, 5]),
            (Time::Last, vec![0, 2, 3, 5]),
            (Time::After, vec![0, 2, 3, 5]),
        ] {
            let order = Order { time, scene: EventId::new(2) };
            let found = by_rule(lines(), &scores, Some(median(&anchors, &scores)), Some(&order));
            assert_eq!(events(&found.lines), kept, "{time:?}");
            assert_eq!(found.dropped.len(), 1);
            assert!(found.dropped[0].reason.starts_with("linked, but "));
        }
        assert_eq!(by_rule(lines(), &scores, Some(median(&anchors, &scores)), None).dropped, []);
    }

    #[test]
    fn a_choice_is_cut_to_the_room_by_rank_and_told_in_story_order() {
        let lines = vec![line(4, false), line(1, true), line(3, false), line(0, false), line(2, false)];
        let offered = [line(1, true), line(3, false), line(4, false)];
        let kept = chosen(lines, &offered, &[0, 2]);
        let reasons: Vec<&str> = kept.dropped.iter().map(|dropped| dropped.reason).collect();
        assert_eq!(reasons, [NOT_CHOSEN, NOT_OFFERED, NOT_OFFERED]);
        let cost = |_: &Line, rest: u32| (rest >= 10).then_some(10);
        assert_eq!(events(&fit(kept.clone(), 20, cost).kept), [1, 4]);
        let cut = fit(kept, 10, cost);
        assert_eq!((events(&cut.kept), cut.dropped.len()), (vec![4], 4));
    }
}
