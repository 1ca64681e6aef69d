//! What a judge replies: statements, a verdict on each of several numbered ones, a rating.
//!
//! A judge is told to reply with JSON. Many write "Output:" before it, reason first, use other keys, or write
//! a list. What a person would read as the judgement is read; what leaves a statement without its verdict is
//! no judgement, and says so in a sentence to show the model.
//!
//! Invariant: no verdict is guessed. A number that is not asked for is passed over, of two verdicts on one
//! statement the later counts, and a verdict is one word or number of a known meaning.

use serde_json::{Map, Value};

use super::value;

/// The most statements that are taken.
const MOST: usize = 100;
/// The most characters of one.
const LONGEST: usize = 600;

/// Under which key a statement stands, where it is a record.
const STATEMENT: [&str; 5] = ["statement", "fact", "claim", "text", "sentence"];
/// Under which key a number stands.
const NUMBER: [&str; 7] = ["number", "id", "index", "no", "n", "statement", "fact"];
/// Under which key a verdict stands.
const VERDICT: [&str; 10] = [
    "supported",
    "verdict",
    "covered",
    "attributed",
    "inferable",
    "label",
    "judgement",
    "judgment",
    "score",
    "result",
];
/// Under which key a rating stands.
const RATING: [&str; 4] = ["rating", "score", "relevance", "verdict"];

const YES: [&str; 9] =
    ["yes", "true", "1", "supported", "covered", "attributed", "inferable", "tp", "correct"];
const NO: [&str; 13] = [
    "no",
    "false",
    "0",
    "unsupported",
    "not supported",
    "not covered",
    "not attributed",
    "not inferable",
    "uncovered",
    "fp",
    "fn",
    "incorrect",
    "missing",
];

/// The statements of a reply; none where it says that there are none.
///
/// # Errors
/// What is wrong with a reply that holds no list.
pub fn statements(reply: &str) -> Result<Vec<String>, String> {
    let json = value(reply);
    let mut found = json.as_ref().and_then(listed);
    if found.is_none() {
        let lines: Vec<String> = reply.lines().filter_map(point).map(str::to_owned).collect();
        found = (!lines.is_empty()).then_some(lines);
    }
    let found = found.ok_or_else(|| "it holds no list of statements".to_owned())?;
    let short = |text: String| text.trim().chars().take(LONGEST).collect::<String>();
    let said = |text: &String| text.chars().any(char::is_alphanumeric);
    Ok(found.into_iter().map(short).filter(said).take(MOST).collect())
}

/// The texts of the first list that holds any, or that is empty.
fn listed(json: &Value) -> Option<Vec<String>> {
    match json {
        Value::Array(items) => {
            let texts: Vec<String> = items.iter().filter_map(told).collect();
            (items.is_empty() || !texts.is_empty()).then_some(texts)
        }
        Value::Object(fields) => fields.values().find_map(listed),
        _ => None,
    }
}

/// A statement: a text, or a record that holds one.
fn told(item: &Value) -> Option<String> {
    let fields = match item {
        Value::String(text) => return Some(text.clone()),
        Value::Object(fields) => fields,
        _ => return None,
    };
    let named = STATEMENT.iter().find_map(|key| fields.get(*key)?.as_str());
    named.or_else(|| fields.values().find_map(Value::as_str)).map(str::to_owned)
}

/// What follows the mark of a list's item.
fn point(line: &str) -> Option<&str> {
    let line = line.trim();
    let dashed = ["- ", "* ", "• ", "– "].iter().find_map(|mark| line.strip_prefix(mark));
    dashed.or_else(|| numbered(line).map(|(_, rest)| rest)).map(|rest| rest.trim_matches(['"', ',']))
}

/// The number that a line begins with, and what follows it.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let bare = line.trim_start_matches(|c: char| c.is_whitespace() || "-*#([•".contains(c));
    let bare = ["statement", "fact", "evidence"]
        .iter()
        .find_map(|word| bare.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word)))
        .map_or(bare, |head| bare.trim_start_matches(head).trim_start_matches([' ', '#']));
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = bare.split_at_checked(digits)?;
    let rest = rest.trim_start_matches(['*', ' ']).strip_prefix(['.', ')', ':', ']', '-', '|', '=', '–'])?;
    Some((number.parse().ok()?, rest.trim()))
}

