//! Relations of a book by their definition: pairs of entities that triples tie, with weights, keywords,
//! descriptions and vectors; in a file, before a reading position, and as a graph.

use std::collections::BTreeMap;

use plotbridge::algo::csr::Csr;
use plotbridge::algo::vector::Rows;
use plotbridge::book::Book;
use plotbridge::graph::{functional, relation_graph, roles};
use plotbridge::index::Index;
use plotbridge::knowledge::{Entity, EntityKind, FRAGMENTS, Span, Told, TripleKind};
use plotbridge::pace::{Native, Pace};
use plotbridge::snapshot;
use pollster::block_on;
use serde_json::{Value, json};

use super::support::*;

fn index(file: &[u8]) -> Index {
    let host = Native::default();
    block_on(snapshot::read(file, &Pace::new(&host))).unwrap().0
}

/// The weights by pair, and the places that state each, straight from the triples.
fn expected(index: &Index) -> BTreeMap<(u32, u32), (f64, Vec<Span>)> {
    let mut pairs: BTreeMap<(u32, u32), (f64, Vec<Span>)> = BTreeMap::new();
    for triple in &index.knowledge.triples {
        let Some((a, b)) = triple.subject.entity.zip(triple.object.entity) else { continue };
        if a == b {
            continue;
        }
        let (weight, stated) = pairs.entry((a.0.min(b.0), a.0.max(b.0))).or_default();
        match triple.kind {
            TripleKind::Stated => {
                *weight += 1.0;
                stated.push(triple.span);
            }
            TripleKind::CoOccurrence => *weight += index.config.weak_tie,
        }
    }
    pairs
}

#[test]
fn the_story_s_relations_are_the_pairs_that_triples_tie() {
    let index = index(&story_file());
    let (knowledge, expected) = (&index.knowledge, expected(&index));
    assert!(expected.len() > 100, "{}", expected.len());
    let ends: Vec<(u32, u32)> = knowledge.relations.iter().map(|r| (r.ends.0.0, r.ends.1.0)).collect();
    assert_eq!(ends, expected.keys().copied().collect::<Vec<_>>());
    let mut told = 0;
    for (relation, (weight, stated)) in knowledge.relations.iter().zip(expected.values()) {
        assert!((relation.weight - weight).abs() < 1e-9, "{relation:?}");
        let quoted = relation.description.quoted();
        assert!((1..=FRAGMENTS).contains(&quoted.len()) && quoted.is_sorted(), "{relation:?}");
        assert!(stated.is_empty() || quoted.iter().all(|span| stated.contains(span)), "{relation:?}");
        assert_eq!(knowledge.keywords(relation).is_empty(), stated.is_empty());
        told += usize::from(!stated.is_empty());
    }
    assert!(told > 5, "{told} relations are stated");
    assert_eq!(story().info().counts.relations as usize, expected.len());
}

#[test]
fn the_graph_is_symmetric_with_the_relations_weights() {
    let index = index(&story_file());
    let graph = relation_graph(&index.knowledge);
    assert_eq!(
        (graph.height(), graph.width()),
        (index.knowledge.entities.len(), index.knowledge.entities.len())
    );
    assert_eq!(graph.edge_count(), 2 * index.knowledge.relations.len());
    assert_eq!(graph, graph.transposed());
    for (a, b, weight) in graph.edges() {
        let ends = (plotbridge::knowledge::EntityId::new(a), plotbridge::knowledge::EntityId::new(b));
        let relation = index.knowledge.relation(ends.0, ends.1).unwrap();
        assert_eq!(index.knowledge.relations[relation.index()].weight, weight);
    }
}

#[test]
fn every_relation_has_a_vector_that_tells_it_from_others() {
    let index = index(&story_file());
    let rows: &Rows = &index.spaces[0].relations;
    assert_eq!(rows.len(), index.knowledge.relations.len());
    let words = (0..rows.len()).filter(|&row| (rows.dot(row, &rows.row(row)) - 1.0).abs() < 0.1).count();
    assert_eq!(words, rows.len(), "each has words, so each has unit length");
    let alike = (1..rows.len()).filter(|&row| rows.dot(row, &rows.row(row - 1)) > 0.999).count();
    assert!(alike * 10 < rows.len(), "{alike} of {} are as their neighbour", rows.len());
}

