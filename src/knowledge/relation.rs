//! Relations: what ties two entities, made of the triples between them.
//!
//! The record is LightRAG's: an unordered pair of entities, keywords, one description, a weight that is the
//! sum of what each extraction is worth, and the chunks behind it (systems 2.2). All of it follows from
//! the triples, so nothing but a description that a chat model wrote is kept in a file. Because relations are
//! made once it is settled who is who, those of two fragments of one entity fall together by themselves, and
//! one between them is gone: a triple of an entity with itself ties nothing.
//!
//! - The **weight** counts 1 for each stated triple and the configuration's `weak_tie` for each chunk in which
//!   both take part in one event (ours; LightRAG sums strengths that its chat model gives).
//! - The **keywords** are the predicates of the stated triples, in text order (LightRAG asks its chat model for
//!   some).
//! - The **description** is the sentences that state it or, of a weak tie, the events that tell of both: no more
//!   than [`FRAGMENTS`], evenly from the first to the last. Where more than that state it a chat model makes
//!   one text of them.
//!
//! Invariant: sorted by their ends, the smaller id first, each pair once; every weight is above zero. A
//! quoted description holds only text of the triples given, so relations made of a book's part tell nothing
//! of the rest.

use std::collections::BTreeSet;

use super::{EntityId, Knowledge, RelationId, Span, Told, Triple, TripleId, TripleKind};

/// The most fragments that are a description as they are; of more a chat model makes one text (LightRAG's
/// threshold, 4).
pub const FRAGMENTS: usize = 4;

/// The most keywords of one relation: ours, far above what a book's relations have.
const MOST_KEYWORDS: usize = 32;

/// What ties two entities.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Whom it ties, without direction: the smaller id first.
    pub ends: (EntityId, EntityId),
    /// The triples between them, stated ones and weak ties, in their own order; never empty.
    pub triples: Vec<TripleId>,
    /// The sum of the triples' strengths, above zero.
    pub weight: f64,
    /// What is told of the two.
    pub description: Told,
}

impl Relation {
    /// The other end, for one of the two.
    pub fn other(&self, end: EntityId) -> EntityId {
        if self.ends.0 == end { self.ends.1 } else { self.ends.0 }
    }
}

/// The relations of these triples; `weak_tie` is what a weak tie is worth where a stated one is worth 1.
/// O(t log t) for t triples.
///
/// ```
/// use plotbridge::knowledge::{ChunkId, EntityId, Phrase, Span, Triple, TripleKind, relate};
/// let end = |id| Phrase { text: String::new(), entity: Some(EntityId(id)) };
/// let triple = |subject, object, kind| Triple {
///     subject: end(subject), predicate: "thanks".to_owned(), object: end(object),
///     kind, chunk: ChunkId(0), span: Span::new(0, 9),
/// };
/// let triples = [
///     triple(1, 0, TripleKind::Stated),
///     triple(0, 1, TripleKind::CoOccurrence),
///     triple(1, 1, TripleKind::Stated),
/// ];
/// let relations = relate(&triples, 0.25);
/// assert_eq!(relations.len(), 1);
/// assert_eq!((relations[0].ends, relations[0].weight), ((EntityId(0), EntityId(1)), 1.25));
/// ```
pub fn relate(triples: &[Triple], weak_tie: f64) -> Vec<Relation> {
    let ends = |triple: &Triple| {
        let (subject, object) = triple.subject.entity.zip(triple.object.entity)?;
        (subject != object && strength(triple, weak_tie) > 0.0)
            .then_some((subject.min(object), subject.max(object)))
    };
    let tied = triples.iter().enumerate();
    let mut tied: Vec<((EntityId, EntityId), TripleId)> =
        tied.filter_map(|(place, triple)| Some((ends(triple)?, TripleId::new(place)))).collect();
    tied.sort_unstable();
    let runs = tied.chunk_by(|one, next| one.0 == next.0);
    let related = |run: &[((EntityId, EntityId), TripleId)]| {
        let own = || run.iter().filter_map(|(_, id)| triples.get(id.index()));
        Relation {
            ends: run.first().map_or((EntityId(0), EntityId(0)), |(ends, _)| *ends),
            triples: run.iter().map(|(_, id)| *id).collect(),
            weight: own().map(|triple| strength(triple, weak_tie)).sum(),
            description: Told::Quoted(spread(&fragments(own()))),
        }
    };
    runs.map(related).collect()
}

/// What one triple adds to its relation's weight.
fn strength(triple: &Triple, weak_tie: f64) -> f64 {
    match triple.kind {
        TripleKind::Stated => 1.0,
        TripleKind::CoOccurrence => weak_tie,
    }
}

/// The different places that tell of a relation, in text order: where it is stated or, of weak ties alone,
/// where both take part.
fn fragments<'a>(triples: impl Iterator<Item = &'a Triple> + Clone) -> Vec<Span> {
    let is_stated = |triple: &&Triple| triple.kind == TripleKind::Stated;
    let stated = triples.clone().any(|triple| is_stated(&triple));
    let told = triples.filter(|triple| !stated || is_stated(triple)).map(|triple| triple.span);
    told.collect::<BTreeSet<Span>>().into_iter().collect()
}

