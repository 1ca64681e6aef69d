//! Requests and replies of OpenAI-compatible servers, as pure functions.

use plotbridge::Code;
use plotbridge::llm::dialect::{Dialect, Format, Limit};
use plotbridge::llm::openai::fault::{Asking, Fault, Kind};
use plotbridge::llm::openai::stream::Reading;
use plotbridge::llm::openai::{chat, embeddings};
use plotbridge::llm::{ChatRequest, Finish, Message, Role, Schema, Tokens};
use serde_json::{Value, json};

pub(super) fn request(stream: bool) -> ChatRequest {
    let message = |role, content: &str| Message { role, content: content.to_owned() };
    ChatRequest {
        messages: vec![message(Role::System, "Be brief."), message(Role::User, "Who rang the bell?")],
        schema: Some(Schema { name: "people", json: r#"{"type":"object","properties":{"z":{},"a":{}}}"# }),
        max_tokens: 64,
        temperature: 0.0,
        stream,
    }
}

#[test]
fn a_request_is_written_in_the_form_that_most_servers_take() {
    let body = chat::encode(&request(true), "m", &Dialect::default()).unwrap();
    let schema = r#""schema":{"type":"object","properties":{"z":{},"a":{}}}"#;
    assert!(body.contains(schema), "the schema keeps its order: {body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    let expected = json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Who rang the bell?"},
        ],
        "max_tokens": 64,
        "temperature": 0.0,
        "response_format": {"type": "json_schema", "json_schema": {
            "name": "people", "strict": true, "schema": {"type": "object", "properties": {"z": {}, "a": {}}},
        }},
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    assert_eq!(body, expected);
}

#[test]
fn the_barest_dialect_sends_only_what_every_server_takes() {
    let dialect = Dialect {
        limit: Limit::Unlimited,
        format: Format::Prose,
        temperature: false,
        system: false,
        usage: false,
        float: false,
        unopened: false,
    };
    let body: Value = serde_json::from_str(&chat::encode(&request(true), "m", &dialect).unwrap()).unwrap();
    let content = "Be brief.\n\nWho rang the bell?";
    assert_eq!(
        body,
        json!({"model": "m", "messages": [{"role": "user", "content": content}], "stream": true})
    );
    let texts = ["a".to_owned()];
    let body: Value = serde_json::from_str(&embeddings::encode(&texts, "m", &dialect).unwrap()).unwrap();
    assert_eq!(body, json!({"model": "m", "input": ["a"]}));
}

fn reply(message: Value, finish: &str) -> String {
    let usage = json!({"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25});
    json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage})
        .to_string()
}

#[test]
fn a_reply_is_its_text_without_thinking() {
    let rows = [
        (json!({"content": "Ben did."}), "stop", "Ben did.", Finish::Stop),
        (json!({"content": "<think>Ann?</think>\nBen did."}), "stop", "Ben did.", Finish::Stop),
        (json!({"content": "Ben did.", "reasoning_content": "Ann?"}), "stop", "Ben did.", Finish::Stop),
        (json!({"content": "Ben did.", "reasoning": "Ann?"}), "length", "Ben did.", Finish::Length),
        (
            json!({"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Ben."}]}),
            "eos",
            "Ben.",
            Finish::Stop,
        ),
        (json!({"content": ""}), "content_filter", "", Finish::Filter),
        (json!({"content": "Ben"}), "content_filter", "Ben", Finish::Filter),
        (json!({"content": null, "refusal": "I cannot help."}), "stop", "", Finish::Filter),
    ];
    for (message, finish, text, expected) in rows {
        let name = message.to_string();
        let reply = chat::decode(reply(message, finish).as_bytes()).unwrap().reply().unwrap();
        assert_eq!((reply.text.as_str(), reply.finish), (text, expected), "{name}");
        assert_eq!(reply.tokens, Tokens { prompt: 20, completion: 5 });
    }
}

#[test]
fn a_reply_that_says_nothing_is_an_error_that_says_why() {
    let rows = [
        (reply(json!({"content": "", "reasoning_content": "Hm"}), "length"), "thinking"),
        (reply(json!({"content": "<think>Hm"}), "length"), "thinking"),
        (reply(json!({"content": null, "reasoning": "Hm"}), "length"), "thinking"),
        (reply(json!({"content": ""}), "length"), "context"),
        (reply(json!({"content": " \n"}), "stop"), "empty"),
        (reply(json!({"content": "<think>x</think>"}), "stop"), "no answer"),
        (json!({"choices": []}).to_string(), "no choices"),
        ("{}".to_owned(), "no choices"),
        ("null".to_owned(), "no choices"),
        ("<html>".to_owned(), "not JSON"),
        (String::new(), "not JSON"),
    ];
    for (body, word) in rows {
        let fault = chat::decode(body.as_bytes()).and_then(chat::Written::reply).unwrap_err();
        assert_eq!(fault.code(), Code::EndpointReply, "{body}");
        assert!(fault.said.contains(word), "{body}: {}", fault.said);
    }
}

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
}

