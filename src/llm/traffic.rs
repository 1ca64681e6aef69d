//! The traffic to one server: how many requests and tokens a minute it may be sent, by whatever call.
//!
//! Two buckets, of requests and of tokens, fill evenly and hold what ten seconds bring. Whoever sends takes
//! out what it needs at once, also more than there is, and waits until the bucket has made up for it: so
//! requests go in the order in which they came. What a reply did not use is put back. When the server says
//! that it is busy, everybody waits.
//!
//! Limits are what a person set, or what the server says of itself (`x-ratelimit-*`), the smaller. What a
//! server says is a hint and may be wrong: for it one request waits a minute's worth at most, a limit that a
//! single answered request has passed is no longer believed, and where the wait would be longer than there is
//! patience the call fails and says why.
//!
//! Invariant: a request is sent only when the bucket has room for it; in any minute that is no more than the
//! limit, but for a single request that is larger than the bucket. No hint makes a wait without an end.

use std::cell::RefCell;
use std::rc::Rc;

use super::caller::Caller;
use super::ledger::Size;
use super::{Clock, Tokens, wait};
use crate::error::{Code, Error, Result};

const MINUTE_MS: f64 = 60_000.0;

/// So long a request may be held back for a server's word whatever the patience, in milliseconds: an even
/// flow is no busy server.
const FLOW_MS: f64 = 30_000.0;

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

/// What a server says of its own limits, in a minute.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Word {
    /// Requests.
    pub requests: Option<f64>,
    /// Tokens, sent and received.
    pub tokens: Option<f64>,
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
    /// What the server said last, believed or not.
    said: Option<f64>,
    /// The most that one answered request took: a limit below that cannot be true.
    most: f64,
    level: f64,
    at: f64,
    /// How much may be put back until the level is what the server said last that remains; nothing where it
    /// never said.
    room: Option<f64>,
}

impl Bucket {
    fn per_minute(&self) -> Option<f64> {
        let smaller = |one: f64, other: f64| one.min(other);
        [self.set, self.learned].into_iter().flatten().reduce(smaller)
    }

    /// The limit, where it is the server's word and no person's.
    fn hint(&self) -> Option<f64> {
        self.learned.filter(|learned| self.set.is_none_or(|set| *learned < set))
    }

    /// What is taken for so much: of a server's word no more than a minute's worth.
    fn share(&self, amount: f64) -> f64 {
        self.hint().map_or(amount, |most| amount.min(most))
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
        self.level -= self.share(amount);
        (-self.level).max(0.0) / Self::rate(per_minute)
    }

    /// Of what was taken, so much was used: the rest is put back, and what was used besides taken out.
    fn settle(&mut self, taken: f64, used: f64) {
        if let Some(per_minute) = self.per_minute() {
            let left = self.share(taken) - self.share(used);
            // The server's word came after it had counted the request.
            let left = self.room.map_or(left, |room| left.min(room));
            self.room = self.room.map(|room| room - left.max(0.0));
            self.level = (self.level + left).min(Self::holds(per_minute));
        }
    }

    /// A request was answered that took so much: what says that it cannot be is not true.
    fn answered(&mut self, took: f64, now: f64) {
        self.most = self.most.max(took);
        if self.learned.is_some_and(|limit| limit < self.most) {
            self.limit(self.set, None, now);
            self.level = self.level.max(0.0);
        }
    }

    fn hears(&mut self, limit: Option<f64>, remaining: Option<f64>, now: f64) {
        self.said = limit.or(self.said);
        if limit.is_some_and(|limit| limit >= self.most.max(1.0)) {
            self.limit(self.set, limit, now);
        }
        if let Some(remaining) = remaining {
            self.fill(now);
            self.level = self.level.min(remaining);
            self.room = Some(remaining - self.level);
        }
    }
}

impl Traffic {
    /// The limits that a person set.
    pub(super) fn limits(&self) -> Limits {
        let State { requests, tokens, .. } = &*self.0.borrow();
        let whole = |set: Option<f64>| set.map(|set| set as u32);
        Limits { requests_per_minute: whole(requests.set), tokens_per_minute: whole(tokens.set) }
    }

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

    /// What the server said of its limits last.
    pub(super) fn word(&self) -> Word {
        let State { requests, tokens, .. } = &*self.0.borrow();
        Word { requests: requests.said, tokens: tokens.said }
    }

    /// Resolves when a request may be sent.
    ///
    /// # Errors
    /// `aborted` when the call is cancelled meanwhile; `endpoint_rate_limited` where what the server says of
    /// its limits would hold it back for longer than `patience`, in milliseconds.
    pub(super) async fn pass(
        &self,
        clock: &dyn Clock,
        caller: &dyn Caller,
        size: Size,
        patience: f64,
    ) -> Result<Place> {
        let now = clock.now_ms();
        let need = f64::from(size.prompt) + f64::from(size.most);
        let mut place = Place { traffic: self.clone(), need, sent: false };
        let ready = {
            let State { requests, tokens, .. } = &mut *self.0.borrow_mut();
            let waits = [
                (requests.take(1.0, now), &*requests, "requests"),
                (tokens.take(need, now), tokens, "tokens"),
            ];
            let held = waits.iter().find_map(|(ms, bucket, what)| {
                let limit = bucket.hint().filter(|_| *ms > patience.max(FLOW_MS))?;
                Some(held(limit, what, *ms))
            });
            match held {
                Some(error) => Err(error),
                None => Ok(now + waits.iter().map(|(ms, ..)| *ms).fold(0.0, f64::max)),
            }
        }?;
        wait::until(clock, caller, |now| ready.max(self.0.borrow().closed_until) - now).await?;
        place.sent = true;
        Ok(place)
    }
}

