//! Signs of what a name stands for, counted over all its uses.
//!
//! A subject of speech or thought, an owner of a face or a mother, one who is addressed: a person.
//! Something one is in, at or near, or whose last word says hall or street: a place. One with sails
//! or decks around: a ship. Pronouns that follow say he or she. No single sign decides; sums do.
//!
//! Invariant: one [`Evidence`] a form, whatever the order the uses are read in.

use super::english::{self, Entry, Gender, Tag};
use super::names::{Build, Form, Names, Use};
use super::tokens::{Gap, Shape, Token, WordId, Words};
use crate::error::Result;
use crate::knowledge::EntityKind;
use crate::pace::Pace;

/// How far a pronoun may stand from the name it takes up, in tokens.
const REACH: usize = 12;

/// Signs counted over the uses of a form or of an entity.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    /// Uses.
    pub(crate) uses: u32,
    /// Signs of a person.
    pub(crate) person: u32,
    /// Signs of a place.
    pub(crate) place: u32,
    /// Uses with words of ships around.
    ship: u32,
    /// Uses after `the`.
    the: u32,
    /// Uses whose last word is a noun of groups.
    group: u32,
    /// Uses as an adjective: before a common noun.
    adjective: u32,
    /// Uses of a form built like a thing's: `Slough of Despond`, `Embassy`.
    thing: u32,
    /// Followed by he.
    male: u32,
    /// Followed by she.
    female: u32,
}

impl Evidence {
    /// Adds the signs of another form of the same entity.
    pub(crate) fn add(&mut self, other: &Evidence) {
        self.uses += other.uses;
        self.person += other.person;
        self.place += other.place;
        self.ship += other.ship;
        self.the += other.the;
        self.group += other.group;
        self.adjective += other.adjective;
        self.thing += other.thing;
        self.male += other.male;
        self.female += other.female;
    }

    /// How many more pronouns say she than he.
    pub(crate) fn lean(&self) -> i64 {
        i64::from(self.female) - i64::from(self.male)
    }

    /// The gender that the pronouns agree on.
    pub(crate) fn gender(&self) -> Option<Gender> {
        match (self.male, self.female) {
            (male, female) if male >= 3 && male >= 3 * female => Some(Gender::Male),
            (male, female) if female >= 3 && female >= 3 * male => Some(Gender::Female),
            _ => None,
        }
    }

    /// Whether a name is used so seldom that the lack of signs says nothing: most names are of people.
    fn is_silent(&self) -> bool {
        self.uses <= 3 && self.the + self.adjective + self.ship + self.group + self.thing == 0
    }

    /// Whether `he` or `she` takes up one use in three, where no noun stands right behind the name.
    fn is_taken_up(&self) -> bool {
        (self.male + self.female) * 3 >= self.uses.max(1) && self.adjective * 4 < self.uses.max(1)
    }

    /// Whether signs of a place clearly outweigh those of a person.
    pub(crate) fn is_place(&self) -> bool {
        self.place > self.person && self.place * 4 >= self.uses
    }

    /// What the signs say.
    pub(crate) fn kind(&self) -> EntityKind {
        let the = self.the * 2 > self.uses;
        if self.ship * 4 >= self.uses && the && self.person * 3 < self.uses.max(3) {
            EntityKind::Object
        } else if self.is_place() {
            EntityKind::Place
        } else if self.group * 2 > self.uses && self.person * 2 < self.uses {
            EntityKind::Group
        } else if self.adjective * 3 >= self.uses && self.adjective > 1 && self.person * 2 < self.uses * 3 {
            EntityKind::Other
        } else if self.person > 0 && self.person * 12 >= self.uses && !(the && self.person * 8 < self.uses) {
            EntityKind::Person
        } else if self.place > 0 && self.place >= self.person {
            EntityKind::Place
        } else if (self.is_taken_up() || self.is_silent()) && !the {
            EntityKind::Person
        } else {
            EntityKind::Other
        }
    }
}

