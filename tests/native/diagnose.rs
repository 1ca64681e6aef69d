//! What is wrong with an endpoint: every fault that a server or a browser has, as a row that must be told
//! from the others, over a server that is a function.

use std::cell::RefCell;
use std::rc::Rc;

use plotbridge::diagnose::bounds::Bounds;
use plotbridge::diagnose::place::{Browser, Leave, Place, System};
use plotbridge::diagnose::scout::{Look, Scout, Seen, Silence, Way};
use plotbridge::diagnose::{Part, Subject, diagnose};
use plotbridge::llm::caller::Caller;
use plotbridge::llm::connection::Memory;
use plotbridge::llm::endpoint::{Endpoint, Settings};
use plotbridge::llm::traffic::Limits;
use plotbridge::llm::{Embedded, Embedder, Later, Models};
use plotbridge::pace::Native;
use plotbridge::report::{Check, Diagnosis};
use plotbridge::{Code, Error, Result};
use pollster::block_on;
use serde_json::{Value, json};

use crate::llm::double::{Leap, Scripted};

const KEY: &str = "sk-of-nobody-77aa";

/// A server as a function of what is looked at.
struct Server<F> {
    does: F,
    looks: RefCell<Vec<Look>>,
}

impl<F: Fn(&Look) -> Result<Seen>> Scout for Server<F> {
    fn look(&self, look: Look) -> Later<'_, Result<Seen>> {
        let seen = (self.does)(&look);
        self.looks.borrow_mut().push(look);
        Box::pin(std::future::ready(seen))
    }
}

fn answer(status: u16, body: &Value) -> Seen {
    Seen::Answer { status, headers: Vec::new(), body: body.to_string().into_bytes() }
}

fn silence(why: &str, leave: Leave) -> Seen {
    Seen::Nothing(Silence { why: why.to_owned(), leave })
}

/// A server under `/v1` with two models, a context of so many words, and whatever `fault` does before.
fn server(words: usize, fault: impl Fn(&Look) -> Option<Seen>) -> impl Fn(&Look) -> Result<Seen> {
    move |look| {
        if let Some(seen) = fault(look) {
            return Ok(seen);
        }
        let nothing = || answer(404, &json!({"error": {"message": "no such path"}}));
        let Some((_, path)) = look.url.split_once("://x:1/v1/").or_else(|| look.url.split_once(":11434/v1/"))
        else {
            return Ok(nothing());
        };
        let body: Value = serde_json::from_str(&look.body).unwrap_or_default();
        let model = body["model"].as_str().unwrap_or_default();
        let known = ["small-chat", "small-embed"].contains(&model);
        Ok(match path {
            "models" => answer(
                200,
                &json!({"data": [{"id": "small-chat", "owned_by": "library"}, {"id": "small-embed"}]}),
            ),
            _ if !known => {
                answer(404, &json!({"error": {"message": "model not found", "code": "model_not_found"}}))
            }
            "chat/completions" if model == "small-chat" => chat(&body, words),
            "embeddings" if model == "small-embed" => answer(
                200,
                &json!({"data": [{"index": 0, "embedding": [3.0, 4.0]}], "usage": {"prompt_tokens": 9}}),
            ),
            _ => {
                answer(400, &json!({"error": {"message": "this model does not support embeddings or chat"}}))
            }
        })
    }
}

