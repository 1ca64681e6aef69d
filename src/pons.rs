//! PonsRAG: anchor, awaken, match, filter (paper section 4), in its two profiles.
//!
//! Both run the same stages on the same graphs. In the *paper* profile the matched pairs are the
//! context. In the *offline* profile, for rule-based knowledge and the built-in embedder, events fill
//! the context by their own scores, and awakening and matching annotate and arrange them; why, with
//! figures, stands in docs/departures.md.
//!
//! The paper's ablations (`eval::ablation`) are settings of the same path: a layer that takes no part has
//! no anchors, and layers that are not tied have no edges, so that nothing is awakened or matched.

mod sift;

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::asker::Asker;
use crate::book::Book;
use crate::config::{Chunks, Edges, Layers, Profile, QueryConfig};
use crate::error::Result;
use crate::graph::{PonsLayer, Weighting};
use crate::hippo;
use crate::pace::Pace;
use crate::question::Question;
use crate::retrieval::{Retrieval, Stopwatch};
use crate::stage::anchor::{self, Anchors};
use crate::stage::context::{self, Context};
use crate::stage::filter::{Kept, fit};
use crate::stage::{Dropped, Line, Matching, Nodes, Pair, Passage, Plotline};
use crate::stage::{arrange, awaken, evidence, pair, score};

use sift::{Asked, sift};

/// Answers a question's retrieval with PonsRAG.
///
/// # Errors
/// `aborted` when the caller cancels.
pub async fn retrieve(
    book: &Book,
    question: &Question,
    config: &QueryConfig,
    context_tokens: u32,
    asker: Option<&Asker<'_>>,
    pace: &Pace<'_>,
) -> Result<Retrieval> {
    let (mut watch, mut issues) = (Stopwatch::new(pace), Vec::new());
    let scores = score::multi_granularity(book, question, config);
    watch.lap("score").await?;
    // Without the character layer no fact leads anywhere.
    let of_facts = asker.filter(|_| config.layers != Layers::Plot);
    let (recognised, walk) = hippo::associate(book, question, config, of_facts, &mut issues, pace).await?;
    let anchors = anchor::anchor(walk, &scores, config).of(config.layers);
    watch.lap("anchor").await?;
    let layer = pons_layer(book, question, config, pace).await?;
    let layer = layer.as_deref().unwrap_or(&book.mentioned);
    let awakened = awaken::awaken(book, layer, &anchors.nodes, &scores, config, pace).await?;
    watch.lap("awaken").await?;
    let matching = pair::pair(layer, &anchors.nodes, &awakened, config, pace).await?;
    watch.lap("match").await?;
    let raised = Raised { question, anchors: &anchors, awakened: &awakened, matching: &matching };
    let lines = lines(book, &raised, &scores, config);
    let asked = Asked { book, question, config, asker };
    let (sifted, filter) = sift(&asked, lines, &anchors.nodes, &scores, &mut issues).await?;
    let flow = match (config.layers, config.profile) {
        (Layers::Char, _) => characters_flow(book, &anchors, config, context_tokens),
        (_, Profile::Paper) => paper_flow(book, &raised, sifted, scores, config, context_tokens),
        (_, Profile::Auto | Profile::Offline) => {
            offline_flow(book, &raised, sifted, scores, config, context_tokens)
        }
    };
    watch.lap("filter").await?;
    Ok(Retrieval {
        recognised,
        profile: Some(config.profile),
        mode: Some(config.matching),
        pairs: kept(&matching.pairs, &flow.plotline.kept),
        plotline: with_cut(&anchors.nodes, &matching, flow.plotline),
        anchors: anchors.nodes,
        awakened,
        matching,
        evidence: flow.evidence,
        context: flow.context,
        scores: flow.scores,
        filter,
        issues,
        timings: watch.finish(),
    })
}

/// The pons layer that the configuration asks for; none for the one by mention, which the book has. The
/// cosine layer at the index's own tau is kept: for a long novel it takes longer than all the rest.
async fn pons_layer(
    book: &Book,
    question: &Question,
    config: &QueryConfig,
    pace: &Pace<'_>,
) -> Result<Option<Rc<PonsLayer>>> {
    if config.layers != Layers::Both {
        return Ok(Some(Rc::new(PonsLayer::none(&book.index))));
    }
    let weighting = match config.edges {
        Edges::Auto if config.profile != Profile::Paper => None,
        Edges::Auto | Edges::Cosine => Some(Weighting::Inverse),
        Edges::Semantic => Some(Weighting::Semantic),
        Edges::Mention => None,
    };
    let Some(((space, _), weighting)) = question.space(book).zip(weighting) else { return Ok(None) };
    let own = config.tau < 0.0 || config.tau == space.tau;
    let key = (space.id.clone(), weighting);
    if let Some(layer) = book.similar.borrow().get(&key).filter(|_| own) {
        return Ok(Some(Rc::clone(layer)));
    }
    let tau = if own { space.tau } else { config.tau };
    let layer = Rc::new(PonsLayer::by_cosine(&book.index, space, tau, weighting, pace).await?);
    if own {
        // Another call may have been first; both layers are the same.
        book.similar.borrow_mut().insert(key, Rc::clone(&layer));
    }
    Ok(Some(layer))
}

/// What the question has raised, and how it is tied.
struct Raised<'a> {
    question: &'a Question,
    anchors: &'a Anchors,
    awakened: &'a Nodes,
    matching: &'a Matching,
}

/// What follows from it: the plotline, and what is read.
struct Flow {
    plotline: Plotline,
    evidence: Vec<Passage>,
    context: Context,
    /// What an answer by rule starts from.
    scores: Vec<f64>,
}

/// What may stand in the plotline, most wanted first: in the paper profile the pairs, or without edges the
/// anchored events by themselves; in the offline profile every event.
fn lines(book: &Book, raised: &Raised<'_>, scores: &[f64], config: &QueryConfig) -> Vec<Line> {
    let Raised { question, anchors, awakened, matching } = raised;
    let pairs = (config.layers == Layers::Both).then_some(&matching.pairs[..]);
    match (config.layers, config.profile, pairs) {
        (Layers::Char, ..) => Vec::new(),
        (_, Profile::Paper, Some(pairs)) => arrange::pairs(pairs, &anchors.nodes, scores),
        (_, Profile::Paper, None) => arrange::anchored(&anchors.nodes, scores),
        (_, Profile::Auto | Profile::Offline, pairs) => {
            arrange::events(book, question, &anchors.nodes, awakened, pairs, scores)
        }
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
fn kept(pairs: &[Pair], lines: &[Line]) -> Vec<Pair> {
    let told: BTreeSet<_> = lines
        .iter()
        .flat_map(|line| line.characters.iter().map(|&character| (line.event, character)))
        .collect();
    let mut kept: Vec<Pair> =
        pairs.iter().filter(|pair| told.contains(&(pair.event, pair.character))).copied().collect();
    kept.sort_by_key(|pair| pair.event);
    kept
}

/// The plotline with the pairs that were too light for it, which the filter has not seen.
fn with_cut(anchors: &Nodes, matching: &Matching, mut plotline: Plotline) -> Plotline {
    let dropped = |pair: &Pair| Dropped {
        line: Line {
            event: pair.event,
            characters: vec![pair.character],
            linked: !anchors.has_event(pair.event),
        },
        reason: "not among the heaviest pairs",
    };
    plotline.dropped.extend(matching.cut.iter().map(dropped));
    plotline
}