/// What follows from the triples is not in the file; a file without the vectors opens and stays as it was.
#[test]
fn a_file_keeps_of_relations_what_cannot_be_derived() {
    let mut file: Value = serde_json::from_slice(&story_file()).unwrap();
    assert!(file.get("relations").is_none());
    file["spaces"][0].as_object_mut().unwrap().remove("relations").unwrap();
    let old = open(file.to_string().as_bytes()).unwrap();
    assert_eq!(old.info().counts.relations, story().info().counts.relations);
    let again: Value = serde_json::from_slice(&old.save().unwrap()).unwrap();
    assert!(again["spaces"][0].get("relations").is_none());

    let mut described: Value = serde_json::from_slice(&story_file()).unwrap();
    let (first, words) = (index(&story_file()).knowledge.relations[0].ends, "They row one boat.");
    described["relations"] = json!([{"ends": [first.0.0, first.1.0], "description": words}]);
    let bytes = described.to_string().into_bytes();
    let kept = index(&bytes);
    assert_eq!(kept.knowledge.relations[0].description, Told::Written(words.to_owned()));
    let saved: Value = serde_json::from_slice(&open(&bytes).unwrap().save().unwrap()).unwrap();
    assert_eq!(saved["relations"], described["relations"]);
}

#[test]
fn damaged_relations_are_refused() {
    let file: Value = serde_json::from_slice(&story_file()).unwrap();
    let ends = index(&story_file()).knowledge.relations[0].ends;
    let long = "word ".repeat(20_000);
    for (relations, words) in [
        (json!([{"ends": [0, 4_000_000], "description": "x"}]), "nothing ties 0 and 4000000"),
        (json!([{"ends": [3, 3], "description": "x"}]), "nothing ties 3 and 3"),
        (json!([{"ends": [ends.1.0, ends.0.0], "description": "x"}]), "nothing ties"),
        (json!([{"ends": [ends.0.0, ends.1.0], "description": long}]), "over 65536"),
        (json!([{"ends": [0], "description": "x"}]), "damaged at relations"),
        (json!([{"ends": [0, 1], "description": [[0, 1]]}]), "damaged at relations"),
    ] {
        let mut file = file.clone();
        file["relations"] = relations;
        let error = open(file.to_string().as_bytes()).err().unwrap();
        assert!(error.to_string().contains(words), "{error}");
    }
    let mut fewer = file.clone();
    let relations = json!({"scales": file["spaces"][0]["facts"]["scales"], "numbers": file["spaces"][0]["facts"]["numbers"]});
    fewer["spaces"][0]["relations"] = relations;
    let error = open(fewer.to_string().as_bytes()).err().unwrap().to_string();
    assert!(error.contains("builtin-1.relations"), "{error}");
}

/// A book that says more of two people later: before the cut nothing of that is told of them.
#[test]
fn a_relation_before_the_cut_rests_on_what_was_read() {
    let text = "CHAPTER I\n\nMr Tapp thanked Mrs Quennell. Mr Tapp rowed Mrs Quennell over the river.\n\n\
        CHAPTER II\n\nMr Tapp betrayed Mrs Quennell. Mr Tapp struck Mrs Quennell with an oar.\n";
    let cut = text.find("CHAPTER II").unwrap();
    let part = |text: &str| index(&book(text).save().unwrap());
    let (whole, read) = (part(text), part(&text[..cut]));
    let line = |index: &Index| -> Vec<String> {
        let relations = index.knowledge.relations.iter();
        relations.map(|relation| relation.description.line(&index.document.text)).collect()
    };
    assert!(line(&whole).iter().any(|line| line.contains("betrayed")), "{:?}", line(&whole));
    assert!(!read.knowledge.relations.is_empty());
    assert!(!line(&read).iter().any(|line| line.contains("betrayed")), "{:?}", line(&read));
    assert!(read.knowledge.relations[0].weight < whole.knowledge.relations[0].weight);
}

/// Edges of a graph in both rows.
fn both(edges: &[(u32, u32, f64)], size: usize) -> Csr {
    let both = edges.iter().flat_map(|&(a, b, weight)| [(a, b, weight), (b, a, weight)]);
    Csr::new(size, size, both.collect())
}

