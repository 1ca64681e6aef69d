//! The browser as a host: its clock, its event loop, an abort signal, a listener.
//!
//! A pause is a message through a channel of our own: a macrotask, so that a worker's next message (a
//! cancel) is read, and not clamped to four milliseconds as nested timers are. In Node it is
//! `setImmediate`: there a channel delivers up to a thousand messages, those sent meanwhile too, before
//! a timer, a signal or a socket gets its turn.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;

use js_sys::{Function, Promise, Reflect};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, MessageChannel};

use super::clock;
use super::convert::plain;
use crate::llm::{Clock, Later};
use crate::pace::{Host, Progress};
use crate::report::Heard;

/// What the listener is told.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    /// `{stage, done, total}`.
    Progress,
    /// `{type, ...}`.
    Events,
}

/// What lets the event loop turn.
enum Turn {
    Immediate(Function),
    Channel(MessageChannel),
    /// Neither in this host: at least other promises get a turn.
    Neither,
}

impl Turn {
    fn of_this_host() -> Self {
        let immediate = Reflect::get(&js_sys::global(), &JsValue::from_str("setImmediate"));
        match immediate.map(JsCast::dyn_into) {
            Ok(Ok(immediate)) => Self::Immediate(immediate),
            _ => MessageChannel::new().map_or(Self::Neither, Self::Channel),
        }
    }

    /// Calls `then` in a later turn, if it can.
    fn defer(&self, then: &Function) -> Result<(), JsValue> {
        match self {
            Self::Immediate(immediate) => immediate.call1(&JsValue::NULL, then).map(drop),
            Self::Channel(channel) => {
                channel.port1().set_onmessage(Some(then));
                channel.port2().post_message(&JsValue::NULL)
            }
            Self::Neither => then.call0(&JsValue::NULL).map(drop),
        }
    }
}

/// A host for one call.
pub(super) struct JsHost {
    signal: Option<AbortSignal>,
    listener: Option<Function>,
    told: Told,
    turn: Turn,
    failed: Cell<bool>,
}

impl JsHost {
    /// A host whose listener hears of progress.
    pub(super) fn new(signal: Option<AbortSignal>, listener: Option<Function>) -> Self {
        Self::telling(Told::Progress, signal, listener)
    }

    /// A host whose listener hears of events.
    pub(super) fn for_events(signal: Option<AbortSignal>, listener: Option<Function>) -> Self {
        Self::telling(Told::Events, signal, listener)
    }

    fn telling(told: Told, signal: Option<AbortSignal>, listener: Option<Function>) -> Self {
        Self { signal, listener, told, turn: Turn::of_this_host(), failed: Cell::new(false) }
    }

    fn send<T: Serialize>(&self, event: &T) -> Result<(), JsValue> {
        if let Some(listener) = &self.listener {
            let event = plain(event)?;
            // A listener's own failure is not the call's: it is dropped, once and for all.
            if !self.failed.get() && listener.call1(&JsValue::NULL, &event).is_err() {
                self.failed.set(true);
            }
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct Event<'a, T: Serialize> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    value: &'a T,
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    anew: Option<bool>,
}

#[derive(Serialize)]
struct Stage {
    stage: &'static str,
    done: u32,
    total: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_left: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<f64>,
}

impl Host for JsHost {
    fn now_ms(&self) -> f64 {
        clock::now_ms()
    }

    fn cancelled(&self) -> bool {
        self.signal.as_ref().is_some_and(AbortSignal::aborted)
    }

    fn progress(&self, progress: Progress) {
        let Progress { stage, done, total, tokens, seconds_left, waiting } = progress;
        let stage = Stage { stage, done: done as u32, total: total as u32, tokens, seconds_left, waiting };
        let told = match self.told {
            Told::Progress => self.send(&stage),
            Told::Events => self.send(&Event { kind: "stage", value: &stage }),
        };
        // Three plain numbers and a string always convert.
        drop(told);
    }

    fn tell(&self, heard: Heard<'_>) {
        if self.told != Told::Events {
            return;
        }
        let told = match heard {
            Heard::Evidence(value) => self.send(&Event { kind: "evidence", value }),
            Heard::Text(text) => self.send(&Event { kind: "text", value: &Text { text, anew: None } }),
            Heard::Anew => self.send(&Event { kind: "text", value: &Text { text: "", anew: Some(true) } }),
            Heard::Citation(value) => self.send(&Event { kind: "citation", value }),
            Heard::Usage(value) => self.send(&Event { kind: "usage", value }),
        };
        // Plain texts and numbers always convert.
        drop(told);
    }

    fn pause(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        let turn = Promise::new(&mut |resolve, _reject| {
            if self.turn.defer(&resolve).is_err() {
                let _ = resolve.call0(&JsValue::NULL);
            }
        });
        Box::pin(async move { drop(JsFuture::from(turn).await) })
    }
}

impl Clock for JsHost {
    fn now_ms(&self) -> f64 {
        clock::now_ms()
    }

    fn sleep(&self, ms: f64) -> Later<'_, ()> {
        clock::sleep(ms, self.signal.clone())
    }
}

impl Drop for JsHost {
    /// An open port would keep its page's or worker's memory.
    fn drop(&mut self) {
        if let Turn::Channel(channel) = &self.turn {
            channel.port1().set_onmessage(None);
            channel.port1().close();
        }
    }
}
