//! Faults instead of a reply.

use serde_json::json;

use super::client::*;

#[test]
fn a_status_once_or_always() {
    let once = with(&["status:503@1"]);
    let refused = chat(&once, &json!({}));
    assert_eq!((refused.status, &refused.json()["error"]["type"]), (503, &json!("server_error")));
    assert_eq!(chat(&once, &json!({})).status, 200);
    let always = with(&["status"]);
    for _ in 0..3 {
        assert_eq!(embed(&always, &json!({})).status, 500);
    }
}

#[test]
fn a_limit_names_its_time_in_three_ways_or_not() {
    let header = |fault: &str, name: &str| {
        let got = chat(&with(&[fault]), &json!({}));
        assert_eq!((got.status, got.error_code().as_str()), (429, "rate_limit_exceeded"), "{fault}");
        got.header(name).map(str::to_owned)
    };
    assert_eq!(header("rate-limit:7", "retry-after").unwrap(), "7");
    assert_eq!(header("rate-limit-ms:250", "retry-after-ms").unwrap(), "250");
    assert!(header("rate-limit-date:60", "retry-after").unwrap().ends_with(" GMT"));
    assert_eq!(header("rate-limit-bare", "retry-after"), None);
    let spent = chat(&with(&["quota"]), &json!({}));
    assert_eq!((spent.status, spent.error_code().as_str()), (429, "insufficient_quota"));
}

#[test]
fn a_key_is_wanted_and_taken() {
    let server = with(&["key:right"]);
    let status = |headers: &str| ask(&server, "GET", "/v1/models", headers, "").status;
    assert_eq!(status(""), 401);
    assert_eq!(status("Authorization: Bearer wrong\r\n"), 401);
    assert_eq!(status("Authorization: Bearer right\r\n"), 200);
    // A page's browser asks without one.
    assert_eq!(ask(&server, "OPTIONS", "/v1/models", "", "").status, 204);
}

#[test]
fn a_model_is_unknown() {
    let server = with(&["unknown-model:gone"]);
    let got = chat(&server, &json!({"model": "gone"}));
    assert_eq!((got.status, got.error_code().as_str()), (404, "model_not_found"));
    assert_eq!(chat(&server, &json!({})).status, 200);
    assert_eq!(embed(&with(&["unknown-model"]), &json!({})).status, 404);
}

#[test]
fn a_field_is_refused_where_it_stands() {
    let schema = json!({"type": "json_schema", "json_schema": {"name": "entities", "schema": {}}});
    let object = json!({"type": "json_object"});
    for (refused, field, value) in [
        ("temperature", "temperature", json!(0)),
        ("max_tokens", "max_tokens", json!(9)),
        ("max_completion_tokens", "max_completion_tokens", json!(9)),
        ("stream_options", "stream_options", json!({"include_usage": true})),
        ("response_format", "response_format", object.clone()),
        ("json_schema", "response_format", schema.clone()),
        ("json_object", "response_format", object.clone()),
    ] {
        let server = with(&[&format!("refuse:{refused}")]);
        let got = chat(&server, &json!({field: value}));
        assert_eq!((got.status, got.error_code().as_str()), (400, "unsupported_parameter"), "{refused}");
        assert_eq!(got.json()["error"]["param"], field);
        assert_eq!(chat(&server, &json!({})).status, 200, "{refused}");
    }
    for (field, value) in [("encoding_format", json!("float")), ("dimensions", json!(8))] {
        let server = with(&[&format!("refuse:{field}")]);
        assert_eq!(embed(&server, &json!({field: value})).status, 400, "{field}");
        assert_eq!(embed(&server, &json!({})).status, 200, "{field}");
    }
    let both = with(&["refuse:json_schema", "refuse:json_object"]);
    assert_eq!(chat(&both, &json!({"response_format": schema})).status, 400);
    assert_eq!(chat(&both, &json!({"response_format": object})).status, 400);
    assert_eq!(chat(&both, &json!({"response_format": {"type": "text"}})).status, 200);
}

#[test]
fn a_prompt_is_too_long_or_unwelcome() {
    let server = with(&["context:60"]);
    assert_eq!(chat(&server, &json!({})).status, 200);
    let long = json!({"messages": [{"role": "user", "content": "word ".repeat(61)}]});
    assert_eq!(chat(&server, &long).error_code(), "context_length_exceeded");
    let filtered = scripted(&json!([{"fault": "filter-refused", "contains": "Dover"}]));
    let got = chat(&filtered, &json!({}));
    assert_eq!((got.status, got.error_code().as_str()), (400, "content_filter"));
    assert_eq!(chat(&filtered, &json!({"messages": []})).status, 200);
}

#[test]
fn a_redirect_leads_to_another_origin_of_the_same_server() {
    let server = with(&["redirect"]);
    let got = chat(&server, &json!({}));
    let to = got.header("location").unwrap().to_owned();
    assert_eq!(got.status, 307);
    assert_eq!(to, server.url().replace("127.0.0.1", "localhost") + "/chat/completions");
    assert_eq!(get(&server, "/log")["requests"][0]["faults"], json!(["redirect"]));
    let body = chat_body(&json!({})).to_string();
    let followed = ask(&server, "POST", "/v1/chat/completions", "Host: localhost:1\r\n", &body);
    assert_eq!(followed.status, 200, "it arrives");
    let elsewhere = with(&["redirect:http://a.example/v1"]);
    assert_eq!(chat(&elsewhere, &json!({})).header("location"), Some("http://a.example/v1"));
}

#[test]
fn a_proxy_answers_for_the_model() {
    let page = chat(&with(&["html"]), &json!({}));
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html")));
    assert!(page.text().contains("<title>"));
    let nothing = chat(&with(&["no-body"]), &json!({"stream": true}));
    assert_eq!((nothing.status, nothing.text().as_str()), (200, ""));
}

#[test]
fn a_page_gets_no_leave() {
    let server = with(&["no-cors"]);
    let allowed = |got: &Got| got.header("access-control-allow-origin").is_some();
    assert!(!allowed(&chat(&server, &json!({}))));
    assert!(!allowed(&ask(&server, "OPTIONS", "/v1/chat/completions", "", "")));
    let private = "Access-Control-Request-Private-Network: true\r\n";
    let got = ask(&with(&["no-private-network"]), "OPTIONS", "/v1/models", private, "");
    assert!(allowed(&got) && got.header("access-control-allow-private-network").is_none());
}
