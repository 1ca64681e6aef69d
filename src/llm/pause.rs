//! Models that wait while the caller pauses: no request is begun, and those under way end.
//!
//! Invariant: a pause changes no reply and no order, only when a request is sent.

use std::rc::Rc;

use super::caller::Caller;
use super::{ChatModel, ChatReply, ChatRequest, Embedded, Embedder, Gate, Later};
use crate::error::Result;

/// A model behind a gate.
pub struct Paused<M: ?Sized> {
    model: Rc<M>,
    gate: Rc<dyn Gate>,
}

impl<M: ?Sized> Paused<M> {
    /// Asks `model` whenever `gate` is open.
    pub fn new(model: Rc<M>, gate: Rc<dyn Gate>) -> Self {
        Self { model, gate }
    }
}

impl<M: ChatModel + ?Sized> ChatModel for Paused<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, caller: &'a dyn Caller) -> Later<'a, Result<ChatReply>> {
        Box::pin(async move {
            self.gate.open().await?;
            self.model.chat(request, caller).await
        })
    }
}

impl<M: Embedder + ?Sized> Embedder for Paused<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn embed<'a>(&'a self, texts: &'a [String], caller: &'a dyn Caller) -> Later<'a, Result<Embedded>> {
        Box::pin(async move {
            self.gate.open().await?;
            self.model.embed(texts, caller).await
        })
    }
}
