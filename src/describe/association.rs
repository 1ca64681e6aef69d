//! What CodaRAG and LightRAG associated with a question, as a document.

use crate::book::Book;
use crate::knowledge::{EntityId, RelationId};
use crate::report::{Associated, Cues, Eliminated, Related};
use crate::stage::{self, Associations, Item, Path};

/// What was looked for.
pub(crate) fn cues(found: &Associations) -> Cues {
    let stage::Cues { high, low, by } = found.cues.clone();
    Cues { high, low, by: by.to_owned() }
}

/// What was found, each with the pathways that raised it.
pub(crate) fn entities(book: &Book, found: &Associations) -> Vec<Associated> {
    let associated = |node: &stage::Raised| {
        let ways = Path::ALL.iter().zip(node.ranks).filter_map(|(path, rank)| Some((path.as_str(), rank?)));
        let (via, places) = ways.map(|(path, rank)| (path, rank as u32 + 1)).unzip();
        Associated { name: book.name(node.id).to_owned(), score: node.score, via, places }
    };
    found.entities.iter().map(associated).collect()
}

/// What ties them.
pub(crate) fn relations(book: &Book, found: &Associations) -> Vec<Related> {
    let knowledge = &book.index.knowledge;
    let related = |node: &stage::Scored<RelationId>| {
        let relation = knowledge.relations.get(node.id.index())?;
        Some(Related {
            source: book.name(relation.ends.0).to_owned(),
            target: book.name(relation.ends.1).to_owned(),
            keywords: knowledge.keywords(relation).into_iter().map(str::to_owned).collect(),
            description: relation.description.line(&book.index.document.text),
            score: node.score,
            weight: relation.weight,
        })
    };
    found.relations.iter().filter_map(related).collect()
}

/// What was taken out of them.
pub(crate) fn eliminated(book: &Book, found: &Associations) -> Vec<Eliminated> {
    let name = |id: EntityId| book.name(id).to_owned();
    let gone = |gone: &stage::Eliminated| {
        let (entity, source, target) = match gone.item {
            Item::Entity(id) => (name(id), String::new(), String::new()),
            Item::Relation(id) => {
                let ends = book.index.knowledge.relations.get(id.index())?.ends;
                (String::new(), name(ends.0), name(ends.1))
            }
        };
        Some(Eliminated { entity, source, target, reason: gone.reason.to_owned(), restored: gone.restored })
    };
    found.eliminated.iter().filter_map(gone).collect()
}
