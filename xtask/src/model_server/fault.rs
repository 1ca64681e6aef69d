//! The faults by name: one table, which the command line, the script and the help read.
//!
//! A fault is a kind and at most one value. What it does stands where it is done: `refusal.rs`
//! (instead of a reply), `chat.rs` and `spoil.rs` (in the text), `embeddings.rs` (in the vectors),
//! `delivery.rs` (in the bytes and their time), `cors.rs` (towards a page).

use Kind::*;
use serde_json::Value;

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    Chat,
    Embeddings,
    Models,
    /// A page's question whether it may ask (`OPTIONS`).
    Preflight,
}

impl Endpoint {
    const NAMED: [(&str, Endpoint); 4] = [
        ("chat", Endpoint::Chat),
        ("embeddings", Endpoint::Embeddings),
        ("models", Endpoint::Models),
        ("preflight", Endpoint::Preflight),
    ];

    pub fn named(name: &str) -> Result<Self, String> {
        let found = Self::NAMED.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, endpoint)| *endpoint)
            .ok_or_else(|| format!("`on` is `{name}`, but must be chat, embeddings, models or preflight"))
    }
}

const ANY: &[Endpoint] = &[Endpoint::Chat, Endpoint::Embeddings, Endpoint::Models];
const ASKED: &[Endpoint] = &[Endpoint::Chat, Endpoint::Embeddings];
const CHAT: &[Endpoint] = &[Endpoint::Chat];
const EMBEDDINGS: &[Endpoint] = &[Endpoint::Embeddings];
const PAGE: &[Endpoint] = &[Endpoint::Chat, Endpoint::Embeddings, Endpoint::Models, Endpoint::Preflight];
const PREFLIGHT: &[Endpoint] = &[Endpoint::Preflight];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Status,
    RateLimit,
    RateLimitDate,
    RateLimitMs,
    RateLimitBare,
    Quota,
    Key,
    UnknownModel,
    Refuse,
    Context,
    Window,
    FilterRefused,
    Redirect,
    Html,
    NoBody,
    Hang,
    Slow,
    Cut,
    EndEarly,
    Stall,
    Split,
    StreamError,
    NotStreamed,
    NoDone,
    NoUsage,
    Crlf,
    Comments,
    JsonFenced,
    JsonProse,
    JsonTrailingComma,
    JsonSingleQuotes,
    JsonCut,
    JsonRenamed,
    Empty,
    Length,
    Filter,
    Reasoning,
    Think,
    ThinkUnclosed,
    ThinkUnopened,
    Width,
    Zeros,
    Nan,
    Null,
    Count,
    Reversed,
    Base64,
    NoCors,
    NoPrivateNetwork,
}

