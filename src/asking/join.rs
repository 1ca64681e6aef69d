//! What several steps found, as one: the best score of each thing, the plotline in story order, one context.
//!
//! Invariant: joined lists hold what either step found, each once; the context is made of the steps' own
//! blocks and keeps to one limit.

use std::collections::BTreeMap;

use crate::algo::vector::descending;
use crate::config::Matching;
use crate::retrieval::{Filter, Retrieval};
use crate::stage::evidence::PASSAGES;
use crate::stage::{self, Nodes, Pair, Passage, Plotline, Scored, context};

/// Two steps' findings, the earlier first.
pub(super) fn join(first: Retrieval, next: Retrieval, matching: Matching, limit: u32) -> Retrieval {
    let anchors = nodes(&first.anchors, &next.anchors);
    let mut awakened = nodes(&first.awakened, &next.awakened);
    awakened.characters.retain(|node| anchors.characters.iter().all(|anchor| anchor.id != node.id));
    awakened.events.retain(|node| !anchors.has_event(node.id));
    let evidence = passages(&first.evidence, &next.evidence);
    let context = context::joined(&[first.context, next.context], &evidence, limit);
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
        pairs: pairs(first.pairs, next.pairs, matching),
        plotline: plotline(first.plotline, next.plotline),
        evidence,
        context,
        scores: best(first.scores, &next.scores),
        filter: filter(first.filter, next.filter),
        issues,
        timings: timings(first.timings, next.timings),
    }
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

/// The heaviest pairs of both, no node in more of them than the matching allows, in story order.
fn pairs(first: Vec<Pair>, next: Vec<Pair>, matching: Matching) -> Vec<Pair> {
    let mut all: Vec<Pair> = first;
    for pair in next {
        if !all.iter().any(|known| known.character == pair.character && known.event == pair.event) {
            all.push(pair);
        }
    }
    all.sort_by(|a, b| descending(a.weight, b.weight).then(a.event.cmp(&b.event)));
    let most = matching.bound().unwrap_or(usize::MAX);
    let mut kept: Vec<Pair> = Vec::new();
    for pair in all {
        let of_character = kept.iter().filter(|known| known.character == pair.character).count();
        let of_event = kept.iter().filter(|known| known.event == pair.event).count();
        if of_character.max(of_event) < most {
            kept.push(pair);
        }
    }
    kept.sort_by_key(|pair| pair.event);
    kept
}

/// Kept is what one step kept; dropped is what no step did.
fn plotline(first: Plotline, next: Plotline) -> Plotline {
    let mut joined = Plotline { kept: first.kept, dropped: Vec::new() };
    for line in next.kept {
        match joined
            .kept
            .iter_mut()
            .find(|known| known.event == line.event && known.characters == line.characters)
        {
            Some(known) => known.linked &= line.linked,
            None => joined.kept.push(line),
        }
    }
    joined.kept.sort_by_key(|line| line.event);
    for dropped in first.dropped.into_iter().chain(next.dropped) {
        let event = dropped.line.event;
        let kept = joined.kept.binary_search_by_key(&event, |line| line.event).is_ok();
        if !kept && joined.dropped.iter().all(|known| known.line.event != event) {
            joined.dropped.push(dropped);
        }
    }
    joined
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
