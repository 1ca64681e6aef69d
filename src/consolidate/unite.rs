//! From accepted pairs to groups, without chains (systems 2.2 I.c 4).
//!
//! A union-find over the accepted pairs would let `A = B` and `B = C` make one of three who were never
//! compared as wholes. So two groups are united only where their representatives, the members with the
//! fullest descriptions, were accepted as one themselves, and where no member of the one is known to be
//! apart from a member of the other. The author's groups are made first and need neither.
//!
//! The nearest pairs come first, then by name: the order of the entities decides nothing.
//!
//! Cost: each union compares the members of two groups.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::bond;
use super::decide::Decision;
use super::sides::Sides;
use crate::algo::vector::descending;
use crate::knowledge::{Decider, Merge, Verdict};

/// Why an accepted pair was not merged.
const CHAIN: &str = "accepted, but not of those whom most is told of in the two groups";
const FORBIDDEN: &str = "accepted, but somebody of the one group is not of the other";

/// The group of each entity, by its first member. Accepted pairs that a guard keeps apart become uncertain.
pub(super) fn unite(sides: &Sides, decisions: &mut [Decision]) -> Vec<usize> {
    let guard = Guard::new(sides, decisions);
    let mut groups = Groups { of: (0..sides.all.len()).collect() };
    for at in order(sides, decisions) {
        let decision = &mut decisions[at];
        let (one, other) = (groups.members(decision.pair.one), groups.members(decision.pair.other));
        if one.first() == other.first() {
            continue;
        }
        match guard.refuses(&one, &other, decision.by == Decider::Author) {
            Some(reason) => {
                decision.verdict = Verdict::Uncertain;
                decision.reason = format!("{reason} ({})", decision.reason);
            }
            None => groups.join(&one, &other),
        }
    }
    groups.of
}

/// What was said of two before a guard kept them apart: the guards judge each reading anew.
pub(super) fn said(merge: &Merge) -> (Verdict, String) {
    let kept_apart = |guard: &str| merge.reason.strip_prefix(guard)?.strip_prefix(" (")?.strip_suffix(')');
    match kept_apart(CHAIN).or_else(|| kept_apart(FORBIDDEN)) {
        Some(reason) if merge.verdict == Verdict::Uncertain => (Verdict::Same, reason.to_owned()),
        _ => (merge.verdict, merge.reason.clone()),
    }
}

/// The accepted decisions: the author's, then the nearest, then by name.
fn order(sides: &Sides, decisions: &[Decision]) -> Vec<usize> {
    let names = |decision: &Decision| {
        let (one, other) = (&sides.all[decision.pair.one].name, &sides.all[decision.pair.other].name);
        if one < other { (one.clone(), other.clone()) } else { (other.clone(), one.clone()) }
    };
    let mut order: Vec<usize> =
        (0..decisions.len()).filter(|&at| decisions[at].verdict == Verdict::Same).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&decisions[a], &decisions[b]);
        let rule = |decision: &Decision| decision.by != Decider::Author;
        let near = descending(a.pair.cosine, b.pair.cosine);
        rule(a).cmp(&rule(b)).then(near).then_with(|| names(a).cmp(&names(b)))
    });
    order
}

/// What two groups must pass to become one.
struct Guard<'a> {
    sides: &'a Sides,
    accepted: BTreeSet<(usize, usize)>,
    apart: BTreeSet<(usize, usize)>,
    /// Of those apart, whom the author keeps so.
    kept: BTreeSet<(usize, usize)>,
}

impl<'a> Guard<'a> {
    fn new(sides: &'a Sides, decisions: &[Decision]) -> Self {
        let pairs = |which: fn(&Decision) -> bool| {
            let which = decisions.iter().filter(|decision| which(decision));
            which.map(|decision| (decision.pair.one, decision.pair.other)).collect::<BTreeSet<_>>()
        };
        let different = |decision: &Decision| decision.verdict == Verdict::Different;
        Self {
            sides,
            accepted: pairs(|decision| decision.verdict == Verdict::Same),
            apart: &pairs(different) | &sides.apart,
            kept: pairs(|decision| decision.verdict == Verdict::Different && decision.by == Decider::Author),
        }
    }

    /// Why two groups stay two; none where they may become one.
    fn refuses(&self, one: &[usize], other: &[usize], wished: bool) -> Option<&'static str> {
        let all = &self.sides.all;
        let mut pairs = between(one, other);
        if wished {
            return pairs.any(|pair| self.kept.contains(&pair)).then_some(FORBIDDEN);
        }
        if pairs.any(|(a, b)| self.apart.contains(&(a, b)) || bond::against(&all[a], &all[b]).is_some()) {
            return Some(FORBIDDEN);
        }
        let (a, b) = (representative(self.sides, one), representative(self.sides, other));
        (!self.accepted.contains(&(a.min(b), a.max(b)))).then_some(CHAIN)
    }
}

/// Every pair of a member of the one and a member of the other, the smaller first.
fn between<'a>(one: &'a [usize], other: &'a [usize]) -> impl Iterator<Item = (usize, usize)> + 'a {
    one.iter().flat_map(move |&a| other.iter().map(move |&b| (a.min(b), a.max(b))))
}

/// Of whom most is told; of several the first by name.
fn representative(sides: &Sides, members: &[usize]) -> usize {
    let told = |&&entity: &&usize| (Reverse(sides.all[entity].told), sides.all[entity].name.clone());
    members.iter().min_by_key(told).copied().unwrap_or_default()
}

/// Which group each entity is of, by the group's first member.
struct Groups {
    of: Vec<usize>,
}

impl Groups {
    fn members(&self, entity: usize) -> Vec<usize> {
        let group = self.of[entity];
        (0..self.of.len()).filter(|&other| self.of[other] == group).collect()
    }

    fn join(&mut self, one: &[usize], other: &[usize]) {
        let first = one.iter().chain(other).copied().min().unwrap_or_default();
        one.iter().chain(other).for_each(|&member| self.of[member] = first);
    }
}
