//! What the JavaScript side holds for the engine's models: a store of replies, a gate for pauses, a key that
//! expires. Each is a function, or an object of functions, whose value may be a promise.
//!
//! Invariant: no wait outlasts the caller's, and nothing of what a function throws is repeated: it may hold
//! a key.

use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

use super::clock::JsClock;
use super::convert::get;
use crate::error::{Code, Error, Result};
use crate::llm::wait::within;
use crate::llm::{Gate, Keys, Later, Store};

/// A function of the page's side, and how long a caller waits for it.
#[derive(Clone)]
pub(super) struct Port {
    function: Function,
    this: JsValue,
    signal: Option<AbortSignal>,
}

impl Port {
    /// The function that a value is.
    pub(super) fn of(value: &JsValue, signal: Option<&AbortSignal>) -> Option<Self> {
        let function = value.dyn_ref::<Function>()?.clone();
        Some(Self { function, this: JsValue::UNDEFINED, signal: signal.cloned() })
    }

    fn method(object: &JsValue, name: &str, signal: Option<&AbortSignal>) -> Option<Self> {
        Some(Self { this: object.clone(), ..Self::of(&get(object, name), signal)? })
    }

    /// What a call gives; `failed` is the error where it throws.
    async fn call(&self, given: &[&str], failed: impl Fn() -> Error) -> Result<JsValue> {
        let aborted = || self.signal.as_ref().is_some_and(AbortSignal::aborted);
        if aborted() {
            return Err(Error::aborted());
        }
        let given: Array = given.iter().map(|text| JsValue::from_str(text)).collect();
        let given = self.function.apply(&self.this, &given).map_err(|_| failed())?;
        let given = Promise::new(&mut |resolve, _reject| drop(resolve.call1(&JsValue::UNDEFINED, &given)));
        let clock = JsClock { signal: self.signal.clone() };
        let given = within(&clock, f64::INFINITY, JsFuture::from(given)).await.ok_or_else(Error::aborted)?;
        given.map_err(|_| if aborted() { Error::aborted() } else { failed() })
    }
}

/// `{ get(key), put(key, value) }` as a store.
pub(super) struct JsStore {
    get: Port,
    put: Port,
}

impl JsStore {
    /// The store that an object is.
    pub(super) fn of(object: &JsValue, signal: Option<&AbortSignal>) -> Option<Self> {
        let method = |name| Port::method(object, name, signal);
        Some(Self { get: method("get")?, put: method("put")? })
    }
}

fn lost() -> Error {
    Error::new(Code::Storage, "the store of replies failed")
}

impl Store for JsStore {
    fn get<'a>(&'a self, key: &'a str) -> Later<'a, Result<Option<String>>> {
        Box::pin(async move { Ok(self.get.call(&[key], lost).await?.as_string()) })
    }

    fn put<'a>(&'a self, key: &'a str, value: &'a str) -> Later<'a, Result<()>> {
        Box::pin(async move { self.put.call(&[key, value], lost).await.map(drop) })
    }
}

/// A function as a gate: what it gives resolves once a request may begin.
pub(super) struct JsGate(pub(super) Port);

impl Gate for JsGate {
    fn open(&self) -> Later<'_, Result<()>> {
        let failed = || Error::new(Code::Crashed, "the gate of a pause failed");
        Box::pin(async move { self.0.call(&[], failed).await.map(drop) })
    }
}

/// A function that gives the key of one of the models.
pub(super) struct JsKeys {
    pub(super) port: Port,
    /// Which of `models` it is for.
    pub(super) part: &'static str,
}

impl Keys for JsKeys {
    fn key(&self) -> Later<'_, Result<Option<String>>> {
        let wrong = |what: &str| {
            Error::new(Code::EndpointAuth, format!("the page's function models.{}.key {what}", self.part))
        };
        Box::pin(async move {
            let key = self.port.call(&[], || wrong("failed")).await?;
            if key.is_undefined() || key.is_null() {
                return Ok(None);
            }
            key.as_string().map(Some).ok_or_else(|| wrong("must give a text"))
        })
    }
}