/// A server's word that would hold a request back for too long.
fn held(limit: f64, what: &str, ms: f64) -> Error {
    let (limit, seconds) = (limit.floor(), (ms / 1e3).ceil());
    let what = if limit == 1.0 { what.trim_end_matches('s') } else { what };
    let message = format!(
        "the server says that it takes {limit} {what} a minute, so the next request would wait {seconds} s"
    );
    Error::new(Code::EndpointRateLimited, message)
}

/// A request that may be sent. One that is not sent leaves its place to others.
pub(super) struct Place {
    traffic: Traffic,
    need: f64,
    sent: bool,
}

impl Place {
    /// The request was refused: it used no tokens.
    pub(super) fn refused(self) {
        self.traffic.0.borrow_mut().tokens.settle(self.need, 0.0);
    }

    /// The request is over and used so many tokens.
    pub(super) fn used(self, Tokens { prompt, completion }: Tokens, now: f64) {
        let used = f64::from(prompt) + f64::from(completion);
        if used > 0.0 {
            let tokens = &mut self.traffic.0.borrow_mut().tokens;
            tokens.settle(self.need, used);
            tokens.answered(used, now);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.sent {
            let State { requests, tokens, .. } = &mut *self.traffic.0.borrow_mut();
            requests.settle(1.0, 0.0);
            tokens.settle(self.need, 0.0);
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

    #[test]
    fn what_a_reply_left_over_is_not_put_back_above_what_the_server_says_remains() {
        let header = |name: &str, value: &str| (format!("x-ratelimit-{name}"), value.to_owned());
        let traffic = Traffic::default();
        traffic.limit(Limits { requests_per_minute: None, tokens_per_minute: Some(60_000) }, 0.0);
        let level = || traffic.0.borrow().tokens.level;
        let take = |need: f64| {
            traffic.0.borrow_mut().tokens.take(need, 0.0);
            Place { traffic: traffic.clone(), need, sent: true }
        };
        let used = |place: Place, completion| place.used(Tokens { prompt: 100, completion }, 0.0);
        // Nothing said: what was not used is there again.
        used(take(4_000.0), 900);
        assert_eq!(level(), 9_000.0);
        let (one, other) = (take(4_000.0), take(2_000.0));
        traffic.learn(&[header("remaining-tokens", "3500")], 0.0);
        used(one, 100);
        assert_eq!(level(), 3_500.0, "3,000 are left, of 500 that the server says are more");
        used(other, 100);
        assert_eq!(level(), 3_500.0);
        // Below the level it counts at once.
        let last = take(2_000.0);
        traffic.learn(&[header("remaining-tokens", "40")], 0.0);
        used(last, 0);
        assert_eq!(level(), 40.0);
    }

    #[test]
    fn for_a_server_s_word_a_request_waits_a_minute_s_worth_at_most() {
        let header = |name: &str, value: &str| (format!("x-ratelimit-{name}"), value.to_owned());
        for (name, value) in [("tokens", "1"), ("tokens", "9"), ("tokens", "700"), ("requests", "1")] {
            let traffic = Traffic::default();
            let said = [header(&format!("limit-{name}"), value), header(&format!("remaining-{name}"), "0")];
            traffic.learn(&said, 0.0);
            let mut now = 0.0;
            for _ in 0..5 {
                let State { requests, tokens, .. } = &mut *traffic.0.borrow_mut();
                let wait = requests.take(1.0, now).max(tokens.take(1_700.0, now));
                assert!(wait > 0.0 && wait <= MINUTE_MS * 1.2, "{name} {value}: {wait}");
                now += wait;
                tokens.settle(1_700.0, 650.0);
            }
        }
        for value in ["0", "0.5", "-1", "nan"] {
            let traffic = Traffic::default();
            traffic.learn(&[header("limit-tokens", value), header("limit-requests", value)], 0.0);
            let State { requests, tokens, .. } = &mut *traffic.0.borrow_mut();
            assert_eq!(requests.take(1.0, 0.0).max(tokens.take(1_700.0, 0.0)), 0.0, "{value}");
        }
    }

    #[test]
    fn a_limit_that_a_single_answer_passed_is_not_believed() {
        let said = [("x-ratelimit-limit-tokens".to_owned(), "500".to_owned())];
        let traffic = Traffic::default();
        traffic.learn(&said, 0.0);
        let place = Place { traffic: traffic.clone(), need: 900.0, sent: true };
        place.used(Tokens { prompt: 400, completion: 100 }, 1.0);
        assert_eq!(traffic.0.borrow().tokens.hint(), Some(500.0));
        let place = Place { traffic: traffic.clone(), need: 900.0, sent: true };
        place.used(Tokens { prompt: 401, completion: 100 }, 2.0);
        traffic.learn(&said, 3.0);
        assert_eq!(traffic.0.borrow().tokens.hint(), None);
        assert_eq!(traffic.word(), Word { requests: None, tokens: Some(500.0) });
        assert_eq!(traffic.0.borrow_mut().tokens.take(1e6, 4.0), 0.0);
        // What a person set stands.
        traffic.limit(Limits { requests_per_minute: None, tokens_per_minute: Some(60) }, 5.0);
        assert!(traffic.0.borrow_mut().tokens.take(600.0, 5.0) > 9.0 * MINUTE_MS);
    }
}
