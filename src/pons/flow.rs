//! From what the stages raised to what is read: the lines that the filter is given, and from those it keeps
//! the plotline, the evidence and the context, in each profile.

use std::collections::BTreeSet;

use crate::book::Book;
use crate::config::{Chunks, Layers, Profile, QueryConfig};
use crate::knowledge::{EntityId, EventId, Issue};
use crate::stage::anchor::{self, Anchors};
use crate::stage::context::{self, Context};
use crate::stage::filter::{Kept, fit};
use crate::stage::{Dropped, Line, Matching, Nodes, Pair, Passage, Plotline};
use crate::stage::{arrange, evidence, score};

/// What the question has raised, and how it is tied.
pub(super) struct Raised<'a> {
    pub(super) anchors: &'a Anchors,
    pub(super) awakened: &'a Nodes,
    pub(super) matching: &'a Matching,
}

/// What follows from it: the plotline, and what is read.
pub(super) struct Flow {
    pub(super) plotline: Plotline,
    pub(super) evidence: Vec<Passage>,
    pub(super) context: Context,
    /// What an answer by rule starts from.
    pub(super) scores: Vec<f64>,
}

/// The configuration as far as the layers are tied: where the paper profile has found no pair, its lines are
/// the anchors of both layers by themselves.
pub(super) fn tied(raised: &Raised<'_>, config: &QueryConfig, issues: &mut Vec<Issue>) -> QueryConfig {
    let without = config.layers == Layers::Both && raised.matching.pairs.is_empty();
    if config.profile != Profile::Paper || !without || raised.anchors.nodes == Nodes::default() {
        return *config;
    }
    let message =
        "No edge joins the characters and events that were found, so the context tells of each alone.";
    issues.push(Issue::new("no_pairs", message));
    QueryConfig { layers: Layers::Apart, ..*config }
}

/// What may stand in the plotline, most wanted first: in the paper profile the pairs, or without edges the
/// anchored events by themselves; in the offline profile every event.
pub(super) fn lines(book: &Book, raised: &Raised<'_>, scores: &[f64], config: &QueryConfig) -> Vec<Line> {
    let Raised { anchors, awakened, matching } = raised;
    let pairs = (config.layers == Layers::Both).then_some(&matching.pairs[..]);
    match (config.layers, config.profile, pairs) {
        (Layers::Char, ..) => Vec::new(),
        (_, Profile::Paper, Some(pairs)) => arrange::pairs(pairs, &anchors.nodes, scores),
        (_, Profile::Paper, None) => arrange::anchored(&anchors.nodes, scores),
        (_, Profile::Auto | Profile::Offline, pairs) => arrange::events(book, awakened, pairs, scores),
    }
}

/// What is read of the lines that the filter kept, in at most `room` tokens.
pub(super) fn read(
    book: &Book,
    raised: &Raised<'_>,
    sifted: Kept,
    scores: Vec<f64>,
    config: &QueryConfig,
    room: u32,
) -> Flow {
    match (config.layers, config.profile) {
        (Layers::Char, _) => characters_flow(book, raised.anchors, config, room),
        (_, Profile::Paper) => paper_flow(book, raised, sifted, scores, config, room),
        (_, Profile::Auto | Profile::Offline) => offline_flow(book, raised, sifted, scores, config, room),
    }
}

/// What was kept of the pairs is everything: the context, after the anchored characters where nothing ties
/// them, and the first evidence.
fn paper_flow(
    book: &Book,
    raised: &Raised<'_>,
    sifted: Kept,
    scores: Vec<f64>,
    config: &QueryConfig,
    room: u32,
) -> Flow {
    let Raised { anchors, matching, .. } = raised;
    let cast = untied_cast(book, &anchors.nodes, config, room);
    let cost = |line: &Line, rest| context::profile_cost(book, line, rest);
    let lines_room = context::room_beside(&cast, room);
    let plotline = fit(sifted, lines_room, cost);
    let (told, walk) = (kept(&matching.pairs, &plotline.kept), anchor::passages_by_walk(&anchors.passages));
    let evidence = match config.layers {
        Layers::Both => evidence::by_pairs(book, &told, &scores, &walk),
        Layers::Plot => evidence::by_best_event(book, &scores),
        Layers::Apart | Layers::Char => evidence::by_anchors(book, &anchors.nodes.events, &walk),
    };
    let chunks = match config.chunks {
        Chunks::Off => Vec::new(),
        Chunks::Fill => evidence::by_pairs(book, &told, &scores, &[]),
    };
    let context = context::profiles_and_events(book, cast, &plotline.kept, &chunks, room);
    Flow { plotline, evidence, context, scores }
}

