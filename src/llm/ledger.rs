//! The ledger: what requests to models cost, by stage and model, and the budget that none may pass.
//!
//! A request is entered in two steps. Before it is sent, what it may cost at most is set aside: the tokens
//! of its prompt as we estimate them, and the most it may be answered with. Once it has ended, what it did
//! cost takes that place: the server's count, or our estimate where it does not say. A retry is a request
//! like any other.
//!
//! Invariant: what is spent and set aside together never passes the budget, so it is overrun only by what
//! a server counts beyond our estimates for the requests in flight. A request that does not fit waits for
//! those in flight; only when there are none is it refused, so that no reply that is paid for is lost.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use super::{Tokens, Usage};
use crate::error::{Code, Error, Result};

/// What the requests of one stage to one model cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// What was asked for: `entities`, `answer`, `vectors`, ...
    pub stage: &'static str,
    /// The model's name.
    pub model: String,
    /// Requests sent, also those that failed.
    pub requests: u32,
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
    /// Replies that were kept from before and cost nothing.
    pub cached: u32,
    /// How many of the requests were sent once more, after a fault or a reply that could not be read.
    pub retried: u32,
    /// For how many of the requests the tokens are our estimate.
    pub estimated: u32,
    /// How long the requests took, added up: more than the clock shows where they ran side by side.
    pub ms: f64,
}

/// What requests cost; clones share it.
#[derive(Clone, Default)]
pub struct Ledger(Rc<Inner>);

#[derive(Default)]
struct Inner {
    /// The ledger that everything is entered in too, and that may hold a budget.
    above: Option<Ledger>,
    budget: Option<u64>,
    calls: RefCell<Vec<Call>>,
    spent: Cell<u64>,
    /// Requests in flight, and the tokens set aside for them.
    open: Cell<(u32, u64)>,
    queue: RefCell<Vec<Waker>>,
    waits: Cell<Option<f64>>,
}

/// What a request may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Tokens of its prompt, as we estimate them.
    pub prompt: u32,
    /// The most tokens of its reply.
    pub most: u32,
}

impl Ledger {
    /// An empty ledger whose requests may cost so many tokens together, sent and received.
    pub fn with_budget(tokens: u64) -> Self {
        Self(Rc::new(Inner { budget: Some(tokens), ..Inner::default() }))
    }

    /// An empty ledger of a part of the work; what is entered in it is entered in this one too.
    #[must_use]
    pub fn part(&self) -> Self {
        Self(Rc::new(Inner { above: Some(self.clone()), ..Inner::default() }))
    }

    /// What was spent, in the order of each stage's first request.
    pub fn calls(&self) -> Vec<Call> {
        self.0.calls.borrow().clone()
    }

    /// Tokens spent, sent and received.
    pub fn tokens(&self) -> u64 {
        self.0.spent.get()
    }

