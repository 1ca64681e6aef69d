//! One endpoint over a scripted server: what it sends, when again, and what a caller gets.

use std::cell::RefCell;
use std::rc::Rc;

use plotbridge::llm::caller::Unheard;
use plotbridge::llm::connection::Memory;
use plotbridge::llm::endpoint::{Endpoint, Settings};
use plotbridge::llm::http::Transport;
use plotbridge::llm::{ChatModel, ChatReply, Embedded, Embedder, Finish};
use plotbridge::{Code, Error, Result};
use pollster::block_on;
use serde_json::{Value, json};

use super::double::{Act, Ending, Leap, Scripted};
use super::openai::request;

const KEY: &str = "sk-secret-of-the-test";

fn settings() -> Settings {
    let headers = vec![("X-Title".to_owned(), "a title".to_owned())];
    let url = "http://127.0.0.1:8080/v1?token=hidden".to_owned();
    Settings { url, model: "m".to_owned(), key: Some(KEY.to_owned()), headers }
}

struct Trial {
    server: Rc<Scripted>,
    clock: Rc<Leap>,
    endpoint: Endpoint,
}

fn trial(acts: impl IntoIterator<Item = Act>) -> Trial {
    let server = Scripted::new(acts);
    let clock = Rc::new(Leap::default());
    let transport: Rc<dyn Transport> = server.clone();
    let endpoint = Endpoint::new(&settings(), transport, clock.clone()).unwrap();
    Trial { server, clock, endpoint }
}

impl Trial {
    fn chat(&self, stream: bool) -> (Result<ChatReply>, String) {
        let heard = RefCell::new(String::new());
        let reply =
            block_on(self.endpoint.chat(&request(stream), &|piece: &str| heard.borrow_mut().push_str(piece)));
        (reply, heard.into_inner())
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        block_on(self.endpoint.embed(&texts, &Unheard))
    }

    fn asked(&self) -> usize {
        self.server.posts.borrow().len()
    }
}

fn fails(reply: Result<ChatReply>) -> Error {
    let error = reply.unwrap_err();
    for secret in [KEY, "hidden", "Who rang"] {
        assert!(!format!("{error} {error:?}").contains(secret), "{error}");
    }
    error
}

#[test]
fn a_request_goes_to_its_address_with_its_headers() {
    let trial = trial([Act::says("Ben did.")]);
    let (reply, heard) = trial.chat(false);
    assert_eq!(reply.unwrap().text, "Ben did.");
    assert_eq!(heard, "", "nothing is heard of a reply that was not to be streamed");
    let posts = trial.server.posts.borrow();
    assert_eq!(posts[0].url, "http://127.0.0.1:8080/v1/chat/completions?token=hidden");
    let headers = [("authorization", format!("Bearer {KEY}")), ("x-title", "a title".to_owned())];
    assert_eq!(posts[0].headers, headers.map(|(name, value)| (name.to_owned(), value)));
    assert_eq!(
        format!("{:?}", trial.endpoint),
        "Endpoint { address: Address(\"http://127.0.0.1:8080\", ..), model: \"m\", .. }"
    );
}

#[test]
fn settings_that_cannot_be_sent_are_refused() {
    let with = |change: fn(&mut Settings)| {
        let mut settings = settings();
        change(&mut settings);
        Endpoint::new(&settings, Scripted::new([]), Rc::new(Leap::default())).map(|_| ()).unwrap_err()
    };
    for error in [
        with(|s| s.model = " ".to_owned()),
        with(|s| s.url = "/v1".to_owned()),
        with(|s| s.key = Some(format!("{KEY}\u{2009}x"))),
        with(|s| s.headers = vec![("a b".to_owned(), String::new())]),
    ] {
        assert_eq!(error.code(), Code::Usage);
        assert!(!error.to_string().contains(KEY), "{error}");
    }
}

fn refusal(param: &str) -> Act {
    let message = format!("Unsupported parameter: '{param}' is not supported with this model.");
    Act::json(
        400,
        &json!({"error": {"message": message, "param": param, "code": "unsupported_parameter"}}).to_string(),
    )
}

