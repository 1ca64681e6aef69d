//! One field of a record: a value as text, tidied, and whether it says anything.
//!
//! Invariant: what comes out was written, letter by letter; only marks around it and entities change.

use super::kinds;
use super::parse::Node;
use super::plain;
use super::shape::folded;

/// A value as text: of a list its texts, of a record its name.
pub(super) fn plain_text(node: &Node) -> String {
    match node {
        Node::Text(text) | Node::Word(text) => text.clone(),
        Node::List { items, .. } => {
            let texts: Vec<String> =
                items.iter().filter(|item| !item.is_container()).map(plain_text).collect();
            texts.join(", ")
        }
        Node::Record { fields, .. } => {
            let named = fields
                .iter()
                .find(|(key, _)| ["name", "entity", "text", "value"].contains(&folded(key).as_str()));
            match named {
                Some((_, Node::Text(text) | Node::Word(text))) => text.clone(),
                _ => String::new(),
            }
        }
    }
}

/// Entities decoded, white space single, quotes and emphasis around it off.
pub(super) fn tidy(text: &str) -> String {
    let text = plain::unentitied(text);
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let around = |c: char| matches!(c, '*' | '`' | '"' | '“' | '”') || c.is_whitespace();
    let bare = joined.trim_matches(around);
    // Quotes inside that the trimming would unpair stay.
    let pairs = |text: &str| text.matches(['"', '“', '”']).count().is_multiple_of(2);
    if pairs(bare) { bare.to_owned() } else { joined.trim_matches(['*', '`', ' ']).to_owned() }
}

/// Words for no value.
pub(super) fn is_nothing(text: &str) -> bool {
    ["null", "none", "n/a", "nan", "unknown", "undefined", "-", "true", "false"]
        .contains(&text.to_ascii_lowercase().as_str())
}

/// The kinds that a prompt offers, which name nobody.
pub(super) fn is_category(name: &str) -> bool {
    let singular = folded(name);
    let singular = singular.strip_suffix('s').unwrap_or(&singular);
    ["person", "people", "group", "place", "object", "other", "character", "location", "entity", "entitie"]
        .contains(&singular)
}

/// What stands in a schema or an example instead of data: `...`, `string`, `<name>`, the list of kinds.
pub(super) fn is_placeholder(text: &str) -> bool {
    const WORDS: [&str; 13] = [
        "string",
        "str",
        "name",
        "type",
        "description",
        "subject",
        "predicate",
        "label",
        "details",
        "one sentence",
        "short description",
        "a short description",
        "brief description",
    ];
    let lower = text.to_lowercase();
    let dots = !text.is_empty() && text.chars().all(|c| matches!(c, '.' | '…' | ' '));
    let bracketed = text.starts_with(['<', '[', '{']) && text.ends_with(['>', ']', '}']);
    let choice = (text.contains('|') || text.contains(" or ")) && kinds::names_several(text);
    let told = ["name of the ", "name of an ", "what happened"].iter().any(|start| lower.starts_with(start));
    dots || bracketed
        || choice
        || told && lower.split_whitespace().count() <= 6
        || WORDS.contains(&lower.as_str())
}
