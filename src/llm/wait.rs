//! Waiting: for a future, only so long; and for a moment, so that the caller knows of it and can cancel.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use super::Clock;
use super::caller::Caller;
use crate::error::{Error, Result};

/// A cancel is seen after this many milliseconds, also by a clock that does not wake for it.
const SLICE_MS: f64 = 100.0;

/// A shorter wait is not worth telling.
const TOLD_MS: f64 = 1_000.0;

/// What a future gives, or `None` after this many milliseconds; then it is dropped.
pub async fn within<T>(clock: &dyn Clock, ms: f64, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut late = clock.sleep(ms);
    poll_fn(|context| {
        // The work first: what is ready in time is never lost.
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Some(done));
        }
        late.as_mut().poll(context).map(|()| None)
    })
    .await
}

/// Waits as long as `left` says that something is left, in milliseconds; the caller is told of a long wait,
/// and of its end.
///
/// # Errors
/// `aborted` when the call is cancelled meanwhile.
pub async fn until(clock: &dyn Clock, caller: &dyn Caller, left: impl Fn(f64) -> f64) -> Result<()> {
    let mut told = false;
    loop {
        if clock.cancelled() {
            return Err(Error::aborted());
        }
        let ms = left(clock.now_ms());
        // What a clock rounds off is no wait.
        if ms < 0.01 {
            break;
        }
        if told || ms >= TOLD_MS {
            caller.waits(ms);
            told = true;
        }
        clock.sleep(ms.min(SLICE_MS)).await;
    }
    if told {
        caller.waits(0.0);
    }
    Ok(())
}
