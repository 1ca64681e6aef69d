//! Evaluation, for the command line: questions stay here, rows and means cross over as plain objects.

use std::collections::BTreeSet;
use std::rc::Rc;

use js_sys::Function;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use super::convert::{ask_options, object, plain};
use super::host::JsHost;
use super::models::models;
use super::{Engine, JsResult, Ready, error};
use crate::describe;
use crate::error::Result;
use crate::eval::ablation::Ablation;
use crate::eval::report::Row;
use crate::eval::{self, Contender, GoldQuestion};
use crate::llm::{ChatModel, Models};

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

    /// `[{number, id, book, type, question_type, claim, pair}]` of each question, in order; null where it has none.
    pub fn list(&self) -> JsResult {
        #[derive(Serialize)]
        struct Named<'a> {
            number: u32,
            id: &'a str,
            book: Option<&'a str>,
            r#type: Option<&'a str>,
            question_type: Option<&'a str>,
            claim: bool,
            pair: Option<&'a str>,
        }
        let named = |question: &GoldQuestion| -> JsResult {
            plain(&Named {
                number: question.number,
                id: &question.id,
                book: question.book.as_deref(),
                r#type: question.kind.as_deref(),
                question_type: question.question_type.as_deref(),
                claim: question.claim,
                pair: question.pair.as_deref(),
            })
        };
        self.0.iter().map(named).collect::<std::result::Result<js_sys::Array, _>>().map(JsValue::from)
    }

    /// Those with these numbers, in order.
    pub fn only(&self, numbers: Vec<u32>) -> Questions {
        let numbers: BTreeSet<u32> = numbers.into_iter().collect();
        let wanted = |question: &&GoldQuestion| numbers.contains(&question.number);
        Self(Rc::new(self.0.iter().filter(wanted).cloned().collect()))
    }
}

/// Means, intervals, times, failures of rows.
#[wasm_bindgen]
pub fn summarise(rows: JsValue) -> JsResult {
    plain(&eval::summarise(&read(rows)?))
}

/// How rows differ from those of another method.
#[wasm_bindgen]
pub fn compare(rows: JsValue, against: JsValue) -> JsResult {
    plain(&eval::compare(&read(rows)?, &read(against)?))
}

fn read(rows: JsValue) -> std::result::Result<Vec<Row>, JsValue> {
    object(&rows).map_err(error::thrown)
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Contest {
    closed_book: bool,
    ablate: Option<String>,
    judge: bool,
}

/// `options` as for `ask`, and `closedBook` for the chat model alone, `ablate` for the name of what is
/// taken out, `judge` for answers that are judged.
fn contender(options: &JsValue, models: Models) -> Result<Contender> {
    if object::<Contest>(options)?.closed_book {
        return Ok(Contender::ClosedBook(models));
    }
    let mut asked = ask_options(options, models)?;
    if let Some(ablation) = ablation(options)? {
        asked.config = ablation.of(asked.config)?;
    }
    Ok(Contender::Method(asked))
}

/// Who judges, where the options want it: the judge that is given, else the chat model.
fn judge_of(
    options: &JsValue,
    given: &JsValue,
    models: &Models,
    signal: Option<&AbortSignal>,
) -> Result<Option<Rc<dyn ChatModel>>> {
    let Contest { judge, .. } = object(options)?;
    if !judge {
        return Ok(None);
    }
    Ok(super::models::judge(given, signal)?.or_else(|| models.chat.clone()))
}

fn ablation(options: &JsValue) -> Result<Option<&'static Ablation>> {
    object::<Contest>(options)?.ablate.map(|name| Ablation::named(&name)).transpose()
}

#[wasm_bindgen]
impl Engine {
    /// Asks the questions in one way and scores each; `on_row` gets each row as soon as it is sure. Gives what
    /// asking cost, one row for each stage, model and part.
    pub async fn evaluate(
        &self,
        questions: &Questions,
        options: JsValue,
        given: JsValue,
        signal: Option<AbortSignal>,
        on_progress: Option<Function>,
        on_row: Function,
    ) -> JsResult {
        let (engine, questions) = (Rc::clone(&self.0), Rc::clone(&questions.0));
        let host = JsHost::new(signal.clone(), on_progress);
        let mut keep = |row: Row| {
            // A listener's own failure is not the call's.
            let _ = plain(&row).and_then(|row| on_row.call1(&JsValue::NULL, &row));
        };
        let models = models(&given, signal.as_ref()).map_err(error::thrown)?;
        let ledger = models.ledger.clone();
        let scored = async {
            let judge = judge_of(&options, &given, &models, signal.as_ref())?;
            let contender = contender(&options, models)?;
            host.ready()?;
            // Where a part is left out of the index, the book is read anew without it.
            let config = engine.book().index.config;
            let other = ablation(&options)?.map(|ablation| ablation.index_of(config)).transpose()?.flatten();
            let other = match other {
                Some(config) => Some(engine.anew(config, &host).await?),
                None => None,
            };
            let asked = other.as_ref().unwrap_or(&engine);
            eval::evaluate(asked, &questions, &contender, judge.as_deref(), &host, &mut keep).await
        };
        scored.await.map_err(|error| error::thrown_after(error, &ledger))?;
        plain(&describe::calls(&ledger))
    }

    /// What of the questions' quotations does not stand in the book: an issue, or nothing; fails where they are
    /// of another text.
    pub fn strays(&self, questions: &Questions) -> JsResult {
        let issue = eval::strays(&self.0, &questions.0).map_err(error::thrown)?;
        plain(&issue.as_ref().map(describe::issue))
    }

    /// Why a run cannot be told on this index; empty where it can.
    pub fn lacking(&self, options: JsValue) -> std::result::Result<String, JsValue> {
        let ablation = ablation(&options).map_err(error::thrown)?;
        Ok(ablation.map_or(String::new(), |ablation| ablation.lacking(&self.0.book().index)))
    }

    /// How large the index is: `{text, knowledge}` in tokens.
    #[wasm_bindgen(js_name = indexTokens)]
    pub fn index_tokens(&self) -> JsResult {
        plain(&eval::index_tokens(&self.0))
    }

    /// Fails for options that `evaluate` would refuse.
    #[wasm_bindgen(js_name = checkOptions)]
    pub fn check_options(options: JsValue, given: JsValue) -> std::result::Result<(), JsValue> {
        models(&given, None).and_then(|models| contender(&options, models)).map(drop).map_err(error::thrown)
    }
}
