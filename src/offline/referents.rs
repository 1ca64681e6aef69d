//! Whom a pronoun stands for, where that is safe to say.
//!
//! `I` in a narrated chapter is its narrator. `He` and `she` in the narration are the one person of that
//! gender whom the narration named in the sentences right before, provided nobody else named there could be
//! meant. Everything else stays open: a wrong name is worse than none.
//!
//! Invariant: what stands in a speech is never resolved.

use std::ops::Range;

use super::cast::{Cast, Naming};
use super::english::{self, Gender};
use super::narrators::{Narration, is_called};
use super::tokens::Words;
use crate::knowledge::{EntityId, EntityKind};

/// How many sentences before its own a pronoun may reach for its name.
const REACH: usize = 2;

/// What pronouns may stand for in a book.
pub(crate) struct Referents<'a> {
    /// The book.
    pub(crate) words: &'a Words,
    /// Who is who.
    pub(crate) cast: &'a Cast,
    narrations: &'a [Narration],
    genders: Vec<Option<Gender>>,
}

impl<'a> Referents<'a> {
    /// The referents of a book whose chapters are told so.
    pub(crate) fn new(words: &'a Words, cast: &'a Cast, narrations: &'a [Narration]) -> Self {
        let gender = |forms: &mut dyn Iterator<Item = &str>| {
            forms
                .flat_map(str::split_whitespace)
                .find_map(|word| english::entry(&word.to_lowercase()).gender())
        };
        let genders = cast
            .entities
            .iter()
            .map(|entity| gender(&mut entity.aliases.iter().map(|alias| alias.name.as_str())))
            .collect();
        Self { words, cast, narrations, genders }
    }

    /// Who tells at this token.
    pub(crate) fn narrator(&self, at: usize) -> Option<EntityId> {
        let run = self.narrations.partition_point(|run| run.tokens.end <= at);
        self.narrations.get(run).filter(|run| run.tokens.start <= at).map(|run| run.narrator)
    }

    /// Whom the pronoun at this token stands for.
    pub(crate) fn of(&self, at: usize) -> Option<EntityId> {
        let token = self.words.tokens.get(at).filter(|token| !token.quoted)?;
        match self.words.lower(token) {
            "i" => self.narrator(at),
            "he" | "him" => self.named_before(at, Gender::Male),
            "she" | "her" => self.named_before(at, Gender::Female),
            _ => None,
        }
    }

    /// These names and the pronouns of which it is safe to say whom they mean, in text order.
    pub(crate) fn with_pronouns(&self, tokens: Range<usize>, names: &[Naming]) -> Vec<Naming> {
        let pronoun = |at: usize| {
            let token = self.words.tokens.get(at)?;
            let entity = match self.words.lower(token) {
                "i" | "he" | "she" | "him" => self.of(at),
                "me" => self.narrator(at).filter(|_| !token.quoted),
                _ => None,
            };
            Some(Naming { entity: entity?, start: at, end: at + 1 })
        };
        let mut namings: Vec<Naming> = tokens.filter_map(pronoun).chain(names.iter().copied()).collect();
        namings.sort_by_key(|naming| naming.start);
        namings
    }

    /// Whose the noun is that stands behind a pronoun of possession at this token.
    pub(crate) fn owner(&self, at: usize) -> Option<EntityId> {
        let token = self.words.tokens.get(at).filter(|token| !token.quoted)?;
        match self.words.lower(token) {
            "my" => self.narrator(at),
            "his" => self.named_before(at, Gender::Male),
            "her" => self.named_before(at, Gender::Female),
            _ => None,
        }
    }

    fn named_before(&self, at: usize, gender: Gender) -> Option<EntityId> {
        let sentence = self.words.tokens[at].sentence as usize;
        let from = self.words.sentences[sentence.saturating_sub(REACH)].tokens.start;
        let narrated = |naming: &&Naming| {
            !self.words.tokens[naming.start].quoted
                && !is_called(self.words, naming)
                && self.cast.kind(naming.entity) == EntityKind::Person
        };
        let fits =
            |id: EntityId| self.genders.get(id.index()).copied().flatten().is_none_or(|own| own == gender);
        let mut people = self.cast.within(from..at).iter().filter(narrated).map(|naming| naming.entity);
        let one = people.find(|id| fits(*id))?;
        let sure = self.genders.get(one.index()).copied().flatten() == Some(gender);
        (sure && people.all(|id| id == one || !fits(id))).then_some(one)
    }
}
