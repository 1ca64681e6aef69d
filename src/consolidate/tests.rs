//! What must hold of consolidation whatever the order of the entities and however often it is done.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::candidates::Pair;
use super::consolidate;
use super::decide::Decision;
use super::sides::{NAMED, Side, Sides};
use super::unite::unite;
use crate::build::blank;
use crate::config::IndexConfig;
use crate::index::Index;
use crate::knowledge::*;
use crate::pace::{Native, Pace};
use crate::text::{ReadOptions, chunk, read};

fn entity(name: &str, kind: EntityKind) -> Entity {
    let alias = Alias { name: name.to_owned(), count: 1, evidence: 0, reason: NAMED.to_owned() };
    Entity { name: name.to_owned(), kind, category: None, aliases: vec![alias], description: Told::default() }
}

/// Sides of these names, of each of whom so much is told.
fn sides(named: &[(&str, usize)]) -> Sides {
    let side = |(name, told): &(&str, usize)| Side {
        told: *told,
        ..Side::of(&entity(name, EntityKind::Person), "", 0)
    };
    Sides::bare(named.iter().map(side).collect())
}

fn decision(one: usize, other: usize, cosine: f64, verdict: Verdict) -> Decision {
    let pair = Pair { one: one.min(other), other: one.max(other), cosine };
    Decision { pair, verdict, by: Decider::Chat, reason: "so it seems".to_owned(), evidence: 0 }
}

/// The groups by name.
fn grouped(sides: &Sides, groups: &[usize]) -> BTreeSet<BTreeSet<String>> {
    let mut by: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for (side, group) in sides.all.iter().zip(groups) {
        by.entry(*group).or_default().insert(side.name.clone());
    }
    by.into_values().collect()
}

#[test]
fn a_chain_ends_where_the_fullest_were_not_accepted() {
    let sides = sides(&[("Agnes", 90), ("the nurse", 5), ("Berta", 80)]);
    let mut decisions =
        [(0, 1, 0.9), (1, 2, 0.8)].map(|(a, b, cosine)| decision(a, b, cosine, Verdict::Same));
    assert_eq!(unite(&sides, &mut decisions), [0, 0, 2]);
    assert_eq!(decisions[1].verdict, Verdict::Uncertain);
    assert!(decisions[1].reason.starts_with("accepted, but"), "{}", decisions[1].reason);
}

#[test]
fn one_who_is_apart_from_a_member_is_apart_from_the_group() {
    let sides = sides(&[("Agnes", 90), ("the nurse", 95), ("Berta", 80)]);
    let mut decisions = vec![
        decision(0, 1, 0.9, Verdict::Same),
        decision(1, 2, 0.8, Verdict::Same),
        decision(0, 2, 0.0, Verdict::Different),
    ];
    assert_eq!(unite(&sides, &mut decisions), [0, 0, 2]);
}

#[test]
fn what_names_forbid_binds_a_chat_model_too() {
    for (one, other) in [
        ("Mr Lind", "Mrs Lind"),
        ("Miss Lind", "Mrs Lind"),
        ("Edgar Lind", "Hareton Lind"),
        ("Edgar Lind", "Edgar Lind Junior"),
        ("King Edgar", "Mr Edgar"),
    ] {
        let sides = sides(&[(one, 10), (other, 10)]);
        let mut decisions = [decision(0, 1, 1.0, Verdict::Same)];
        assert_eq!(unite(&sides, &mut decisions), [0, 1], "{one}, {other}");
    }
}

