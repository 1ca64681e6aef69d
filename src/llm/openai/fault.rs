//! What a server says when it does not do what it was asked.
//!
//! There is no standard: the message stands under `error.message`, `error`, `message` or `detail`, in an
//! array, or in a page; the kind shows in the status, in a code, or only in the words. [`Fault::read`]
//! takes all forms that `tests/data/servers` holds and any other bytes, and [`Fault::error`] says to a
//! person what to do.
//!
//! Decided here: a status of 500 and above is `endpoint_unreachable` (there is a server, but no answer),
//! 408, 504 and 524 are `endpoint_timeout`; an empty purse is `endpoint_refused`, since waiting does not
//! fill it, and a full minute is `endpoint_rate_limited`.
//!
//! Invariant: an error holds neither key nor prompt. A server's words are quoted only shortened, and not
//! where they repeat what was sent.

use serde_json::Value;

use super::later;
use crate::error::{Code, Error};

/// What went wrong, as far as it changes what is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The key is missing, wrong, or may not do this.
    Auth,
    /// The account has no credit left.
    Credit,
    /// There is no such model.
    Model,
    /// Nothing answers at this path.
    Path,
    /// Too many requests.
    Busy,
    /// The text is longer, or the batch larger, than the model takes.
    TooLong,
    /// A content filter withheld the reply.
    Filtered,
    /// The request was refused for another reason.
    Refused,
    /// The server did not answer in time.
    Late,
    /// The server failed.
    Failed,
    /// The reply is not what it should be.
    Unusable,
    /// The reply broke off before its first word.
    Broken,
    /// The vectors are not what they should be.
    Vectors,
}

/// A refusal or a failure of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What went wrong.
    pub kind: Kind,
    /// The HTTP status, 200 if the fault is in the reply.
    pub status: u16,
    /// What the server says; untrusted.
    pub said: String,
    /// The field that the server blames.
    pub param: Option<String>,
    /// How long the server asks to wait, in milliseconds.
    pub retry_after_ms: Option<f64>,
}

/// Who was asked what, for a message about it.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The server's origin.
    pub origin: &'a str,
    /// The model's name.
    pub model: &'a str,
    /// Whether a key was sent.
    pub with_key: bool,
    /// The request's body, which must not be repeated.
    pub body: &'a str,
    /// Keys and whatever else of headers and address may be one, which must not be repeated either.
    pub secrets: &'a [String],
}

impl Fault {
    /// A fault of ours to name, in a reply that came.
    pub fn new(kind: Kind, said: impl Into<String>) -> Self {
        Self { kind, status: 200, said: said.into(), param: None, retry_after_ms: None }
    }

    /// Reads a response whose status is no success.
    /// `now` is the time since 1970 in milliseconds, where it is known.
    pub fn read(status: u16, headers: &[(String, String)], body: &[u8], now: Option<f64>) -> Self {
        let text = String::from_utf8_lossy(body);
        let json: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let page = || if text.trim_start().starts_with('<') { "" } else { text.trim() }.to_owned();
        let said = if json.is_null() { Some(page()) } else { None };
        let fault = Self::of(status, &json, said);
        let retry_after_ms = later::asked_ms(headers, &fault.said, &json, now);
        Self { retry_after_ms, ..fault }
    }

    /// The fault that a reply holds though its status is a success.
    pub fn within(reply: &Value) -> Option<Self> {
        let error = reply.get("error").filter(|error| !error.is_null())?;
        let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let status = status.filter(|code| (400..600).contains(code)).unwrap_or(500);
        let fault = Self::of(status, reply, None);
        let retry_after_ms = later::asked_ms(&[], &fault.said, reply, None);
        Some(Self { retry_after_ms, ..fault })
    }

    fn of(status: u16, json: &Value, said: Option<String>) -> Self {
        // Gemini puts its error into an array.
        let json = json.get(0).unwrap_or(json);
        let error = json.get("error").unwrap_or(json);
        let said = said.unwrap_or_else(|| message(error).or_else(|| detail(json)).unwrap_or_default());
        let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_owned);
        let param = text("param").or_else(|| blamed(json));
        let words = [text("code"), text("type"), text("status"), reason(error)];
        let flagged = error.pointer("/metadata/flagged_input").is_some();
        let clues = Clues {
            status,
            codes: words.into_iter().flatten().collect::<Vec<_>>().join(" ").to_lowercase(),
            said: said.to_lowercase(),
            flagged,
            blames_model: param.as_deref() == Some("model"),
        };
        Self { kind: clues.kind(), status, said, param, retry_after_ms: None }
    }

    /// The error that a caller gets, which says what to do.
    pub fn error(&self, asking: Asking<'_>) -> Error {
        let Asking { origin, model, .. } = asking;
        let status = self.status;
        let quoted = self.quoted(asking);
        let message = match self.kind {
            Kind::Auth if !asking.with_key && status != 403 => {
                format!("{origin} wants a key (status {status})")
            }
            Kind::Auth if status == 403 => format!(
                "{origin} does not allow this (status 403): the key may lack the right, or the server does not \
                 accept requests from this page's origin"
            ),
            Kind::Auth => format!("{origin} does not take this key (status {status})"),
            Kind::Credit => format!("the account at {origin} has no credit or quota left (status {status})"),
            Kind::Model => format!("{origin} has no model {model:?}{quoted}"),
            Kind::Path => {
                format!(
                    "nothing answers at this path of {origin} (status {status}): must the URL end in /v1?"
                )
            }
            Kind::Busy => format!("{origin} takes no more requests for now (status {status})"),
            Kind::TooLong => format!("what was sent is longer than {model:?} at {origin} takes{quoted}"),
            Kind::Filtered => format!("a content filter of {origin} withheld the reply"),
            Kind::Refused => format!("{origin} refused the request (status {status}){quoted}"),
            Kind::Late => format!("{origin} did not answer in time"),
            Kind::Failed => format!("{origin} failed (status {status}){quoted}"),
            Kind::Unusable | Kind::Broken | Kind::Vectors => format!("{model:?} at {origin}: {}", self.said),
        };
        Error::new(self.code(), message)
    }

    /// The stable code of this fault.
    pub fn code(&self) -> Code {
        match self.kind {
            Kind::Auth => Code::EndpointAuth,
            Kind::Busy => Code::EndpointRateLimited,
            Kind::Late => Code::EndpointTimeout,
            Kind::Failed => Code::EndpointUnreachable,
            Kind::Unusable | Kind::Broken => Code::EndpointReply,
            Kind::Vectors => Code::VectorInvalid,
            Kind::Credit | Kind::Model | Kind::Path | Kind::TooLong | Kind::Filtered | Kind::Refused => {
                Code::EndpointRefused
            }
        }
    }

    /// `: ` and the server's words on one line, or nothing where they repeat the request.
    fn quoted(&self, Asking { body, secrets, .. }: Asking<'_>) -> String {
        const LONGEST: usize = 160;
        const ECHO: usize = 32;
        let words: Vec<&str> = self.said.split(|c: char| c.is_whitespace() || c.is_control()).collect();
        let line: Vec<char> = words.join(" ").chars().collect();
        let line = line.get(..LONGEST).unwrap_or(&line);
        let echo = line.windows(ECHO).any(|run| body.contains(&run.iter().collect::<String>()));
        let line: String = line.iter().collect();
        let key = secrets.iter().any(|secret| repeats(&line, secret))
            || line
                .split([' ', '"', '\'', ':'])
                .any(|word| word.starts_with("sk-") || word.starts_with("AIza"));
        if echo || key || line.trim().is_empty() {
            String::new()
        } else {
            format!(": {}", line.trim_end_matches('.'))
        }
    }
}

