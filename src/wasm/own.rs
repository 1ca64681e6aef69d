//! A function of the page as a chat model and as an embedder.
//!
//! A chat function gets `(request, { signal, onText })`, with the request as an endpoint would get it, and
//! gives a text or `{ text, finish_reason?, usage? }`; an embedding function gets `(texts, { signal })` and
//! gives a list of lists of numbers. Either may give a promise. What they give is as untrusted as what a
//! server gives, and read by the same functions.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use js_sys::{Array, Float32Array, Function, JSON, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

use super::clock::{JsClock, now_ms};
use super::convert::{get, text};
use crate::error::{Code, Error, Result};
use crate::llm::batch::batches;
use crate::llm::caller::{Caller, End};
use crate::llm::dialect::{Asked, Dialect};
use crate::llm::openai::chat;
use crate::llm::told::Told;
use crate::llm::wait::within;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Embedded, Embedder, Later, Tokens, Usage, vectors};

/// A function of the page.
pub(super) struct Own {
    pub(super) function: Function,
    pub(super) name: String,
    pub(super) signal: Option<AbortSignal>,
    /// Which of `models` it is.
    pub(super) part: &'static str,
}

impl Own {
    /// Calls the function; what it gives may be a promise.
    fn call(&self, given: &JsValue, on_text: Option<&JsValue>, caller: &dyn Caller) -> Result<JsFuture> {
        if self.signal.as_ref().is_some_and(AbortSignal::aborted) {
            return Err(Error::aborted());
        }
        caller.leaves();
        let options = Object::new();
        let mut set = vec![("signal", self.signal.clone().map_or(JsValue::UNDEFINED, JsValue::from))];
        set.extend(on_text.map(|on_text| ("onText", on_text.clone())));
        for (key, value) in set {
            // Setting a property of an object made here cannot fail.
            let _ = Reflect::set(&options, &JsValue::from_str(key), &value);
        }
        let given = self.function.call2(&JsValue::NULL, given, &options);
        let given = given.map_err(|thrown| self.failed(&thrown))?;
        // What it gives may be a promise, or whatever throws when it is looked at: then that is its failure.
        let given = Promise::new(&mut |resolve, _reject| drop(resolve.call1(&JsValue::UNDEFINED, &given)));
        Ok(JsFuture::from(given))
    }

    /// Waits for what a call gives, and no longer than the caller does: a function may not heed the signal.
    async fn wait(
        &self,
        call: impl Future<Output = std::result::Result<JsValue, JsValue>>,
    ) -> Result<JsValue> {
        let clock = JsClock { signal: self.signal.clone() };
        let given = within(&clock, f64::INFINITY, call).await.ok_or_else(Error::aborted)?;
        given.map_err(|thrown| self.failed(&thrown))
    }

    fn failed(&self, thrown: &JsValue) -> Error {
        if self.signal.as_ref().is_some_and(AbortSignal::aborted) {
            return Error::aborted();
        }
        let message = text(thrown, "message").or_else(|| thrown.as_string()).unwrap_or_default();
        let message: String = message.chars().filter(|c| !c.is_control()).take(160).collect();
        self.unusable(&format!("failed: {message}"))
    }

    fn unusable(&self, what: &str) -> Error {
        Error::new(Code::EndpointReply, format!("the page's function models.{} {what}", self.part))
    }

    async fn complete(&self, request: &ChatRequest, caller: &dyn Caller) -> Result<ChatReply> {
        let body = chat::encode(request, &self.name, &Dialect { usage: false, ..Dialect::default() })?;
        let body = JSON::parse(&body).map_err(|_| self.unusable("cannot be asked"))?;
        let pieces = Rc::new(Pieces::default());
        let on_text = pieces.listener();
        let mut told = Told::default();
        let hear = |piece: &str| {
            if request.stream && !piece.is_empty() {
                caller.hear(piece);
            }
        };
        let mut tell = |piece: &str| hear(&told.push(piece));
        caller.sends(Asked::Chat(request), false).await?;
        let began = now_ms();
        let given = self.wait(pieces.during(self.call(&body, Some(&on_text), caller)?, &mut tell)).await?;
        caller.ended(End::Answered(tokens(&given)), now_ms() - began);
        let whole = given.as_string().or_else(|| text(&given, "text"));
        let whole = whole.ok_or_else(|| self.unusable("must give a text or { text }"))?;
        let (reply, rest) = told.end(&whole);
        hear(&rest);
        chat::told(reply, text(&given, "finish_reason").as_deref(), tokens(&given))
            .map_err(|fault| self.unusable(&format!("cannot be used: {}", fault.said)))
    }

