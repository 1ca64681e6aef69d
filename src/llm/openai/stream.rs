//! A streamed reply, put together chunk by chunk.
//!
//! Invariant: the pieces that [`Reading::push`] and [`Reading::end`] give, joined, are the text of what
//! was written; they do not depend on how the bytes were cut. Once a piece was given, nothing is an error
//! any more: what follows a fault is lost, and the text is kept with [`Finish::Cut`].

use serde_json::Value;

use super::chat::{TEXT_LIMIT, Written, content, finish, reasoned, refused};
use super::fault::{Fault, Kind};
use super::tokens;
use crate::llm::sse::{Event, Parser};
use crate::llm::thinking::{Filter, is_unopened};
use crate::llm::{Finish, Tokens};

/// A reply in the middle of being read.
#[derive(Debug)]
pub struct Reading {
    parser: Parser,
    filter: Filter,
    /// All that was written, with its thinking.
    raw: String,
    text: String,
    thought: bool,
    finish: Option<Finish>,
    tokens: Tokens,
    /// Whether nothing more is expected.
    done: bool,
}

impl Reading {
    /// Begins; `unopened` if this model's thinking is known to come without its begin tag.
    pub fn new(unopened: bool) -> Self {
        Self {
            parser: Parser::default(),
            filter: if unopened { Filter::patient() } else { Filter::eager() },
            raw: String::new(),
            text: String::new(),
            thought: false,
            finish: None,
            tokens: Tokens::default(),
            done: false,
        }
    }

    /// Whether the stream has said that it ends.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Whether some text was given: a reply like this is not asked for again.
    pub fn has_begun(&self) -> bool {
        !self.text.is_empty()
    }

    /// Takes bytes and gives the text that they bring.
    ///
    /// # Errors
    /// The stream's fault, as long as no text was given.
    pub fn push(&mut self, bytes: &[u8]) -> std::result::Result<String, Fault> {
        let before = self.text.len();
        let events = self.parser.push(bytes).map_err(|error| Fault::new(Kind::Unusable, error.to_string()));
        let read = events.and_then(|events| events.iter().try_for_each(|event| self.take(event)));
        if let Err(fault) = read {
            self.done = true;
            if !self.has_begun() {
                return Err(fault);
            }
            self.finish = Some(Finish::Cut);
        } else if self.text.len() > TEXT_LIMIT {
            // A model that never ends.
            (self.done, self.finish) = (true, Some(Finish::Cut));
        }
        Ok(self.text.get(before..).unwrap_or_default().to_owned())
    }

    fn take(&mut self, event: &Event) -> std::result::Result<(), Fault> {
        if self.done {
            return Ok(());
        }
        if event.data.trim() == "[DONE]" {
            self.done = true;
            self.finish = self.finish.or(Some(Finish::Stop));
            return Ok(());
        }
        let unusable = |_| Fault::new(Kind::Unusable, "a piece of the stream is not JSON");
        let chunk: Value = serde_json::from_str(&event.data).map_err(unusable)?;
        if let Some(fault) = Fault::within(&chunk) {
            return Err(fault);
        }
        if event.name == "error" {
            return Err(Fault::new(Kind::Failed, "the stream sent an error"));
        }
        if chunk.get("usage").is_some_and(Value::is_object) {
            self.tokens = tokens(&chunk);
        }
        // The last chunk of a stream that was asked for its usage has no choices.
        let Some(choice) = chunk.pointer("/choices/0") else { return Ok(()) };
        let delta = choice.get("delta").unwrap_or(&Value::Null);
        self.thought |= reasoned(delta);
        let piece = content(delta);
        self.raw.push_str(&piece);
        self.text.push_str(&self.filter.push(&piece));
        let finish = if refused(delta) { Some(Finish::Filter) } else { finish(choice) };
        self.finish = finish.or(self.finish);
        Ok(())
    }

    /// Ends, because the bytes did; gives what was written and the last of its text.
    pub fn end(mut self) -> (Written, String) {
        let last = self.filter.end();
        self.text.push_str(&last);
        let written = Written {
            thought: self.thought || self.text.len() < self.raw.trim_start().len(),
            unopened: is_unopened(&self.raw),
            finish: self.finish.unwrap_or(Finish::Cut),
            tokens: self.tokens,
            text: self.text,
        };
        (written, last)
    }

    /// Ends, because the connection broke or nothing came any more.
    pub fn cut(mut self) -> (Written, String) {
        self.finish = Some(Finish::Cut);
        self.end()
    }
}
