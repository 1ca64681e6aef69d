//! A future that is waited for only so long.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use super::Clock;

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