    /// Everything together.
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for call in self.0.calls.borrow().iter() {
            let (prompt, completion) = (call.prompt_tokens, call.completion_tokens);
            usage.join(Usage { requests: call.requests, prompt, completion });
        }
        usage
    }

    fn above(&self) -> impl Iterator<Item = &Ledger> {
        std::iter::successors(Some(self), |ledger| ledger.0.above.as_ref())
    }

    /// Sets aside what a request may cost, once that fits.
    ///
    /// # Errors
    /// `budget` where it does not fit and nothing is in flight that could leave room.
    pub async fn open(&self, stage: &'static str, model: &str, size: Size, again: bool) -> Result<Open> {
        let need = u64::from(size.prompt) + u64::from(size.most);
        poll_fn(|context| {
            for ledger in self.above() {
                let inner = &ledger.0;
                let Some(budget) = inner.budget else { continue };
                let (in_flight, aside) = inner.open.get();
                if inner.spent.get().saturating_add(aside).saturating_add(need) <= budget {
                    continue;
                }
                if in_flight == 0 {
                    return Poll::Ready(Err(over(budget, inner.spent.get(), size)));
                }
                inner.queue.borrow_mut().push(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(Ok(()))
        })
        .await?;
        for ledger in self.above() {
            let (in_flight, aside) = ledger.0.open.get();
            ledger.0.open.set((in_flight + 1, aside + need));
        }
        let (ledger, model) = (self.clone(), model.to_owned());
        Ok(Open { ledger, stage, model, size, again, sent: false, closed: false })
    }

    /// Enters replies that were kept from before.
    pub fn kept(&self, stage: &'static str, model: &str, replies: u32) {
        self.above().for_each(|ledger| ledger.row(stage, model, |call| call.cached += replies));
    }

    /// Enters that a request is sent once more because the reply before could not be read.
    pub fn again(&self, stage: &'static str, model: &str) {
        self.above().for_each(|ledger| ledger.row(stage, model, |call| call.retried += 1));
    }

    /// Says that nothing is sent for so many milliseconds; zero once it goes on.
    pub fn waits(&self, ms: f64) {
        self.above().for_each(|ledger| ledger.0.waits.set(Some(ms)));
    }

    /// What was said of waiting since this was asked last.
    pub fn waiting(&self) -> Option<f64> {
        self.0.waits.take()
    }

    fn row(&self, stage: &'static str, model: &str, change: impl FnOnce(&mut Call)) {
        let mut calls = self.0.calls.borrow_mut();
        let at = calls.iter().position(|call| call.stage == stage && call.model == model);
        let at = at.unwrap_or_else(|| {
            calls.push(Call { stage, model: model.to_owned(), ..Call::default() });
            calls.len() - 1
        });
        if let Some(call) = calls.get_mut(at) {
            change(call);
        }
    }
}

fn over(budget: u64, spent: u64, Size { prompt, most }: Size) -> Error {
    let message = format!(
        "the budget of {budget} tokens is reached: {spent} are spent, and the next request may cost {} \
         ({prompt} sent, up to {most} received)",
        u64::from(prompt) + u64::from(most)
    );
    Error::new(Code::Budget, message)
}

/// A request for which its cost is set aside. One that is dropped counts as failed if it was sent, and not at
/// all if it still waited for its turn.
pub struct Open {
    ledger: Ledger,
    stage: &'static str,
    model: String,
    size: Size,
    again: bool,
    sent: bool,
    closed: bool,
}

impl Open {
    /// The request goes out.
    pub fn leaves(&mut self) {
        self.sent = true;
    }

    /// The request was answered, for this by the server's count; of what it does not count, `written` is our
    /// estimate of the reply. Gives what was entered.
    pub fn answered(mut self, counted: Tokens, written: u32, ms: f64) -> Tokens {
        let estimated = counted == Tokens::default();
        let tokens =
            if estimated { Tokens { prompt: self.size.prompt, completion: written } } else { counted };
        self.close(tokens, estimated, ms);
        tokens
    }

    /// The request was not taken and cost nothing.
    pub fn refused(mut self, ms: f64) {
        self.close(Tokens::default(), false, ms);
    }

    /// The request failed after the server had it: its prompt may be charged for.
    pub fn failed(mut self, ms: f64) {
        self.close(Tokens { prompt: self.size.prompt, completion: 0 }, true, ms);
    }

    fn close(&mut self, tokens: Tokens, estimated: bool, ms: f64) {
        let Self { ledger, stage, model, again, .. } = self;
        let (prompt, completion) = (u64::from(tokens.prompt), u64::from(tokens.completion));
        for ledger in ledger.above() {
            let spent = &ledger.0.spent;
            spent.set(spent.get().saturating_add(prompt).saturating_add(completion));
            ledger.row(stage, model, |call| {
                call.requests = call.requests.saturating_add(1);
                call.prompt_tokens = call.prompt_tokens.saturating_add(prompt);
                call.completion_tokens = call.completion_tokens.saturating_add(completion);
                call.retried += u32::from(*again);
                call.estimated += u32::from(estimated);
                call.ms += ms;
            });
        }
        self.release();
    }

    /// What was set aside is free again.
    fn release(&mut self) {
        self.closed = true;
        let need = u64::from(self.size.prompt) + u64::from(self.size.most);
        for ledger in self.ledger.above() {
            let inner = &ledger.0;
            let (in_flight, aside) = inner.open.get();
            inner.open.set((in_flight.saturating_sub(1), aside.saturating_sub(need)));
            inner.queue.take().into_iter().for_each(Waker::wake);
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        match (self.closed, self.sent) {
            (true, _) => {}
            (false, true) => self.close(Tokens { prompt: self.size.prompt, completion: 0 }, true, 0.0),
            (false, false) => self.release(),
        }
    }
}
