//! What each ablation of the paper leaves out, seen from outside: in the trace and in the context.

use std::collections::BTreeMap;

use plotbridge::config::Profile;
use plotbridge::eval::{ABLATIONS, Ablation};
use plotbridge::report::{Edge, Trace};
use plotbridge::{AskOptions, Engine, QueryConfig};

use super::support::*;

const PROFILES: [Profile; 2] = [Profile::Offline, Profile::Paper];

/// The trace of one ablation; `whole` is none.
fn without(book: &Engine, name: &str, profile: Profile, question: &str) -> Trace {
    let config = QueryConfig { profile, ..QueryConfig::default() };
    let config = if name == "whole" { config } else { Ablation::named(name).unwrap().of(config).unwrap() };
    retrieve(book, question, &AskOptions { config, ..AskOptions::default() })
}

/// Every question with both profiles.
fn asked(name: &str, mut look: impl FnMut(Profile, &Trace)) {
    let story = story();
    for profile in PROFILES {
        for gold in questions() {
            let trace = without(&story, name, profile, &gold.question);
            assert_eq!(trace.profile, profile.as_str());
            assert!(
                trace.evidence.len() >= 20 && !trace.context.is_empty(),
                "{name}, {profile:?}, {}",
                gold.id
            );
            look(profile, &trace);
        }
    }
}

fn matched(trace: &Trace) -> impl Iterator<Item = &Edge> {
    trace.matching.edges.iter().filter(|edge| edge.matched)
}

/// How often the node that is in most matched edges is in one.
fn most_uses(trace: &Trace) -> usize {
    let (mut characters, mut events) = (BTreeMap::new(), BTreeMap::new());
    for edge in matched(trace) {
        *characters.entry(&edge.character).or_insert(0) += 1;
        *events.entry(edge.start).or_insert(0) += 1;
    }
    characters.into_values().chain(events.into_values()).max().unwrap_or(0)
}

/// Nothing was awakened and nothing matched.
fn untied(trace: &Trace) -> bool {
    trace.awakened.characters.is_empty()
        && trace.awakened.events.is_empty()
        && trace.matching.edges.is_empty()
        && trace.pairs.is_empty()
}

#[test]
fn characters_alone_are_their_profiles_and_the_passages_of_the_walk() {
    asked("char-only", |profile, trace| {
        assert!(trace.anchors.events.is_empty() && !trace.anchors.characters.is_empty() && untied(trace));
        let profiles = trace.context.lines().filter(|line| line.starts_with('<')).count();
        assert_eq!(profiles, trace.anchors.characters.len(), "{}", trace.context);
        assert_eq!(trace.context.contains("Passage, from"), profile == Profile::Offline);
        assert!(!trace.context.contains("Plotline"));
    });
}

#[test]
fn events_alone_are_told_of_nobody() {
    asked("plot-only", |profile, trace| {
        assert!(trace.anchors.characters.is_empty() && !trace.anchors.events.is_empty() && untied(trace));
        let mut told = trace.context.lines();
        match profile {
            Profile::Paper => assert_eq!(told.count(), trace.anchors.events.len(), "{}", trace.context),
            _ => assert!(told.all(|line| !line.contains(" | ")), "{}", trace.context),
        }
    });
}

#[test]
fn layers_apart_have_both_anchors_and_no_edge() {
    asked("no-pons", |_, trace| {
        assert!(!trace.anchors.characters.is_empty() && !trace.anchors.events.is_empty() && untied(trace));
        let first = &trace.anchors.characters[0].name;
        assert!(
            trace.context.lines().any(|line| line.starts_with(&format!("<{first}"))),
            "{}",
            trace.context
        );
        assert!(trace.context.lines().filter(|line| line.starts_with(['<', '['])).count() > 15);
    });
}

#[test]
fn without_awakening_only_anchors_are_matched() {
    asked("no-awaken", |_, trace| {
        assert!(trace.awakened.characters.is_empty() && trace.awakened.events.is_empty());
        assert!(!trace.matching.edges.is_empty());
        for edge in &trace.matching.edges {
            assert!(trace.anchors.characters.iter().any(|node| node.name == edge.character), "{edge:?}");
            assert!(trace.anchors.events.iter().any(|node| node.label == edge.event), "{edge:?}");
        }
    });
}

