//! Faults in the text and in the vectors.

use serde_json::{Value, json};

use super::client::*;
use crate::model_server::spoil::THOUGHTS;

fn content(fault: &str) -> String {
    chat(&with(&[fault]), &json!({})).content()
}

#[test]
fn json_comes_as_models_write_it() {
    let good = content("slow:0");
    let meant: Value = serde_json::from_str(&good).unwrap();
    let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
    assert_eq!(content("json-fenced"), format!("```json\n{good}\n```"));
    let prose = content("json-prose");
    assert!(prose.contains(&good) && prose.starts_with("Sure!") && prose.ends_with("missing."));
    let comma = content("json-trailing-comma");
    assert!(!is_json(&comma) && comma.replace(",]}", "]}") == good);
    let single = content("json-single-quotes");
    assert!(!is_json(&single) && single.starts_with("{'entities': [{"), "{single}");
    let cut = content("json-cut:50");
    assert!(good.starts_with(&cut) && cut.len() * 2 <= good.len() && cut.len() * 2 + 8 > good.len());
    let renamed: Value = serde_json::from_str(&content("json-renamed")).unwrap();
    assert_eq!(renamed["nodes"][0]["entity"], meant["entities"][0]["name"]);
    assert_eq!(content("empty"), "");
}

#[test]
fn faults_of_the_text_are_the_same_in_a_stream() {
    for fault in ["json-fenced", "json-cut", "think", "length:3", "empty"] {
        let streamed = chat(&with(&[fault]), &json!({"stream": true}));
        assert_eq!(streamed.content(), content(fault), "{fault}");
    }
}

#[test]
fn a_reply_ends_for_other_reasons() {
    for (fault, reason) in [("length", "length"), ("filter", "content_filter")] {
        let got = chat(&with(&[fault]), &json!({}));
        assert_eq!(got.json()["choices"][0]["finish_reason"], reason);
        assert_eq!(got.content(), "");
        assert_eq!(content(&format!("{fault}:2")).split(' ').count(), 2);
        let streamed = chat(&with(&[fault]), &json!({"stream": true}));
        assert_eq!(streamed.events().last().unwrap()["choices"][0]["finish_reason"], reason);
    }
}

#[test]
fn a_model_thinks_aloud() {
    let good = content("slow:0");
    assert_eq!(content("think"), format!("<think>\n{THOUGHTS}\n</think>\n\n{good}"));
    assert_eq!(content("think-unclosed"), format!("<think>\n{THOUGHTS}\n\n{good}"));
    assert_eq!(content("think-unopened"), format!("{THOUGHTS}\n</think>\n\n{good}"));
    let beside = chat(&with(&["reasoning"]), &json!({}));
    assert_eq!(beside.json()["choices"][0]["message"]["reasoning_content"], THOUGHTS);
    assert_eq!(beside.content(), good);
    let streamed = chat(&with(&["reasoning"]), &json!({"stream": true}));
    let thoughts = streamed
        .events()
        .into_iter()
        .filter_map(|event| Some(event.pointer("/choices/0/delta/reasoning_content")?.as_str()?.to_owned()));
    assert_eq!((thoughts.collect::<String>().as_str(), streamed.content()), (THOUGHTS, good));
}

#[test]
fn counts_are_left_out() {
    let server = with(&["no-usage"]);
    assert!(chat(&server, &json!({})).json().get("usage").is_none());
    assert!(embed(&server, &json!({})).json().get("usage").is_none());
    let options = json!({"stream": true, "stream_options": {"include_usage": true}});
    assert!(!chat(&server, &options).text().contains("usage"));
}

fn vectors(fault: &str) -> Vec<Value> {
    embed(&with(&[fault]), &json!({})).json()["data"].as_array().unwrap().clone()
}

#[test]
fn vectors_are_wrong_in_width_and_number() {
    assert!(vectors("width:48").iter().all(|item| item["embedding"].as_array().unwrap().len() == 48));
    assert_eq!(vectors("count").len(), 1);
    assert_eq!(vectors("count:9").len(), 0);
    let indices: Vec<Value> = vectors("reversed").iter().map(|item| item["index"].clone()).collect();
    assert_eq!(indices, [1, 0]);
}

#[test]
fn vectors_hold_what_no_vector_may() {
    for item in vectors("zeros") {
        assert!(item["embedding"].as_array().unwrap().iter().all(|number| number.as_f64() == Some(0.0)));
    }
    assert!(vectors("null").iter().all(|item| item["embedding"][0].is_null()));
    let nan = embed(&with(&["nan"]), &json!({})).text();
    assert!(nan.contains("\"embedding\":[NaN,"), "{nan}");
    // A NaN in base64 is valid JSON, and must be found by its value.
    let hidden = embed(&with(&["nan", "base64"]), &json!({"encoding_format": "float"})).json();
    assert!(hidden["data"][0]["embedding"].as_str().unwrap().starts_with("AADAf"));
}
