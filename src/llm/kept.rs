//! A chat model whose replies are kept: what was asked once is answered from the store.
//!
//! A reply is in the store before it is used, under a digest of the model's name and everything that was
//! asked, so a changed prompt, passage or setting asks anew and nothing else does. Replies that broke off
//! or were withheld are not kept. A store that fails costs nothing but its use: the model is asked.

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{ChatModel, ChatReply, ChatRequest, Finish, Later, Store, Tokens};
use crate::error::Result;

/// A chat model over a store of its replies.
pub struct Kept<M, S> {
    model: M,
    store: S,
    found: Cell<u32>,
}

/// A reply as it is kept.
#[derive(Serialize, Deserialize)]
struct Entry {
    text: String,
    length: bool,
}

impl<M: ChatModel, S: Store> Kept<M, S> {
    /// Answers from `store` what it holds, and asks `model` for the rest.
    pub fn new(model: M, store: S) -> Self {
        Self { model, store, found: Cell::new(0) }
    }

    /// How many replies came from the store so far.
    pub fn found(&self) -> u32 {
        self.found.get()
    }

    async fn look_up(&self, key: &str) -> Option<ChatReply> {
        let kept = self.store.get(key).await.ok().flatten()?;
        let Entry { text, length } = serde_json::from_str(&kept).ok()?;
        self.found.set(self.found.get() + 1);
        let finish = if length { Finish::Length } else { Finish::Stop };
        Some(ChatReply { text, finish, tokens: Tokens::default() })
    }
}

/// What names a request to a model: a digest of both.
fn key(model: &str, request: &ChatRequest) -> String {
    let mut digest = Sha256::new();
    let mut add = |part: &str| {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    };
    add(model);
    for message in &request.messages {
        add(message.role.as_str());
        add(&message.content);
    }
    add(request.schema.as_ref().map_or("", |schema| schema.json));
    add(&format!("{} {}", request.max_tokens, request.temperature));
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl<M: ChatModel, S: Store> ChatModel for Kept<M, S> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, heard: &'a dyn Fn(&str)) -> Later<'a, Result<ChatReply>> {
        Box::pin(async move {
            let key = key(self.model.name(), request);
            if let Some(reply) = self.look_up(&key).await {
                if request.stream {
                    heard(&reply.text);
                }
                return Ok(reply);
            }
            let reply = self.model.chat(request, heard).await?;
            if matches!(reply.finish, Finish::Stop | Finish::Length) {
                let entry = Entry { text: reply.text.clone(), length: reply.finish == Finish::Length };
                if let Ok(entry) = serde_json::to_string(&entry) {
                    // A store that is full or gone costs a repetition, not the reply.
                    let _ = self.store.put(&key, &entry).await;
                }
            }
            Ok(reply)
        })
    }
}
