//! What a dutiful, dull judge says: a statement is borne out by a text that has half of its longer words.
//!
//! The statements of a text are its sentences. The invariant is that of all replies here: equal requests get
//! equal ones, and each statement of a list gets its verdict.

use serde_json::{Value, json};

use super::sentences::{sentences, words};
use super::vectors::stem;

/// The most statements of a text.
const STATEMENTS: usize = 30;

/// The reply to one of the judge's tasks; `None` for any other.
pub fn reply(task: &str, passage: &str, rest: &str) -> Option<String> {
    let reply = match task {
        "statements" | "gold_facts" => {
            json!({"statements": sentences(passage).into_iter().take(STATEMENTS).collect::<Vec<_>>()})
        }
        "correctness" => compared(passage),
        "covered" | "faithful" | "attributed" => marked(passage),
        "relevance" | "relevance_again" => json!({"rating": rating(passage, rest)}),
        _ => return None,
    };
    Some(reply.to_string())
}

/// The number and the words of a line of a list.
fn item(line: &str) -> Option<(u64, &str)> {
    let (number, text) = line.split_once(". ")?;
    Some((number.parse().ok()?, text))
}

fn stems(text: &str) -> Vec<String> {
    words(text).filter(|word| word.len() > 3).map(|word| stem(&word)).collect()
}

/// Whether a text has half of the longer words of a statement.
fn holds(text: &[String], statement: &str) -> bool {
    let own = stems(statement);
    let shared = own.iter().filter(|word| text.contains(word)).count();
    !own.is_empty() && shared * 2 >= own.len()
}

fn verdicts(list: impl Iterator<Item = (u64, bool)>) -> Value {
    let entries = list.map(|(number, supported)| json!({"number": number, "supported": supported}));
    json!({"verdicts": entries.collect::<Vec<_>>()})
}

/// Each line of the list at the end, which begins with 1, by the text before it.
fn marked(passage: &str) -> Value {
    let lines: Vec<&str> = passage.lines().collect();
    let start = lines.iter().rposition(|line| line.starts_with("1. ")).unwrap_or(lines.len());
    let text = stems(&lines[..start].join("\n"));
    verdicts(
        lines[start..].iter().filter_map(|line| item(line)).map(|(number, one)| (number, holds(&text, one))),
    )
}

/// Each line of two lists by all lines of the other: where one ends is not told, so a line is borne out by
/// any other.
fn compared(passage: &str) -> Value {
    let items: Vec<(u64, &str)> = passage.lines().filter_map(item).collect();
    verdicts(items.iter().map(|(number, one)| {
        let others = items.iter().filter(|(other, _)| other != number).map(|(_, text)| *text);
        (*number, holds(&stems(&others.collect::<Vec<_>>().join("\n")), one))
    }))
}

/// 2 for most of the question's words, 1 for one of them, 0 for none.
fn rating(passage: &str, rest: &str) -> u64 {
    let asked = rest.lines().find_map(|line| line.trim().strip_prefix("Question:")).unwrap_or(rest);
    let text = stems(passage);
    u64::from(stems(asked).iter().any(|word| text.contains(word))) + u64::from(holds(&text, asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_has_its_verdict() {
        let passage = "Ada lit the lamp. It rained.\n1. Ada lit a lamp in the tower\n2. Nobody came home";
        let expected =
            json!({"verdicts": [{"number": 1, "supported": true}, {"number": 2, "supported": false}]});
        assert_eq!(marked(passage), expected);
        assert_eq!(
            compared("1. Ada lit lamps\n2. Nobody came home\n3. The lamp")["verdicts"][0]["supported"],
            true
        );
        assert_eq!(
            [rating("Ada lit the lamp.", "Question: Who lamp?"), rating("x", "Question: Who lamp?")],
            [2, 0]
        );
        assert_eq!(
            reply("statements", "It rained. Ada came.", ""),
            Some(json!({"statements": ["It rained.", "Ada came."]}).to_string())
        );
        assert_eq!(reply("answer", "", ""), None);
    }
}
