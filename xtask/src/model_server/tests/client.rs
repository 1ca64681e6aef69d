//! A client that sees what a browser hides: how the bytes came, and whether the end was an end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::model_server::{ModelServer, Script};

pub(super) struct Got {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) pieces: Vec<Vec<u8>>,
    /// Whether the body ended as its head said.
    pub(super) whole: bool,
}

impl Got {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8(self.pieces.concat()).unwrap()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.text()).unwrap()
    }

    pub(super) fn error_code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    /// The text of a chat reply, plain or streamed.
    pub(super) fn content(&self) -> String {
        if self.header("content-type") != Some("text/event-stream") {
            return self.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
        }
        let deltas = self.events().into_iter().filter_map(|event| {
            event.pointer("/choices/0/delta/content").and_then(Value::as_str).map(str::to_owned)
        });
        deltas.collect()
    }

    pub(super) fn events(&self) -> Vec<Value> {
        let text = self.text();
        let data =
            text.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|line| *line != "[DONE]");
        data.map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A server with these faults, as the command line writes them.
pub(super) fn with(faults: &[&str]) -> ModelServer {
    let mut script = Script::default();
    for fault in faults {
        script.add(fault).unwrap();
    }
    ModelServer::start(0, script, None).unwrap()
}

pub(super) fn scripted(rules: &Value) -> ModelServer {
    let script = Script::parse(&json!({"rules": rules}).to_string()).unwrap();
    ModelServer::start(0, script, None).unwrap()
}

fn address(server: &ModelServer) -> String {
    server.url().trim_start_matches("http://").trim_end_matches("/v1").to_owned()
}

/// Sends a request and does not read the answer.
pub(super) fn send(server: &ModelServer, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address(server)).unwrap();
    let length = body.len();
    let host = address(server);
    // A host among the headers comes first, and counts.
    let head =
        format!("{method} {path} HTTP/1.1\r\n{headers}Host: {host}\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all((head + body).as_bytes()).unwrap();
    stream
}

pub(super) fn ask(server: &ModelServer, method: &str, path: &str, headers: &str, body: &str) -> Got {
    receive(&mut BufReader::new(send(server, method, path, headers, body)))
}

pub(super) fn get(server: &ModelServer, path: &str) -> Value {
    ask(server, "GET", path, "", "").json()
}

pub(super) fn chat(server: &ModelServer, more: &Value) -> Got {
    ask(server, "POST", "/v1/chat/completions", "", &chat_body(more).to_string())
}

pub(super) const PASSAGE: &str =
    "It rained when Mr. Bell met Ada in a café of Dover. \"Come in,\" said Ada, “très bien”.";

/// A request for the entities of [`PASSAGE`], with more fields.
pub(super) fn chat_body(more: &Value) -> Value {
    let mut body = json!({"model": "scripted-chat", "messages": [
        {"role": "system", "content": "Task: entities\nReply with JSON."},
        {"role": "user", "content": format!("Read this.\n<<<k7\n{PASSAGE}\nk7>>>")},
    ]});
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

pub(super) fn embed(server: &ModelServer, more: &Value) -> Got {
    let mut body =
        json!({"model": "scripted-embed", "input": ["the keeper of the light", "a loaf of bread"]});
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    ask(server, "POST", "/v1/embeddings", "", &body.to_string())
}

/// Reads one response, whole or not.
pub(super) fn receive(input: &mut impl BufRead) -> Got {
    let line = |input: &mut dyn BufRead| {
        let mut line = String::new();
        let _ = input.read_line(&mut line);
        line.trim_end().to_owned()
    };
    let first = line(input);
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut got = Got { status, headers: Vec::new(), pieces: Vec::new(), whole: status != 0 };
    while let Some((name, value)) = line(input).split_once(": ") {
        got.headers.push((name.to_lowercase(), value.to_owned()));
    }
    if got.header("transfer-encoding").is_some() {
        loop {
            let Ok(size) = usize::from_str_radix(&line(input), 16) else {
                got.whole = false;
                return got;
            };
            let mut piece = Vec::new();
            let _ = input.by_ref().take(size as u64).read_to_end(&mut piece);
            line(input);
            if size == 0 {
                return got;
            }
            got.pieces.push(piece);
        }
    }
    let length = got.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = Vec::new();
    let _ = input.by_ref().take(length).read_to_end(&mut body);
    got.whole &= body.len() as u64 == length;
    got.pieces.push(body);
    got
}
