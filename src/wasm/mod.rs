//! What JavaScript sees: one class and a few functions, each a check, a call and a conversion.
//!
//! Nothing here decides anything. Results are plain objects with the keys of `report`; failures are
//! JavaScript `Error`s with `code`, `retryable` and `details`. The class is immutable behind a counted
//! reference, so calls may overlap and a callback may call back. What only the command line calls is in
//! `eval`.

// What the macro exports is reachable from JavaScript alone.
#![allow(unreachable_pub)]

mod clock;
mod convert;
mod diagnose;
mod error;
mod eval;
mod fetch;
mod host;
mod models;
mod own;
mod ports;
mod wishes;

use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use crate::Method;
use crate::config::{IndexConfig, Key, QueryConfig};
use crate::describe;
use crate::engine;
use crate::error::{Code, Result};
use crate::llm::ledger::Ledger;
use crate::pace::Host;
use crate::report;
use convert::{ask_options, build_options, builders, estimated_by, plain};
use host::JsHost;
use models::models;

type JsResult = std::result::Result<JsValue, JsValue>;

/// A book that answers, and what building it cost.
#[wasm_bindgen]
pub struct Engine(Rc<engine::Engine>, Ledger);

#[wasm_bindgen]
impl Engine {
    /// Reads and indexes a book's bytes. `options`: name, encoding, title, config, extraction, concurrency;
    /// `given`: the models of the page.
    pub async fn build(
        bytes: Vec<u8>,
        options: JsValue,
        given: JsValue,
        signal: Option<AbortSignal>,
        on_progress: Option<Function>,
    ) -> std::result::Result<Engine, JsValue> {
        let host = JsHost::new(signal.clone(), on_progress);
        let models = models(&given, signal.as_ref()).map_err(error::thrown)?;
        let ledger = models.ledger.clone();
        let built = async {
            let (read, config) = build_options(&options)?;
            let models = builders(&options, models)?;
            host.ready()?;
            Ok(engine::Engine::build_with(&bytes, &read, config, &models, &host).await?.0)
        };
        let built = built.await.map_err(|error| error::thrown_after(error, &ledger))?;
        Ok(Engine(Rc::new(built), ledger))
    }

    /// Opens an index file's bytes.
    pub async fn open(
        bytes: Vec<u8>,
        signal: Option<AbortSignal>,
        on_progress: Option<Function>,
    ) -> std::result::Result<Engine, JsValue> {
        let host = JsHost::new(signal, on_progress);
        let opened = async {
            host.ready()?;
            engine::Engine::open(bytes, &host).await
        };
        opened.await.map(Engine::from).map_err(error::thrown)
    }

    /// Opens the index file at an absolute URL.
    pub async fn fetch(
        url: String,
        signal: Option<AbortSignal>,
        on_progress: Option<Function>,
    ) -> std::result::Result<Engine, JsValue> {
        let host = JsHost::new(signal.clone(), on_progress);
        let opened = async {
            host.ready()?;
            let bytes = fetch::bytes(&url, signal.as_ref()).await?;
            engine::Engine::open(bytes, &host).await
        };
        opened.await.map(Engine::from).map_err(error::thrown)
    }

    /// Title, chapters, counts: what a handle knows at once.
    pub fn info(&self) -> JsResult {
        plain(&self.0.info())
    }

