//! The document of a diagnosis: what was looked at of an endpoint, in order, and what to change.

use serde::Serialize;

use super::{Issue, Usage};

/// What `diagnose` gives.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Diagnosis {
    /// Whether every check passed.
    pub ok: bool,
    /// In the order in which they were made; what comes behind a fault is not tried.
    pub checks: Vec<Check>,
    /// What a reader should know though nothing is wrong.
    pub issues: Vec<Issue>,
    /// What finding out cost.
    pub usage: Usage,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// `chat` or `embed`: as what the endpoint was tried.
    pub endpoint: &'static str,
    /// What was looked at: `address`, `browser`, `connection`, `path`, `key`, `model`, `reply`, `context`,
    /// `vectors` or `index`.
    pub check: &'static str,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What is wrong, in one word that stays the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The same in plain words, without a key.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The setting, command or address to copy for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
}

impl Check {
    /// A check that passed.
    pub fn well(check: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { endpoint: "", check, ok: true, code: None, message, fix: None, copy: None }
    }

    /// A check that failed.
    pub fn ill(check: &'static str, code: &'static str, message: impl Into<String>) -> Self {
        Self { ok: false, code: Some(code), ..Self::well(check, message) }
    }

    /// The same with what to do.
    #[must_use]
    pub fn fixed_by(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }

    /// The same with what to copy.
    #[must_use]
    pub fn copying(self, copy: impl Into<String>) -> Self {
        Self { copy: Some(copy.into()), ..self }
    }
}
