//! Which entities a run of words may name.
//!
//! Forms are compared as folded words without a leading article, so `the Countess`, `Countess` and
//! `COUNTESS` are one form. A form shared by several entities names all of them, up to a limit: what many
//! bear names nobody, and a question must not have to speak of the whole cast.

use std::collections::HashMap;

use crate::knowledge::{Entity, EntityId};

use super::words;

/// The most entities that one form names, the first of the cast.
const MOST_BEARERS: usize = 16;

/// The forms of a book's entities.
#[derive(Clone, Debug, Default)]
pub struct Forms(HashMap<String, Vec<EntityId>>);

impl Forms {
    /// Collects every alias of every entity.
    pub fn new(entities: &[Entity]) -> Self {
        let mut forms: HashMap<String, Vec<EntityId>> = HashMap::new();
        for (place, entity) in entities.iter().enumerate() {
            for alias in &entity.aliases {
                let bearers = forms.entry(folded(&alias.name)).or_default();
                // Entities come in order, so one that is there already is the last.
                if bearers.len() < MOST_BEARERS && bearers.last() != Some(&EntityId::new(place)) {
                    bearers.push(EntityId::new(place));
                }
            }
        }
        forms.remove("");
        Self(forms)
    }

    /// The entities that these folded words name as a whole; none for an article alone.
    pub fn of(&self, folded: &[String]) -> &[EntityId] {
        self.0.get(&bare(folded).join(" ")).map_or(&[], Vec::as_slice)
    }
}

/// A name as it is compared: folded words without a leading article.
pub(crate) fn folded(name: &str) -> String {
    let folded: Vec<String> = words(name).map(|word| word.into_owned()).collect();
    bare(&folded).join(" ")
}

/// Folded words without a leading article.
pub(crate) fn bare(folded: &[String]) -> &[String] {
    match folded.split_first() {
        Some((article, rest)) if matches!(article.as_str(), "the" | "a" | "an") => rest,
        _ => folded,
    }
}
