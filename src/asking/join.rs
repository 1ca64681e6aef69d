//! What several steps found, as one: the best score of each thing, the plotline in story order, one context.
//!
//! Invariant: joined lists hold what either step found, each once; the context is made of the steps' own
//! blocks and keeps to one limit, and what it does not hold of the plotline is dropped.

use std::collections::{BTreeMap, BTreeSet};

use crate::algo::vector::descending;
use crate::book::Book;
use crate::config::Profile;
use crate::knowledge::EventId;
use crate::retrieval::{Filter, Retrieval};
use crate::stage::context::{self, Block, Context};
use crate::stage::evidence::PASSAGES;
use crate::stage::filter::NOT_FITTING;
use crate::stage::{self, Associations, Dropped, Item, Line, Nodes, Pair, Passage, Plotline, Scored};

/// Two steps' findings, the earlier first; what is read of them is not settled yet.
pub(super) fn join(first: Retrieval, next: Retrieval) -> Retrieval {
    let anchors = nodes(&first.anchors, &next.anchors);
    let mut awakened = nodes(&first.awakened, &next.awakened);
    awakened.characters.retain(|node| anchors.characters.iter().all(|anchor| anchor.id != node.id));
    awakened.events.retain(|node| !anchors.has_event(node.id));
    let evidence = passages(&first.evidence, &next.evidence);
    let mut issues = first.issues;
    let new = next.issues.into_iter().filter(|issue| !issues.contains(issue)).collect::<Vec<_>>();
    issues.extend(new);
    Retrieval {
        // Those of the question itself.
        recognised: first.recognised,
        profile: first.profile,
        mode: first.mode,
        matching: edges(first.matching, next.matching),
        awakened,
        anchors,
        pairs: pairs(first.pairs, next.pairs),
        associations: associations(first.associations, next.associations),
        plotline: plotline(first.plotline, next.plotline, first.profile),
        evidence,
        context: Context::default(),
        scores: best(first.scores, &next.scores),
        filter: filter(first.filter, next.filter),
        issues,
        timings: timings(first.timings, next.timings),
    }
}

/// What is read of all steps together.
///
/// # Arguments
/// - `wanted`: each step's blocks, most wanted first.
pub(super) fn read_together(
    book: &Book,
    mut found: Retrieval,
    wanted: &[Vec<Block>],
    limit: u32,
) -> Retrieval {
    let Plotline { kept, dropped } = &mut found.plotline;
    found.context = context::joined(wanted, kept, &found.evidence, limit);
    let unread = kept.extract_if(.., |line| !context::stands(book, &found.context, line));
    dropped.extend(unread.map(|line| Dropped { line, reason: NOT_FITTING }));
    let told = |pair: &Pair| {
        kept.iter().any(|line| line.event == pair.event && line.characters.contains(&pair.character))
    };
    found.pairs.retain(told);
    found
}

fn nodes(first: &Nodes, next: &Nodes) -> Nodes {
    Nodes {
        characters: scored(&first.characters, &next.characters),
        events: scored(&first.events, &next.events),
    }
}

/// Each once with its best score, best first.
fn scored<T: Copy + Ord>(first: &[Scored<T>], next: &[Scored<T>]) -> Vec<Scored<T>> {
    let mut best: BTreeMap<T, f64> = BTreeMap::new();
    for node in first.iter().chain(next) {
        let score = best.entry(node.id).or_insert(node.score);
        *score = score.max(node.score);
    }
    let mut nodes: Vec<Scored<T>> = best.into_iter().map(|(id, score)| Scored { id, score }).collect();
    nodes.sort_by(|a, b| descending(a.score, b.score).then(a.id.cmp(&b.id)));
    nodes
}

/// Each chunk's best passage, best first; of equal ones the earlier step's.
fn passages(first: &[Passage], next: &[Passage]) -> Vec<Passage> {
    let mut joined: Vec<Passage> = Vec::new();
    for passage in first.iter().chain(next) {
        match joined.iter_mut().find(|known| known.chunk == passage.chunk) {
            Some(known) if passage.score > known.score => *known = *passage,
            Some(_) => {}
            None => joined.push(*passage),
        }
    }
    joined.sort_by(|a, b| descending(a.score, b.score));
    joined.truncate(PASSAGES);
    joined
}

/// The edges that either step chose from, heaviest first.
fn edges(first: stage::Matching, next: stage::Matching) -> stage::Matching {
    let both = |first: Vec<Pair>, next: Vec<Pair>| {
        let mut all: Vec<Pair> = first;
        all.extend(next);
        let key = |pair: &Pair| (pair.event, pair.character);
        all.sort_by(|a, b| descending(a.weight, b.weight).then(key(a).cmp(&key(b))));
        all.dedup_by_key(|pair| key(pair));
        all
    };
    stage::Matching {
        edges: both(first.edges, next.edges),
        pairs: both(first.pairs, next.pairs),
        cut: both(first.cut, next.cut),
    }
}

/// The pairs of both, each once, in story order.
fn pairs(mut first: Vec<Pair>, next: Vec<Pair>) -> Vec<Pair> {
    let known: BTreeSet<_> = first.iter().map(|pair| (pair.character, pair.event)).collect();
    first.extend(next.into_iter().filter(|pair| !known.contains(&(pair.character, pair.event))));
    first.sort_by(|a, b| a.event.cmp(&b.event).then(descending(a.weight, b.weight)));
    first
}

