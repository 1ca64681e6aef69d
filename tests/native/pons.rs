//! The pons layer statement by statement (systems 1.4): weights by their definition, its edge cases, the
//! alternatives of appendix C, D_cross.

use plotbridge::algo::vector::Rows;
use plotbridge::config::Encoding;
use plotbridge::graph::{PonsLayer, Weighting, inverse_frequencies, tau_for, ubiquitous};
use plotbridge::index::{Index, Space};
use plotbridge::knowledge::{ChunkId, EntityKind};
use plotbridge::pace::{Native, Pace};
use plotbridge::question::Question;
use plotbridge::report::Trace;
use plotbridge::{AskOptions, Engine, IndexConfig};
use pollster::block_on;

use super::support::*;

fn edges(index: &Index, space: &Space, tau: f64, weighting: Weighting) -> Vec<(usize, usize, f64)> {
    let host = Native::default();
    let layer = block_on(PonsLayer::by_cosine(index, space, tau, weighting, &Pace::new(&host))).unwrap();
    layer.weights.edges().collect()
}

fn mentioned(index: &Index, space: &Space) -> Vec<(usize, usize, f64)> {
    let host = Native::default();
    let layer = block_on(PonsLayer::by_mention(index, space, &Pace::new(&host))).unwrap();
    layer.weights.edges().collect()
}

/// The chunks that name an entity, or in whose events it takes part as the one who says `I`.
fn frequency(index: &Index, entity: usize) -> usize {
    let knowledge = &index.knowledge;
    let named = |chunk| {
        knowledge.mentions.iter().any(|mention| mention.chunk == chunk && mention.entity.index() == entity)
    };
    let acts = |chunk| {
        let mut events = knowledge.events.iter().filter(|event| event.chunk == chunk);
        events.any(|event| event.participants.iter().any(|id| id.index() == entity))
    };
    (0..index.chunks.len()).map(ChunkId::new).filter(|&chunk| named(chunk) || acts(chunk)).count()
}

/// The vectors as plain numbers, so that nothing of the layer's own arithmetic is used.
fn cosine(a: &Rows, at: usize, b: &Rows, to: usize) -> f64 {
    a.row(at).iter().zip(b.row(to)).map(|(a, b)| f64::from(*a) * f64::from(b)).sum()
}

/// Equations 3 and 4, pair by pair, with the weight of appendix C beside.
#[test]
fn weights_are_their_definition() {
    let story = story();
    let (index, space) = (&story.book().index, story.book().space().unwrap());
    let chunks = index.chunks.len() as f64;
    let (ours, semantic) = (
        edges(index, space, space.tau, Weighting::Inverse),
        edges(index, space, space.tau, Weighting::Semantic),
    );
    let (mut place, mut bare) = (0, 0);
    for entity in (0..index.knowledge.entities.len()).step_by(7) {
        let rarity = (chunks / (1.0 + frequency(index, entity) as f64)).ln();
        for event in 0..index.knowledge.events.len() {
            let sim = cosine(&space.entities, entity, &space.events, event);
            let near_bar = (sim - space.tau).abs() < 1e-5 || sim.abs() < 1e-5;
            let find = |edges: &[(usize, usize, f64)]| {
                let found = edges.binary_search_by_key(&(entity, event), |edge| (edge.0, edge.1));
                found.ok().map(|place| edges[place].2)
            };
            if near_bar {
                continue;
            }
            let expected = (sim >= space.tau && sim > 0.0 && rarity > 0.0).then_some(sim * rarity);
            assert_eq!(find(&ours).is_some(), expected.is_some(), "{entity} {event} {sim} {rarity}");
            place += usize::from(expected.is_some());
            let apart = find(&ours).unwrap_or(0.0) - expected.unwrap_or(0.0);
            assert!(apart.abs() < 1e-5, "{entity} {event}: {apart}");
            let weight = find(&semantic);
            assert_eq!(weight.is_some(), sim >= space.tau && sim > 0.0, "{entity} {event}");
            assert!((weight.unwrap_or(sim) - sim).abs() < 1e-5);
            bare += usize::from(weight.is_some());
        }
    }
    assert!(place > 1000 && bare >= place, "{place} {bare}");
}

