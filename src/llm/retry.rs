//! Whether and when a request is sent again: a pure rule.
//!
//! What may pass by itself is tried again after a wait that grows with each attempt; a refusal that would be
//! the same again is not. A busy server is waited for, as long as it says, or longer each time where it says
//! nothing (a page cannot read the header of a server that does not expose it): a full minute is no failure,
//! and only when all the waits of a request together pass the caller's patience is it the error.
//!
//! Each wait is a little longer than it must be, by a part that the request itself decides: requests that
//! failed together do not come again together, and there is no chance in it.

use super::openai::fault::Kind;

/// Further attempts after a fault that says nothing of time, and the wait before the first, in milliseconds;
/// each later one is [`GROWTH`] times as long.
const FAULTS: (u32, f64) = (2, 500.0);

/// The same where the server is busy: as many as there is patience for.
const BUSY: (u32, f64) = (u32::MAX, 1_000.0);

/// Attempts after faults that are no busy server's but say when to come again.
const ASKED: u32 = 10;

const GROWTH: f64 = 2.0;

/// The longest wait that no server asked for, in milliseconds, with its jitter.
const LONGEST_MS: f64 = 60_000.0;

/// The part of a wait by which it may be longer.
const JITTER: f64 = 0.25;

/// How long a request waits in all for a server that is busy or says when to come again, in milliseconds.
pub const PATIENCE_MS: f64 = 900_000.0;

/// A request on its way to be answered: what has failed so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tries {
    /// Attempts that failed.
    pub failed: u32,
    /// How long was waited in all, in milliseconds.
    pub waited: f64,
}

impl Tries {
    /// The wait in milliseconds before the next attempt, `None` if there is none. The last attempt failed by a
    /// fault of this kind, or on the way (`None`); the server asked for this wait, if for any; `share` is the
    /// request's own part of the jitter, 0 to 1.
    pub fn next(
        &mut self,
        kind: Option<Kind>,
        asked_ms: Option<f64>,
        share: f64,
        patience: f64,
    ) -> Option<f64> {
        let (most, first) = match kind {
            Some(Kind::Busy) => BUSY,
            None | Some(Kind::Failed | Kind::Late | Kind::Broken) => FAULTS,
            Some(_) => return None,
        };
        self.failed += 1;
        let longest = LONGEST_MS / (1.0 + JITTER);
        let grown = |tries: u32| (1..tries).fold(first, |ms, _| (ms * GROWTH).min(longest));
        let wait = match asked_ms {
            // A busy server knows when there is room; another's word does not hurry us.
            Some(asked) if kind == Some(Kind::Busy) => asked.max(first),
            Some(_) if self.failed > ASKED => return None,
            Some(asked) => asked.max(grown(self.failed)),
            None if self.failed > most => return None,
            None => grown(self.failed),
        };
        let wait = wait * (1.0 + JITTER * share);
        self.waited += wait;
        (self.waited <= patience).then_some(wait)
    }
}

/// A request's own share of the jitter at one of its attempts, 0 to 1: a hash of it (FNV-1a).
pub fn share(body: &str, attempt: u32) -> f64 {
    let bytes = body.bytes().chain(attempt.to_le_bytes());
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    f64::from((hash >> 32) as u32) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [f64; 0] = [];

    /// The waits of a request that goes on failing like this.
    fn waits(kind: Option<Kind>, asked: Option<f64>, patience: f64) -> Vec<f64> {
        let mut tries = Tries::default();
        std::iter::from_fn(|| tries.next(kind, asked, 0.0, patience)).take(100).collect()
    }

    #[test]
    fn what_may_pass_is_tried_again_and_waits_grow() {
        for kind in [None, Some(Kind::Failed), Some(Kind::Late), Some(Kind::Broken)] {
            assert_eq!(waits(kind, None, PATIENCE_MS), [500.0, 1000.0], "{kind:?}");
        }
        for kind in [Kind::Auth, Kind::Credit, Kind::Refused, Kind::Model, Kind::Path, Kind::TooLong] {
            assert_eq!(waits(Some(kind), Some(1.0), PATIENCE_MS), NONE, "{kind:?}");
        }
        for kind in [Kind::Unusable, Kind::Vectors, Kind::Filtered] {
            assert_eq!(waits(Some(kind), None, PATIENCE_MS), NONE, "{kind:?}");
        }
    }

    #[test]
    fn a_busy_server_is_waited_for_as_long_as_patience_lasts() {
        let waits = waits(Some(Kind::Busy), None, PATIENCE_MS);
        assert_eq!(waits[..8], [1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 48e3, 48e3]);
        let all: f64 = waits.iter().sum();
        assert!(all <= PATIENCE_MS && all + 48e3 > PATIENCE_MS, "{all}");
        let mut late = Tries { failed: 30, waited: 0.0 };
        assert_eq!(late.next(Some(Kind::Busy), None, 1.0, PATIENCE_MS), Some(LONGEST_MS));
    }

    #[test]
    fn a_server_is_waited_for_as_long_as_it_says_and_patience_lasts() {
        assert_eq!(waits(Some(Kind::Busy), Some(60e3), 200e3), [60e3; 3]);
        assert_eq!(waits(Some(Kind::Failed), Some(7e3), 10e3), [7e3]);
        let hurried = waits(Some(Kind::Failed), Some(0.0), PATIENCE_MS);
        assert_eq!((hurried.len(), &hurried[..3]), (10, &[500.0, 1e3, 2e3][..]));
        assert_eq!(waits(Some(Kind::Busy), Some(10.0), 3e3), [1e3; 3], "sooner than our own wait");
        assert_eq!(waits(Some(Kind::Busy), Some(86_400e3), PATIENCE_MS), NONE);
        assert_eq!(waits(Some(Kind::Busy), Some(60e3), 0.0), NONE);
    }

    #[test]
    fn requests_that_failed_together_do_not_come_again_together() {
        let shares: Vec<f64> = ["a", "b", "c"].iter().map(|body| share(body, 1)).collect();
        assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
        assert!(shares[0] != shares[1] && shares[1] != shares[2], "{shares:?}");
        assert_ne!(share("a", 1), share("a", 2));
        let wait = |share| Tries::default().next(None, None, share, PATIENCE_MS);
        assert_eq!((wait(0.0), wait(1.0)), (Some(500.0), Some(625.0)));
    }
}
