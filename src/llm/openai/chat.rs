//! Conversations on the wire: `POST /chat/completions`.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::fault::{Fault, Kind};
use super::{tokens, unwritable, written};
use crate::error::Result;
use crate::llm::dialect::{Dialect, Format, Limit};
use crate::llm::thinking::{is_unopened, strip};
use crate::llm::{ChatReply, ChatRequest, Finish, Message, Role, Tokens, Usage};

/// The longest text of a reply, in bytes: many times what is ever asked for.
pub(super) const TEXT_LIMIT: usize = 1 << 20;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Said<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct Said<'a> {
    role: &'static str,
    content: std::borrow::Cow<'a, str>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonSchema { json_schema: Named<'a> },
    JsonObject,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a RawValue,
}

/// A request's body in a dialect.
///
/// # Errors
/// `crashed` where the request's schema is no JSON, which would be a fault of ours.
pub fn encode(request: &ChatRequest, model: &str, dialect: &Dialect) -> Result<String> {
    let limit = Some(request.max_tokens);
    written(&Body {
        model,
        messages: messages(&request.messages, dialect.system),
        max_tokens: limit.filter(|_| dialect.limit == Limit::MaxTokens),
        max_completion_tokens: limit.filter(|_| dialect.limit == Limit::MaxCompletionTokens),
        temperature: dialect.temperature.then_some(request.temperature),
        response_format: response_format(request, dialect.format)?,
        stream: request.stream,
        stream_options: (request.stream && dialect.usage).then_some(StreamOptions { include_usage: true }),
    })
}

/// The schema as it was written: a model fills properties in its order.
fn response_format(request: &ChatRequest, format: Format) -> Result<Option<ResponseFormat<'_>>> {
    let Some(schema) = &request.schema else { return Ok(None) };
    Ok(match format {
        Format::Schema => {
            let json = serde_json::from_str(schema.json).map_err(unwritable)?;
            Some(ResponseFormat::JsonSchema {
                json_schema: Named { name: schema.name, strict: true, schema: json },
            })
        }
        Format::Object => Some(ResponseFormat::JsonObject),
        Format::Prose => None,
    })
}

/// The messages; without a system role, its text goes before the first user's.
fn messages(messages: &[Message], system: bool) -> Vec<Said<'_>> {
    let plain = |m: &'_ Message| m.role.as_str();
    if system {
        return messages
            .iter()
            .map(|m| Said { role: plain(m), content: m.content.as_str().into() })
            .collect();
    }
    let orders = messages.iter().filter(|m| m.role == Role::System).map(|m| m.content.as_str());
    let mut orders = Some(orders.collect::<Vec<_>>().join("\n\n")).filter(|orders| !orders.is_empty());
    let others = messages.iter().filter(|m| m.role != Role::System);
    others
        .map(|m| {
            let before = if m.role == Role::User { orders.take() } else { None };
            let content = match before {
                Some(orders) => format!("{orders}\n\n{}", m.content).into(),
                None => m.content.as_str().into(),
            };
            Said { role: plain(m), content }
        })
        .collect()
}

/// What a model wrote, before it is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The text without the model's thinking.
    pub text: String,
    /// Whether it thought.
    pub thought: bool,
    /// Whether the text held thinking without its begin tag.
    pub unopened: bool,
    /// Why it ended.
    pub finish: Finish,
    /// What it cost.
    pub tokens: Tokens,
}

impl Written {
    /// The reply.
    ///
    /// # Errors
    /// `endpoint_reply` for an empty text, unless a filter withheld it.
    pub fn reply(self) -> std::result::Result<ChatReply, Fault> {
        let Self { text, thought, finish, tokens, .. } = self;
        let why = match finish {
            _ if !text.trim().is_empty() => {
                return Ok(ChatReply { text, finish, tokens, kept: Usage::default() });
            }
            Finish::Filter => return Ok(ChatReply { text, finish, tokens, kept: Usage::default() }),
            Finish::Length if thought => {
                "the model spent all its tokens on thinking and wrote no answer; allow more \
                                          tokens, or use a model that does not think"
            }
            Finish::Length => {
                "the reply is empty and reached its limit of tokens: the prompt may fill the \
                               model's context"
            }
            Finish::Cut => {
                return Err(Fault::new(Kind::Broken, "the stream broke off before the first word"));
            }
            Finish::Stop if thought => "the model thought and wrote no answer",
            Finish::Stop => "the reply is empty",
        };
        Err(Fault::new(Kind::Unusable, why))
    }
}

/// The reply of a page's own function, which gives its text and says why it ended by a server's word.
///
/// # Errors
/// As [`Written::reply`].
pub fn told(text: String, reason: Option<&str>, tokens: Tokens) -> std::result::Result<ChatReply, Fault> {
    within_limit(&text)?;
    let finish = reason.map_or(Finish::Stop, ending);
    Written { text, thought: false, unopened: false, finish, tokens }.reply()
}

/// Reads a reply that came whole.
///
/// # Errors
/// `endpoint_reply` for what is no such reply; the fault that it holds instead.
pub fn decode(body: &[u8]) -> std::result::Result<Written, Fault> {
    let unusable = |what: &str| Fault::new(Kind::Unusable, what);
    let reply: Value = serde_json::from_slice(body).map_err(|_| unusable("the reply is not JSON"))?;
    if let Some(fault) = Fault::within(&reply) {
        return Err(fault);
    }
    let choice = reply.pointer("/choices/0").ok_or_else(|| unusable("the reply has no choices"))?;
    if let Some(fault) = Fault::within(choice) {
        return Err(fault);
    }
    let message = choice.get("message").unwrap_or(&Value::Null);
    let raw = content(message);
    let text = strip(&raw);
    within_limit(&text)?;
    Ok(Written {
        thought: reasoned(message) || text.len() < raw.trim_start().len(),
        unopened: is_unopened(&raw),
        finish: if refused(message) { Finish::Filter } else { finish(choice).unwrap_or(Finish::Stop) },
        tokens: tokens(&reply),
        text,
    })
}

fn within_limit(text: &str) -> std::result::Result<(), Fault> {
    if text.len() <= TEXT_LIMIT {
        return Ok(());
    }
    Err(Fault::new(Kind::Unusable, format!("the reply's text is longer than {} MB", TEXT_LIMIT >> 20)))
}

/// The text of a message or a delta: a text, or the texts among its parts.
pub(super) fn content(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}

/// Whether a message or a delta holds thinking in a field of its own.
pub(super) fn reasoned(message: &Value) -> bool {
    let said = |key: &str| message.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    ["reasoning_content", "reasoning", "thinking"].into_iter().any(said)
}

/// Whether the model declined in the field made for it.
pub(super) fn refused(message: &Value) -> bool {
    message.get("refusal").and_then(Value::as_str).is_some_and(|text| !text.is_empty())
}

/// Why a choice ended, if it has.
pub(super) fn finish(choice: &Value) -> Option<Finish> {
    choice.get("finish_reason")?.as_str().map(ending)
}

/// What a server's word for an ending means.
fn ending(reason: &str) -> Finish {
    match reason {
        "length" | "max_tokens" | "MAX_TOKENS" => Finish::Length,
        "content_filter" | "refusal" | "SAFETY" | "safety" => Finish::Filter,
        "error" => Finish::Cut,
        _ => Finish::Stop,
    }
}
