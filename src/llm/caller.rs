//! Who asks a model: hears its words, and is told of every request and every wait on the way.
//!
//! A model that sends requests says so before each ([`Caller::sends`]), when it goes out ([`Caller::leaves`])
//! and after it ([`Caller::ended`]), so that whoever asked can count them, and can forbid the next one. A
//! function is a caller that only hears.
//!
//! Invariant: nothing is sent before `sends` has resolved, and after an error of it nothing is sent.

use std::future::ready;

use super::dialect::Asked;
use super::ledger::Size;
use super::{Later, Tokens};
use crate::error::Result;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a reply, which cost this by the server's count; zeros where it does not say.
    Answered(Tokens),
    /// The server did not take it, and asks nothing for it.
    Refused,
    /// With a fault after the server had it: it may be charged for.
    Failed,
    /// Before it was sent: it waited for its turn, and the call ended.
    Unsent,
}

/// Who asks a model.
pub trait Caller {
    /// Hears the next piece of a streamed reply.
    fn hear(&self, piece: &str);

    /// A request is about to be sent, `again` if it was sent before. Resolves when it may be, with what it may
    /// cost; nothing where that is not known.
    ///
    /// # Errors
    /// `budget` where it would cost more than may be spent.
    fn sends<'a>(&'a self, _asked: Asked<'a>, _again: bool) -> Later<'a, Result<Size>> {
        Box::pin(ready(Ok(Size::default())))
    }

    /// The request that was announced last goes out now: until here it cost nothing.
    fn leaves(&self) {}

    /// The request that was sent last has ended, so many milliseconds after it was sent.
    fn ended(&self, _end: End, _ms: f64) {}

    /// Nothing is sent for so many milliseconds, for the sake of the server's limits or ours; zero once it
    /// goes on.
    fn waits(&self, _ms: f64) {}
}

impl<F: Fn(&str)> Caller for F {
    fn hear(&self, piece: &str) {
        self(piece);
    }
}

/// A caller that listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unheard;

impl Caller for Unheard {
    fn hear(&self, _piece: &str) {}
}
