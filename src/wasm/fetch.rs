//! The one place that speaks HTTP: an index by GET, and the transport of a language model's endpoint.
//!
//! A request ends when its caller cancels, and when nobody waits for it any more. One to a model follows no
//! redirect, with a key or without: it would take key and book to an address that nobody named. Messages name the origin and
//! the likely reasons, never more of an address.

use gloo_net::http::{Headers, Request};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal, ReadableStreamDefaultReader, RequestRedirect};

use crate::error::{Code, Error, Result};
use crate::llm::Later;
use crate::llm::http::{Body, Post, Response, Transport};

/// The body at an absolute URL. An answer that is not a success, or is a page, is an error that names
/// the URL: static hosts often answer a missing file with one.
pub(super) async fn bytes(url: &str, signal: Option<&AbortSignal>) -> Result<Vec<u8>> {
    let failed = |error: gloo_net::Error| {
        if signal.is_some_and(AbortSignal::aborted) {
            return Error::aborted();
        }
        Error::new(Code::EndpointUnreachable, format!("{url} cannot be fetched: {error}"))
    };
    let response = Request::get(url).abort_signal(signal).send().await.map_err(failed)?;
    if !response.ok() {
        let status = response.status();
        return Err(Error::new(Code::EndpointUnreachable, format!("{url} answered with status {status}")));
    }
    let body = response.binary().await.map_err(failed)?;
    let start = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if start == Some(&b'<') {
        return Err(Error::new(
            Code::IndexDamaged,
            format!("{url} is a page, not an index: is the path right?"),
        ));
    }
    Ok(body)
}

/// `fetch` as a transport, for one call.
pub(super) struct Fetch {
    pub(super) signal: Option<AbortSignal>,
}

impl Transport for Fetch {
    fn post<'a>(&'a self, request: Post) -> Later<'a, Result<Response>> {
        Box::pin(post(request, self.signal.clone()))
    }
}

async fn post(post: Post, signal: Option<AbortSignal>) -> Result<Response> {
    let line = Line::open(signal)?;
    let origin = post.url.split('/').take(3).collect::<Vec<_>>().join("/");
    let headers = Headers::new();
    headers.set("content-type", "application/json");
    post.headers.iter().for_each(|(name, value)| headers.set(name, value));
    let request = Request::post(&post.url).headers(headers).redirect(RequestRedirect::Manual);
    let request = request.abort_signal(Some(&line.controller.signal()));
    let unreachable = |_| line.fault(&origin, &reasons(&origin));
    let response = request.body(post.body).map_err(unreachable)?.send().await.map_err(unreachable)?;
    // A page sees no status of an answer that leads elsewhere.
    if response.status() == 0 || (300..400).contains(&response.status()) {
        let message = format!(
            "{origin} sends the request on to another address, which is not followed: set the address that it \
             means"
        );
        return Err(Error::new(Code::EndpointRefused, message));
    }
    let headers = response.headers().entries().map(|(name, value)| (name.to_ascii_lowercase(), value));
    let (status, headers) = (response.status(), headers.collect());
    let reader = response.body().map(|body| body.get_reader().unchecked_into());
    Ok(Response { status, headers, body: Box::new(Stream { reader, origin, line }) })
}

/// Why a server may not have answered, as far as the page's own place tells.
fn reasons(origin: &str) -> String {
    let place = |key: &str| {
        let location = Reflect::get(&js_sys::global(), &JsValue::from_str("location")).ok()?;
        Reflect::get(&location, &JsValue::from_str(key)).ok()?.as_string()
    };
    let local = |host: &str| {
        ["localhost", "127.", "[::1]", "192.168.", "10."].iter().any(|own| host.starts_with(own))
    };
    let target = origin.split("://").nth(1).unwrap_or_default();
    let mut reasons = "is the server running there".to_owned();
    let Some(host) = place("hostname") else { return reasons + "?" };
    reasons += ", and does it allow this page's origin (CORS)?";
    if place("protocol").as_deref() == Some("https:") && origin.starts_with("http:") {
        reasons += " A page that came by https may not ask a server by http, some browsers except this machine's own";
    }
    if local(target) && !local(&host) {
        reasons += "; the browser may also want your leave to reach your own network";
    }
    reasons
}

/// A body read piece by piece.
struct Stream {
    /// `None` for a response without a body.
    reader: Option<ReadableStreamDefaultReader>,
    origin: String,
    line: Line,
}

impl Body for Stream {
    fn next(&mut self) -> Later<'_, Result<Option<Vec<u8>>>> {
        Box::pin(async {
            let Some(reader) = &self.reader else { return Ok(None) };
            let broken = |_| self.line.fault(&self.origin, "the connection broke");
            let piece = JsFuture::from(reader.read()).await.map_err(broken)?;
            let value = Reflect::get(&piece, &JsValue::from_str("value")).map_err(broken)?;
            Ok((!value.is_undefined()).then(|| Uint8Array::new(&value).to_vec()))
        })
    }
}

/// What ends a request: the caller's signal, or that this is dropped.
struct Line {
    controller: AbortController,
    caller: Option<(AbortSignal, Closure<dyn FnMut()>)>,
}

impl Line {
    fn open(signal: Option<AbortSignal>) -> Result<Self> {
        if signal.as_ref().is_some_and(AbortSignal::aborted) {
            return Err(Error::aborted());
        }
        let none = |_| Error::new(Code::Crashed, "this host has no AbortController");
        let controller = AbortController::new().map_err(none)?;
        let caller = signal.map(|signal| {
            let own = controller.clone();
            let listener = Closure::new(move || own.abort());
            let _ = signal.add_event_listener_with_callback("abort", listener.as_ref().unchecked_ref());
            (signal, listener)
        });
        Ok(Self { controller, caller })
    }

    /// Why nothing came: cancelled, or what else.
    fn fault(&self, origin: &str, why: &str) -> Error {
        if self.caller.as_ref().is_some_and(|(signal, _)| signal.aborted()) {
            return Error::aborted();
        }
        Error::new(Code::EndpointUnreachable, format!("no answer from {origin}: {why}"))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some((signal, listener)) = &self.caller {
            let _ = signal.remove_event_listener_with_callback("abort", listener.as_ref().unchecked_ref());
        }
        self.controller.abort();
    }
}
