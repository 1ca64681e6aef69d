//! Two lists of one reply: entities and triples, told apart by their fields, or by what the list is called.
//!
//! Both are read by the one tolerant reader, each from what the other cannot mean: a record with a subject and an
//! object is no entity, and neither is anything in a list of triples. A reply that holds only one of the two
//! says that of the other there is none.

use super::parse::Node;
use super::shape::{self, folded};
use super::{Entity, Fault, Read, Triple, entity, read_of, triple};

/// What else a passage tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gleaned {
    /// Someone or something.
    Entity(Entity),
    /// A fact.
    Triple(Triple),
}

/// Names of lists that are of one kind only.
const OF_ENTITIES: [&str; 5] = ["entities", "entity", "nodes", "namedentities", "extractedentities"];
const OF_TRIPLES: [&str; 6] = ["triples", "triplets", "relations", "relationships", "facts", "edges"];

/// The entities, then the triples of a reply.
///
/// # Errors
/// A [`Fault`] where there is neither and the reply does not say so.
///
/// ```
/// use plotbridge::llm::reply::{Gleaned, gleaned};
/// let reply = r#"{"entities": [], "triples": [{"subject": "Ann", "predicate": "knows", "object": "Ben"}]}"#;
/// let read = gleaned(reply).unwrap();
/// assert!(matches!(&read.items[..], [Gleaned::Triple(triple)] if triple.object == "Ben"));
/// ```
pub fn gleaned(reply: &str) -> Result<Read<Gleaned>, Fault> {
    let entities = read_of(reply, &shape::ENTITIES, |node| without(node, &OF_TRIPLES, is_triple), entity);
    let triples = read_of(reply, &shape::TRIPLES, |node| without(node, &OF_ENTITIES, |_| false), triple);
    if let (Err(fault), Err(other)) = (&entities, &triples) {
        return Err(if *fault == Fault::Empty { *other } else { *fault });
    }
    let (entities, triples) = (entities.unwrap_or_else(none), triples.unwrap_or_else(none));
    let items = entities.items.into_iter().map(Gleaned::Entity);
    Ok(Read {
        items: items.chain(triples.items.into_iter().map(Gleaned::Triple)).collect(),
        dropped: entities.dropped + triples.dropped,
        cut: entities.cut | triples.cut,
        repaired: entities.repaired | triples.repaired,
    })
}

/// The list that a reply does not have.
fn none<T>(_: Fault) -> Read<T> {
    Read { items: Vec::new(), dropped: 0, cut: false, repaired: false }
}

/// Whether a record has both ends of a triple.
fn is_triple(fields: &[(String, Node)]) -> bool {
    let ends = [0, 2].map(|place| fields.iter().any(|(name, _)| shape::TRIPLES.rank(name, place).is_some()));
    ends == [true, true]
}

/// A value without lists of these names and without records of the other kind.
fn without(node: Node, lists: &[&str], other: fn(&[(String, Node)]) -> bool) -> Node {
    match node {
        Node::Record { fields, .. } if other(&fields) => Node::Word(String::new()),
        Node::Record { fields, whole } => {
            let kept = fields
                .into_iter()
                .filter(|(name, value)| !(value.is_container() && lists.contains(&folded(name).as_str())));
            Node::Record {
                fields: kept.map(|(name, value)| (name, without(value, lists, other))).collect(),
                whole,
            }
        }
        Node::List { items, whole } => {
            let kept = items.into_iter().map(|item| without(item, lists, other));
            // What is taken out leaves a list that says nothing of itself.
            let kept = kept.filter(|item| !matches!(item, Node::Word(word) if word.is_empty()));
            Node::List { items: kept.collect(), whole }
        }
        node => node,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(reply: &str) -> (Vec<String>, Vec<String>) {
        let (mut entities, mut triples) = (Vec::new(), Vec::new());
        for item in gleaned(reply).unwrap().items {
            match item {
                Gleaned::Entity(entity) => entities.push(entity.name),
                Gleaned::Triple(triple) => {
                    triples.push(format!("{} {} {}", triple.subject, triple.predicate, triple.object));
                }
            }
        }
        (entities, triples)
    }

    #[test]
    fn the_two_lists_are_told_apart() {
        let ann = r#"{"name": "Ann", "type": "person", "description": "Ann rows."}"#;
        let knows = r#"{"subject": "Ann", "predicate": "knows", "object": "Ben"}"#;
        for (reply, names, facts) in [
            (format!(r#"{{"entities": [{ann}], "triples": [{knows}]}}"#), 1, 1),
            (
                format!(
                    r#"```json
{{"entities": [{ann}],}}
```"#
                ),
                1,
                0,
            ),
            (format!(r#"{{"relationships": [{knows}], "entities": []}}"#), 0, 1),
            (format!("[{ann}, {knows}]"), 1, 1),
            (format!("{ann}\n{knows}"), 1, 1),
            (r#"{"entities": [], "triples": []}"#.to_owned(), 0, 0),
            (format!(r#"{{"entities": [{ann}], "triples": [["Ann", "knows", "Ben"]]}}"#), 1, 1),
            ("[]".to_owned(), 0, 0),
        ] {
            let (entities, triples) = read(&reply);
            assert_eq!((entities.len(), triples.len()), (names, facts), "{reply}: {entities:?} {triples:?}");
        }
        assert_eq!(read(&format!(r#"{{"triples": [{knows}]}}"#)), (vec![], vec!["Ann knows Ben".to_owned()]));
    }

    #[test]
    fn a_reply_without_either_is_a_fault() {
        assert_eq!(gleaned("Nothing was missed, I am sure.").unwrap_err(), Fault::Prose);
        assert_eq!(gleaned("").unwrap_err(), Fault::Empty);
        assert!(gleaned(r#"{"entities": [{"name": "Ann", "type": "per"#).is_err());
    }
}
