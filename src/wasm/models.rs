//! The models a page names: endpoints as data, or functions of its own.
//!
//! `{ chat?, embed?, store?, gate?, limits?, budget? }`. `chat` and `embed` are each `{ url, model, key?,
//! headers? }` or a function (`own`), whose property `model` is its name; a key may be a function too. `store`
//! keeps replies and `gate` pauses (`ports`); `limits` say how fast endpoints are asked, `budget` how many
//! tokens the call may cost. [`complete`] and [`embed`] ask models directly, without a book.
//!
//! Invariant: nothing that a page gives, and no key, is repeated in a message.

use std::rc::Rc;

use js_sys::{Array, Float32Array, Function, Object};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use super::clock::JsClock;
use super::convert::{get, object, plain, text};
use super::fetch::Fetch;
use super::own::Own;
use super::ports::{JsGate, JsKeys, JsStore, Port};
use super::{JsResult, error};
use crate::error::{Code, Error, Result};
use crate::llm::caller::Unheard;
use crate::llm::connection::{Memory, TIMEOUT_MS};
use crate::llm::endpoint::{Endpoint, Settings};
use crate::llm::ledger::Ledger;
use crate::llm::retry::PATIENCE_MS;
use crate::llm::traffic::Limits;
use crate::llm::{ChatModel, ChatRequest, Gate, Message, Models, Role, Store};

thread_local! {
    /// What servers take, found out once for all calls.
    static MEMORY: Memory = Memory::default();
}

/// What all calls of this thread know of servers.
pub(super) fn memory() -> Memory {
    MEMORY.with(Memory::clone)
}

/// How fast endpoints are asked, and how long they are waited for.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Limited {
    requests_per_minute: Option<u32>,
    tokens_per_minute: Option<u32>,
    timeout_seconds: Option<f64>,
    patience_seconds: Option<f64>,
}

impl Limited {
    /// The flow, the silence and the patience, where they are set.
    pub(super) fn parts(self) -> (Limits, Option<f64>, Option<f64>) {
        let Self { requests_per_minute, tokens_per_minute, timeout_seconds, patience_seconds } = self;
        let ms = |seconds: Option<f64>| seconds.map(|seconds| seconds * 1e3);
        (Limits { requests_per_minute, tokens_per_minute }, ms(timeout_seconds), ms(patience_seconds))
    }

    fn on(self, endpoint: Endpoint) -> Endpoint {
        let (limits, timeout, patience) = self.parts();
        endpoint
            .within(limits)
            .patient_for(timeout.unwrap_or(TIMEOUT_MS))
            .waiting_for(patience.unwrap_or(PATIENCE_MS))
    }
}

/// The models that a page names for a call with this signal.
///
/// # Errors
/// `usage` for what is no model.
pub(super) fn models(given: &JsValue, signal: Option<&AbortSignal>) -> Result<Models> {
    if given.is_undefined() || given.is_null() {
        return Ok(Models::default());
    }
    let mut models = Models::default();
    if let Some(budget) = get(given, "budget").as_f64() {
        models.ledger = Ledger::with_budget(budget as u64);
    }
    match Model::of(given, "chat", signal)? {
        None => {}
        Some(Model::Endpoint(endpoint)) => models.chat = Some(endpoint),
        Some(Model::Own(own)) => models.chat = Some(Rc::new(own)),
    }
    match Model::of(given, "embed", signal)? {
        None => {}
        Some(Model::Endpoint(endpoint)) => models.embed = Some(endpoint),
        Some(Model::Own(own)) => models.embed = Some(Rc::new(own)),
    }
    // What is kept is answered during a pause too.
    if let Some(port) = Port::of(&get(given, "gate"), signal) {
        let gate: Rc<dyn Gate> = Rc::new(JsGate(port));
        models = models.behind(&gate);
    }
    if let Some(store) = JsStore::of(&get(given, "store"), signal) {
        let store: Rc<dyn Store> = Rc::new(store);
        models = models.keeping(&store);
    }
    Ok(models)
}

/// The chat model that a page names as its judge, if it does: `{ judge: … }` as `chat`.
///
/// # Errors
/// `usage` for what is no model.
pub(super) fn judge(given: &JsValue, signal: Option<&AbortSignal>) -> Result<Option<Rc<dyn ChatModel>>> {
    if given.is_undefined() || given.is_null() {
        return Ok(None);
    }
    Ok(Model::of(given, "judge", signal)?.map(|model| -> Rc<dyn ChatModel> {
        match model {
            Model::Endpoint(endpoint) => endpoint,
            Model::Own(own) => Rc::new(own),
        }
    }))
}

enum Model {
    Endpoint(Rc<Endpoint>),
    Own(Own),
}

