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
}

impl Marks {
    /// Whether both may be of one person.
    pub(crate) fn agree(self, other: Marks) -> bool {
        let gender = self.gender.is_none() || other.gender.is_none() || self.gender == other.gender;
        let wedded = !(self.married && other.maiden || self.maiden && other.married);
        let female = self.gender == Some(Gender::Female) || other.gender == Some(Gender::Female);
        let noble = !(female && ((self.noble && other.plain) || (self.plain && other.noble)));
        gender && wedded && noble && !(self.royal && other.plain) && !(self.plain && other.royal)
    }

    /// Takes up what another form of the same person says.
    pub(crate) fn add(&mut self, other: Marks) {
        self.gender = self.gender.or(other.gender);
        self.married |= other.married;
        self.maiden |= other.maiden;
        self.noble |= other.noble;
        self.plain |= other.plain;
        self.royal |= other.royal;
    }
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
        let honorific = |tag| form.honorifics.iter().any(|word| self.is(*word, tag));
        let named = |names: &[&str]| form.honorifics.iter().any(|word| names.contains(&self.text(*word)));
        let saint = form.honorifics.last().is_some_and(|word| matches!(self.text(*word), "st" | "saint"));
        let titled = form.honorifics.len() > usize::from(saint);
        let mut marks = Marks {
            gender: form
                .honorifics
                .iter()
                .find_map(|word| self.words.vocabulary[*word as usize].entry.gender()),
            married: honorific(Tag::Married),
            maiden: honorific(Tag::Maiden),
            noble: honorific(Tag::Noble),
            plain: named(&["mr", "mister", "miss", "mrs"]),
            royal: named(&["king", "queen", "emperor", "empress", "pope"]),
            given_after: titled && honorific(Tag::GivenAfter),
        };
        let mut words = form.words[self.epithets(&form.words)..].to_vec();
        if saint && let Some(first) = words.first_mut() {
            *first = self.compound(*first);
        }
        let given = words.first().filter(|_| words.len() > 1 || !titled);
        let given = given.map(|key| english::entry(self.text(*key))).filter(|entry| entry.is(Tag::Given));
        marks.gender = marks.gender.or(evidence.gender()).or(given.and_then(|entry| entry.gender()));
        let thing = !titled && words.len() > 1 && given.is_none() && self.is_thing(&words, evidence);
        let office = titled && words.iter().any(|key| self.text(*key) == "of");
        Parts { marks, words, titled, office, thing }
    }

    /// Whether a key is a noun that stands for characters and that the book also uses as such.
    pub(crate) fn is_common(&self, key: Key) -> bool {
        let word = self.words.vocabulary.get(key as usize);
        word.is_some_and(|word| word.entry.is(Tag::Role) && word.lower > 0 && !word.entry.is(Tag::Vocative))
    }

    fn is(&self, word: WordId, tag: Tag) -> bool {
        self.words.vocabulary.get(word as usize).is_some_and(|word| word.entry.is(tag))
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
