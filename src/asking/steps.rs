//! A question worked out in steps: retrieve, think, retrieve with the thought (IRCoT; systems 1.9).
//!
//! The first step asks with the question. Each further one has the chat model write its next thought from all
//! that was found so far, and asks the same method with that; a thought that says "So the answer is:" ends the
//! steps, and so does one that was said before. What the steps find is joined by best score. Each step may fill
//! the one token limit by itself; of all together the context takes what each wants most, in turn, until it is
//! full, so that steps that end early leave nothing empty.

use std::collections::BTreeSet;

use super::join::{join, read_together};
use super::{Asking, Step};
use crate::asker::Asker;
use crate::config::QueryConfig;
use crate::error::Result;
use crate::knowledge::Issue;
use crate::question::Question;
use crate::retrieval::Retrieval;
use crate::stage::think::{self, Thought};
use crate::stage::{Passage, context};

impl Asking<'_> {
    /// What all steps found, and the steps.
    pub(super) async fn step_by_step(
        &self,
        question: &Question,
        config: &QueryConfig,
        asker: &Asker<'_>,
        issues: &mut Vec<Issue>,
    ) -> Result<(Retrieval, Vec<Step>)> {
        let (most, limit) = (self.options.steps, self.options.context_tokens);
        let mut found = self.retrieve_by(question, config, limit, Some(asker)).await?;
        let mut steps = vec![step(Thought::default(), &question.text, &[], &found)];
        let mut wanted = vec![context::wanted(&found.context, &found.scores)];
        let mut thoughts: Vec<String> = Vec::new();
        for number in 2..=most {
            let request = think::request(&found.context.text, &question.text, &thoughts);
            let Some(thought) = asker.decide("thought", &request, think::read, issues).await? else { break };
            if thought.last || thoughts.contains(&thought.text) {
                steps.push(Step { thought: thought.text, ..Step::default() });
                break;
            }
            let query = self.question(&thought.text, issues).await?;
            let next = self.retrieve_by(&query, config, limit, Some(asker)).await?;
            thoughts.push(thought.text.clone());
            let told = step(thought, &query.text, &steps, &next);
            steps.push(told);
            wanted.push(context::wanted(&next.context, &next.scores));
            found = read_together(self.book, join(found, next), &wanted, limit);
            self.pace.report("steps", number as usize, most as usize, Some(asker.tokens()), None).await?;
        }
        Ok((found, steps))
    }
}

/// A step with the passages that it found first.
fn step(thought: Thought, query: &str, before: &[Step], found: &Retrieval) -> Step {
    let known: BTreeSet<_> = before.iter().flat_map(|step| &step.passages).map(|known| known.chunk).collect();
    let new = |passage: &&Passage| !known.contains(&passage.chunk);
    Step {
        thought: thought.text,
        query: query.to_owned(),
        passages: found.evidence.iter().filter(new).copied().collect(),
        context_tokens: found.context.tokens,
    }
}