proptest! {
    #[test]
    fn the_order_of_the_entities_decides_nothing(
        told in prop::collection::vec(0usize..50, 8),
        verdicts in prop::collection::vec((0usize..8, 0usize..8, 0u8..5, 0u8..4), 0..24),
        order in Just((0..8).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let names = ["Ada", "Bea", "Cleo", "Dora", "Edda", "Flora", "Gerda", "Hedda"];
        let plain: Vec<(&str, usize)> = names.into_iter().zip(told).collect();
        let shuffled: Vec<(&str, usize)> = order.iter().map(|&at| plain[at]).collect();
        let at = |entity: usize| order.iter().position(|&from| from == entity).unwrap();
        let mut distinct = BTreeMap::new();
        for (one, other, cosine, verdict) in verdicts.into_iter().filter(|(one, other, ..)| one != other) {
            let verdict = if verdict == 0 { Verdict::Different } else { Verdict::Same };
            distinct.insert((one.min(other), one.max(other)), (f64::from(cosine) / 4.0, verdict));
        }
        let pairs = || distinct.iter().map(|((a, b), (cosine, verdict))| (*a, *b, *cosine, *verdict));
        let mut here: Vec<Decision> = pairs().map(|(a, b, c, v)| decision(a, b, c, v)).collect();
        let mut there: Vec<Decision> = pairs().map(|(a, b, c, v)| decision(at(a), at(b), c, v)).collect();
        there.reverse();
        let (plain, shuffled) = (sides(&plain), sides(&shuffled));
        let (one, other) = (unite(&plain, &mut here), unite(&shuffled, &mut there));
        prop_assert_eq!(grouped(&plain, &one), grouped(&shuffled, &other));
        for ((a, b), (_, verdict)) in &distinct {
            prop_assert!(*verdict == Verdict::Same || one[*a] != one[*b]);
        }
    }
}

const TEXT: &str = "Mrs Rachel Lynde sat at her window. Rachel Lynde saw the Grange. Thrushcross Grange was old. \
    Silas Tapp came to Mrs Lynde. They went to the Grange.\n";

/// An index by hand, where a chat model named what rules would have joined.
fn fragments() -> Index {
    let document = read(TEXT.as_bytes(), &ReadOptions::default()).unwrap();
    let chunks = chunk(&document, 512, 0);
    let mut index = blank(document, chunks, IndexConfig::default(), Wishes::default());
    let whole = index.chunks[0].span;
    let names = [
        ("Mrs Rachel Lynde", EntityKind::Person),
        ("Rachel Lynde", EntityKind::Person),
        ("Thrushcross Grange", EntityKind::Place),
        ("Silas Tapp", EntityKind::Person),
        ("Mrs Lynde", EntityKind::Person),
        ("Grange", EntityKind::Place),
    ];
    let knowledge = &mut index.knowledge;
    for (at, (name, kind)) in names.into_iter().enumerate() {
        knowledge.entities.push(entity(name, kind));
        let starts = TEXT.match_indices(name).map(|(start, _)| start);
        let uses: Vec<Span> = starts.map(|start| Span::new(start, start + name.len())).collect();
        knowledge.entities[at].aliases[0].evidence = uses[0].end;
        knowledge.entities[at].aliases[0].count = uses.len() as u32;
        let description = Told::Written(format!("{name} is told of."));
        knowledge.mentions.push(Mention { entity: EntityId::new(at), chunk: ChunkId(0), uses, description });
    }
    let phrase = |at: usize| Phrase { text: names[at].0.to_owned(), entity: Some(EntityId::new(at)) };
    for (subject, object) in [(0, 1), (0, 2), (1, 5)] {
        let (subject, object) = (phrase(subject), phrase(object));
        let (predicate, kind) = ("sees".to_owned(), TripleKind::Stated);
        knowledge.triples.push(Triple { subject, predicate, object, kind, chunk: ChunkId(0), span: whole });
    }
    let participants = (0..names.len()).map(EntityId::new).collect();
    let (details, cluster) = (None, ClusterId(0));
    let label = "sight: Rachel Lynde, Mrs Rachel Lynde".to_owned();
    knowledge.events.push(Event { label, span: whole, details, chunk: ChunkId(0), participants, cluster });
    let (label, summary) = (knowledge.events[0].label.clone(), Told::Quoted(vec![whole]));
    knowledge.clusters.push(Cluster { label, events: vec![EventId(0)], summary });
    index
}

fn consolidated(mut index: Index) -> Index {
    let host = Native::default();
    pollster::block_on(consolidate(&mut index, &[], None, &Pace::new(&host))).unwrap();
    index
}

#[test]
fn fragments_become_one_and_everything_points_there() {
    let index = consolidated(fragments());
    let knowledge = &index.knowledge;
    let names: Vec<&str> = knowledge.entities.iter().map(|entity| entity.name.as_str()).collect();
    assert_eq!(names.len(), 3, "{names:?} {:#?}", knowledge.merges);
    assert_eq!(knowledge.entities[0].aliases.len(), 3);
    assert_eq!(knowledge.mentions.len(), 3);
    assert_eq!(knowledge.triples.len(), 2, "the one with itself is gone");
    assert_eq!(knowledge.events[0].participants.len(), 3);
    assert_eq!(knowledge.events[0].label, format!("sight: {}", names[0]));
    assert_eq!(knowledge.clusters[0].label, knowledge.events[0].label);
    assert_eq!(knowledge.fragments.len(), 5, "what was written of each is kept");
    assert!(knowledge.merges.iter().all(|merge| merge.verdict == Verdict::Same && merge.by == Decider::Rule));
}

#[test]
fn what_is_consolidated_once_stays_as_it_is() {
    let once = consolidated(fragments());
    assert_eq!(consolidated(once.clone()), once);
}

#[test]
fn a_type_of_the_books_own_stays_with_its_kind() {
    let mut index = fragments();
    let entities = &mut index.knowledge.entities;
    entities[0].kind = EntityKind::Other;
    entities[0].category = Some("landmark".to_owned());
    entities[1].category = Some("matron".to_owned());
    let index = consolidated(index);
    let entity = &index.knowledge.entities[0];
    assert_eq!((entity.kind, entity.category.as_deref()), (EntityKind::Person, Some("matron")));
}
