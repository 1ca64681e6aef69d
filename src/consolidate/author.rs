//! What the author wishes, read against the book's names.
//!
//! A wish names people as the book does, by any form. What rules put together under one form is taken apart
//! before (`offline::decisions`), so that here every wish is about two entities. A name that the book does
//! not have is told, with the nearest that it has.

use std::collections::{BTreeMap, BTreeSet};

use super::candidates::Pair;
use super::decide::Decision;
use super::sides::Sides;
use crate::algo::edit::edit_distance;
use crate::error::{Code, Error, Result};
use crate::knowledge::{Chunk, Decider, Group, Issue, Reveal, Verdict, Wishes};
use crate::lexical::folded;
use crate::text::{Document, Utf16Map};

/// The code of a name that the book does not have.
const NO_SUCH_NAME: &str = "no_such_name";
/// The code of wishes that contradict each other.
const WISHES_DIFFER: &str = "wishes_differ";
/// The code of an index's wishes that others took the place of.
const WISHES_REPLACED: &str = "wishes_replaced";
/// The codes of what is told of wishes.
pub(crate) const ISSUES: [&str; 3] = [NO_SUCH_NAME, WISHES_DIFFER, WISHES_REPLACED];

/// The most names that the book does not have that are told one by one.
const MOST_UNKNOWN: usize = 20;

/// The most letters of a name that are compared and repeated.
const LETTERS: usize = 64;

/// Wishes about entities.
#[derive(Default)]
pub(super) struct Wished {
    same: BTreeMap<(usize, usize), u32>,
    different: BTreeSet<(usize, usize)>,
    /// What entities are to be called, by an entity of each.
    pub(super) names: Vec<(usize, String)>,
    /// Names that the book does not have.
    pub(super) issues: Vec<Issue>,
}

/// Reads the wishes.
///
/// Who is one only from beyond the text's `end` on is two here.
pub(super) fn wished(sides: &Sides, wishes: &Wishes, end: u32) -> Wished {
    let mut bearers: BTreeMap<&str, (usize, u32)> = BTreeMap::new();
    for (place, side) in sides.all.iter().enumerate() {
        for name in &side.names {
            bearers.entry(&name.whole).or_insert((place, name.known));
        }
    }
    let bearer = |name: &str| bearers.get(folded(name).as_str()).copied();
    let mut wished = Wished::default();
    for group in &wishes.same {
        // Each entity once, from where its first name is known: a file may say a name again and again.
        let mut members: Vec<(usize, u32)> = group.names.iter().filter_map(|name| bearer(name)).collect();
        members.sort_unstable();
        members.dedup_by_key(|(entity, _)| *entity);
        let from = match group.from {
            Some(Reveal::Byte(byte)) => byte,
            _ => 0,
        };
        for (at, (one, known)) in members.iter().enumerate() {
            for (other, then) in members.iter().skip(at + 1).filter(|(other, _)| other != one) {
                let pair = (*one.min(other), *one.max(other));
                if from > end {
                    wished.different.insert(pair);
                } else {
                    wished.same.insert(pair, from.max(*known).max(*then));
                }
            }
        }
        let called = group
            .name
            .as_deref()
            .filter(|_| from <= end)
            .and_then(|name| Some((bearer(name)?.0, folded(name))));
        wished.names.extend(called);
    }
    for (one, other) in &wishes.different {
        let pair = bearer(one).zip(bearer(other)).filter(|((one, _), (other, _))| one != other);
        wished.different.extend(pair.map(|((one, _), (other, _))| (one.min(other), one.max(other))));
    }
    for (one, other) in wished.different.iter().filter(|pair| wished.same.contains_key(pair)) {
        let (one, other) = (&sides.all[*one].name, &sides.all[*other].name);
        let message =
            format!("The merges both join {one:?} and {other:?} and keep them apart: they stay apart.");
        wished.issues.push(Issue::new(WISHES_DIFFER, message));
    }
    let mut unknown: Vec<&str> = wishes.names().filter(|name| bearer(name).is_none()).collect();
    unknown.sort_unstable();
    unknown.dedup();
    let rest = unknown.len().saturating_sub(MOST_UNKNOWN);
    wished.issues.extend(unknown.into_iter().take(MOST_UNKNOWN).map(|name| told(sides, name)));
    if rest > 0 {
        let message = format!("The merges name {rest} more whom the book does not name.");
        wished.issues.push(Issue::new(NO_SUCH_NAME, message));
    }
    wished
}

