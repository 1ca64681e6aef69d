//! The wire of OpenAI-compatible servers, as pure functions: a request to JSON, a response to a result.
//!
//! [`chat`] and [`embeddings`] each encode a request in a [`Dialect`](super::dialect::Dialect) and decode
//! the response; [`models`] reads a list of models; [`stream`] puts a streamed reply together; [`fault`] reads what a server says when it
//! refuses. None of them knows a network, so every quirk of a server is a row in a test.
//!
//! Invariant: decoding takes any bytes and gives a result or a [`Fault`](fault::Fault).

pub mod chat;
pub mod embeddings;
pub mod fault;
pub mod later;
pub mod models;
pub mod stream;

use serde::Serialize;
use serde_json::Value;

use super::Tokens;
use crate::error::{Code, Error, Result};

/// A request's body as JSON.
fn written(body: &impl Serialize) -> Result<String> {
    serde_json::to_string(body).map_err(unwritable)
}

fn unwritable(error: serde_json::Error) -> Error {
    Error::new(Code::Crashed, "a request could not be written as JSON").caused_by(error)
}

/// What a reply says it cost; zeros where it does not.
fn tokens(reply: &Value) -> Tokens {
    let count = |key: &str| {
        let count = reply.get("usage").and_then(|usage| usage.get(key)).and_then(Value::as_u64);
        count.map_or(0, |count| u32::try_from(count).unwrap_or(u32::MAX))
    };
    Tokens { prompt: count("prompt_tokens"), completion: count("completion_tokens") }
}
