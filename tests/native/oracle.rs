//! The algorithms against independent implementations: networkx, scipy, numpy, snowballstemmer, and a
//! BM25 written from its definition. `tests/data/oracles.py` made the numbers and names the versions.

use ndarray::Array2;
use plotbridge::algo::assignment::{Pair, maximum_weight_matching};
use plotbridge::algo::bm25::{Units, score};
use plotbridge::algo::cohits::CoHits;
use plotbridge::algo::csr::Csr;
use plotbridge::algo::fusion::reciprocal_ranks;
use plotbridge::algo::pagerank::{Stop, page_rank, page_rank_until};
use plotbridge::algo::separators::separators;
use plotbridge::algo::{fastrp, flow};
use plotbridge::lexical::{Analyser, Lexicon};
use plotbridge::pace::{Native, Pace};
use pollster::block_on;
use serde_json::Value;

pub(crate) fn oracles(part: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../data/oracles.json")).unwrap();
    all[part].clone()
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

pub(crate) fn id(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    list(value).iter().map(numbers).collect()
}

pub(crate) fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        let apart = (found - expected).abs();
        assert!(apart <= tolerance, "{what}, place {place}: {found} is not {expected}, {apart:e} apart");
    }
}

/// A power iteration that stops at an L1 change c is off by at most c d / (1 - d). We stop at 1e-12 or
/// after 200 rounds, when the error is at most 2 d^200: at damping 0.95 that is 7e-5 of the first error,
/// so there the tolerance is 1e-4; below 0.87 the stop at 1e-12 comes first.
#[test]
fn pagerank_is_networkx_s() {
    for case in list(&oracles("pagerank")) {
        let size = case["size"].as_u64().unwrap() as usize;
        let edges = list(&case["edges"]).iter().map(|e| (id(&e[0]), id(&e[1]), number(&e[2]))).collect();
        let damping = number(&case["damping"]);
        let rank = page_rank(&Csr::new(size, size, edges), &numbers(&case["restart"]), damping);
        let tolerance = if damping < 0.87 { 1e-10 } else { 1e-4 };
        close(&case["name"].to_string(), &rank, &numbers(&case["rank"]), tolerance);
    }
}

/// Where CodaRAG's walk stops: at a change of 1e-8 it is off by at most 1e-8 d / (1 - d).
#[test]
fn a_walk_that_stops_earlier_is_as_near_as_it_says() {
    for case in list(&oracles("pagerank")).iter().filter(|case| number(&case["damping"]) < 0.87) {
        let size = case["size"].as_u64().unwrap() as usize;
        let edges = list(&case["edges"]).iter().map(|e| (id(&e[0]), id(&e[1]), number(&e[2]))).collect();
        let (restart, stop) = (numbers(&case["restart"]), Stop { rounds: 100, change: 1e-8 });
        let rank = page_rank_until(&Csr::new(size, size, edges), &restart, number(&case["damping"]), stop);
        // At 0.85 the hundredth round comes first: the error is at most 2 times 0.85 to the hundredth.
        close(&case["name"].to_string(), &rank, &numbers(&case["rank"]), 2e-7);
    }
}

#[test]
fn rankings_are_fused_as_the_definition_says() {
    for case in list(&oracles("fusion")) {
        let lists: Vec<Vec<usize>> = list(&case["lists"])
            .iter()
            .map(|ranking| list(ranking).iter().map(|item| id(item) as usize).collect())
            .collect();
        let lists: Vec<(&[usize], f64)> = lists.iter().map(|list| (list.as_slice(), 1.0)).collect();
        let fused = reciprocal_ranks(&lists, number(&case["k"]));
        let (items, scores): (Vec<usize>, Vec<f64>) = fused.into_iter().unzip();
        let expected: Vec<usize> = list(&case["items"]).iter().map(|item| id(item) as usize).collect();
        assert_eq!(items, expected);
        close("score", &scores, &numbers(&case["scores"]), 1e-15);
    }
}

#[test]
fn separators_are_those_that_networkx_finds_by_taking_each_away() {
    for case in list(&oracles("separators")) {
        let size = case["size"].as_u64().unwrap() as usize;
        let edges = list(&case["edges"]).iter().map(|edge| (id(&edge[0]), id(&edge[1])));
        let edges = edges.flat_map(|(a, b)| [(a, b, 1.0), (b, a, 1.0)]).collect();
        let mut terminals = vec![false; size];
        list(&case["terminals"]).iter().for_each(|terminal| terminals[id(terminal) as usize] = true);
        let found = separators(&Csr::new(size, size, edges), &terminals, &vec![false; size]);
        let found: Vec<u32> = (0..size).filter(|&at| found[at]).map(|at| at as u32).collect();
        let expected: Vec<u32> = list(&case["separators"]).iter().map(id).collect();
        assert_eq!(found, expected, "{size}");
    }
}

/// The solver compares weights rounded to 1e-12 of the largest (50 here), at most 14 of them.
#[test]
fn matchings_weigh_what_scipy_s_do() {
    for case in list(&oracles("assignment")) {
        let rows = matrix(&case["weights"]);
        let weights = Array2::from_shape_fn((rows.len(), rows[0].len()), |(r, c)| rows[r][c]);
        let pairs = maximum_weight_matching(weights.view());
        assert!(pairs.iter().all(|pair| pair.weight == weights[(pair.row, pair.column)]));
        let sum: f64 = pairs.iter().map(|pair| pair.weight).sum();
        close("sum", &[sum], &[number(&case["sum"])], 1e-9);
    }
}