/// Counts the signs for every form.
pub(crate) async fn gather(words: &Words, names: &Names, pace: &Pace<'_>) -> Result<Vec<Evidence>> {
    let mut all = vec![Evidence::default(); names.forms.len()];
    for (index, used) in names.uses.iter().enumerate() {
        let next = names.uses.get(index + 1).map_or(words.tokens.len(), |next| next.start);
        let build = names.forms[used.form].build;
        weigh(words, *used, next, build, &mut all[used.form]);
        if index % 256 == 0 {
            pace.step("signs", index, names.uses.len()).await?;
        }
    }
    for (form, evidence) in names.forms.iter().zip(&mut all) {
        let is = |word: &WordId, tag| words.vocabulary[*word as usize].entry.is(tag);
        let saint = |word: &WordId| matches!(words.vocabulary[*word as usize].text.as_str(), "st" | "saint");
        let titled = form.honorifics.iter().any(|word| !saint(word));
        let given = form.build == Build::Name && form.words.first().is_some_and(|word| is(word, Tag::Given));
        if !titled && form.words.last().is_some_and(|last| is_thing(words, form, *last)) {
            evidence.thing += form.count;
        }
        evidence.person += if titled { 3 * form.count } else { u32::from(given) };
    }
    Ok(all)
}

/// Whether a form ends in a noun of places, groups or ships, or has `of` inside.
fn is_thing(words: &Words, form: &Form, last: WordId) -> bool {
    let word = |id: WordId| &words.vocabulary[id as usize];
    let text = word(last).text.as_str();
    let single = text.strip_suffix('s').map_or(Entry::default(), english::entry);
    let nouns = [Tag::Place, Tag::Estate, Tag::Group, Tag::Ship];
    let noun = |entry: Entry| nouns.iter().any(|tag| entry.is(*tag)) && !entry.is(Tag::Given);
    noun(word(last).entry) || noun(single) || form.words.iter().any(|id| word(*id).text == "of")
}

fn weigh(words: &Words, used: Use, next_use: usize, build: Build, evidence: &mut Evidence) {
    let first = &words.tokens[used.start];
    let last = &words.tokens[used.end - 1];
    let before = words.before(used.start);
    let after = words.at(first.sentence, used.end);
    evidence.uses += 1;
    evidence.person += person_signs(words, before, first, last, after);
    if build == Build::Name {
        weigh_name(words, used, before, after, evidence);
    }
    match pronoun(words, used, next_use) {
        Some(Gender::Male) => evidence.male += 1,
        Some(Gender::Female) => evidence.female += 1,
        None => {}
    }
}

/// Signs that a name is not a person's.
fn weigh_name(
    words: &Words,
    used: Use,
    before: Option<&Token>,
    after: Option<&Token>,
    evidence: &mut Evidence,
) {
    let (first, last) = (&words.tokens[used.start], &words.tokens[used.end - 1]);
    let single = used.end - used.start == 1;
    let the = before.is_some_and(|token| first.gap == Gap::Space && words.lower(token) == "the");
    evidence.place += place_signs(words, before, first, used);
    evidence.the += u32::from(the);
    evidence.ship += u32::from(has_ship(words, used));
    evidence.group += u32::from((!single || the) && words.entry(last).is(Tag::Group));
    evidence.group += u32::from(single && the && words.lower(last).ends_with('s'));
    let noun = after.is_some_and(|token| {
        let word = words.word(token);
        let plain = word.verb.is_none() && !word.entry.is(Tag::Stop) && !word.entry.is(Tag::Question);
        let inflected = ["ly", "ed", "ing"].iter().any(|ending| word.text.ends_with(ending));
        token.gap == Gap::Space && token.shape == Shape::Lower && plain && !inflected
    });
    evidence.adjective += u32::from(noun && !last.possessive);
}