/// Whether a text holds a secret, or a part of it; what is shorter than a part is no secret.
fn repeats(text: &str, secret: &str) -> bool {
    const PART: usize = 8;
    let secret: Vec<char> = secret.chars().collect();
    secret.windows(PART).any(|part| text.contains(&part.iter().collect::<String>()))
}

/// What tells the kinds of faults apart.
struct Clues {
    status: u16,
    /// Codes and types, in lower case.
    codes: String,
    /// The message, in lower case.
    said: String,
    flagged: bool,
    blames_model: bool,
}

/// Words of texts and batches that are too long.
const TOO_LONG: [&str; 19] = [
    "request too large",
    "tokens must be reduced",
    "context length",
    "context size",
    "context window",
    "context_length",
    "prompt is too long",
    "input is too long",
    "input length",
    "input token count",
    "too many tokens",
    "too large to process",
    "maximum number of tokens",
    "maximum input",
    "reduce the length",
    "in one batch",
    "batch size",
    "too many inputs",
    "tokens per request",
];

/// Words of models that are not there.
const NO_MODEL: [&str; 6] = [
    "not found",
    "does not exist",
    "not a valid model",
    "invalid model",
    "no models loaded",
    "unknown model",
];

impl Clues {
    fn kind(&self) -> Kind {
        let code = |word: &str| self.codes.contains(word);
        let said = |words: &[&str]| words.iter().any(|word| self.said.contains(word));
        let no_model = code("model_not_found") || self.said.contains("model") && said(&NO_MODEL);
        if code("content_filter")
            || code("content_policy")
            || self.flagged
            || said(&["content management policy"])
        {
            return Kind::Filtered;
        }
        if code("insufficient_quota") || code("credit") || code("spend_limit") || said(&["credit balance"]) {
            return Kind::Credit;
        }
        if code("context_length") || code("exceed_context") || said(&TOO_LONG) {
            return Kind::TooLong;
        }
        if code("api_key") || said(&["api key not valid"]) {
            return Kind::Auth;
        }
        match self.status {
            401 | 403 => Kind::Auth,
            402 => Kind::Credit,
            408 | 504 | 524 => Kind::Late,
            413 => Kind::TooLong,
            429 => Kind::Busy,
            400..=499 if no_model || self.blames_model => Kind::Model,
            404 if self.said.contains("model") => Kind::Model,
            404 | 405 => Kind::Path,
            500.. => Kind::Failed,
            _ => Kind::Refused,
        }
    }
}

/// `error.message`, or `error` itself where it is a text.
fn message(error: &Value) -> Option<String> {
    let text = error.as_str().or_else(|| error.get("message").and_then(Value::as_str))?;
    Some(text.to_owned())
}

/// What a checker of request bodies found: `detail` as a text or as a list of places and messages.
fn detail(json: &Value) -> Option<String> {
    let detail = json.get("detail")?;
    let one = |item: &Value| {
        let place: Vec<&str> = item.get("loc")?.as_array()?.iter().filter_map(Value::as_str).collect();
        Some(format!("{}: {}", place.join("."), item.get("msg")?.as_str()?))
    };
    let list = || Some(detail.as_array()?.iter().filter_map(one).collect::<Vec<_>>().join("; "));
    detail.as_str().map(str::to_owned).or_else(list)
}

/// The field that such a list blames first.
fn blamed(json: &Value) -> Option<String> {
    json.pointer("/detail/0/loc")?.as_array()?.last()?.as_str().map(str::to_owned)
}

/// Google's name for the cause.
fn reason(error: &Value) -> Option<String> {
    let details = error.get("details")?.as_array()?;
    details.iter().find_map(|detail| detail.get("reason")?.as_str().map(str::to_owned))
}
