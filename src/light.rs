//! LightRAG, the baseline of graphs (Guo and others, "LightRAG: simple and fast retrieval-augmented
//! generation", 2024; its constants as HKUDS/LightRAG has them), on the index that the other methods use.
//!
//! Its mode `mix` without a reranker: low-level keywords hit entities and high-level ones relations, 40 of
//! each above a cosine of 0.2; the relations of the entities and the ends of the relations follow, one hop;
//! entities are cut at 6,000 tokens and relations at 8,000 of a context of 30,000 (of a smaller one at the
//! same shares). Chunks are those nearest to the question, those behind the entities and those behind the
//! relations in turn, 20 in all.
//!
//! Departures: the keywords are the cues of [`coda`](crate::coda), so that the two differ in what follows; and
//! offline the least cosine is a share of the book's, as there.

use crate::algo::vector::top_k;
use crate::asker::Asker;
use crate::book::Book;
use crate::coda::cue::{self, Asked};
use crate::config::QueryConfig;
use crate::error::Result;
use crate::knowledge::{ChunkId, Issue};
use crate::pace::Pace;
use crate::question::Question;
use crate::retrieval::{Retrieval, Stopwatch};
use crate::stage::evidence::{self, PASSAGES};
use crate::stage::hop::{self, Found};
use crate::stage::{Associations, context, score, seed};

/// Answers a question's retrieval with LightRAG; `analyse` makes questions of texts, embedded as the question is.
///
/// # Errors
/// `aborted` when the caller cancels.
#[allow(clippy::too_many_arguments)] // as `coda`
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
    let (cues, analysed) = cue::take(&Asked { book, question, config, asker }, analyse, &mut issues).await?;
    watch.lap("cues").await?;
    let Some(cued) = cue::compared(book, &cues, &analysed, config) else {
        return Ok(Retrieval { issues, timings: watch.finish(), ..Retrieval::default() });
    };

    // Local and global search, and the chunks behind what they find.
    let hits = seed::hits(&cued, config);
    watch.lap("seed").await?;
    let found = within(book, hop::both(book, &hits), config);
    let nearest = question.space(book).map_or(Vec::new(), |(space, vector)| space.chunks.dots(vector));
    let nearest: Vec<ChunkId> = top_k(&nearest, PASSAGES).into_iter().map(ChunkId::new).collect();
    let [of_entities, of_relations] = hop::chunks(book, &found);
    let ranked = hop::in_turn(&[&nearest, &of_entities, &of_relations]);
    let (evidence, scores) = evidence::in_order(book, &ranked);
    let rooms = context::rooms(config, context_tokens);
    let context =
        context::associations(book, &found.entities, &found.relations, &evidence, rooms, context_tokens);
    watch.lap("rank").await?;
    Ok(Retrieval {
        profile: Some(config.profile),
        associations: Associations { cues, ..hop::told(&found, &hits) },
        evidence,
        context,
        scores: score::by_chunk(book, &scores),
        issues,
        timings: watch.finish(),
        ..Retrieval::default()
    })
}

/// What is within the tokens of its kind.
fn within(book: &Book, mut found: Found, config: &QueryConfig) -> Found {
    let entities: Vec<String> = found.entities.iter().map(|&id| context::profile(book, id)).collect();
    let relations: Vec<String> = found.relations.iter().map(|&id| context::relation(book, id)).collect();
    found.entities.truncate(context::within(&entities, config.entity_tokens as u32));
    found.relations.truncate(context::within(&relations, config.relation_tokens as u32));
    found
}
