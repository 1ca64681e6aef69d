//! Plain objects in, plain objects out.

use std::collections::BTreeMap;

use js_sys::Reflect;
use serde::{Deserialize, Serialize};
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

use super::JsResult;
use super::wishes::{Merges, wishes};
use crate::config::IndexConfig;
use crate::error::{Code, Error, Result};
use crate::estimate::By;
use crate::llm::Models;
use crate::options::{AskOptions, Method, set_index, set_query};
use crate::position::Position;
use crate::text::{ChapterStart, ReadOptions};

/// A result as an object of objects, arrays, strings and numbers: what `JSON.parse` would give.
pub(super) fn plain<T: Serialize>(value: &T) -> JsResult {
    value.serialize(&Serializer::json_compatible()).map_err(JsValue::from)
}

/// A tunable's value as JavaScript may give it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Number(f64),
    Text(String),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Build {
    name: Option<String>,
    encoding: Option<String>,
    title: Option<String>,
    chapters: Option<Vec<Chapter>>,
    config: BTreeMap<String, Value>,
    extraction: Extraction,
    concurrency: Option<usize>,
    merges: Option<Merges>,
}

/// A chapter as somebody corrected it; what `chunks` tells of one may be given back.
#[derive(Deserialize)]
struct Chapter {
    #[serde(default)]
    title: String,
    start: u32,
}

/// Who reads the book.
#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Extraction {
    /// Rules.
    #[default]
    Offline,
    /// The chat model.
    Llm,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Ask {
    method: Option<String>,
    steps: Option<u32>,
    choices: Vec<String>,
    context_tokens: Option<u32>,
    up_to: Option<UpTo>,
    config: BTreeMap<String, Value>,
}

/// A reading position as JavaScript gives it.
#[derive(Deserialize)]
#[serde(untagged)]
enum UpTo {
    Share(f64),
    Chapter { chapter: u32 },
    Offset { offset: u32 },
}

impl From<UpTo> for Position {
    fn from(up_to: UpTo) -> Self {
        match up_to {
            UpTo::Share(share) => Self::Share(share),
            UpTo::Chapter { chapter } => Self::Chapter(chapter),
            UpTo::Offset { offset } => Self::Offset(offset),
        }
    }
}

/// An options object, or the defaults for none.
pub(super) fn object<T: Default + for<'a> Deserialize<'a>>(options: &JsValue) -> Result<T> {
    if options.is_undefined() || options.is_null() {
        return Ok(T::default());
    }
    serde_wasm_bindgen::from_value(options.clone())
        .map_err(|error| Error::new(Code::Usage, format!("the options are not as expected: {error}")))
}

/// The most requests sent side by side.
const MOST_AT_ONCE: usize = 64;

/// The models that build a book: `given`, but the chat model only where it is to read the book.
pub(super) fn builders(options: &JsValue, given: Models) -> Result<Models> {
    let Build { extraction, concurrency, .. } = object(options)?;
    let at_once = concurrency.unwrap_or(given.at_once);
    if !(1..=MOST_AT_ONCE).contains(&at_once) {
        let message = format!("concurrency is {at_once}, but must be 1 to {MOST_AT_ONCE}");
        return Err(Error::new(Code::Usage, message));
    }
    let chat = match extraction {
        Extraction::Offline => None,
        Extraction::Llm if given.chat.is_none() => {
            return Err(Error::new(Code::Usage, "extraction is \"llm\", which needs models.chat"));
        }
        Extraction::Llm => given.chat,
    };
    Ok(Models { chat, at_once, ..given })
}

/// Who an estimate is for: the models given, or both where there are none; without the chat model where
/// rules are to read the book.
pub(super) fn estimated_by(options: &JsValue, given: &Models) -> Result<By> {
    let offline = text(options, "extraction").as_deref() == Some("offline");
    let none = given.chat.is_none() && given.embed.is_none();
    Ok(By { chat: !offline && (none || given.chat.is_some()), embed: none || given.embed.is_some() })
}

/// The options of `build` and `chunks`.
pub(super) fn build_options(options: &JsValue) -> Result<(ReadOptions, IndexConfig)> {
    let build: Build = object(options)?;
    let mut config = IndexConfig::default();
    for (key, value) in &build.config {
        set_index(&mut config, key, &value.text())?;
    }
    let (name, encoding, title) = (build.name, build.encoding, build.title);
    let merges = wishes(build.merges)?;
    let chapters = build.chapters.map(|chapters| {
        chapters.into_iter().map(|Chapter { title, start }| ChapterStart { title, start }).collect()
    });
    if chapters.as_ref().is_some_and(Vec::is_empty) {
        return Err(Error::new(Code::Usage, "chapters names none"));
    }
    let chapters = chapters.unwrap_or_default();
    Ok((ReadOptions { name, encoding, title, chapters, merges }, config))
}

/// The options of `retrieve` and `ask`.
pub(super) fn ask_options(options: &JsValue, models: Models) -> Result<AskOptions> {
    let ask: Ask = object(options)?;
    let mut asked = AskOptions { choices: ask.choices, models, ..AskOptions::default() };
    if let Some(method) = &ask.method {
        asked.method = Method::named(method)?;
    }
    asked.context_tokens = ask.context_tokens.unwrap_or(asked.context_tokens);
    asked.up_to = ask.up_to.map(Position::from);
    asked.steps = ask.steps.unwrap_or(asked.steps);
    for (key, value) in &ask.config {
        set_query(&mut asked.config, key, &value.text())?;
    }
    Ok(asked)
}

/// A property; undefined for what has none.
pub(super) fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(key)).unwrap_or(JsValue::UNDEFINED)
}

/// A property that is a text.
pub(super) fn text(object: &JsValue, key: &str) -> Option<String> {
    get(object, key).as_string()
}
