//! Models whose replies are kept: what was asked once is answered from the store.
//!
//! A reply is in the store before it is used, under a digest of the model's name and everything that was
//! asked, so a changed prompt, passage or setting asks anew and nothing else does. No address, no key and
//! no prompt is in a store. Texts are embedded a batch a request, and each batch is kept by itself, exact to
//! the bit.
//!
//! Replies that broke off or were withheld are not kept, nor is an error: they are asked for again. A store
//! that fails costs nothing but its use: the model is asked. So it is where what is kept cannot be right:
//! no JSON, a number that is none, a length that no vector of ours has, or another width than the rest.

use std::rc::Rc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::batch::batches;
use super::caller::Caller;
use super::vectors::{WIDEST, is_unit};
use super::{ChatModel, ChatReply, ChatRequest, Embedded, Embedder, Finish, Later, Store, Tokens, Usage};
use crate::error::{Code, Error, Result};

/// A model over a store of its replies.
pub struct Kept<M: ?Sized> {
    model: Rc<M>,
    store: Rc<dyn Store>,
}

impl<M: ?Sized> Kept<M> {
    /// Answers from `store` what it holds, and asks `model` for the rest.
    pub fn new(model: Rc<M>, store: Rc<dyn Store>) -> Self {
        Self { model, store }
    }

    /// What is kept under a key; nothing where it cannot be read.
    async fn look_up<E: for<'a> Deserialize<'a>>(&self, key: &str) -> Option<E> {
        let kept = self.store.get(key).await.ok().flatten()?;
        serde_json::from_str(&kept).ok()
    }

    /// Keeps an entry. A store that is full or gone costs a repetition, not the reply.
    async fn keep<E: Serialize>(&self, key: &str, entry: &E) {
        if let Ok(entry) = serde_json::to_string(entry) {
            let _ = self.store.put(key, &entry).await;
        }
    }
}

/// A reply as it is kept, with what it cost.
#[derive(Serialize, Deserialize)]
struct Written {
    text: String,
    length: bool,
    prompt: u32,
    completion: u32,
}

impl Written {
    /// `None` for a reply that is to be asked for again.
    fn of(reply: &ChatReply) -> Option<Self> {
        let length = match reply.finish {
            Finish::Stop => false,
            Finish::Length => true,
            Finish::Filter | Finish::Cut => return None,
        };
        let Tokens { prompt, completion } = reply.tokens;
        Some(Self { text: reply.text.clone(), length, prompt, completion })
    }

    fn reply(self) -> ChatReply {
        let finish = if self.length { Finish::Length } else { Finish::Stop };
        let (prompt, completion) = (u64::from(self.prompt), u64::from(self.completion));
        let kept = Usage { requests: 1, prompt, completion };
        ChatReply { text: self.text, finish, tokens: Tokens::default(), kept }
    }
}

/// The vectors of one batch as they are kept: base64 of little-endian numbers, one vector after another.
#[derive(Serialize, Deserialize)]
struct Vectors {
    width: usize,
    numbers: String,
    prompt: u32,
}

impl Vectors {
    fn of(embedded: &Embedded) -> Self {
        let width = embedded.vectors.first().map_or(0, Vec::len);
        let bytes: Vec<u8> = embedded.vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        Self { width, numbers: BASE64_STANDARD.encode(bytes), prompt: embedded.tokens.prompt }
    }

    /// The vectors, where they are as many as the texts that were asked for, and vectors still: a store is
    /// trusted no more than a server.
    fn embedded(&self, count: usize) -> Option<Embedded> {
        let bytes = BASE64_STANDARD.decode(&self.numbers).ok()?;
        let numbers: Vec<f32> = bytes
            .chunks_exact(4)
            .filter_map(|four| Some(f32::from_le_bytes(four.try_into().ok()?)))
            .collect();
        if self.width == 0 || self.width > WIDEST || bytes.len() != count * self.width * 4 {
            return None;
        }
        let vectors: Vec<Vec<f32>> = numbers.chunks(self.width).map(<[f32]>::to_vec).collect();
        if !vectors.iter().all(|vector| is_unit(vector)) {
            return None;
        }
        let kept = Usage { requests: 1, prompt: u64::from(self.prompt), completion: 0 };
        Some(Embedded { vectors, tokens: Tokens::default(), kept })
    }
}

/// A digest of parts, of which none can be taken for another.
#[derive(Default)]
struct Key(Sha256);

impl Key {
    fn with(mut self, part: &str) -> Self {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    fn end(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What names a request to a chat model. Whether the reply was streamed makes no other one.
    fn chat(model: &str, request: &ChatRequest) -> String {
        let ChatRequest { messages, schema, max_tokens, temperature, stream: _ } = request;
        let key = Self::default().with("chat").with(model);
        let said =
            |key: Self, message: &super::Message| key.with(message.role.as_str()).with(&message.content);
        let key = messages.iter().fold(key, said);
        key.with(schema.as_ref().map_or("", |schema| schema.json))
            .with(&max_tokens.to_string())
            .with(&temperature.to_string())
            .end()
    }

    /// What names a batch to an embedder.
    fn embed(model: &str, texts: &[String]) -> String {
        texts.iter().fold(Self::default().with("embed").with(model), |key, text| key.with(text)).end()
    }
}

impl<M: ChatModel + ?Sized> ChatModel for Kept<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, caller: &'a dyn Caller) -> Later<'a, Result<ChatReply>> {
        Box::pin(async move {
            let key = Key::chat(self.model.name(), request);
            if let Some(written) = self.look_up::<Written>(&key).await {
                let reply = written.reply();
                if request.stream {
                    caller.hear(&reply.text);
                }
                return Ok(reply);
            }
            let reply = self.model.chat(request, caller).await?;
            if let Some(written) = Written::of(&reply) {
                self.keep(&key, &written).await;
            }
            Ok(reply)
        })
    }
}

impl<M: Embedder + ?Sized> Kept<M> {
    /// The vectors of a batch: as they are kept, where these have the width of `beside`, else asked for.
    async fn batch(&self, texts: &[String], beside: Option<usize>, caller: &dyn Caller) -> Result<Embedded> {
        let key = Key::embed(self.model.name(), texts);
        let kept = self.look_up::<Vectors>(&key).await;
        let kept = kept.filter(|kept| beside.is_none_or(|width| kept.width == width));
        if let Some(embedded) = kept.and_then(|kept| kept.embedded(texts.len())) {
            return Ok(embedded);
        }
        let embedded = self.model.embed(texts, caller).await?;
        self.keep(&key, &Vectors::of(&embedded)).await;
        Ok(embedded)
    }
}

impl<M: Embedder + ?Sized> Embedder for Kept<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn embed<'a>(&'a self, texts: &'a [String], caller: &'a dyn Caller) -> Later<'a, Result<Embedded>> {
        Box::pin(async move {
            let mut all = Embedded::default();
            for run in batches(texts) {
                let width = |embedded: &Embedded| embedded.vectors.first().map(Vec::len);
                let some = self.batch(texts.get(run).unwrap_or_default(), width(&all), caller).await?;
                if width(&all).zip(width(&some)).is_some_and(|(before, now)| before != now) {
                    let what = format!(
                        "{:?} gave vectors of different widths; where it is another model than before, \
                         forget what is kept",
                        self.name()
                    );
                    return Err(Error::new(Code::VectorInvalid, what));
                }
                all.join(some);
            }
            Ok(all)
        })
    }
}
