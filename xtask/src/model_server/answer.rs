//! One answer, before it is sent: status, headers, and the body whole or in pieces.
//!
//! The invariant: what an answer holds is true; only `delivery.rs` breaks it on the way.

use serde_json::{Value, json};

use super::asked::Asked;
use super::fault::Endpoint;
use super::script::Fired;
use super::{chat, cors, embeddings, refusal};

pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    /// The body; more than one piece where it is a stream.
    pub pieces: Vec<Vec<u8>>,
    pub streamed: bool,
}

impl Answer {
    pub fn text(status: u16, kind: &str, body: String) -> Self {
        let headers = vec![("Content-Type", kind.to_owned())];
        Self { status, headers, pieces: vec![body.into_bytes()], streamed: false }
    }

    pub fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json", body.to_string())
    }

    pub fn stream(pieces: Vec<Vec<u8>>) -> Self {
        let headers =
            vec![("Content-Type", "text/event-stream".to_owned()), ("Cache-Control", "no-cache".to_owned())];
        Self { status: 200, headers, pieces, streamed: true }
    }

    #[must_use]
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// Which endpoint a method and a path name.
pub fn endpoint(method: &str, path: &str) -> Result<Endpoint, Answer> {
    let known = match path.strip_prefix("/v1") {
        Some("/chat/completions") => Endpoint::Chat,
        Some("/embeddings") => Endpoint::Embeddings,
        Some("/models") => Endpoint::Models,
        _ => {
            let message = format!("there is nothing at {path}");
            return Err(Answer::json(404, &refusal::error(&message, "invalid_request_error", "", "")));
        }
    };
    match (method, known) {
        ("OPTIONS", _) => Ok(Endpoint::Preflight),
        ("GET", Endpoint::Models) | ("POST", Endpoint::Chat | Endpoint::Embeddings) => Ok(known),
        _ => {
            let message = format!("{method} is not for {path}");
            Err(Answer::json(405, &refusal::error(&message, "invalid_request_error", "", "")))
        }
    }
}

/// The answer to a request that came as number `order`.
pub fn answer(asked: &Asked, fired: &Fired, order: usize, path: &str, port: u16) -> Answer {
    let refused = refusal::refusal(fired, path, port);
    refused.unwrap_or_else(|| match asked.endpoint {
        Endpoint::Preflight => cors::preflight(),
        Endpoint::Models => models(),
        _ if !asked.json.is_object() => refusal::invalid("the body is no JSON object", ""),
        Endpoint::Chat => chat::answer(asked, fired, order),
        Endpoint::Embeddings => embeddings::answer(asked, fired),
    })
}

fn models() -> Answer {
    let one = |id: &str| json!({"id": id, "object": "model", "created": 0, "owned_by": "script"});
    Answer::json(200, &json!({"object": "list", "data": [one("scripted-chat"), one("scripted-embed")]}))
}
