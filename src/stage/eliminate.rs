//! Interference elimination (CodaRAG III): what of the associated entities and relations to take out again.
//!
//! A chat model is shown them numbered, `E0` on and `R0` on, and names those to remove; whatever it does not
//! name stays, and a reply that cannot be read, or that would remove every entity, removes nothing. A removed
//! entity that holds kept seeds together over kept relations is put back, the best of several that would do:
//! what was joined stays joined.
//!
//! Departure: without a chat model a rule removes, and little: an entity that is no seed, that one pathway alone
//! raised and that is less like the low-level cues than half of the book; a relation between two such that is
//! less like the high-level cues than half of the book's.
//!
//! Invariant: every item given is afterwards among the kept or among the eliminated; an item is in both only
//! where it was restored.

use crate::algo::csr::Csr;
use crate::algo::separators::needed;
use crate::algo::vector::quantile;
use crate::book::Book;
use crate::knowledge::{EntityId, RelationId};
use crate::llm::ChatRequest;
use crate::prompts::ELIMINATE;

use super::{Associations, Cued, Eliminated, Item, Raised, Scored};

/// Why the chat model's are gone.
pub const CHOSEN: &str = "removed by the chat model";
/// Why a relation is gone that lost an end.
pub const ENDLESS: &str = "one of its ends is eliminated";
/// Why what exceeds the tokens is gone.
pub const OVER: &str = "beyond the tokens of its kind";
const UNLIKE_ENTITY: &str = "raised by one pathway alone, and less like the cues than half of the book";
const UNLIKE_RELATION: &str = "between two that are no seeds, and less like the cues than half of the book";

