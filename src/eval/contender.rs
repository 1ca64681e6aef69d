//! Who answers the questions: a method over the book, or a chat model without it.
//!
//! The closed book shows what a model knows of a book already, or guesses from the question: what a method
//! adds is what it has over this.

use super::GoldQuestion;
use crate::engine::Engine;
use crate::error::{Code, Error, Result};
use crate::llm::thinking::strip;
use crate::llm::{Finish, Models, account};
use crate::options::AskOptions;
use crate::pace::Host;
use crate::stage::{generate, option};
use crate::text::tokens;

/// Who is scored.
// There is one at a time.
#[allow(clippy::large_enum_variant)]
#[derive(Clone)]
pub enum Contender {
    /// A question's whole way through a method; its choices are the question's.
    Method(AskOptions),
    /// The chat model alone: the question and its choices, nothing of the book.
    ClosedBook(Models),
}

/// What is scored of an answer.
#[derive(Default)]
pub(super) struct Answered {
    pub(super) text: String,
    pub(super) choice: Option<String>,
    /// None where nothing was retrieved.
    pub(super) found: Option<Found>,
    pub(super) issues: Vec<String>,
    /// What the question was taken to ask for, and by whom.
    pub(super) kind: Option<[String; 2]>,
    /// Whether a chat model wrote it.
    pub(super) written: bool,
}

/// What was retrieved.
pub(super) struct Found {
    /// Best first, in UTF-16 units.
    pub(super) passages: Vec<(u32, u32)>,
    /// Tokens of each.
    pub(super) sizes: Vec<u32>,
    /// What a generator is given.
    pub(super) context: String,
    pub(super) context_tokens: u32,
}

impl Contender {
    pub(super) async fn answer(
        &self,
        engine: &Engine,
        question: &GoldQuestion,
        host: &dyn Host,
    ) -> Result<Answered> {
        match self {
            Self::Method(options) => by_method(engine, question, options, host).await,
            Self::ClosedBook(models) => closed_book(models, question).await,
        }
    }

    /// The models it asks, and what they cost.
    pub(super) fn models(&self) -> &Models {
        match self {
            Self::Method(options) => &options.models,
            Self::ClosedBook(models) => models,
        }
    }
}

async fn by_method(
    engine: &Engine,
    question: &GoldQuestion,
    options: &AskOptions,
    host: &dyn Host,
) -> Result<Answered> {
    let options = AskOptions { choices: question.choices.clone(), ..options.clone() };
    let answer = engine.ask(&question.question, &options, host).await?;
    let evidence = &answer.trace.evidence;
    Ok(Answered {
        found: Some(Found {
            passages: evidence.iter().map(|passage| (passage.start, passage.end)).collect(),
            sizes: evidence.iter().map(|passage| tokens(&passage.text)).collect(),
            context_tokens: answer.trace.context_tokens,
            context: answer.trace.context,
        }),
        text: answer.text,
        choice: answer.choice,
        kind: Some([answer.trace.query_type.kind, answer.trace.query_type.by]),
        issues: answer.issues.into_iter().map(|issue| issue.code).collect(),
        written: options.models.chat.is_some(),
    })
}

async fn closed_book(models: &Models, question: &GoldQuestion) -> Result<Answered> {
    let chat = models.chat.as_deref();
    let chat = chat.ok_or_else(|| Error::new(Code::Usage, "the closed book needs a chat model"))?;
    let request = generate::without_the_book(&question.question, &question.choices);
    let reply = account::chat(&models.ledger, "closed_book", chat, &request, &|_| ()).await?;
    let text = generate::read(&strip(&reply.text)).answer;
    let choice = option::chosen(&text, &question.choices);
    let issue = match reply.finish {
        Finish::Filter => Some("answer_withheld"),
        _ if text.is_empty() => Some("answer_unreadable"),
        _ => None,
    };
    Ok(Answered {
        choice: choice.and_then(|place| question.choices.get(place).cloned()),
        text,
        issues: issue.into_iter().map(str::to_owned).collect(),
        written: true,
        kind: None,
        found: None,
    })
}
