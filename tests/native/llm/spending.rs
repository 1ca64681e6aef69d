//! What requests cost and how fast they go: the ledger, the budget, the limits, and waits for a busy server.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures_util::future::join_all;
use plotbridge::llm::account;
use plotbridge::llm::caller::{Caller, Unheard};
use plotbridge::llm::connection::Memory;
use plotbridge::llm::endpoint::{Endpoint, Settings};
use plotbridge::llm::http::{Post, Response, Transport};
use plotbridge::llm::ledger::{Call, Ledger};
use plotbridge::llm::traffic::Limits;
use plotbridge::llm::{ChatModel, ChatReply, ChatRequest, Clock, Later};
use plotbridge::{Code, Result};
use pollster::block_on;
use serde_json::json;

use super::double::{Act, Answering, Ending, Leap, Letters, Scripted};
use super::openai::request;

fn endpoint(server: &Rc<Scripted>, clock: &Rc<Leap>, model: &str) -> Endpoint {
    let url = "http://127.0.0.1:8080/v1".to_owned();
    let settings = Settings { url, model: model.to_owned(), ..Settings::default() };
    let transport: Rc<dyn Transport> = server.clone();
    Endpoint::new(&settings, transport, clock.clone()).unwrap()
}

/// What a caller was told of waiting, in whole seconds, each once.
#[derive(Default)]
struct Waiting(RefCell<Vec<f64>>);

impl Caller for Waiting {
    fn hear(&self, _piece: &str) {}

    fn waits(&self, ms: f64) {
        let seconds = (ms / 1e3).ceil();
        if self.0.borrow().last() != Some(&seconds) {
            self.0.borrow_mut().push(seconds);
        }
    }
}

/// How long one request waited whose server first gave this answer, and then a reply.
fn waited(first: Act) -> (f64, Vec<f64>) {
    let (server, clock) = (Scripted::new([first, Act::says("Ben.")]), Rc::new(Leap::default()));
    let told = Waiting::default();
    block_on(endpoint(&server, &clock, "m").chat(&request(false), &told)).unwrap();
    (clock.now.get(), told.0.into_inner())
}

#[test]
fn a_server_is_waited_for_as_it_asks_in_each_form() {
    let busy = |body: &str| Act::json(429, body);
    let said = |words: &str| busy(&json!({"error": {"message": words}}).to_string());
    let rows = [
        (busy("{}").with("retry-after", "9"), 9e3),
        (busy("{}").with("retry-after", "Sun, 06 Nov 1994 08:49:49 GMT"), 12e3),
        (busy("{}").with("retry-after-ms", "4321"), 4321.0),
        (said("Rate limit reached. Please try again in 2976ms."), 2976.0),
        (said("Please try again in 1m2s. Visit the page."), 62e3),
        (busy("{}").with("retry-after", "600"), 600e3),
        (Act::json(503, "{}").with("retry-after", "120"), 120e3),
    ];
    for (act, ms) in rows {
        let (waited, told) = waited(act);
        assert!((ms..=ms * 1.25 + 0.1).contains(&waited), "{waited} for {ms}");
        assert_eq!(told.last(), Some(&0.0), "it is told that it goes on: {told:?}");
        assert!((told[0] - waited / 1e3).abs() <= 1.0, "it is told how long: {told:?}");
        assert!(told.windows(2).all(|two| two[0] > two[1]), "it counts down: {told:?}");
    }
    assert_eq!(waited(Act::json(500, "{}")).1.len(), 0, "half a second is not worth telling");
}

#[test]
fn a_wait_ends_within_a_tenth_of_a_second_of_a_cancel() {
    let busy = Act::json(429, "{}").with("retry-after", "600");
    let (server, clock) = (Scripted::new([busy]), Rc::new(Leap::default()));
    clock.cancel_at.set(Some(5_000.0));
    let ledger = Ledger::default();
    let model = endpoint(&server, &clock, "m");
    let error = block_on(account::chat(&ledger, "entities", &model, &request(false), &|_| ())).unwrap_err();
    assert_eq!(error.code(), Code::Aborted);
    assert!(clock.now.get() <= 5_100.0, "{}", clock.now.get());
    assert_eq!(server.posts.borrow().len(), 1, "nothing more is sent");
    // The same while waiting for a place in the traffic.
    let (server, clock) = (Scripted::new([Act::says("Ben.")]), Rc::new(Leap::default()));
    clock.cancel_at.set(Some(5_000.0));
    let limits = Limits { requests_per_minute: Some(1), tokens_per_minute: None };
    let model = endpoint(&server, &clock, "m").within(limits);
    block_on(model.chat(&request(false), &Unheard)).unwrap();
    assert_eq!(block_on(model.chat(&request(false), &Unheard)).unwrap_err().code(), Code::Aborted);
    assert!(clock.now.get() <= 5_100.0, "{}", clock.now.get());
    assert_eq!(server.posts.borrow().len(), 1);
}

