//! What was decided of the forms of names, to be listed: each merge and each that was looked at and not made.
//!
//! A cluster tells its merges, each form with the one that justified it; a refusal tells a form and the
//! first form of whom it might have been. Of two entities one refusal is kept, the first.
//!
//! Invariant: decisions are in the order of the entities they are about, and name forms as the book does.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{FormId, Names};
use super::people::{APART, Refusal};
use crate::knowledge::Wishes;
use crate::knowledge::{Decider, EntityId, Merge, Verdict};
use crate::lexical::folded;

/// Why a form stands where it does: the rule, where its evidence ends, and the form it was merged with.
pub(crate) type Why = (&'static str, u32, FormId);

/// The reason of a form that was merged with none.
pub(crate) const FIRST: &str = "first form";

/// The pairs of forms that an author keeps apart, the smaller first.
pub(crate) fn apart(names: &Names, wishes: &Wishes) -> BTreeSet<(FormId, FormId)> {
    let wished: BTreeSet<String> = wishes.apart().flat_map(|(a, b)| [folded(a), folded(b)]).collect();
    let mut forms: BTreeMap<String, Vec<FormId>> = BTreeMap::new();
    for (id, form) in names.forms.iter().enumerate() {
        let key = folded(&form.text);
        if wished.contains(&key) {
            forms.entry(key).or_default().push(id);
        }
    }
    let of = |name: &str| forms.get(&folded(name)).map_or(&[][..], Vec::as_slice);
    let pairs = wishes.apart().flat_map(|(one, other)| {
        of(one).iter().flat_map(|a| of(other).iter().map(|b| (*a.min(b), *a.max(b))))
    });
    pairs.filter(|(a, b)| a != b).collect()
}

/// The merges of one cluster.
pub(crate) fn merged<'a>(
    names: &'a Names,
    why: &'a BTreeMap<FormId, Why>,
) -> impl Iterator<Item = Merge> + 'a {
    let members = why.iter().filter(|(form, (reason, _, link))| *reason != FIRST && *form != link);
    members.map(|(form, (reason, evidence, link))| Merge {
        evidence: *evidence,
        ..decision(names, *form, *link, Verdict::Same, reason)
    })
}

/// The refusals between entities, once for two of them.
pub(crate) fn refused(names: &Names, entity_of: &[Option<EntityId>], refusals: &[Refusal]) -> Vec<Merge> {
    let mut seen: BTreeSet<(EntityId, EntityId)> = BTreeSet::new();
    let mut found: Vec<((EntityId, EntityId), Merge)> = Vec::new();
    for refusal in refusals {
        let entity = |form: FormId| entity_of.get(form).copied().flatten();
        let Some((one, other)) = entity(refusal.form).zip(entity(refusal.other)) else { continue };
        let pair = (one.min(other), one.max(other));
        if one != other && seen.insert(pair) {
            let verdict = if refusal.sure { Verdict::Different } else { Verdict::Uncertain };
            found.push((pair, decision(names, refusal.form, refusal.other, verdict, refusal.reason)));
        }
    }
    found.sort_by_key(|(pair, _)| *pair);
    found.into_iter().map(|(_, merge)| merge).collect()
}

fn decision(names: &Names, form: FormId, link: FormId, verdict: Verdict, reason: &str) -> Merge {
    let (one, other) = (&names.forms[form], &names.forms[link]);
    Merge {
        one: one.text.clone(),
        other: other.text.clone(),
        places: (one.first, other.first),
        verdict,
        by: if reason == APART { Decider::Author } else { Decider::Rule },
        reason: reason.to_owned(),
        evidence: one.first.max(other.first),
    }
}
