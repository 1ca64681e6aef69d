//! The character graph: phrases, chunks, and the facts that tie them, as HippoRAG 2 builds it.
//!
//! Vertices are, in this order: every entity, every other phrase that is an end of a stated triple, and
//! every chunk. Edges are undirected and parallel ones add up: each stated triple adds 1 in both
//! directions, each phrase is tied with weight 1 to each chunk that names it, and each co-occurrence
//! adds a weak tie.
//!
//! Departures: forms of one entity share its vertex instead of being joined by synonym edges, which are
//! not built in this version; entities without a triple are vertices too (systems 1.5); the weak ties
//! are ours. See docs/departures.md.
//!
//! Reference: HippoRAG 2, indexing; PonsRAG 4.1, "following HippoRAGv2".

use std::collections::HashMap;

use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::EdgeRef;

use crate::algo::csr::Csr;
use crate::error::Result;
use crate::index::Index;
use crate::knowledge::{ChunkId, Phrase, TripleKind};
use crate::pace::Pace;

/// A distinct stated triple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Subject, predicate and object as one line: what is embedded and matched with the question.
    pub text: String,
    /// The subject's vertex.
    pub subject: usize,
    /// The object's vertex.
    pub object: usize,
}

/// The graph, frozen, with what a query needs to enter and leave it.
#[derive(Clone, Debug)]
pub struct CharacterGraph {
    /// The edges, each in both directions.
    pub edges: Csr,
    /// Distinct stated facts, in order of first use.
    pub facts: Vec<Fact>,
    /// For each phrase vertex, how many chunks name it.
    pub chunk_counts: Vec<u32>,
    /// Vertices below this are entities.
    pub entity_count: usize,
    /// Vertices from this on are chunks.
    pub phrase_count: usize,
}

impl CharacterGraph {
    /// Collects the graph from an index. O(t log t) for t triples and mentions.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn new(index: &Index, pace: &Pace<'_>) -> Result<Self> {
        Collector::new(index, pace).await?.finish(pace).await
    }

    /// The vertex of a chunk.
    pub fn chunk_vertex(&self, chunk: ChunkId) -> usize {
        self.phrase_count + chunk.index()
    }
}

/// Lower-case, everything but ASCII letters, digits and spaces made a space, as HippoRAG 2 compares
/// phrases; letters of other scripts are kept here, since names have them.
fn normalised(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .flat_map(char::to_lowercase)
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Collector<'a> {
    index: &'a Index,
    phrases: HashMap<String, usize>,
    phrase_count: usize,
    facts: Vec<Fact>,
    known: HashMap<String, usize>,
    /// Phrase with phrase, and phrase with chunk, to be added up.
    ties: Vec<(usize, usize, f64)>,
    places: Vec<(usize, ChunkId)>,
}

impl<'a> Collector<'a> {
    async fn new(index: &'a Index, pace: &Pace<'_>) -> Result<Self> {
        let mut collector = Self {
            index,
            phrases: HashMap::new(),
            phrase_count: index.knowledge.entities.len(),
            facts: Vec::new(),
            known: HashMap::new(),
            ties: Vec::new(),
            places: Vec::new(),
        };
        for mention in &index.knowledge.mentions {
            collector.places.push((mention.entity.index(), mention.chunk));
        }
        let triples = &index.knowledge.triples;
        for (done, triple) in triples.iter().enumerate() {
            if done % 256 == 0 {
                pace.step("graph", done, 2 * triples.len()).await?;
            }
            let (subject, object) = (collector.vertex(&triple.subject), collector.vertex(&triple.object));
            if subject == object {
                continue;
            }
            match triple.kind {
                TripleKind::CoOccurrence => collector.ties.push((subject, object, index.config.weak_tie)),
                TripleKind::Stated => {
                    // 1 for each direction; both land on the same undirected edge.
                    collector.ties.push((subject, object, 2.0));
                    let text = format!("{} {} {}", triple.subject.text, triple.predicate, triple.object.text);
                    collector.fact(text, subject, object);
                    collector.places.push((subject, triple.chunk));
                    collector.places.push((object, triple.chunk));
                }
            }
        }
        Ok(collector)
    }

    fn vertex(&mut self, phrase: &Phrase) -> usize {
        if let Some(entity) = phrase.entity.filter(|id| id.index() < self.index.knowledge.entities.len()) {
            return entity.index();
        }
        let next = self.phrase_count;
        let vertex = *self.phrases.entry(normalised(&phrase.text)).or_insert(next);
        self.phrase_count = self.phrase_count.max(vertex + 1);
        vertex
    }

    fn fact(&mut self, text: String, subject: usize, object: usize) {
        let next = self.facts.len();
        if *self.known.entry(normalised(&text)).or_insert(next) == next {
            self.facts.push(Fact { text, subject, object });
        }
    }

    async fn finish(mut self, pace: &Pace<'_>) -> Result<CharacterGraph> {
        self.places.sort_unstable();
        self.places.dedup();
        let mut chunk_counts = vec![0u32; self.phrase_count];
        for &(phrase, _) in &self.places {
            chunk_counts[phrase] += 1;
        }
        let chunk_count = self.index.chunks.len();
        let size = self.phrase_count + chunk_count;
        let mut graph = UnGraph::<(), f64>::with_capacity(size, self.ties.len() + self.places.len());
        for _ in 0..size {
            graph.add_node(());
        }
        let places = self.places.iter().filter(|(_, chunk)| chunk.index() < chunk_count);
        let named = places.map(|&(phrase, chunk)| (phrase, self.phrase_count + chunk.index(), 1.0));
        let (half, edges) = (self.index.knowledge.triples.len(), self.ties.len() + self.places.len());
        for (done, (a, b, weight)) in self.ties.iter().copied().chain(named).enumerate() {
            graph.add_edge(NodeIndex::new(a), NodeIndex::new(b), weight);
            if done % 4096 == 0 {
                pace.step("graph", half + half * done / edges.max(1), 2 * half).await?;
            }
        }
        Ok(CharacterGraph {
            edges: frozen(&graph),
            facts: self.facts,
            chunk_counts,
            entity_count: self.index.knowledge.entities.len(),
            phrase_count: self.phrase_count,
        })
    }
}

/// The undirected multigraph as rows: each edge in both, parallel ones added up.
fn frozen(graph: &UnGraph<(), f64>) -> Csr {
    let both = graph.edge_references().flat_map(|edge| {
        let (a, b, weight) = (edge.source().index() as u32, edge.target().index() as u32, *edge.weight());
        [(a, b, weight), (b, a, weight)]
    });
    Csr::new(graph.node_count(), graph.node_count(), both.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_meet_in_their_normal_form() {
        assert_eq!(normalised("  The “Grey Gull”-"), "the grey gull");
        assert_eq!(normalised("Maëlle's"), "maëlle s");
    }
}
