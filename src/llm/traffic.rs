//! The traffic to one server: how many requests and tokens a minute it may be sent, by whatever call.
//!
//! Two buckets, of requests and of tokens, fill evenly and hold what ten seconds bring. Whoever sends takes
//! out what it needs at once, also more than there is, and waits until the bucket has made up for it: so
//! requests go in the order in which they came. What a reply did not use is put back. When the server says
//! that it is busy, everybody waits.
//!
//! Limits are what a person set, or what the server says of itself (`x-ratelimit-*`), the smaller.
//!
//! Invariant: a request is sent only when the bucket has room for it; in any minute that is no more than the
//! limit, but for a single request that is larger than the bucket.

use std::cell::RefCell;
use std::rc::Rc;

use super::caller::Caller;
use super::ledger::Size;
use super::{Clock, Tokens, wait};
use crate::error::Result;

const MINUTE_MS: f64 = 60_000.0;

/// How much of a minute's worth a bucket holds.
const HELD: f64 = 1.0 / 6.0;

/// How much a server may be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Requests in a minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens in a minute, sent and received.
    pub tokens_per_minute: Option<u32>,
}

/// The traffic to one server; clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Traffic(Rc<RefCell<State>>);

#[derive(Debug, Default)]
struct State {
    requests: Bucket,
    tokens: Bucket,
    /// Until then nothing is sent.
    closed_until: f64,
}

/// What may be taken out at once; negative while somebody waits for it to fill.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    set: Option<f64>,
    learned: Option<f64>,
    level: f64,
    at: f64,
}

impl Bucket {
    fn per_minute(&self) -> Option<f64> {
        let smaller = |one: f64, other: f64| one.min(other);
        [self.set, self.learned].into_iter().flatten().reduce(smaller)
    }

    fn holds(per_minute: f64) -> f64 {
        (per_minute * HELD).floor().max(1.0)
    }

    /// What a millisecond brings: a full bucket and all that a minute brings are the limit.
    fn rate(per_minute: f64) -> f64 {
        (per_minute - Self::holds(per_minute) + 1.0) / MINUTE_MS
    }

    fn limit(&mut self, set: Option<f64>, learned: Option<f64>, now: f64) {
        self.fill(now);
        let before = self.per_minute();
        (self.set, self.learned) = (set, learned);
        let Some(per_minute) = self.per_minute() else { return };
        let holds = Self::holds(per_minute);
        // A bucket that nobody has taken from is full.
        self.level = if before.is_none() { holds } else { self.level.min(holds) };
        self.at = now;
    }

    fn fill(&mut self, now: f64) {
        let Some(per_minute) = self.per_minute() else { return };
        let brought = (now - self.at).max(0.0) * Self::rate(per_minute);
        self.level = (self.level + brought).min(Self::holds(per_minute));
        self.at = now;
    }

    /// Takes out so much; gives how long it takes until that was there.
    fn take(&mut self, amount: f64, now: f64) -> f64 {
        self.fill(now);
        let Some(per_minute) = self.per_minute() else { return 0.0 };
        self.level -= amount;
        (-self.level).max(0.0) / Self::rate(per_minute)
    }

    /// Puts back what was not used; a negative amount takes out what was used besides.
    fn put(&mut self, amount: f64) {
        if let Some(per_minute) = self.per_minute() {
            self.level = (self.level + amount).min(Self::holds(per_minute));
        }
    }

    fn hears(&mut self, limit: Option<f64>, remaining: Option<f64>, now: f64) {
        if limit.is_some_and(|limit| limit >= 1.0) {
            self.limit(self.set, limit, now);
        }
        if let Some(remaining) = remaining {
            self.level = self.level.min(remaining);
        }
    }
}

impl Traffic {
    /// Sets the limits of a person.
    pub(super) fn limit(&self, limits: Limits, now: f64) {
        let State { requests, tokens, .. } = &mut *self.0.borrow_mut();
        requests.limit(limits.requests_per_minute.map(f64::from), requests.learned, now);
        tokens.limit(limits.tokens_per_minute.map(f64::from), tokens.learned, now);
    }

    /// Learns what the server says of its limits.
    pub(super) fn learn(&self, headers: &[(String, String)], now: f64) {
        let number = |what: &str, of: &str| {
            let name = format!("x-ratelimit-{what}-{of}");
            let value = &headers.iter().find(|(own, _)| *own == name)?.1;
            value.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
        };
        let State { requests, tokens, .. } = &mut *self.0.borrow_mut();
        for (bucket, of) in [(requests, "requests"), (tokens, "tokens")] {
            bucket.hears(number("limit", of), number("remaining", of), now);
        }
    }

