//! PonsRAG: query anchor, pons awaken, pons match, flow filter (paper section 4), in its two profiles.
//!
//! Both run the same stages on the same graphs. In the *paper* profile the matched pairs are the
//! context. In the *offline* profile, for rule-based knowledge and the built-in embedder, events fill
//! the context by their own scores, and awakening and matching annotate them (`flow`); why, with figures,
//! stands in docs/departures.md.
//!
//! The paper's ablations (`eval::ablation`) are settings of the same path: a layer that takes no part has
//! no anchors, and layers that are not tied have no edges, so that nothing is awakened or matched.

mod flow;
mod layer;
mod sift;

use crate::asker::Asker;
use crate::book::Book;
use crate::config::QueryConfig;
use crate::error::Result;
use crate::hippo;
use crate::pace::Pace;
use crate::question::Question;
use crate::retrieval::{Retrieval, Stopwatch};
use crate::stage::{anchor, awaken, pair, score};

use flow::Raised;
use sift::{Asked, sift};

/// Answers a question's retrieval with PonsRAG.
///
/// # Arguments
/// - `config`: with nothing left to *auto* or unset, as [`Engine`](crate::Engine) settles it.
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

    // Query anchor (eq. 5, 6): the events nearest to the question, the characters that its facts lead to.
    let scores = score::multi_granularity(book, question, config);
    watch.lap("score").await?;
    let (recognised, walk) = hippo::associate(book, question, config, asker, &mut issues, pace).await?;
    let anchors = anchor::anchor(walk, &scores, config).of(config.layers);
    watch.lap("anchor").await?;

    // Pons awaken (eq. 7, 8): what the anchors reach over the pons layer.
    let layer = layer::pons_layer(book, question, config, pace).await?;
    let layer = layer.as_deref().unwrap_or(&book.mentioned);
    let awakened = awaken::awaken(book, layer, &anchors.nodes, &scores, config, pace).await?;
    watch.lap("awaken").await?;

    // Pons match (eq. 9): which of the characters goes with which of the events.
    let matching = pair::pair(layer, &anchors.nodes, &awakened, config, pace).await?;
    watch.lap("match").await?;

    // Flow filter (appendix G): what serves the question, in story order, and what is read of it.
    let raised = Raised { anchors: &anchors, awakened: &awakened, matching: &matching };
    let config = &flow::tied(&raised, config, &mut issues);
    let lines = flow::lines(book, &raised, &scores, config);
    let asked = Asked { book, question, config, asker };
    let (sifted, filter) = sift(&asked, lines, &anchors.nodes, &scores, &mut issues).await?;
    let read = flow::read(book, &raised, sifted, scores, config, context_tokens);
    watch.lap("filter").await?;
    Ok(Retrieval {
        recognised,
        profile: Some(config.profile),
        mode: Some(config.matching),
        pairs: flow::kept(&matching.pairs, &read.plotline.kept),
        plotline: flow::with_unseen(&raised, read.plotline),
        anchors: anchors.nodes,
        awakened,
        matching,
        associations: Default::default(),
        evidence: read.evidence,
        context: read.context,
        scores: read.scores,
        filter,
        issues,
        timings: watch.finish(),
    })
}
