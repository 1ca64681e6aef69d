//! The baselines: chunks by vectors alone, and chunks by words alone.
//!
//! `dense` is plain RAG, the cosine of the question with each chunk. `bm25` is fixed (k1 1.2, b 0.75,
//! lower case, Snowball English, stop words, over the index's chunks), so that it stays an honest floor.

use crate::algo::bm25::{Units, score as bm25_score};
use crate::algo::vector::top_k;
use crate::book::Book;
use crate::error::Result;
use crate::knowledge::ChunkId;
use crate::pace::Pace;
use crate::question::Question;
use crate::retrieval::{Retrieval, Stopwatch};
use crate::stage::evidence::{self, PASSAGES};
use crate::stage::{Scored, context, score};

/// Which baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// By vectors.
    Dense,
    /// By words.
    Bm25,
}

/// Ranks the chunks by one score and fills the context with them.
///
/// # Errors
/// `aborted` when the caller cancels.
pub async fn retrieve(
    book: &Book,
    question: &Question,
    baseline: Baseline,
    context_tokens: u32,
    pace: &Pace<'_>,
) -> Result<Retrieval> {
    let mut watch = Stopwatch::new(pace);
    let scores = match baseline {
        Baseline::Dense => {
            question.space(book).map_or(Vec::new(), |(space, vector)| space.chunks.dots(vector))
        }
        Baseline::Bm25 => {
            let plain = book.plain(pace).await?;
            let terms = plain.lexicon.known_terms(&question.text);
            let positions: Vec<&[u32]> = terms.iter().map(|&term| plain.lexicon.positions(term)).collect();
            bm25_score(&positions, &Units { ranges: &plain.ranges, extra: &[] })
        }
    };
    let ranked: Vec<Scored<ChunkId>> = top_k(&scores, PASSAGES)
        .into_iter()
        .map(|chunk| Scored { id: ChunkId::new(chunk), score: scores[chunk] })
        .collect();
    let evidence = evidence::by_chunk(book, &ranked);
    let context = context::passages(book, &evidence, context_tokens);
    watch.lap("rank").await?;
    Ok(Retrieval {
        evidence,
        context,
        // The answer rests on the baseline's own ranking.
        scores: score::by_chunk(book, &scores),
        timings: watch.finish(),
        ..Retrieval::default()
    })
}