    /// Lets nobody send before a moment.
    pub(super) fn close(&self, until: f64) {
        let mut state = self.0.borrow_mut();
        state.closed_until = state.closed_until.max(until);
    }

    /// Resolves when a request may be sent.
    ///
    /// # Errors
    /// `aborted` when the call is cancelled meanwhile.
    pub(super) async fn pass(&self, clock: &dyn Clock, caller: &dyn Caller, size: Size) -> Result<Place> {
        let now = clock.now_ms();
        let need = f64::from(size.prompt) + f64::from(size.most);
        let ready = {
            let State { requests, tokens, .. } = &mut *self.0.borrow_mut();
            now + requests.take(1.0, now).max(tokens.take(need, now))
        };
        let mut place = Place { traffic: self.clone(), need, sent: false };
        wait::until(clock, caller, |now| ready.max(self.0.borrow().closed_until) - now).await?;
        place.sent = true;
        Ok(place)
    }
}

/// A request that may be sent. One that is not sent leaves its place to others.
pub(super) struct Place {
    traffic: Traffic,
    need: f64,
    sent: bool,
}

impl Place {
    /// The request is over and used so many tokens.
    pub(super) fn used(self, Tokens { prompt, completion }: Tokens) {
        let used = f64::from(prompt) + f64::from(completion);
        if used > 0.0 {
            self.traffic.0.borrow_mut().tokens.put(self.need - used);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.sent {
            let State { requests, tokens, .. } = &mut *self.traffic.0.borrow_mut();
            requests.put(1.0);
            tokens.put(self.need);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When each of many requests of this size may be sent, if each is taken as soon as the one before went.
    fn times(limits: Limits, size: f64, count: usize) -> Vec<f64> {
        let traffic = Traffic::default();
        traffic.limit(limits, 0.0);
        let mut now = 0.0;
        let mut next = || {
            let State { requests, tokens, .. } = &mut *traffic.0.borrow_mut();
            now += requests.take(1.0, now).max(tokens.take(size, now));
            now
        };
        (0..count).map(|_| next()).collect()
    }

    fn most_in_a_minute(times: &[f64]) -> usize {
        let within =
            |start: &f64| times.iter().filter(|time| (*start..start + MINUTE_MS).contains(time)).count();
        times.iter().map(within).max().unwrap_or(0)
    }

    #[test]
    fn no_minute_has_more_requests_than_the_limit() {
        for limit in [1, 2, 5, 6, 7, 30, 500] {
            let limits = Limits { requests_per_minute: Some(limit), tokens_per_minute: None };
            let count = 4 * limit as usize + 3;
            let times = times(limits, 1e9, count);
            let most = most_in_a_minute(&times);
            assert!(most <= limit as usize, "{most} of {limit}");
            let minutes = count as f64 / f64::from(limit) + 1.0;
            assert!(times[count - 1] < minutes * MINUTE_MS, "no slower than it must be: {limit}");
        }
    }

    #[test]
    fn no_minute_has_more_tokens_than_the_limit() {
        let limits = Limits { requests_per_minute: None, tokens_per_minute: Some(12_000) };
        let most = most_in_a_minute(&times(limits, 1_000.0, 60));
        assert!((10..=12).contains(&most), "{most}");
        assert!(times(Limits::default(), 1e9, 9).iter().all(|time| *time == 0.0), "no limit, no wait");
    }

    #[test]
    fn a_server_s_own_limits_count_where_they_are_smaller() {
        let header = |name: &str, value: &str| (format!("x-ratelimit-{name}"), value.to_owned());
        let traffic = Traffic::default();
        traffic.limit(Limits { requests_per_minute: Some(60), tokens_per_minute: None }, 0.0);
        traffic.learn(&[header("limit-requests", "6"), header("remaining-requests", "0")], 0.0);
        traffic.learn(&[header("limit-tokens", "many"), header("remaining-tokens", "-1")], 0.0);
        let State { requests, tokens, .. } = &mut *traffic.0.borrow_mut();
        assert_eq!(requests.take(1.0, 0.0), 10_000.0);
        assert_eq!(tokens.take(1e9, 0.0), 0.0);
    }
}
