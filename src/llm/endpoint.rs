//! An OpenAI-compatible server as a chat model and an embedder.
//!
//! All that is particular stands elsewhere: the wire in [`openai`](super::openai), what a server takes in
//! [`dialect`](super::dialect), one request in [`connection`](super::connection). Here a conversation and
//! a list of texts become requests, and responses what a caller asked for.
//!
//! Invariant: a key goes into one header of requests to one origin and nowhere else: not into an error, a
//! debug text, an address, a trace. (A transport follows no redirect, with a key or without one.)

use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use super::address::Address;
use super::batch::{batches, halves, text_halves};
use super::bearer::{self, Bearer};
use super::caller::Caller;
use super::connection::{Attempt, Connection, Memory, TIMEOUT_MS, Trouble, within_limit};
use super::dialect::{Asked, Dialect};
use super::guard::Guard;
use super::http::{Response, Transport};
use super::openai::fault::{Fault, Kind};
use super::openai::stream::Reading;
use super::openai::{chat, embeddings};
use super::retry::PATIENCE_MS;
use super::traffic::{Limits, Word};
use super::{
    ChatModel, ChatReply, ChatRequest, Clock, Embedded, Embedder, Finish, Keys, Later, Tokens, Usage, vectors,
};
use crate::error::{Code, Error, Result};

/// How often a text that is too long for a server is cut in half, and its halves: 64 parts at most.
const MOST_CUTS: u32 = 6;

/// The status of a response without a body.
const NO_CONTENT: u16 = 204;

/// What a person sets; printed without the key, the address and the values of headers.
#[derive(Clone, Default)]
pub struct Settings {
    /// The server's address, see [`Address`].
    pub url: String,
    /// The model, by the server's name for it.
    pub model: String,
    /// The key, if the server wants one.
    pub key: Option<String>,
    /// Further headers.
    pub headers: Vec<(String, String)>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("model", &self.model).finish_non_exhaustive()
    }
}