    /// `{ calls, coverage }` of its build: what it cost, and how much of the book its models read; nothing of
    /// either for a book that was opened.
    pub fn built(&self) -> JsResult {
        #[derive(serde::Serialize)]
        struct Built<'a> {
            calls: Vec<report::Call>,
            coverage: Option<&'a report::Coverage>,
        }
        plain(&Built { calls: describe::calls(&self.1), coverage: self.0.coverage() })
    }

    /// Everything the index holds.
    pub async fn inspect(&self) -> JsResult {
        let engine = Rc::clone(&self.0);
        let host = JsHost::new(None, None);
        plain(&engine.inspect(&host).await.map_err(error::thrown)?)
    }

    /// The text between two UTF-16 offsets.
    pub fn text(&self, start: Option<u32>, end: Option<u32>) -> std::result::Result<String, JsValue> {
        self.0.text(start.unwrap_or(0), end).map(str::to_owned).map_err(error::thrown)
    }

    /// Runs a method's retrieval. `options`: method, contextTokens, config.
    pub async fn retrieve(
        &self,
        question: String,
        options: JsValue,
        given: JsValue,
        signal: Option<AbortSignal>,
        on_progress: Option<Function>,
    ) -> JsResult {
        let engine = Rc::clone(&self.0);
        let host = JsHost::new(signal.clone(), on_progress);
        let models = models(&given, signal.as_ref()).map_err(error::thrown)?;
        let ledger = models.ledger.clone();
        let found = async {
            let options = ask_options(&options, models)?;
            host.ready()?;
            engine.retrieve(&question, &options, &host).await
        };
        plain(&found.await.map_err(|error| error::thrown_after(error, &ledger))?)
    }

    /// Answers a question. `options`: method, steps, choices, contextTokens, config. `on_event` hears of
    /// stages, evidence, the answer's text, its citations and its usage, in this order.
    pub async fn ask(
        &self,
        question: String,
        options: JsValue,
        given: JsValue,
        signal: Option<AbortSignal>,
        on_event: Option<Function>,
    ) -> JsResult {
        let engine = Rc::clone(&self.0);
        let host = JsHost::for_events(signal.clone(), on_event);
        let models = models(&given, signal.as_ref()).map_err(error::thrown)?;
        let ledger = models.ledger.clone();
        let answered = async {
            let options = ask_options(&options, models)?;
            host.ready()?;
            engine.ask(&question, &options, &host).await
        };
        plain(&answered.await.map_err(|error| error::thrown_after(error, &ledger))?)
    }

    /// The index file's bytes.
    pub fn save(&self) -> std::result::Result<Vec<u8>, JsValue> {
        self.0.save().map_err(error::thrown)
    }
}

impl From<engine::Engine> for Engine {
    fn from(engine: engine::Engine) -> Self {
        Self(Rc::new(engine), Ledger::default())
    }
}

/// How a file would be read and cut. `options` as for `build`.
#[wasm_bindgen]
pub async fn chunks(bytes: Vec<u8>, options: JsValue, signal: Option<AbortSignal>) -> JsResult {
    let host = JsHost::new(signal, None);
    let cut = async {
        let (read, config) = build_options(&options)?;
        host.ready()?;
        engine::chunks(&bytes, &read, &config, &host).await
    };
    plain(&cut.await.map_err(error::thrown)?)
}

/// What building a book would cost. `options` as for `build`; `given` the models it would be built by, or
/// none for any.
#[wasm_bindgen]
pub async fn estimate(
    bytes: Vec<u8>,
    options: JsValue,
    given: JsValue,
    signal: Option<AbortSignal>,
    on_progress: Option<Function>,
) -> JsResult {
    let host = JsHost::new(signal.clone(), on_progress);
    let estimated = async {
        let (read, config) = build_options(&options)?;
        let by = estimated_by(&options, &models(&given, signal.as_ref())?)?;
        host.ready()?;
        crate::estimate::estimate(&bytes, &read, config, by, &host).await
    };
    plain(&estimated.await.map_err(error::thrown)?)
}

/// Every error code with its exit status and whether a retry may help.
#[wasm_bindgen]
pub fn codes() -> JsResult {
    #[derive(serde::Serialize)]
    struct Row {
        code: &'static str,
        exit: u8,
        retryable: bool,
    }
    let row = |code: Code| Row { code: code.as_str(), exit: code.exit_status(), retryable: code.retryable() };
    plain(&Code::ALL.map(row))
}

/// Every tunable with what it means, what it takes, and its value where nobody sets it; `when` it is set:
/// `index` or `question`.
#[wasm_bindgen]
pub fn tunables() -> JsResult {
    #[derive(serde::Serialize)]
    struct Row {
        name: &'static str,
        when: &'static str,
        takes: String,
        default: String,
        doc: String,
        /// The methods that read it, of one of a question.
        methods: Vec<&'static str>,
    }
    let rows = |keys: &[Key], when: &'static str| -> Vec<Row> {
        let row = |key: &Key| Row {
            name: key.name,
            when,
            takes: (key.takes)(),
            default: (key.default)(),
            doc: key.doc.split_whitespace().collect::<Vec<_>>().join(" "),
            methods: crate::methods_that_read(key.name).into_iter().map(Method::as_str).collect(),
        };
        keys.iter().map(row).collect()
    };
    let mut all = rows(QueryConfig::KEYS, "question");
    all.extend(rows(IndexConfig::KEYS, "index"));
    plain(&all)
}

/// This package's version.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Fails at once when the caller has cancelled before anything began.
trait Ready {
    fn ready(&self) -> Result<()>;
}

impl<H: Host> Ready for H {
    fn ready(&self) -> Result<()> {
        if self.cancelled() { Err(crate::Error::aborted()) } else { Ok(()) }
    }
}
