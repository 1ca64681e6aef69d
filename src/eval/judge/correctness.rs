//! Answer correctness: 0.75 of an F1 over facts and 0.25 of the likeness of the whole texts.
//!
//! Both answers are taken apart into statements. A statement of the answer that the model answer bears out is a
//! true positive, another one a false positive; a statement of the model answer that the answer does not tell is
//! a false negative. With e = 1e-10:
//!
//! ```text
//! P = TP / (TP + FP + e)    R = TP / (TP + FN + e)    F1 = 2PR / (P + R + e)
//! sem = (cos(answer, model answer) + 1) / 2           ACC = 0.75 F1 + 0.25 sem
//! ```
//!
//! Two answers that state nothing agree: F1 is 1 (GraphRAG-Bench, after RAGAS). The benchmark's cosine is of
//! BGE-large; ours is of the embedder that the questions are embedded by, so ACC compares runs of one embedder.

use super::{Judge, STAGE, numbered};
use crate::algo::vector::dot;
use crate::error::{Code, Result};
use crate::eval::questions::GoldQuestion;
use crate::llm::account;
use crate::llm::reply::judged;
use crate::prompts::{CORRECTNESS, STATEMENTS, fenced};

const TINY: f64 = 1e-10;

/// F1 over facts of true positives, false positives and false negatives.
pub fn factual(hits: usize, wrong: usize, missing: usize) -> f64 {
    if hits + wrong + missing == 0 {
        return 1.0;
    }
    let [hits, wrong, missing] = [hits, wrong, missing].map(|count| count as f64);
    let (precision, recall) = (hits / (hits + wrong + TINY), hits / (hits + missing + TINY));
    2.0 * precision * recall / (precision + recall + TINY)
}

/// Answer correctness of an F1 over facts and a likeness.
pub fn correctness(factual: f64, similarity: f64) -> f64 {
    0.75 * factual + 0.25 * similarity
}

impl Judge<'_> {
    /// F1 over facts: `answer` is the answer taken apart.
    pub(super) async fn factual(
        &self,
        question: &GoldQuestion,
        answer: &[String],
        reference: &str,
    ) -> Result<Option<f64>> {
        let Some(gold) = self.statements(&STATEMENTS, question, reference).await? else { return Ok(None) };
        if answer.is_empty() || gold.is_empty() {
            return Ok(Some(factual(0, answer.len(), gold.len())));
        }
        let content = format!(
            "The answer's statements:\n{}\n\nThe model answer's statements:\n{}\n\nQuestion: {}",
            fenced(&numbered(answer, 1)),
            fenced(&numbered(&gold, answer.len() + 1)),
            question.question
        );
        let count = answer.len() + gold.len();
        let verdicts = self.ask(&CORRECTNESS.bare(&content), |reply| judged::verdicts(reply, count)).await?;
        Ok(verdicts.map(|verdicts| {
            let (ours, theirs) = verdicts.split_at(answer.len().min(verdicts.len()));
            let hits = ours.iter().filter(|hit| **hit).count();
            factual(hits, ours.len() - hits, theirs.iter().filter(|told| !**told).count())
        }))
    }

    /// `(cos + 1) / 2` in the space that questions of this book are embedded in; 0 where either says nothing.
    /// None where the endpoint fails for these texts.
    pub(super) async fn similarity(&self, answer: &str, reference: &str) -> Result<Option<f64>> {
        if answer.trim().is_empty() || reference.trim().is_empty() {
            return Ok(Some(0.0));
        }
        let spaces = self.book.index.spaces.iter().skip(1);
        let endpoint = self.models.embed.as_deref();
        let endpoint = endpoint.filter(|embed| spaces.clone().any(|space| space.id == embed.name()));
        let vectors = match endpoint {
            None => {
                let embedder = self.book.embedder(self.pace).await?;
                [answer, reference].map(|text| embedder.embed(&self.book.lexicon, text)).into()
            }
            Some(endpoint) => {
                let texts = [answer.to_owned(), reference.to_owned()];
                match account::embed(&self.models.ledger, STAGE, endpoint, &texts).await {
                    Ok(embedded) => embedded.vectors,
                    Err(error) if error.code() == Code::VectorInvalid => return Ok(None),
                    Err(error) => return Err(error),
                }
            }
        };
        let [a, b] = &vectors[..] else { return Ok(None) };
        let nothing = |vector: &[f32]| vector.iter().all(|number| *number == 0.0);
        // A text without a word that the space knows has no direction.
        if nothing(a) || nothing(b) || a.len() != b.len() {
            return Ok(Some(0.0));
        }
        Ok(Some((f64::from(dot(a, b)).clamp(-1.0, 1.0) + 1.0) / 2.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_are_the_benchmarks() {
        for (hits, wrong, missing, expected) in [
            (2, 0, 0, 1.0),
            (1, 1, 1, 0.5),
            (3, 1, 0, 6.0 / 7.0),
            (0, 2, 2, 0.0),
            (0, 0, 3, 0.0),
            (0, 0, 0, 1.0),
        ] {
            let found = factual(hits, wrong, missing);
            assert!((found - expected).abs() < 1e-9, "{hits} {wrong} {missing}: {found}");
        }
        assert!((correctness(0.5, 0.9) - 0.6).abs() < 1e-12);
    }
}
