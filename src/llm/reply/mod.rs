//! Reads the records in what a chat model wrote: entities, triples, events, or any JSON.
//!
//! Models wrap JSON in prose and fences, write Python, forget commas, leave quotes open, stop in the
//! middle, name fields as they like, answer with a table. The reader takes the reading that a person
//! would take, and nothing else: **no record is invented**. Steps: [`plain`](self) text (thinking, fences,
//! escapes off), a parser that cannot fail, the tolerant match of records to fields; where there is no
//! JSON, the lines of a list, a table or tuples. If even that gives nothing, a [`Fault`] says why in a
//! sentence to show the model when it is asked once more.
//!
//! ```
//! use plotbridge::llm::reply;
//! let read = reply::entities("Sure! ```json\n[{'name': 'Ann', 'type': 'human',}, {\"name\": \"Be").unwrap();
//! assert_eq!((read.items[0].name.as_str(), read.dropped), ("Ann", 1));
//! assert_eq!(reply::entities("I cannot.").unwrap_err(), reply::Fault::Prose);
//! ```
//!
//! Why no crate: those that repair JSON make one document of any text and guess at what is missing, while
//! here whole records are wanted and a cut one is not. The nearest, `llm_json` 1.0.3 (MIT), reads
//! `"He said "no", and left."` as three fields, overflows the stack on 100,000 brackets and brings a command
//! line's dependencies. tests/data/replies holds this reader to what people read.
//!
//! Invariant: any text gives a result, in linear time and bounded depth, of at most [`MOST_ITEMS`] records
//! with bounded fields.

mod field;
mod gleaned;
pub mod judged;
mod kinds;
mod lines;
mod parse;
mod plain;
mod quote;
mod rows;
mod shape;

use serde_json::{Map, Number, Value};

use crate::knowledge::EntityKind;
pub use gleaned::{Gleaned, gleaned};
use parse::Node;
use rows::{Row, Rows};
use shape::Shape;

/// The most records of one reply; one that loops has more.
pub const MOST_ITEMS: usize = 200;

/// Records that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read<T> {
    /// In the order they were written, each once. May be empty: `[]` says that there are none.
    pub items: Vec<T>,
    /// Records that were begun but cannot be used: cut off, a needed field missing, over the limits.
    pub dropped: usize,
    /// Whether the text ends before they do: there may be more, or the last one is dropped.
    pub cut: bool,
    /// Whether the reply was anything else than one JSON document.
    pub repaired: bool,
}

/// Someone or something with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// As the model wrote it.
    pub name: String,
    /// By the synonyms of `kinds.rs`; `Other` for anything else.
    pub kind: EntityKind,
    /// The type as the model wrote it.
    pub category: String,
    /// May be empty.
    pub description: String,
}

/// A fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triple {
    /// Who or what.
    pub subject: String,
    /// The verb or role.
    pub predicate: String,
    /// Whom or what.
    pub object: String,
}

/// Something that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its short name; the details where there was none.
    pub label: String,
    /// What happened and who took part; the label where there was nothing else.
    pub details: String,
}

/// A decision about a numbered pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its number.
    pub pair: usize,
    /// One word, in lower case.
    pub verdict: String,
    /// May be empty.
    pub reason: String,
}

/// Why nothing could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is no text.
    Empty,
    /// It ends before the first record does.
    Cut,
    /// It is prose.
    Prose,
    /// It repeats the schema or the example.
    Schema,
    /// There is JSON, but no record with the wanted fields.
    Fields,
}

impl Fault {
    /// The fault as a sentence to show the model.
    pub fn sentence(self) -> &'static str {
        match self {
            Fault::Empty => "your reply was empty",
            Fault::Cut => {
                "your reply was cut off before the first record was complete; write fewer and shorter ones"
            }
            Fault::Prose => "your reply held no JSON",
            Fault::Schema => "your reply repeated the schema or the example instead of what the text says",
            Fault::Fields => "no record of your reply had the fields that were asked for",
        }
    }
}

/// The entities of a reply.
///
/// # Errors
/// A [`Fault`] where there is none and the reply does not say so.
pub fn entities(reply: &str) -> Result<Read<Entity>, Fault> {
    read(reply, &shape::ENTITIES, entity)
}

fn entity([name, kind, description]: Row) -> Entity {
    Entity { name, kind: kinds::kind(&kind), category: kind, description }
}

/// The triples of a reply.
///
/// # Errors
/// As [`entities`].
pub fn triples(reply: &str) -> Result<Read<Triple>, Fault> {
    read(reply, &shape::TRIPLES, triple)
}

fn triple([subject, predicate, object]: Row) -> Triple {
    Triple { subject, predicate, object }
}