    async fn embed_all(&self, texts: &[String], caller: &dyn Caller) -> Result<Embedded> {
        let wrong =
            |what| Error::new(Code::VectorInvalid, format!("the page's function models.embed: {what}"));
        let mut all = Vec::with_capacity(texts.len());
        for run in batches(texts) {
            let some = texts.get(run).unwrap_or_default();
            let list: Array = some.iter().map(JsValue::from).collect();
            caller.sends(Asked::Embeddings(some), false).await?;
            let began = now_ms();
            let given = self.wait(self.call(&list, None, caller)?).await?;
            caller.ended(End::Answered(Tokens::default()), now_ms() - began);
            let count = length(&given).ok_or_else(|| self.unusable("must give a list of vectors"))?;
            if count != some.len() as f64 {
                return Err(wrong(format!("{count} vectors came for {} texts", some.len())));
            }
            let vector = |at: usize| numbers(&Reflect::get_u32(&given, at as u32).ok()?);
            let vectors: Option<Vec<_>> = (0..some.len()).map(vector).collect();
            let most = vectors::WIDEST;
            let vectors = vectors
                .ok_or_else(|| wrong(format!("it must give lists of numbers, {most} in each at most")))?;
            all.extend(vectors::unit(vectors, some.len()).map_err(wrong)?);
        }
        // Once more, for one width in all batches.
        Ok(Embedded {
            vectors: vectors::unit(all, texts.len()).map_err(wrong)?,
            tokens: Tokens::default(),
            kept: Usage::default(),
        })
    }
}

impl ChatModel for Own {
    fn name(&self) -> &str {
        &self.name
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, caller: &'a dyn Caller) -> Later<'a, Result<ChatReply>> {
        Box::pin(self.complete(request, caller))
    }
}

impl Embedder for Own {
    fn name(&self) -> &str {
        &self.name
    }

    fn embed<'a>(&'a self, texts: &'a [String], caller: &'a dyn Caller) -> Later<'a, Result<Embedded>> {
        Box::pin(self.embed_all(texts, caller))
    }
}

/// Pieces of a reply on their way from a callback, which must outlive every call, to who waits for them.
#[derive(Default)]
struct Pieces {
    waiting: RefCell<Vec<String>>,
    waker: RefCell<Option<Waker>>,
}

impl Pieces {
    /// A function of JavaScript's own: a page may call it when nobody listens any more.
    fn listener(self: &Rc<Self>) -> JsValue {
        let own = Rc::clone(self);
        let listener: Closure<dyn FnMut(JsValue)> = Closure::new(move |piece: JsValue| {
            own.waiting.borrow_mut().extend(piece.as_string());
            let waker = own.waker.borrow_mut().take();
            waker.into_iter().for_each(Waker::wake);
        });
        listener.into_js_value()
    }

    /// Tells each piece as it comes, until the work is done.
    async fn during<T>(&self, work: impl Future<Output = T>, tell: &mut dyn FnMut(&str)) -> T {
        let mut work = pin!(work);
        poll_fn(|context| {
            *self.waker.borrow_mut() = Some(context.waker().clone());
            let done = work.as_mut().poll(context);
            let waiting = std::mem::take(&mut *self.waiting.borrow_mut());
            waiting.iter().for_each(|piece| tell(piece));
            if done.is_ready() { done } else { Poll::Pending }
        })
        .await
    }
}

/// The length of a list or of what is like one.
fn length(list: &JsValue) -> Option<f64> {
    list.is_object().then(|| get(list, "length").as_f64()).flatten()
}

/// The numbers of a list. It is copied by the host's own constructor, called so that what it throws comes
/// back as an error: a list may be detached, hold what is no number, or throw when it is looked at.
fn numbers(list: &JsValue) -> Option<Vec<f32>> {
    length(list).filter(|length| *length <= vectors::WIDEST as f64)?;
    let constructor = Reflect::get(&js_sys::global(), &JsValue::from_str("Float32Array")).ok()?;
    let copy = Reflect::construct(constructor.unchecked_ref::<Function>(), &Array::of1(list)).ok()?;
    Some(copy.unchecked_into::<Float32Array>().to_vec())
}

/// What a function says its reply cost.
fn tokens(given: &JsValue) -> Tokens {
    let usage = get(given, "usage");
    let count = |key: &str| get(&usage, key).as_f64().unwrap_or(0.0) as u32;
    Tokens { prompt: count("prompt_tokens"), completion: count("completion_tokens") }
}
