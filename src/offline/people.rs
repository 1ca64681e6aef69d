//! Who is who among forms of names: clusters of forms, and the forms that were kept out of them.
//!
//! Invariant: every form is in at most one cluster.

use std::collections::HashMap;

use super::decisions::FIRST;
use super::evidence::Evidence;
use super::names::{Build, FormId, Names};
use super::parts::{Key, Marks, Parts};
use super::tokens::WordId;

/// How many times more used than any other a cluster must be to take an ambiguous form.
pub(crate) const DOMINANCE: u32 = 3;
/// The most refusals of one form that are kept.
pub(crate) const MAX_REFUSALS: usize = 8;
/// Why a form stays apart though nothing speaks against it.
pub(crate) const SEVERAL: &str = "several bear this name";
/// Likewise.
pub(crate) const MORE_USED: &str = "another bears this name and is named more often";
/// The author's wish.
pub(crate) const APART: &str = "your --merges file keeps them apart";

/// A form's place in a cluster: why it is there, and the form that justified it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// The form.
    pub(crate) form: FormId,
    /// The rule that merged it.
    pub(crate) reason: &'static str,
    /// The form it was merged with; itself for the founder.
    pub(crate) link: FormId,
}

/// A word used as a whole name: how often, and how many more pronouns then say she than he.
#[derive(Clone, Copy, Default)]
pub(crate) struct Alone {
    /// Uses.
    pub(crate) count: u32,
    /// She less he.
    pub(crate) lean: i64,
}

/// The words that are used as whole names.
pub(crate) fn alone(names: &Names, parts: &[Parts], evidence: &[Evidence]) -> HashMap<Key, Alone> {
    let mut alone: HashMap<Key, Alone> = HashMap::new();
    for ((form, parts), signs) in names.forms.iter().zip(parts).zip(evidence) {
        if let [word] = parts.words[..] {
            let alone = alone.entry(word).or_default();
            alone.count += form.count;
            alone.lean += signs.lean();
        }
    }
    alone
}

/// Forms taken to name one person, place or thing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cluster {
    /// The forms.
    pub(crate) members: Vec<Member>,
    /// Their uses.
    pub(crate) support: u32,
    /// What their honorifics and pronouns say.
    pub(crate) marks: Marks,
    /// Given names, each with the form that brought it.
    pub(crate) givens: Vec<(Key, FormId)>,
    /// Words between a given name and the surname.
    pub(crate) middles: Vec<Key>,
    /// The surname, with the form that brought it.
    pub(crate) surname: Option<(Key, FormId)>,
    /// Honorifics that stand before a full name, with their uses.
    pub(crate) honorifics: Vec<(WordId, u32)>,
    /// Whether it is a place or thing.
    pub(crate) thing: bool,
}

impl Cluster {
    /// A form on its own, merged with none.
    pub(crate) fn of(id: FormId) -> Self {
        Self { members: vec![Member { form: id, reason: FIRST, link: id }], ..Self::default() }
    }
}

/// A form that was not merged with someone who bears a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    /// The form.
    pub(crate) form: FormId,
    /// The first form of whom it might have been.
    pub(crate) other: FormId,
    /// What speaks against it.
    pub(crate) reason: &'static str,
    /// Whether anything does, rather than that it is not clear which of several is meant.
    pub(crate) sure: bool,
}

/// Who is who, and who is not.
#[derive(Debug, Default)]
pub(crate) struct People {
    /// The clusters.
    pub(crate) clusters: Vec<Cluster>,
    /// What was not merged.
    pub(crate) refusals: Vec<Refusal>,
}

/// Every name by itself, for an index without any merge.
pub(crate) fn apart(names: &Names) -> People {
    let name = |id: &FormId| names.forms[*id].build == Build::Name;
    let clusters = (0..names.forms.len()).filter(name).map(Cluster::of).collect();
    People { clusters, refusals: Vec::new() }
}
