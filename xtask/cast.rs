//! `cargo run --example cast -- SEED FILE...`: what the rules read of whole books, to be read through by eye:
//! the cast with every form and why it is there, who tells, how many triples of each kind, and some drawn.
//!
//! docs/quality.md says what was read so and what was found wrong. Triples are drawn by a fixed sequence from
//! SEED, as many of each book.
//!
//! Invariant: the same books and seed give the same lines.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::cmp::Reverse;
use std::collections::BTreeMap;

use plotbridge::config::IndexConfig;
use plotbridge::knowledge::{EntityKind, Knowledge, Triple, TripleKind};
use plotbridge::offline;
use plotbridge::pace::{Native, Pace};
use plotbridge::text::{self, ReadOptions};

/// How many of the most used entities of each kind are listed.
const LISTED: [(EntityKind, usize); 5] = [
    (EntityKind::Person, 60),
    (EntityKind::Group, 12),
    (EntityKind::Place, 15),
    (EntityKind::Object, 8),
    (EntityKind::Other, 20),
];
/// How many stated triples are drawn of each book.
const DRAWN: usize = 20;

fn cast(knowledge: &Knowledge) {
    let mut uses = vec![0; knowledge.entities.len()];
    for mention in &knowledge.mentions {
        uses[mention.entity.index()] += mention.uses.len();
    }
    for (kind, most) in LISTED {
        let mut of: Vec<usize> =
            (0..uses.len()).filter(|&place| knowledge.entities[place].kind == kind).collect();
        of.sort_by_key(|&place| (Reverse(uses[place]), place));
        println!("{kind:?}: {}", of.len());
        for place in of.into_iter().take(most) {
            let entity = &knowledge.entities[place];
            let forms = entity
                .aliases
                .iter()
                .take(12)
                .map(|one| format!("{} {} ({})", one.name, one.count, one.reason));
            println!("  {} {}: {}", uses[place], entity.name, forms.collect::<Vec<_>>().join("; "));
        }
    }
}

/// The kind of a stated triple, by its predicate and what it is about.
fn sort(triple: &Triple) -> &'static str {
    match (triple.predicate.as_str(), triple.object.entity.is_some()) {
        ("is", _) => "role",
        ("narrates as", _) => "narrator",
        ("speaks to", _) => "address",
        (predicate, _) if predicate.ends_with(" of") => "kinship or office",
        (_, true) => "action on somebody",
        (_, false) => "action on a thing",
    }
}

fn triples(text: &str, knowledge: &Knowledge, seed: &mut u64) {
    let thousands = text.split_whitespace().count() as f64 / 1000.0;
    let stated: Vec<&Triple> =
        knowledge.triples.iter().filter(|triple| triple.kind == TripleKind::Stated).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    stated.iter().for_each(|triple| *counts.entry(sort(triple)).or_default() += 1);
    let weak = knowledge.triples.len() - stated.len();
    println!(
        "per 1,000 words: stated {:.1}, weak {:.1}",
        stated.len() as f64 / thousands,
        weak as f64 / thousands
    );
    for (kind, count) in counts {
        println!("  {kind}: {count} ({:.2})", count as f64 / thousands);
    }
    let mut stated = stated;
    for drawn in 0..DRAWN.min(stated.len()) {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let place = drawn + (*seed >> 33) as usize % (stated.len() - drawn);
        stated.swap(drawn, place);
        let triple = stated[drawn];
        let sentence = triple.span.of(text).split_whitespace().collect::<Vec<_>>().join(" ");
        println!("  <{} | {} | {}> {sentence}", triple.subject.text, triple.predicate, triple.object.text);
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut seed: u64 = arguments.next().unwrap().parse().unwrap();
    for file in arguments {
        let document = text::read(&std::fs::read(&file).unwrap(), &ReadOptions::default()).unwrap();
        let config = IndexConfig::default();
        let chunks = text::chunk(&document, config.chunk_tokens, config.chunk_overlap);
        let host = Native::default();
        let pace = Pace::new(&host);
        let (knowledge, _) =
            pollster::block_on(offline::extract(&document, &chunks, &config, &pace)).unwrap();
        println!("== {file}");
        cast(&knowledge);
        triples(&document.text, &knowledge, &mut seed);
        for triple in knowledge.triples.iter().filter(|triple| triple.predicate == "narrates as") {
            let chapter = chunks[triple.chunk.index()].chapter;
            println!("narrator (shown in chapter {chapter}): {}", triple.subject.text);
        }
    }
}
