//! Questions in an endpoint's space, where the index has it and the embedder is the one that made it.

use super::Asking;
use crate::algo::vector::dot;
use crate::error::{Code, Result};
use crate::knowledge::Issue;
use crate::llm::{Embedder, account};
use crate::question::{Elsewhere, Question};
use crate::spaces::{PROBE, SAME};

impl Asking<'_> {
    /// Embeds questions by an endpoint, where the index has its space; whatever hinders that is an issue,
    /// but a cancel is a cancel, and a budget is kept.
    pub(super) async fn embed(
        &self,
        questions: &mut [Question],
        embedder: &dyn Embedder,
    ) -> Result<Option<Issue>> {
        let fallback = |why: String| Ok(Some(built_in(&why)));
        let name = embedder.name();
        let Some(place) = self.book.index.spaces.iter().skip(1).position(|space| space.id == name) else {
            return fallback(format!("the index has no vectors of {name:?}"));
        };
        let texts: Vec<String> = [PROBE.to_owned()]
            .into_iter()
            .chain(questions.iter().map(|question| question.text.clone()))
            .collect();
        let embedded = match account::embed(self.ledger, "question", embedder, &texts).await {
            Ok(embedded) => embedded,
            Err(error) if self.host.cancelled() || error.code() == Code::Budget => return Err(error),
            Err(error) => return fallback(error.to_string()),
        };
        let space = &self.book.index.spaces[place + 1];
        let Some((probe, vectors)) =
            embedded.vectors.split_first().filter(|_| embedded.vectors.len() == texts.len())
        else {
            return fallback(format!(
                "{name:?} gave {} vectors for {} texts",
                embedded.vectors.len(),
                texts.len()
            ));
        };
        let near = |probe: &[f32]| dot(&space.probe.row(0), probe);
        if space.probe.is_empty() || embedded.vectors.iter().any(|vector| vector.len() != space.dims) {
            return fallback(format!("{name:?} gives vectors of another width than it gave the index"));
        }
        if near(probe) < SAME {
            return fallback(format!("{name:?} is not the embedder of that name that made the index"));
        }
        for (question, vector) in questions.iter_mut().zip(vectors) {
            question.elsewhere = Some(Elsewhere { space: place + 1, vector: vector.clone() });
        }
        Ok(None)
    }
}

pub(super) fn built_in(why: &str) -> Issue {
    Issue::new("embedding_fallback", format!("The question was compared in the built-in space: {why}."))
}
