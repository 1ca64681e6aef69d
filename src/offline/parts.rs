//! A form of a name taken apart: what its honorifics say, its given name, its surname.
//!
//! A leading common word (`Long John`, `Little Nell`) is an epithet and is passed over; `St John` is
//! one given name. Parts are what merging compares, so two forms can be told apart without their text.
//!
//! Invariant: keys of single words are the vocabulary's ids; keys of compounds lie above them.

use std::collections::HashMap;

use super::english::{self, Gender, Tag};
use super::evidence::Evidence;
use super::names::Form;
use super::tokens::{WordId, Words};

/// A word of a name, or a compound such as `st john`.
pub(crate) type Key = u32;

/// What honorifics and pronouns say of a form or of a cluster of forms.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    /// Mr or Mrs, he or she.
    pub(crate) gender: Option<Gender>,
    /// Mrs.
    pub(crate) married: bool,
    /// Miss.
    pub(crate) maiden: bool,
    /// Lady, Countess.
    pub(crate) noble: bool,
    /// Mr, Miss, Mrs.
    pub(crate) plain: bool,
    /// King, Queen.
    pub(crate) royal: bool,
    /// Sir, Aunt: a single name after it is a given name.
    pub(crate) given_after: bool,
    /// Count, duke: of which rank.
    pub(crate) rank: Option<u8>,
    /// Junior, senior.
    pub(crate) generation: Option<Generation>,
}

/// Which of two that bear one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// The father.
    Senior,
    /// The son.
    Junior,
}

impl Generation {
    /// What a word behind a name says.
    pub(crate) fn of(word: &str) -> Option<Self> {
        match word {
            "senior" | "sr" | "sen" | "père" => Some(Self::Senior),
            "junior" | "jr" | "jun" | "fils" => Some(Self::Junior),
            _ => None,
        }
    }
}

impl Marks {
    /// What an honorific says; nothing for a word that is none.
    pub(crate) fn of(word: &str) -> Self {
        let entry = english::entry(word);
        if !entry.is(Tag::Honorific) {
            return Self::default();
        }
        Self {
            gender: entry.gender(),
            married: entry.is(Tag::Married),
            maiden: entry.is(Tag::Maiden),
            noble: entry.is(Tag::Noble),
            plain: matches!(word, "mr" | "mister" | "miss" | "mrs" | "mlle" | "mademoiselle"),
            royal: matches!(word, "king" | "queen" | "emperor" | "empress" | "pope"),
            given_after: entry.is(Tag::GivenAfter),
            rank: rank(word),
            generation: None,
        }
    }

    /// Why both cannot be of one person; none where they may.
    pub(crate) fn against(self, other: Marks) -> Option<&'static str> {
        let either = |one: fn(Marks) -> bool, two: fn(Marks) -> bool| {
            one(self) && two(other) || two(self) && one(other)
        };
        let female = self.gender == Some(Gender::Female) || other.gender == Some(Gender::Female);
        if self.gender.is_some() && other.gender.is_some() && self.gender != other.gender {
            return Some(if self.married || other.married { "husband and wife" } else { "he and she" });
        }
        if self.generation.is_some() && other.generation.is_some() && self.generation != other.generation {
            return Some("father and son");
        }
        if self.rank.is_some() && other.rank.is_some() && self.rank != other.rank {
            return Some("of two ranks");
        }
        if either(|marks| marks.married, |marks| marks.maiden) {
            return Some("Mrs and Miss");
        }
        if female && either(|marks| marks.noble, |marks| marks.plain) {
            return Some("a lady by title and one without");
        }
        either(|marks| marks.royal, |marks| marks.plain).then_some("a sovereign and a subject")
    }

    /// Takes up what another form of the same person says.
    pub(crate) fn add(&mut self, other: Marks) {
        self.gender = self.gender.or(other.gender);
        self.married |= other.married;
        self.maiden |= other.maiden;
        self.noble |= other.noble;
        self.plain |= other.plain;
        self.royal |= other.royal;
        self.given_after |= other.given_after;
        self.rank = self.rank.or(other.rank);
        self.generation = self.generation.or(other.generation);
    }
}

/// The rank of a title that goes with land, of which nobody in a family bears two.
fn rank(title: &str) -> Option<u8> {
    Some(match title {
        "baron" | "baroness" => 1,
        "viscount" | "viscountess" | "vicomte" | "vicomtesse" => 2,
        "count" | "countess" | "comte" | "comtesse" | "earl" => 3,
        "marquis" | "marquise" | "marquess" | "marchioness" => 4,
        "duke" | "duchess" | "duc" | "duchesse" => 5,
        _ => return None,
    })
}

/// A form taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// What its honorifics say.
    pub(crate) marks: Marks,
    /// The words of the name without epithets; particles included.
    pub(crate) words: Vec<Key>,
    /// Whether there are honorifics.
    pub(crate) titled: bool,
    /// An office rather than a name: `Duke of Moreland`.
    pub(crate) office: bool,
    /// The name of a place or thing rather than a person's: `Thornfield Hall`, `Isle of Man`.
    pub(crate) thing: bool,
}

