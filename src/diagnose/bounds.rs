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
        let endpoint = endpoint.patient_for(self.timeout_ms).waiting_for(self.patience_ms);
        // What a book is limited to holds here too, unless the diagnosis has limits of its own.
        if self.limits == Limits::default() { endpoint } else { endpoint.within(self.limits) }
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
fn novel(part: Part) -> (f64, f64) {
    match part {
        Part::Chat => (1_500.0, 1_200_000.0),
        Part::Embed => (70.0, 270_000.0),
    }
}

/// So many minutes for it are worth a word.
const LONG: f64 = 60.0;

/// That the server takes so little in a minute, by its own word, that a book takes long.
pub(super) fn slow(origin: &str, part: Part, word: Word) -> Option<Issue> {
    let of = |most: Option<f64>, need: f64, what: &'static str| {
        let most = most.filter(|most| *most >= 0.0)?;
        (need > LONG * most).then_some((most, need, what))
    };
    let (requests, tokens) = novel(part);
    let slow = [of(word.requests, requests, "request"), of(word.tokens, tokens, "token")];
    let longest =
        slow.into_iter().flatten().max_by(|one, other| (one.1 / one.0).total_cmp(&(other.1 / other.0)));
    let (most, need, what) = longest?;
    let takes = if most < 1.0 {
        "by that it reads no book; what it does answer is taken all the same".to_owned()
    } else {
        let hours = (need / most / 60.0).ceil();
        format!(
            "a novel of 100,000 words needs about {} and takes {} so",
            parted(need),
            plural(hours, "hour")
        )
    };
    let message = format!("{origin} says that it takes {} a minute: {takes}.", plural(most, what));
    Some(Issue { code: "slow".to_owned(), message })
}

/// `1 hour`, `1,200 tokens`.
fn plural(count: f64, what: &str) -> String {
    format!("{} {what}{}", parted(count), if count == 1.0 { "" } else { "s" })
}

/// A whole number with its thousands parted.
fn parted(number: f64) -> String {
    let digits = format!("{:.0}", number.floor());
    let mut parted = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            parted.push(',');
        }
        parted.push(digit);
    }
    parted
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_server_is_slow_where_a_novel_takes_more_than_an_hour() {
        let of = |part, requests, tokens| slow("https://x", part, Word { requests, tokens });
        let told = |requests, tokens| of(Part::Chat, requests, tokens).map(|issue| issue.message);
        for (requests, tokens, words) in [
            (
                Some(1.0),
                None,
                "takes 1 request a minute: a novel of 100,000 words needs about 1,500 and takes 25 hours",
            ),
            (
                None,
                Some(1.0),
                "takes 1 token a minute: a novel of 100,000 words needs about 1,200,000 and takes 20,000 hours",
            ),
            (Some(10.0), Some(6_000.0), "takes 6,000 tokens a minute"),
            (Some(0.0), None, "by that it reads no book"),
        ] {
            let message = told(requests, tokens).unwrap();
            assert!(message.contains(words), "{message}");
        }
        for (requests, tokens) in [(None, None), (Some(500.0), Some(30_000.0)), (Some(25.0), None)] {
            assert_eq!(told(requests, tokens), None);
        }
        // An embedder is asked far less.
        assert!(of(Part::Embed, Some(2.0), Some(5_000.0)).is_none());
        let message = of(Part::Embed, Some(1.0), None).unwrap().message;
        assert!(message.contains("needs about 70 and takes 2 hours"), "{message}");
    }
}
