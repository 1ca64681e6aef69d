//! Language models as ports: what the core asks of them, and nothing of how they are reached.
//!
//! A [`ChatModel`] completes a conversation, an [`Embedder`] turns texts into vectors, a [`Clock`] tells
//! time and waits, a [`Store`] keeps replies. The page, a worker, Node and tests each supply them. What
//! speaks to an OpenAI-compatible server is built here too, of pure parts over one door, [`http`].
//!
//! Invariant: a reply is untrusted. Nothing here panics on one, and no key or prompt is in an error.

pub mod account;
pub mod address;
pub mod batch;
mod bearer;
pub mod caller;
pub mod connection;
pub mod dialect;
pub mod endpoint;
mod guard;
pub mod http;
pub mod kept;
pub mod ledger;
pub mod openai;
pub mod pause;
pub mod reply;
pub mod retry;
pub mod sse;
pub mod thinking;
pub mod told;
pub mod traffic;
pub mod vectors;
pub mod wait;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use crate::error::Result;
use caller::Caller;
use ledger::Ledger;

/// A future of one thread: nothing here is `Send`.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Who says a message of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What the model is and must do.
    System,
    /// The caller.
    User,
    /// The model itself, earlier.
    Assistant,
}

impl Role {
    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// The JSON that a reply should be, for servers that can hold a model to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Its name on the wire: letters and underscores.
    pub name: &'static str,
    /// The schema itself, as JSON.
    pub json: &'static str,
}

/// A conversation to complete.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest {
    /// In order; the last is a user's.
    pub messages: Vec<Message>,
    /// What JSON the reply should be; `None` for prose.
    pub schema: Option<Schema>,
    /// The most tokens of the reply.
    pub max_tokens: u32,
    /// 0 the likeliest, 1 as trained.
    pub temperature: f64,
    /// Whether the reply is wanted piece by piece.
    pub stream: bool,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model was done.
    Stop,
    /// It reached `max_tokens` or the end of its context.
    Length,
    /// The server's content filter withheld it, or the rest of it.
    Filter,
    /// The stream broke off; what came before is kept.
    Cut,
}

impl Finish {
    /// Its name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Finish::Stop => "stop",
            Finish::Length => "length",
            Finish::Filter => "content_filter",
            Finish::Cut => "cut",
        }
    }
}

/// Tokens that a request cost, as the server counts them; zeros where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Sent.
    pub prompt: u32,
    /// Received.
    pub completion: u32,
}

/// What requests cost together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Requests answered.
    pub requests: u32,
    /// Tokens sent.
    pub prompt: u64,
    /// Tokens received.
    pub completion: u64,
}

impl Usage {
    /// Counts one request more.
    pub fn add(&mut self, tokens: Tokens) {
        self.requests = self.requests.saturating_add(1);
        self.prompt = self.prompt.saturating_add(u64::from(tokens.prompt));
        self.completion = self.completion.saturating_add(u64::from(tokens.completion));
    }

    /// Adds another's count.
    pub fn join(&mut self, other: Usage) {
        self.requests = self.requests.saturating_add(other.requests);
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.completion = self.completion.saturating_add(other.completion);
    }
}

/// A completed conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatReply {
    /// What the model wrote, without its reasoning.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// What it cost.
    pub tokens: Tokens,
    /// What it had cost where it came from a [`Store`]; nothing otherwise.
    pub kept: Usage,
}

/// Vectors of texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedded {
    /// One for each text, in order, all of one width, of unit length.
    pub vectors: Vec<Vec<f32>>,
    /// What they cost.
    pub tokens: Tokens,
    /// What those of them that came from a [`Store`] had cost.
    pub kept: Usage,
}

impl Embedded {
    /// Adds the vectors of further texts, and what they cost.
    pub fn join(&mut self, other: Embedded) {
        self.vectors.extend(other.vectors);
        self.tokens.prompt = self.tokens.prompt.saturating_add(other.tokens.prompt);
        self.kept.join(other.kept);
    }
}

/// Completes conversations.
pub trait ChatModel {
    /// The model's name, for ledgers, traces and stores; never an address.
    fn name(&self) -> &str;

    /// Completes a conversation. Where the request asks to stream, `caller` hears the text, without the
    /// model's reasoning, piece by piece; the pieces joined are the reply's text. A model that sends requests
    /// tells of each before and after it.
    ///
    /// # Errors
    /// `endpoint_unreachable`, `endpoint_auth`, `endpoint_rate_limited`, `endpoint_refused`,
    /// `endpoint_reply` (also for an empty text with [`Finish::Length`]), `endpoint_timeout`, `budget`,
    /// `aborted`.
    /// A reply withheld by a content filter is no error: its finish is [`Finish::Filter`].
    fn chat<'a>(&'a self, request: &'a ChatRequest, caller: &'a dyn Caller) -> Later<'a, Result<ChatReply>>;
}

