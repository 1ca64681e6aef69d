//! How long a server asks to wait, in each form that servers say it.
//!
//! By a header: `retry-after-ms`, or `retry-after` in seconds or as a date. By its words: "try again in
//! 976ms", "in 1m2s". By a field: `retryDelay` beside the error. The longest of them counts.

use serde_json::Value;

/// Words after which a duration stands.
const BEFORE: [&str; 5] = ["again in", "retry in", "retry after", "again after", "wait"];

/// The wait that a response asks for, in milliseconds; `now` is the time since 1970 in milliseconds, for a
/// date in a header, where the response does not bear its own.
pub fn asked_ms(headers: &[(String, String)], said: &str, json: &Value, now: Option<f64>) -> Option<f64> {
    let header = |name: &str| {
        let found = headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.trim())
    };
    let now = header("date").and_then(date_ms).or(now);
    let number = |text: &str| text.parse::<f64>().ok().filter(|ms| ms.is_finite() && *ms >= 0.0);
    let seconds = header("retry-after").and_then(number).map(|seconds| seconds * 1e3);
    let date = header("retry-after").and_then(date_ms).zip(now).map(|(then, now)| (then - now).max(0.0));
    let ms = header("retry-after-ms").and_then(number);
    [ms, seconds, date, in_words(said), in_details(json)].into_iter().flatten().reduce(f64::max)
}

/// A duration after words that announce one.
fn in_words(said: &str) -> Option<f64> {
    let said = said.to_lowercase();
    let after = |word: &&str| {
        let at = said.find(*word)? + word.len();
        said.get(at..).and_then(duration_ms)
    };
    BEFORE.iter().filter_map(after).reduce(f64::max)
}

/// `retryDelay` among the details of an error.
fn in_details(json: &Value) -> Option<f64> {
    let json = json.get(0).unwrap_or(json);
    let details = json.pointer("/error/details")?.as_array()?;
    details.iter().find_map(|detail| duration_ms(detail.get("retryDelay")?.as_str()?))
}

/// The duration that a text begins with: `976ms`, `1m2.5s`, `20 seconds`, `7`.
pub fn duration_ms(text: &str) -> Option<f64> {
    let mut rest =
        text.trim_start().trim_start_matches(|c: char| c.is_ascii_punctuation() && c != '-').trim_start();
    let mut sum = None;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        // A full stop may end the sentence.
        let Ok(number) = number.trim_end_matches('.').parse::<f64>() else { return sum };
        let word = after.trim_start();
        let end = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
        let (unit, after) = word.split_at(end);
        let Some(ms) = unit_ms(unit) else {
            return sum.or(Some(number * 1e3).filter(|_| unit.is_empty()));
        };
        sum = Some(sum.unwrap_or(0.0) + number * ms);
        rest = after.trim_start();
    }
}

fn unit_ms(unit: &str) -> Option<f64> {
    Some(match unit {
        "ms" | "millisecond" | "milliseconds" => 1.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1e3,
        "m" | "min" | "mins" | "minute" | "minutes" => 60e3,
        "h" | "hour" | "hours" => 3_600e3,
        "d" | "day" | "days" => 86_400e3,
        _ => return None,
    })
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A date as HTTP writes it (`Sun, 06 Nov 1994 08:49:37 GMT`), in milliseconds since 1970.
pub fn date_ms(text: &str) -> Option<f64> {
    let (_, date) = text.split_once(", ")?;
    let parts: Vec<&str> = date.split([' ', ':']).collect();
    let [day, month, year, hour, minute, second, "GMT"] = parts[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let number = |text: &str| text.parse::<u16>().ok().map(i64::from);
    let days = days_since_1970(number(year)?, month, number(day)?);
    let seconds = (days * 24 + number(hour)?) * 3600 + number(minute)? * 60 + number(second)?;
    Some(seconds as f64 * 1e3)
}

/// Days of the Gregorian calendar from 1970 to a date; a year begins with March, so that a leap day ends it.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn durations_are_read_in_each_form() {
        for (text, ms) in [
            ("976ms", Some(976.0)),
            ("1m2s", Some(62_000.0)),
            ("6m0s", Some(360_000.0)),
            ("7.66s", Some(7_660.0)),
            (" 20 seconds.", Some(20_000.0)),
            ("20s. Visit our page.", Some(20_000.0)),
            ("1h2m3s", Some(3_723_000.0)),
            ("2 minutes", Some(120_000.0)),
            (": 5", Some(5_000.0)),
            ("5 tokens", None),
            ("soon", None),
            ("", None),
            ("-3s", None),
        ] {
            assert_eq!(duration_ms(text), ms, "{text:?}");
        }
    }

    #[test]
    fn dates_are_those_of_http() {
        assert_eq!(date_ms("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0.0));
        assert_eq!(date_ms("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777_000.0));
        assert_eq!(date_ms("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000_000.0));
        for text in
            ["", "7", "Sun, 06 Nov 1994", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, x Nov 1994 08:49:37 GMT"]
        {
            assert_eq!(date_ms(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_longest_wait_that_is_said_counts() {
        let header = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        let now = Some(784_111_777_000.0 - 9_000.0);
        let none = Value::Null;
        let delay = json!([{"error": {"details": [{"retryDelay": "37s"}]}}]);
        for (headers, said, json, now, ms) in [
            (header("retry-after", "3"), "", &none, None, Some(3_000.0)),
            (header("retry-after", "0.5"), "", &none, None, Some(500.0)),
            (header("retry-after", "-1"), "", &none, None, None),
            (header("retry-after", "soon"), "", &none, None, None),
            (header("retry-after", date), "", &none, now, Some(9_000.0)),
            (header("retry-after", date), "", &none, None, None),
            (header("retry-after", date), "", &none, Some(9e15), Some(0.0)),
            (header("retry-after-ms", "120"), "", &none, None, Some(120.0)),
            (header("retry-after-ms", "120"), "Please try again in 976ms.", &none, None, Some(976.0)),
            (
                vec![],
                "Rate limit reached. Please try again in 1m2s. See the page.",
                &none,
                None,
                Some(62_000.0),
            ),
            (vec![], "Please retry after 7 seconds.", &none, None, Some(7_000.0)),
            (vec![], "quota", &delay, None, Some(37_000.0)),
            (vec![], "You sent too many requests.", &none, None, None),
        ] {
            assert_eq!(asked_ms(&headers, said, json, now), ms, "{headers:?} {said:?}");
        }
        let mut both = header("retry-after", date);
        both.extend(header("date", "Sun, 06 Nov 1994 08:49:30 GMT"));
        assert_eq!(asked_ms(&both, "", &none, Some(0.0)), Some(7_000.0), "the server's own clock");
    }
}