/// What the model is asked: the lines of entities and of relations.
pub fn request(question: &str, entities: &[String], relations: &[String]) -> ChatRequest {
    let numbered = |sign: char, lines: &[String]| {
        let lines = lines.iter().enumerate().map(|(number, line)| format!("{sign}{number}. {line}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let listed = format!("{}\n\n{}", numbered('E', entities), numbered('R', relations));
    ELIMINATE.request(listed.trim_end(), &format!("Question: {question}"))
}

/// The places that a reply names, of entities and of relations, each once, in order.
///
/// # Errors
/// What is wrong with a reply that names nothing on the list and does not say NONE, or names every entity.
pub fn read(reply: &str, entities: usize, relations: usize) -> Result<[Vec<usize>; 2], String> {
    let bare: Vec<&str> = reply.lines().filter(|line| is_bare(line)).collect();
    let told = if bare.is_empty() { behind_remove(reply).to_owned() } else { bare.join("\n") };
    let mut places = [Vec::new(), Vec::new()];
    for (sign, place) in ids(&told) {
        let (list, count) = if sign == 'E' { (0, entities) } else { (1, relations) };
        if place < count {
            places[list].push(place);
        }
    }
    for list in &mut places {
        list.sort_unstable();
        list.dedup();
    }
    let says_none = || runs(reply).any(|word| word.eq_ignore_ascii_case("none"));
    if places.iter().all(Vec::is_empty) && !says_none() {
        return Err("it names no E or R with a number on the list and does not say NONE".to_owned());
    }
    if entities > 0 && places[0].len() == entities {
        return Err("it removes every entity; keep those that may help".to_owned());
    }
    Ok(places)
}

/// Words and numbers of a text.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty())
}

fn id(run: &str) -> Option<(char, usize)> {
    let sign = run.chars().next()?.to_ascii_uppercase();
    let number = run.get(1..)?.parse().ok()?;
    ['E', 'R'].contains(&sign).then_some((sign, number))
}

fn ids(text: &str) -> impl Iterator<Item = (char, usize)> {
    runs(text).filter_map(id)
}

/// Whether a line is nothing but numbers of the list.
fn is_bare(line: &str) -> bool {
    ids(line).next().is_some() && runs(line).all(|run| id(run).is_some())
}

/// What stands behind the last word of removing: numbers before it may be of what is kept.
fn behind_remove(reply: &str) -> &str {
    let folded = reply.to_ascii_lowercase();
    folded.rfind("remove").and_then(|at| reply.get(at..)).unwrap_or_default()
}

/// What the model removed, by its places.
pub fn chosen(found: &Associations, [entities, relations]: &[Vec<usize>; 2]) -> Vec<Eliminated> {
    let entities = entities.iter().filter_map(|&place| found.entities.get(place));
    let relations = relations.iter().filter_map(|&place| found.relations.get(place));
    let items =
        entities.map(|node| Item::Entity(node.id)).chain(relations.map(|node| Item::Relation(node.id)));
    items.map(|item| Eliminated { item, reason: CHOSEN, restored: false }).collect()
}

/// What the rule removes.
pub fn by_rule(book: &Book, cued: &Cued<'_>, found: &Associations) -> Vec<Eliminated> {
    let (entities, relations) = (cued.space.entities.dots(cued.low), cued.space.relations.dots(cued.high));
    let (bar, relation_bar) = (quantile(entities.clone(), 0.5), quantile(relations.clone(), 0.5));
    let cosine = |cosines: &[f64], place: usize| cosines.get(place).copied().unwrap_or(0.0);
    let weak =
        |node: &&Raised| !node.is_seed() && node.ways() == 1 && cosine(&entities, node.id.index()) < bar;
    let seed = |id: EntityId| found.entities.iter().any(|node| node.id == id && node.is_seed());
    let aside = |node: &&Scored<RelationId>| {
        let ends = book.index.knowledge.relations.get(node.id.index()).map(|relation| relation.ends);
        let joins_seed = ends.is_some_and(|(one, other)| seed(one) || seed(other));
        !joins_seed && cosine(&relations, node.id.index()) < relation_bar
    };
    let entities = found.entities.iter().filter(weak).map(|node| (Item::Entity(node.id), UNLIKE_ENTITY));
    let relations = found.relations.iter().filter(aside);
    let relations = relations.map(|node| (Item::Relation(node.id), UNLIKE_RELATION));
    let items = entities.chain(relations);
    items.map(|(item, reason)| Eliminated { item, reason, restored: false }).collect()
}

/// Takes the removed out, but for what holds kept seeds together; a relation goes with its end.
pub fn eliminate(book: &Book, mut found: Associations, mut removed: Vec<Eliminated>) -> Associations {
    let is_removed =
        |removed: &[Eliminated], item: Item| removed.iter().any(|gone| gone.item == item && !gone.restored);
    let ends = |node: &Scored<RelationId>| {
        book.index.knowledge.relations.get(node.id.index()).map_or((node_none(), node_none()), |one| one.ends)
    };
    let place = |id: EntityId| found.entities.iter().position(|node| node.id == id);
    let kept = found.relations.iter().filter(|node| !is_removed(&removed, Item::Relation(node.id)));
    let edges = kept.filter_map(|node| Some((place(ends(node).0)?, place(ends(node).1)?)));
    let both = edges.flat_map(|(a, b)| [(a as u32, b as u32, 1.0), (b as u32, a as u32, 1.0)]);
    let graph = Csr::new(found.entities.len(), found.entities.len(), both.collect());
    let gone = |node: &Raised| is_removed(&removed, Item::Entity(node.id));
    let terminals: Vec<bool> = found.entities.iter().map(|node| node.is_seed() && !gone(node)).collect();
    // The least wanted first: entities come best first.
    let unwanted: Vec<usize> =
        (0..found.entities.len()).rev().filter(|&at| gone(&found.entities[at])).collect();
    for restored in needed(&graph, &terminals, &unwanted) {
        let item = Item::Entity(found.entities[restored].id);
        removed.iter_mut().filter(|gone| gone.item == item).for_each(|gone| gone.restored = true);
    }
    found.entities.retain(|node| !is_removed(&removed, Item::Entity(node.id)));
    let stays = |id: EntityId| found.entities.iter().any(|node| node.id == id);
    let (mut relations, mut lost) = (Vec::new(), Vec::new());
    for node in found.relations {
        let item = Item::Relation(node.id);
        match (is_removed(&removed, item), stays(ends(&node).0) && stays(ends(&node).1)) {
            (true, _) => {}
            (false, true) => relations.push(node),
            (false, false) => lost.push(Eliminated { item, reason: ENDLESS, restored: false }),
        }
    }
    removed.extend(lost);
    found.eliminated.extend(removed);
    Associations { relations, ..found }
}

/// An id that no entity has.
fn node_none() -> EntityId {
    EntityId(u32::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_reply_is_read_as_what_it_removes() {
        for (reply, entities, relations) in [
            ("E0, E2, R1", vec![0, 2], vec![1]),
            ("r1\ne2\ne2", vec![2], vec![1]),
            ("[E2] [R0]", vec![2], vec![0]),
            ("{\"remove\": [\"E2\", \"R0\"]}", vec![2], vec![0]),
            ("E0 and E1 help.\n\nE2, R0", vec![2], vec![0]),
            ("Keep E0 and E1. Remove E2 and R0.", vec![2], vec![0]),
            ("E9, E1, R77", vec![1], vec![]),
            ("NONE", vec![], vec![]),
            ("None of E0 to E2 has to go.", vec![], vec![]),
        ] {
            assert_eq!(read(reply, 4, 2), Ok([entities, relations]), "{reply:?}");
        }
    }

    #[test]
    fn a_reply_that_removes_nothing_or_everything_is_none() {
        for reply in [
            "",
            "I kept all.",
            "E0 and R1 help.",
            "E",
            "E0x",
            "E9",
            "E0, E1, E2, E3",
            "E٣",
            "\u{130}remove E1é",
        ] {
            assert!(read(reply, 4, 2).is_err(), "{reply:?}");
        }
    }
}
