//! How good a method is: F1, exact match, accuracy and recall of evidence over questions with gold.
//!
//! [`parse`] reads a question file, [`strays`] holds it to its book, [`evaluate`] asks one book its questions and scores each by itself,
//! [`summarise`] makes means and intervals of the rows of all books, [`compare`] tells two methods apart. No
//! I/O happens here; the command `plotbridge eval` holds them together.
//!
//! Invariant: what is scored is what a caller of [`Engine::ask`] gets. The clock is reported and decides
//! nothing, so all other figures are the same on every machine.

pub mod ablation;
pub mod bootstrap;
mod contender;
mod gold;
pub mod judge;
pub mod porter;
pub mod questions;
pub mod report;
pub mod rouge;
pub mod score;
mod scored;
mod strays;
mod summary;

use std::future::Future;
use std::pin::Pin;

use crate::asker::Asker;
use crate::engine::Engine;
use crate::error::{Code, Result};
use crate::llm::{ChatModel, Usage};
use crate::pace::{Host, Pace, Progress};
use crate::text::{Utf16Map, tokens};

pub use ablation::{ABLATIONS, Ablation, CODA_ABLATIONS};
use contender::Answered;
pub use contender::Contender;
use gold::Gold;
use judge::{Case, Judge};
pub use questions::{GoldQuestion, parse};
use report::{IndexTokens, Judged, Row};
use scored::Cost;
pub use strays::strays;
pub use summary::{compare, summarise};

/// Questions in a row for which an endpoint may fail before it is taken to be at fault.
const FAILURES: usize = 3;

/// Asks a book all questions in one way; `keep` gets a row for each, in order, as soon as it is sure.
///
/// With a `judge` each answer is judged before its row is sure; what that costs is entered in the contender's
/// ledger under the stage `judge`, and in no row. Options of a multiple-choice question take no part in the
/// retrieval. A question that is refused
/// (`question_invalid`) is a row with its failure, and so is one that an endpoint fails for, unless it fails
/// for three in a row: then none of the three is a row, and the call ends.
///
/// # Errors
/// `usage` for evidence outside of the text, before any question is asked, and for options out of range;
/// an endpoint's own where it is gone or fails three times in a row; `aborted` when the host cancels.
pub async fn evaluate(
    engine: &Engine,
    questions: &[GoldQuestion],
    contender: &Contender,
    judge: Option<&dyn ChatModel>,
    host: &dyn Host,
    keep: &mut dyn FnMut(Row),
) -> Result<()> {
    let book = engine.book();
    let map = Utf16Map::new(&book.index.document.text);
    let gold: Vec<Gold> =
        questions.iter().map(|question| Gold::of(book, &map, question)).collect::<Result<_>>()?;
    let (pace, quiet) = (Pace::new(host), Quiet(host));
    let models = contender.models();
    let judge = judge.map(|model| Judge::new(Asker::new(model, &models.ledger, &pace), book, models, &pace));
    let run = Run { engine, contender, judge, pace: &pace, quiet };
    pace.heeding(&models.ledger, run.all(questions, &gold, keep)).await
}

/// One way in which a book is asked all questions.
struct Run<'a> {
    engine: &'a Engine,
    contender: &'a Contender,
    judge: Option<Judge<'a>>,
    pace: &'a Pace<'a>,
    quiet: Quiet<'a>,
}

impl Run<'_> {
    async fn all(&self, questions: &[GoldQuestion], gold: &[Gold], keep: &mut dyn FnMut(Row)) -> Result<()> {
        let mut doubtful: Vec<Row> = Vec::new();
        for (done, (question, gold)) in questions.iter().zip(gold).enumerate() {
            self.pace.step("questions", done, questions.len()).await?;
            let ledger = &self.contender.models().ledger;
            let (started, before) = (self.quiet.now_ms(), ledger.usage());
            let answered = self.contender.answer(self.engine, question, &self.quiet).await;
            let cost = Cost { usage: since(before, ledger.usage()), ms: self.quiet.now_ms() - started };
            match answered {
                Ok(answered) => {
                    doubtful.drain(..).for_each(&mut *keep);
                    let judged = self.judged(question, gold, &answered).await?;
                    keep(scored::row(question, gold, &answered, &judged, cost));
                }
                Err(error) if may_be_the_questions_own(error.code()) => {
                    doubtful.push(scored::failed(question, gold, self.judge.is_some(), &error, cost));
                    if doubtful.iter().filter(|row| failed_there(row)).count() >= FAILURES {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        doubtful.drain(..).for_each(keep);
        self.pace.step("questions", questions.len(), questions.len()).await
    }

    /// What the judge says of an answer; nothing without one.
    async fn judged(
        &self,
        question: &GoldQuestion,
        gold: &Gold,
        answered: &Answered,
    ) -> Result<Judged<Option<f64>>> {
        let Some(judge) = &self.judge else { return Ok(Judged::default()) };
        let context = answered.found.as_ref().map(|found| found.context.as_str());
        judge.judge(&Case { question, answer: scored::said(answered), context, evidence: &gold.words }).await
    }
}

/// Failures that another question need not meet: it has no words or too many, its reply is empty, it takes
/// too long. A wrong key, a spent quota or a server that is gone are met by all.
fn may_be_the_questions_own(code: Code) -> bool {
    use Code::{EndpointRefused, EndpointReply, EndpointTimeout, QuestionInvalid};
    matches!(code, QuestionInvalid | EndpointReply | EndpointRefused | EndpointTimeout)
}

/// Whether a question failed at an endpoint.
fn failed_there(row: &Row) -> bool {
    row.failure.as_ref().is_some_and(|failure| failure.code != Code::QuestionInvalid.as_str())
}

/// What was spent between two looks at a ledger.
fn since(before: Usage, now: Usage) -> Usage {
    Usage {
        requests: now.requests.saturating_sub(before.requests),
        prompt: now.prompt.saturating_sub(before.prompt),
        completion: now.completion.saturating_sub(before.completion),
    }
}

/// How many tokens a book's index holds: of its text, and of what it says of it. What a model was paid for
/// making it is not in the index and not known here.
pub fn index_tokens(engine: &Engine) -> IndexTokens {
    let index = &engine.book().index;
    let (text, knowledge) = (&index.document.text, &index.knowledge);
    let entities =
        knowledge.entities.iter().map(|one| tokens(&one.name) + tokens(&one.description.line(text)));
    let triples = knowledge
        .triples
        .iter()
        .map(|one| tokens(&one.subject.text) + tokens(&one.predicate) + tokens(&one.object.text));
    let events = knowledge.events.iter().map(|one| {
        let details = one.details.as_deref().unwrap_or_else(|| one.span.of(text));
        tokens(&one.label) + tokens(details)
    });
    let clusters = knowledge
        .clusters
        .iter()
        .filter(|one| one.events.len() > 1)
        .map(|one| tokens(&one.summary.line(text)));
    IndexTokens {
        text: index.chunks.iter().map(|chunk| chunk.tokens).sum(),
        knowledge: entities.chain(triples).chain(events).chain(clusters).sum(),
    }
}

/// The beginning of a text, for a message.
fn clipped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 60 {
        line
    } else {
        format!("{}…", line.chars().take(60).collect::<String>())
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
