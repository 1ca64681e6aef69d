//! Replies that are none: errors in OpenAI's form, redirects, pages of a proxy.
//!
//! The form is that of the API (`error` with message, type, param, code); the words are our own. The
//! invariant: of several that hit a request, the first in the table of faults is the reply.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::answer::Answer;
use super::fault::{Fault, Kind};
use super::script::Fired;

/// An error object as the API sends it.
pub fn error(message: &str, kind: &str, code: &str, param: &str) -> Value {
    let param = if param.is_empty() { Value::Null } else { param.into() };
    let code = if code.is_empty() { Value::Null } else { code.into() };
    json!({"error": {"message": message, "type": kind, "param": param, "code": code}})
}

/// A request that lacks something.
pub fn invalid(message: &str, param: &str) -> Answer {
    Answer::json(400, &error(message, "invalid_request_error", "", param))
}

/// What a request gets instead of its reply; `port` is this server's own.
pub fn refusal(fired: &Fired, path: &str, port: u16) -> Option<Answer> {
    fired.faults().iter().find_map(|fault| one(fault, path, port))
}

fn one(fault: &Fault, path: &str, port: u16) -> Option<Answer> {
    let text = fault.text.as_str();
    let say = |status, message: &str, kind: &str, code: &str, param: &str| {
        Some(Answer::json(status, &error(message, kind, code, param)))
    };
    let wrong = "invalid_request_error";
    match fault.kind {
        Kind::Status => say(
            u16::try_from(fault.number).unwrap_or(500),
            "the script asks for this status",
            "server_error",
            "",
            "",
        ),
        Kind::RateLimit => Some(limited().with("Retry-After", fault.number.to_string())),
        Kind::RateLimitDate => Some(limited().with("Retry-After", date_in(fault.number))),
        Kind::RateLimitMs => Some(limited().with("Retry-After-Ms", fault.number.to_string())),
        Kind::RateLimitBare => Some(limited()),
        Kind::Quota => say(429, "no credit is left", "insufficient_quota", "insufficient_quota", ""),
        Kind::Key => say(401, "the key is missing or wrong", wrong, "invalid_api_key", ""),
        Kind::UnknownModel => say(404, "there is no such model here", wrong, "model_not_found", "model"),
        Kind::Refuse => say(400, &refused(text), wrong, "unsupported_parameter", field(text)),
        Kind::Context => {
            let message = format!("the prompt is longer than the context of {} tokens", fault.number);
            say(400, &message, wrong, "context_length_exceeded", "messages")
        }
        Kind::FilterRefused => {
            say(400, "the prompt was stopped by a filter", wrong, "content_filter", "prompt")
        }
        Kind::Redirect => {
            let here = format!("http://localhost:{port}{path}");
            let to = if text.is_empty() { here } else { text.to_owned() };
            Some(Answer::text(307, "text/plain", String::new()).with("Location", to))
        }
        Kind::Html => {
            Some(Answer::text(200, "text/html", "<!doctype html><title>Sign in</title>".to_owned()))
        }
        Kind::NoBody => Some(Answer::text(200, "application/json", String::new())),
        _ => None,
    }
}

fn limited() -> Answer {
    let message = "too many requests for now";
    Answer::json(429, &error(message, "rate_limit_error", "rate_limit_exceeded", ""))
}

/// The field that is to blame for a refused form.
fn field(refused: &str) -> &str {
    if matches!(refused, "json_schema" | "json_object") { "response_format" } else { refused }
}

fn refused(text: &str) -> String {
    match text {
        "max_tokens" => {
            "'max_tokens' is not supported with this model, use 'max_completion_tokens'".to_owned()
        }
        "max_completion_tokens" => "'max_completion_tokens' is unknown here, use 'max_tokens'".to_owned(),
        "json_schema" | "json_object" => format!("'response_format' of type '{text}' is not supported"),
        _ => format!("'{text}' is not supported with this model"),
    }
}

/// The moment in so many seconds, as HTTP writes it.
fn date_in(seconds: u64) -> String {
    let moment = SystemTime::now() + Duration::from_secs(seconds);
    // A part of a second counts as a whole one, so that a client never asks too early.
    let since = moment.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs() + 1);
    date(since)
}

/// Days are counted in years that begin in March, so that the leap day is a year's last.
fn date(seconds: u64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"];
    let (day, clock) = (seconds / 86_400, seconds % 86_400);
    let from_march_of_0 = day + 719_468;
    let (era, of_era) = (from_march_of_0 / 146_097, from_march_of_0 % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year_of_era + u64::from(month >= 10);
    let (name, month) = (DAYS[(day % 7) as usize], MONTHS[month as usize]);
    let (hours, minutes, seconds) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{name}, {of_month:02} {month} {year} {hours:02}:{minutes:02}:{seconds:02} GMT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_http() {
        assert_eq!(date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(date(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(date(1_709_210_096), "Thu, 29 Feb 2024 12:34:56 GMT");
        assert_eq!(date(1_735_689_599), "Tue, 31 Dec 2024 23:59:59 GMT");
    }
}
