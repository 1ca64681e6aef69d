//! Who is who: the rules' entities, and those that a chat model names beside them.

use std::collections::HashMap;

use super::passage::name_words;
use super::types::voted;
use crate::consolidate::NAMED;
use crate::knowledge::{Alias, Entity, EntityId, EntityKind, EntityType, Span, Told};
use crate::lexical::{Forms, bare};

/// Longest form looked for in a text, in words.
const FORM_WORDS: usize = 6;

/// The entities of a book while it is read.
pub(super) struct Cast {
    /// The rules' first.
    pub(super) entities: Vec<Entity>,
    forms: Forms,
    /// Those the model named, by their folded words.
    added: HashMap<String, EntityId>,
    votes: Vec<[u32; EntityKind::ALL.len()]>,
    /// What the model called each, by its list of types.
    categories: Vec<Vec<String>>,
}

impl Cast {
    /// Begins with the rules' entities.
    pub(super) fn new(entities: Vec<Entity>) -> Self {
        let votes = vec![[0; EntityKind::ALL.len()]; entities.len()];
        let categories = vec![Vec::new(); entities.len()];
        Self { forms: Forms::new(&entities), entities, added: HashMap::new(), votes, categories }
    }

    /// The one entity of whom these folded words are a form, among those that `here` lets pass; none where
    /// there are several.
    pub(super) fn only(&self, folded: &[String], here: impl Fn(&EntityId) -> bool) -> Option<EntityId> {
        let ours = self.forms.of(folded).iter().copied();
        let added = self.added.get(&bare(folded).join(" ")).copied();
        let mut found = ours.chain(added).filter(here);
        found.next().filter(|_| found.next().is_none())
    }

    /// The entities that a text names, longest names first at each word.
    pub(super) fn within(&self, folded: &[String], here: impl Fn(&EntityId) -> bool + Copy) -> Vec<EntityId> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < folded.len() {
            let longest = FORM_WORDS.min(folded.len() - at);
            let named = (1..=longest)
                .rev()
                .find_map(|length| self.only(&folded[at..at + length], here).map(|entity| (length, entity)));
            at += named.map_or(1, |(length, _)| length);
            found.extend(named.map(|(_, entity)| entity));
        }
        found
    }

    /// The entity of a name that the rules do not know, made where it is new; `first` is where it stands,
    /// `count` how often.
    pub(super) fn named(&mut self, name: &str, first: Span, count: usize) -> EntityId {
        let folded = name_words(name);
        let next = EntityId::new(self.entities.len());
        let id = *self.added.entry(bare(&folded).join(" ")).or_insert(next);
        if id == next {
            let name = self.unique(name);
            let reason = NAMED.to_owned();
            let alias = Alias { name: name.clone(), count: 0, evidence: first.end, reason };
            self.entities.push(Entity {
                name,
                kind: EntityKind::Other,
                category: None,
                aliases: vec![alias],
                description: Told::default(),
            });
            self.votes.push([0; EntityKind::ALL.len()]);
            self.categories.push(Vec::new());
        }
        if let Some(alias) = self.entities[id.index()].aliases.first_mut() {
            alias.count = alias.count.saturating_add(count as u32);
        }
        id
    }

    /// A name that no entity bears yet.
    fn unique(&self, name: &str) -> String {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let taken = |name: &str| self.entities.iter().any(|entity| entity.name == name);
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(name.clone())
    }

    /// Counts what the model says an entity is: its kind, and its type where it named one.
    pub(super) fn vote(&mut self, entity: EntityId, kind: EntityKind, category: String) {
        let place = EntityKind::ALL.iter().position(|other| *other == kind).unwrap_or_default();
        if let Some(votes) = self.votes.get_mut(entity.index()) {
            votes[place] += 1;
        }
        if let Some(categories) = self.categories.get_mut(entity.index()).filter(|_| !category.is_empty()) {
            categories.push(category);
        }
    }

    /// The entities, each of a kind the rules were not sure of being what the model most often says, and so is
    /// its type, among those of its kind.
    pub(super) fn finish(mut self, types: &[EntityType]) -> Vec<Entity> {
        let votes = self.votes.iter().zip(&self.categories);
        for (entity, (votes, categories)) in self.entities.iter_mut().zip(votes) {
            let sure = EntityKind::ALL.iter().zip(votes).filter(|(kind, _)| **kind != EntityKind::Other);
            let most = sure.filter(|(_, votes)| **votes > 0).rev().max_by_key(|(_, votes)| **votes);
            if let Some((kind, _)) = most.filter(|_| entity.kind == EntityKind::Other) {
                entity.kind = *kind;
            }
            entity.category = voted(categories, entity.kind, types);
        }
        self.entities
    }
}