/// The edges by mention, pair by pair from the event's own participants: `I_u (1 + sim) / 2`, of what is no person
/// or group a quarter.
#[test]
fn edges_by_mention_are_their_definition() {
    let story = story();
    let (index, space) = (&story.book().index, story.book().space().unwrap());
    let found = mentioned(index, space);
    let (mut expected, mut kinds) = (Vec::new(), [0, 0]);
    for (place, entity) in index.knowledge.entities.iter().enumerate() {
        let rarity = (index.chunks.len() as f64 / (1.0 + frequency(index, place) as f64)).ln();
        let whole = matches!(entity.kind, EntityKind::Person | EntityKind::Group);
        for (event, told) in index.knowledge.events.iter().enumerate() {
            if rarity > 0.0 && told.participants.iter().any(|id| id.index() == place) {
                let sim = cosine(&space.entities, place, &space.events, event);
                let weight = rarity * (1.0 + sim) / 2.0 * if whole { 1.0 } else { 0.25 };
                expected.push((place, event, weight));
                kinds[usize::from(whole)] += 1;
            }
        }
    }
    assert!(kinds[0] > 50 && kinds[1] > 500, "{kinds:?}");
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!((found.0, found.1), (expected.0, expected.1));
        assert!((found.2 - expected.2).abs() < 1e-5, "{found:?} {expected:?}");
    }
}

/// With vectors set by hand: alike weighs `I_u`, square to each other half of it, opposite has no edge.
#[test]
fn edges_by_mention_weigh_from_nothing_to_all() {
    let chapter = |number: usize| match number {
        1 => "CHAPTER 1\n\nMr Tapp wept.\n\nMrs Quennell wept.\n\n".to_owned(),
        2 => "CHAPTER 2\n\nMr Tapp laughed.\n\n".to_owned(),
        _ => format!("CHAPTER {number}\n\nThe rain fell on the slate roofs all night.\n\n"),
    };
    let config = IndexConfig { encoding: Encoding::F32, event_words: 1, ..IndexConfig::default() };
    let book = try_book(&(1..=6).map(chapter).collect::<String>(), config).unwrap();
    let (index, space) = (&book.book().index, book.book().space().unwrap());
    let named = |name: &str| index.knowledge.entities.iter().position(|entity| entity.name == name).unwrap();
    let (tapp, quennell) = (named("Mr Tapp"), named("Mrs Quennell"));
    let told = |text: &str| {
        let of = |event: &plotbridge::knowledge::Event| event.span.of(&index.document.text).contains(text);
        index.knowledge.events.iter().position(of).unwrap()
    };
    let events = [told("Mr Tapp wept"), told("Mrs Quennell wept"), told("Mr Tapp laughed")];
    let rows = |count: usize, other: &[(usize, [f32; 2])]| {
        let mut rows = vec![[1.0f32, 0.0]; count];
        other.iter().for_each(|&(place, row)| rows[place] = row);
        Rows::exact(2, rows.concat())
    };
    let entities = rows(index.knowledge.entities.len(), &[]);
    let weights = |wept: [f32; 2], laughed: [f32; 2]| {
        let other = [(events[0], wept), (events[2], laughed)];
        let events = rows(index.knowledge.events.len(), &other);
        let space = Space { dims: 2, entities: entities.clone(), events, ..space.clone() };
        mentioned(index, &space)
    };
    // Mr Tapp is named in two of six chunks, Mrs Quennell in one.
    let (two, one) = ((6.0f64 / 3.0).ln(), (6.0f64 / 2.0).ln());
    let mut wanted = vec![(tapp, events[0], two), (quennell, events[1], one), (tapp, events[2], two / 2.0)];
    wanted.sort_by_key(|edge| (edge.0, edge.1));
    let found = weights([1.0, 0.0], [0.0, 1.0]);
    assert_eq!(found.len(), 3, "{found:?}");
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_eq!((found.0, found.1), (wanted.0, wanted.1));
        assert!((found.2 - wanted.2).abs() < 1e-6, "{found:?} {wanted:?}");
    }
    let opposite = weights([-1.0, 0.0], [1.0, 0.0]);
    assert_eq!(opposite.len(), 2, "a weight of nothing is no edge: {opposite:?}");
    assert!(opposite.iter().all(|edge| edge.1 != events[0]));
}

