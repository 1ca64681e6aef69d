//! Diagnosis, with the page's `fetch` as a scout and what it says of its surroundings.
//!
//! Both come from `pkg/src/surroundings.js`: `look({ way, url, headers, body }, signal)` gives
//! `{ status, headers, body }`, `{ opaque }` or `{ why, leave }`; a place is `{ page, browser, system, leave }`,
//! and beside it stand what the caller allows: `limits` and `budget`.

use std::rc::Rc;

use js_sys::{Array, Function, Promise, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

use super::clock::JsClock;
use super::convert::{get, object, plain, text};
use super::host::JsHost;
use super::models::{Limited, memory, settings};
use super::{Engine, JsResult, error};
use crate::diagnose::bounds::Bounds;
use crate::diagnose::place::{Browser, Leave, Place, System};
use crate::diagnose::scout::{Look, Scout, Seen, Silence, Way};
use crate::diagnose::{Part, Subject, diagnose as examine};
use crate::error::{Error, Result};
use crate::index::Index;
use crate::llm::Later;

#[wasm_bindgen]
impl Engine {
    /// What is wrong with an endpoint, its vectors beside this book's. `part`: `chat`, `embed` or nothing.
    pub async fn diagnose(
        &self,
        given: JsValue,
        part: Option<String>,
        place: JsValue,
        look: Function,
        signal: Option<AbortSignal>,
        on_progress: Option<Function>,
    ) -> JsResult {
        let engine = Rc::clone(&self.0);
        run(&given, part, Some(&engine.book().index), &place, look, signal, on_progress).await
    }
}

/// The same without a book.
#[wasm_bindgen]
pub async fn diagnose(
    given: JsValue,
    part: Option<String>,
    place: JsValue,
    look: Function,
    signal: Option<AbortSignal>,
    on_progress: Option<Function>,
) -> JsResult {
    run(&given, part, None, &place, look, signal, on_progress).await
}

async fn run(
    given: &JsValue,
    part: Option<String>,
    index: Option<&Index>,
    place: &JsValue,
    look: Function,
    signal: Option<AbortSignal>,
    on_progress: Option<Function>,
) -> JsResult {
    let part = part.and_then(|part| [Part::Chat, Part::Embed].into_iter().find(|one| one.as_str() == part));
    let settings = settings(given, "the endpoint").map_err(error::thrown)?;
    let bounds = bounds_of(place).map_err(error::thrown)?;
    let place = place_of(place);
    let memory = memory();
    let subject = Subject { settings: &settings, part, index, place: &place, bounds, memory: &memory };
    let host = JsHost::new(signal.clone(), on_progress);
    let scout = Rc::new(JsScout { look, signal: signal.clone(), longest: bounds.timeout_ms + LEFT_MS });
    let found = examine(&subject, scout, Rc::new(JsClock { signal }), &host).await;
    plain(&found.map_err(error::thrown)?)
}

/// How much longer a look may take than a server may be silent, so that nothing of it is left over.
const LEFT_MS: f64 = 5_000.0;

fn bounds_of(given: &JsValue) -> Result<Bounds> {
    let limited: Limited = object(&get(given, "limits"))?;
    let (limits, timeout, patience) = limited.parts();
    let bounds = Bounds::default();
    Ok(Bounds {
        limits,
        timeout_ms: timeout.unwrap_or(bounds.timeout_ms),
        patience_ms: patience.unwrap_or(bounds.patience_ms),
        budget: get(given, "budget").as_f64().map(|budget| budget as u64),
    })
}

fn place_of(given: &JsValue) -> Place {
    let word = |key: &str| text(given, key).unwrap_or_default();
    Place {
        page: text(given, "page"),
        browser: match word("browser").as_str() {
            "chromium" => Browser::Chromium,
            "firefox" => Browser::Firefox,
            "safari" => Browser::Safari,
            _ => Browser::Other,
        },
        system: match word("system").as_str() {
            "mac" => System::Mac,
            "windows" => System::Windows,
            "linux" => System::Linux,
            _ => System::Other,
        },
        leave: leave_of(given),
    }
}

fn leave_of(given: &JsValue) -> Leave {
    match text(given, "leave").unwrap_or_default().as_str() {
        "granted" => Leave::Granted,
        "denied" => Leave::Denied,
        "prompt" => Leave::Prompt,
        _ => Leave::Unknown,
    }
}

/// What the function `look` is asked.
#[derive(Serialize)]
struct Asked {
    way: &'static str,
    url: String,
    headers: Vec<(String, String)>,
    body: String,
    /// The longest that it may take, in milliseconds.
    longest: f64,
}

/// The page's function as a scout.
struct JsScout {
    longest: f64,
    look: Function,
    signal: Option<AbortSignal>,
}

impl Scout for JsScout {
    fn look(&self, look: Look) -> Later<'_, Result<Seen>> {
        Box::pin(async move {
            let Look { way, url, headers, body } = look;
            let way = match way {
                Way::Get => "get",
                Way::Post => "post",
                Way::Blind => "blind",
            };
            let nothing = || Seen::Nothing(Silence::default());
            let Ok(asked) = plain(&Asked { way, url, headers, body, longest: self.longest }) else {
                return Ok(nothing());
            };
            let signal = self.signal.clone().map_or(JsValue::UNDEFINED, JsValue::from);
            let coming = self.look.call2(&JsValue::NULL, &asked, &signal);
            let seen = match coming.map(|coming| Promise::resolve(&coming)) {
                Ok(promise) => JsFuture::from(promise).await,
                Err(thrown) => Err(thrown),
            };
            if self.signal.as_ref().is_some_and(AbortSignal::aborted) {
                return Err(Error::aborted());
            }
            Ok(seen.map_or_else(|_| nothing(), |seen| seen_of(&seen)))
        })
    }
}

fn seen_of(given: &JsValue) -> Seen {
    if let Some(status) = get(given, "status").as_f64() {
        let pair = |entry: JsValue| {
            let entry = Array::from(&entry);
            Some((entry.get(0).as_string()?, entry.get(1).as_string()?))
        };
        let headers = Array::from(&get(given, "headers")).iter().filter_map(pair).collect();
        let body = Uint8Array::new(&get(given, "body")).to_vec();
        return Seen::Answer { status: status as u16, headers, body };
    }
    if get(given, "opaque").is_truthy() {
        return Seen::Something;
    }
    Seen::Nothing(Silence { why: text(given, "why").unwrap_or_default(), leave: leave_of(given) })
}
