//! A chat model as judge: the measures of GraphRAG-Bench that no rule can take.
//!
//! The benchmark (GraphRAG-Bench/GraphRAG-Benchmark, MIT; formulas from its description, systems 6.3) judges an
//! answer against a model answer (`correctness`, `coverage`) and against the context it was given
//! (`faithfulness`), and the context against the question and its marked evidence (`retrieval`). Each measure has
//! its file; the prompts are our own, one for each judgement, under prompts/judge. What is judged (answers,
//! contexts, evidence) is quoted to the judge between lines that it cannot hold, as a book's text is.
//!
//! Invariant: a judgement that cannot be read is no zero. Its measure is missing for that question, and the share
//! of such judgements is a figure of its own.

mod correctness;
mod coverage;
mod faithfulness;
mod retrieval;

use std::cell::Cell;

use super::questions::GoldQuestion;
use super::report::Judged;
use super::rouge;
use crate::asker::{Asked, Asker};
use crate::book::Book;
use crate::error::{Code, Result};
use crate::llm::reply::judged;
use crate::llm::{ChatRequest, Models};
use crate::pace::Pace;
use crate::prompts::{STATEMENTS, Task, fenced};

pub use correctness::{correctness, factual};

/// The stage that judging is entered under.
const STAGE: &str = "judge";

/// Refusals in a row after which it is the judge that refuses, not a text that it will not read.
const REFUSALS: u32 = 3;

/// The types of question of GraphRAG-Bench.
pub const TYPES: [&str; 4] =
    ["Fact Retrieval", "Complex Reasoning", "Contextual Summarize", "Creative Generation"];

/// An answer to be judged, with all that it is judged by.
pub(super) struct Case<'a> {
    pub(super) question: &'a GoldQuestion,
    /// What was answered; empty where it was that nothing was found.
    pub(super) answer: &'a str,
    /// What was found for it; none where nothing was looked for.
    pub(super) context: Option<&'a str>,
    /// The marked evidence, in words.
    pub(super) evidence: &'a [String],
}

/// What a question is judged by: everything, or what the benchmark takes for its type.
struct Wanted {
    correctness: bool,
    coverage: bool,
    faithfulness: bool,
}

impl Wanted {
    fn of(question: &GoldQuestion) -> Self {
        let place =
            question.question_type.as_deref().and_then(|named| TYPES.iter().position(|it| *it == named));
        let from = |first: usize| place.is_none_or(|place| place >= first);
        Self { correctness: true, coverage: from(2), faithfulness: from(3) }
    }
}

/// A judge, and how many of its judgements could be read.
pub(super) struct Judge<'a> {
    asker: Asker<'a>,
    book: &'a Book,
    models: &'a Models,
    pace: &'a Pace<'a>,
    asked: Cell<u32>,
    unread: Cell<u32>,
    refused: Cell<u32>,
}

impl<'a> Judge<'a> {
    /// Nothing judged yet. `asker` asks the judge, `models` holds the embedder of the questions.
    pub(super) fn new(asker: Asker<'a>, book: &'a Book, models: &'a Models, pace: &'a Pace<'a>) -> Self {
        let zero = || Cell::new(0);
        Self { asker, book, models, pace, asked: zero(), unread: zero(), refused: zero() }
    }

    /// Everything that the question's gold, its context and its type allow.
    ///
    /// # Errors
    /// The judge's own where it is gone or refuses three times in a row; `budget`; `aborted`.
    pub(super) async fn judge(&self, case: &Case<'_>) -> Result<Judged<Option<f64>>> {
        self.asked.set(0);
        self.unread.set(0);
        let wanted = Wanted::of(case.question);
        let mut judged = Judged::default();
        let reference = rouge::nearest(case.answer, &case.question.answers).map(|(reference, _)| reference);
        let reference = reference.filter(|_| wanted.correctness);
        let context = case.context.filter(|_| wanted.faithfulness);
        let answer = match (reference, context) {
            (None, None) => None,
            _ => self.statements(&STATEMENTS, case.question, case.answer).await?,
        };
        if let Some(reference) = reference {
            judged.similarity = self.similarity(case.answer, reference).await?;
            if let Some(answer) = &answer {
                judged.factual = self.factual(case.question, answer, reference).await?;
            }
            judged.correctness = judged.factual.zip(judged.similarity).map(|(f1, sem)| correctness(f1, sem));
            if wanted.coverage {
                judged.coverage = self.coverage(case.question, case.answer, reference).await?;
            }
        }
        if let (Some(context), Some(answer)) = (context, &answer) {
            judged.faithfulness = self.faithfulness(answer, context).await?;
        }
        if let Some(context) = case.context {
            judged.evidence_recall = self.evidence_recall(case.evidence, context).await?;
            judged.context_relevance = self.context_relevance(&case.question.question, context).await?;
        }
        let asked = f64::from(self.asked.get());
        judged.unread = (asked > 0.0).then(|| f64::from(self.unread.get()) / asked);
        Ok(judged)
    }

