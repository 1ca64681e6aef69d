//! What is decided of each pair without asking: by the author, by what a chat model said before, by names.
//!
//! An author's wish comes first, then what names forbid, which binds a chat model too. What is left is for
//! the chat model, where there is one, and else for the rule.

use std::collections::BTreeMap;

use super::author::Wished;
use super::bond::{self, Bearers, Bond};
use super::candidates::Pair;
use super::sides::Sides;
use super::unite;
use crate::knowledge::{Decider, Merge, Verdict};

/// A decision about two entities.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    pub(super) pair: Pair,
    pub(super) verdict: Verdict,
    pub(super) by: Decider,
    pub(super) reason: String,
    /// From where on a reader can know it.
    pub(super) evidence: u32,
}

impl Decision {
    /// As it is kept.
    pub(super) fn merge(&self, sides: &Sides) -> Merge {
        let (one, other) = (&sides.all[self.pair.one], &sides.all[self.pair.other]);
        Merge {
            one: one.name.clone(),
            other: other.name.clone(),
            places: (one.first, other.first),
            verdict: self.verdict,
            by: self.by,
            reason: self.reason.clone(),
            evidence: self.evidence,
        }
    }

    /// By the rule.
    pub(super) fn of(pair: Pair, bond: Bond) -> Self {
        let Bond { verdict, reason, evidence } = bond;
        Self { pair, verdict, by: Decider::Rule, reason: reason.to_owned(), evidence }
    }
}

/// A pair that a chat model is asked about, and what the rule would say.
pub(super) struct Open {
    pub(super) pair: Pair,
    pub(super) rule: Option<Bond>,
}

/// Decides what can be decided without asking; with `chat` the rest is left open.
pub(super) fn by_rule(
    sides: &Sides,
    pairs: Vec<Pair>,
    wished: &Wished,
    known: &[Merge],
    chat: bool,
) -> (Vec<Decision>, Vec<Open>) {
    let bearers = Bearers::new(&sides.all);
    // As near as when it was decided, so that groups are made in the same order.
    let near: BTreeMap<(usize, usize), f64> =
        pairs.iter().map(|pair| ((pair.one, pair.other), pair.cosine)).collect();
    let mut decided: BTreeMap<(usize, usize), Decision> = wished.decisions(sides);
    for merge in known {
        let Some((one, other)) = sides.pair(merge) else { continue };
        let (a, b) = (&sides.all[one], &sides.all[other]);
        if bond::against(a, b).is_none() && !sides.apart.contains(&(one, other)) {
            let cosine = near.get(&(one, other)).copied().unwrap_or(1.0);
            let pair = Pair { one, other, cosine };
            let (by, (verdict, reason)) = (merge.by, unite::said(merge));
            let decision = Decision { pair, verdict, by, reason, evidence: merge.evidence };
            decided.entry((one, other)).or_insert(decision);
        }
    }
    let mut open = Vec::new();
    for pair in pairs {
        let key = (pair.one, pair.other);
        if decided.contains_key(&key) || sides.apart.contains(&key) {
            continue;
        }
        let (one, other) = (&sides.all[pair.one], &sides.all[pair.other]);
        let bond = bond::look(sides, &bearers, pair.one, pair.other);
        if let Some(reason) = bond::against(one, other) {
            // Who are merely alike, or were told apart already, need no line of their own.
            if (bond.is_some() || one.named || other.named) && !sides.seen.contains(&key) {
                let evidence = one.first.max(other.first);
                decided
                    .insert(key, Decision::of(pair, Bond { verdict: Verdict::Different, reason, evidence }));
            }
        } else if chat && (bond.is_some() || pair.cosine > 0.0) {
            open.push(Open { pair, rule: bond });
        } else if let Some(bond) = bond.filter(|_| !sides.seen.contains(&key)) {
            decided.insert(key, Decision::of(pair, bond));
        }
    }
    (decided.into_values().collect(), open)
}