/// Turns texts into vectors.
pub trait Embedder {
    /// The model's name; an index calls the space by it. Never an address.
    fn name(&self) -> &str;

    /// One vector for each text, in order, normalised to unit length. Batches are the embedder's business;
    /// it tells `caller` of each.
    ///
    /// # Errors
    /// As [`ChatModel::chat`], and `vector_invalid` for a wrong count or width, a vector of zeros or one
    /// that is not finite.
    fn embed<'a>(&'a self, texts: &'a [String], caller: &'a dyn Caller) -> Later<'a, Result<Embedded>>;
}

/// Requests sent side by side where the caller says nothing.
pub const AT_ONCE: usize = 4;

/// The models a call may use; none by default, and everything works without.
#[derive(Clone)]
pub struct Models {
    /// Reads books and writes answers.
    pub chat: Option<Rc<dyn ChatModel>>,
    /// Embeds beside the built-in embedder.
    pub embed: Option<Rc<dyn Embedder>>,
    /// Requests sent side by side, 1 or more.
    pub at_once: usize,
    /// What all calls with these models cost together, and its budget, if there is one.
    pub ledger: Ledger,
}

impl Default for Models {
    fn default() -> Self {
        Self { chat: None, embed: None, at_once: AT_ONCE, ledger: Ledger::default() }
    }
}

impl Models {
    /// The same models, which answer from a store what was asked before.
    #[must_use]
    pub fn keeping(self, store: &Rc<dyn Store>) -> Self {
        let chat =
            self.chat.map(|chat| Rc::new(kept::Kept::new(chat, Rc::clone(store))) as Rc<dyn ChatModel>);
        let embed =
            self.embed.map(|embed| Rc::new(kept::Kept::new(embed, Rc::clone(store))) as Rc<dyn Embedder>);
        Self { chat, embed, ..self }
    }

    /// The same models, asked only while a gate is open.
    #[must_use]
    pub fn behind(self, gate: &Rc<dyn Gate>) -> Self {
        let chat =
            self.chat.map(|chat| Rc::new(pause::Paused::new(chat, Rc::clone(gate))) as Rc<dyn ChatModel>);
        let embed =
            self.embed.map(|embed| Rc::new(pause::Paused::new(embed, Rc::clone(gate))) as Rc<dyn Embedder>);
        Self { chat, embed, ..self }
    }
}

impl fmt::Debug for Models {
    /// Names only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chat = self.chat.as_ref().map(|chat| chat.name());
        let embed = self.embed.as_ref().map(|embed| embed.name());
        f.debug_struct("Models").field("chat", &chat).field("embed", &embed).finish()
    }
}

/// Tells time and waits.
pub trait Clock {
    /// Milliseconds since some fixed moment.
    fn now_ms(&self) -> f64;

    /// Resolves after this many milliseconds, or sooner when the call is cancelled.
    fn sleep(&self, ms: f64) -> Later<'_, ()>;

    /// Whether the call that this clock is of was cancelled.
    fn cancelled(&self) -> bool {
        false
    }

    /// Milliseconds since 1970, where that is known: a server may name a moment.
    fn unix_ms(&self) -> Option<f64> {
        None
    }
}

/// Says when a request may begin.
pub trait Gate {
    /// Resolves once it may.
    ///
    /// # Errors
    /// `aborted` when the caller cancels meanwhile.
    fn open(&self) -> Later<'_, Result<()>>;
}

/// Gives the key of a server, which may be one that soon expires.
pub trait Keys {
    /// The key for the next requests, or none.
    ///
    /// # Errors
    /// `endpoint_auth` where none can be had, `aborted` when the caller cancels meanwhile.
    fn key(&self) -> Later<'_, Result<Option<String>>>;
}

/// Keeps replies by a hash of what was asked, so that nothing is paid for twice.
pub trait Store {
    /// The value kept under a key.
    ///
    /// # Errors
    /// `storage` where the store fails; a missing key is `None`.
    fn get<'a>(&'a self, key: &'a str) -> Later<'a, Result<Option<String>>>;

    /// Keeps a value.
    ///
    /// # Errors
    /// `storage` where the store fails or is full.
    fn put<'a>(&'a self, key: &'a str, value: &'a str) -> Later<'a, Result<()>>;
}
