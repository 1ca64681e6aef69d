//! Vectors on the wire: `POST /embeddings`.
//!
//! Floats are asked for; a server that sends base64 all the same (little-endian `f32`) is understood.
//! `dimensions` is never sent: a model's width is what comes.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use serde_json::Value;

use super::fault::{Fault, Kind};
use super::{tokens, written};
use crate::error::Result;
use crate::llm::dialect::Dialect;
use crate::llm::vectors;
use crate::llm::{Embedded, Usage};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    input: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding_format: Option<&'static str>,
}

/// A request's body in a dialect.
///
/// # Errors
/// None that can happen: texts and names are always JSON.
pub fn encode(texts: &[String], model: &str, dialect: &Dialect) -> Result<String> {
    let encoding_format = dialect.float.then_some("float");
    written(&Body { model, input: texts, encoding_format })
}

/// Reads a reply to so many texts; the vectors are in the texts' order and of unit length.
///
/// # Errors
/// `endpoint_reply` for what is no such reply, `vector_invalid` for what [`vectors::unit`] refuses; the
/// fault that it holds instead.
pub fn decode(body: &[u8], count: usize) -> std::result::Result<Embedded, Fault> {
    let unusable = |what: &str| Fault::new(Kind::Unusable, what);
    let reply: Value = serde_json::from_slice(body).map_err(|_| unusable("the reply is not JSON"))?;
    if let Some(fault) = Fault::within(&reply) {
        return Err(fault);
    }
    let data =
        reply.get("data").and_then(Value::as_array).ok_or_else(|| unusable("the reply has no data"))?;
    let mut rows = Vec::with_capacity(data.len());
    for (place, item) in data.iter().enumerate() {
        let index = item.get("index").and_then(Value::as_u64).unwrap_or(place as u64);
        let read = item.get("embedding").and_then(vector);
        rows.push((
            index,
            read.ok_or_else(|| Fault::new(Kind::Vectors, format!("vector {place} is no list of numbers")))?,
        ));
    }
    rows.sort_by_key(|(index, _)| *index);
    if let Some(place) = rows.iter().enumerate().position(|(place, (index, _))| *index != place as u64) {
        return Err(Fault::new(Kind::Vectors, format!("the reply has no vector, or two, for text {place}")));
    }
    let vectors = rows.into_iter().map(|(_, vector)| vector).collect();
    let vectors = vectors::unit(vectors, count).map_err(|what| Fault::new(Kind::Vectors, what))?;
    Ok(Embedded { vectors, tokens: tokens(&reply), kept: Usage::default() })
}

/// A vector as a list of numbers or as base64.
fn vector(value: &Value) -> Option<Vec<f32>> {
    match value {
        Value::Array(numbers) => numbers.iter().map(|number| number.as_f64().map(|n| n as f32)).collect(),
        Value::String(text) => {
            let bytes = BASE64_STANDARD.decode(text).ok()?;
            let (numbers, rest) = bytes.as_chunks::<4>();
            rest.is_empty().then(|| numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
        }
        _ => None,
    }
}
