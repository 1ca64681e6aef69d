//! Faithfulness: the share of an answer's statements that can be inferred from its context.
//!
//! The statements are those that answer correctness takes the answer apart into; the judge reads the first
//! 10,000 characters of the context. An answer that states nothing has no faithfulness (GraphRAG-Bench, after
//! RAGAS).

use super::{Judge, first, share};
use crate::error::Result;
use crate::prompts::FAITHFUL;

/// Characters that are read of the context.
const READ: usize = 10_000;

impl Judge<'_> {
    /// How much of `answer`, taken apart, rests on `context`.
    pub(super) async fn faithfulness(&self, answer: &[String], context: &str) -> Result<Option<f64>> {
        let borne_out = self.supported(&FAITHFUL, first(context, READ), "The text", answer).await?;
        Ok(borne_out.and_then(|borne_out| share(&borne_out)))
    }
}
