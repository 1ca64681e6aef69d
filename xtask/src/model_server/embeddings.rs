//! Embeddings: floats or base64, and vectors that no client should take.
//!
//! The reply is written as text, because JSON's own types cannot hold a NaN and some servers send
//! one. The invariant: without a fault, one vector of unit length for each text, in order.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::answer::Answer;
use super::asked::Asked;
use super::fault::Kind;
use super::refusal;
use super::script::Fired;
use super::vectors::{WIDTH, vector};

pub fn answer(asked: &Asked, fired: &Fired) -> Answer {
    let Some(texts) = asked.inputs().filter(|texts| !texts.is_empty()) else {
        return refusal::invalid("input is neither a text nor a list of texts", "input");
    };
    let wished = asked.json["dimensions"].as_u64().map_or(WIDTH, |wished| wished.clamp(1, 8192) as usize);
    let width = fired.number(Kind::Width).unwrap_or(wished);
    let base64 = asked.json["encoding_format"] == "base64" || fired.has(Kind::Base64);
    let mut data: Vec<String> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let numbers = spoilt(vector(text, width), fired);
            let written = if base64 { encoded(&numbers) } else { listed(&numbers, fired.has(Kind::Null)) };
            format!("{{\"object\":\"embedding\",\"index\":{index},\"embedding\":{written}}}")
        })
        .collect();
    if let Some(missing) = fired.number(Kind::Count) {
        data.truncate(data.len().saturating_sub(missing));
    }
    if fired.has(Kind::Reversed) {
        data.reverse();
    }
    let tokens = asked.prompt_tokens();
    let usage = format!(",\"usage\":{{\"prompt_tokens\":{tokens},\"total_tokens\":{tokens}}}");
    let usage = if fired.has(Kind::NoUsage) { "" } else { &usage };
    let model = serde_json::Value::from(asked.model());
    let body = format!("{{\"object\":\"list\",\"data\":[{}],\"model\":{model}{usage}}}", data.join(","));
    Answer::text(200, "application/json", body)
}

fn spoilt(mut numbers: Vec<f32>, fired: &Fired) -> Vec<f32> {
    if fired.has(Kind::Zeros) {
        numbers.fill(0.0);
    }
    if let (true, Some(first)) = (fired.has(Kind::Nan), numbers.first_mut()) {
        *first = f32::NAN;
    }
    numbers
}

fn listed(numbers: &[f32], null: bool) -> String {
    let mut written: Vec<String> = numbers.iter().map(f32::to_string).collect();
    if let (true, Some(first)) = (null, written.first_mut()) {
        "null".clone_into(first);
    }
    format!("[{}]", written.join(","))
}

fn encoded(numbers: &[f32]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    format!("\"{}\"", STANDARD.encode(bytes))
}
