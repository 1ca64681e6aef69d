//! Stand-ins for the surroundings of a language model, which record what was asked of them.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::{pending, ready};
use std::rc::Rc;

use plotbridge::llm::caller::{Caller, Unheard};
use plotbridge::llm::http::{Body, Post, Response, Transport};
use plotbridge::llm::{
    ChatModel, ChatReply, ChatRequest, Clock, Embedded, Embedder, Finish, Later, Tokens, Usage,
};
use plotbridge::{Code, Error, Result};

/// A clock that does not wait: a sleep moves it on, at once.
#[derive(Default)]
pub(crate) struct Leap {
    pub(crate) now: Cell<f64>,
    /// When the call is cancelled, if it is.
    pub(crate) cancel_at: Cell<Option<f64>>,
    pub(crate) slept: RefCell<Vec<f64>>,
}

impl Clock for Leap {
    fn now_ms(&self) -> f64 {
        self.now.get()
    }

    fn sleep(&self, ms: f64) -> Later<'_, ()> {
        Box::pin(async move {
            self.now.set(self.now.get() + ms);
            self.slept.borrow_mut().push(ms);
        })
    }

    fn cancelled(&self) -> bool {
        self.cancel_at.get().is_some_and(|at| self.now.get() >= at)
    }

    /// A Sunday in November 1994.
    fn unix_ms(&self) -> Option<f64> {
        Some(784_111_777_000.0 + self.now.get())
    }
}

/// How a response ends.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Ending {
    Whole,
    Broken,
    Silent,
    Aborted,
}

/// What a scripted server does with one request.
#[derive(Clone)]
pub(crate) enum Act {
    Answer { status: u16, headers: Vec<(String, String)>, pieces: Vec<Vec<u8>>, ending: Ending },
    Unreachable,
    Silent,
    Aborted,
}

impl Act {
    pub(crate) fn json(status: u16, body: &str) -> Self {
        Self::pieces(status, "application/json", vec![body.into()], Ending::Whole)
    }

    pub(crate) fn stream(pieces: &[&str], ending: Ending) -> Self {
        Self::pieces(200, "text/event-stream", pieces.iter().map(|piece| (*piece).into()).collect(), ending)
    }

    fn pieces(status: u16, kind: &str, pieces: Vec<Vec<u8>>, ending: Ending) -> Self {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Self::Answer { status, headers, pieces, ending }
    }

    pub(crate) fn of_kind(mut self, kind: &str) -> Self {
        if let Self::Answer { headers, .. } = &mut self {
            headers.clear();
        }
        self.with("content-type", kind)
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        if let Self::Answer { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// A chat reply.
    pub(crate) fn says(text: &str) -> Self {
        let message = serde_json::json!({"role": "assistant", "content": text});
        let reply = serde_json::json!({
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        });
        Self::json(200, &reply.to_string())
    }
}

/// A server of a fixed script; it panics when asked more.
#[derive(Default)]
pub(crate) struct Scripted {
    acts: RefCell<VecDeque<Act>>,
    pub(crate) posts: RefCell<Vec<Post>>,
}

impl Scripted {
    pub(crate) fn new(acts: impl IntoIterator<Item = Act>) -> Rc<Self> {
        Rc::new(Self { acts: RefCell::new(acts.into_iter().collect()), posts: RefCell::default() })
    }

    /// The bodies sent, as JSON.
    pub(crate) fn sent(&self) -> Vec<serde_json::Value> {
        self.posts.borrow().iter().map(|post| serde_json::from_str(&post.body).unwrap()).collect()
    }
}

impl Transport for Scripted {
    fn post<'a>(&'a self, request: Post) -> Later<'a, Result<Response>> {
        self.posts.borrow_mut().push(request);
        let act = self.acts.borrow_mut().pop_front().expect("a request that the script does not have");
        match act {
            Act::Answer { status, headers, pieces, ending } => {
                let body = Box::new(Pieces { pieces: pieces.into(), ending });
                Box::pin(ready(Ok(Response { status, headers, body })))
            }
            Act::Unreachable => Box::pin(ready(Err(unreachable()))),
            Act::Silent => Box::pin(pending()),
            Act::Aborted => Box::pin(ready(Err(aborted()))),
        }
    }
}

struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    ending: Ending,
}

impl Body for Pieces {
    fn next(&mut self) -> Later<'_, Result<Option<Vec<u8>>>> {
        let piece = self.pieces.pop_front();
        match (piece, self.ending) {
            (Some(piece), _) => Box::pin(ready(Ok(Some(piece)))),
            (None, Ending::Whole) => Box::pin(ready(Ok(None))),
            (None, Ending::Broken) => Box::pin(ready(Err(unreachable()))),
            (None, Ending::Silent) => Box::pin(pending()),
            (None, Ending::Aborted) => Box::pin(ready(Err(aborted()))),
        }
    }
}

fn unreachable() -> Error {
    Error::new(Code::EndpointUnreachable, "no connection to http://127.0.0.1:1")
}

fn aborted() -> Error {
    Error::new(Code::Aborted, "the call was cancelled")
}

/// A chat model that answers by a function and records what it was asked.
pub(crate) struct Answering<F> {
    answer: F,
    pub(crate) asked: RefCell<Vec<ChatRequest>>,
}

impl<F: Fn(&ChatRequest) -> Result<String>> Answering<F> {
    pub(crate) fn new(answer: F) -> Self {
        Self { answer, asked: RefCell::default() }
    }
}

impl<F: Fn(&ChatRequest) -> Result<String>> ChatModel for Answering<F> {
    fn name(&self) -> &str {
        "scripted"
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, caller: &'a dyn Caller) -> Later<'a, Result<ChatReply>> {
        self.asked.borrow_mut().push(request.clone());
        let reply = (self.answer)(request).map(|text| {
            if request.stream {
                text.split_inclusive(' ').for_each(|piece| caller.hear(piece));
            }
            let tokens = Tokens { prompt: request.messages.len() as u32, completion: text.len() as u32 };
            ChatReply { text, finish: Finish::Stop, tokens, kept: Usage::default() }
        });
        Box::pin(ready(reply))
    }
}

/// An embedder whose vectors say how often each letter stands in a text.
#[derive(Default)]
pub(crate) struct Letters {
    pub(crate) asked: RefCell<Vec<Vec<String>>>,
}

impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn embed<'a>(&'a self, texts: &'a [String], _caller: &'a dyn Caller) -> Later<'a, Result<Embedded>> {
        self.asked.borrow_mut().push(texts.to_vec());
        let count = |text: &String| {
            let mut vector = vec![0.0f32; 27];
            vector[26] = 1.0;
            for c in text.to_lowercase().bytes().filter(u8::is_ascii_lowercase) {
                vector[usize::from(c - b'a')] += 1.0;
            }
            vector
        };
        let vectors = plotbridge::llm::vectors::unit(texts.iter().map(count).collect(), texts.len());
        Box::pin(ready(Ok(Embedded {
            vectors: vectors.unwrap(),
            tokens: Tokens::default(),
            kept: Usage::default(),
        })))
    }
}

#[test]
fn the_stand_ins_keep_the_promises_of_the_ports() {
    let model = Answering::new(|request| Ok(format!("{} messages came", request.messages.len())));
    let heard = RefCell::new(String::new());
    let request = super::openai::request(true);
    let hear = |piece: &str| heard.borrow_mut().push_str(piece);
    let reply = pollster::block_on(model.chat(&request, &hear)).unwrap();
    assert_eq!((reply.text.as_str(), reply.text.as_str()), ("2 messages came", heard.borrow().as_str()));
    assert_eq!(*model.asked.borrow(), [request]);
    let letters = Letters::default();
    let embedded = pollster::block_on(letters.embed(&["abba".to_owned()], &Unheard)).unwrap();
    assert!((embedded.vectors[0][0] - 2.0 / 3.0).abs() < 1e-6);
    assert_eq!(letters.asked.borrow().len(), 1);
}