    /// One judgement; none where it cannot be read after a second try, or is refused.
    async fn ask<T>(
        &self,
        request: &ChatRequest,
        read: impl Fn(&str) -> std::result::Result<T, String>,
    ) -> Result<Option<T>> {
        self.asked.set(self.asked.get() + 1);
        let read = match self.asker.ask(STAGE, request, read).await {
            Ok(Asked::Read(read) | Asked::Part(read)) => Some(read),
            Ok(Asked::Skipped(_)) => None,
            // A text that is too long, or that a filter holds back, need not be the next one's fate.
            Err(error) if error.code() == Code::EndpointRefused && self.refused.get() + 1 < REFUSALS => {
                self.refused.set(self.refused.get() + 1);
                self.unread.set(self.unread.get() + 1);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        self.refused.set(0);
        self.unread.set(self.unread.get() + u32::from(read.is_none()));
        Ok(read)
    }

    /// A text taken apart; of an empty one there is nothing to ask.
    async fn statements(
        &self,
        task: &Task,
        question: &GoldQuestion,
        text: &str,
    ) -> Result<Option<Vec<String>>> {
        if text.trim().is_empty() {
            return Ok(Some(Vec::new()));
        }
        let request = task.request(text, &format!("Question: {}", question.question));
        self.ask(&request, judged::statements).await
    }

    /// Which of some statements a text bears out: none asked for none, and nothing is borne out by no text.
    async fn supported(
        &self,
        task: &Task,
        text: &str,
        named: &str,
        list: &[String],
    ) -> Result<Option<Vec<bool>>> {
        if list.is_empty() || text.trim().is_empty() {
            return Ok(Some(vec![false; list.len()]));
        }
        let content = format!("{named}:\n{}\n\nThe list:\n{}", fenced(text), fenced(&numbered(list, 1)));
        self.ask(&task.bare(&content), |reply| judged::verdicts(reply, list.len())).await
    }
}

/// A numbered list, a line for each.
fn numbered(list: &[String], first: usize) -> String {
    let line = |(number, one): (usize, &String)| {
        format!("{number}. {}", one.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    (first..).zip(list).map(line).collect::<Vec<_>>().join("\n")
}

/// The first so many characters of a text.
fn first(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// The share that is true; none of no verdict.
fn share(verdicts: &[bool]) -> Option<f64> {
    let yes = verdicts.iter().filter(|verdict| **verdict).count();
    (!verdicts.is_empty()).then(|| yes as f64 / verdicts.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_the_measures_of_the_benchmark() {
        let of = |named: Option<&str>| {
            let question =
                GoldQuestion { question_type: named.map(str::to_owned), ..GoldQuestion::default() };
            let wanted = Wanted::of(&question);
            (wanted.correctness, wanted.coverage, wanted.faithfulness)
        };
        assert_eq!(
            TYPES.map(|named| of(Some(named))),
            [(true, false, false), (true, false, false), (true, true, false), (true, true, true)]
        );
        assert_eq!((of(None), of(Some("riddle"))), ((true, true, true), (true, true, true)));
    }

    #[test]
    fn a_text_is_cut_between_characters_and_a_list_keeps_its_lines() {
        assert_eq!((first("Ødegård", 3), first("Ød", 3), first("", 3)), ("Øde", "Ød", ""));
        let list = ["It\nrained.\n9. No.".to_owned(), "Ada".to_owned()];
        assert_eq!(numbered(&list, 4), "4. It rained. 9. No.\n5. Ada");
        assert_eq!((share(&[true, false]), share(&[])), (Some(0.5), None));
    }
}