/// What may follow a fault's name, and what it is when nothing does.
#[derive(Clone, Copy)]
pub enum Takes {
    Nothing,
    Number(u64),
    Text(&'static str),
    /// A text without which the fault means nothing.
    Needed,
}

use Takes::{Needed, Nothing, Number, Text};

/// Name, kind, the endpoints where it happens, its value, and what the client meets.
type Row = (&'static str, Kind, &'static [Endpoint], Takes, &'static str);

pub const FAULTS: [Row; 49] = [
    ("status", Status, ANY, Number(500), "an error of HTTP status N"),
    ("rate-limit", RateLimit, ANY, Number(1), "429 with `Retry-After: N` (seconds)"),
    ("rate-limit-date", RateLimitDate, ANY, Number(1), "429 with `Retry-After:` the date in N seconds"),
    ("rate-limit-ms", RateLimitMs, ANY, Number(100), "429 with `Retry-After-Ms: N`"),
    ("rate-limit-bare", RateLimitBare, ANY, Nothing, "429 that names no time"),
    ("quota", Quota, ANY, Nothing, "429 whose code says that the money is spent"),
    ("key", Key, ANY, Text("secret"), "401 unless the key is this TEXT"),
    ("unknown-model", UnknownModel, ASKED, Text(""), "404 for the model TEXT, for every model without it"),
    (
        "refuse",
        Refuse,
        ASKED,
        Needed,
        "400 where the body has the field TEXT, or asks for the form json_schema or json_object",
    ),
    ("context", Context, ASKED, Number(4096), "400 where the prompt has more than N tokens"),
    (
        "window",
        Window,
        CHAT,
        Number(2048),
        "the reply is to the last N tokens of the prompt, and counts those",
    ),
    ("filter-refused", FilterRefused, ASKED, Nothing, "400 with the code content_filter"),
    (
        "redirect",
        Redirect,
        ANY,
        Text(""),
        "307 to the address TEXT; without it, to this server as `localhost`",
    ),
    ("html", Html, ANY, Nothing, "200 with a web page"),
    ("no-body", NoBody, ANY, Nothing, "200 with an empty body"),
    ("hang", Hang, ANY, Number(0), "silence for N seconds, then the reply; 0: until someone ends it"),
    ("slow", Slow, ANY, Number(1000), "the reply after N ms"),
    ("cut", Cut, ANY, Number(100), "the connection breaks after N bytes of the body"),
    ("end-early", EndEarly, ANY, Number(100), "the body ends after N bytes as if it were whole"),
    ("stall", Stall, ANY, Number(100), "silence after N bytes of the body"),
    ("split", Split, ANY, Number(1), "the body in pieces of N bytes, also inside a letter"),
    ("stream-error", StreamError, CHAT, Number(1), "an error event after N pieces of the text"),
    ("not-streamed", NotStreamed, CHAT, Nothing, "a plain reply where a stream was asked for"),
    ("no-done", NoDone, CHAT, Nothing, "a stream that ends without [DONE]"),
    ("no-usage", NoUsage, ASKED, Nothing, "no token counts"),
    ("crlf", Crlf, CHAT, Nothing, "a stream with CRLF line ends"),
    ("comments", Comments, CHAT, Nothing, "a comment before each event of the stream"),
    ("json-fenced", JsonFenced, CHAT, Nothing, "the text in a Markdown fence"),
    ("json-prose", JsonProse, CHAT, Nothing, "sentences before and after the text"),
    ("json-trailing-comma", JsonTrailingComma, CHAT, Nothing, "a comma before the last bracket"),
    ("json-single-quotes", JsonSingleQuotes, CHAT, Nothing, "JSON with single quotes"),
    ("json-cut", JsonCut, CHAT, Number(66), "the first N percent of the text"),
    ("json-renamed", JsonRenamed, CHAT, Nothing, "JSON with other field names"),
    ("empty", Empty, CHAT, Nothing, "an empty text"),
    ("length", Length, CHAT, Number(0), "the first N words of the text, finish_reason length"),
    ("filter", Filter, CHAT, Number(0), "the first N words of the text, finish_reason content_filter"),
    ("reasoning", Reasoning, CHAT, Nothing, "reasoning_content beside the text"),
    ("think", Think, CHAT, Nothing, "<think>..</think> before the text"),
    ("think-unclosed", ThinkUnclosed, CHAT, Nothing, "<think> and nothing that closes it"),
    ("think-unopened", ThinkUnopened, CHAT, Nothing, "thoughts, </think>, then the text"),
    ("width", Width, EMBEDDINGS, Number(32), "vectors of N numbers"),
    ("zeros", Zeros, EMBEDDINGS, Nothing, "vectors of zeros"),
    ("nan", Nan, EMBEDDINGS, Nothing, "vectors that begin with NaN"),
    ("null", Null, EMBEDDINGS, Nothing, "vectors that begin with null"),
    ("count", Count, EMBEDDINGS, Number(1), "N vectors fewer than texts"),
    ("reversed", Reversed, EMBEDDINGS, Nothing, "the vectors in reverse order, each with its right index"),
    ("base64", Base64, EMBEDDINGS, Nothing, "base64 where floats were asked for"),
    ("no-cors", NoCors, PAGE, Nothing, "no headers that let a page read the reply"),
    ("no-private-network", NoPrivateNetwork, PREFLIGHT, Nothing, "no leave for a page of a public address"),
];

/// A fault with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub name: &'static str,
    pub kind: Kind,
    pub number: u64,
    pub text: String,
}

impl Fault {
    /// The fault of this name; `value` is its number or text.
    pub fn new(name: &str, value: Option<&str>) -> Result<Self, String> {
        let (name, kind, _, takes, _) = FAULTS.iter().find(|row| row.0 == name).ok_or_else(|| {
            format!("there is no fault `{name}`; `cargo xtask model-server --faults` lists them")
        })?;
        let mut fault = Self { name, kind: *kind, number: 0, text: String::new() };
        match (takes, value) {
            (Nothing, None) => (),
            (Nothing, Some(value)) => {
                return Err(format!("the fault `{name}` takes no value, but has `{value}`"));
            }
            (Number(default), None) => fault.number = *default,
            (Number(_), Some(value)) => {
                let number = value.parse();
                fault.number = number
                    .map_err(|_| format!("the value of `{name}` is `{value}`, but must be a whole number"))?;
            }
            (Text(default), value) => fault.text = value.unwrap_or(default).to_owned(),
            (Needed, Some(value)) => fault.text = value.to_owned(),
            (Needed, None) => return Err(format!("the fault `{name}` needs a value")),
        }
        Ok(fault)
    }

    /// As [`Fault::new`], of a value as JSON holds it.
    pub fn of_json(name: &str, value: Option<&Value>) -> Result<Self, String> {
        match value {
            None => Self::new(name, None),
            Some(Value::String(text)) => Self::new(name, Some(text)),
            Some(other) => Self::new(name, Some(&other.to_string())),
        }
    }

    /// Where it happens unless a rule narrows it.
    pub fn endpoints(&self) -> &'static [Endpoint] {
        FAULTS.iter().find(|row| row.1 == self.kind).map_or(ANY, |row| row.2)
    }
}

/// The table as help.
pub fn listing() -> String {
    let lines = FAULTS.iter().map(|(name, _, _, takes, what)| {
        let value = match takes {
            Nothing => String::new(),
            Number(default) => format!(":N ({default})"),
            Text("") | Needed => ":TEXT".to_owned(),
            Text(default) => format!(":TEXT ({default})"),
        };
        format!("  {:<28} {what}\n", format!("{name}{value}"))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_one_name() {
        for (at, row) in FAULTS.iter().enumerate() {
            assert!(!FAULTS[..at].iter().any(|other| other.0 == row.0 || other.1 == row.1), "{}", row.0);
        }
    }

    #[test]
    fn values_are_checked() {
        assert_eq!(Fault::new("cut", Some("7")).unwrap().number, 7);
        assert_eq!(Fault::new("status", None).unwrap().number, 500);
        assert_eq!(Fault::of_json("refuse", Some(&"temperature".into())).unwrap().text, "temperature");
        for (name, value) in [("cut", Some("x")), ("zeros", Some("1")), ("refuse", None), ("gone", None)] {
            assert!(Fault::new(name, value).is_err(), "{name}");
        }
    }
}
