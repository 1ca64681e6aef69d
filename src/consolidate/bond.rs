//! What names alone say of two entities: that they cannot be one, that they are, or that it is not clear.
//!
//! The objections hold for the chat model as well. The rule is strict: a shared surname or given name makes
//! one of two only where nobody else bears it, and what rules have decided of two forms they know is not
//! decided again.

use std::collections::BTreeMap;

use super::sides::{Name, Side, Sides};
use crate::knowledge::Verdict;
use crate::offline::english;

/// Beyond so many bearers a word names nobody.
const MOST_BEARERS: usize = 16;

/// What names say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bond {
    /// Same, or uncertain.
    pub(super) verdict: Verdict,
    /// Why.
    pub(super) reason: &'static str,
    /// From where on a reader can know it.
    pub(super) evidence: u32,
}

/// Why two cannot be one; none where they may.
pub(super) fn against(one: &Side, other: &Side) -> Option<&'static str> {
    if !(one.person() && other.person()) {
        return None;
    }
    one.marks.against(other.marks).or_else(|| generations(one, other)).or_else(|| givens(one, other))
}

/// Whole names that differ in `junior` alone are father and son.
fn generations(one: &Side, other: &Side) -> Option<&'static str> {
    let son = |a: &Name, b: &Name| {
        a.full().is_some() && a.words == b.words && a.marks.generation != b.marks.generation
    };
    one.names.iter().any(|a| other.names.iter().any(|b| son(a, b))).then_some("father and son")
}

/// Whole names of one surname with other given names are of two of a family.
fn givens(one: &Side, other: &Side) -> Option<&'static str> {
    let mut family = false;
    for a in &one.names {
        for b in &other.names {
            let (Some((given, surname)), Some((with, of))) = (a.full(), b.full()) else { continue };
            if surname != of {
                continue;
            }
            let middle = a.words.iter().any(|word| word == with) || b.words.iter().any(|word| word == given);
            if english::same_given(given, with) || middle {
                return None;
            }
            family = true;
        }
    }
    family.then_some("different given names")
}

/// Who bears each word as the first or last of a name.
pub(super) struct Bearers(BTreeMap<String, Vec<usize>>);

impl Bearers {
    /// Of every name of every side.
    pub(super) fn new(sides: &[Side]) -> Self {
        let mut bearers: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, side) in sides.iter().enumerate() {
            for name in &side.names {
                let ends = name.words.first().into_iter().chain(name.words.last());
                for word in ends.chain(Some(&name.whole)) {
                    let of = bearers.entry(word.clone()).or_default();
                    if of.last() != Some(&place) {
                        of.push(place);
                    }
                }
            }
        }
        bearers.remove("");
        Self(bearers)
    }

    /// Every pair that shares a word, of words that name few.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let few = self.0.values().filter(|of| (2..=MOST_BEARERS).contains(&of.len()));
        few.flat_map(|of| {
            of.iter()
                .enumerate()
                .flat_map(move |(at, &one)| of[at + 1..].iter().map(move |&other| (one, other)))
        })
    }

    fn of(&self, word: &str) -> &[usize] {
        self.0.get(word).map_or(&[], Vec::as_slice)
    }
}

/// What the names of two say, where they say anything.
pub(super) fn look(sides: &Sides, bearers: &Bearers, one: usize, other: usize) -> Option<Bond> {
    let (a, b) = (&sides.all[one], &sides.all[other]);
    let names = a.names.iter().flat_map(|x| b.names.iter().map(move |y| (x, y)));
    let bond = |(x, y): (&Name, &Name)| {
        let evidence = x.known.max(y.known);
        if x.whole == y.whole {
            return Some(Bond { verdict: Verdict::Same, reason: "same name", evidence });
        }
        let reason = match (a.named || b.named, a.person() && b.person(), a.thing() && b.thing()) {
            (true, true, _) => whole(x, y).or_else(|| part(x, y)).or_else(|| part(y, x)),
            (_, false, true) => place(x, y).or_else(|| place(y, x)),
            _ => None,
        }?;
        let short = x.single().map(|word| (word, one, y)).or(y.single().map(|word| (word, other, x)));
        let last = !(a.person() && b.person());
        let several =
            short.is_some_and(|(word, short, full)| others(sides, bearers, (word, short), full, last));
        Some(match several {
            true => Bond { verdict: Verdict::Uncertain, reason: "several bear this name", evidence },
            false => Bond { verdict: Verdict::Same, reason, evidence },
        })
    };
    // What is sure counts before what is not, what is known early before what is known late.
    names.filter_map(bond).min_by_key(|bond| (bond.verdict, bond.evidence))
}

/// Whether a short name, which is `short`'s, may be somebody else's than whose whole name is `full`; that of
/// a place only another's whose name ends with it.
fn others(sides: &Sides, bearers: &Bearers, (word, short): (&str, usize), full: &Name, last: bool) -> bool {
    bearers.of(word).iter().any(|&at| {
        let bears = |name: &Name| {
            name.full().is_some_and(|(given, surname)| surname == word || !last && given == word)
        };
        let mut names = sides.all[at].names.iter();
        let same = names.clone().any(|name| whole(name, full).is_some());
        at != short && !same && names.any(bears) && against(&sides.all[short], &sides.all[at]).is_none()
    })
}

/// Two whole names of one given name and surname.
fn whole(x: &Name, y: &Name) -> Option<&'static str> {
    let ((given, surname), (with, of)) = x.full().zip(y.full())?;
    (surname == of && english::same_given(given, with)).then_some("same given name and surname")
}

/// A short name that is a part of a whole one.
fn part(short: &Name, full: &Name) -> Option<&'static str> {
    let (word, (given, surname)) = short.single().zip(full.full())?;
    match word {
        _ if word == surname && short.titled => Some("same surname and honorific"),
        _ if word == surname => Some("surname"),
        _ if word == given && (!short.titled || short.marks.given_after) => Some("given name"),
        _ => None,
    }
}

/// The last word of a place's name, by which it is called: `the Grange`.
fn place(short: &Name, full: &Name) -> Option<&'static str> {
    let (word, (_, last)) = short.single().zip(full.full())?;
    (word == last && !short.titled).then_some("last word of its name")
}
