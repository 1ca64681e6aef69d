//! CodaRAG: cues, associative navigation, interference elimination, and the chunks of what survives
//! (arXiv 2604.10426, stages II and III; stage I, consolidation, is done when a book is indexed).
//!
//! The paper's body was not to be had: the stages and their order are the paper's, formulas and constants a
//! reconstruction (docs/departures.md), each a tunable. In the *paper* profile chunks are ordered by how much
//! of what was kept they support. In the *offline* profile, for rule-based knowledge and the built-in embedder,
//! their own words count first, and what was associated beside them.
//!
//! Ablations (`eval::ablation`) are settings of the same path: a pathway that adds nothing, a filter that is
//! off.

pub(crate) mod cue;
mod read;
mod sift;

use crate::asker::Asker;
use crate::book::Book;
use crate::config::QueryConfig;
use crate::error::Result;
use crate::knowledge::Issue;
use crate::pace::Pace;
use crate::question::Question;
use crate::retrieval::{Retrieval, Stopwatch};
use crate::stage::{Associations, associate, fuse, seed};

use cue::Asked;

/// Answers a question's retrieval with CodaRAG; `analyse` makes questions of texts, embedded as the question is.
///
/// # Errors
/// `aborted` when the caller cancels.
#[allow(clippy::too_many_arguments)] // what any method takes, and who analyses
pub async fn retrieve(
    book: &Book,
    question: &Question,
    config: &QueryConfig,
    context_tokens: u32,
    asker: Option<&Asker<'_>>,
    analyse: impl AsyncFn(&[String], &mut Vec<Issue>) -> Result<Vec<Question>>,
    pace: &Pace<'_>,
) -> Result<Retrieval> {
    let (mut watch, mut issues) = (Stopwatch::new(pace), Vec::new());
    let asked = Asked { book, question, config, asker };

    // Query-related cues, of high and of low level (II.a).
    let (cues, analysed) = cue::take(&asked, analyse, &mut issues).await?;
    watch.lap("cues").await?;
    let Some(cued) = cue::compared(book, &cues, &analysed, config) else {
        return Ok(Retrieval { issues, timings: watch.finish(), ..Retrieval::default() });
    };

    // Seeds, and what they lead to: over relations (II.b), by a walk (II.c), by their standing (II.d).
    let seeds = seed::seeds(book, &cued, config);
    watch.lap("seed").await?;
    let semantic = associate::semantic(book, &cued, &seeds, config);
    let contextualized = associate::contextualized(book, &seeds, config);
    let functional = associate::functional(cue::standing(&asked, pace).await?, &seeds, config);
    watch.lap("navigate").await?;

    // All of it made one, with the relations between (II.e).
    let pathways = [&semantic[..], &contextualized, &functional];
    let entities = fuse::entities(&seeds, pathways, config);
    let relations = fuse::relations(book, &cued, &entities);
    let raised = Associations { cues, entities, relations, eliminated: Vec::new() };
    watch.lap("fuse").await?;

    // Interference eliminated (III); what the survivors rest on is read.
    let associations = sift::sift(&asked, &cued, raised, &mut issues).await?;
    watch.lap("eliminate").await?;
    let read = read::read(&asked, &associations, context_tokens);
    watch.lap("rank").await?;
    Ok(Retrieval {
        profile: Some(config.profile),
        associations,
        evidence: read.evidence,
        context: read.context,
        scores: read.scores,
        issues,
        timings: watch.finish(),
        ..Retrieval::default()
    })
}