impl Model {
    fn of(given: &JsValue, part: &'static str, signal: Option<&AbortSignal>) -> Result<Option<Self>> {
        let model = get(given, part);
        if model.is_undefined() || model.is_null() {
            return Ok(None);
        }
        let signal = signal.cloned();
        if let Some(function) = model.dyn_ref::<Function>() {
            let name = text(&model, "model").unwrap_or_else(|| "page".to_owned());
            return Ok(Some(Self::Own(Own { function: function.clone(), name, signal, part })));
        }
        let settings = settings(&model, &format!("models.{part}"))?;
        let keys = Port::of(&get(&model, "key"), signal.as_ref()).map(|port| JsKeys { port, part });
        let transport = Rc::new(Fetch { signal: signal.clone() });
        let mut endpoint = Endpoint::new(&settings, transport, Rc::new(JsClock { signal }))?;
        if let Some(keys) = keys {
            endpoint = endpoint.with_keys(Rc::new(keys));
        }
        let limited: Limited = object(&get(given, "limits"))?;
        Ok(Some(Self::Endpoint(Rc::new(limited.on(endpoint.remembering(memory()))))))
    }
}

/// The settings of an endpoint as data; `named` is what a message calls it.
///
/// # Errors
/// `usage` for what is none.
pub(super) fn settings(model: &JsValue, named: &str) -> Result<Settings> {
    let refuse = |what: &str| Error::new(Code::Usage, format!("{named} {what}"));
    if !model.is_object() || model.is_function() {
        return Err(refuse("must be { url, model, key?, headers? } or a function"));
    }
    let wanted = |key: &str| text(model, key).ok_or_else(|| refuse(&format!("needs {key}, a text")));
    let headers = get(model, "headers").dyn_into::<Object>().ok().map(|headers| Object::entries(&headers));
    let pair = |entry: JsValue| {
        let entry = Array::from(&entry);
        Some((entry.get(0).as_string()?, entry.get(1).as_string()?))
    };
    let headers: Option<Vec<_>> = headers.unwrap_or_default().iter().map(pair).collect();
    Ok(Settings {
        url: wanted("url")?,
        model: wanted("model")?,
        key: text(model, "key"),
        headers: headers.ok_or_else(|| refuse("has a header that is no text"))?,
    })
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    messages: Vec<Said>,
    max_tokens: Option<u32>,
    temperature: f64,
}

#[derive(Deserialize)]
struct Said {
    role: String,
    content: String,
}

impl Said {
    fn message(self) -> Result<Message> {
        let role =
            [Role::System, Role::User, Role::Assistant].into_iter().find(|role| role.as_str() == self.role);
        let role =
            role.ok_or_else(|| Error::new(Code::Usage, "a message's role must be system, user or assistant"));
        Ok(Message { role: role?, content: self.content })
    }
}

#[derive(Serialize)]
struct Reply<'a> {
    text: &'a str,
    finish_reason: &'static str,
    usage: Usage,
}

#[derive(Serialize)]
struct Usage {
    prompt_tokens: u32,
    completion_tokens: u32,
}

/// Completes `{ messages, max_tokens?, temperature? }` by `models.chat`; `on_text` hears the text as it
/// comes. Gives `{ text, finish_reason, usage }`.
#[wasm_bindgen]
pub async fn complete(
    given: JsValue,
    request: JsValue,
    signal: Option<AbortSignal>,
    on_text: Option<Function>,
) -> JsResult {
    let completed = async {
        let chat = models(&given, signal.as_ref())?.chat.ok_or_else(|| missing("chat"))?;
        let asked: Asked = object(&request)?;
        let request = ChatRequest {
            messages: asked.messages.into_iter().map(Said::message).collect::<Result<_>>()?,
            schema: None,
            max_tokens: asked.max_tokens.unwrap_or(1024),
            temperature: asked.temperature,
            stream: on_text.is_some(),
        };
        // A listener's own failure is not the call's.
        let heard = |piece: &str| {
            let _ = on_text.as_ref().map(|on_text| on_text.call1(&JsValue::NULL, &JsValue::from_str(piece)));
        };
        chat.chat(&request, &heard).await
    };
    let reply = completed.await.map_err(error::thrown)?;
    let usage = Usage { prompt_tokens: reply.tokens.prompt, completion_tokens: reply.tokens.completion };
    plain(&Reply { text: &reply.text, finish_reason: reply.finish.as_str(), usage })
}

/// The vectors of texts by `models.embed`, each a `Float32Array` of unit length.
#[wasm_bindgen]
pub async fn embed(given: JsValue, texts: Vec<String>, signal: Option<AbortSignal>) -> JsResult {
    let embedded = async {
        let embed = models(&given, signal.as_ref())?.embed.ok_or_else(|| missing("embed"))?;
        embed.embed(&texts, &Unheard).await
    };
    let vectors = embedded.await.map_err(error::thrown)?.vectors;
    let list: Array =
        vectors.iter().map(|vector| JsValue::from(Float32Array::from(vector.as_slice()))).collect();
    Ok(list.into())
}

fn missing(part: &str) -> Error {
    Error::new(Code::Usage, format!("models.{part} is not given"))
}