fn cosine(rows: &Rows, a: usize, b: usize) -> f64 {
    rows.dot(a, &rows.row(b))
}

/// Two parts of thirty, tied at random within each, and two entities without a tie.
#[test]
fn parts_that_nothing_ties_are_nearly_orthogonal_and_who_has_no_tie_has_no_vector() {
    let mut random = Numbers(7);
    let mut edges = Vec::new();
    for part in [0, 30] {
        for at in 1..30u64 {
            edges.push((
                part + at as u32,
                part + (random.next() % at) as u32,
                1.0 + (random.next() % 4) as f64,
            ));
        }
    }
    let host = Native::default();
    let rows = block_on(functional(&both(&edges, 62), &Pace::new(&host))).unwrap();
    assert_eq!((rows.len(), rows.dims()), (62, 256));
    let across = (0..30).flat_map(|a| (30..60).map(move |b| (a, b)));
    // A cosine of two random directions in 256 dimensions has a standard deviation of 1/16.
    let most = across.map(|(a, b)| cosine(&rows, a, b).abs()).fold(0.0, f64::max);
    assert!(most < 0.35, "{most}");
    let within = (0..60).filter(|at| (cosine(&rows, *at, *at) - 1.0).abs() < 0.05).count();
    assert_eq!(within, 60);
    for alone in [60, 61] {
        assert!(rows.row(alone).iter().all(|number| *number == 0.0));
    }
}

/// Two households that nobody ties: company tells their masters apart, roles do not.
#[test]
fn roles_find_who_stands_alike_where_company_cannot() {
    let house = |from: u32| (1..6).map(move |servant| (from, from + servant, 1.0));
    let edges: Vec<(u32, u32, f64)> = house(0).chain(house(6)).collect();
    let (graph, host) = (both(&edges, 13), Native::default());
    let entity = |at: usize| Entity {
        name: at.to_string(),
        kind: if at.is_multiple_of(6) { EntityKind::Person } else { EntityKind::Group },
        category: None,
        aliases: Vec::new(),
        description: Told::default(),
    };
    let entities: Vec<Entity> = (0..13).map(entity).collect();
    let company = block_on(functional(&graph, &Pace::new(&host))).unwrap();
    let alike = block_on(roles(&entities, &graph, &Pace::new(&host))).unwrap();
    assert!(cosine(&company, 0, 6).abs() < 0.35, "{}", cosine(&company, 0, 6));
    assert!(cosine(&alike, 0, 6) > 0.99, "{}", cosine(&alike, 0, 6));
    assert!(cosine(&alike, 0, 1) < 0.5, "{}", cosine(&alike, 0, 1));
    assert!(cosine(&alike, 1, 7) > 0.99 && cosine(&company, 1, 2) > 0.99);
    assert!(alike.row(12).iter().chain(&company.row(12)).all(|number| *number == 0.0), "nothing ties it");
}

/// The file's vectors are those that its relations give; without them they are worked out.
#[test]
fn a_file_keeps_the_vectors_of_company() {
    let index = index(&story_file());
    assert_eq!(index.functional.len(), index.knowledge.entities.len());
    let (kept, host) = (index.functional.clone(), Native::default());
    let pace = Pace::new(&host);
    let old = Index { functional: Rows::default(), ..index };
    let book = block_on(Book::new(old, &pace)).unwrap();
    assert!(block_on(book.functional(&pace)).unwrap() == &kept);
    assert_eq!(block_on(book.roles(&pace)).unwrap().len(), kept.len());

    let mut file: Value = serde_json::from_slice(&story_file()).unwrap();
    for (place, with, words) in [
        ("dims", json!(128), "do not fit"),
        ("dims", json!(0), "0 wide"),
        ("entities", file["spaces"][0]["relations"].clone(), "functional"),
    ] {
        let mut file = file.clone();
        file["functional"][place] = with;
        let error = open(file.to_string().as_bytes()).err().unwrap().to_string();
        assert!(error.contains(words), "{place}: {error}");
    }
    file.as_object_mut().unwrap().remove("functional").unwrap();
    let again = open(file.to_string().as_bytes()).unwrap().save().unwrap();
    assert!(serde_json::from_slice::<Value>(&again).unwrap().get("functional").is_none());
}