#[test]
fn without_matching_the_heaviest_edges_are_the_pairs() {
    asked("no-match", |_, trace| {
        assert_eq!(trace.matching.mode, "top");
        let most = trace.matching.edges.len().min(30);
        for (place, edge) in trace.matching.edges.iter().enumerate() {
            assert_eq!(edge.matched, place < most, "{place}: {edge:?}");
        }
    });
}

#[test]
fn without_the_filter_only_what_does_not_fit_is_dropped() {
    asked("no-filter", |profile, trace| {
        // What was matched with nobody has no line to be filtered.
        let lines: Vec<_> =
            trace.dropped.iter().filter(|dropped| dropped.reason != "matched with nobody").collect();
        assert!(lines.iter().all(|dropped| dropped.reason == "does not fit the context"), "{lines:?}");
        if profile == Profile::Paper {
            assert_eq!(trace.pairs.len() + lines.len(), matched(trace).count());
        }
    });
    // With it, something is.
    let mut dropped = 0;
    asked("whole", |_, trace| {
        dropped += trace.dropped.iter().filter(|dropped| dropped.reason.starts_with("linked")).count();
    });
    assert!(dropped > 0);
}

#[test]
fn more_partners_weigh_more_and_keep_their_bound() {
    let story = story();
    for profile in PROFILES {
        for gold in questions() {
            let traces = ["whole", "match-2", "match-3", "dense-edges"]
                .map(|name| without(&story, name, profile, &gold.question));
            let sum = |trace: &Trace| matched(trace).map(|edge| edge.weight).sum::<f64>();
            let sums: Vec<f64> = traces.iter().map(sum).collect();
            assert!(sums.is_sorted_by(|a, b| a <= &(b + 1e-9)), "{}, {profile:?}: {sums:?}", gold.id);
            for (place, trace) in traces[..3].iter().enumerate() {
                assert!(most_uses(trace) <= place + 1, "{}, {profile:?}", gold.id);
            }
            let dense = &traces[3];
            assert_eq!(matched(dense).count(), dense.matching.edges.len());
        }
    }
}

/// An event with several partners stays in the rest of the path with each of them.
#[test]
fn further_partners_stand_in_the_pairs_and_in_the_context() {
    for name in ["match-2", "match-3", "no-match", "dense-edges"] {
        let mut several = [0, 0];
        asked(name, |profile, trace| {
            let lines: Vec<&str> = trace.context.lines().collect();
            for (place, pair) in trace.pairs.iter().enumerate() {
                let others: Vec<&str> = trace
                    .pairs
                    .iter()
                    .filter(|other| other.start == pair.start)
                    .map(|other| other.character.as_str())
                    .collect();
                if others.len() < 2 || others[0] != pair.character {
                    continue;
                }
                assert_eq!(trace.pairs[place + 1].start, pair.start, "together, in story order");
                let named = format!("] {} | {}", others.join(", "), pair.details);
                let told = match profile {
                    Profile::Paper => others.iter().all(|other| {
                        lines.iter().any(|line| {
                            line.starts_with(&format!("<{other}"))
                                && line.ends_with(&format!("{}>", pair.details))
                        })
                    }),
                    // What the opening passage tells is not told again.
                    _ => {
                        lines.iter().any(|line| line.ends_with(&named))
                            || !trace.context.contains(&format!(" | {}", pair.details))
                    }
                };
                assert!(told, "{name}, {profile:?}: {others:?} in {:?}", pair.details);
                several[usize::from(profile == Profile::Paper)] += 1;
            }
        });
        assert!(several.iter().all(|&count| count > 5), "{name}: {several:?} events with several partners");
    }
}

/// The table names what product.md promises of PonsRAG, and no more.
#[test]
fn the_names_are_those_promised() {
    let names = ABLATIONS.map(|ablation| ablation.name);
    let promised =
        "char-only, plot-only, no-pons, no-awaken, no-match, no-filter, match-2, match-3, dense-edges";
    assert_eq!(names.join(", "), promised);
}
