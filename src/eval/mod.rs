//! How good a method is: F1, exact match, accuracy and recall of evidence over questions with gold.
//!
//! [`parse`] reads a question file, [`evaluate`] asks one book its questions and scores each by itself,
//! [`summarise`] makes means and intervals of the rows of all books. No I/O happens here; the command
//! `plotbridge eval` holds the three together.
//!
//! Invariant: what is scored is what a caller of [`Engine::ask`] gets. The clock is reported and decides
//! nothing, so all other figures are the same on every machine.

pub mod ablation;
pub mod bootstrap;
pub mod questions;
pub mod report;
pub mod score;

use std::future::Future;
use std::pin::Pin;

use crate::engine::Engine;
use crate::error::{Code, Error, Result};
use crate::options::AskOptions;
use crate::pace::{Host, Pace, Progress};
use crate::report::Answer;
use crate::stage::answer::NOT_FOUND;
use crate::text::{Utf16Map, tokens};

pub use ablation::{ABLATIONS, Ablation};
pub use questions::{GoldQuestion, parse};
use report::{AtPassages, AtTokens, Failure, MethodScores, Row, Scores};

/// Asks a book all questions with one method; one row for each, in order.
///
/// Options of a multiple-choice question take no part in the retrieval. A question that is refused
/// (`question_invalid`) is a row with its failure.
///
/// # Errors
/// `usage` for evidence outside of the text, before any question is asked, and for options out of range;
/// `aborted` when the host cancels.
pub async fn evaluate(
    engine: &Engine,
    questions: &[GoldQuestion],
    options: &AskOptions,
    host: &dyn Host,
) -> Result<Vec<Row>> {
    let map = Utf16Map::new(&engine.book().index.document.text);
    let gold = questions.iter().map(|question| spans(&map, question)).collect::<Result<Vec<_>>>()?;
    let (pace, quiet) = (Pace::new(host), Quiet(host));
    let asking = all(engine, questions, &gold, options, &pace, &quiet);
    pace.heeding(&options.models.ledger, asking).await
}

async fn all(
    engine: &Engine,
    questions: &[GoldQuestion],
    gold: &[Vec<(u32, u32)>],
    options: &AskOptions,
    pace: &Pace<'_>,
    quiet: &Quiet<'_>,
) -> Result<Vec<Row>> {
    let mut rows = Vec::with_capacity(questions.len());
    for (done, (question, gold)) in questions.iter().zip(gold).enumerate() {
        pace.step("questions", done, questions.len()).await?;
        let options = AskOptions { choices: question.choices.clone(), ..options.clone() };
        let started = quiet.now_ms();
        rows.push(match engine.ask(&question.question, &options, quiet).await {
            Ok(answer) => row(question, gold, &answer, quiet.now_ms() - started),
            Err(error) if error.code() == Code::QuestionInvalid => failed(question, gold, &error),
            Err(error) => return Err(error),
        });
    }
    pace.step("questions", questions.len(), questions.len()).await?;
    Ok(rows)
}

/// The gold spans of a question in UTF-16 units.
fn spans(map: &Utf16Map, question: &GoldQuestion) -> Result<Vec<(u32, u32)>> {
    let unit = |point| map.code_points_to_byte(point).map(|byte| map.to_utf16(byte));
    let span = |span: &questions::GoldSpan| {
        unit(span.start).zip(unit(span.end)).ok_or_else(|| {
            let (id, length) = (&question.id, map.to_code_points(u32::MAX));
            let questions::GoldSpan { start, end } = span;
            let message = format!(
                "the evidence of question {id:?}, {start} to {end}, is not in the text of {length} characters"
            );
            Error::new(Code::Usage, message)
        })
    };
    question.evidence.iter().map(span).collect()
}

