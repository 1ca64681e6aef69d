//! How good a method is: F1, exact match, accuracy and recall of evidence over questions with gold.
//!
//! [`parse`] reads a question file, [`evaluate`] asks one book its questions and scores each by itself,
//! [`summarise`] makes means and intervals of the rows of all books, [`compare`] tells two methods apart. No
//! I/O happens here; the command `plotbridge eval` holds them together.
//!
//! Invariant: what is scored is what a caller of [`Engine::ask`] gets. The clock is reported and decides
//! nothing, so all other figures are the same on every machine.

pub mod ablation;
pub mod bootstrap;
mod contender;
mod gold;
pub mod questions;
pub mod report;
pub mod score;
mod scored;
mod summary;

use std::future::Future;
use std::pin::Pin;

use crate::engine::Engine;
use crate::error::{Code, Result};
use crate::llm::Usage;
use crate::pace::{Host, Pace, Progress};
use crate::text::{Utf16Map, tokens};

pub use ablation::{ABLATIONS, Ablation};
pub use contender::Contender;
use gold::Gold;
pub use questions::{GoldQuestion, parse};
use report::{IndexTokens, Row};
use scored::Cost;
pub use summary::{compare, summarise};

/// Questions in a row for which an endpoint may fail before it is taken to be at fault.
const FAILURES: usize = 3;

/// Asks a book all questions in one way; `keep` gets a row for each, in order, as soon as it is sure.
///
/// Options of a multiple-choice question take no part in the retrieval. A question that is refused
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
    host: &dyn Host,
    keep: &mut dyn FnMut(Row),
) -> Result<()> {
    let book = engine.book();
    let map = Utf16Map::new(&book.index.document.text);
    let gold: Vec<Gold> =
        questions.iter().map(|question| Gold::of(book, &map, question)).collect::<Result<_>>()?;
    let (pace, quiet) = (Pace::new(host), Quiet(host));
    let asking = all(engine, questions, &gold, contender, &pace, &quiet, keep);
    pace.heeding(&contender.models().ledger, asking).await
}

async fn all(
    engine: &Engine,
    questions: &[GoldQuestion],
    gold: &[Gold],
    contender: &Contender,
    pace: &Pace<'_>,
    quiet: &Quiet<'_>,
    keep: &mut dyn FnMut(Row),
) -> Result<()> {
    let mut doubtful: Vec<Row> = Vec::new();
    for (done, (question, gold)) in questions.iter().zip(gold).enumerate() {
        pace.step("questions", done, questions.len()).await?;
        let (started, before) = (quiet.now_ms(), contender.models().ledger.usage());
        let answered = contender.answer(engine, question, quiet).await;
        let usage = since(before, contender.models().ledger.usage());
        let cost = Cost { usage, ms: quiet.now_ms() - started };
        match answered {
            Ok(answered) => {
                doubtful.drain(..).for_each(&mut *keep);
                keep(scored::row(question, gold, &answered, cost));
            }
            Err(error) if may_be_the_questions_own(error.code()) => {
                doubtful.push(scored::failed(question, gold, &error, cost));
                if doubtful.iter().filter(|row| failed_there(row)).count() >= FAILURES {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
    }
    doubtful.drain(..).for_each(keep);
    pace.step("questions", questions.len(), questions.len()).await
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
