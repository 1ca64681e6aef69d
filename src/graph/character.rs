//! The character graph: phrases, chunks, and the facts that tie them, as HippoRAG 2 builds it.
//!
//! Vertices are, in this order: every entity, every other phrase that is an end of a stated triple, and
//! every chunk. Phrase weights are kept for ordered pairs: each stated triple adds 1 to (subject, object)
//! and 1 to (object, subject); a synonym edge sets the pair to its cosine, whatever facts gave it. Then both
//! directions become parallel edges of an undirected graph, where they add up: 2c for c facts, 2 cos for
//! synonyms found from both ends, and 1 for a phrase and a chunk that states something of it. A phrase has
//! no edge to itself.
//!
//! Departures: forms of one entity share its vertex; an entity of which nothing is stated, and every one that
//! rules alone read, is tied to each chunk that names it (systems 1.5); weak ties of what is named together
//! are ours. See docs/departures.md.
//!
//! Invariant: the edges are the same in both directions, none from a vertex to itself, all above zero.
//!
//! Reference: HippoRAG 2, indexing; PonsRAG 4.1, "following HippoRAGv2".

use std::collections::{BTreeMap, HashMap};

use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::EdgeRef;

use super::synonyms::Synonym;
use crate::algo::csr::Csr;
use crate::error::Result;
use crate::index::Index;
use crate::knowledge::{ChunkId, Phrase, Triple, TripleKind};
use crate::pace::Pace;

/// A distinct stated triple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Subject, predicate and object as one line: what is embedded and matched with the question.
    pub text: String,
    /// Subject, predicate and object, each as it stands in the line.
    pub words: [String; 3],
    /// The subject's vertex.
    pub subject: usize,
    /// The object's vertex.
    pub object: usize,
}

/// The graph as collected, with what a query needs to enter and leave it.
#[derive(Clone, Debug)]
pub struct CharacterGraph {
    /// Distinct stated facts, in order of first use.
    pub facts: Vec<Fact>,
    /// For each phrase vertex, how many chunks it is tied to.
    pub chunk_counts: Vec<u32>,
    /// Vertices below this are entities.
    pub entity_count: usize,
    /// The phrases that are no entity, normalised: the vertices after the entities.
    pub phrases: Vec<String>,
    chunk_count: usize,
    weak_tie: f64,
    /// The ends of each stated triple, and of each weak tie.
    stated: Vec<(u32, u32)>,
    together: Vec<(u32, u32)>,
    /// Phrases with their chunks, each pair once.
    places: Vec<(u32, u32)>,
}

impl CharacterGraph {
    /// Collects the graph from an index. O(t log t) for t triples and mentions.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn new(index: &Index, pace: &Pace<'_>) -> Result<Self> {
        let mut collector = Collector::new(index);
        let triples = &index.knowledge.triples;
        for (done, triple) in triples.iter().enumerate() {
            if done % 256 == 0 {
                pace.step("graph", done, triples.len()).await?;
            }
            collector.add(triple);
        }
        Ok(collector.finish())
    }

    /// Vertices below this are entities or other phrases; from it on they are chunks.
    pub fn phrase_count(&self) -> usize {
        self.entity_count + self.phrases.len()
    }

    /// The vertex of a chunk.
    pub fn chunk_vertex(&self, chunk: ChunkId) -> usize {
        self.phrase_count() + chunk.index()
    }

    /// The undirected graph with these synonyms, frozen: each edge in both rows.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    pub async fn edges(&self, synonyms: &[Synonym], pace: &Pace<'_>) -> Result<Csr> {
        let mut ordered: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for &(subject, object) in &self.stated {
            *ordered.entry((subject, object)).or_default() += 1.0;
            *ordered.entry((object, subject)).or_default() += 1.0;
        }
        for synonym in synonyms.iter().filter(|synonym| synonym.from != synonym.to) {
            ordered.insert((synonym.from, synonym.to), synonym.cosine);
        }
        let phrases = ordered.into_iter().map(|((a, b), weight)| (a, b, weight));
        let together = self.together.iter().map(|&(a, b)| (a, b, self.weak_tie));
        let first_chunk = self.phrase_count() as u32;
        let places = self.places.iter().map(|&(phrase, chunk)| (phrase, first_chunk + chunk, 1.0));

        let mut graph = UnGraph::<(), f64>::default();
        for _ in 0..self.phrase_count() + self.chunk_count {
            graph.add_node(());
        }
        for (done, (a, b, weight)) in phrases.chain(together).chain(places).enumerate() {
            if weight > 0.0 {
                graph.add_edge(NodeIndex::new(a as usize), NodeIndex::new(b as usize), weight);
            }
            if done % 4096 == 0 {
                pace.step("graph", 0, 1).await?;
            }
        }
        let edges = frozen(&graph);
        pace.step("graph", 1, 1).await?;
        Ok(edges)
    }
}