/// A server with one of its models.
#[derive(Clone)]
pub struct Endpoint(Connection);

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("address", &self.0.address)
            .field("model", &self.0.model)
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    /// An endpoint over a transport.
    ///
    /// # Errors
    /// `usage` for an address that cannot be one, no model, or a header that cannot be sent.
    pub fn new(settings: &Settings, transport: Rc<dyn Transport>, clock: Rc<dyn Clock>) -> Result<Self> {
        let address = Address::parse(&settings.url)?;
        let model = settings.model.trim();
        if model.is_empty() {
            return Err(Error::new(Code::Usage, "an endpoint needs a model's name"));
        }
        sendable(bearer::HEADER, settings.key.as_deref().unwrap_or_default().trim())?;
        Ok(Self(Connection {
            transport,
            clock,
            address,
            model: model.to_owned(),
            headers: headers(&settings.headers)?,
            bearer: Rc::new(Bearer::fixed(settings.key.as_deref())),
            memory: Memory::default(),
            timeout_ms: TIMEOUT_MS,
            patience_ms: PATIENCE_MS,
        }))
    }

    /// Shares what is learned of servers with other endpoints.
    #[must_use]
    pub fn remembering(self, memory: Memory) -> Self {
        Self(Connection { memory, ..self.0 })
    }

    /// Asks for the key, before the first request and once more where the server does not take it, instead of
    /// the settings' one.
    #[must_use]
    pub fn with_keys(self, keys: Rc<dyn Keys>) -> Self {
        Self(Connection { bearer: Rc::new(Bearer::asked(keys)), ..self.0 })
    }

    /// Lets the server be silent for so many milliseconds instead of [`TIMEOUT_MS`].
    #[must_use]
    pub fn patient_for(self, timeout_ms: f64) -> Self {
        Self(Connection { timeout_ms, ..self.0 })
    }

    /// Lets a request wait in all for so many milliseconds where the server is busy, instead of
    /// [`PATIENCE_MS`].
    #[must_use]
    pub fn waiting_for(self, patience_ms: f64) -> Self {
        Self(Connection { patience_ms, ..self.0 })
    }

    /// Sends the server no more than this, together with all endpoints that share the memory.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        self.0.limit(limits);
        self
    }

    /// The limits that a person has set for the server, by whatever endpoint that shares the memory.
    pub fn limits(&self) -> Limits {
        self.0.limits()
    }

    /// What the server has said of its own limits.
    pub fn word(&self) -> Word {
        self.0.word()
    }

    /// Where the server is.
    pub fn address(&self) -> &Address {
        &self.0.address
    }

    /// The server's origin: what a person may be shown.
    pub fn origin(&self) -> &str {
        self.0.address.origin()
    }

    /// Whether a text holds the key, or what of the headers and the address may be one.
    pub(crate) fn reveals(&self, text: &str) -> bool {
        self.0.reveals(text)
    }

    /// A reply, heard as it comes where a stream was asked for.
    async fn read(
        &self,
        response: &mut Response,
        until: f64,
        stream: bool,
        heard: &dyn Fn(&str),
    ) -> Attempt<ChatReply> {
        if !stream {
            return self.read_whole(response, until, &|_| ()).await;
        }
        // Some servers know no streams and send the whole reply; what is no reply of a model at all is
        // the same when it is asked for again.
        let is = |kind: &str| {
            let of = |(name, value): &(String, String)| name == "content-type" && value.contains(kind);
            response.headers.iter().any(of)
        };
        if is("json") || is("html") || response.status == NO_CONTENT {
            return self.read_whole(response, until, heard).await;
        }
        self.read_stream(response, until, heard).await
    }

    /// A reply that came whole, heard at once.
    async fn read_whole(
        &self,
        response: &mut Response,
        until: f64,
        heard: &dyn Fn(&str),
    ) -> Attempt<ChatReply> {
        let written = chat::decode(&self.0.whole(response, until).await?)?;
        self.0.learn(Dialect { unopened: written.unopened || self.0.dialect().unopened, ..self.0.dialect() });
        let reply = written.reply()?;
        heard(&reply.text);
        Ok(reply)
    }

    /// A streamed reply, heard piece by piece.
    async fn read_stream(
        &self,
        response: &mut Response,
        until: f64,
        heard: &dyn Fn(&str),
    ) -> Attempt<ChatReply> {
        let mut reading = Reading::new(self.0.dialect().unopened);
        let (mut broken, mut came) = (false, 0);
        while !reading.is_done() {
            match self.0.piece(response, until).await.and_then(|bytes| within_limit(bytes, &mut came)) {
                Ok(Some(bytes)) => hear(heard, &reading.push(&bytes)?),
                Ok(None) => break,
                Err(Trouble::Way(error)) if error.code() == Code::Aborted => return Err(error.into()),
                Err(trouble) if !reading.has_begun() => return Err(trouble),
                Err(_) => {
                    broken = true;
                    break;
                }
            }
        }
        let (written, last) = if broken { reading.cut() } else { reading.end() };
        hear(heard, &last);
        self.0.learn(Dialect { unopened: written.unopened || self.0.dialect().unopened, ..self.0.dialect() });
        Ok(written.reply()?)
    }

    /// As [`ChatModel::chat`]; a failure comes with its kind, and a filter is one.
    ///
    /// # Errors
    /// As [`ChatModel::chat`].
    pub async fn answer(
        &self,
        request: &ChatRequest,
        caller: &dyn Caller,
    ) -> std::result::Result<ChatReply, (Kind, Error)> {
        let heard = &|piece: &str| caller.hear(piece);
        let encode = |dialect: &Dialect| chat::encode(request, &self.0.model, dialect);
        let read = async |mut response: Response, until: f64| {
            let guard = Guard::new(self.0.guarded(), heard);
            let reply = self.read(&mut response, until, request.stream, &|piece| guard.hear(piece)).await?;
            if guard.finds(&reply.text) {
                return Err(Fault::new(Kind::Unusable, "the reply repeats the key that was sent").into());
            }
            guard.end();
            Ok(reply)
        };
        self.0.converse(&self.0.address.chat(), Asked::Chat(request), caller, encode, read).await
    }

    async fn complete(&self, request: &ChatRequest, caller: &dyn Caller) -> Result<ChatReply> {
        match self.answer(request, caller).await {
            Err((Kind::Filtered, _)) => Ok(ChatReply {
                text: String::new(),
                finish: Finish::Filter,
                tokens: Tokens::default(),
                kept: Usage::default(),
            }),
            done => done.map_err(|(_, error)| error),
        }
    }

    /// The vectors of texts in one request; a failure comes with its kind.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    pub async fn embed_run(
        &self,
        texts: &[String],
        caller: &dyn Caller,
    ) -> std::result::Result<Embedded, (Kind, Error)> {
        let encode = |dialect: &Dialect| embeddings::encode(texts, &self.0.model, dialect);
        let read = async |mut response: Response, until: f64| {
            let body = self.0.whole(&mut response, until).await?;
            Ok(embeddings::decode(&body, texts.len())?)
        };
        self.0.converse(&self.0.address.embeddings(), Asked::Embeddings(texts), caller, encode, read).await
    }

    async fn embed_all(&self, texts: &[String], caller: &dyn Caller) -> Result<Embedded> {
        let mut all = Embedded::default();
        let mut open: Vec<Range<usize>> = batches(texts);
        open.reverse();
        while let Some(run) = open.pop() {
            let some = match self.embed_run(texts.get(run.clone()).unwrap_or_default(), caller).await {
                Ok(some) => some,
                Err((Kind::TooLong, error)) => match halves(&run) {
                    Some([first, second]) => {
                        open.extend([second, first]);
                        continue;
                    }
                    None => {
                        let text = texts.get(run.start).map_or("", String::as_str);
                        self.embed_parts(text, error, caller).await?
                    }
                },
                Err((_, error)) => return Err(error),
            };
            self.same_width(all.vectors.first(), some.vectors.first())?;
            all.join(some);
        }
        Ok(all)
    }

    /// The vector of a text that is longer than the server takes, which `refused` says: the mean of its
    /// parts' vectors, each counted by its length.
    async fn embed_parts(&self, text: &str, refused: Error, caller: &dyn Caller) -> Result<Embedded> {
        let mut all = Embedded::default();
        let mut lengths = Vec::new();
        let mut open: Vec<(String, u32)> = parts(text, 1).ok_or(refused)?.into();
        while let Some((part, cuts)) = open.pop() {
            match self.embed_run(std::slice::from_ref(&part), caller).await {
                Ok(some) => {
                    self.same_width(all.vectors.first(), some.vectors.first())?;
                    all.join(some);
                    lengths.push(part.len());
                }
                Err((Kind::TooLong, error)) if cuts < MOST_CUTS => {
                    open.extend(parts(&part, cuts + 1).ok_or(error)?);
                }
                Err((_, error)) => return Err(error),
            }
        }
        let wrong = |what| Error::new(Code::VectorInvalid, format!("the parts of a long text: {what}"));
        all.vectors = vectors::unit(vec![vectors::mean(&all.vectors, &lengths)], 1).map_err(wrong)?;
        Ok(all)
    }

    fn same_width(&self, before: Option<&Vec<f32>>, now: Option<&Vec<f32>>) -> Result<()> {
        if before.zip(now).is_none_or(|(before, now)| before.len() == now.len()) {
            return Ok(());
        }
        let what = format!("{:?} sent vectors of different widths", self.0.model);
        Err(Error::new(Code::VectorInvalid, what))
    }
}

