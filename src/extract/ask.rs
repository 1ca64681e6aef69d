//! One question to a chat model, and what to do with a reply that cannot be used.
//!
//! The order is always the same: the tolerant reader, then one more try that shows the model its reply and
//! the fault, then the part is skipped and said so. A reply that a content filter withheld is skipped at
//! once. A server that fails costs the part it failed for; one that fails several times in a row ends the
//! call.

use std::cell::Cell;

use crate::error::{Code, Error, Result};
use crate::llm::thinking::strip;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Finish, Usage};
use crate::prompts::again;

/// Failures in a row after which the endpoint is taken to be gone.
const FAILURES: u32 = 3;

/// What came of a question.
pub(super) enum Asked<T> {
    /// What was read.
    Read(T),
    /// Why there is nothing.
    Skipped(Skip),
}

/// Why a part was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Skip {
    /// A content filter withheld the reply.
    Withheld,
    /// Neither the reply nor the second one could be read.
    Unreadable(String),
    /// The server failed.
    Failed(String),
}

/// A chat model with the count of what it cost and how it fares.
pub(super) struct Asker<'a> {
    model: &'a dyn ChatModel,
    usage: Cell<Usage>,
    failures: Cell<u32>,
}

impl<'a> Asker<'a> {
    /// Nothing asked yet.
    pub(super) fn new(model: &'a dyn ChatModel) -> Self {
        Self { model, usage: Cell::default(), failures: Cell::new(0) }
    }

    /// What all questions cost so far.
    pub(super) fn usage(&self) -> Usage {
        self.usage.get()
    }

    /// The tokens of all questions so far.
    pub(super) fn tokens(&self) -> u32 {
        let Usage { prompt, completion, .. } = self.usage.get();
        prompt.saturating_add(completion)
    }

    /// Asks, reads the reply with `read`, and asks once more where that fails; `read` says what is wrong.
    pub(super) async fn ask<T>(
        &self,
        request: &ChatRequest,
        read: impl Fn(&str) -> std::result::Result<T, String>,
    ) -> Result<Asked<T>> {
        let first = match self.complete(request).await? {
            Ok(reply) => reply,
            Err(skip) => return Ok(Asked::Skipped(skip)),
        };
        let fault = match read(&first.text) {
            Ok(read) => return Ok(Asked::Read(read)),
            Err(_) if first.finish == Finish::Filter => return Ok(Asked::Skipped(Skip::Withheld)),
            Err(fault) => fault,
        };
        let second = match self.complete(&again(request, &first.text, &fault)).await? {
            Ok(reply) => reply,
            Err(skip) => return Ok(Asked::Skipped(skip)),
        };
        Ok(match read(&second.text) {
            Ok(read) => Asked::Read(read),
            Err(fault) => Asked::Skipped(Skip::Unreadable(fault)),
        })
    }

    /// One request; the inner error is for this part alone.
    async fn complete(&self, request: &ChatRequest) -> Result<std::result::Result<ChatReply, Skip>> {
        match self.model.chat(request, &|_| ()).await {
            Ok(mut reply) => {
                // Whether thoughts without a begin tag were heard depends on who was answered first.
                reply.text = strip(&reply.text);
                self.failures.set(0);
                let mut usage = self.usage.get();
                usage.add(reply.tokens);
                self.usage.set(usage);
                if reply.finish == Finish::Filter && reply.text.trim().is_empty() {
                    return Ok(Err(Skip::Withheld));
                }
                Ok(Ok(reply))
            }
            Err(error) => self.failed(error),
        }
    }

    fn failed(&self, error: Error) -> Result<std::result::Result<ChatReply, Skip>> {
        // An empty reply is this part's own; anything else may be the server's.
        let passing = matches!(
            error.code(),
            Code::EndpointReply
                | Code::EndpointTimeout
                | Code::EndpointUnreachable
                | Code::EndpointRateLimited
        );
        self.failures.set(self.failures.get() + 1);
        if !passing || self.failures.get() >= FAILURES {
            return Err(error);
        }
        Ok(Err(Skip::Failed(error.to_string())))
    }
}
