//! Long work that stays polite: progress, cancel, and handing back control.
//!
//! Everything slower than a few milliseconds is an `async fn` that takes a [`Pace`] and calls
//! [`Pace::step`] between small pieces of work. In a browser that lets the event loop run every
//! [`SLICE_MS`] milliseconds, so a cancel message can arrive and a page stays responsive; natively
//! the pause is ready at once and the same code runs straight through. The clock decides only
//! *when* to pause, never a result.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use crate::error::{Code, Error, Result};
use crate::llm::ledger::Ledger;
use crate::llm::{Clock, Later};
use crate::report::Heard;

/// The longest stretch of work between two pauses, in milliseconds.
pub const SLICE_MS: f64 = 20.0;

/// A stage of a long call: which, and how far of how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The stage's stable name: `read`, `names`, `events`, `embed`, `open`, ...
    pub stage: &'static str,
    /// Units done; never above `total`.
    pub done: usize,
    /// Units in all, in the stage's own unit.
    pub total: usize,
    /// Tokens that the call has cost at an endpoint so far; none where no endpoint is asked.
    pub tokens: Option<u64>,
    /// How long the stage may still take, in seconds, by what it took so far.
    pub seconds_left: Option<f64>,
    /// For how many seconds nothing is sent, because a server is busy or a limit is reached.
    pub waiting: Option<f64>,
}

/// What the surroundings provide to long work: a clock, a cancel flag, a listener, a pause.
///
/// The page implements it with the browser's event loop; natively [`Native`] is enough.
pub trait Host {
    /// Milliseconds since some fixed moment.
    fn now_ms(&self) -> f64;
    /// Whether the caller has cancelled.
    fn cancelled(&self) -> bool;
    /// Hears of progress; called at most once a slice and at the end of a stage.
    fn progress(&self, progress: Progress);
    /// Hears what a question's answer consists of, piece by piece; nobody listens by default.
    fn tell(&self, _heard: Heard<'_>) {}
    /// Resolves after the event loop has had a turn.
    fn pause(&self) -> Pin<Box<dyn Future<Output = ()> + '_>>;
}

/// The host for native programs and tests: never cancels, reports to nobody, never waits.
#[derive(Debug)]
pub struct Native(std::time::Instant);

impl Default for Native {
    fn default() -> Self {
        Self(std::time::Instant::now())
    }
}

impl Host for Native {
    fn now_ms(&self) -> f64 {
        self.0.elapsed().as_secs_f64() * 1e3
    }
    fn cancelled(&self) -> bool {
        false
    }
    fn progress(&self, _progress: Progress) {}
    fn pause(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(std::future::ready(()))
    }
}

impl Clock for Native {
    fn now_ms(&self) -> f64 {
        Host::now_ms(self)
    }
    /// Blocks its thread: natively nothing else waits for it.
    fn sleep(&self, ms: f64) -> Later<'_, ()> {
        Box::pin(
            async move { std::thread::sleep(std::time::Duration::from_secs_f64(ms.clamp(0.0, 1e9) / 1e3)) },
        )
    }
}

/// A host without a clock: work on it never pauses.
struct Straight;

impl Host for Straight {
    fn now_ms(&self) -> f64 {
        0.0
    }
    fn cancelled(&self) -> bool {
        false
    }
    fn progress(&self, _progress: Progress) {}
    fn pause(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// Runs long work straight through, for callers that cannot wait.
///
/// # Errors
/// The work's own; `crashed` if it waited for anything but its pace, which would be a fault of ours.
pub(crate) fn straight<T>(work: impl AsyncFnOnce(&Pace<'_>) -> Result<T>) -> Result<T> {
    let pace = Pace::new(&Straight);
    match pin!(work(&pace)).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => Err(Error::new(Code::Crashed, "work without a host waited")),
    }
}

/// One call's pace: remembers when control was last handed back.
pub struct Pace<'a> {
    host: &'a dyn Host,
    resumed: Cell<f64>,
    /// What was told last.
    told: Cell<Option<Progress>>,
}

impl<'a> Pace<'a> {
    /// A pace on this host, starting its first slice now.
    pub fn new(host: &'a dyn Host) -> Self {
        Self { resumed: Cell::new(host.now_ms()), told: Cell::default(), host }
    }

    /// Milliseconds on the host's clock, for timings shown to people.
    pub fn now_ms(&self) -> f64 {
        self.host.now_ms()
    }

    /// Between two pieces of work: pauses when the slice is used up.
    ///
    /// # Errors
    /// [`Code::Aborted`] when the caller has cancelled.
    pub async fn step(&self, stage: &'static str, done: usize, total: usize) -> Result<()> {
        let finished = done == total;
        if !finished && self.host.now_ms() - self.resumed.get() < SLICE_MS {
            return Ok(());
        }
        self.report(stage, done, total, None, None).await
    }

    /// Does work that asks models, and tells meanwhile for how many seconds they keep it waiting.
    pub async fn heeding<T>(&self, ledger: &Ledger, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        let mut before = 0.0;
        poll_fn(|context| {
            let done = work.as_mut().poll(context);
            let seconds = ledger.waiting().map_or(before, |ms| (ms / 1e3).ceil());
            if let Some(told) = self.told.get().filter(|_| seconds != before) {
                before = seconds;
                self.host.progress(Progress { waiting: Some(seconds), ..told });
            }
            done
        })
        .await
    }

    /// Tells of progress at once, and hands control back; for steps that wait for others anyway.
    ///
    /// # Errors
    /// [`Code::Aborted`] when the caller has cancelled.
    pub async fn report(
        &self,
        stage: &'static str,
        done: usize,
        total: usize,
        tokens: Option<u64>,
        seconds_left: Option<f64>,
    ) -> Result<()> {
        let progress = Progress { stage, done, total, tokens, seconds_left, waiting: None };
        self.told.set(Some(progress));
        self.host.progress(progress);
        self.host.pause().await;
        self.resumed.set(self.host.now_ms());
        if self.host.cancelled() {
            return Err(Error::aborted());
        }
        Ok(())
    }
}
