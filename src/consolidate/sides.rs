//! Every entity with its names taken apart: what merging compares.
//!
//! Unlike `offline::parts`, which knows how a book uses each word, this reads a name by itself, since a chat
//! model's names were never counted.

use std::collections::{BTreeMap, BTreeSet};

use crate::index::Index;
use crate::knowledge::{Entity, EntityId, EntityKind, Merge};
use crate::lexical::folded;
use crate::offline::english::{self, Tag};
use crate::offline::parts::{Generation, Marks};

/// The reason of a form that a chat model named and rules do not know.
pub(crate) const NAMED: &str = "named by the chat model";

/// One name of an entity.
#[derive(Clone, Debug)]
pub(super) struct Name {
    /// Folded, without a leading article.
    pub(super) whole: String,
    /// Its words without honorifics and generation, folded.
    pub(super) words: Vec<String>,
    /// Whether honorifics stand before it.
    pub(super) titled: bool,
    /// What they say.
    pub(super) marks: Marks,
    /// Whether it is a role rather than a name: `the old ferryman`.
    pub(super) role: bool,
    /// From where on a reader knows that it is the entity's, in bytes.
    pub(super) known: u32,
}

impl Name {
    fn of(text: &str, known: u32) -> Self {
        let whole = folded(text);
        let mut words: Vec<String> = whole.split(' ').map(str::to_owned).collect();
        let honorific = |word: &String| english::entry(word).is(Tag::Honorific);
        let titles = words.iter().take(words.len() - 1).take_while(|word| honorific(word)).count();
        let mut marks = Marks::default();
        words.drain(..titles).for_each(|title| marks.add(Marks::of(&title)));
        marks.generation = words.last().filter(|_| words.len() > 1).and_then(|word| Generation::of(word));
        words.truncate(words.len() - usize::from(marks.generation.is_some()));
        let given = words.first().filter(|_| words.len() > 1 || titles == 0);
        let given = given.map(|word| english::entry(word)).filter(|entry| entry.is(Tag::Given));
        marks.gender = marks.gender.or(given.and_then(|entry| entry.gender()));
        let role = text.starts_with(char::is_lowercase);
        Self { whole, words, titled: titles > 0, marks, role, known }
    }

    /// The given name and the surname of a whole name.
    pub(super) fn full(&self) -> Option<(&str, &str)> {
        match &self.words[..] {
            [first, .., last] if !self.role => Some((first, last)),
            _ => None,
        }
    }

    /// The one word of a short name.
    pub(super) fn single(&self) -> Option<&str> {
        match &self.words[..] {
            [word] if !self.role => Some(word),
            _ => None,
        }
    }
}

/// An entity as it is compared.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// What it is called.
    pub(super) name: String,
    /// What it is.
    pub(super) kind: EntityKind,
    /// Its names.
    pub(super) names: Vec<Name>,
    /// What all of them say.
    pub(super) marks: Marks,
    /// Whether a chat model named it and rules do not know it.
    pub(super) named: bool,
    /// Where its first use ends.
    pub(super) first: u32,
    /// How much is told of it.
    pub(super) told: usize,
}

impl Side {
    /// Reads an entity of a text, first used where `first` ends.
    pub(super) fn of(entity: &Entity, text: &str, first: u32) -> Self {
        let names: Vec<Name> =
            entity.aliases.iter().map(|alias| Name::of(&alias.name, alias.evidence)).collect();
        let mut marks = Marks::default();
        names.iter().for_each(|name| marks.add(name.marks));
        let named = entity.aliases.iter().all(|alias| alias.reason == NAMED);
        let (name, kind) = (entity.name.clone(), entity.kind);
        Self { name, kind, names, marks, named, first, told: entity.description.line(text).len() }
    }

    /// Whether it may be a person.
    pub(super) fn person(&self) -> bool {
        matches!(self.kind, EntityKind::Person | EntityKind::Other)
    }

    /// Whether it may be a place or a thing.
    pub(super) fn thing(&self) -> bool {
        !matches!(self.kind, EntityKind::Person | EntityKind::Group)
    }
}

/// Every entity, in the index's order.
pub(super) struct Sides {
    /// The entities.
    pub(super) all: Vec<Side>,
    /// Who is first named at the places that decisions name.
    places: BTreeMap<u32, usize>,
    /// Pairs that decisions about forms keep apart for good, and those that they leave open.
    pub(super) apart: BTreeSet<(usize, usize)>,
    /// Pairs that were looked at.
    pub(super) seen: BTreeSet<(usize, usize)>,
}

impl Sides {
    /// Reads the entities of an index; places are those of its own decisions and of `known`.
    pub(super) fn new(index: &Index, known: &[Merge]) -> Self {
        let knowledge = &index.knowledge;
        let all_merges = || knowledge.merges.iter().chain(known);
        let wanted: BTreeSet<u32> = all_merges().flat_map(|merge| [merge.places.0, merge.places.1]).collect();
        let mut firsts = vec![u32::MAX; knowledge.entities.len()];
        let mut places = BTreeMap::new();
        for mention in &knowledge.mentions {
            let Some(first) = firsts.get_mut(mention.entity.index()) else { continue };
            for used in &mention.uses {
                *first = used.end.min(*first);
                if wanted.contains(&used.end) {
                    places.insert(used.end, mention.entity.index());
                }
            }
        }
        let text = &index.document.text;
        let sides = knowledge.entities.iter().zip(&firsts);
        let all = sides.map(|(entity, first)| Side::of(entity, text, *first)).collect();
        let mut sides = Self { places, ..Self::bare(all) };
        for merge in &knowledge.merges {
            let Some(pair) = sides.pair(merge) else { continue };
            sides.seen.insert(pair);
            if merge.verdict == crate::knowledge::Verdict::Different {
                sides.apart.insert(pair);
            }
        }
        sides
    }

    /// Entities of whom nothing was decided.
    pub(super) fn bare(all: Vec<Side>) -> Self {
        Self { all, places: BTreeMap::new(), apart: BTreeSet::new(), seen: BTreeSet::new() }
    }

    /// Who is first named where a use ends, of the places that decisions name.
    pub(super) fn at(&self, place: u32) -> Option<EntityId> {
        self.places.get(&place).map(|&entity| EntityId::new(entity))
    }

    /// The two that a decision is about; none where they are one by now, or not there.
    pub(super) fn pair(&self, merge: &Merge) -> Option<(usize, usize)> {
        let (one, other) = self.at(merge.places.0).zip(self.at(merge.places.1))?;
        let (one, other) = (one.index(), other.index());
        (one != other).then_some((one.min(other), one.max(other)))
    }
}