/// Lower-case, everything but letters and digits made a space, as HippoRAG 2 compares phrases; letters of
/// other scripts are kept here, since names have them.
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
    graph: CharacterGraph,
    phrases: HashMap<String, usize>,
    known: HashMap<String, usize>,
}

impl<'a> Collector<'a> {
    fn new(index: &'a Index) -> Self {
        let graph = CharacterGraph {
            facts: Vec::new(),
            chunk_counts: Vec::new(),
            entity_count: index.knowledge.entities.len(),
            phrases: Vec::new(),
            chunk_count: index.chunks.len(),
            weak_tie: index.config.weak_tie,
            stated: Vec::new(),
            together: Vec::new(),
            places: Vec::new(),
        };
        Self { index, graph, phrases: HashMap::new(), known: HashMap::new() }
    }

    fn add(&mut self, triple: &Triple) {
        let (subject, object) = (self.vertex(&triple.subject), self.vertex(&triple.object));
        if subject == object {
            return;
        }
        let ends = (subject as u32, object as u32);
        match triple.kind {
            TripleKind::CoOccurrence => self.graph.together.push(ends),
            TripleKind::Stated => {
                self.graph.stated.push(ends);
                self.graph.places.extend([(ends.0, triple.chunk.0), (ends.1, triple.chunk.0)]);
                self.fact(triple, subject, object);
            }
        }
    }

    fn vertex(&mut self, phrase: &Phrase) -> usize {
        if let Some(entity) = phrase.entity.filter(|id| id.index() < self.graph.entity_count) {
            return entity.index();
        }
        let (next, words) = (self.graph.phrase_count(), normalised(&phrase.text));
        let vertex = *self.phrases.entry(words.clone()).or_insert(next);
        if vertex == next {
            self.graph.phrases.push(words);
        }
        vertex
    }

    fn fact(&mut self, triple: &Triple, subject: usize, object: usize) {
        let words = [&triple.subject.text, &triple.predicate, &triple.object.text].map(String::clone);
        let (text, next) = (words.join(" "), self.graph.facts.len());
        if *self.known.entry(normalised(&text)).or_insert(next) == next {
            self.graph.facts.push(Fact { text, words, subject, object });
        }
    }

    fn finish(self) -> CharacterGraph {
        let mut graph = self.graph;
        let mut told = vec![false; graph.phrase_count()];
        for &(phrase, _) in &graph.places {
            told[phrase as usize] = true;
        }
        // Rules state little, so there every entity is tied to all that names it.
        let by_rule = self.index.extractor.is_none();
        let untold = |entity: u32| told.get(entity as usize).is_some_and(|told| by_rule || !told);
        let mentions = self.index.knowledge.mentions.iter().filter(|mention| untold(mention.entity.0));
        graph.places.extend(mentions.map(|mention| (mention.entity.0, mention.chunk.0)));
        graph.places.retain(|&(_, chunk)| (chunk as usize) < graph.chunk_count);
        graph.places.sort_unstable();
        graph.places.dedup();
        graph.chunk_counts = vec![0u32; graph.phrase_count()];
        for &(phrase, _) in &graph.places {
            graph.chunk_counts[phrase as usize] += 1;
        }
        graph
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