/// Repeats the word of the day, if it is among the last words of the prompt.
fn chat(body: &Value, words: usize) -> Seen {
    let said = body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    let all: Vec<&str> = said.split_whitespace().collect();
    let seen = &all[all.len().saturating_sub(words)..];
    let word = seen.iter().position(|word| *word == "day").and_then(|at| seen.get(at + 2)).copied();
    let reply = json!({"role": "assistant", "content": word.filter(|_| seen[0] == "The").unwrap_or("ready")});
    answer(
        200,
        &json!({"choices": [{"message": reply, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": seen.len() * 5 / 4, "completion_tokens": 1}}),
    )
}

fn settings(url: &str, model: &str) -> Settings {
    Settings { url: url.to_owned(), model: model.to_owned(), key: Some(KEY.to_owned()), headers: Vec::new() }
}

fn page(origin: &str, browser: Browser) -> Place {
    Place { page: Some(origin.to_owned()), browser, system: System::Linux, leave: Leave::Unknown }
}

fn look_at(
    settings: &Settings,
    part: Option<Part>,
    place: &Place,
    does: impl Fn(&Look) -> Result<Seen> + 'static,
) -> Result<Diagnosis> {
    let subject =
        Subject { settings, part, index: None, place, bounds: Bounds::default(), memory: &Memory::default() };
    let scout = Rc::new(Server { does, looks: RefCell::default() });
    let found =
        block_on(diagnose(&subject, Rc::clone(&scout) as _, Rc::new(Leap::default()), &Native::default()))?;
    let told = serde_json::to_string(&found).unwrap();
    assert!(!told.contains("nobody"), "{told}");
    let origin = settings.url.split('/').take(3).collect::<Vec<_>>().join("/");
    assert!(
        scout.looks.borrow().iter().all(|look| look.url.starts_with(&origin)),
        "the key goes to one origin"
    );
    assert_eq!(found.ok, found.checks.iter().all(|check| check.ok));
    Ok(found)
}

/// The check that failed, which is the last.
fn fault(found: &Diagnosis) -> &Check {
    let last = found.checks.last().unwrap();
    let failed = found.checks.iter().filter(|check| !check.ok).count();
    assert_eq!((failed, last.ok), (1, false), "{found:#?}");
    assert!(last.fix.is_some(), "{last:?}");
    last
}

fn names(found: &Diagnosis) -> Vec<&str> {
    found.checks.iter().map(|check| check.check).collect()
}

#[test]
fn a_server_without_a_fault_passes_as_either() {
    let whole = |_: &Look| None;
    let chat =
        look_at(&settings("http://x:1", "small-chat"), None, &Place::default(), server(9999, whole)).unwrap();
    assert!(chat.ok, "{chat:#?}");
    assert_eq!(names(&chat), ["address", "connection", "path", "key", "model", "reply", "context"]);
    assert_eq!((chat.usage.requests, chat.issues.len()), (5, 0));
    let embed = look_at(&settings("http://x:1", "small-embed"), None, &Place::default(), server(9999, whole))
        .unwrap();
    assert!(embed.ok && embed.checks.iter().all(|check| check.endpoint == "embed"), "{embed:#?}");
    assert_eq!(names(&embed), ["address", "connection", "path", "key", "model", "vectors"]);
    let there = page("http://127.0.0.1:8017", Browser::Firefox);
    let seen = look_at(&settings("http://x:1", "small-chat"), Some(Part::Chat), &there, server(9999, whole))
        .unwrap();
    assert_eq!(names(&seen)[1], "browser");
}

#[test]
fn silence_is_told_by_the_systems_word() {
    for (why, code, part) in [
        ("ECONNREFUSED", "unreachable", "Nothing listens"),
        ("ENOTFOUND", "dns", "name is not known"),
        ("EAI_AGAIN", "dns", "name is not known"),
        ("DEPTH_ZERO_SELF_SIGNED_CERT", "tls", "certificate"),
        ("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls", "certificate"),
        ("ERR_SSL_WRONG_VERSION_NUMBER", "tls", "does not speak https"),
        ("UND_ERR_CONNECT_TIMEOUT", "timeout", "in time"),
        ("UND_ERR_SOCKET", "broken", "ended the connection"),
        ("redirect", "redirect", "another address"),
        ("EHOSTUNREACH", "unreachable", "cannot be reached (EHOSTUNREACH)"),
        ("", "unreachable", "cannot be reached."),
    ] {
        let does = move |_: &Look| Ok(silence(why, Leave::Unknown));
        let found =
            look_at(&settings("https://x:1/v1", "m"), Some(Part::Chat), &Place::default(), does).unwrap();
        let check = fault(&found);
        assert_eq!((check.check, check.code), ("connection", Some(code)), "{why}");
        assert!(check.message.contains(part), "{}", check.message);
    }
    let found = look_at(&settings("http://localhost:11434/v1", "m"), None, &Place::default(), |_| {
        Ok(silence("ECONNREFUSED", Leave::Unknown))
    })
    .unwrap();
    assert_eq!(fault(&found).copy.as_deref(), Some("ollama serve"));
}

#[test]
fn in_a_page_a_blind_look_tells_cors_from_nobody_there() {
    let far = "https://books.example.org";
    let blind = |there: bool, why: &'static str, leave: Leave| {
        move |look: &Look| {
            Ok(if look.way == Way::Blind && there { Seen::Something } else { silence(why, leave) })
        }
    };
    let rows = [
        (far, true, "", Leave::Granted, "cors", "OLLAMA_ORIGINS=https://books.example.org"),
        (far, false, "", Leave::Granted, "unreachable", "ollama serve"),
        (far, false, "", Leave::Prompt, "local_network", "npx plotbridge serve"),
        (far, false, "policy", Leave::Prompt, "policy", "connect-src 'self' http://localhost:11434"),
        (far, true, "policy", Leave::Prompt, "policy", "connect-src 'self' http://localhost:11434"),
        ("http://127.0.0.1:8017", false, "", Leave::Prompt, "unreachable", "ollama serve"),
        ("http://127.0.0.1:8017", true, "", Leave::Unknown, "cors", "OLLAMA_ORIGINS=http://127.0.0.1:8017"),
    ];
    for (origin, there, why, leave, code, copy) in rows {
        let place = page(origin, Browser::Chromium);
        let found =
            look_at(&settings("http://localhost:11434/v1", "m"), None, &place, blind(there, why, leave))
                .unwrap();
        let check = fault(&found);
        assert_eq!(check.code, Some(code), "{check:?}");
        assert!(check.copy.as_deref().unwrap().contains(copy), "{check:?}");
    }
    for (url, copy) in [
        ("http://localhost:1234", "--cors"),
        ("http://localhost:8000", "--allowed-origins"),
        ("http://localhost:5", "Access-Control-Allow-Origin: https://"),
    ] {
        let found =
            look_at(&settings(url, "m"), None, &page(far, Browser::Firefox), blind(true, "", Leave::Unknown))
                .unwrap();
        assert!(fault(&found).copy.as_deref().unwrap().contains(copy), "{url}");
    }
}

#[test]
fn an_answer_that_sends_the_request_on_is_told_as_that_in_a_page_too() {
    for (place, key) in [
        (page("https://books.example.org", Browser::Chromium), Some(KEY.to_owned())),
        (page("https://books.example.org", Browser::Firefox), None),
        (Place::default(), None),
    ] {
        // A look whose answer nobody reads is sent on by browsers, and gets one.
        let does = |look: &Look| {
            Ok(if look.way == Way::Blind { Seen::Something } else { silence("redirect", Leave::Unknown) })
        };
        for url in ["https://x:1/v1", "http://localhost:11434/v1"] {
            let found =
                look_at(&Settings { key: key.clone(), ..settings(url, "m") }, None, &place, does).unwrap();
            let check = fault(&found);
            assert_eq!((check.check, check.code), ("connection", Some("redirect")), "{check:?}");
            assert!(check.message.contains("where none follows"), "{check:?}");
            assert!(!check.message.contains("CORS") && !check.message.contains("with a key"), "{check:?}");
        }
    }
    // Where a page cannot know it, the words for CORS do not exclude it; at home nobody is sent on.
    let does =
        |look: &Look| Ok(if look.way == Way::Blind { Seen::Something } else { silence("", Leave::Unknown) });
    let there = page("https://books.example.org", Browser::Firefox);
    for (url, also) in [("https://api.example.org/v1", true), ("http://localhost:11434/v1", false)] {
        let found = look_at(&settings(url, "m"), None, &there, does).unwrap();
        assert_eq!(fault(&found).code, Some("cors"));
        assert_eq!(fault(&found).message.contains("to another address"), also, "{url}");
    }
}

/// The diagnosis of a server within bounds, with the clock that it waited by.
fn bounded(bounds: Bounds, does: impl Fn(&Look) -> Result<Seen> + 'static) -> (Diagnosis, Rc<Leap>, usize) {
    let settings = settings("http://x:1", "small-chat");
    let place = Place::default();
    let subject = Subject {
        settings: &settings,
        part: Some(Part::Chat),
        index: None,
        place: &place,
        bounds,
        memory: &Memory::default(),
    };
    let scout = Rc::new(Server { does, looks: RefCell::default() });
    let clock = Rc::new(Leap::default());
    let found =
        block_on(diagnose(&subject, Rc::clone(&scout) as _, Rc::clone(&clock) as _, &Native::default()))
            .unwrap();
    let posts = scout.looks.borrow().iter().filter(|look| look.way == Way::Post).count();
    (found, clock, posts)
}

#[test]
fn a_diagnosis_keeps_to_limits_and_budget_and_says_what_it_did_not_try() {
    let whole = || server(9999, |_| None);
    let (free, clock, posts) = bounded(Bounds::default(), whole());
    assert_eq!((free.ok, free.issues.len(), posts, clock.now.get()), (true, 0, 5, 0.0));
    let limits = Limits { requests_per_minute: Some(1), tokens_per_minute: None };
    let (found, clock, posts) = bounded(Bounds { limits, ..Bounds::default() }, whole());
    assert_eq!((found.ok, posts), (true, 5));
    assert!(clock.now.get() >= 240e3, "--rpm 1: {}", clock.now.get());
    for (budget, requests, context) in
        [(0, 0, None), (600, 1, None), (5_000, 3, Some("2000 tokens")), (20_000, 5, Some("8000 tokens"))]
    {
        let (found, _, posts) = bounded(Bounds { budget: Some(budget), ..Bounds::default() }, whole());
        assert_eq!(posts, requests, "{budget}: {found:#?}");
        let spent = found.usage.prompt_tokens + found.usage.completion_tokens;
        assert!(spent <= budget, "{spent} of {budget}");
        let told =
            found.checks.iter().find(|check| check.check == "context").map(|check| check.message.clone());
        assert_eq!(told.is_some(), context.is_some(), "{found:#?}");
        assert!(told.unwrap_or_default().contains(context.unwrap_or_default()), "{found:#?}");
        let issue = found.issues.iter().any(|issue| issue.code == "budget");
        assert_eq!((issue, found.ok), ((1..5).contains(&requests), requests > 0), "{budget}: {found:#?}");
    }
    let (none, ..) = bounded(Bounds { budget: Some(0), ..Bounds::default() }, whole());
    assert_eq!((fault(&none).check, fault(&none).code), ("reply", Some("budget")));
}

#[test]
fn a_diagnosis_keeps_to_the_limits_of_a_book_and_leaves_them_as_they_are() {
    let settings = settings("http://x:1", "small-chat");
    let memory = Memory::default();
    let clock = Rc::new(Leap::default());
    let scout = || Rc::new(Server { does: server(9999, |_| None), looks: RefCell::default() });
    let of_a_book = Limits { requests_per_minute: Some(1), tokens_per_minute: None };
    let book = Endpoint::new(&settings, Scripted::new([]), Rc::clone(&clock) as _).unwrap();
    let book = book.remembering(memory.clone()).within(of_a_book);
    let mut took = Vec::new();
    for limits in [Limits::default(), Limits { requests_per_minute: Some(6), tokens_per_minute: None }] {
        let bounds = Bounds { limits, ..Bounds::default() };
        let place = Place::default();
        let (part, index) = (Some(Part::Chat), None);
        let subject = Subject { settings: &settings, part, index, place: &place, bounds, memory: &memory };
        let began = clock.now.get();
        assert!(
            block_on(diagnose(&subject, scout(), Rc::clone(&clock) as _, &Native::default())).unwrap().ok
        );
        took.push(clock.now.get() - began);
        assert_eq!(book.limits(), of_a_book);
    }
    assert!(took[0] >= 240e3, "five requests at one a minute: {took:?}");
    assert!(took[1] < 120e3, "its own limits count while it lasts: {took:?}");
}

#[test]
fn a_server_that_says_it_takes_little_is_told_of_and_keeps_nobody_waiting() {
    let says = |of: &'static str, value: &'static str| {
        let plain = server(9999, |_| None);
        move |look: &Look| {
            let seen = plain(look)?;
            Ok(match seen {
                Seen::Answer { status, body, .. } => {
                    let headers = vec![(format!("x-ratelimit-limit-{of}"), value.to_owned())];
                    Seen::Answer { status, headers, body }
                }
                seen => seen,
            })
        }
    };
    for (of, value, codes, most) in [
        ("tokens", "1", &["slow"][..], 0.0),
        ("requests", "0", &["slow"], 0.0),
        ("requests", "1", &["busy", "slow"], 30e3),
        ("requests", "500", &[], 0.0),
        ("tokens", "30000", &[], 60e3),
    ] {
        let (found, clock, posts) = bounded(Bounds::default(), says(of, value));
        let told: Vec<&str> = found.issues.iter().map(|issue| issue.code.as_str()).collect();
        assert_eq!((told, found.ok), (codes.to_vec(), true), "{of} {value}: {found:#?}");
        assert!(clock.now.get() <= most, "{of} {value}: {}", clock.now.get());
        assert_eq!(posts < 5, codes.contains(&"busy"));
    }
    // With patience it waits.
    let (found, clock, posts) =
        bounded(Bounds { patience_ms: 120e3, ..Bounds::default() }, says("requests", "1"));
    assert_eq!((posts, found.issues.len()), (5, 1), "{found:#?}");
    assert!(clock.now.get() >= 120e3);
    // A full minute amid the prompts is no fault of the context.
    let plain = server(9999, |_| None);
    let busy = move |look: &Look| {
        if look.body.len() > 6_000 {
            return Ok(answer(429, &json!({"error": {"message": "Rate limit reached, try again in 20s"}})));
        }
        plain(look)
    };
    let (found, clock, _) = bounded(Bounds::default(), busy);
    assert!(
        found.ok && found.issues[0].message.contains("2000 tokens is seen whole was not tried"),
        "{found:#?}"
    );
    assert_eq!(clock.now.get(), 0.0);
}

#[test]
fn a_path_that_does_not_let_a_page_in_is_a_wrong_path() {
    let at_api = |look: &Look| match look.way {
        Way::Blind => Some(Seen::Something),
        _ => look.url.contains("/api").then(|| silence("", Leave::Unknown)),
    };
    let place = page("https://books.example.org", Browser::Firefox);
    let found =
        look_at(&settings("https://x:1/api", "small-chat"), None, &place, server(9999, at_api)).unwrap();
    assert_eq!((fault(&found).code, fault(&found).copy.as_deref()), (Some("path"), Some("https://x:1/v1")));
}

#[test]
fn what_a_browser_blocks_is_not_even_sent() {
    let place = page("https://books.example.org", Browser::Safari);
    let never = |_: &Look| panic!("nothing may be sent");
    let found = look_at(&settings("http://localhost:11434", "m"), None, &place, never).unwrap();
    assert_eq!((fault(&found).code, found.usage.requests), (Some("mixed_content"), 0));
}

#[test]
fn refusals_are_told_apart_with_what_to_write_instead() {
    let status = |status: u16, message: &'static str| {
        move |look: &Look| {
            (look.way == Way::Post).then(|| answer(status, &json!({"error": {"message": message}})))
        }
    };
    let none = |_: &Look| None;
    let (chat, embed) = (Some(Part::Chat), Some(Part::Embed));
    let told = |url: &str, model: &str, part, does| {
        let found = look_at(&settings(url, model), part, &Place::default(), does).unwrap();
        let Check { check, code, copy, .. } = fault(&found).clone();
        (check, code.unwrap(), copy)
    };
    let copied = |text: &str| Some(text.to_owned());
    assert_eq!(
        told(
            "http://x:1/api",
            "small-chat",
            chat,
            Box::new(server(9999, none)) as Box<dyn Fn(&Look) -> Result<Seen>>
        ),
        ("path", "path", copied("http://x:1/v1"))
    );
    assert_eq!(
        told("http://x:1/v1", "smal-chat", chat, Box::new(server(9999, none))),
        ("model", "model", copied("small-chat"))
    );
    assert_eq!(
        told("http://x:1/v1", "small-chat", embed, Box::new(server(9999, none))),
        ("vectors", "no_embeddings", copied("small-embed"))
    );
    // llama.cpp lists its one model by its file, and says 501 where it was not started for vectors.
    let llama = |look: &Look| {
        let list = json!({"data": [{"id": "/models/all-minilm-l6-v2.gguf", "owned_by": "llamacpp"}]});
        let said = json!({"error": {"message": "This server does not support embeddings. Start it with `--embeddings`", "code": 501}});
        Some(match look.way {
            Way::Post => answer(501, &said),
            _ => answer(200, &list),
        })
    };
    assert_eq!(
        told("http://x:1/v1", "all-minilm-l6-v2", embed, Box::new(server(9999, llama))),
        ("vectors", "no_embeddings", copied("llama-server -m EMBEDDING-MODEL.gguf --embeddings"))
    );
    for (code, message, wanted) in [
        (401, "bad key", ("key", "key")),
        (403, "no", ("key", "forbidden")),
        (402, "pay", ("reply", "credit")),
        (429, "later", ("reply", "busy")),
        (500, "boom", ("connection", "server")),
        (400, "no", ("reply", "reply")),
    ] {
        let (check, found, _) =
            told("http://x:1/v1", "small-chat", chat, Box::new(server(9999, status(code, message))));
        assert_eq!((check, found), wanted, "{code}");
    }
    let forbidden = |look: &Look| {
        let body = b"<!doctype html><title>Forbidden</title>".to_vec();
        (look.way == Way::Post).then(|| Seen::Answer { status: 403, headers: Vec::new(), body })
    };
    assert_eq!(
        told("http://x:1/v1", "small-chat", chat, Box::new(server(9999, forbidden))),
        ("key", "forbidden", None)
    );
    let html = |look: &Look| {
        (look.way == Way::Post).then(|| Seen::Answer {
            status: 200,
            headers: Vec::new(),
            body: b"<html>".to_vec(),
        })
    };
    assert_eq!(told("http://x:1/v1", "small-chat", chat, Box::new(server(9999, html))).1, "reply");
    assert_eq!(
        told("http://x:1/ui", "small-chat", chat, Box::new(server(9999, html))),
        ("path", "path", copied("http://x:1/v1"))
    );
}

#[test]
fn a_page_that_is_forbidden_is_let_in_at_home_and_looks_at_its_key_abroad() {
    let forbidden = |look: &Look| {
        let empty = Seen::Answer { status: 403, headers: Vec::new(), body: Vec::new() };
        (look.way == Way::Post).then_some(empty)
    };
    for (url, origin, copy) in [
        (
            "http://localhost:11434",
            "https://books.example.org",
            Some("OLLAMA_ORIGINS=https://books.example.org"),
        ),
        ("http://localhost:11434", "chrome-extension://abc", Some("OLLAMA_ORIGINS=chrome-extension://*")),
        ("https://api.example.org", "https://books.example.org", None),
    ] {
        let place = page(origin, Browser::Chromium);
        let found = look_at(&settings(url, "m"), Some(Part::Chat), &place, server(9999, forbidden)).unwrap();
        let check = fault(&found);
        assert_eq!((check.check, check.code), ("key", Some("forbidden")), "{url}");
        match copy {
            Some(copy) => assert!(check.copy.as_deref().unwrap().contains(copy), "{check:?}"),
            None => assert!(
                check.copy.is_none() && check.fix.as_deref().unwrap().contains("this key"),
                "{check:?}"
            ),
        }
    }
}

#[test]
fn a_listed_name_that_repeats_a_key_is_not_told() {
    const VALUE: &str = "header-of-nobody";
    const QUERY: &str = "query-of-nobody";
    let listing = |look: &Look| {
        let names = [&format!("m-{KEY}"), VALUE, &format!("{QUERY}/m"), "nobod"];
        let data: Vec<Value> = names.iter().map(|name| json!({"id": name})).collect();
        Some(match look.way {
            Way::Post => {
                answer(404, &json!({"error": {"message": "model not found", "code": "model_not_found"}}))
            }
            _ => answer(200, &json!({ "data": data })),
        })
    };
    for (part, wanted) in [(Part::Chat, "model"), (Part::Embed, "model")] {
        let settings = Settings {
            headers: vec![("x-key".to_owned(), format!("Bearer {VALUE}"))],
            ..settings(&format!("http://x:1/v1?token={QUERY}"), "nobodx")
        };
        let subject = Subject {
            settings: &settings,
            part: Some(part),
            index: None,
            place: &Place::default(),
            bounds: Bounds::default(),
            memory: &Memory::default(),
        };
        let does = move |look: &Look| Ok(listing(look).unwrap());
        let scout = Rc::new(Server { does, looks: RefCell::default() });
        let found =
            block_on(diagnose(&subject, scout, Rc::new(Leap::default()), &Native::default())).unwrap();
        let check = fault(&found);
        assert_eq!((check.check, check.copy.as_deref()), (wanted, Some("nobod")));
        let told = serde_json::to_string(&found).unwrap();
        assert!(!told.contains("of-nobody"), "{told}");
    }
}

/// An embedder of this name that has one vector for everything.
struct Flat(&'static str, &'static [f32]);

impl Embedder for Flat {
    fn name(&self) -> &str {
        self.0
    }

    fn embed<'a>(&'a self, texts: &'a [String], _: &'a dyn Caller) -> Later<'a, Result<Embedded>> {
        let vectors = vec![self.1.to_vec(); texts.len()];
        Box::pin(std::future::ready(Ok(Embedded { vectors, ..Embedded::default() })))
    }
}

