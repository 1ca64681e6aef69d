//! One request to a server, until it succeeds, is refused for good, or has been tried often enough.
//!
//! Encode, wait for a place in the traffic, post, read; after a refusal once more in another [`Dialect`];
//! after a fault that may pass once more after a while ([`retry`](super::retry)). The caller is told of each
//! request before it is sent. What is learned of a server is kept in a [`Memory`].
//!
//! Invariant: no wait is without an end. A server may be silent for so long, and a reply may take ten such
//! silences in all, however often it gives a sign of life.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::address::Address;
use super::bearer::{self, Bearer};
use super::caller::{Caller, End};
use super::dialect::{Asked, Dialect};
use super::endpoint::sendable;
use super::http::{Post, Response, Transport};
use super::openai::fault::{Asking, Fault, Kind};
use super::retry::{Tries, share};
use super::traffic::{Limits, Traffic, Word};
use super::wait::{self, within};
use super::{ChatReply, Clock, Embedded, Tokens};
use crate::error::{Code, Error, Result};

/// How long a server may be silent, in milliseconds: a small model on a processor reads a long context for
/// minutes before its first word.
pub const TIMEOUT_MS: f64 = 300_000.0;

/// How many such silences a whole reply may take.
const SILENCES: f64 = 10.0;

/// The longest reply, in bytes as they are sent.
const REPLY_LIMIT: usize = 64 << 20;

/// What is known of servers: dialects found out so far, by address and model, and the traffic to each
/// origin. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    dialects: Rc<RefCell<BTreeMap<(String, String), Dialect>>>,
    traffic: Rc<RefCell<BTreeMap<String, Traffic>>>,
}

/// A server with one of its models, and the way to it.
#[derive(Clone)]
pub(super) struct Connection {
    pub(super) transport: Rc<dyn Transport>,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) address: Address,
    pub(super) model: String,
    /// Of every request, beside the key's.
    pub(super) headers: Vec<(String, String)>,
    pub(super) bearer: Rc<Bearer>,
    pub(super) memory: Memory,
    pub(super) timeout_ms: f64,
    pub(super) patience_ms: f64,
}

/// What a reply cost, as the server counts.
pub(super) trait Cost {
    /// By the server's count; zeros where it does not say.
    fn cost(&self) -> Tokens;

    /// What was written at the most, in tokens, where the server does not say: one for three bytes.
    fn written(&self) -> u32;
}

impl Cost for ChatReply {
    fn cost(&self) -> Tokens {
        self.tokens
    }

    fn written(&self) -> u32 {
        self.text.len().div_ceil(3) as u32
    }
}

impl Cost for Embedded {
    fn cost(&self) -> Tokens {
        self.tokens
    }

    fn written(&self) -> u32 {
        0
    }
}

/// What ended an attempt: the server's fault, or one on the way.
pub(super) enum Trouble {
    Server(Fault),
    Way(Error),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Server(fault)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Way(error)
    }
}

pub(super) type Attempt<T> = std::result::Result<T, Trouble>;

impl Connection {
    pub(super) fn dialect(&self) -> Dialect {
        self.memory.dialects.borrow().get(&self.place()).copied().unwrap_or_default()
    }

    pub(super) fn learn(&self, dialect: Dialect) {
        self.memory.dialects.borrow_mut().insert(self.place(), dialect);
    }

    /// Sets the limits of the traffic to this server, for all who share the memory.
    pub(super) fn limit(&self, limits: Limits) {
        self.traffic().limit(limits, self.clock.now_ms());
    }

    /// The limits that a person set to this server's traffic.
    pub(super) fn limits(&self) -> Limits {
        self.traffic().limits()
    }

    /// What the server says of its own limits.
    pub(super) fn word(&self) -> Word {
        self.traffic().word()
    }

    fn traffic(&self) -> Traffic {
        self.memory.traffic.borrow_mut().entry(self.address.origin().to_owned()).or_default().clone()
    }

