//! The host's clock: what time it is, and waiting by its timers.
//!
//! A wait ends early when the caller cancels, so that who waits can notice; and a wait that nobody waits
//! for any more takes its timer with it, which would keep Node from ending.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

use crate::llm::{Clock, Later};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(then: &js_sys::Function, ms: f64) -> JsValue;
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);
}

/// Milliseconds since the page, the worker or the process began.
pub(super) fn now_ms() -> f64 {
    now()
}

/// The clock of one call, which its signal wakes.
#[derive(Clone)]
pub(super) struct JsClock {
    pub(super) signal: Option<AbortSignal>,
}

impl Clock for JsClock {
    fn now_ms(&self) -> f64 {
        now_ms()
    }

    fn sleep(&self, ms: f64) -> Later<'_, ()> {
        sleep(ms, self.signal.clone())
    }

    fn cancelled(&self) -> bool {
        self.signal.as_ref().is_some_and(AbortSignal::aborted)
    }

    fn unix_ms(&self) -> Option<f64> {
        Some(js_sys::Date::now())
    }
}

/// Resolves after this many milliseconds, or when the signal is aborted.
pub(super) fn sleep(ms: f64, signal: Option<AbortSignal>) -> Later<'static, ()> {
    Box::pin(Timer::new(ms, signal))
}

/// A timer that has been set.
struct Timer {
    rings: JsFuture,
    timer: JsValue,
    /// The signal with its listener.
    signal: Option<(AbortSignal, js_sys::Function)>,
}

impl Timer {
    fn new(ms: f64, signal: Option<AbortSignal>) -> Self {
        let mut timer = JsValue::UNDEFINED;
        let mut listener = None;
        let rings = Promise::new(&mut |resolve, _reject| {
            let aborted = signal.as_ref().is_some_and(AbortSignal::aborted);
            // A longer timer than this would ring at once.
            let ms = if aborted { 0.0 } else { ms.clamp(0.0, f64::from(i32::MAX)) };
            timer = set_timeout(&resolve, ms);
            if let Some(signal) = &signal {
                // It has no other reason to fail than a kind of event that does not exist.
                let _ = signal.add_event_listener_with_callback("abort", &resolve);
            }
            listener = Some(resolve);
        });
        Self { rings: JsFuture::from(rings), timer, signal: signal.zip(listener) }
    }
}

impl Future for Timer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.rings).poll(context).map(drop)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.timer);
        if let Some((signal, listener)) = &self.signal {
            let _ = signal.remove_event_listener_with_callback("abort", listener);
        }
    }
}