#[test]
fn a_busy_server_keeps_everyone_waiting_and_both_models_share_its_limits() {
    let vector = json!({"data": [{"index": 0, "embedding": [1.0, 0.0]}]}).to_string();
    let acts = [
        Act::json(429, "{}").with("retry-after", "30"),
        Act::says("Ben."),
        Act::json(200, &vector),
        Act::says("Ann."),
    ];
    let (server, clock) = (Scripted::new(acts), Rc::new(Leap::default()));
    let memory = Memory::default();
    let limits = Limits { requests_per_minute: Some(6), tokens_per_minute: None };
    let chat = endpoint(&server, &clock, "m").remembering(memory.clone()).within(limits);
    let embed = endpoint(&server, &clock, "e").remembering(memory);
    block_on(chat.chat(&request(false), &Unheard)).unwrap();
    let after_busy = clock.now.get();
    assert!(after_busy >= 30e3, "{after_busy}");
    block_on(plotbridge::llm::Embedder::embed(&embed, &["a".to_owned()], &Unheard)).unwrap();
    let after_texts = clock.now.get();
    assert!(after_texts - after_busy > 9_999.0, "six in a minute are one in ten seconds: {after_texts}");
    block_on(chat.chat(&request(false), &Unheard)).unwrap();
    assert!(clock.now.get() - after_texts > 9_999.0, "the other model took this one's place");
}

#[test]
fn a_server_s_headers_are_its_limits() {
    let full =
        Act::says("Ben.").with("x-ratelimit-limit-requests", "6").with("x-ratelimit-remaining-requests", "0");
    let (server, clock) = (Scripted::new([full, Act::says("Ann.")]), Rc::new(Leap::default()));
    let model = endpoint(&server, &clock, "m");
    block_on(model.chat(&request(false), &Unheard)).unwrap();
    assert_eq!(clock.now.get(), 0.0);
    block_on(model.chat(&request(false), &Unheard)).unwrap();
    assert!((9_999.0..10_200.0).contains(&clock.now.get()), "{}", clock.now.get());
}

#[test]
fn a_wrong_word_of_a_server_s_limits_holds_nothing_back_for_long() {
    let long = |text: &str| Act::says(text).with("x-ratelimit-limit-tokens", "1");
    // It says one token a minute and answers ten at once: that is not believed.
    let (server, clock) = (Scripted::new((0..9).map(|_| long("Ben."))), Rc::new(Leap::default()));
    let model = endpoint(&server, &clock, "m");
    for _ in 0..9 {
        block_on(model.chat(&request(false), &Unheard)).unwrap();
    }
    assert_eq!(clock.now.get(), 0.0);
    assert_eq!(model.word().tokens, Some(1.0));
    // It says so in a refusal: a minute for each request, and then it is seen to be wrong.
    let refused = Act::json(429, "{}").with("x-ratelimit-limit-tokens", "1").with("retry-after", "1");
    let (server, clock) = (Scripted::new([refused, long("Ben."), long("Ann.")]), Rc::new(Leap::default()));
    let model = endpoint(&server, &clock, "m");
    for _ in 0..2 {
        block_on(model.chat(&request(false), &Unheard)).unwrap();
    }
    assert!(clock.now.get() <= 62e3, "{}", clock.now.get());
    // None, or less than one, is no limit.
    for value in ["0", "0.3"] {
        let none = |text: &str| {
            Act::says(text).with("x-ratelimit-limit-requests", value).with("x-ratelimit-limit-tokens", value)
        };
        let (server, clock) = (Scripted::new([none("Ben."), none("Ann.")]), Rc::new(Leap::default()));
        let model = endpoint(&server, &clock, "m");
        for _ in 0..2 {
            block_on(model.chat(&request(false), &Unheard)).unwrap();
        }
        assert_eq!(clock.now.get(), 0.0, "{value}");
    }
}

