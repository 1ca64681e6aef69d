//! What chat models really write, read as a person would: tests/data/replies, a table of bad replies.
//!
//! Each line of a file there holds the `kind` of badness, its `source` (`written` by us, or the model that
//! wrote it word for word), what was `want`ed, the `reply`, and the `items` that a person reads in it, as
//! arrays of fields, or the `fault`. The readings were written by reading, not by running the reader.

use std::collections::{BTreeMap, BTreeSet};

use plotbridge::llm::reply::{self, Fault, Read};
use proptest::prelude::*;
use serde_json::Value;

use super::support::root;

struct Case {
    place: String,
    kind: String,
    source: String,
    want: String,
    reply: String,
    expected: Value,
}

fn corpus() -> Vec<Case> {
    let mut cases = Vec::new();
    let folder = root().join("tests/data/replies");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for (line, text) in std::fs::read_to_string(path).unwrap().lines().enumerate() {
            let case: Value =
                serde_json::from_str(text).unwrap_or_else(|e| panic!("{name}:{}: {e}", line + 1));
            let text = |key: &str| case[key].as_str().unwrap_or_else(|| panic!("{name}:{}: {key}", line + 1));
            cases.push(Case {
                place: format!("{name}:{}", line + 1),
                kind: text("kind").to_owned(),
                source: text("source").to_owned(),
                want: text("want").to_owned(),
                reply: text("reply").to_owned(),
                expected: ["items", "value", "fault"].iter().find_map(|key| case.get(*key)).unwrap().clone(),
            });
        }
    }
    cases
}

fn rows<T>(read: Result<Read<T>, Fault>, row: impl Fn(T) -> Vec<String>) -> Value {
    match read {
        Ok(read) => read.items.into_iter().map(row).collect(),
        Err(fault) => Value::String(format!("{fault:?}").to_lowercase()),
    }
}

fn reading(want: &str, reply: &str) -> Value {
    match want {
        "entities" => {
            rows(reply::entities(reply), |e| vec![e.name, e.kind.as_str().to_owned(), e.description])
        }
        "triples" => rows(reply::triples(reply), |t| vec![t.subject, t.predicate, t.object]),
        "events" => rows(reply::events(reply), |e| vec![e.label, e.details]),
        "value" => reply::value(reply).unwrap_or(Value::String("nothing".to_owned())),
        other => panic!("{other} is not read"),
    }
}

#[test]
fn bad_replies_are_read_as_a_person_reads_them() {
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let cases = corpus();
    for case in &cases {
        let read = reading(&case.want, &case.reply);
        if read != case.expected {
            let told = format!("{}\n  read     {read}\n  expected {}", case.place, case.expected);
            wrong.entry(case.kind.clone()).or_default().push(told);
        }
    }
    let told: Vec<String> =
        wrong.iter().map(|(kind, told)| format!("{kind}:\n{}", told.join("\n"))).collect();
    let count: usize = wrong.values().map(Vec::len).sum();
    assert!(count == 0, "{count} of {} replies are misread\n{}", cases.len(), told.join("\n"));
}

#[test]
fn what_was_lost_is_counted() {
    let ann = r#"{"name": "Ann", "type": "person", "description": "a baker"}"#;
    let whole = format!("[{ann}]");
    for (name, text, items, dropped, repaired) in [
        ("whole", whole.as_str(), 1, 0, false),
        ("in a fence", &format!("```json\n{whole}\n```"), 1, 0, true),
        ("a second one cut", &format!("[{ann}, {{\"name\": \"Ben\", \"ty"), 1, 1, true),
        ("one without a name", &format!("[{ann}, {{\"type\": \"person\"}}]"), 1, 1, false),
        ("one too long", &format!("[{ann}, {{\"name\": \"{}\"}}]", "Ben ".repeat(99)), 1, 1, false),
        ("a tuple cut", "(\"entity\"###Ann###person###a baker)\n(\"entity\"###Ben###per", 1, 1, true),
        ("an example", &format!("[{ann}, {{\"name\": \"...\", \"type\": \"...\"}}]"), 1, 0, false),
        ("none", "[]", 0, 0, false),
    ] {
        let read = reply::entities(text).unwrap();
        assert_eq!((read.items.len(), read.dropped, read.repaired), (items, dropped, repaired), "{name}");
    }
}