#[test]
fn refused_fields_are_dropped_once_and_for_all() {
    let acts = [
        refusal("max_tokens"),
        refusal("temperature"),
        refusal("response_format"),
        refusal("response_format"),
        Act::says("Ben."),
        Act::says("Ben again."),
        Act::says("Ann."),
    ];
    let Trial { server, clock, endpoint } = trial(acts);
    let memory = Memory::default();
    let endpoint = endpoint.remembering(memory.clone());
    for _ in 0..2 {
        block_on(endpoint.chat(&request(false), &Unheard)).unwrap();
    }
    let other = Settings { model: "other".to_owned(), ..settings() };
    let other = Endpoint::new(&other, server.clone(), clock.clone()).unwrap().remembering(memory);
    block_on(other.chat(&request(false), &Unheard)).unwrap();
    let sent = server.sent();
    let has = |body: &Value, key: &str| body.get(key).is_some();
    let limits: Vec<(bool, bool)> =
        sent.iter().map(|body| (has(body, "max_tokens"), has(body, "max_completion_tokens"))).collect();
    let (old, new) = ((true, false), (false, true));
    assert_eq!(limits, [old, new, new, new, new, new, old]);
    let warm: Vec<bool> = sent.iter().map(|body| has(body, "temperature")).collect();
    assert_eq!(warm, [true, true, false, false, false, false, true]);
    let format =
        |body: &Value| body.pointer("/response_format/type").and_then(Value::as_str).map(str::to_owned);
    let formats: Vec<String> = sent.iter().map(|body| format(body).unwrap_or_default()).collect();
    assert_eq!(formats, ["json_schema", "json_schema", "json_schema", "json_object", "", "", "json_schema"]);
    assert!(clock.slept.borrow().is_empty(), "a negotiation does not wait");
}

#[test]
fn a_server_that_refuses_everything_is_asked_a_bounded_number_of_times() {
    let acts = [
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "response_format",
        "response_format",
        "stream_options",
        "messages[0].role",
        "temperature",
    ];
    let trial = trial(acts.map(refusal));
    assert_eq!(fails(trial.chat(true).0).code(), Code::EndpointRefused);
    assert_eq!(trial.asked(), 8);
}

