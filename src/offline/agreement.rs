//! Whether a form of a name may be of the person a cluster of forms stands for, and what speaks against it.
//!
//! Everything the cluster holds is looked at, not only the form that led to it: gender, honorifics,
//! generation, given names with their short forms, surname. Silence is no objection.
//!
//! Invariant: the objection is one of a few fixed sentences, which lists of merges show.

use super::english;
use super::parts::{Key, Parser, Parts};
use super::people::Cluster;

/// Which part of a name a single word is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Given,
    Surname,
}

/// What speaks against a form being of a cluster's person, its words taken for these parts of a name.
pub(crate) fn against(
    cluster: &Cluster,
    parts: &Parts,
    roles: &[(Role, Key)],
    parser: &Parser<'_>,
) -> Option<&'static str> {
    let whole = cluster.surname.is_some() && !cluster.givens.is_empty();
    let generations = (parts.marks.generation, cluster.marks.generation);
    let son = generations.0.is_some() && generations.1.is_none()
        || generations.0.is_none() && generations.1.is_some() && parts.words.len() > 1;
    if son && whole {
        return Some("father and son");
    }
    if parts.marks.royal && !cluster.marks.royal && whole {
        return Some("a sovereign and a subject");
    }
    let objection = |(role, key): &(Role, Key)| match role {
        Role::Given => (!fits_given(cluster, parts, *key, parser)).then_some("different given names"),
        Role::Surname => {
            cluster.surname.is_some_and(|(other, _)| other != *key).then_some("different surnames")
        }
    };
    cluster.marks.against(parts.marks).or_else(|| roles.iter().find_map(objection))
}

/// Whether a given name is the cluster's, or a middle name of the one or the other.
fn fits_given(cluster: &Cluster, parts: &Parts, key: Key, parser: &Parser<'_>) -> bool {
    let middles = parts.middles();
    let same = |other: Key| {
        same_given(parser, other, key) || cluster.middles.contains(&other) || middles.contains(&other)
    };
    cluster.middles.contains(&key) || cluster.givens.iter().all(|(other, _)| same(*other))
}

/// Whether two given names may be one: equal, an initial, or a short form.
pub(crate) fn same_given(parser: &Parser<'_>, a: Key, b: Key) -> bool {
    a == b || english::same_given(parser.text(a), parser.text(b))
}