/// Streams as servers send them, with what is heard and why it ends.
fn streams() -> Vec<(&'static str, String, &'static str, Finish)> {
    let said = |text: &str| chunk(&json!({"content": text}), None);
    let stop = chunk(&json!({}), Some("stop"));
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4}}\n\n";
    let role = chunk(&json!({"role": "assistant", "content": ""}), None);
    let error = "data: {\"error\":{\"code\":502,\"message\":\"gone\"},\"choices\":[]}\n\n";
    let open = [role.as_str(), &said("Größe "), &said("渡し"), &said("🛶.")].concat();
    vec![
        ("whole", [&open, stop.as_str(), usage, "data: [DONE]\n\n"].concat(), "Größe 渡し🛶.", Finish::Stop),
        ("no usage", [&open, stop.as_str(), "data: [DONE]\n\n"].concat(), "Größe 渡し🛶.", Finish::Stop),
        ("no end mark", [&open, stop.as_str()].concat(), "Größe 渡し🛶.", Finish::Stop),
        ("no reason", [&open, "data: [DONE]\n\n"].concat(), "Größe 渡し🛶.", Finish::Stop),
        ("early end", open.clone(), "Größe 渡し🛶.", Finish::Cut),
        ("ends in a line", [&open, "data: {\"choices\":[{\"del"].concat(), "Größe 渡し🛶.", Finish::Cut),
        ("error", [&open, error, &said("more")].concat(), "Größe 渡し🛶.", Finish::Cut),
        ("error event", [&open, "event: error\ndata: {}\n\n"].concat(), "Größe 渡し🛶.", Finish::Cut),
        ("no JSON", [&open, "data: oops\n\n", &said("more")].concat(), "Größe 渡し🛶.", Finish::Cut),
        ("too long", [said("A"), chunk(&json!({}), Some("length"))].concat(), "A", Finish::Length),
        ("filtered", [said("A"), chunk(&json!({}), Some("content_filter"))].concat(), "A", Finish::Filter),
        ("after the end", [&open, "data: [DONE]\n\n", &said("more")].concat(), "Größe 渡し🛶.", Finish::Stop),
        (
            "thinking",
            [said("<th"), said("ink>Hm"), said("</think>\n\n"), said("Ben."), stop.clone()].concat(),
            "Ben.",
            Finish::Stop,
        ),
        (
            "reasoning",
            [chunk(&json!({"reasoning_content": "Hm"}), None), said("Ben."), stop.clone()].concat(),
            "Ben.",
            Finish::Stop,
        ),
        ("comments", [": wait\n\n", &said("Ben."), ": wait\n\n", &stop].concat(), "Ben.", Finish::Stop),
    ]
}

#[test]
fn a_stream_says_the_same_at_every_cut() {
    for (name, stream, text, finish) in streams() {
        let bytes = stream.as_bytes();
        for cut in 0..=bytes.len() {
            let mut reading = Reading::new(false);
            let (head, tail) = bytes.split_at(cut);
            let mut heard = reading.push(head).unwrap();
            heard.push_str(&reading.push(tail).unwrap());
            let (written, last) = reading.end();
            heard.push_str(&last);
            assert_eq!(heard, text, "{name}, cut at {cut}");
            assert_eq!((written.text.as_str(), written.finish), (text, finish), "{name}, cut at {cut}");
        }
    }
}

#[test]
fn a_stream_tells_what_it_cost() {
    let (_, stream, ..) = streams().remove(0);
    let mut reading = Reading::new(false);
    reading.push(stream.as_bytes()).unwrap();
    assert!(reading.is_done());
    assert_eq!(reading.end().0.tokens, Tokens { prompt: 9, completion: 4 });
}

#[test]
fn a_stream_that_fails_before_its_first_word_is_its_fault() {
    let rows = [
        ("data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n", Kind::Busy),
        ("data: {\"error\":\"the model stopped\"}\n\n", Kind::Failed),
        ("event: error\ndata: {\"message\":\"x\"}\n\n", Kind::Failed),
        ("data: oops\n\n", Kind::Unusable),
    ];
    for (stream, kind) in rows {
        assert_eq!(Reading::new(false).push(stream.as_bytes()).unwrap_err().kind, kind, "{stream}");
    }
    let (written, _) = Reading::new(false).cut();
    assert_eq!(written.reply().unwrap_err().kind, Kind::Broken);
}