/// `I_u` is not below zero; who is in every chunk has no edge, and is counted.
#[test]
fn who_is_everywhere_has_no_edge() {
    let told = "Mr Tapp rowed the ferry over the river. Mr Tapp hung the lamp beside the stove. ";
    let chapter = |number: usize| match number {
        3 => format!("CHAPTER {number}\n\n{told}Mrs Quennell gave Mr Tapp a brass key. She wept.\n\n"),
        _ => format!("CHAPTER {number}\n\n{told}The rain fell on the slate roofs all night.\n\n"),
    };
    let book = book(&(1..=6).map(chapter).collect::<String>());
    let (index, space) = (&book.book().index, book.book().space().unwrap());
    let named = |name: &str| index.knowledge.entities.iter().position(|entity| entity.name == name).unwrap();
    let (tapp, quennell) = (named("Mr Tapp"), named("Mrs Quennell"));
    assert_eq!((frequency(index, tapp), index.chunks.len()), (6, 6), "ln(6/7) is below zero");
    let weights = inverse_frequencies(index);
    assert_eq!(weights[tapp], 0.0);
    assert!((weights[quennell] - (6.0f64 / 2.0).ln()).abs() < 1e-12);
    let edges = edges(index, space, 0.0, Weighting::Inverse);
    assert!(edges.iter().all(|edge| edge.0 != tapp) && edges.iter().any(|edge| edge.0 == quennell));
    assert_eq!(ubiquitous(index), 1);
    assert_eq!(book.info().counts.ubiquitous, 1);
    let trace = retrieve(&book, "What did Mr Tapp do?", &pons_with(&[("edges", "cosine")]));
    assert!(trace.anchors.characters.iter().any(|node| node.name == "Mr Tapp"), "an anchor none the less");
    assert!(trace.pairs.iter().all(|pair| pair.character != "Mr Tapp"), "but in no pair");
}

#[test]
fn a_book_of_three_chunks_weighs_by_cosine_alone() {
    let chapter =
        |number: usize| format!("CHAPTER {number}\n\nMr Tapp rowed Mrs Quennell. Mrs Quennell wept.\n\n");
    for (chunks, weight) in [(1, 1.0), (3, 1.0), (4, 0.0)] {
        let book = book(&(1..=chunks).map(chapter).collect::<String>());
        assert_eq!(book.book().index.chunks.len(), chunks);
        assert!(inverse_frequencies(&book.book().index).iter().all(|&found| found == weight), "{chunks}");
        assert_eq!(book.info().counts.ubiquitous > 0, weight == 0.0);
    }
}

/// tau leaves the configured share of all pairs below it.
#[test]
fn tau_is_a_quantile_of_the_book_s_own_pairs() {
    let story = story();
    let space = story.book().space().unwrap();
    let mut all: Vec<f64> = Vec::new();
    for entity in 0..space.entities.len() {
        all.extend(
            (0..space.events.len()).map(|event| cosine(&space.entities, entity, &space.events, event)),
        );
    }
    for share in [0.05, 0.25, 0.5, 0.75, 0.95] {
        let tau = tau_for(space, share);
        let below = all.iter().filter(|&&cosine| cosine < tau).count() as f64 / all.len() as f64;
        assert!((below - share).abs() < 0.01, "{share}: {below}");
    }
    assert_eq!(space.tau, tau_for(space, space.quantile));
    let mean = all.iter().map(|cosine| 1.0 - cosine).sum::<f64>() / all.len() as f64;
    assert!((space.d_cross - mean).abs() < 1e-5, "D_cross {} {mean}", space.d_cross);
}

/// What `inspect` tells of each space is what the index holds of it.
#[test]
fn inspect_tells_d_cross_of_every_space() {
    let config = IndexConfig { encoding: Encoding::F32, ..IndexConfig::default() };
    let book = try_book("Mr Tapp met Mrs Quennell. Mrs Quennell gave Mr Tapp a key.", config).unwrap();
    let mut index = book.book().index.clone();
    let other = Space { id: "other".to_owned(), d_cross: 0.25, pons_edges: 1, ..index.spaces[0].clone() };
    index.spaces.push(other);
    let both = block_on(Engine::from_index(&index, &Native::default())).unwrap();
    let told = block_on(both.inspect(&Native::default())).unwrap();
    let spaces: Vec<(&str, f64, u32)> = told
        .embedding_spaces
        .iter()
        .map(|space| (space.id.as_str(), space.d_cross, space.pons_edges))
        .collect();
    assert_eq!(spaces[0], ("builtin-1", index.spaces[0].d_cross, index.spaces[0].pons_edges));
    assert_eq!(spaces[1], ("other", 0.25, 1));
    assert_eq!(told.d_cross, index.spaces[0].d_cross);
}