#[test]
fn vectors_are_compared_with_those_of_the_open_index() {
    for (made_by, vector, code) in [
        ("small-embed", &[0.6, 0.8][..], None),
        ("small-embed", &[0.8, 0.6], Some("other_embedder")),
        ("small-embed", &[0.0, 0.6, 0.8], Some("width")),
        ("large-embed", &[0.6, 0.8], Some("no_space")),
    ] {
        let models = Models { embed: Some(Rc::new(Flat(made_by, vector))), ..Models::default() };
        let (book, _) = crate::models::build(crate::models::STORY, &models).unwrap();
        let settings = settings("http://x:1", "small-embed");
        let subject = Subject {
            settings: &settings,
            part: Some(Part::Embed),
            index: Some(&book.book().index),
            place: &Place::default(),
            bounds: Bounds::default(),
            memory: &Memory::default(),
        };
        let scout = Rc::new(Server { does: server(9999, |_| None), looks: RefCell::default() });
        let found =
            block_on(diagnose(&subject, scout, Rc::new(Leap::default()), &Native::default())).unwrap();
        let last = found.checks.last().unwrap();
        assert_eq!((last.check, last.code, last.ok), ("index", code, code.is_none()), "{last:?}");
        assert_eq!(last.fix.is_some(), code.is_some());
    }
}