#[test]
fn the_corpus_is_as_large_as_promised() {
    let cases = corpus();
    let kinds: BTreeSet<&str> = cases.iter().map(|case| case.kind.as_str()).collect();
    let heard = cases.iter().filter(|case| case.source != "written").count();
    let replies: BTreeSet<(&str, &str)> =
        cases.iter().map(|case| (case.want.as_str(), case.reply.as_str())).collect();
    assert!(replies.len() >= 200 && kinds.len() >= 15 && heard >= 60, "{} {kinds:?} {heard}", replies.len());
}

/// Every reader over a text; the count of what they found.
fn all(text: &str) -> usize {
    let found = |count: Result<usize, Fault>| count.unwrap_or_default();
    let _ = reply::value(text);
    found(reply::entities(text).map(|read| read.items.len()))
        + found(reply::triples(text).map(|read| read.items.len()))
        + found(reply::events(text).map(|read| read.items.len()))
}

#[test]
fn nesting_without_end_is_read_in_bounded_depth() {
    for open in ["[", "{", "(", "{\"a\":", "[{\"entities\":", "{{", "[(", "\"[\\\"", "{'"] {
        let many = open.repeat(100_000);
        assert_eq!(all(&many), 0, "{open}");
        assert_eq!(all(&format!("[{{\"name\": \"Ann\", \"type\": \"person\"}}, {many}")), 2, "{open}");
    }
}

/// The work on a hostile text grows as its length, so these end at once; a square would take hours.
#[test]
fn long_hostile_replies_end() {
    for piece in [
        "\"",
        "'",
        "\",",
        "\"\n",
        "\n",
        " ",
        "\\",
        "\"a\":",
        "a:",
        ",",
        "/*",
        "//",
        "#",
        "```",
        "|",
        "|-|\n",
        "###",
        "<|>",
        "&",
        "&quot;",
        ")(",
        "{}",
        "[]",
        "]",
        "}",
        "- a: b\n",
        "{\"a\":\"",
        "\" ,  \"",
        "“",
        "\u{301}",
        "name: x\n",
        "[\"x\" ",
        "\\\"",
        "<think>",
        "</think>",
    ] {
        for start in ["", "[\"", "{\"a\": \"", "(\"entity\"###"] {
            all(&format!("{start}{}", piece.repeat(100_000 / piece.len())));
        }
    }
}

#[test]
fn a_loop_of_records_is_bounded() {
    let same = "{\"name\": \"Ann\", \"type\": \"person\", \"description\": \"baker\"},".repeat(5_000);
    let read = reply::entities(&format!("[{same}")).unwrap();
    assert_eq!((read.items.len(), read.dropped), (1, 0));
    let counted: String =
        (0..5_000).map(|n| format!("{{\"name\": \"Ann {n}\", \"type\": \"person\"}},")).collect();
    let read = reply::entities(&format!("[{counted}")).unwrap();
    assert_eq!((read.items.len(), read.dropped), (reply::MOST_ITEMS, 5_000 - reply::MOST_ITEMS));
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[\\[\\]{}():,;'\"`#|<>&/*\\\\\\n\\t -]{1,3}",
        "[a-zA-Z]{1,6}",
        Just("\"name\": \"Ann\"".to_owned()),
        Just("subject".to_owned()),
        Just("\\u12".to_owned()),
        Just("“é”".to_owned()),
        Just("```json".to_owned()),
        "\\PC{1,3}",
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_read(text in pieces()) {
        all(&text);
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        all(&String::from_utf8_lossy(&bytes));
    }

    /// What is JSON is read as JSON, wherever it stands.
    #[test]
    fn good_json_is_read_exactly(names in proptest::collection::vec("[A-Z][a-zé\"\\\\'’,:{}\\[\\]() \n]{0,20}x", 1..6)) {
        let list = Value::Array(names.iter().map(|name| serde_json::json!({"note": name, "n": 1})).collect());
        let text = list.to_string();
        prop_assert_eq!(reply::value(&text), Some(list.clone()));
        prop_assert_eq!(reply::value(&format!("Here it is:\n```json\n{text}\n```\nDone.")), Some(list));
    }

    /// Every name that is read was written.
    #[test]
    fn no_name_is_invented(text in pieces()) {
        if let Ok(read) = reply::entities(&text) {
            for entity in read.items {
                let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
                prop_assert!(letters(&text).contains(&letters(&entity.name)), "{:?}", entity.name);
            }
        }
    }
}
