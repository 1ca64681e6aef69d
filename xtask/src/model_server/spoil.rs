//! Texts as models really write them when JSON was asked for: fenced, explained, unfinished.
//!
//! The invariant: what a spoilt reply means can still be read by a person, except where it is cut or
//! empty.

use serde_json::Value;

use super::fault::Kind;
use super::script::Fired;

/// The thoughts of a model that thinks aloud.
pub const THOUGHTS: &str = "The passage is short. I will look for names, {\"like\": \"this\"}, and answer.";

const PROSE: (&str, &str) =
    ("Sure! This is the JSON you asked for:\n\n", "\n\nTell me if anything is missing.");

/// Names as other models write them.
const RENAMED: [(&str, &str); 11] = [
    ("entities", "nodes"),
    ("name", "entity"),
    ("type", "category"),
    ("description", "summary"),
    ("triples", "relations"),
    ("subject", "head"),
    ("predicate", "relation"),
    ("object", "tail"),
    ("events", "plot"),
    ("label", "title"),
    ("details", "text"),
];

/// What a fault makes of a text.
type Change = fn(&str) -> String;

/// The text after all faults that concern it.
pub fn spoil(mut text: String, fired: &Fired) -> String {
    if let Some(kept) = fired.number(Kind::JsonCut) {
        let end = text.floor_char_boundary(text.len() * kept.min(100) / 100);
        text.truncate(end);
    }
    let changes: [(Kind, Change); 9] = [
        (Kind::JsonRenamed, renamed),
        (Kind::JsonSingleQuotes, single_quoted),
        (Kind::JsonTrailingComma, with_comma),
        (Kind::JsonFenced, |text| format!("```json\n{text}\n```")),
        (Kind::JsonProse, |text| format!("{}{text}{}", PROSE.0, PROSE.1)),
        (Kind::Think, |text| format!("<think>\n{THOUGHTS}\n</think>\n\n{text}")),
        (Kind::ThinkUnclosed, |text| format!("<think>\n{THOUGHTS}\n\n{text}")),
        (Kind::ThinkUnopened, |text| format!("{THOUGHTS}\n</think>\n\n{text}")),
        (Kind::Empty, |_| String::new()),
    ];
    let chosen = changes.iter().filter(|(kind, _)| fired.has(*kind));
    chosen.fold(text, |text, (_, change)| change(&text))
}

fn renamed(text: &str) -> String {
    RENAMED.iter().fold(text.to_owned(), |text, (ours, theirs)| {
        text.replace(&format!("\"{ours}\":"), &format!("\"{theirs}\":"))
    })
}

fn with_comma(text: &str) -> String {
    match text.strip_suffix("]}").filter(|rest| !rest.ends_with('[')) {
        Some(rest) => format!("{rest},]}}"),
        None => text.strip_suffix('}').map_or_else(|| text.to_owned(), |rest| format!("{rest},}}")),
    }
}

fn single_quoted(text: &str) -> String {
    serde_json::from_str(text).map_or_else(|_| text.to_owned(), |json| quoted(&json))
}

/// A text with an apostrophe keeps its double quotes, as in the languages that write such lists.
fn quoted(json: &Value) -> String {
    let quote = |text: &str| {
        if text.contains(['\'', '\\', '\n']) { Value::from(text).to_string() } else { format!("'{text}'") }
    };
    match json {
        Value::String(text) => quote(text),
        Value::Array(items) => format!("[{}]", items.iter().map(quoted).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let fields = map.iter().map(|(key, value)| format!("{}: {}", quote(key), quoted(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_quotes_are_where_models_put_them() {
        assert_eq!(with_comma(r#"{"a":[{"b":1}]}"#), r#"{"a":[{"b":1},]}"#);
        assert_eq!(with_comma(r#"{"a":[]}"#), r#"{"a":[],}"#);
        assert_eq!(single_quoted(r#"{"a":["b","c's"]}"#), r#"{'a': ['b', "c's"]}"#);
        assert_eq!(renamed(r#"{"entities":[{"name":"name"}]}"#), r#"{"nodes":[{"entity":"name"}]}"#);
    }
}