#[test]
fn what_a_server_says_of_itself_is_waited_for_as_long_as_there_is_patience() {
    let one = |text: &str| Act::says(text).with("x-ratelimit-limit-requests", "1");
    let answered = |patience: f64, count: usize| {
        let (server, clock) = (Scripted::new((0..9).map(|_| one("Ben."))), Rc::new(Leap::default()));
        let model = endpoint(&server, &clock, "m").waiting_for(patience);
        let ledger = Ledger::default();
        ask(&ledger, &model, &request(false)).unwrap();
        let request = request(false);
        let asking = (0..count).map(|_| account::chat(&ledger, "events", &model, &request, &|_| ()));
        let replies = block_on(join_all(asking));
        let error = replies.into_iter().filter_map(Result::err).next();
        (server.posts.borrow().len(), ledger.usage().requests as usize, error)
    };
    // The bucket holds one more; each further one waits a minute more.
    let (posts, counted, error) = answered(900e3, 6);
    assert_eq!((posts, counted, error.map(|error| error.code())), (7, 7, None), "it goes on, slowly");
    let (posts, counted, error) = answered(40e3, 6);
    let error = error.unwrap();
    assert_eq!((posts, counted), (2, 2), "only what was sent is counted");
    assert_eq!((error.code(), error.code().exit_status()), (Code::EndpointRateLimited, 4));
    let message = error.to_string();
    assert!(
        message.contains("it takes 1 request a minute") && message.contains("would wait 60 s"),
        "{message}"
    );
    // What a person sets is their wish, and is waited for.
    let (server, clock) = (Scripted::new((0..4).map(|_| Act::says("Ben."))), Rc::new(Leap::default()));
    let limits = Limits { requests_per_minute: Some(1), tokens_per_minute: None };
    let model = endpoint(&server, &clock, "m").within(limits).waiting_for(0.0);
    for _ in 0..4 {
        block_on(model.chat(&request(false), &Unheard)).unwrap();
    }
    assert!(clock.now.get() >= 180e3, "{}", clock.now.get());
}