/// The gender of the first pronoun after a use, before the next name.
fn pronoun(words: &Words, used: Use, next_use: usize) -> Option<Gender> {
    let sentence = words.tokens[used.start].sentence;
    let near = (used.end..next_use.min(used.end + REACH)).map_while(|place| words.at(sentence, place));
    let entries = near.map(|token| words.entry(token)).filter(|entry| entry.is(Tag::Pronoun));
    entries.filter_map(|entry| entry.gender()).next()
}

/// Signs of a person next to one use.
fn person_signs(
    words: &Words,
    before: Option<&Token>,
    first: &Token,
    last: &Token,
    after: Option<&Token>,
) -> u32 {
    let mut signs: u32 = 0;
    if let Some(after) = after {
        let entry = words.entry(after);
        let text = words.lower(after);
        if last.possessive {
            signs += u32::from(entry.is(Tag::Body) || entry.is(Tag::Kin));
        } else if after.gap == Gap::Space && after.shape == Shape::Lower {
            let verb = words.word(after).verb.unwrap_or_default();
            let entry = super::english::entry(verb);
            let acts = (entry.is(Tag::Speech) || entry.is(Tag::Human))
                && !matches!(verb, "be" | "have" | "seem" | "stand" | "lie" | "rise" | "run");
            signs += u32::from(acts) * 2;
        }
        signs += u32::from(matches!(text, "who" | "whom" | "whose" | "himself" | "herself")) * 2;
        signs += u32::from(
            first.quoted
                && matches!(after.gap, Gap::Comma)
                && (first.initial || before.is_some() && first.gap == Gap::Comma),
        );
    }
    if let Some(before) = before {
        let entry = words.entry(before);
        let speech = words.word(before).verb.is_some_and(|verb| super::english::entry(verb).is(Tag::Speech));
        let told = first.gap == Gap::Space && before.shape == Shape::Lower && speech;
        let dear = first.gap == Gap::Space
            && (entry.is(Tag::Kin) || matches!(words.lower(before), "dear" | "poor" | "young"));
        signs += u32::from(told) * 2 + u32::from(dear);
    }
    signs
}

/// Signs of a place next to one use.
fn place_signs(words: &Words, before: Option<&Token>, first: &Token, used: Use) -> u32 {
    let last = &words.tokens[used.end - 1];
    let mut signs: u32 = 0;
    if used.end - used.start > 1 && words.entry(last).is(Tag::Place) {
        // Catherine Moor may be either.
        signs += if words.entry(first).is(Tag::Given) { 1 } else { 3 };
    }
    if used.end - used.start == 1 && words.entry(first).is(Tag::Land) {
        signs += 2;
    }
    if words.entry(first).is(Tag::North) {
        signs += 2;
    }
    // `at the Grange` is as good as `at Thornfield`.
    let the = before.is_some_and(|token| first.gap == Gap::Space && words.lower(token) == "the");
    let before = if the { words.before(used.start - 1) } else { before };
    let preposition = before.filter(|token| first.gap == Gap::Space && token.shape == Shape::Lower);
    if let Some(text) = preposition.map(|token| words.lower(token)) {
        signs += match text {
            "in" | "at" | "through" | "across" | "throughout" => 2,
            "near" | "toward" | "towards" | "leaving" | "round" | "into" | "outside" | "around" => 1,
            "from" | "to" if !last.possessive => 1,
            _ => 0,
        };
        if last.possessive && matches!(text, "in" | "at" | "through" | "into") {
            signs = signs.saturating_sub(2);
        }
    }
    signs
}

/// Whether words of ships stand around a use.
fn has_ship(words: &Words, used: Use) -> bool {
    let sentence = words.tokens[used.start].sentence;
    (used.start.saturating_sub(6)..used.end + 6)
        .filter_map(|place| words.at(sentence, place))
        .any(|token| words.entry(token).is(Tag::Ship) && token.shape == Shape::Lower)
}