/// One, two and three partners a node, of sixty problems, sparse, full and full of ties, up to 30 by 30:
/// the sums of networkx's network simplex, which are those of scipy's linear program and, for one partner,
/// of its assignment and of networkx's matching by blossoms.
#[test]
fn flows_and_matchings_weigh_what_networkx_s_and_scipy_s_do() {
    for (place, case) in list(&oracles("matchings")).iter().enumerate() {
        let size = |key: &str| case[key].as_u64().unwrap() as usize;
        let mut weights = Array2::zeros((size("rows"), size("columns")));
        for edge in list(&case["edges"]) {
            weights[(id(&edge[0]) as usize, id(&edge[1]) as usize)] = number(&edge[2]);
        }
        let sum = |pairs: Vec<Pair>| pairs.iter().map(|pair| pair.weight).sum::<f64>();
        let sums = numbers(&case["sums"]);
        let found = [1, 2, 3].map(|bound| sum(flow::maximum_weight_matching(weights.view(), bound)));
        close(&format!("problem {place}"), &found, &sums, 1e-9);
        close(&format!("problem {place}"), &[sum(maximum_weight_matching(weights.view()))], &sums[..1], 1e-9);
        // Which side is called the rows changes nothing.
        let turned = [1, 2, 3].map(|bound| sum(flow::maximum_weight_matching(weights.t(), bound)));
        close(&format!("problem {place}, turned"), &turned, &sums, 1e-9);
    }
}

/// Four graphs, two of them the settings of the paper's code with L2 at each power. Sums of some ten 32-bit
/// numbers of size 1, three or four steps deep: 1e-6 of each, and the rows' weights of 50 cancel in the scaling.
#[test]
fn fast_rp_is_numpy_s() {
    let host = Native::default();
    for (place, case) in list(&oracles("fastrp")).iter().enumerate() {
        let [size, dims] = ["size", "dims"].map(|key| case[key].as_u64().unwrap() as usize);
        let edges = list(&case["edges"]).iter().map(|e| (id(&e[0]), id(&e[1]), number(&e[2]))).collect();
        let start = matrix(&case["start"]).concat();
        let start = start.iter().map(|sign| (sign * 3f64.sqrt()) as f32).collect();
        let weights: Vec<f32> = numbers(&case["weights"]).iter().map(|&weight| weight as f32).collect();
        let (graph, power) = (Csr::new(size, size, edges), number(&case["power"]));
        let pace = Pace::new(&host);
        let rows = block_on(fastrp::embed(&graph, start, dims, &weights, power, &pace)).unwrap();
        let rows: Vec<f64> = rows.iter().map(|&number| f64::from(number)).collect();
        close(&format!("graph {place}"), &rows, &matrix(&case["rows"]).concat(), 1e-5);
    }
}

/// Five terms, each a handful of operations in doubles: 1e-12 leaves a factor of a hundred.
#[test]
fn bm25_is_its_definition() {
    for case in list(&oracles("bm25")) {
        let (mut stream, mut ranges) = (Vec::new(), Vec::new());
        for document in list(&case["documents"]) {
            let start = stream.len() as u32;
            stream.extend(list(document).iter().map(id));
            ranges.push(start..stream.len() as u32);
        }
        let positions: Vec<Vec<u32>> = list(&case["query"])
            .iter()
            .map(|term| (0..stream.len() as u32).filter(|&at| stream[at as usize] == id(term)).collect())
            .collect();
        let terms: Vec<&[u32]> = positions.iter().map(Vec::as_slice).collect();
        let found = score(&terms, &Units { ranges: &ranges, extra: &[] });
        close("bm25", &found, &numbers(&case["scores"]), 1e-12);
    }
}

/// From text to scores, as the `bm25` baseline goes: words, stop words, stems, formula.
#[test]
fn the_baseline_s_words_are_stemmed_and_weighed_as_promised() {
    let case = oracles("bm25_text");
    let mut lexicon = Lexicon::new(Analyser::Plain);
    let ranges: Vec<_> =
        list(&case["texts"]).iter().map(|text| lexicon.push(text.as_str().unwrap())).collect();
    for query in list(&case["queries"]) {
        let terms = lexicon.known_terms(query["query"].as_str().unwrap());
        let positions: Vec<&[u32]> = terms.iter().map(|&term| lexicon.positions(term)).collect();
        let found = score(&positions, &Units { ranges: &ranges, extra: &[] });
        close(&query["query"].to_string(), &found, &numbers(&query["scores"]), 1e-12);
    }
}

/// We stop at a change of 1e-10, so the error is at most 1e-10 l / (1 - l) with l = 0.51 at most.
#[test]
fn co_hits_settles_at_the_closed_form() {
    for case in list(&oracles("cohits")) {
        let rows = matrix(&case["weights"]);
        let edges = rows
            .iter()
            .enumerate()
            .flat_map(|(r, row)| {
                row.iter()
                    .enumerate()
                    .filter(|(_, weight)| **weight > 0.0)
                    .map(move |(c, weight)| (r as u32, c as u32, *weight))
            })
            .collect();
        let graph = CoHits::new(&Csr::new(rows.len(), rows[0].len(), edges));
        let settled = graph.settle(
            &numbers(&case["row_start"]),
            &numbers(&case["column_start"]),
            number(&case["lambda_rows"]),
            number(&case["lambda_columns"]),
        );
        close("rows", &settled.rows, &numbers(&case["rows"]), 2e-10);
        close("columns", &settled.columns, &numbers(&case["columns"]), 2e-10);
    }
}

#[test]
fn stems_are_snowball_s() {
    for pair in list(&oracles("stems")) {
        let word = pair[0].as_str().unwrap();
        assert_eq!(Analyser::Plain.term(word).as_deref(), pair[1].as_str(), "{word}");
    }
}