#[test]
fn what_waited_for_its_turn_and_never_left_is_not_in_the_ledger() {
    let limits = Limits { requests_per_minute: Some(1), tokens_per_minute: None };
    let request = request(false);
    let (server, clock) = (Scripted::new([Act::says("Ben.")]), Rc::new(Leap::default()));
    let model = endpoint(&server, &clock, "m").within(limits);
    let ledger = Ledger::default();
    ask(&ledger, &model, &request).unwrap();
    let before = ledger.calls();
    clock.cancel_at.set(Some(5_000.0));
    assert_eq!(ask(&ledger, &model, &request).unwrap_err().code(), Code::Aborted);
    assert_eq!(ledger.calls(), before);
    // Let go of instead: in the queue it cost nothing and leaves its room to others; on its way it counts.
    let size = account::size(&request);
    let need = u64::from(size.prompt + size.most);
    let settings =
        Settings { url: "http://127.0.0.1:1".to_owned(), model: "m".to_owned(), ..Settings::default() };
    for (limits, requests) in [(limits, 1), (Limits::default(), 2)] {
        let server = Scripted::new([Act::says("Ben.")]);
        let model = Endpoint::new(&settings, Rc::new(Slow(Rc::clone(&server))), Rc::new(Still))
            .unwrap()
            .within(limits);
        let ledger = Ledger::with_budget(need + 20);
        finish(account::chat(&ledger, "events", &model, &request, &|_| ())).unwrap();
        {
            let mut waiting = pin!(account::chat(&ledger, "events", &model, &request, &|_| ()));
            assert!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        assert_eq!(ledger.usage().requests, requests);
        assert_eq!(block_on(ledger.open("events", "m", size, false)).is_ok(), requests == 1);
    }
}

#[test]
fn tokens_of_a_minute_are_kept_to_by_what_replies_really_cost() {
    let costs = |tokens: u32| {
        let message = json!({"role": "assistant", "content": "Ben."});
        let usage = json!({"prompt_tokens": tokens - 1, "completion_tokens": 1});
        let choice = json!({"message": message, "finish_reason": "stop"});
        Act::json(200, &json!({"choices": [choice], "usage": usage}).to_string())
    };
    let ends = |tokens: u32, limit: Option<u32>| {
        let (server, clock) = (Scripted::new((0..5).map(|_| costs(tokens))), Rc::new(Leap::default()));
        let limits = Limits { requests_per_minute: None, tokens_per_minute: limit };
        let model = endpoint(&server, &clock, "m").within(limits);
        let ledger = Ledger::default();
        (0..5).for_each(|_| drop(ask(&ledger, &model, &request(false)).unwrap()));
        assert_eq!(server.posts.borrow().len(), 5);
        clock.now.get()
    };
    // A sixth of a minute's tokens may go at once; the rest comes evenly.
    assert_eq!(ends(10, Some(60_000)), 0.0, "what a reply may cost but does not is put back");
    assert_eq!(ends(25_000, None), 0.0);
    let waited = ends(25_000, Some(60_000));
    assert!(
        (105e3..125e3).contains(&waited),
        "100,000 before the last one, 10,000 of them at once: {waited}"
    );
}

fn ask(ledger: &Ledger, model: &dyn ChatModel, request: &ChatRequest) -> Result<ChatReply> {
    block_on(account::chat(ledger, "events", model, request, &|_| ()))
}

fn without_time(calls: Vec<Call>) -> Vec<Call> {
    calls.into_iter().map(|call| Call { ms: 0.0, ..call }).collect()
}

#[test]
fn every_attempt_is_in_the_ledger() {
    let bare = |text: &str| {
        let message = json!({"role": "assistant", "content": text});
        Act::json(200, &json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string())
    };
    let acts = [
        Act::json(500, "{}"),
        Act::Unreachable,
        Act::says("Ben."),
        Act::json(401, "{}"),
        bare("Ann came home late."),
        Act::Silent,
        Act::Silent,
        Act::Silent,
    ];
    let (server, clock) = (Scripted::new(acts), Rc::new(Leap::default()));
    let model = endpoint(&server, &clock, "m");
    let ledger = Ledger::default();
    let request = request(false);
    let prompt = account::size(&request).prompt;
    assert!(prompt > 10, "{prompt}");
    assert_eq!(ask(&ledger, &model, &request).unwrap().tokens.prompt, 7, "as the server says");
    assert_eq!(ask(&ledger, &model, &request).unwrap_err().code(), Code::EndpointAuth);
    let unsaid = ask(&ledger, &model, &request).unwrap().tokens;
    assert_eq!((unsaid.prompt, unsaid.completion > 0), (prompt, true), "as we estimate");
    assert_eq!(ask(&ledger, &model, &request).unwrap_err().code(), Code::EndpointTimeout);
    let failed = u64::from(prompt) * 4; // 500 and three silences: the server had them
    let calls = ledger.calls();
    assert!(calls[0].ms > 800_000.0, "three silences take their time: {}", calls[0].ms);
    let row = Call {
        stage: "events",
        model: "m".to_owned(),
        requests: 8,
        prompt_tokens: 7 + u64::from(prompt) + failed,
        completion_tokens: 3 + u64::from(unsaid.completion),
        cached: 0,
        retried: 4,
        estimated: 5,
        ms: 0.0,
    };
    assert_eq!(without_time(calls), [row]);
    assert_eq!(ledger.usage().requests, 8);
}

#[test]
fn no_request_is_sent_that_would_pass_the_budget() {
    let request = request(false);
    let size = account::size(&request);
    let need = u64::from(size.prompt + size.most);
    // The first costs 10 tokens; after it, one more token would be needed.
    let ledger = Ledger::with_budget(need + 9);
    let (server, clock) = (Scripted::new([Act::says("Ben.")]), Rc::new(Leap::default()));
    let model = endpoint(&server, &clock, "m");
    ask(&ledger, &model, &request).unwrap();
    let error = ask(&ledger, &model, &request).unwrap_err();
    assert_eq!((error.code(), error.code().exit_status()), (Code::Budget, 5));
    let message = error.to_string();
    assert!(
        message.contains(&format!("budget of {} tokens", need + 9)) && message.contains("10 are spent"),
        "{message}"
    );
    assert_eq!(server.posts.borrow().len(), 1);
    // A part of the ledger has the same budget, and so has an embedder.
    let part = ledger.part();
    assert_eq!(ask(&part, &model, &request).unwrap_err().code(), Code::Budget);
    let small = Ledger::with_budget(3);
    let texts = ["a long text of more than three tokens".to_owned()];
    let error = block_on(account::embed(&small, "question", &model, &texts)).unwrap_err();
    assert_eq!(error.code(), Code::Budget);
}

#[test]
fn a_retry_is_held_to_the_budget_too() {
    let request = request(false);
    let size = account::size(&request);
    let ledger = Ledger::with_budget(u64::from(size.prompt + size.most));
    let (server, clock) = (Scripted::new([Act::json(500, "{}")]), Rc::new(Leap::default()));
    let error = ask(&ledger, &endpoint(&server, &clock, "m"), &request).unwrap_err();
    assert_eq!(error.code(), Code::Budget, "what failed may be charged for");
    assert_eq!(server.posts.borrow().len(), 1);
}

/// A server whose replies take a turn, so that requests are in flight side by side.
struct Slow(Rc<Scripted>);

impl Transport for Slow {
    fn post<'a>(&'a self, request: Post) -> Later<'a, Result<Response>> {
        Box::pin(async move {
            let mut turn = false;
            poll_fn(|context| {
                context.waker().wake_by_ref();
                if std::mem::replace(&mut turn, true) { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            self.0.post(request).await
        })
    }
}

/// A clock that stands still: nothing is ever late.
struct Still;

impl Clock for Still {
    fn now_ms(&self) -> f64 {
        0.0
    }

    fn sleep(&self, _ms: f64) -> Later<'_, ()> {
        Box::pin(std::future::pending())
    }
}

/// Polls until nothing moves any more; natively nothing wakes these futures but themselves.
fn finish<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..10_000 {
        if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
            return done;
        }
    }
    panic!("it waits for ever");
}

