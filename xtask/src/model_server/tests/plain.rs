//! Without a fault: the endpoints, the log, the script's turns.

use std::io::BufReader;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::client::*;
use crate::model_server::ModelServer;

#[test]
fn a_chat_reply_has_text_reason_and_counts() {
    let got = chat(&with(&[]), &json!({}));
    let reply = got.json();
    assert_eq!((got.status, &reply["object"]), (200, &json!("chat.completion")));
    assert_eq!(reply["choices"][0]["finish_reason"], "stop");
    assert!(got.content().contains(r#""name":"Mr. Bell""#), "{}", got.content());
    let usage = &reply["usage"];
    let sum = usage["prompt_tokens"].as_u64().unwrap() + usage["completion_tokens"].as_u64().unwrap();
    assert_eq!(usage["total_tokens"], sum);
}

#[test]
fn a_stream_is_the_same_text_with_usage_and_an_end() {
    let server = with(&[]);
    let plain = chat(&server, &json!({}));
    let got = chat(&server, &json!({"stream": true, "stream_options": {"include_usage": true}}));
    assert_eq!(got.content(), plain.content());
    assert!(got.pieces.len() > 5 && got.whole);
    assert!(got.text().ends_with("data: [DONE]\n\n"));
    let events = got.events();
    let last = events.last().unwrap();
    assert_eq!((&last["choices"], &last["usage"]), (&json!([]), &plain.json()["usage"]));
    assert_eq!(events[events.len() - 2]["choices"][0]["finish_reason"], "stop");
    let unasked = chat(&server, &json!({"stream": true}));
    assert!(!unasked.text().contains("usage"));
}

#[test]
fn vectors_are_the_same_as_floats_and_base64_and_of_the_wished_width() {
    let server = with(&[]);
    let floats = embed(&server, &json!({})).json();
    let base64 = embed(&server, &json!({"encoding_format": "base64"})).json();
    assert_eq!(floats["data"].as_array().unwrap().len(), 2);
    for at in 0..2 {
        let numbers = floats["data"][at]["embedding"].as_array().unwrap();
        let bytes = STANDARD.decode(base64["data"][at]["embedding"].as_str().unwrap()).unwrap();
        let decoded: Vec<f32> =
            bytes.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
        let listed: Vec<f32> = numbers.iter().map(|number| number.as_f64().unwrap() as f32).collect();
        assert_eq!((listed.len(), &listed), (64, &decoded));
    }
    let narrow = embed(&server, &json!({"dimensions": 16, "input": "one"})).json();
    assert_eq!(narrow["data"][0]["embedding"].as_array().unwrap().len(), 16);
}

#[test]
fn models_are_listed_and_nothing_else_is_there() {
    let server = with(&[]);
    assert_eq!(get(&server, "/v1/models")["data"][1]["id"], "scripted-embed");
    assert_eq!(ask(&server, "GET", "/v1/gone", "", "").status, 404);
    assert_eq!(ask(&server, "GET", "/v1/embeddings", "", "").status, 405);
    for body in ["", "[]", "{}", "{\"messages\""] {
        assert_eq!(ask(&server, "POST", "/v1/chat/completions", "", body).status, 400, "{body}");
        assert_eq!(ask(&server, "POST", "/v1/embeddings", "", body).status, 400, "{body}");
    }
}

#[test]
fn a_page_is_given_leave() {
    let server = with(&[]);
    let asks = "Origin: http://a.example\r\nAccess-Control-Request-Headers: authorization,content-type\r\n\
                Access-Control-Request-Private-Network: true\r\n";
    let got = ask(&server, "OPTIONS", "/v1/chat/completions", asks, "");
    assert_eq!(got.status, 204);
    assert_eq!(got.header("access-control-allow-origin"), Some("*"));
    assert_eq!(got.header("access-control-allow-headers"), Some("authorization,content-type"));
    assert_eq!(got.header("access-control-allow-private-network"), Some("true"));
    assert_eq!(got.header("access-control-max-age"), Some("0"));
    assert_eq!(chat(&server, &json!({})).header("access-control-allow-origin"), Some("*"));
    assert_eq!(ask(&server, "GET", "/log", "", "").header("access-control-allow-origin"), None);
}

#[test]
fn the_log_keeps_order_and_bodies_and_no_keys() {
    let server = with(&["status@2"]);
    let body = chat_body(&json!({})).to_string();
    let key = "Authorization: Bearer hidden-key\r\n";
    ask(&server, "POST", "/v1/chat/completions", key, &body);
    embed(&server, &json!({}));
    let log = get(&server, "/log?wait=2");
    assert!(!log.to_string().contains("hidden-key"));
    let requests = log["requests"].as_array().unwrap();
    assert_eq!((requests.len(), &log["most_in_flight"]), (2, &json!(1)));
    assert_eq!((&requests[0]["task"], &requests[0]["order"]), (&json!("entities"), &json!(1)));
    assert_eq!(requests[0]["body"]["model"], "scripted-chat");
    assert!(requests[0]["headers"].as_array().unwrap().contains(&json!("authorization")));
    assert_eq!(
        (&requests[1]["path"], &requests[1]["faults"]),
        (&json!("/v1/embeddings"), &json!(["status"]))
    );
    assert_eq!(ask(&server, "DELETE", "/log", "", "").status, 200);
    assert_eq!(get(&server, "/log")["requests"], json!([]));
}

#[test]
fn requests_in_flight_together_are_counted() {
    let server = with(&["hang"]);
    let body = chat_body(&json!({})).to_string();
    let waiting: Vec<_> = (0..3).map(|_| send(&server, "POST", "/v1/chat/completions", "", &body)).collect();
    let log = get(&server, "/log?wait=3");
    assert_eq!((&log["in_flight"], &log["most_in_flight"]), (&json!(3), &json!(3)));
    drop(waiting);
}

#[test]
fn requests_one_after_the_other_are_never_together() {
    let server = with(&[]);
    for _ in 0..100 {
        chat(&server, &json!({"stream": true}));
    }
    assert_eq!(get(&server, "/log")["most_in_flight"], 1);
}

#[test]
fn a_connection_serves_several_requests() {
    let server = with(&[]);
    let body = chat_body(&json!({"stream": true})).to_string();
    let stream = send(&server, "POST", "/v1/chat/completions", "", &body);
    let mut input = BufReader::new(stream.try_clone().unwrap());
    assert!(receive(&mut input).whole);
    std::io::Write::write_all(&mut &stream, b"GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
    assert_eq!(receive(&mut input).status, 200);
    assert_eq!(receive(&mut input).status, 0, "it was asked to close");
}

#[test]
fn rules_choose_by_turn_task_text_and_endpoint() {
    let server = scripted(&json!([
        {"fault": "status", "value": 503, "nth": 2, "on": "chat"},
        {"fault": "status", "value": 502, "contains": "très bien", "task": "events"},
        {"reply": {"entities": []}, "contains": "model\":\"other"},
        {"reply": "said", "model": "third"},
    ]));
    assert_eq!(embed(&server, &json!({})).status, 200);
    assert_eq!(chat(&server, &json!({})).status, 200);
    assert_eq!(chat(&server, &json!({})).status, 503);
    assert_eq!(chat(&server, &json!({})).status, 200);
    assert_eq!(chat(&server, &json!({"model": "other"})).content(), r#"{"entities":[]}"#);
    assert_eq!(chat(&server, &json!({"model": "third"})).content(), "said");
    let events = json!({"messages": [{"role": "system", "content": "Task: events"},
        {"role": "user", "content": PASSAGE}]});
    assert_eq!(chat(&server, &events).status, 502);
}

#[test]
fn the_script_is_replaced_while_it_runs() {
    let server = with(&["status"]);
    assert_eq!(chat(&server, &json!({})).status, 500);
    let wrong = ask(&server, "POST", "/script", "", r#"{"rules": [{"fault": "gone"}]}"#);
    assert_eq!(wrong.status, 400);
    assert_eq!(chat(&server, &json!({})).status, 500, "a script with a slip changes nothing");
    assert_eq!(ask(&server, "POST", "/script", "", r#"{"rules": [{"reply": "new"}]}"#).status, 200);
    assert_eq!(chat(&server, &json!({})).content(), "new");
}

#[test]
fn equal_requests_get_equal_bytes() {
    let bodies = |server: &ModelServer| [chat(server, &json!({})).text(), embed(server, &json!({})).text()];
    assert_eq!(bodies(&with(&[])), bodies(&with(&[])));
}

#[test]
fn what_is_no_request_is_told_so() {
    let server = with(&[]);
    let got = ask(&server, "GET", "/v1/models", "Transfer-Encoding: chunked\r\n", "");
    assert_eq!(got.status, 400);
    assert_eq!(get(&server, "/log")["count"], 0);
}