/// The events of a reply.
///
/// # Errors
/// As [`entities`].
pub fn events(reply: &str) -> Result<Read<Event>, Fault> {
    read(reply, &shape::EVENTS, |[label, details, _]| match (label.is_empty(), details.is_empty()) {
        (true, _) => Event { label: details.clone(), details },
        (_, true) => Event { details: label.clone(), label },
        _ => Event { label, details },
    })
}

/// The decisions of a reply; a number that is none is 0.
///
/// # Errors
/// As [`entities`].
pub fn verdicts(reply: &str) -> Result<Read<Answer>, Fault> {
    read(reply, &shape::VERDICTS, |[pair, verdict, reason]| {
        let digits: String = pair.chars().filter(char::is_ascii_digit).take(4).collect();
        let verdict = verdict.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        Answer { pair: digits.parse().unwrap_or(0), verdict, reason }
    })
}

fn read<T>(reply: &str, shape: &Shape, item: impl Fn(Row) -> T) -> Result<Read<T>, Fault> {
    read_of(reply, shape, |node| node, item)
}

/// The same of what `part` leaves of each value.
fn read_of<T>(
    reply: &str,
    shape: &Shape,
    part: impl Fn(Node) -> Node,
    item: impl Fn(Row) -> T,
) -> Result<Read<T>, Fault> {
    let candidates = plain::candidates(reply);
    let mut fault = Fault::Empty;
    for texts in &candidates {
        let values: Vec<Node> = values(texts).into_iter().map(&part).collect();
        let mut rows = rows::of(&values, shape);
        if rows.found.is_empty() && !rows.records && !rows.empty {
            let cut = rows.cut;
            rows = lines::rows(&texts.join("\n"), shape);
            rows.cut |= cut;
        }
        if !rows.found.is_empty() || rows.empty && fault == Fault::Empty {
            let repaired = serde_json::from_str::<&serde_json::value::RawValue>(reply).is_err();
            let items = rows.found.into_iter().map(&item).collect();
            return Ok(Read { items, dropped: rows.dropped, cut: rows.cut, repaired });
        }
        if matches!(fault, Fault::Empty | Fault::Prose) {
            fault = why(&rows);
        }
    }
    let blank = candidates.iter().flatten().all(|text| text.trim().is_empty());
    Err(if blank { Fault::Empty } else { fault })
}

/// The values in some texts.
fn values(texts: &[String]) -> Vec<Node> {
    texts.iter().flat_map(|text| parse::nodes(text)).collect()
}

/// Why what was found gave no row.
fn why(rows: &Rows) -> Fault {
    match rows {
        Rows { schema: true, .. } => Fault::Schema,
        Rows { cut: true, whole: false, .. } => Fault::Cut,
        Rows { records: true, .. } | Rows { whole: true, .. } => Fault::Fields,
        _ => Fault::Prose,
    }
}

/// The JSON in a reply, read as a person would: whole records only. Several values become one list.
pub fn value(reply: &str) -> Option<Value> {
    plain::candidates(reply).iter().find_map(|texts| {
        let nodes = values(texts);
        let records = nodes.iter().any(holds_record);
        let mut values: Vec<Value> =
            nodes.into_iter().filter(|node| !records || holds_record(node)).filter_map(json).collect();
        match values.len() {
            0 | 1 => values.pop(),
            _ => Some(Value::Array(values.into_iter().flat_map(flat).collect())),
        }
    })
}

fn holds_record(node: &Node) -> bool {
    match node {
        Node::Record { fields, .. } => !fields.is_empty(),
        Node::List { items, .. } => items.iter().any(holds_record),
        _ => false,
    }
}

fn flat(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        other => vec![other],
    }
}

/// A node as JSON; `None` for a record or a list that is cut and holds nothing whole.
fn json(node: Node) -> Option<Value> {
    match node {
        Node::Text(text) => Some(Value::String(text)),
        Node::Word(word) => Some(scalar(word)),
        Node::List { items, whole } => {
            let kept: Vec<Value> = items.into_iter().filter_map(json).collect();
            (whole || !kept.is_empty()).then_some(Value::Array(kept))
        }
        Node::Record { fields, whole } => {
            let kept = whole || fields.iter().any(|(_, value)| value.is_container());
            let fields = fields.into_iter().filter(|(key, _)| !key.is_empty());
            let map: Map<String, Value> =
                fields.filter_map(|(key, value)| Some((key, json(value)?))).collect();
            kept.then_some(Value::Object(map))
        }
    }
}

fn scalar(word: String) -> Value {
    match word.to_ascii_lowercase().as_str() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "" | "null" | "none" | "nan" | "undefined" | "nil" | "infinity" | "-infinity" => Value::Null,
        _ => match word.parse::<i64>() {
            Ok(whole) => Value::Number(whole.into()),
            Err(_) => match word.parse::<f64>().ok().and_then(Number::from_f64) {
                Some(number) => Value::Number(number),
                None => Value::String(word),
            },
        },
    }
}