/// The verdict on each of `count` statements, which are numbered from 1.
///
/// # Errors
/// What is wrong with a reply that leaves one without.
pub fn verdicts(reply: &str, count: usize) -> Result<Vec<bool>, String> {
    let mut marks: Vec<Option<bool>> = vec![None; count];
    if let Some(json) = value(reply) {
        mark(&json, &mut marks);
    }
    if marks.iter().all(Option::is_none) {
        for (number, verdict) in reply.lines().filter_map(verdict_of_line) {
            put(&mut marks, number, verdict);
        }
    }
    let judged: Vec<bool> = marks.iter().copied().flatten().collect();
    if judged.len() == count {
        return Ok(judged);
    }
    Err(format!("it gives a verdict on {} of the {count} statements, and must on each", judged.len()))
}

/// Enters what a value holds of verdicts.
fn mark(json: &Value, marks: &mut [Option<bool>]) {
    match json {
        Value::Array(items)
            if items.len() == marks.len() && items.iter().all(|item| truth(item).is_some()) =>
        {
            for (mark, item) in marks.iter_mut().zip(items) {
                *mark = truth(item);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| mark(item, marks)),
        Value::Object(fields) => match record(fields) {
            Some((number, verdict)) => put(marks, number, verdict),
            None => fields.iter().for_each(|(key, inner)| match (key.trim().parse(), truth(inner)) {
                (Ok(number), Some(verdict)) => put(marks, number, verdict),
                _ => mark(inner, marks),
            }),
        },
        _ => (),
    }
}

/// A number with its verdict.
fn record(fields: &Map<String, Value>) -> Option<(usize, bool)> {
    let field = |names: &'static [&str]| move |name: &str| names.contains(&name.to_lowercase().as_str());
    let of = |names| {
        let wanted = field(names);
        fields.iter().filter(move |(key, _)| wanted(key)).map(|(_, value)| value)
    };
    let number = of(&NUMBER).find_map(whole)?;
    Some((number, of(&VERDICT).find_map(truth)?))
}

fn whole(json: &Value) -> Option<usize> {
    match json {
        Value::Number(number) => usize::try_from(number.as_u64()?).ok(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn truth(json: &Value) -> Option<bool> {
    match json {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => word(&number.to_string()),
        Value::String(text) => word(text),
        _ => None,
    }
}

/// The meaning of a verdict's word.
fn word(text: &str) -> Option<bool> {
    let bare = text.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    if YES.contains(&bare.as_str()) {
        return Some(true);
    }
    NO.contains(&bare.as_str()).then_some(false)
}

/// `3. yes`, `3: not supported, since …`, `3. The bell rang: no`: the verdict opens what follows the number, or
/// ends it.
fn verdict_of_line(line: &str) -> Option<(usize, bool)> {
    let (number, rest) = numbered(line)?;
    let head = rest.split([',', '.', ';', ':', '(', '—', '–']).next().and_then(word);
    let tail = || rest.rsplit([':', '—', '–', '|', '>', '(']).next().and_then(word);
    Some((number, head.or_else(tail)?))
}

fn put(marks: &mut [Option<bool>], number: usize, verdict: bool) {
    if let Some(mark) = number.checked_sub(1).and_then(|place| marks.get_mut(place)) {
        *mark = Some(verdict);
    }
}

/// A rating from 0 to `most`.
///
/// # Errors
/// What is wrong with a reply that holds none, or two.
pub fn rating(reply: &str, most: usize) -> Result<usize, String> {
    let allowed = |rating: &usize| *rating <= most;
    let by_json = value(reply).and_then(|json| rated(&json)).filter(allowed);
    let named = || {
        let tail = |line: &str| {
            let (head, rest) = line.split_once(':')?;
            let head = head.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            RATING.iter().any(|name| head.ends_with(name)).then(|| numbers(rest).first().copied())?
        };
        reply.lines().filter_map(tail).rfind(allowed)
    };
    let alone = || match numbers(reply)[..] {
        [only] => Some(only).filter(allowed),
        _ => None,
    };
    by_json
        .or_else(named)
        .or_else(alone)
        .ok_or_else(|| format!("it holds no rating from 0 to {most}, or more than one"))
}

fn rated(json: &Value) -> Option<usize> {
    match json {
        Value::Object(fields) => {
            let named = fields.iter().find(|(key, _)| RATING.contains(&key.to_lowercase().as_str()));
            named.and_then(|(_, value)| whole(value)).or_else(|| fields.values().find_map(rated))
        }
        Value::Array(items) => items.iter().rev().find_map(rated),
        _ => None,
    }
}

/// The whole numbers of a text; a fraction, as in 1/2, counts as what stands before its stroke.
fn numbers(text: &str) -> Vec<usize> {
    let words = text.split(|c: char| c.is_whitespace() || ",;()[]\"'*".contains(c));
    let bare =
        |word: &str| word.trim_end_matches(['.', ':', '!']).split('/').next().unwrap_or_default().parse();
    words.filter_map(|word| bare(word).ok()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn statements_are_read_from_json_and_from_lists() {
        let two = ["Ada lit the lamp.", "It rained."];
        for reply in [
            r#"{"statements": ["Ada lit the lamp.", "It rained."]}"#,
            r#"Output: {"statements": ["Ada lit the lamp.", "It rained."]}"#,
            "Let me think. There are two.\n```json\n[\"Ada lit the lamp.\", \"It rained.\"]\n```",
            r#"{"facts": [{"fact": "Ada lit the lamp.", "why": "x"}, {"fact": "It rained."}]}"#,
            r#"[{"id": 1, "statement": "Ada lit the lamp."}, {"id": 2, "statement": "It rained."}]"#,
            "Here they are:\n- Ada lit the lamp.\n- It rained.",
            "1. Ada lit the lamp.\n2) It rained.\nThat is all.",
            "<think>[\"no\"]</think>{'statements': ['Ada lit the lamp.', 'It rained.',]}",
        ] {
            assert_eq!(statements(reply).unwrap(), two, "{reply}");
        }
        for reply in [r#"{"statements": []}"#, "[]", "Output: []"] {
            assert_eq!(statements(reply), Ok(vec![]), "{reply}");
        }
        for reply in
            ["", "Ada lit the lamp. It rained.", "I cannot do that.", "[1, 2]", "{\"statements\": 5}"]
        {
            assert!(statements(reply).is_err(), "{reply}");
        }
        let many = format!("[{}]", vec!["\"word\""; 5000].join(","));
        assert!(statements(&many).unwrap().len() <= MOST);
        assert!(statements(&format!("[\"{}\"]", "word ".repeat(5000))).unwrap()[0].len() <= LONGEST);
    }

    #[test]
    fn each_statement_has_its_verdict_or_there_is_none() {
        for reply in [
            r#"{"verdicts": [{"number": 1, "supported": true}, {"number": 2, "supported": false}]}"#,
            r#"Output: [{"number": "1", "verdict": "yes"}, {"number": 2, "verdict": "No."}]"#,
            r#"{"verdicts": [{"number": 2, "supported": 0, "reason": "no"}, {"number": 1, "supported": 1}]}"#,
            r#"{"1": "supported", "2": "not supported"}"#,
            r#"{"statements": {"1": true, "2": false}}"#,
            "[true, false]",
            "{\"verdicts\": [1, 0]}",
            r#"[{"statement": "It rained.", "id": 1, "label": "TP"}, {"statement": "x", "id": 2, "label": "FP"}]"#,
            "1. yes\n2. no",
            "Well.\n**1.** Yes, Ada lit it.\n**2.** No, nothing says so.",
            "Statement 1: supported\nStatement 2: not supported (nothing says so)",
            "1. Ada lit the lamp: yes\n2. No bell rang: false",
            r#"First I thought {"verdicts": [{"number": 1, "supported": false}]}. But no: {"verdicts": [{"number": 1, "supported": true}, {"number": 2, "supported": false}, {"number": 9, "supported": true}]}"#,
        ] {
            assert_eq!(verdicts(reply, 2), Ok(vec![true, false]), "{reply}");
        }
        for reply in [
            "",
            "Both are fine.",
            "[true]",
            "[true, false, true]",
            r#"{"verdicts": [{"number": 1, "supported": true}]}"#,
            r#"{"verdicts": [{"number": 1, "supported": "perhaps"}, {"number": 2, "supported": true}]}"#,
            "Statement 1 is supported because the lamp was lit, and 2 is not.",
            "1. It says no more than that\n2. yes",
        ] {
            assert!(verdicts(reply, 2).is_err(), "{reply}: {:?}", verdicts(reply, 2));
        }
        let fault = verdicts(r#"{"1": true}"#, 3).unwrap_err();
        assert_eq!(fault, "it gives a verdict on 1 of the 3 statements, and must on each");
        assert_eq!(verdicts("[]", 0), Ok(vec![]));
    }

    #[test]
    fn a_rating_is_one_number() {
        for (reply, expected) in [
            ("{\"rating\": 2}", 2),
            ("Output: {\"score\": \"1\"}", 1),
            ("0", 0),
            ("Rating: 2", 2),
            ("**Rating:** 1/2", 1),
            ("The text of 3 parts says half of it.\nFinal rating: 1", 1),
            ("I would say 2.", 2),
            ("<think>0? 1?</think>{\"rating\": 2}", 2),
        ] {
            assert_eq!(rating(reply, 2), Ok(expected), "{reply}");
        }
        for reply in ["", "{\"rating\": 3}", "Between 1 and 2.", "two", "{\"rating\": -1}", "0.5"] {
            assert!(rating(reply, 2).is_err(), "{reply}");
        }
    }
}
