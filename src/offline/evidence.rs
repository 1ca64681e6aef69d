//! Signs of what a name stands for, counted over all its uses.
//!
//! A subject of speech or thought, an owner of a face or a mother, one who is addressed: a person.
//! Something one is in, at or near, or whose last word says hall or street: a place. One with sails
//! or decks around: a ship. Pronouns that follow say he or she. No single sign decides; sums do.
//!
//! Invariant: one [`Evidence`] a form, whatever the order the uses are read in.

use super::english::{Gender, Tag};
use super::names::{Build, Names, Use};
use super::tokens::{Gap, Shape, Token, Words};
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
        self.male += other.male;
        self.female += other.female;
    }

    /// The gender that the pronouns agree on.
    pub(crate) fn gender(&self) -> Option<Gender> {
        match (self.male, self.female) {
            (male, female) if male >= 3 && male >= 3 * female => Some(Gender::Male),
            (male, female) if female >= 3 && female >= 3 * male => Some(Gender::Female),
            _ => None,
        }
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
        } else if self.person > 0 && self.person * 12 >= self.uses && !(the && self.person * 4 < self.uses) {
            EntityKind::Person
        } else if self.place > 0 && self.place >= self.person {
            EntityKind::Place
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
        let honorific = !form.honorifics.is_empty();
        let given =
            form.words.first().is_some_and(|word| words.vocabulary[*word as usize].entry.is(Tag::Given));
        evidence.person += if honorific {
            3 * form.count
        } else {
            u32::from(given && form.build == Build::Name) * (1 + form.count / 4)
        };
    }
    Ok(all)
}

fn weigh(words: &Words, used: Use, next_use: usize, build: Build, evidence: &mut Evidence) {
    let first = &words.tokens[used.start];
    let last = &words.tokens[used.end - 1];
    let before = words.before(used.start);
    let after = words.at(first.sentence, used.end);
    evidence.uses += 1;
    evidence.person += person_signs(words, before, first, last, after);
    if build == Build::Name {
        evidence.place += place_signs(words, before, first, used);
        let the = before.filter(|token| {
            token.gap != Gap::Hyphen && first.gap == Gap::Space && words.lower(token) == "the"
        });
        evidence.the += u32::from(the.is_some());
        evidence.ship += u32::from(has_ship(words, used));
        evidence.group += u32::from(used.end - used.start > 1 && words.entry(last).is(Tag::Group));
    }
    let until = next_use.min(used.end + REACH);
    for place in used.end..until {
        let Some(token) = words.at(first.sentence, place) else { break };
        let entry = words.entry(token);
        if entry.is(Tag::Pronoun)
            && let Some(gender) = entry.gender()
        {
            match gender {
                Gender::Male => evidence.male += 1,
                Gender::Female => evidence.female += 1,
            }
            break;
        }
    }
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
        signs += 3;
    }
    if words.entry(first).is(Tag::North) {
        signs += 2;
    }
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
