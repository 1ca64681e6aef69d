//! What models call the kinds of entities, as ours.

use crate::knowledge::EntityKind;

/// Words for each kind, in the singular.
const WORDS: [(EntityKind, &[&str]); 4] = [
    (
        EntityKind::Person,
        &[
            "person",
            "people",
            "character",
            "human",
            "man",
            "woman",
            "men",
            "women",
            "boy",
            "girl",
            "child",
            "children",
            "individual",
            "protagonist",
            "antagonist",
            "hero",
            "heroine",
            "villain",
            "narrator",
            "figure",
            "being",
            "per",
            "animal",
            "dog",
            "cat",
            "horse",
            "male",
            "female",
        ],
    ),
    (
        EntityKind::Group,
        &[
            "group",
            "organization",
            "organisation",
            "org",
            "family",
            "company",
            "crew",
            "team",
            "institution",
            "committee",
            "commission",
            "community",
            "tribe",
            "nation",
            "regiment",
            "army",
            "government",
            "party",
            "norp",
            "society",
            "club",
            "collective",
        ],
    ),
    (
        EntityKind::Place,
        &[
            "place", "location", "loc", "city", "town", "village", "country", "region", "area", "setting",
            "gpe", "geo", "building", "house", "room", "river", "lake", "valley", "mountain", "hill",
            "street", "road", "landmark", "facility", "fac", "inn", "church", "chapel", "site", "dam", "sea",
        ],
    ),
    (
        EntityKind::Object,
        &[
            "object",
            "thing",
            "item",
            "artifact",
            "artefact",
            "product",
            "tool",
            "weapon",
            "vehicle",
            "ship",
            "boat",
            "document",
            "book",
            "letter",
            "possession",
            "instrument",
            "substance",
            "food",
            "drink",
            "clothing",
            "material",
            "machine",
            "device",
        ],
    ),
];

/// The kind that a model's word or phrase means. One that names several kinds, as the list it was
/// offered, means none.
pub(super) fn kind(written: &str) -> EntityKind {
    known(written).unwrap_or(EntityKind::Other)
}

/// The kind, where a word of it is known: `fictional character`, `Places`, `PERSON`.
pub(super) fn known(written: &str) -> Option<EntityKind> {
    let lower = written.to_lowercase();
    let mut found = None;
    for word in lower.split(|c: char| !c.is_alphanumeric()).take(6) {
        let singular = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
        let is = |known: &&str| {
            *known == word || word.strip_suffix('s') == Some(*known) || singular.as_deref() == Some(*known)
        };
        let Some((kind, _)) = WORDS.iter().find(|(_, words)| words.iter().any(is)) else {
            continue;
        };
        if found.is_some_and(|other| other != *kind) {
            return None;
        }
        found = Some(*kind);
    }
    found
}

/// Whether a text offers kinds to choose from: at least three.
pub(super) fn names_several(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).take(12);
    let kinds: std::collections::BTreeSet<&str> = words.filter_map(known).map(EntityKind::as_str).collect();
    kinds.len() > 2
}