/// Both halves of a text with how often it was cut, the second first.
fn parts(text: &str, cuts: u32) -> Option<[(String, u32); 2]> {
    text_halves(text).map(|[first, second]| [(second.to_owned(), cuts), (first.to_owned(), cuts)])
}

impl ChatModel for Endpoint {
    fn name(&self) -> &str {
        &self.0.model
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, caller: &'a dyn Caller) -> Later<'a, Result<ChatReply>> {
        Box::pin(self.complete(request, caller))
    }
}

impl Embedder for Endpoint {
    fn name(&self) -> &str {
        &self.0.model
    }

    fn embed<'a>(&'a self, texts: &'a [String], caller: &'a dyn Caller) -> Later<'a, Result<Embedded>> {
        Box::pin(self.embed_all(texts, caller))
    }
}

fn hear(heard: &dyn Fn(&str), piece: &str) {
    if !piece.is_empty() {
        heard(piece);
    }
}

/// The further headers of every request, names in lower case.
fn headers(further: &[(String, String)]) -> Result<Vec<(String, String)>> {
    let named = |(name, value): &(String, String)| {
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        sendable(&name, value).map(|()| (name, value.to_owned()))
    };
    further.iter().map(named).collect()
}

/// Refuses a header that cannot be sent.
pub(super) fn sendable(name: &str, value: &str) -> Result<()> {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(token) {
        return Err(Error::new(Code::Usage, format!("{name:?} cannot be the name of a header")));
    }
    if !value.chars().all(|c| matches!(c, ' '..='~')) {
        let what = if name == bearer::HEADER { "the key" } else { name };
        return Err(Error::new(Code::Usage, format!("{what} holds a character that no header may hold")));
    }
    Ok(())
}