#[test]
fn what_may_pass_is_tried_three_times() {
    let overloaded = || Act::json(503, r#"{"error":{"message":"overloaded"}}"#);
    let rows: [(&str, [Act; 3], Code); 3] = [
        ("overloaded", [overloaded(), overloaded(), overloaded()], Code::EndpointUnreachable),
        ("unreachable", [Act::Unreachable, Act::Unreachable, Act::Unreachable], Code::EndpointUnreachable),
        ("silent", [Act::Silent, Act::Silent, Act::Silent], Code::EndpointTimeout),
    ];
    for (name, acts, code) in rows {
        let failing = trial(acts.clone());
        assert_eq!(fails(failing.chat(false).0).code(), code, "{name}");
        assert_eq!(failing.asked(), 3, "{name}");
        let [first, ..] = acts;
        let passing = trial([first, Act::says("Ben.")]);
        assert_eq!(passing.chat(false).0.unwrap().text, "Ben.", "{name}");
    }
}

#[test]
fn what_will_not_pass_is_not_tried_again() {
    let rows = [
        (
            Act::json(401, r#"{"error":{"message":"Incorrect API key provided: sk-secret-of-the-test"}}"#),
            Code::EndpointAuth,
        ),
        (Act::json(403, ""), Code::EndpointAuth),
        (Act::json(404, r#"{"error":{"message":"model 'm' not found"}}"#), Code::EndpointRefused),
        (Act::json(400, r#"{"error":"bad"}"#), Code::EndpointRefused),
        (Act::json(200, "<html>"), Code::EndpointReply),
        (Act::json(429, r#"{"error":{"code":"insufficient_quota"}}"#), Code::EndpointRefused),
        (Act::json(429, "{}").with("retry-after", "3600"), Code::EndpointRateLimited),
        (Act::Aborted, Code::Aborted),
    ];
    for (act, code) in rows {
        let trial = trial([act]);
        assert_eq!(fails(trial.chat(false).0).code(), code);
        assert_eq!(trial.asked(), 1, "{code}");
    }
}

#[test]
fn a_busy_server_that_says_nothing_of_time_is_waited_for_until_patience_ends() {
    let busy =
        || ["", "{}", "<p>", "busy", "[]", "null"].into_iter().cycle().map(|body| Act::json(429, body));
    let failing = trial(busy().take(40));
    assert_eq!(fails(failing.chat(false).0).code(), Code::EndpointRateLimited);
    assert!((20..=24).contains(&failing.asked()), "{}", failing.asked());
    let waited = failing.clock.now.get();
    assert!((840e3..=900e3).contains(&waited), "a quarter of an hour, but for the last wait: {waited}");
    let mut passing = trial(busy().take(12).chain([Act::says("Ben.")]));
    assert_eq!(passing.chat(false).0.unwrap().text, "Ben.");
    passing = trial(busy().take(40));
    passing.endpoint = passing.endpoint.waiting_for(10e3);
    assert_eq!(fails(passing.chat(false).0).code(), Code::EndpointRateLimited);
    assert_eq!(passing.asked(), 4, "after 1, 2 and 4 seconds");
}

#[test]
fn a_server_may_be_silent_for_as_long_as_is_said() {
    let patient = |acts: &[Act]| {
        let mut trial = trial(acts.to_vec());
        trial.endpoint = trial.endpoint.patient_for(5e3);
        trial
    };
    let silent = patient(&[Act::Silent, Act::Silent, Act::Silent]);
    assert_eq!(fails(silent.chat(false).0).code(), Code::EndpointTimeout);
    let waited = silent.clock.now.get();
    assert!((16_500.0..17_000.0).contains(&waited), "three silences and two waits: {waited}");
    let stuck = patient(&[words(&["Ben "], Ending::Silent)]);
    assert_eq!(stuck.chat(true).0.unwrap().finish, Finish::Cut);
    assert_eq!(stuck.clock.now.get(), 5e3, "the same within a stream");
    let usual = trial([Act::Silent, Act::says("Ben.")]);
    usual.chat(false).0.unwrap();
    assert!((300e3..301e3).contains(&usual.clock.now.get()), "five minutes where nothing is said");
}

#[test]
fn a_page_or_nothing_in_place_of_a_stream_is_not_asked_for_again() {
    let page = Act::json(200, "<!doctype html><title>Hello").of_kind("text/html; charset=utf-8");
    for act in [page, Act::json(204, "").of_kind(""), Act::json(204, "")] {
        let trial = trial([act]);
        assert_eq!(fails(trial.chat(true).0).code(), Code::EndpointReply);
        assert_eq!(trial.asked(), 1);
    }
}

fn words(words: &[&str], ending: Ending) -> Act {
    let line = |word: &&str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": word}}]}));
    let lines: Vec<String> = words.iter().map(line).collect();
    Act::stream(&lines.iter().map(String::as_str).collect::<Vec<_>>(), ending)
}

#[test]
fn a_stream_is_heard_as_it_comes_and_kept_when_it_breaks() {
    let rows = [(Ending::Whole, Finish::Cut), (Ending::Broken, Finish::Cut), (Ending::Silent, Finish::Cut)];
    for (ending, finish) in rows {
        let trial = trial([words(&["Ben ", "did."], ending)]);
        let (reply, heard) = trial.chat(true);
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.finish, heard.as_str()), ("Ben did.", finish, "Ben did."));
    }
    let trial = trial([words(&["Ben ", "did."], Ending::Aborted)]);
    assert_eq!(fails(trial.chat(true).0).code(), Code::Aborted);
}

#[test]
fn a_reply_without_an_end_is_cut() {
    let long = "la ".repeat(20_000);
    let trial = trial([words(&[long.as_str(); 60], Ending::Silent)]);
    let (reply, heard) = trial.chat(true);
    let reply = reply.unwrap();
    assert_eq!((reply.finish, &reply.text), (Finish::Cut, &heard));
    assert!(reply.text.len() < 1_200_000, "{}", reply.text.len());
    let whole = Act::says(&"la ".repeat(500_000));
    let error = fails(self::trial([whole]).chat(false).0);
    assert_eq!(error.code(), Code::EndpointReply, "{error}");
}

#[test]
fn a_stream_that_says_nothing_is_not_read_for_ever() {
    let comments = ": still here\n\n".repeat(100_000);
    let trial = trial([Act::stream(&[comments.as_str(); 60], Ending::Silent)]);
    let error = fails(trial.chat(true).0);
    assert_eq!(error.code(), Code::EndpointReply, "{error}");
}

#[test]
fn a_stream_that_breaks_before_its_first_word_is_asked_for_again() {
    for ending in [Ending::Whole, Ending::Broken, Ending::Silent] {
        let trial = trial([words(&[], ending), words(&[""], ending), words(&["Ben."], Ending::Whole)]);
        let (reply, heard) = trial.chat(true);
        assert_eq!((reply.unwrap().text, heard), ("Ben.".to_owned(), "Ben.".to_owned()));
        assert_eq!(trial.asked(), 3);
    }
}

#[test]
fn a_stream_that_never_begins_is_the_fault_that_kept_it() {
    let rows = [
        (Ending::Whole, Code::EndpointReply),
        (Ending::Broken, Code::EndpointUnreachable),
        (Ending::Silent, Code::EndpointTimeout),
    ];
    for (ending, code) in rows {
        let trial = trial([words(&[], ending), words(&[], ending), words(&[], ending)]);
        assert_eq!(fails(trial.chat(true).0).code(), code);
    }
}

#[test]
fn a_whole_reply_to_a_request_for_a_stream_is_heard_at_once() {
    let (reply, heard) = trial([Act::says("Ben did.")]).chat(true);
    assert_eq!((reply.unwrap().finish, heard.as_str()), (Finish::Stop, "Ben did."));
}

#[test]
fn a_filtered_reply_is_no_error() {
    let azure = r#"{"error":{"code":"content_filter","message":"withheld"}}"#;
    let router = r#"{"error":{"code":403,"message":"flagged","metadata":{"flagged_input":"It was a dark"}}}"#;
    for act in [Act::json(400, azure), Act::json(403, router)] {
        let reply = trial([act]).chat(false).0.unwrap();
        assert_eq!((reply.text.as_str(), reply.finish), ("", Finish::Filter));
    }
}

#[test]
fn thinking_without_its_tag_is_remembered() {
    let stream = || words(&["Ann?", "\n</think>\n\n", "Ben."], Ending::Whole);
    let trial = trial([stream(), stream()]);
    assert!(trial.chat(true).1.starts_with("Ann?"), "nobody could know");
    assert_eq!(trial.chat(true).1, "Ben.");
}

fn vectors(count: usize) -> Act {
    let item = |index: usize| json!({"index": index, "embedding": [1.0, index]});
    let data: Vec<Value> = (0..count).map(item).collect();
    Act::json(200, &json!({"data": data, "usage": {"prompt_tokens": count}}).to_string())
}

#[test]
fn texts_are_embedded_in_batches_and_keep_their_order() {
    let trial = trial([vectors(64), vectors(6)]);
    let texts: Vec<String> = (0..70).map(|n| format!("text {n}")).collect();
    let embedded = block_on(trial.endpoint.embed(&texts, &Unheard)).unwrap();
    assert_eq!(embedded.vectors.len(), 70);
    assert_eq!(embedded.tokens.prompt, 70);
    let sent = trial.server.sent();
    assert_eq!(sent[1]["input"][5], "text 69");
    assert_eq!(sent[0]["encoding_format"], "float");
    assert!(trial.server.posts.borrow()[0].url.ends_with("/v1/embeddings?token=hidden"));
}

#[test]
fn a_batch_that_is_too_large_is_halved() {
    let large = || Act::json(413, "<html>");
    let trial = trial([large(), vectors(1), large(), vectors(1), vectors(1)]);
    assert_eq!(trial.embed(&["a", "b", "c"]).unwrap().vectors.len(), 3);
    let inputs: Vec<Value> = trial.server.sent().iter().map(|body| body["input"].clone()).collect();
    let expected = [json!(["a", "b", "c"]), json!(["a"]), json!(["b", "c"]), json!(["b"]), json!(["c"])];
    assert_eq!(inputs, expected);
}

#[test]
fn a_text_that_is_too_large_alone_is_the_error() {
    let trial = trial([Act::json(413, "")]);
    assert_eq!(trial.embed(&["a"]).unwrap_err().code(), Code::EndpointRefused);
}

/// One vector for one text.
fn vector(numbers: [f32; 2]) -> Act {
    Act::json(200, &json!({"data": [{"embedding": numbers}], "usage": {"prompt_tokens": 2}}).to_string())
}

#[test]
fn a_long_text_is_the_mean_of_its_parts_each_by_its_length() {
    let long = || {
        Act::json(400, r#"{"error": {"message": "input is too long", "code": "context_length_exceeded"}}"#)
    };
    // The batch, the long text alone, its first half, the quarters of that, its second half, the short text.
    let acts =
        [long(), long(), long(), vector([1.0, 0.0]), vector([1.0, 0.0]), vector([0.0, 1.0]), vectors(1)];
    let trial = trial(acts);
    let embedded = trial.embed(&["aaa bbb cccc ddd", "z"]).unwrap();
    let inputs: Vec<Value> = trial.server.sent().iter().map(|body| body["input"].clone()).collect();
    let whole = "aaa bbb cccc ddd";
    let expected = [
        json!([whole, "z"]),
        json!([whole]),
        json!(["aaa bbb"]),
        json!(["aaa"]),
        json!(["bbb"]),
        json!(["cccc ddd"]),
        json!(["z"]),
    ];
    assert_eq!(inputs, expected);
    assert_eq!(embedded.vectors.len(), 2);
    let [x, y] = embedded.vectors[0][..] else { panic!("two numbers") };
    assert!((x / y - 6.0 / 8.0).abs() < 1e-6 && (x * x + y * y - 1.0).abs() < 1e-6, "{x} {y}");
    assert_eq!(embedded.tokens.prompt, 2 * 3 + 1);
    assert!(trial.clock.slept.borrow().is_empty());
}

#[test]
fn a_server_that_takes_no_text_however_short_is_asked_a_bounded_number_of_times() {
    let endless = "word ".repeat(10_000);
    let trial = trial((0..100).map(|_| Act::json(413, "")));
    assert_eq!(trial.embed(&[&endless]).unwrap_err().code(), Code::EndpointRefused);
    assert_eq!(trial.asked(), 7, "the whole, then six halves");
}

#[test]
fn parts_of_two_widths_are_an_error() {
    let trial =
        trial([Act::json(413, ""), vector([1.0, 0.0]), Act::json(200, r#"{"data":[{"embedding":[1.0]}]}"#)]);
    assert_eq!(trial.embed(&["a b"]).unwrap_err().code(), Code::VectorInvalid);
}

#[test]
fn an_embedder_s_refused_field_is_dropped_too() {
    let trial = trial([refusal("encoding_format"), vectors(1)]);
    trial.embed(&["a"]).unwrap();
    assert!(trial.server.sent()[1].get("encoding_format").is_none());
}

#[test]
fn vectors_of_two_widths_in_two_batches_are_an_error() {
    let narrow = Act::json(200, r#"{"data":[{"embedding":[1.0]}]}"#);
    let texts: Vec<String> = (0..65).map(|n| n.to_string()).collect();
    let error = block_on(trial([vectors(64), narrow]).endpoint.embed(&texts, &Unheard)).unwrap_err();
    assert_eq!(error.code(), Code::VectorInvalid);
}

#[test]
fn nothing_to_embed_asks_nothing() {
    assert!(trial([]).embed(&[]).unwrap().vectors.is_empty());
}
