//! What a person allows a diagnosis, and what a server says that it allows.

use super::Part;
use super::verdict::sentence;
use crate::error::Error;
use crate::llm::endpoint::Endpoint;
use crate::llm::traffic::{Limits, Word};
use crate::report::{Check, Issue};

/// How long a server may be silent here, in milliseconds: it may have to load its model first.
pub const TIMEOUT_MS: f64 = 120_000.0;

/// How long and how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Requests and tokens in a minute.
    pub limits: Limits,
    /// How long a server may be silent, in milliseconds.
    pub timeout_ms: f64,
    /// How long a request waits in all for a busy server, in milliseconds: by itself not at all, since that it
    /// is busy is what is to be told.
    pub patience_ms: f64,
    /// The most tokens, sent and received.
    pub budget: Option<u64>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { limits: Limits::default(), timeout_ms: TIMEOUT_MS, patience_ms: 0.0, budget: None }
    }
}

impl Bounds {
    /// An endpoint that keeps to them.
    pub(super) fn on(self, endpoint: Endpoint) -> Endpoint {
        endpoint.within(self.limits).patient_for(self.timeout_ms).waiting_for(self.patience_ms)
    }
}

/// Not one request fits the budget.
pub(super) fn unspent(part: Part, why: &Error) -> Check {
    let check = match part {
        Part::Chat => "reply",
        Part::Embed => "vectors",
    };
    let message = format!("Nothing was asked: {}", sentence(why));
    Check::ill(check, "budget", message)
        .fixed_by("Allow more tokens (budgetTokens, --budget-tokens): all of it takes some 15,000.")
}

/// What a novel of 100,000 words takes, as `estimate` has it: requests, and tokens sent and received.
const NOVEL: (f64, f64) = (1_200.0, 1_100_000.0);

/// So many minutes for it are worth a word.
const LONG: f64 = 60.0;

/// That the server takes so little in a minute, by its own word, that a book takes long.
pub(super) fn slow(origin: &str, word: Word) -> Option<Issue> {
    let of = |most: Option<f64>, need: f64, what: &'static str| {
        let most = most.filter(|most| *most >= 0.0)?;
        (need > LONG * most).then_some((most, need, what))
    };
    let slow = [of(word.requests, NOVEL.0, "requests"), of(word.tokens, NOVEL.1, "tokens")];
    let longest =
        slow.into_iter().flatten().max_by(|one, other| (one.1 / one.0).total_cmp(&(other.1 / other.0)));
    let (most, need, what) = longest?;
    let takes = if most < 1.0 {
        "by that it reads no book; what it does answer is taken all the same".to_owned()
    } else {
        format!(
            "a novel of 100,000 words needs about {need} and takes {} hours so",
            (need / most / 60.0).ceil()
        )
    };
    let message = format!("{origin} says that it takes {most} {what} a minute: {takes}.");
    Some(Issue { code: "slow".to_owned(), message })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_server_is_slow_where_a_novel_takes_more_than_an_hour() {
        let told = |requests, tokens| slow("https://x", Word { requests, tokens }).map(|issue| issue.message);
        for (requests, tokens, words) in [
            (
                Some(1.0),
                None,
                "takes 1 requests a minute: a novel of 100,000 words needs about 1200 and takes 20 hours",
            ),
            (
                None,
                Some(1.0),
                "takes 1 tokens a minute: a novel of 100,000 words needs about 1100000 and takes 18334 hours",
            ),
            (Some(10.0), Some(6_000.0), "takes 6000 tokens a minute"),
            (Some(0.0), None, "by that it reads no book"),
        ] {
            let message = told(requests, tokens).unwrap();
            assert!(message.contains(words), "{message}");
        }
        for (requests, tokens) in [(None, None), (Some(500.0), Some(30_000.0)), (Some(20.0), None)] {
            assert_eq!(told(requests, tokens), None);
        }
    }
}
