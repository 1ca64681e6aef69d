//! What a server and a model take, learned from what they refuse.
//!
//! Servers that call themselves compatible differ in a handful of fields: one wants
//! `max_completion_tokens` for `max_tokens`, one knows no `json_schema`, one takes no temperature. We send
//! the form that most take, and when a refusal names a field that was sent, [`Dialect::after`] gives the
//! form without it, or with its substitute. No list of servers or models decides anything.
//!
//! Invariant: a step leaves less to refuse and none leads back, so at most eight steps end every
//! negotiation; a refusal that names nothing we can change is the error.

use super::openai::fault::{Fault, Kind};
use super::{ChatRequest, Role};

/// How the length of a reply is limited. Each step is tried when the one before is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// By `max_tokens`, which most servers know.
    #[default]
    MaxTokens,
    /// By `max_completion_tokens`, which OpenAI's newer models want.
    MaxCompletionTokens,
    /// Not at all: by the server's own limit.
    Unlimited,
}

/// How a reply is held to JSON. Each step is tried when the one before is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// By a schema.
    #[default]
    Schema,
    /// To any JSON object.
    Object,
    /// By the prompt alone.
    Prose,
}

/// The form of requests that a server and a model take, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// How the length of a reply is limited.
    pub limit: Limit,
    /// How a reply is held to JSON.
    pub format: Format,
    /// Whether `temperature` is sent.
    pub temperature: bool,
    /// Whether there is a system role; else its text goes before the first user's.
    pub system: bool,
    /// Whether a stream is asked for its usage, by `stream_options`.
    pub usage: bool,
    /// Whether vectors are asked for as floats, by `encoding_format`.
    pub float: bool,
    /// Whether the model's thinking comes without its begin tag, see [`thinking`](super::thinking).
    pub unopened: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            limit: Limit::default(),
            format: Format::default(),
            temperature: true,
            system: true,
            usage: true,
            float: true,
            unopened: false,
        }
    }
}

/// What is asked of a server.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    /// To complete a conversation.
    Chat(&'a ChatRequest),
    /// To embed texts.
    Embeddings(&'a [String]),
}

/// A part of a request that can be changed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Field {
    Limit,
    Format,
    Temperature,
    System,
    Usage,
    Float,
}

impl Dialect {
    /// The dialect to try after a refusal; `None` if it names nothing that was sent and can be changed.
    pub fn after(self, fault: &Fault, asked: Asked<'_>) -> Option<Dialect> {
        if !matches!(fault.kind, Kind::Refused | Kind::Failed) {
            return None;
        }
        let message = fault.said.to_lowercase();
        let param = fault.param.as_deref().unwrap_or_default().to_lowercase();
        let sent = self.fields(asked);
        let named = |text: &str| {
            let places = sent.iter().filter_map(|&field| Some((self.mention(field, text)?, field)));
            places.min_by_key(|&(place, _)| place).map(|(_, field)| field)
        };
        named(&param).or_else(|| named(&message)).map(|field| self.without(field))
    }

    /// What can be changed of a request that was sent.
    fn fields(self, asked: Asked<'_>) -> Vec<Field> {
        let rows = match asked {
            Asked::Embeddings(_) => vec![(Field::Float, self.float)],
            Asked::Chat(request) => vec![
                (Field::Limit, self.limit != Limit::Unlimited),
                (Field::Format, request.schema.is_some() && self.format != Format::Prose),
                (Field::Temperature, self.temperature),
                (Field::System, self.system && request.messages.iter().any(|m| m.role == Role::System)),
                (Field::Usage, self.usage && request.stream),
            ],
        };
        rows.into_iter().filter(|(_, sent)| *sent).map(|(field, _)| field).collect()
    }

    /// Where a text speaks of a field.
    fn mention(self, field: Field, text: &str) -> Option<usize> {
        let words: &[&str] = match field {
            Field::Limit if self.limit == Limit::MaxTokens => &["max_tokens"],
            Field::Limit => &["max_completion_tokens"],
            Field::Format => &[
                "response_format",
                "json_schema",
                "json_object",
                "structured output",
                "structured outputs",
                "json mode",
                "grammar",
                "schema",
            ],
            Field::Temperature => &["temperature"],
            Field::System => &[
                "messages[0].role",
                "system role",
                "system message",
                "system prompt",
                "developer instruction",
                "'system'",
                "roles must alternate",
            ],
            Field::Usage => &["stream_options", "include_usage"],
            Field::Float => &["encoding_format"],
        };
        words.iter().filter_map(|word| find_word(text, word)).min()
    }

    fn without(self, field: Field) -> Dialect {
        let mut next = self;
        match field {
            Field::Limit if self.limit == Limit::MaxTokens => next.limit = Limit::MaxCompletionTokens,
            Field::Limit => next.limit = Limit::Unlimited,
            Field::Format if self.format == Format::Schema => next.format = Format::Object,
            Field::Format => next.format = Format::Prose,
            Field::Temperature => next.temperature = false,
            Field::System => next.system = false,
            Field::Usage => next.usage = false,
            Field::Float => next.float = false,
        }
        next
    }
}

/// Where a word stands in a text, not as a part of another.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).map(|(place, _)| place).find(|&place| {
        let before = text.get(..place).and_then(|before| before.chars().next_back());
        let behind = text.get(place + word.len()..).and_then(|behind| behind.chars().next());
        !before.is_some_and(part) && !behind.is_some_and(part)
    })
}
