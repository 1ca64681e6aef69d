//! An endpoint's space for a book as far as a cut: the whole book's vectors, each found again for what it is
//! of there.
//!
//! Vectors are numbers and may come from the whole book (systems: reading position), so nothing is embedded
//! anew. Chunks keep their places; an entity is the whole book's that the same words name; an event the one
//! that begins at the same place; a cluster the one of the same label; a fact the same words; a
//! relation that of the same two. What the whole book has nothing for, in the chunk that the cut parts, takes its chunk's vector, or none.

use std::collections::{BTreeMap, HashMap};

use crate::algo::vector::Rows;
use crate::book::Book;
use crate::graph::{Synonym, Synonyms};
use crate::index::Space;
use crate::knowledge::{ChunkId, EntityId, Knowledge, Mention};

/// A space of the whole book for a part of it.
pub(crate) fn space(whole: &Book, space: &Space, part: &Book) -> Space {
    let (all, here) = (&whole.index.knowledge, &part.index.knowledge);
    let entity_of = entities(all);
    let event_of: HashMap<u32, usize> =
        all.events.iter().enumerate().map(|(place, event)| (event.span.start, place)).collect();
    let cluster_of: HashMap<&str, usize> =
        all.clusters.iter().enumerate().map(|(place, cluster)| (cluster.label.as_str(), place)).collect();
    let fact_of: HashMap<&str, usize> =
        whole.graph.facts.iter().enumerate().map(|(place, fact)| (fact.text.as_str(), place)).collect();
    let mut known: Vec<Option<usize>> = vec![None; here.entities.len()];
    for mention in &here.mentions {
        let whole = mention.uses.first().and_then(|first| entity_of.get(&(mention.chunk, first.start)));
        let slot = known.get_mut(mention.entity.index()).filter(|slot| slot.is_none());
        slot.into_iter().for_each(|slot| *slot = whole.map(|entity| entity.index()));
    }
    let entities = known.iter().map(|entity| entity.map(|entity| space.entities.row(entity)));
    let event = |place: usize| {
        let event = &here.events[place];
        let told = event_of.get(&event.span.start).map(|&place| space.events.row(place));
        told.or_else(|| {
            (event.chunk.index() < space.chunks.len()).then(|| space.chunks.row(event.chunk.index()))
        })
    };
    let clusters = here.clusters.iter().map(|cluster| {
        let whole = cluster_of.get(cluster.label.as_str()).map(|&place| space.clusters.row(place));
        whole.or_else(|| event(cluster.events.first()?.index()))
    });
    let facts = part.graph.facts.iter();
    let facts = facts.map(|fact| fact_of.get(fact.text.as_str()).map(|&place| space.facts.row(place)));
    // A file from before they were kept has none, and so has its part.
    let kept = if space.relations.is_empty() { 0 } else { here.relations.len() };
    let relations = here.relations.iter().take(kept).map(|relation| {
        let end = |entity: EntityId| Some(EntityId::new(known.get(entity.index()).copied().flatten()?));
        let whole = all.relation(end(relation.ends.0)?, end(relation.ends.1)?)?;
        Some(space.relations.row(whole.index()))
    });
    let relations = gathered(space, relations);
    let chunks = (0..part.index.chunks.len()).map(|chunk| Some(space.chunks.row(chunk)));
    Space {
        id: space.id.clone(),
        dims: space.dims,
        tau: space.tau,
        quantile: space.quantile,
        pons_edges: space.pons_edges,
        d_cross: space.d_cross,
        probe: space.probe.clone(),
        chunks: gathered(space, chunks),
        entities: gathered(space, entities),
        events: gathered(space, (0..here.events.len()).map(event)),
        clusters: gathered(space, clusters),
        facts: gathered(space, facts),
        relations,
        synonyms: synonyms(whole, space, part, &known),
    }
}

/// The whole book's synonyms between the phrases that the part has; `known` is what each of its entities is
/// there.
fn synonyms(whole: &Book, space: &Space, part: &Book, known: &[Option<usize>]) -> Synonyms {
    let phrases = whole.graph.phrases.iter().enumerate();
    let phrase_of: HashMap<&str, usize> =
        phrases.map(|(place, phrase)| (phrase.as_str(), whole.graph.entity_count + place)).collect();
    let others = part.graph.phrases.iter().map(|phrase| phrase_of.get(phrase.as_str()).copied());
    let mut here: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (vertex, whole) in known.iter().copied().chain(others).enumerate() {
        whole.into_iter().for_each(|whole| here.entry(whole).or_default().push(vertex as u32));
    }
    let at = |vertex: u32| here.get(&(vertex as usize)).map_or(&[][..], Vec::as_slice);
    let pairs = |edge: &Synonym| {
        let (from, to, cosine) = (at(edge.from), at(edge.to), edge.cosine);
        from.iter().flat_map(move |&from| to.iter().map(move |&to| Synonym { from, to, cosine }))
    };
    let mut edges: Vec<Synonym> = space.synonyms.edges.iter().flat_map(pairs).collect();
    edges.sort_by_key(|edge| (edge.from, edge.to));
    Synonyms { least: space.synonyms.least, edges }
}

/// Whom each mention's first use names.
fn entities(knowledge: &Knowledge) -> HashMap<(ChunkId, u32), EntityId> {
    let first = |mention: &Mention| {
        let start = mention.uses.first()?.start;
        Some(((mention.chunk, start), mention.entity))
    };
    knowledge.mentions.iter().filter_map(first).collect()
}

/// Rows in the encoding of the space; zeros where there is none.
fn gathered(space: &Space, rows: impl Iterator<Item = Option<Vec<f32>>>) -> Rows {
    let mut gathered = match space.chunks.as_bytes() {
        Some(_) => Rows::from_bytes(space.dims, Vec::new(), Vec::new()),
        None => Rows::exact(space.dims, Vec::new()),
    };
    for row in rows {
        gathered.push(&row.unwrap_or_else(|| vec![0.0; space.dims]));
    }
    gathered
}
