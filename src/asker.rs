//! One question to a chat model, and what to do with a reply that cannot be used.
//!
//! The order is always the same: the tolerant reader, then one more try that shows the model its reply and
//! the fault, then the part is skipped and said so. A reply that a content filter withheld is skipped at
//! once. A server that fails costs the part it failed for; one that fails several times in a row, or is busy
//! for longer than a request waits, ends the call. While a book is read that is [`Asker::ask`] for prose and
//! [`Asker::list`] for records, of which a reply that was cut off holds only some; the stages of a question
//! [`Asker::decide`], where a rule stands in for whatever the model does not do.
//!
//! Invariant: every request that was answered is in the [`Ledger`], under the stage that sent it.

use std::cell::Cell;

use crate::error::{Code, Error, Result};
use crate::knowledge::Issue;
use crate::llm::account;
use crate::llm::ledger::Ledger;
use crate::llm::reply;
use crate::llm::thinking::strip;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Finish};
use crate::pace::Pace;
use crate::prompts::again;

/// Failures in a row after which the endpoint is taken to be gone.
const FAILURES: u32 = 3;

/// What came of a question.
pub enum Asked<T> {
    /// What was read.
    Read(T),
    /// What stood before the cut of a reply that no second one made good.
    Part(T),
    /// Why there is nothing.
    Skipped(Skip),
}

/// Why a part was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skip {
    /// A content filter withheld the reply.
    Withheld,
    /// Neither the reply nor the second one could be read.
    Unreadable(String),
    /// The server failed.
    Failed(String),
    /// The reply was cut off: of the part, what stood before the cut is there.
    Cut,
}

impl Skip {
    /// The code of the issue that tells it.
    pub fn code(&self) -> &'static str {
        match self {
            Skip::Withheld => "reply_withheld",
            Skip::Unreadable(_) => "reply_unreadable",
            Skip::Failed(_) => "reply_failed",
            Skip::Cut => "reply_cut",
        }
    }

    /// Why, as the end of a sentence.
    pub fn why(&self) -> &str {
        match self {
            Skip::Withheld => "the endpoint's content filter withheld its reply",
            Skip::Unreadable(why) | Skip::Failed(why) => why,
            Skip::Cut => "its reply was cut off, and only what stood before the cut is kept",
        }
    }
}

/// Why a reply is not taken as it is.
struct Lack<T> {
    /// What to tell the model of it.
    fault: String,
    /// What of it can be used all the same, and how many records that are.
    part: Option<(usize, T)>,
}

/// A chat model with the count of what it cost and how it fares.
pub struct Asker<'a> {
    model: &'a dyn ChatModel,
    ledger: &'a Ledger,
    pace: &'a Pace<'a>,
    failures: Cell<u32>,
    /// Whether the endpoint failed by more than an empty reply.
    failing: Cell<bool>,
}

impl<'a> Asker<'a> {
    /// Nothing asked yet; what is asked is counted in `ledger`.
    pub fn new(model: &'a dyn ChatModel, ledger: &'a Ledger, pace: &'a Pace<'a>) -> Self {
        Self { model, ledger, pace, failures: Cell::new(0), failing: Cell::new(false) }
    }

    /// The tokens of the whole call so far.
    pub fn tokens(&self) -> u64 {
        self.ledger.tokens()
    }

    /// Asks, reads the reply with `read`, and asks once more where that fails; `read` says what is wrong.
    ///
    /// # Errors
    /// The endpoint's own where it is gone, refuses or wants another key; `aborted` when the caller cancels.
    pub async fn ask<T>(
        &self,
        stage: &'static str,
        request: &ChatRequest,
        read: impl Fn(&str) -> std::result::Result<T, String>,
    ) -> Result<Asked<T>> {
        let read = |reply: &ChatReply| read(&reply.text).map_err(|fault| Lack { fault, part: None });
        self.twice(stage, request, read).await
    }

    /// The same for a list of records: what a reply holds is taken for all there is only where it was not cut
    /// off.
    ///
    /// # Errors
    /// As [`Asker::ask`].
    pub async fn list<T>(
        &self,
        stage: &'static str,
        request: &ChatRequest,
        read: impl Fn(&str) -> std::result::Result<reply::Read<T>, reply::Fault>,
    ) -> Result<Asked<Vec<T>>> {
        let whole = |reply: &ChatReply| {
            let read =
                read(&reply.text).map_err(|fault| Lack { fault: fault.sentence().to_owned(), part: None })?;
            if reply.finish == Finish::Stop || !read.cut {
                return Ok(read.items);
            }
            let count = read.items.len();
            let fault = format!(
                "your reply was cut off after {count} records; write all of them again, each much shorter"
            );
            Err(Lack { fault, part: Some((count, read.items)) })
        };
        self.twice(stage, request, whole).await
    }