/// The wishes with every place of revelation as a byte: where the last sentence ends that may be read before it.
///
/// # Errors
/// `usage` for a chapter or an offset that the book does not have.
pub(crate) fn placed(wishes: &Wishes, document: &Document, chunks: &[Chunk]) -> Result<Wishes> {
    let map = wishes.same.iter().any(|group| group.from.is_some()).then(|| Utf16Map::new(&document.text));
    let place = |at: usize, from: Reveal| {
        let refused = |what: String| Error::new(Code::Usage, format!("merges.same[{at}].from is {what}"));
        let byte = match from {
            Reveal::Byte(byte) => byte,
            Reveal::Chapter(number) => {
                let chapter = (number as usize).checked_sub(1).and_then(|at| document.chapters.get(at));
                let count = document.chapters.len();
                let what = || refused(format!("chapter {number}, but the book has {count}"));
                chapter.ok_or_else(what)?.span.end
            }
            Reveal::Unit(unit) => {
                let byte = map.as_ref().and_then(|map| map.to_byte(unit));
                byte.ok_or_else(|| refused(format!("offset {unit}, but the text has none there")))?
            }
        };
        // What stands between chunks is never read.
        let chunk = chunks.iter().rev().find(|chunk| chunk.span.start < byte);
        let end = chunk.map_or(byte, |chunk| chunk.span.end.min(byte)) as usize;
        let read = document.text.get(..end).map_or(end, |text| text.trim_end().len());
        Ok(Reveal::Byte(read as u32))
    };
    let same = wishes.same.iter().enumerate().map(|(at, group)| {
        let from = group.from.map(|from| place(at, from)).transpose()?;
        Ok(Group { from, ..group.clone() })
    });
    Ok(Wishes { same: same.collect::<Result<_>>()?, different: wishes.different.clone() })
}

/// What is told where other wishes take the place of those that an index had.
pub(crate) fn replaced(before: &Wishes) -> Issue {
    let count = before.same.len() + before.different.len();
    Issue::new(WISHES_REPLACED, format!("These merges took the place of the {count} that the index had."))
}

fn told(sides: &Sides, name: &str) -> Issue {
    let letters = |name: &str| name.chars().take(LETTERS).collect::<Vec<_>>();
    let wanted = letters(&folded(name));
    let names = sides.all.iter().flat_map(|side| side.names.iter().map(move |name| (side, name)));
    let nearest = names.min_by_key(|(_, name)| edit_distance(&wanted, &letters(&name.whole)));
    let hint = nearest.map_or(String::new(), |(side, _)| format!("; the nearest is {:?}", side.name));
    let name: String = name.chars().take(LETTERS).collect();
    Issue::new(NO_SUCH_NAME, format!("The merges name {name:?}, whom the book does not name{hint}."))
}

impl Wished {
    /// The wishes as decisions; two that are wished to be apart are not made one by another wish.
    pub(super) fn decisions(&self, sides: &Sides) -> BTreeMap<(usize, usize), Decision> {
        let decision = |(one, other): (usize, usize), verdict, reason: &str, evidence| Decision {
            pair: Pair { one, other, cosine: 1.0 },
            verdict,
            by: Decider::Author,
            reason: reason.to_owned(),
            evidence,
        };
        let same = self.same.iter().map(|(pair, evidence)| {
            (*pair, decision(*pair, Verdict::Same, "your --merges file says that they are one", *evidence))
        });
        let different = self.different.iter().map(|pair| {
            let evidence = sides.all[pair.0].first.max(sides.all[pair.1].first);
            (*pair, decision(*pair, Verdict::Different, "your --merges file keeps them apart", evidence))
        });
        same.chain(different).collect()
    }
}
