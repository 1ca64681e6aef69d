//! HippoRAG 2: facts that the question is about restart a walk over the character graph, and the chunks
//! that it visits most are the passages.
//!
//! The method `hippo` is the whole of it; PonsRAG takes its query anchors from the same walk.

use crate::asker::Asker;
use crate::book::Book;
use crate::config::{QueryConfig, Recognition};
use crate::error::Result;
use crate::knowledge::Issue;
use crate::pace::Pace;
use crate::question::Question;
use crate::retrieval::{Retrieval, Stopwatch};
use crate::stage::evidence::{self, PASSAGES};
use crate::stage::{Candidate, Nodes, Recognised, Walk, anchor, context, recognise, score, walk};

/// Which facts the question is about, and where they lead.
///
/// # Errors
/// `aborted` when the caller cancels.
pub async fn associate(
    book: &Book,
    question: &Question,
    config: &QueryConfig,
    asker: Option<&Asker<'_>>,
    issues: &mut Vec<Issue>,
    pace: &Pace<'_>,
) -> Result<(Recognised, Walk)> {
    let Some((space, vector)) = question.space(book) else { return Ok(Default::default()) };
    let mut facts = recognise::candidates(book, space, vector, config);
    let by = recognised(book, question, &mut facts, config, asker, issues).await?;
    let named = if by == "rule" { &question.names[..] } else { &[] };
    let edges = book.walk(space, config.synonyms, pace).await?;
    let walk = walk::walk(book, (space, vector), &edges, &facts, named, config);
    Ok((Recognised { facts, by }, walk))
}

/// Keeps facts as configured; who decided.
async fn recognised(
    book: &Book,
    question: &Question,
    facts: &mut [Candidate],
    config: &QueryConfig,
    asker: Option<&Asker<'_>>,
    issues: &mut Vec<Issue>,
) -> Result<&'static str> {
    let chat = match config.recognition {
        Recognition::Off => return Ok("off"),
        Recognition::Rule | Recognition::Auto => None,
        Recognition::Chat => asker,
    };
    if config.recognition == Recognition::Chat && asker.is_none() {
        let message = "recognition by a chat model needs one; the rule decided";
        issues.push(Issue::new("needs_chat_model", message));
    }
    if let Some(asker) = chat.filter(|_| !facts.is_empty()) {
        let request = recognise::request(book, question, facts);
        let read = |reply: &str| recognise::read(book, reply, facts);
        if let Some(kept) = asker.decide("recognition", &request, read, issues).await? {
            recognise::keep(facts, &kept);
            return Ok("chat");
        }
    }
    recognise::by_rule(book, question, facts);
    Ok("rule")
}

/// Ranks the chunks by the walk and fills the context with them.
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
    let mut watch = Stopwatch::new(pace);
    let mut issues = Vec::new();
    let (recognised, walk) = associate(book, question, config, asker, &mut issues, pace).await?;
    watch.lap("walk").await?;
    let mut ranked = anchor::passages_by_walk(&walk.passages);
    ranked.truncate(PASSAGES);
    let evidence = evidence::by_chunk(book, &ranked);
    let context = context::passages(book, &evidence, context_tokens);
    watch.lap("rank").await?;
    Ok(Retrieval {
        anchors: Nodes { characters: anchor::characters(&walk, config), events: Vec::new() },
        recognised,
        evidence,
        context,
        scores: score::by_chunk(book, &walk.passages),
        issues,
        timings: watch.finish(),
        ..Retrieval::default()
    })
}
