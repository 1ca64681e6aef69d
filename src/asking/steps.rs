//! A question worked out in steps: retrieve, think, retrieve with the thought (IRCoT; systems 1.9).
//!
//! The first step asks with the question. Each further one has the chat model write its next thought from all
//! that was found so far, and asks the same method with that; a thought that says "So the answer is:" ends the
//! steps, and so does one that was said before. What the steps find is joined by best score. All contexts
//! together keep to the one token limit: each step may take half of what is left of it, the last one the rest.

use super::join::join;
use super::{Asking, Step};
use crate::asker::Asker;
use crate::config::QueryConfig;
use crate::error::Result;
use crate::knowledge::Issue;
use crate::question::Question;
use crate::retrieval::Retrieval;
use crate::stage::Passage;
use crate::stage::think::{self, Thought};

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
        let mut found = self.retrieve_by(question, config, limit / 2, Some(asker)).await?;
        let mut steps = vec![step(Thought::default(), &question.text, &[], &found)];
        let mut rest = limit.saturating_sub(found.context.tokens);
        let mut thoughts: Vec<String> = Vec::new();
        for number in 2..=most {
            let request = think::request(&found.context.text, &question.text, &thoughts);
            let Some(thought) = asker.decide("thought", &request, think::read, issues).await? else { break };
            if thought.last || thoughts.contains(&thought.text) {
                steps.push(Step { thought: thought.text, ..Step::default() });
                break;
            }
            let query = self.question(&thought.text, issues).await?;
            let room = if number == most { rest } else { rest / 2 };
            let next = self.retrieve_by(&query, config, room, Some(asker)).await?;
            rest = rest.saturating_sub(next.context.tokens);
            thoughts.push(thought.text.clone());
            steps.push(step(thought, &query.text, &found.evidence, &next));
            found = join(found, next, config.matching, limit);
            self.pace.report("steps", number as usize, most as usize, Some(asker.tokens()), None).await?;
        }
        Ok((found, steps))
    }
}

/// A step with the passages that it found first.
fn step(thought: Thought, query: &str, before: &[Passage], found: &Retrieval) -> Step {
    let new = |passage: &&Passage| before.iter().all(|known| known.chunk != passage.chunk);
    Step {
        thought: thought.text,
        query: query.to_owned(),
        passages: found.evidence.iter().filter(new).copied().collect(),
        context_tokens: found.context.tokens,
    }
}