impl Parts {
    /// Whether a place or thing may be called by its first word: `Thornfield` for Thornfield Hall, but not
    /// `London` for London Bridge.
    pub(crate) fn called_by_first(&self, parser: &Parser<'_>) -> Option<Key> {
        let [first, last] = self.words[..] else { return None };
        (self.thing && english::entry(parser.text(last)).is(Tag::Estate)).then_some(first)
    }

    /// The words between the given name and the surname.
    pub(crate) fn middles(&self) -> &[Key] {
        match &self.words[..] {
            [_, middles @ .., _] => middles,
            _ => &[],
        }
    }
}

/// Takes forms apart; owns the keys of compounds.
pub(crate) struct Parser<'a> {
    words: &'a Words,
    compounds: Vec<String>,
    ids: HashMap<String, Key>,
}

impl<'a> Parser<'a> {
    /// A parser over a book's vocabulary.
    pub(crate) fn new(words: &'a Words) -> Self {
        Self { words, compounds: Vec::new(), ids: HashMap::new() }
    }

    /// The text of a key.
    pub(crate) fn text(&self, key: Key) -> &str {
        match self.words.vocabulary.get(key as usize) {
            Some(word) => &word.text,
            None => self.compounds.get(key as usize - self.words.vocabulary.len()).map_or("", String::as_str),
        }
    }

    /// Takes one form apart.
    pub(crate) fn parse(&mut self, form: &Form, evidence: &Evidence) -> Parts {
        let saint = form.honorifics.last().is_some_and(|word| matches!(self.text(*word), "st" | "saint"));
        let titled = form.honorifics.len() > usize::from(saint);
        let mut marks = Marks::default();
        form.honorifics.iter().for_each(|word| marks.add(Marks::of(self.text(*word))));
        marks.given_after &= titled;
        let mut words = form.words[self.epithets(&form.words)..].to_vec();
        if saint && let Some(first) = words.first_mut() {
            *first = self.compound(*first);
        }
        let office = titled && words.iter().any(|key| self.text(*key) == "of");
        if titled && !office {
            // Comtesse de Tournay: a particle is no given name, and Cyr of St Cyr no surname of one.
            let particle = |key: &Key| english::entry(self.text(*key)).is(Tag::Particle);
            let leading = words.iter().take(words.len() - 1).take_while(|key| particle(key)).count();
            words.drain(..leading);
            if leading > 0 && words.len() == 2 && matches!(self.text(words[0]), "st" | "saint") {
                words = vec![self.compound(words[1])];
            }
        }
        if words.len() > 1 {
            marks.generation = words.last().and_then(|key| Generation::of(self.text(*key)));
            words.truncate(words.len() - usize::from(marks.generation.is_some()));
        }
        let given = words.first().filter(|_| words.len() > 1 || !titled);
        let given = given.map(|key| english::entry(self.text(*key))).filter(|entry| entry.is(Tag::Given));
        marks.gender = marks.gender.or(evidence.gender()).or(given.and_then(|entry| entry.gender()));
        let thing = !titled && words.len() > 1 && given.is_none() && self.is_thing(&words, evidence);
        Parts { marks, words, titled, office, thing }
    }

    /// Whether a key is a noun that stands for characters and that the book also uses as such.
    pub(crate) fn is_common(&self, key: Key) -> bool {
        let word = self.words.vocabulary.get(key as usize);
        word.is_some_and(|word| word.entry.is(Tag::Role) && word.lower > 0 && !word.entry.is(Tag::Vocative))
    }

    /// How many leading words are epithets: common words before a word that is a name.
    fn epithets(&self, words: &[WordId]) -> usize {
        let word = |id: WordId| &self.words.vocabulary[id as usize];
        let is_epithet = |pair: &[WordId]| {
            let (first, next) = (word(pair[0]), word(pair[1]));
            !first.entry.is(Tag::Particle)
                && (first.lower > first.mid || first.entry.is(Tag::Role))
                && !first.entry.is(Tag::Given)
                && (next.mid > next.lower || next.entry.is(Tag::Given))
                && !next.entry.is(Tag::Place)
        };
        words.windows(2).take_while(|pair| is_epithet(pair)).count()
    }

    /// Whether the last word is a noun of places or a common word, and nobody acts under this name.
    fn is_thing(&self, words: &[Key], evidence: &Evidence) -> bool {
        let of = words.iter().any(|key| self.text(*key) == "of");
        let Some(last) = words.last().and_then(|key| self.words.vocabulary.get(*key as usize)) else {
            return of;
        };
        let place = last.entry.is(Tag::Place) && evidence.person <= evidence.place;
        of || place || (last.lower >= last.mid && evidence.person == 0)
    }

    fn compound(&mut self, key: Key) -> Key {
        let text = format!("st {}", self.text(key));
        if let Some(id) = self.ids.get(&text) {
            return *id;
        }
        let id = (self.words.vocabulary.len() + self.compounds.len()) as Key;
        self.compounds.push(text.clone());
        self.ids.insert(text, id);
        id
    }
}