fn row(question: &GoldQuestion, gold: &[(u32, u32)], answer: &Answer, ms: f64) -> Row {
    let evidence = &answer.trace.evidence;
    let passages: Vec<(u32, u32)> = evidence.iter().map(|passage| (passage.start, passage.end)).collect();
    let sizes: Vec<u32> = evidence.iter().map(|passage| tokens(&passage.text)).collect();
    let recall = |k: usize| score::recall(gold, passages.iter().take(k));
    // The sentence that nothing was found is a refusal, which the scorer takes as empty.
    let said = if answer.text == NOT_FOUND { "" } else { &answer.text };
    let (f1, em) = score::best(said, &question.answers).unzip();
    let right = question.right.and_then(|right| question.choices.get(right as usize));
    Row {
        id: question.id.clone(),
        scores: Scores {
            f1,
            em,
            acc: right.map(|right| if answer.choice.as_ref() == Some(right) { 1.0 } else { 0.0 }),
            recall_at: AtPassages { one: recall(1), five: recall(5), ten: recall(10), twenty: recall(20) },
            recall_at_tokens: AtTokens {
                few: recall(score::fitting(&sizes, 1200)),
                many: recall(score::fitting(&sizes, 6000)),
            },
        },
        passage_tokens: bootstrap::mean(&sizes.iter().map(|&size| f64::from(size)).collect::<Vec<_>>()),
        context_tokens: Some(f64::from(answer.trace.context_tokens)),
        ms: Some(ms),
        failure: None,
    }
}

/// Zero in everything that the question has gold for.
fn failed(question: &GoldQuestion, gold: &[(u32, u32)], error: &Error) -> Row {
    let answered = (!question.answers.is_empty()).then_some(0.0);
    let found = (!gold.is_empty()).then_some(0.0);
    Row {
        id: question.id.clone(),
        scores: Scores {
            f1: answered,
            em: answered,
            acc: question.right.map(|_| 0.0),
            recall_at: AtPassages { one: found, five: found, ten: found, twenty: found },
            recall_at_tokens: AtTokens { few: found, many: found },
        },
        failure: Some(Failure {
            id: question.id.clone(),
            code: error.code().as_str().to_owned(),
            message: error.to_string(),
        }),
        ..Row::default()
    }
}

/// A method's means over rows of one or several books, each with its interval.
pub fn summarise(rows: &[Row]) -> MethodScores {
    let of = |pick: fn(&Row) -> Option<f64>| rows.iter().filter_map(pick).collect::<Vec<f64>>();
    let failed: Vec<Failure> = rows.iter().filter_map(|row| row.failure.clone()).collect();
    let times = of(|row| row.ms);
    MethodScores {
        means: each(rows, bootstrap::mean),
        passage_tokens_mean: bootstrap::mean(&of(|row| row.passage_tokens)),
        context_tokens_mean: bootstrap::mean(&of(|row| row.context_tokens)),
        ms_p50: bootstrap::percentile(&times, 0.5),
        ms_p95: bootstrap::percentile(&times, 0.95),
        failures: failed.len() as u32,
        failed,
        intervals: each(rows, bootstrap::interval),
        counted: each(rows, |values| values.len() as u32),
    }
}

/// What `make` gives of each measure's values, over the rows that have it.
fn each<T>(rows: &[Row], make: impl Fn(&[f64]) -> T) -> Scores<T> {
    let of = |pick: fn(&Scores<Option<f64>>) -> Option<f64>| {
        make(&rows.iter().filter_map(|row| pick(&row.scores)).collect::<Vec<_>>())
    };
    Scores {
        f1: of(|scores| scores.f1),
        em: of(|scores| scores.em),
        acc: of(|scores| scores.acc),
        recall_at: AtPassages {
            one: of(|scores| scores.recall_at.one),
            five: of(|scores| scores.recall_at.five),
            ten: of(|scores| scores.recall_at.ten),
            twenty: of(|scores| scores.recall_at.twenty),
        },
        recall_at_tokens: AtTokens {
            few: of(|scores| scores.recall_at_tokens.few),
            many: of(|scores| scores.recall_at_tokens.many),
        },
    }
}

/// A host for one question of many, whose stages nobody needs to hear of.
struct Quiet<'a>(&'a dyn Host);

impl Host for Quiet<'_> {
    fn now_ms(&self) -> f64 {
        self.0.now_ms()
    }
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
    fn progress(&self, _progress: Progress) {}
    fn pause(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        self.0.pause()
    }
}
