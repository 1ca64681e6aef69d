//! PonsRAG: anchor, awaken, match, filter (paper section 4), in its two profiles.
//!
//! Both run the same stages on the same graphs. In the *paper* profile the matched pairs are the
//! context. In the *offline* profile, for rule-based knowledge and the built-in embedder, events fill
//! the context by their own scores, and awakening and matching annotate and arrange them; why, with
//! figures, stands in docs/departures.md.

use std::rc::Rc;

use crate::asker::Asker;
use crate::book::Book;
use crate::config::{Edges, Profile, QueryConfig};
use crate::error::Result;
use crate::graph::PonsLayer;
use crate::knowledge::{EntityId, EntityKind, EventId};
use crate::pace::Pace;
use crate::question::{Direction, Question};
use crate::retrieval::{Retrieval, Stopwatch};
use crate::stage::anchor::{self, Anchors};
use crate::stage::context::{self, Context};
use crate::stage::evidence;
use crate::stage::filter::{by_score, filter};
use crate::stage::{Line, Nodes, Pair, Passage, Plotline, awaken, pair, score};

/// Offline, the best this many anchors come before the first linked event.
const UNLINKED: usize = 12;
/// Offline, then every sixth place may hold a linked event.
const LINKED_EVERY: usize = 6;
/// Neighbours in time are taken of this many best events.
const NEIGHBOURS_OF: usize = 5;

/// Answers a question's retrieval with PonsRAG.
///
/// # Errors
/// `aborted` when the caller cancels.
pub async fn retrieve(
    book: &Book,
    question: &Question,
    config: &QueryConfig,
    context_tokens: u32,
    _asker: Option<&Asker<'_>>,
    pace: &Pace<'_>,
) -> Result<Retrieval> {
    let mut watch = Stopwatch::new(pace);
    let scores = score::multi_granularity(book, question, config);
    watch.lap("score").await?;
    let anchors = anchor::anchor(book, question, &scores, config);
    watch.lap("anchor").await?;
    let cosine_layer = by_cosine(book, question, config, pace).await?;
    let layer = cosine_layer.as_deref().unwrap_or(&book.mentioned);
    let awakened = awaken::awaken(book, layer, &anchors.nodes, &scores, config, pace).await?;
    watch.lap("awaken").await?;
    let pairs = pair::pair(layer, &anchors.nodes, &awakened, config);
    watch.lap("match").await?;

    let flow = match config.profile {
        Profile::Paper => paper_flow(book, &anchors, &pairs, &scores, context_tokens),
        Profile::Auto | Profile::Offline => {
            let lines = offline_lines(book, question, &anchors.nodes, &awakened, &pairs, &scores);
            offline_flow(book, lines, &anchors.nodes, &scores, context_tokens)
        }
    };
    watch.lap("filter").await?;
    let kept =
        pairs.into_iter().filter(|pair| flow.plotline.kept.iter().any(|line| line.event == pair.event));
    let mut pairs: Vec<Pair> = kept.collect();
    pairs.sort_by_key(|pair| pair.event);
    Ok(Retrieval {
        anchors: anchors.nodes,
        awakened,
        pairs,
        plotline: flow.plotline,
        evidence: flow.evidence,
        context: flow.context,
        scores,
        issues: Vec::new(),
        timings: watch.finish(),
    })
}

/// The cosine layer where the configuration asks for it. The one at the index's own tau is kept: for a
/// long novel it takes longer than all the rest.
async fn by_cosine(
    book: &Book,
    question: &Question,
    config: &QueryConfig,
    pace: &Pace<'_>,
) -> Result<Option<Rc<PonsLayer>>> {
    let wanted = match config.edges {
        Edges::Auto => config.profile == Profile::Paper,
        Edges::Cosine => true,
        Edges::Mention => false,
    };
    let Some((space, _)) = question.space(book).filter(|_| wanted) else { return Ok(None) };
    let own = config.tau < 0.0 || config.tau == space.tau;
    if let Some(layer) = book.similar.borrow().get(&space.id).filter(|_| own) {
        return Ok(Some(Rc::clone(layer)));
    }
    let tau = if own { space.tau } else { config.tau };
    let layer = Rc::new(PonsLayer::by_cosine(&book.index, space, tau, pace).await?);
    if own {
        // Another call may have been first; both layers are the same.
        book.similar.borrow_mut().insert(space.id.clone(), Rc::clone(&layer));
    }
    Ok(Some(layer))
}

