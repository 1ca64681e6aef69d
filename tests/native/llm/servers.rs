//! What each server refuses and how it replies (`tests/data/servers`): read as what it is, and answered
//! with the step that a person would take.

use plotbridge::llm::dialect::{Asked, Dialect};
use plotbridge::llm::openai::fault::Fault;
use plotbridge::llm::openai::{chat, embeddings};
use serde_json::Value;

use super::openai::request;
use crate::support::root;

fn servers() -> Vec<(String, Value)> {
    let folder = root().join("tests/data/servers");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        (file["server"].as_str().unwrap().to_owned(), file)
    };
    paths.iter().map(read).collect()
}

fn rows<'a>(file: &'a Value, part: &str) -> &'a [Value] {
    file[part].as_array().unwrap()
}

/// A body as bytes: JSON, or a text as it is.
fn bytes(body: &Value) -> Vec<u8> {
    body.as_str().map_or_else(|| body.to_string(), str::to_owned).into_bytes()
}

/// The fault of a response, also of one whose status is a success.
fn fault(row: &Value) -> Fault {
    let body = bytes(&row["body"]);
    match row["status"].as_u64().unwrap() {
        200 if row["asked"] == "chat" => chat::decode(&body).unwrap_err(),
        200 => embeddings::decode(&body, 1).unwrap_err(),
        status => Fault::read(status as u16, &[], &body, None),
    }
}

/// The one thing that differs between two dialects, as `name: value`.
fn step(before: Dialect, after: Dialect) -> String {
    let lines = |dialect: Dialect| format!("{dialect:#?}").lines().map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    let changed = after.iter().filter(|line| !before.contains(line));
    changed.map(|line| line.trim().trim_end_matches(',')).collect::<Vec<_>>().join(" and ")
}

#[test]
fn every_server_s_refusals_are_understood() {
    let streamed = request(true);
    let mut wrong = Vec::new();
    for (server, file) in servers() {
        for row in rows(&file, "refusals") {
            let fault = fault(row);
            let asked = if row["asked"] == "chat" { Asked::Chat(&streamed) } else { Asked::Embeddings(&[]) };
            let next = Dialect::default().after(&fault, asked).map(|next| step(Dialect::default(), next));
            let found = (format!("{:?}", fault.kind), next);
            let text = |key: &str| row[key].as_str().map(str::to_owned);
            let expected = (text("kind").unwrap(), text("next"));
            if found != expected {
                wrong.push(format!("{server}: {}: {found:?} is not {expected:?}", row["name"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_server_s_replies_are_understood() {
    for (server, file) in servers() {
        for row in rows(&file, "replies") {
            let name = format!("{server}: {}", row["name"]);
            let reply = chat::decode(&bytes(&row["body"])).and_then(chat::Written::reply);
            let reply = reply.unwrap_or_else(|fault| panic!("{name}: {}", fault.said));
            assert_eq!(
                (reply.text.as_str(), format!("{:?}", reply.finish).as_str()),
                (row["text"].as_str().unwrap(), row["finish"].as_str().unwrap()),
                "{name}"
            );
            assert_eq!(
                [reply.tokens.prompt, reply.tokens.completion].map(u64::from).as_slice(),
                rows(row, "tokens").iter().map(|n| n.as_u64().unwrap()).collect::<Vec<_>>(),
                "{name}"
            );
        }
    }
}

#[test]
fn every_server_s_data_says_where_it_is_from() {
    let servers = servers();
    assert_eq!(servers.len(), 8);
    for (server, file) in servers {
        assert!(file["date"].as_str().unwrap().starts_with("20"), "{server}");
        assert!(
            rows(&file, "sources").iter().all(|url| url.as_str().unwrap().starts_with("https://")),
            "{server}"
        );
        assert!(
            !rows(&file, "sources").is_empty() && !file["known"].as_str().unwrap().is_empty(),
            "{server}"
        );
        assert!(rows(&file, "refusals").len() >= 6 && rows(&file, "replies").len() >= 2, "{server}");
    }
}

/// Any status with any bytes gives a fault, and none gives a panic.
#[test]
fn any_refusal_is_read() {
    let bodies: [&[u8]; 9] = [
        b"",
        b"\xFF\xFE",
        b"<html>",
        b"[]",
        b"[1]",
        b"{\"error\":[]}",
        b"{\"detail\":[{}]}",
        b"\"text\"",
        b"{\"error\":{\"message\":1}}",
    ];
    for status in [300, 400, 401, 404, 418, 429, 500, 599] {
        for body in bodies {
            let fault = Fault::read(status, &[("retry-after".to_owned(), "soon".to_owned())], body, None);
            assert_eq!((fault.status, fault.retry_after_ms), (status, None));
        }
    }
}