#[test]
fn requests_side_by_side_keep_the_budget_and_none_in_flight_is_lost() {
    let request = request(false);
    let size = account::size(&request);
    let need = u64::from(size.prompt + size.most);
    for budget in [0, need - 1, need, need + 10, 2 * need, 2 * need + 25, 3 * need] {
        let ledger = Ledger::with_budget(budget);
        let acts: Vec<Act> = (0..400).map(|_| Act::says("Ben.")).collect();
        let server = Scripted::new(acts);
        let transport = Rc::new(Slow(Rc::clone(&server)));
        let settings =
            Settings { url: "http://127.0.0.1:1".to_owned(), model: "m".to_owned(), ..Settings::default() };
        let model = Endpoint::new(&settings, transport, Rc::new(Still)).unwrap();
        let asking = (0..400).map(|_| account::chat(&ledger, "events", &model, &request, &|_| ()));
        let replies = finish(join_all(asking));
        let answered = replies.iter().filter(|reply| reply.is_ok()).count();
        assert_eq!(answered, server.posts.borrow().len(), "what is sent is answered");
        // Each costs 10 and has to have room for more.
        let room = (budget + 10).saturating_sub(need) / 10;
        assert_eq!(answered as u64, room.min(400), "budget {budget}");
        assert!(ledger.tokens() <= budget);
    }
}

#[test]
fn a_model_that_tells_nothing_of_its_requests_is_counted_once_a_call() {
    let ledger = Ledger::default();
    let model = Answering::new(|_| Ok("Ben did.".to_owned()));
    let request = request(true);
    let heard = RefCell::new(String::new());
    let hear = |piece: &str| heard.borrow_mut().push_str(piece);
    block_on(account::chat(&ledger, "answer", &model, &request, &hear)).unwrap();
    let texts = ["abba".to_owned(), "a word".to_owned()];
    let embedded = block_on(account::embed(&ledger, "question", &Letters::default(), &texts)).unwrap();
    assert_eq!(embedded.tokens, account_tokens(&texts));
    let calls = ledger.calls();
    let rows: Vec<_> = calls.iter().map(|call| (call.stage, call.model.as_str(), call.requests)).collect();
    assert_eq!(rows, [("answer", "scripted", 1), ("question", "letters", 1)]);
    assert_eq!(*heard.borrow(), "Ben did.");
}

fn account_tokens(texts: &[String]) -> plotbridge::llm::Tokens {
    plotbridge::llm::Tokens { prompt: account::size_of_texts(texts).prompt, completion: 0 }
}

#[test]
fn a_stream_that_breaks_off_is_paid_for() {
    let line = format!("data: {}\n\n", json!({"choices": [{"delta": {"content": "Ben did it, and "}}]}));
    let act = Act::stream(&[&line], Ending::Broken);
    let (server, clock) = (Scripted::new([act]), Rc::new(Leap::default()));
    let ledger = Ledger::default();
    let reply = ask(&ledger, &endpoint(&server, &clock, "m"), &request(true)).unwrap();
    assert_eq!(reply.text.trim(), "Ben did it, and");
    let calls = ledger.calls();
    assert!(calls[0].completion_tokens >= 4 && calls[0].estimated == 1, "{calls:?}");
}