#[test]
fn a_model_known_to_think_without_a_tag_is_waited_for() {
    let said = |text: &str| chunk(&json!({"content": text}), None);
    let stream =
        [said("Ann? Or"), said(" Ben.\n</think>\n\n"), said("Ben did."), chunk(&json!({}), Some("stop"))]
            .concat();
    let mut patient = Reading::new(true);
    assert_eq!(patient.push(stream.as_bytes()).unwrap(), "Ben did.");
    let (written, _) = patient.end();
    assert!(written.unopened && written.thought);
    let mut eager = Reading::new(false);
    eager.push(stream.as_bytes()).unwrap();
    let (written, _) = eager.end();
    assert!(written.unopened, "so that the next reply is waited for");
}

fn vectors(items: Value) -> String {
    json!({"object": "list", "data": items, "usage": {"prompt_tokens": 6, "total_tokens": 6}}).to_string()
}

#[test]
fn vectors_come_as_floats_or_base64_in_any_order() {
    // 3.0 and 4.0 as little-endian f32.
    let base64 = "AABAQAAAgEA=";
    let body = vectors(json!([{"index": 1, "embedding": base64}, {"index": 0, "embedding": [0, -2]}]));
    let embedded = embeddings::decode(body.as_bytes(), 2).unwrap();
    assert_eq!(embedded.vectors, [[0.0, -1.0], [0.6, 0.8]]);
    assert_eq!(embedded.tokens.prompt, 6);
    let unnumbered = vectors(json!([{"embedding": [1, 0]}, {"embedding": [0, 1]}]));
    assert_eq!(embeddings::decode(unnumbered.as_bytes(), 2).unwrap().vectors, [[1.0, 0.0], [0.0, 1.0]]);
}

#[test]
fn vectors_that_would_spoil_an_index_are_refused() {
    let item = |index: u32, embedding: Value| json!({"index": index, "embedding": embedding});
    let rows = [
        ("too few", json!([item(0, json!([1]))])),
        ("too many", json!([item(0, json!([1])), item(1, json!([1])), item(2, json!([1]))])),
        ("one text twice", json!([item(0, json!([1])), item(0, json!([1]))])),
        ("one text left out", json!([item(0, json!([1])), item(2, json!([1]))])),
        ("two widths", json!([item(0, json!([1])), item(1, json!([1, 2]))])),
        ("zeros", json!([item(0, json!([1, 1])), item(1, json!([0, 0]))])),
        ("null in it", json!([item(0, json!([1])), item(1, json!([null]))])),
        ("not a number in base64", json!([item(0, json!([1])), item(1, json!("AADAfw=="))])),
        ("a cut base64", json!([item(0, json!([1])), item(1, json!("AADA"))])),
        ("no base64", json!([item(0, json!([1])), item(1, json!("*"))])),
        ("nothing", json!([item(0, json!([])), item(1, json!([]))])),
        ("no embedding", json!([{"index": 0}, {"index": 1}])),
    ];
    for (name, items) in rows {
        let fault = embeddings::decode(vectors(items).as_bytes(), 2).unwrap_err();
        assert_eq!(fault.code(), Code::VectorInvalid, "{name}: {}", fault.said);
    }
    assert_eq!(embeddings::decode(b"{}", 1).unwrap_err().code(), Code::EndpointReply);
}

#[test]
fn an_error_repeats_neither_prompt_nor_key() {
    let asking = Asking {
        origin: "https://x.org",
        model: "m",
        with_key: true,
        body: r#"{"content":"It was a bright cold day in the village of Marrowby."}"#,
        secrets: &["gsk_abcdefghijkl".to_owned()],
    };
    let read =
        |said: &str| Fault::read(400, &[], json!({"error": {"message": said}}).to_string().as_bytes(), None);
    let error =
        read("bad input: It was a bright cold day in the village of Marrowby.").error(asking).to_string();
    assert_eq!(error, "https://x.org refused the request (status 400)");
    let error = read("key sk-abcdef is odd").error(asking).to_string();
    assert_eq!(error, "https://x.org refused the request (status 400)");
    for echo in ["token gsk_abcdefghijkl is odd", "no account for gsk_abcd*******", "(…efghijkl)"] {
        assert_eq!(read(echo).error(asking).to_string(), "https://x.org refused the request (status 400)");
    }
    let error = read("seed\nmust be\u{1b}[31m a number.").error(asking).to_string();
    assert_eq!(error, "https://x.org refused the request (status 400): seed must be [31m a number");
    assert!(read(&"x ".repeat(500)).error(asking).to_string().len() < 250);
}
