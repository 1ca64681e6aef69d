//! Coverage: the share of a model answer's facts that the answer tells.
//!
//! The judge lists the facts of the model answer (of its first 3,000 characters) and marks each as told by the
//! answer (its first 3,000 characters) or not; the mean of the marks is the measure. A model answer without a
//! fact has no coverage, and counts in no mean (GraphRAG-Bench).

use super::{Judge, first, share};
use crate::error::Result;
use crate::eval::questions::GoldQuestion;
use crate::prompts::{COVERED, GOLD_FACTS};

/// Characters that are read of each text.
const READ: usize = 3_000;

impl Judge<'_> {
    /// The coverage of `reference` by `answer`.
    pub(super) async fn coverage(
        &self,
        question: &GoldQuestion,
        answer: &str,
        reference: &str,
    ) -> Result<Option<f64>> {
        let facts = self.statements(&GOLD_FACTS, question, first(reference, READ)).await?;
        let Some(facts) = facts else { return Ok(None) };
        let told = self.supported(&COVERED, first(answer, READ), "The answer", &facts).await?;
        Ok(told.and_then(|told| share(&told)))
    }
}
