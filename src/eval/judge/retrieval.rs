//! What was retrieved, judged: evidence recall and context relevance.
//!
//! Evidence recall is the share of the question's marked pieces of evidence that can be attributed to the
//! context (its first 20,000 characters). Context relevance is the mean of two ratings of 0, 1 or 2, asked for in
//! two ways and halved (its first 7,000 characters). An empty context has 0 of both (GraphRAG-Bench).

use super::{Judge, first, share};
use crate::error::Result;
use crate::llm::reply::judged;
use crate::prompts::{ATTRIBUTED, RELEVANCE, RELEVANCE_AGAIN};

/// Characters of the context that are searched for evidence.
const SEARCHED: usize = 20_000;
/// Characters of the context that are rated.
const RATED: usize = 7_000;
/// The best rating.
const BEST: usize = 2;

impl Judge<'_> {
    /// The share of `evidence` that `context` holds; none without any.
    pub(super) async fn evidence_recall(&self, evidence: &[String], context: &str) -> Result<Option<f64>> {
        let held = self.supported(&ATTRIBUTED, first(context, SEARCHED), "The text", evidence).await?;
        Ok(held.and_then(|held| share(&held)))
    }

    /// How well `context` serves `question`; none where one of the two ratings cannot be read.
    pub(super) async fn context_relevance(&self, question: &str, context: &str) -> Result<Option<f64>> {
        if context.trim().is_empty() {
            return Ok(Some(0.0));
        }
        let mut sum = 0;
        for task in [RELEVANCE, RELEVANCE_AGAIN] {
            let request = task.request(first(context, RATED), &format!("Question: {question}"));
            match self.ask(&request, |reply| judged::rating(reply, BEST)).await? {
                Some(rating) => sum += rating,
                None => return Ok(None),
            }
        }
        Ok(Some(sum as f64 / (2 * BEST) as f64))
    }
}
