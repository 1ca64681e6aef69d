//! What an author wishes of a book's names, as the command line's file and the option `merges` have it.

use serde::Deserialize;

use crate::error::{Code, Error, Result};
use crate::knowledge::{Group, Reveal, Wishes};
use crate::lexical::folded;

/// `{same: [["Ann", "Mrs Lind"], {names: [...], name: "Ann", from: {chapter: 7}}], different: [["Ann", "Anna"]]}`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Merges {
    same: Vec<Same>,
    different: Vec<Vec<String>>,
}

/// Names of one, perhaps with what it is to be called.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Same {
    Names(Vec<String>),
    Named { names: Vec<String>, name: Option<String>, from: Option<From> },
}

/// How far somebody must have read to know it, as a reading position is said.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum From {
    Chapter { chapter: u32 },
    Offset { offset: u32 },
}

/// The wishes, checked: groups of two names or more, pairs of two others, a name that is one of its group's.
pub(super) fn wishes(merges: Option<Merges>) -> Result<Wishes> {
    let Merges { same, different } = merges.unwrap_or_default();
    let same = same.into_iter().enumerate().map(|(at, group)| {
        let (names, name, from) = match group {
            Same::Names(names) => (names, None, None),
            Same::Named { names, name, from } => (names, name, from),
        };
        let from = from.map(|from| match from {
            From::Chapter { chapter } => Reveal::Chapter(chapter),
            From::Offset { offset } => Reveal::Unit(offset),
        });
        match &name {
            _ if names.len() < 2 => {
                Err(refused("same", at, &format!("has {} names, but must have two or more", names.len())))
            }
            Some(name) if !names.iter().any(|known| folded(known) == folded(name)) => {
                Err(refused("same", at, &format!("is to be called {name:?}, which is none of its names")))
            }
            _ => Ok(Group { names, name, from }),
        }
    });
    let different = different.into_iter().enumerate().map(|(at, names)| match &names[..] {
        [one, other] if folded(one) != folded(other) => Ok((one.clone(), other.clone())),
        [one, _] => {
            Err(refused("different", at, &format!("has {one:?} twice, but must have two that differ")))
        }
        _ => Err(refused(
            "different",
            at,
            &format!("has {} names, but must have two that differ", names.len()),
        )),
    });
    Ok(Wishes { same: same.collect::<Result<_>>()?, different: different.collect::<Result<_>>()? })
}

fn refused(list: &str, at: usize, what: &str) -> Error {
    Error::new(Code::Usage, format!("merges.{list}[{at}] {what}"))
}
