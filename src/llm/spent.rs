//! What was asked of models and what it cost, kept by stage and model.
//!
//! A [`Spending`] belongs to one call: everything that asks a model writes into it, also what came to
//! nothing, so that a call's rows add up to what was paid.

use std::cell::RefCell;

use super::{Tokens, Usage};

/// What one stage asked of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Spent {
    /// The stage's stable name: `entities`, `filter`, `generate`, ...
    pub stage: &'static str,
    /// The model's name.
    pub model: String,
    /// Requests answered, and their tokens.
    pub usage: Usage,
    /// Requests sent once more because the reply before could not be read; they are among the requests.
    pub retried: u32,
    /// Replies that were kept from before, so that no request was sent.
    pub cached: u32,
    /// Milliseconds waited for the replies, added up; requests side by side count each.
    pub ms: f64,
}

/// The rows of one call, in the order in which the stages first asked.
#[derive(Debug, Default)]
pub struct Spending(RefCell<Vec<Spent>>);

impl Spending {
    /// Counts an answered request.
    pub fn add(&self, stage: &'static str, model: &str, tokens: Tokens, ms: f64) {
        self.row(stage, model, |row| {
            row.usage.add(tokens);
            row.ms += ms;
        });
    }

    /// Counts a request that is sent once more.
    pub fn again(&self, stage: &'static str, model: &str) {
        self.row(stage, model, |row| row.retried = row.retried.saturating_add(1));
    }

    /// Every row.
    pub fn rows(&self) -> Vec<Spent> {
        self.0.borrow().clone()
    }

    /// What all rows cost together.
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        self.0.borrow().iter().for_each(|row| usage.join(row.usage));
        usage
    }

    /// The tokens of all rows, sent and received.
    pub fn tokens(&self) -> u32 {
        let Usage { prompt, completion, .. } = self.usage();
        prompt.saturating_add(completion)
    }

    fn row(&self, stage: &'static str, model: &str, count: impl FnOnce(&mut Spent)) {
        let mut rows = self.0.borrow_mut();
        if let Some(row) = rows.iter_mut().find(|row| row.stage == stage && row.model == model) {
            return count(row);
        }
        let usage = Usage::default();
        let mut row = Spent { stage, model: model.to_owned(), usage, retried: 0, cached: 0, ms: 0.0 };
        count(&mut row);
        rows.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_for_a_stage_and_a_model() {
        let (spending, cost) = (Spending::default(), Tokens { prompt: 10, completion: 5 });
        spending.add("filter", "small", cost, 2.0);
        spending.add("generate", "small", cost, 1.0);
        spending.again("filter", "small");
        spending.add("filter", "small", cost, 3.0);
        spending.add("filter", "large", cost, 1.0);
        let rows: Vec<(&str, String, u32, u32, f64)> = spending
            .rows()
            .into_iter()
            .map(|row| (row.stage, row.model, row.usage.requests, row.retried, row.ms))
            .collect();
        let row =
            |stage, model: &str, requests, retried, ms| (stage, model.to_owned(), requests, retried, ms);
        let wanted = [
            row("filter", "small", 2, 1, 5.0),
            row("generate", "small", 1, 0, 1.0),
            row("filter", "large", 1, 0, 1.0),
        ];
        assert_eq!(rows, wanted);
        assert_eq!((spending.usage().requests, spending.tokens()), (4, 60));
    }
}