/// A name that the story gives somebody late is told with the place from which on a reader can know it.
#[test]
fn inspect_tells_from_where_on_an_alias_is_known() {
    let story = story();
    let told = block_on(story.inspect(&Native::default())).unwrap();
    let known = |name: &str, alias: &str| {
        let entity = told.entities.iter().find(|entity| entity.name == name).unwrap();
        assert_eq!(entity.aliases.len(), entity.known_from.len(), "{name}");
        entity.known_from[entity.aliases.iter().position(|other| other == alias).unwrap()]
    };
    assert!(known("Corin", "Corin Pask") < 0.1);
    assert!(known("Mrs Quennell", "Mr Lind") > 0.75, "the story says it towards its end");
    let all = told.entities.iter().flat_map(|entity| &entity.known_from);
    assert!(all.clone().all(|place| (0.0..=1.0).contains(place)) && all.count() > 30);
}

/// Equation 5 event by event, and the order of the evidence (systems 1.8 item 8): the mean of a pair's weight and
/// score, each scaled over the kept pairs, a chunk at its best pair.
#[test]
fn scores_and_the_order_of_evidence_are_their_definition() {
    let story = story();
    let (book, host) = (story.book(), Native::default());
    let (index, space) = (&book.index, book.space().unwrap());
    for gold in questions().iter().step_by(7) {
        let trace = retrieve(&story, &gold.question, &pons_with(&[("profile", "paper")]));
        let question = block_on(Question::new(book, &gold.question, &Pace::new(&host))).unwrap();
        let like = |rows: &Rows, at: usize| -> f64 {
            rows.row(at).iter().zip(&question.vector).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let score = |event: usize| {
            let told = &index.knowledge.events[event];
            0.7 * like(&space.events, event)
                + 0.2 * like(&space.clusters, told.cluster.index())
                + 0.1 * like(&space.chunks, told.chunk.index())
        };
        let scores: Vec<f64> = (0..index.knowledge.events.len()).map(score).collect();
        let mut best = scores.clone();
        best.sort_by(|a, b| b.total_cmp(a));
        assert_eq!(trace.anchors.events.len(), 15);
        for (node, best) in trace.anchors.events.iter().zip(best) {
            assert!((node.score - best).abs() < 1e-5, "{}: {} {best}", gold.question, node.score);
        }

        let starts: Vec<u32> = inspected(&story).iter().map(|event| event.start).collect();
        let own: Vec<f64> = trace
            .pairs
            .iter()
            .map(|pair| scores[starts.iter().position(|&start| start == pair.start).unwrap()])
            .collect();
        let weights: Vec<f64> = trace.pairs.iter().map(|pair| pair.weight).collect();
        let scaled = |values: &[f64], at: usize| {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if high > low { (values[at] - low) / (high - low) } else { 1.0 }
        };
        let mut chunks: std::collections::BTreeMap<u32, f64> = Default::default();
        for (at, pair) in trace.pairs.iter().enumerate() {
            let mean = (scaled(&weights, at) + scaled(&own, at)) / 2.0;
            let best = chunks.entry(pair.chunk).or_insert(mean);
            *best = best.max(mean);
        }
        for passage in trace.evidence.iter().take(chunks.len()) {
            assert!((passage.score - chunks[&passage.chunk]).abs() < 1e-4, "{}: {passage:?}", gold.question);
        }
        assert!(trace.evidence.is_sorted_by(|a, b| a.score >= b.score));
    }
}

/// Systems 1.5: the options of a question are no part of what is looked for.
#[test]
fn options_take_no_part_in_the_retrieval() {
    let story = story();
    let question = "Whose letters did Mr Sleet carry?";
    for profile in ["offline", "paper"] {
        let open = pons_with(&[("profile", profile)]);
        let choices = vec!["the lamp in the ferry house".to_owned(), "Mrs Quennell's brother".to_owned()];
        let asked = ask(&story, question, &AskOptions { choices, ..open.clone() }).trace;
        let alone = retrieve(&story, question, &open);
        assert_eq!(asked.context, alone.context, "{profile}");
        let places = |trace: &Trace| -> Vec<(u32, f64)> {
            trace.evidence.iter().map(|passage| (passage.chunk, passage.score)).collect()
        };
        assert_eq!(places(&asked), places(&alone), "{profile}");
    }
}