    /// Asks, and once more where the reply lacks something; of two that do, the fuller one counts.
    async fn twice<T>(
        &self,
        stage: &'static str,
        request: &ChatRequest,
        read: impl Fn(&ChatReply) -> std::result::Result<T, Lack<T>>,
    ) -> Result<Asked<T>> {
        let first = match self.complete(stage, request).await? {
            Ok(reply) => reply,
            Err(skip) => return Ok(Asked::Skipped(skip)),
        };
        let lack = match (read(&first), first.finish) {
            (Ok(read), _) => return Ok(Asked::Read(read)),
            (Err(lack), Finish::Filter) => return Ok(rest(lack.part, Skip::Withheld)),
            (Err(lack), _) => lack,
        };
        let second = self.complete(stage, &again(request, &first.text, &lack.fault)).await;
        // What is kept or was never sent is no second request.
        if sent(&second) {
            self.ledger.again(stage, self.model.name());
        }
        let second = match second? {
            Ok(reply) => reply,
            Err(skip) => return Ok(rest(lack.part, skip)),
        };
        Ok(match read(&second) {
            Ok(read) => Asked::Read(read),
            Err(Lack { fault, part }) => {
                let fuller = [lack.part, part].into_iter().flatten().max_by_key(|(count, _)| *count);
                rest(fuller, Skip::Unreadable(fault))
            }
        })
    }

    /// Asks for a decision of a question's stage. None where the stage's rule has to decide: the model gave
    /// nothing to go by, which is told as an issue, or it failed at an earlier decision of this call.
    ///
    /// # Errors
    /// `aborted` when the caller cancels, and what is no failure of the endpoint.
    pub async fn decide<T>(
        &self,
        stage: &'static str,
        request: &ChatRequest,
        read: impl Fn(&str) -> std::result::Result<T, String>,
        issues: &mut Vec<Issue>,
    ) -> Result<Option<T>> {
        // An endpoint that fails is waited for once, not at every stage.
        if self.failing.get() {
            return Ok(None);
        }
        self.pace.report(stage, 0, 1, Some(self.tokens()), None).await?;
        let skip = match self.ask(stage, request, read).await {
            Ok(Asked::Read(read) | Asked::Part(read)) => return Ok(Some(read)),
            Ok(Asked::Skipped(skip)) => skip,
            Err(error) if error.code().of_endpoint() => Skip::Failed(error.to_string()),
            Err(error) => return Err(error),
        };
        // Whatever a cancelled request came back with, the cancel comes first.
        self.pace.report(stage, 0, 1, Some(self.tokens()), None).await?;
        let message = format!("The chat model did not decide at the stage {stage}: {}.", skip.why());
        issues.push(Issue::new(skip.code(), message));
        Ok(None)
    }

    /// Sends one request and gives the reply as it is; `heard` gets it piece by piece.
    ///
    /// # Errors
    /// The model's own.
    pub async fn hear(
        &self,
        stage: &'static str,
        request: &ChatRequest,
        heard: &dyn Fn(&str),
    ) -> Result<ChatReply> {
        account::chat(self.ledger, stage, self.model, request, heard).await
    }

    /// One request; the inner error is for this part alone.
    async fn complete(
        &self,
        stage: &'static str,
        request: &ChatRequest,
    ) -> Result<std::result::Result<ChatReply, Skip>> {
        match self.hear(stage, request, &|_| ()).await {
            Ok(mut reply) => {
                // Whether thoughts without a begin tag were heard depends on who was answered first.
                reply.text = strip(&reply.text);
                self.failures.set(0);
                if reply.finish == Finish::Filter && reply.text.trim().is_empty() {
                    return Ok(Err(Skip::Withheld));
                }
                Ok(Ok(reply))
            }
            Err(error) => self.failed(error),
        }
    }

    fn failed(&self, error: Error) -> Result<std::result::Result<ChatReply, Skip>> {
        // An empty reply is this part's own; anything else may be the server's. One that is busy has been
        // waited for already: what is left out would only be missing.
        let passing =
            matches!(error.code(), Code::EndpointReply | Code::EndpointTimeout | Code::EndpointUnreachable);
        self.failures.set(self.failures.get() + 1);
        self.failing.set(error.code() != Code::EndpointReply);
        if !passing || self.failures.get() >= FAILURES {
            return Err(error);
        }
        Ok(Err(Skip::Failed(error.to_string())))
    }
}

/// Whether a request went out for this.
fn sent(done: &Result<std::result::Result<ChatReply, Skip>>) -> bool {
    match done {
        Ok(Ok(reply)) => reply.kept.requests == 0,
        Ok(Err(_)) => true,
        Err(error) => !matches!(error.code(), Code::Aborted | Code::Budget),
    }
}

/// What stood before a cut, if anything did; else why there is nothing.
fn rest<T>(part: Option<(usize, T)>, skip: Skip) -> Asked<T> {
    part.map_or(Asked::Skipped(skip), |(_, part)| Asked::Part(part))
}
