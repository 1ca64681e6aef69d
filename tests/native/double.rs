//! Models that answer from a table: what a chat model says to each task is a function of the request.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::Poll;

use plotbridge::llm::caller::Caller;
use plotbridge::llm::{ChatModel, ChatReply, ChatRequest, Embedded, Embedder, Finish, Later, Tokens, Usage};
use plotbridge::{Code, Error, Result};

/// What a scripted model replies.
pub(crate) enum Say {
    /// This text, whole.
    Text(String),
    /// This text, ended for this reason.
    Ended(String, Finish),
    /// A failure.
    Fail(Code),
}

/// A chat model whose reply to each request is worked out by a function, after some turns of waiting.
pub(crate) struct Scripted<F> {
    script: F,
    /// Turns that the reply to the nth request takes.
    wait: fn(usize) -> usize,
    /// Every request so far.
    pub(crate) asked: RefCell<Vec<ChatRequest>>,
    /// Requests waiting now, and the most that ever were.
    waiting: Cell<(usize, usize)>,
}

impl<F: Fn(&str, &ChatRequest) -> Say> Scripted<F> {
    pub(crate) fn new(script: F) -> Self {
        Self { script, wait: |_| 1, asked: RefCell::default(), waiting: Cell::default() }
    }

    /// The same, where the nth request takes `wait(n)` turns.
    pub(crate) fn slow(script: F, wait: fn(usize) -> usize) -> Self {
        Self { wait, ..Self::new(script) }
    }

    /// How many requests of a task came.
    pub(crate) fn count(&self, task: &str) -> usize {
        self.asked.borrow().iter().filter(|request| self::task(request) == task).count()
    }

    /// The most requests that waited at once.
    pub(crate) fn most_at_once(&self) -> usize {
        self.waiting.get().1
    }
}

/// The name of a request's task: the first line of its prompt.
pub(crate) fn task(request: &ChatRequest) -> &str {
    let first = request.messages[0].content.lines().next().unwrap_or_default();
    first.strip_prefix("Task: ").unwrap_or_default()
}

/// What stands between the lines that quote the book.
pub(crate) fn quoted(request: &ChatRequest) -> &str {
    let said = &request.messages[1].content;
    let start = said.find('\n').map_or(0, |end| end + 1);
    let fence = said[3..start].trim();
    let end = said.find(&format!("\n{fence}>>>")).unwrap_or(said.len());
    &said[start..end]
}

/// A reply on the pairs of a request, each by the names that are shown.
pub(crate) fn decided(shown: &str, verdict: impl Fn(&str, &str) -> &'static str) -> String {
    let name = |line: &str| line[3..].rsplit_once(" (").map_or("", |(name, _)| name).to_owned();
    let of =
        |letter: &str| shown.lines().filter(|line| line.starts_with(letter)).map(name).collect::<Vec<_>>();
    let pairs = of("A: ").into_iter().zip(of("B: ")).enumerate();
    let lines = pairs.map(|(at, (one, other))| {
        let verdict = verdict(&one, &other);
        format!(r#"{{"pair":{},"verdict":"{verdict}","reason":"the test says {verdict}"}}"#, at + 1)
    });
    format!(r#"{{"merges":[{}]}}"#, lines.collect::<Vec<_>>().join(","))
}

impl<F: Fn(&str, &ChatRequest) -> Say> ChatModel for Scripted<F> {
    fn name(&self) -> &str {
        "scripted"
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, caller: &'a dyn Caller) -> Later<'a, Result<ChatReply>> {
        let number = self.asked.borrow().len();
        self.asked.borrow_mut().push(request.clone());
        Box::pin(async move {
            let (now, most) = self.waiting.get();
            self.waiting.set((now + 1, most.max(now + 1)));
            let mut left = (self.wait)(number);
            poll_fn(|context| {
                if left == 0 {
                    return Poll::Ready(());
                }
                left -= 1;
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
            let (now, most) = self.waiting.get();
            self.waiting.set((now - 1, most));
            let (text, finish) = match (self.script)(task(request), request) {
                Say::Text(text) => (text, Finish::Stop),
                Say::Ended(text, finish) => (text, finish),
                Say::Fail(code) => return Err(Error::new(code, "the scripted endpoint fails")),
            };
            if request.stream {
                let letters: Vec<char> = text.chars().collect();
                letters.chunks(7).for_each(|piece| caller.hear(&piece.iter().collect::<String>()));
            }
            Ok(ChatReply {
                text,
                finish,
                tokens: Tokens { prompt: 10, completion: 5 },
                kept: Usage::default(),
            })
        })
    }
}

/// An embedder that counts letters: texts of like letters are alike. `shift` makes another model of it.
pub(crate) struct Letters {
    pub(crate) shift: usize,
    pub(crate) fails: Cell<bool>,
    /// Texts embedded so far.
    pub(crate) texts: Cell<usize>,
}

impl Letters {
    pub(crate) fn new() -> Self {
        Self { shift: 0, fails: Cell::new(false), texts: Cell::new(0) }
    }
}

impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn embed<'a>(&'a self, texts: &'a [String], _caller: &'a dyn Caller) -> Later<'a, Result<Embedded>> {
        Box::pin(async move {
            if self.fails.get() {
                return Err(Error::new(Code::EndpointUnreachable, "the scripted endpoint is gone"));
            }
            self.texts.set(self.texts.get() + texts.len());
            let vector = |text: &String| {
                let mut counts = [0f32; 32];
                counts[31] = 0.1;
                for byte in text.bytes().filter(u8::is_ascii_alphabetic) {
                    counts[(usize::from(byte.to_ascii_lowercase() - b'a') * 7 + self.shift) % 26] += 1.0;
                }
                let length = counts.iter().map(|n| n * n).sum::<f32>().sqrt();
                counts.iter().map(|n| n / length).collect()
            };
            let tokens = Tokens { prompt: texts.len() as u32, completion: 0 };
            Ok(Embedded { vectors: texts.iter().map(vector).collect(), tokens, kept: Usage::default() })
        })
    }
}