/// As many as a description may have, evenly from the first to the last.
fn spread(fragments: &[Span]) -> Vec<Span> {
    let (last, most) = (fragments.len().saturating_sub(1), FRAGMENTS - 1);
    if last <= most {
        return fragments.to_vec();
    }
    (0..=most).filter_map(|step| fragments.get(step * last / most)).copied().collect()
}

impl Knowledge {
    /// Makes the relations of the triples, once it is settled who is who.
    pub fn relate(&mut self, weak_tie: f64) {
        self.relations = relate(&self.triples, weak_tie);
    }

    /// The relation of two entities, in whichever order.
    pub fn relation(&self, one: EntityId, other: EntityId) -> Option<RelationId> {
        let ends = (one.min(other), one.max(other));
        self.relations.binary_search_by_key(&ends, |relation| relation.ends).ok().map(RelationId::new)
    }

    /// A relation's keywords: the predicates of its stated triples, each once, in text order.
    pub fn keywords<'a>(&'a self, relation: &'a Relation) -> Vec<&'a str> {
        let mut known = BTreeSet::new();
        let stated = self.behind(relation).filter(|triple| triple.kind == TripleKind::Stated);
        let predicates = stated.map(|triple| triple.predicate.as_str());
        predicates.filter(|predicate| known.insert(*predicate)).take(MOST_KEYWORDS).collect()
    }

    /// The triples that a relation is made of.
    pub fn behind<'a>(&'a self, relation: &'a Relation) -> impl Iterator<Item = &'a Triple> + Clone {
        relation.triples.iter().filter_map(|id| self.triples.get(id.index()))
    }

    /// Every place that tells of a relation, in text order, of which the quoted description holds some.
    pub fn fragments(&self, relation: &Relation) -> Vec<Span> {
        fragments(self.behind(relation))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{ChunkId, Phrase};
    use super::*;

    fn triple(subject: u32, predicate: &str, object: u32, at: usize) -> Triple {
        let end = |id| Phrase { text: String::new(), entity: Some(EntityId(id)) };
        let kind = if predicate.is_empty() { TripleKind::CoOccurrence } else { TripleKind::Stated };
        Triple {
            subject: end(subject),
            predicate: predicate.to_owned(),
            object: end(object),
            kind,
            chunk: ChunkId(0),
            span: Span::new(at, at + 1),
        }
    }

    fn known(triples: Vec<Triple>, weak_tie: f64) -> Knowledge {
        let mut knowledge = Knowledge { triples, ..Knowledge::default() };
        knowledge.relate(weak_tie);
        knowledge
    }

    #[test]
    fn both_directions_are_one_and_an_entity_is_not_tied_to_itself() {
        let nobody = Phrase { text: "a key".to_owned(), entity: None };
        let keyed = Triple { object: nobody, ..triple(1, "hides", 9, 6) };
        let triples = vec![
            triple(2, "thanks", 1, 4),
            triple(3, "is", 3, 5),
            keyed,
            triple(1, "feeds", 2, 2),
            triple(1, "", 2, 0),
            triple(0, "", 2, 8),
            triple(2, "thanks", 1, 9),
        ];
        let knowledge = known(triples, 0.5);
        let ends: Vec<(u32, u32)> =
            knowledge.relations.iter().map(|relation| (relation.ends.0.0, relation.ends.1.0)).collect();
        assert_eq!(ends, [(0, 2), (1, 2)]);
        let both = &knowledge.relations[1];
        assert_eq!(both.weight, 3.5);
        assert_eq!(both.triples, [0, 3, 4, 6].map(TripleId));
        assert_eq!(knowledge.keywords(both), ["thanks", "feeds"]);
        // What is stated tells it; the weak tie's event does not.
        assert_eq!(both.description, Told::Quoted([2, 4, 9].map(|at| Span::new(at, at + 1)).to_vec()));
        assert_eq!(knowledge.keywords(&knowledge.relations[0]), [""; 0]);
        assert_eq!(knowledge.relations[0].description.quoted(), [Span::new(8, 9)]);
        assert_eq!(knowledge.relation(EntityId(2), EntityId(1)), Some(RelationId(1)));
        assert_eq!(knowledge.relation(EntityId(0), EntityId(1)), None);
        assert_eq!(both.other(EntityId(1)), EntityId(2));
    }

    #[test]
    fn weak_ties_that_are_worth_nothing_tie_nobody() {
        let knowledge = known(vec![triple(0, "", 1, 0), triple(1, "sees", 2, 1)], 0.0);
        assert_eq!(knowledge.relations.len(), 1);
        assert_eq!(knowledge.relations[0].ends, (EntityId(1), EntityId(2)));
    }

    #[test]
    fn a_description_takes_four_places_from_first_to_last() {
        for (count, kept) in
            [(3, vec![0, 1, 2]), (4, vec![0, 1, 2, 3]), (5, vec![0, 1, 2, 4]), (11, vec![0, 3, 6, 10])]
        {
            let triples = (0..count).rev().map(|at| triple(0, "sees", 1, at)).collect();
            let knowledge = known(triples, 0.25);
            let starts: Vec<u32> =
                knowledge.relations[0].description.quoted().iter().map(|span| span.start).collect();
            assert_eq!(starts, kept, "of {count}");
            assert_eq!(knowledge.fragments(&knowledge.relations[0]).len(), count);
        }
    }
}