    /// The key, every value of a header, and what of the address may be a key.
    fn secrets(&self, key: Option<&str>) -> Vec<String> {
        let values = self.headers.iter().map(|(_, value)| value.trim_start_matches("Bearer "));
        values.chain(key).map(str::to_owned).chain(self.address.secrets()).collect()
    }

    /// What no reply may repeat: the key, and whatever else of headers and address may be one.
    pub(super) fn guarded(&self) -> Vec<String> {
        const SHORTEST: usize = 12;
        let secret = |value: &String| value.len() >= SHORTEST && !value.contains(' ');
        self.secrets(self.bearer.held().as_deref()).into_iter().filter(secret).collect()
    }

    /// Whether a short text of the server's, such as a name, holds one of these: shorter ones count too.
    pub(super) fn reveals(&self, text: &str) -> bool {
        const SHORTEST: usize = 8;
        let secrets = self.secrets(self.bearer.held().as_deref());
        secrets.iter().any(|secret| secret.len() >= SHORTEST && text.contains(secret.as_str()))
    }

    /// The headers of a request with this key.
    fn headers(&self, key: Option<&str>) -> Result<Vec<(String, String)>> {
        let mut headers = Vec::with_capacity(self.headers.len() + 1);
        if let Some(key) = key {
            sendable(bearer::HEADER, key)?;
            headers.push((bearer::HEADER.to_owned(), format!("Bearer {key}")));
        }
        headers.extend_from_slice(&self.headers);
        Ok(headers)
    }

    fn place(&self) -> (String, String) {
        (self.address.chat(), self.model.clone())
    }

    /// Sends a request until it succeeds, is refused for good, or has been tried often enough.
    pub(super) async fn converse<T: Cost>(
        &self,
        url: &str,
        asked: Asked<'_>,
        caller: &dyn Caller,
        encode: impl Fn(&Dialect) -> Result<String>,
        read: impl AsyncFn(Response, f64) -> Attempt<T>,
    ) -> std::result::Result<T, (Kind, Error)> {
        let mut renewed = false;
        let unsent = |error| (Kind::Unusable, error);
        let mut tries = Tries::default();
        loop {
            let dialect = self.dialect();
            let body = encode(&dialect).map_err(unsent)?;
            let key = self.bearer.key().await.map_err(unsent)?;
            let key = key.as_deref();
            let post = Post { url: url.to_owned(), headers: self.headers(key).map_err(unsent)?, body };
            let asking = Asking {
                origin: self.address.origin(),
                model: &self.model,
                with_key: key.is_some(),
                body: &post.body.clone(),
                secrets: &self.secrets(key),
            };
            let (kind, asked_ms, error) = match self.sent(post, asked, tries, caller, &read).await {
                Ok(done) => return Ok(done),
                Err(Trouble::Server(fault)) => {
                    if let Some(next) = dialect.after(&fault, asked) {
                        self.learn(next);
                        continue;
                    }
                    let expired = fault.kind == Kind::Auth && fault.status != 403 && !renewed;
                    if expired && self.bearer.renews(key) {
                        renewed = true;
                        continue;
                    }
                    (Some(fault.kind), fault.retry_after_ms, fault.error(asking))
                }
                Err(Trouble::Way(error)) if error.code() == Code::EndpointUnreachable => (None, None, error),
                Err(Trouble::Way(error)) if error.code() == Code::EndpointRateLimited => {
                    return Err((Kind::Busy, error));
                }
                Err(Trouble::Way(error)) => return Err((Kind::Unusable, error)),
            };
            let share = share(asking.body, tries.failed);
            let Some(wait) = tries.next(kind, asked_ms, share, self.patience_ms) else {
                return Err((kind.unwrap_or(Kind::Failed), error));
            };
            self.pause(kind, wait, caller).await.map_err(|error| (Kind::Unusable, error))?;
        }
    }

