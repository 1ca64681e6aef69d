//! Evaluation, for the command line: questions and rows stay here, only names and means cross over.

use std::rc::Rc;

use js_sys::Function;
use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use super::convert::{ask_options, plain};
use super::host::JsHost;
use super::models::models;
use super::{Engine, JsResult, Ready, error};
use crate::describe;
use crate::eval::report::Row;
use crate::eval::{self, GoldQuestion};
use crate::llm::Models;
use crate::report::Call;

/// Questions with known answers.
#[wasm_bindgen]
pub struct Questions(Rc<Vec<GoldQuestion>>);

#[wasm_bindgen]
impl Questions {
    /// The questions of a JSONL file's text, the first `limit` of them.
    pub fn parse(text: &str, limit: Option<u32>) -> std::result::Result<Questions, JsValue> {
        let mut questions = eval::parse(text).map_err(error::thrown)?;
        questions.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
        Ok(Self(Rc::new(questions)))
    }

    /// `[{id, book}]` of each question, in order; `book` is null where none is named.
    pub fn list(&self) -> JsResult {
        #[derive(Serialize)]
        struct Named<'a> {
            id: &'a str,
            book: Option<&'a str>,
        }
        let named = |question: &GoldQuestion| -> JsResult {
            plain(&Named { id: &question.id, book: question.book.as_deref() })
        };
        self.0.iter().map(named).collect::<std::result::Result<js_sys::Array, _>>().map(JsValue::from)
    }

    /// Those about one book.
    pub fn about(&self, book: &str) -> Questions {
        let about = |question: &&GoldQuestion| question.book.as_deref() == Some(book);
        Self(Rc::new(self.0.iter().filter(about).cloned().collect()))
    }
}

/// What each question got, and what asking them cost.
#[wasm_bindgen]
pub struct Rows(Vec<Row>, Vec<Call>);

#[wasm_bindgen]
impl Rows {
    /// None yet.
    pub fn none() -> Rows {
        Self(Vec::new(), Vec::new())
    }

    /// Takes over the rows of another book.
    pub fn append(&mut self, mut other: Rows) {
        self.0.append(&mut other.0);
        self.1.append(&mut other.1);
    }

    /// What asking cost, one row for each stage, model and part.
    pub fn calls(&self) -> JsResult {
        plain(&self.1)
    }

    /// Means, intervals, times, failures.
    pub fn summary(&self) -> JsResult {
        plain(&eval::summarise(&self.0))
    }
}

#[wasm_bindgen]
impl Engine {
    /// Asks the questions with one method and scores each. `options` as for `ask`, without choices.
    pub async fn evaluate(
        &self,
        questions: &Questions,
        options: JsValue,
        given: JsValue,
        signal: Option<AbortSignal>,
        on_progress: Option<Function>,
    ) -> std::result::Result<Rows, JsValue> {
        let (engine, questions) = (Rc::clone(&self.0), Rc::clone(&questions.0));
        let host = JsHost::new(signal.clone(), on_progress);
        let models = models(&given, signal.as_ref()).map_err(error::thrown)?;
        let ledger = models.ledger.clone();
        let scored = async {
            let options = ask_options(&options, models)?;
            host.ready()?;
            eval::evaluate(&engine, &questions, &options, &host).await
        };
        let rows = scored.await.map_err(|error| error::thrown_after(error, &ledger))?;
        Ok(Rows(rows, describe::calls(&ledger)))
    }

    /// Fails for options that `evaluate` would refuse.
    #[wasm_bindgen(js_name = checkOptions)]
    pub fn check_options(options: JsValue) -> std::result::Result<(), JsValue> {
        ask_options(&options, Models::default()).map(drop).map_err(error::thrown)
    }
}