struct Flow {
    plotline: Plotline,
    evidence: Vec<Passage>,
    context: Context,
}

/// The pairs are everything: they are filtered, and they are the context and the first evidence.
fn paper_flow(book: &Book, anchors: &Anchors, pairs: &[Pair], scores: &[f64], room: u32) -> Flow {
    let line = |pair: &Pair| Line {
        event: pair.event,
        character: Some(pair.character),
        linked: !anchors.nodes.has_event(pair.event),
    };
    let lines = by_score(pairs.iter().map(line).collect(), scores);
    let cost = |line: &Line, rest| context::profile_cost(book, line, rest);
    let plotline = filter(lines, &anchors.nodes, scores, room, cost);
    let kept: Vec<Pair> = pairs
        .iter()
        .filter(|pair| plotline.kept.iter().any(|line| line.event == pair.event))
        .copied()
        .collect();
    let evidence = evidence::by_pairs(book, &kept, scores, &anchor::passages_by_walk(anchors));
    let context = context::profiles_and_events(book, &plotline.kept, room);
    Flow { plotline, evidence, context }
}

/// Events in the order they should fill the context: all by score, each with its character; after the
/// first twelve, linked ones at every sixth place; neighbours in time right behind their event.
fn offline_lines(
    book: &Book,
    question: &Question,
    anchors: &Nodes,
    awakened: &Nodes,
    pairs: &[Pair],
    scores: &[f64],
) -> Vec<Line> {
    let line = |event: EventId, linked: bool| Line { event, character: partner(book, pairs, event), linked };
    let ranked = by_score((0..scores.len()).map(|event| line(EventId::new(event), false)).collect(), scores);
    let mut linked = awakened.events.iter().map(|node| line(node.id, true));
    let mut lines: Vec<Line> = Vec::with_capacity(ranked.len());
    let mut taken = vec![false; scores.len()];
    let mut take = |lines: &mut Vec<Line>, line: Line| {
        if !std::mem::replace(&mut taken[line.event.index()], true) {
            lines.push(line);
        }
    };
    for (place, next) in ranked.into_iter().enumerate() {
        take(&mut lines, next);
        if place < NEIGHBOURS_OF
            && let Some(direction) = question.direction
        {
            let (before, after) = book.scales.neighbours(next.event.index());
            let neighbour = if direction == Direction::Forward { after } else { before };
            if let Some(event) = neighbour {
                take(&mut lines, line(EventId::new(event), !anchors.has_event(EventId::new(event))));
            }
        }
        if lines.len() >= UNLINKED
            && lines.len().is_multiple_of(LINKED_EVERY)
            && let Some(link) = linked.next()
        {
            take(&mut lines, link);
        }
    }
    lines
}

/// The plotline fills the context; matching and awakening only annotated and arranged it.
fn offline_flow(book: &Book, lines: Vec<Line>, anchors: &Nodes, scores: &[f64], room: u32) -> Flow {
    let evidence = evidence::by_best_event(book, scores);
    let opening = context::opening(book, evidence.first(), room);
    let cost = |line: &Line, rest| context::told_cost(book, opening, line, rest);
    let lines_room = context::room_for_plotline(book, opening, room);
    let plotline = filter(lines, anchors, scores, lines_room, cost);
    let context = context::passage_and_plotline(book, opening, &plotline.kept, room);
    Flow { plotline, evidence, context }
}

/// The character an event is told of: its matched partner, else the first person it names, else the
/// first place or thing.
fn partner(book: &Book, pairs: &[Pair], event: EventId) -> Option<EntityId> {
    let matched = pairs.iter().find(|pair| pair.event == event).map(|pair| pair.character);
    let named = book.index.knowledge.events.get(event.index()).map_or(&[][..], |told| &told.participants);
    let person = |id: &&EntityId| {
        let entity = book.index.knowledge.entities.get(id.index());
        entity.is_some_and(|entity| matches!(entity.kind, EntityKind::Person | EntityKind::Group))
    };
    matched.or_else(|| named.iter().find(person).or(named.first()).copied())
}