    /// Waits before another attempt; when the server is busy, everybody waits.
    async fn pause(&self, kind: Option<Kind>, ms: f64, caller: &dyn Caller) -> Result<()> {
        let until = self.clock.now_ms() + ms;
        if kind == Some(Kind::Busy) {
            self.traffic().close(until);
        }
        wait::until(&*self.clock, caller, |now| until - now).await
    }

    /// One attempt, in its place in the traffic and with the caller's leave.
    async fn sent<T: Cost>(
        &self,
        post: Post,
        asked: Asked<'_>,
        tries: Tries,
        caller: &dyn Caller,
        read: &impl AsyncFn(Response, f64) -> Attempt<T>,
    ) -> Attempt<T> {
        let size = caller.sends(asked, tries.failed > 0).await?;
        let place = match self.traffic().pass(&*self.clock, caller, size, self.patience_ms).await {
            Ok(place) => place,
            Err(error) => {
                caller.ended(End::Unsent, 0.0);
                return Err(error.into());
            }
        };
        caller.leaves();
        let began = self.clock.now_ms();
        let done = self.attempt(post, read).await;
        let end = match &done {
            Ok(reply) => End::Answered(reply.cost()),
            Err(Trouble::Server(fault)) if (400..500).contains(&fault.status) => End::Refused,
            Err(Trouble::Server(_)) => End::Failed,
            Err(Trouble::Way(error)) if error.code() == Code::EndpointUnreachable => End::Refused,
            Err(Trouble::Way(_)) => End::Failed,
        };
        let now = self.clock.now_ms();
        caller.ended(end, now - began);
        match (end, &done) {
            (End::Answered(tokens), Ok(reply)) if tokens == Tokens::default() => {
                place.used(Tokens { prompt: size.prompt, completion: reply.written() }, now);
            }
            (End::Answered(tokens), _) => place.used(tokens, now),
            (End::Refused, _) => place.refused(),
            _ => {}
        }
        done
    }

    async fn attempt<T>(&self, post: Post, read: &impl AsyncFn(Response, f64) -> Attempt<T>) -> Attempt<T> {
        let until = self.clock.now_ms() + SILENCES * self.timeout_ms;
        let response = within(&*self.clock, self.timeout_ms, self.transport.post(post)).await;
        let mut response = response.ok_or_else(late)??;
        self.traffic().learn(&response.headers, self.clock.now_ms());
        if !(200..300).contains(&response.status) {
            let body = self.whole(&mut response, until).await?;
            let now = self.clock.unix_ms();
            return Err(Fault::read(response.status, &response.headers, &body, now).into());
        }
        read(response, until).await
    }

    /// The next piece of a body, while there is time.
    pub(super) async fn piece(&self, response: &mut Response, until: f64) -> Attempt<Option<Vec<u8>>> {
        let left = (until - self.clock.now_ms()).clamp(0.0, self.timeout_ms);
        Ok(within(&*self.clock, left, response.body.next()).await.ok_or_else(late)??)
    }

    pub(super) async fn whole(&self, response: &mut Response, until: f64) -> Attempt<Vec<u8>> {
        let (mut body, mut came) = (Vec::new(), 0);
        while let Some(piece) = within_limit(self.piece(response, until).await?, &mut came)? {
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}

/// The next piece of a reply of which so many bytes `came` before, while that is not too many.
pub(super) fn within_limit(piece: Option<Vec<u8>>, came: &mut usize) -> Attempt<Option<Vec<u8>>> {
    *came += piece.as_ref().map_or(0, Vec::len);
    if *came <= REPLY_LIMIT {
        return Ok(piece);
    }
    Err(Fault::new(Kind::Unusable, format!("the reply is longer than {} MB", REPLY_LIMIT >> 20)).into())
}

fn late() -> Trouble {
    Fault::new(Kind::Late, "").into()
}