/// Kept is what one step kept, offline each event once, as the earlier step told it; dropped is what no step
/// kept.
fn plotline(first: Plotline, next: Plotline, profile: Option<Profile>) -> Plotline {
    let by_event = profile != Some(Profile::Paper);
    let mut kept: BTreeMap<EventId, Vec<Line>> = BTreeMap::new();
    for line in first.kept.into_iter().chain(next.kept) {
        let told = kept.entry(line.event).or_default();
        match told.iter_mut().find(|known| by_event || known.characters == line.characters) {
            Some(known) => known.linked &= line.linked,
            None => told.push(line),
        }
    }
    // Offline nearly every event of the book is dropped, in each step.
    let mut seen = BTreeSet::new();
    let new = |dropped: &Dropped| {
        let Line { event, characters, .. } = &dropped.line;
        let tells = |known: &Line| by_event || characters.iter().all(|id| known.characters.contains(id));
        let told = kept.get(event).is_some_and(|lines| lines.iter().any(tells));
        !told && seen.insert((*event, characters.clone()))
    };
    let dropped = first.dropped.into_iter().chain(next.dropped).filter(new).collect();
    Plotline { dropped, kept: kept.into_values().flatten().collect() }
}

/// What either step kept, by its best score and place; eliminated is what no step kept.
fn associations(mut first: Associations, next: Associations) -> Associations {
    for node in next.entities {
        match first.entities.iter_mut().find(|known| known.id == node.id) {
            Some(known) => {
                known.score = known.score.max(node.score);
                for (known, rank) in known.ranks.iter_mut().zip(node.ranks) {
                    *known = known.iter().chain(&rank).min().copied();
                }
            }
            None => first.entities.push(node),
        }
    }
    first.entities.sort_by(|a, b| descending(a.score, b.score).then(a.id.cmp(&b.id)));
    first.relations = scored(&first.relations, &next.relations);
    for gone in next.eliminated {
        if !first.eliminated.iter().any(|known| known.item == gone.item) {
            first.eliminated.push(gone);
        }
    }
    let (entities, relations) = (&first.entities, &first.relations);
    first.eliminated.retain(|gone| {
        gone.restored
            || match gone.item {
                Item::Entity(id) => entities.iter().all(|node| node.id != id),
                Item::Relation(id) => relations.iter().all(|node| node.id != id),
            }
    });
    first
}

fn best(mut first: Vec<f64>, next: &[f64]) -> Vec<f64> {
    if first.is_empty() {
        return next.to_vec();
    }
    first.iter_mut().zip(next).for_each(|(score, other)| *score = score.max(*other));
    first
}

/// The replies one under another; decided as in the first step.
fn filter(first: Filter, next: Filter) -> Filter {
    let reply = [first.reply, next.reply].into_iter().filter(|reply| !reply.is_empty()).collect::<Vec<_>>();
    Filter { reply: reply.join("\n"), ..first }
}

fn timings(mut first: Vec<(&'static str, f64)>, next: Vec<(&'static str, f64)>) -> Vec<(&'static str, f64)> {
    for (stage, ms) in next {
        match first.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, sum)) => *sum += ms,
            None => first.push((stage, ms)),
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::EntityId;

    fn line(event: usize, characters: &[usize], linked: bool) -> Line {
        let characters = characters.iter().map(|&id| EntityId::new(id)).collect();
        Line { event: EventId::new(event), characters, linked }
    }

    fn dropped(lines: &[Line]) -> Vec<Dropped> {
        lines.iter().map(|line| Dropped { line: line.clone(), reason: NOT_FITTING }).collect()
    }

    fn joined(profile: Profile) -> (Vec<Line>, Vec<Line>) {
        let first = Plotline {
            kept: vec![line(2, &[1], true), line(5, &[], false)],
            dropped: dropped(&[line(1, &[3], true), line(4, &[1], false), line(4, &[1], false)]),
        };
        let next = Plotline {
            kept: vec![line(1, &[3], false), line(2, &[1], false), line(2, &[9], true)],
            dropped: dropped(&[line(2, &[8], true), line(4, &[1], false), line(4, &[2], false)]),
        };
        let Plotline { kept, dropped } = plotline(first, next, Some(profile));
        (kept, dropped.into_iter().map(|dropped| dropped.line).collect())
    }

    /// In the paper profile a line is a pair: one event may be told of several characters.
    #[test]
    fn what_one_step_kept_is_kept_and_what_none_kept_is_dropped_once() {
        let (kept, left) = joined(Profile::Paper);
        let wanted = [line(1, &[3], false), line(2, &[1], false), line(2, &[9], true), line(5, &[], false)];
        assert_eq!(kept, wanted, "in story order; linked where no step anchored it");
        assert_eq!(left, [line(4, &[1], false), line(2, &[8], true), line(4, &[2], false)]);
    }

    /// Offline an event is told once, as the earlier step told it, and whatever else it might be told of is told.
    #[test]
    fn offline_a_line_is_an_event() {
        let (kept, left) = joined(Profile::Offline);
        assert_eq!(kept, [line(1, &[3], false), line(2, &[1], false), line(5, &[], false)]);
        assert_eq!(left, [line(4, &[1], false), line(4, &[2], false)]);
    }
}
