//! The answer by rule: the book's own best sentence, and the option that it supports best.

use super::{Asking, Found, Said, no_choice};
use crate::describe;
use crate::error::Result;
use crate::knowledge::Issue;
use crate::question::Question;
use crate::report::Heard;
use crate::stage::answer::{self, NOT_FOUND};

impl Asking<'_> {
    /// The answer by rule: the best sentence with its place, the option best supported.
    pub(super) async fn quote(&self, found: &Found) -> Result<Said> {
        let Found { question, retrieval, .. } = found;
        let mut said = Said::default();
        if self.options.steps > 1 && self.options.models.chat.is_none() {
            let message = "more than one step needs a chat model; one was run";
            said.issues.push(Issue::new("needs_chat_model", message));
        }
        let candidate = answer::best_sentence(self.book, question, &retrieval.scores, &self.options.config);
        said.text = NOT_FOUND.to_owned();
        if let Some(candidate) = candidate {
            said.text = self.book.text(candidate.span).split_whitespace().collect::<Vec<_>>().join(" ");
            said.citations = vec![describe::citation(self.book, &self.places, candidate.span)];
            said.confidence = Some(candidate.confidence);
        }
        if !self.options.choices.is_empty() {
            match self.best_choice(found).await? {
                Some((choice, confidence)) => {
                    (said.choice, said.confidence) = (Some(choice), Some(confidence));
                }
                None => said.issues.push(no_choice("no option is better supported than the others")),
            }
        }
        self.host.tell(Heard::Text(&said.text));
        Ok(said)
    }

    async fn best_choice(&self, found: &Found) -> Result<Option<(String, f64)>> {
        let choices = &self.options.choices;
        let mut options = Vec::with_capacity(choices.len());
        for choice in choices {
            options.push(Question::new(self.book, choice, self.pace).await?);
        }
        let best = answer::best_choice(self.book, &found.question, &options, &found.retrieval.scores);
        Ok(best.and_then(|best| choices.get(best.option).map(|choice| (choice.clone(), best.confidence))))
    }
}