#[test]
fn a_context_that_cuts_is_found_with_the_setting_and_a_forgetful_model_is_no_fault() {
    for (words, system, copy, message) in [
        (
            1000,
            System::Linux,
            "[Service]\nEnvironment=\"OLLAMA_CONTEXT_LENGTH=16384\"",
            "a prompt of 2000 tokens: the model",
        ),
        (
            2000,
            System::Mac,
            "launchctl setenv OLLAMA_CONTEXT_LENGTH \"16384\"",
            "a prompt of 4000 tokens: the model",
        ),
        (4000, System::Windows, "setx OLLAMA_CONTEXT_LENGTH \"16384\"", "One of 4000 it takes whole"),
    ] {
        let place = Place { system, ..Place::default() };
        let found =
            look_at(&settings("http://x:1", "small-chat"), Some(Part::Chat), &place, server(words, |_| None))
                .unwrap();
        let check = fault(&found);
        assert_eq!((check.check, check.copy.as_deref()), ("context", Some(copy)));
        assert!(check.message.contains(message), "{}", check.message);
    }
    let small = |look: &Look| {
        (look.body.len() > 12_000).then(|| {
            answer(400, &json!({"error": {"message": "too long", "code": "context_length_exceeded"}}))
        })
    };
    let found = look_at(
        &settings("http://x:1", "small-chat"),
        Some(Part::Chat),
        &Place::default(),
        server(9999, small),
    )
    .unwrap();
    assert!(fault(&found).message.contains("refuses a prompt of 4000"), "{found:?}");
    let dull = |look: &Look| {
        let reply = json!({"choices": [{"message": {"content": "Hm."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9000, "completion_tokens": 2}});
        (look.way == Way::Post).then(|| answer(200, &reply))
    };
    let found = look_at(
        &settings("http://x:1", "small-chat"),
        Some(Part::Chat),
        &Place::default(),
        server(9999, dull),
    )
    .unwrap();
    assert!(found.ok);
    assert_eq!(found.issues[0].code, "recall");
}

#[test]
fn a_cancel_is_a_cancel_and_a_wrong_address_a_check() {
    let aborted = |_: &Look| Err(Error::new(Code::Aborted, "the call was cancelled"));
    let cancelled = look_at(&settings("http://x:1", "m"), None, &Place::default(), aborted);
    assert_eq!(cancelled.unwrap_err().code(), Code::Aborted);
    let found = look_at(&settings("ftp://x", "m"), None, &Place::default(), aborted).unwrap();
    assert_eq!((fault(&found).check, found.checks.len()), ("address", 1));
}