/// The plotline fills the context; matching and awakening only annotate and arrange it.
fn offline_flow(
    book: &Book,
    raised: &Raised<'_>,
    sifted: Kept,
    scores: Vec<f64>,
    config: &QueryConfig,
    room: u32,
) -> Flow {
    let Raised { anchors, .. } = raised;
    let evidence = evidence::by_best_event(book, &scores);
    let opening = context::opening(book, evidence.first(), room);
    let cast = untied_cast(book, &anchors.nodes, config, room / 2);
    let cost = |line: &Line, rest| context::told_cost(book, opening, line, rest);
    let lines_room = context::room_for_plotline(book, opening, &cast, room);
    let plotline = fit(sifted, lines_room, cost);
    let context = context::passage_and_plotline(book, opening, cast, &plotline.kept, room);
    Flow { plotline, evidence, context, scores }
}

/// Characters alone: their profiles, and as evidence the passages that the walk visits; offline these fill
/// the rest of the context.
fn characters_flow(book: &Book, anchors: &Anchors, config: &QueryConfig, room: u32) -> Flow {
    let cast = context::cast(book, &anchors.nodes.characters, room);
    let evidence = evidence::by_chunk(book, &anchor::passages_by_walk(&anchors.passages));
    let told = if config.profile == Profile::Paper { &[][..] } else { &evidence };
    let context = context::cast_and_passages(book, cast, told, room);
    let scores = score::by_chunk(book, &anchors.passages);
    Flow { plotline: Plotline::default(), evidence, context, scores }
}

/// The anchored characters, where no event is told of them; they take at most half of the room.
fn untied_cast(book: &Book, anchors: &Nodes, config: &QueryConfig, room: u32) -> Context {
    match config.layers {
        Layers::Apart => context::cast(book, &anchors.characters, room / 2),
        _ => Context::default(),
    }
}

/// The pairs that kept lines tell, in story order, an event's heaviest partner first.
pub(super) fn kept(pairs: &[Pair], lines: &[Line]) -> Vec<Pair> {
    let told: BTreeSet<_> = lines
        .iter()
        .flat_map(|line| line.characters.iter().map(|&character| (line.event, character)))
        .collect();
    let mut kept: Vec<Pair> =
        pairs.iter().filter(|pair| told.contains(&(pair.event, pair.character))).copied().collect();
    kept.sort_by_key(|pair| pair.event);
    kept
}

/// The plotline with the pairs that were too light for it and the candidate events that were matched with
/// nobody: neither has a line, so that the filter has not seen them.
pub(super) fn with_unseen(raised: &Raised<'_>, mut plotline: Plotline) -> Plotline {
    let Raised { anchors, awakened, matching } = raised;
    let dropped = |event: EventId, characters: Vec<EntityId>, reason| Dropped {
        line: Line { event, characters, linked: !anchors.nodes.has_event(event) },
        reason,
    };
    let light = matching
        .cut
        .iter()
        .map(|pair| dropped(pair.event, vec![pair.character], "not among the heaviest pairs"));
    plotline.dropped.extend(light);
    let all = plotline.dropped.iter().map(|dropped| &dropped.line).chain(&plotline.kept);
    let told: BTreeSet<EventId> = all.map(|line| line.event).collect();
    let alone = anchors.nodes.events.iter().chain(&awakened.events).filter(|node| !told.contains(&node.id));
    plotline.dropped.extend(alone.map(|node| dropped(node.id, Vec::new(), "matched with nobody")));
    plotline
}
