//! From values to rows: which records a reply holds, whatever they are wrapped in.
//!
//! A record whose keys name fields is a row. Any other record or list is a wrapper, and its parts are
//! looked through; a name as a key, a kind as the key of a list of names, lists in place of records and
//! JSON inside a string are known. A record that the end of the text cut counts only if no field is missing.
//!
//! Invariant: each row is offered once, so a loop of one record gives one row.

use std::collections::BTreeSet;

use super::parse::{self, Node};
use super::plain;
use super::shape::{Shape, folded, is_kind};
use super::{MOST_ITEMS, kinds};

/// The fields of a record, in the shape's order; empty where missing.
pub(super) type Row = [String; 3];

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The rows, each once.
    pub(super) found: Vec<Row>,
    /// How many were begun but are no rows.
    pub(super) dropped: usize,
    /// Whether there is a list that says it is empty.
    pub(super) empty: bool,
    /// Whether a value was cut.
    pub(super) cut: bool,
    /// Whether there is any value.
    pub(super) any: bool,
    /// Whether a schema or an example stands in place of data.
    pub(super) schema: bool,
    /// What was offered before.
    pub(super) seen: BTreeSet<Row>,
}

impl Rows {
    /// Takes a row, if it is one.
    pub(super) fn offer(&mut self, row: Row, shape: &Shape) {
        let row = row.map(|field| tidy(&field));
        let placeholder = row.iter().any(|field| is_placeholder(field));
        self.schema |= placeholder;
        let row =
            row.map(|field| if is_placeholder(&field) || is_nothing(&field) { String::new() } else { field });
        if self.seen.contains(&row) {
            return;
        }
        let long =
            |(at, limit): (usize, &usize)| row.get(at).is_some_and(|field| field.chars().count() > *limit);
        let strict = shape.limits.iter().enumerate().take(shape.needed);
        if !shape.is_enough(&row) || strict.into_iter().any(long) || self.found.len() >= MOST_ITEMS {
            self.dropped += usize::from(!placeholder);
            return;
        }
        self.seen.insert(row.clone());
        let mut limits = shape.limits.iter();
        self.found.push(row.map(|field| field.chars().take(limits.next().copied().unwrap_or(0)).collect()));
    }
}

/// The rows in some values.
pub(super) fn of(nodes: &[Node], shape: &Shape) -> Rows {
    let mut gather = Gather { shape, rows: Rows::default(), kind: String::new(), strings: 0 };
    for node in nodes {
        gather.rows.any = true;
        gather.node(node, "", false);
    }
    gather.rows
}

struct Gather<'a> {
    shape: &'a Shape,
    rows: Rows,
    /// The kind that a list of names is keyed by.
    kind: String,
    /// Strings inside strings that are read as JSON.
    strings: usize,
}

impl Gather<'_> {
    /// Looks through a value that has a key, or none, and stands inside a list, or not.
    fn node(&mut self, node: &Node, key: &str, inner: bool) {
        match node {
            Node::Record { fields, whole } => self.record(fields, *whole, key),
            Node::List { items, whole } => self.list(items, *whole, inner),
            Node::Text(text) if is_json(text) && self.strings < 2 => {
                self.strings += 1;
                for node in parse::nodes(text) {
                    self.node(&node, key, inner);
                }
                self.strings -= 1;
            }
            Node::Text(text) | Node::Word(text) => {
                if let Some(row) = (self.shape.text)(&tidy(text)) {
                    self.offer(row);
                }
            }
        }
    }

    fn list(&mut self, items: &[Node], whole: bool, inner: bool) {
        self.rows.cut |= !whole;
        self.rows.empty |= whole && items.is_empty();
        let mut fields: Vec<String> =
            items.iter().filter(|item| !item.is_container()).map(plain_text).collect();
        if fields.len() == items.len() && fields.first().is_some_and(|first| self.shape.is_tag(first)) {
            fields.remove(0);
        }
        if fields.len() >= items.len().saturating_sub(1) && self.shape.is_positional(&fields, inner) {
            let mut fields = fields.into_iter();
            self.offer([(); 3].map(|()| fields.next().unwrap_or_default()));
        } else if !whole && inner && items.iter().all(|item| !item.is_container()) {
            self.rows.dropped += 1;
        } else {
            for item in items {
                self.node(item, "", true);
            }
        }
    }

    fn record(&mut self, fields: &[(String, Node)], whole: bool, key: &str) {
        self.rows.cut |= !whole;
        if is_schema(fields) {
            self.rows.schema = true;
            return;
        }
        if self.columns(fields) {
            return;
        }
        let mut start = 0;
        let mut seen: Vec<String> = Vec::new();
        for (at, (name, _)) in fields.iter().enumerate() {
            let name = folded(name);
            // A field again: a brace is missing between two records.
            if self.shape.slot(&name).is_none() {
                continue;
            }
            if seen.contains(&name) {
                self.part(fields.get(start..at).unwrap_or_default(), true, key);
                (start, seen) = (at, Vec::new());
            }
            seen.push(name);
        }
        self.part(fields.get(start..).unwrap_or_default(), whole, key);
    }

    /// A record with each field once.
    fn part(&mut self, fields: &[(String, Node)], whole: bool, key: &str) {
        let mut row = Row::default();
        for (name, value) in fields {
            if let Some(place) = self.shape.slot(name).and_then(|slot| row.get_mut(slot))
                && place.is_empty()
            {
                *place = plain_text(value);
            }
        }
        let filled = row.iter().filter(|field| !field.is_empty()).count();
        if self.shape.keyed && row[0].is_empty() && filled > 0 && !key.is_empty() && !self.shape.wraps(key) {
            key.clone_into(&mut row[0]);
        }
        let parts: Vec<&(String, Node)> =
            fields.iter().filter(|(name, value)| self.is_part(name, value, filled)).collect();
        let strong = self.shape.is_enough(&row) && (filled > 1 || parts.is_empty());
        if strong && (whole || self.shape.is_full(&row)) {
            self.offer(row);
            // Records after a missing brace.
            for (_, value) in fields.iter().filter(|(name, value)| name.is_empty() && value.is_container()) {
                self.node(value, "", true);
            }
        } else if parts.is_empty() {
            self.rows.dropped += usize::from(filled > 0 || !whole);
        } else {
            self.parts(&parts);
        }
    }

    /// Whether a field may hold records of its own.
    fn is_part(&self, name: &str, value: &Node, filled: usize) -> bool {
        match value {
            Node::Text(text) if is_json(text) => true,
            Node::Text(_) => filled == 0 && (name.is_empty() || self.shape.keyed && is_name(name)),
            Node::Word(_) => false,
            _ => true,
        }
    }

    fn parts(&mut self, parts: &[&(String, Node)]) {
        let named = parts.iter().any(|(name, value)| self.shape.wraps(name) && value.is_container());
        for (name, value) in parts {
            let kind = if self.shape.needed == 1 { kinds::known(name) } else { None };
            if named && !self.shape.wraps(name) && kind.is_none() && !name.is_empty() {
                continue;
            }
            match value {
                Node::Text(text) if !is_json(text) => self.keyed_text(name, text),
                _ => {
                    let outer = self.kind.clone();
                    if kind.is_some() {
                        name.clone_into(&mut self.kind);
                    }
                    self.node(value, name, false);
                    self.kind = outer;
                }
            }
        }
    }

    /// `"Ann": "a baker"`, or a text without a key.
    fn keyed_text(&mut self, name: &str, text: &str) {
        match (name.is_empty(), self.shape.needed) {
            (true, _) => self.node(&Node::Text(text.to_owned()), "", true),
            (_, 0) => self.offer([name.to_owned(), text.to_owned(), String::new()]),
            _ if is_kind(text) => self.offer([name.to_owned(), text.to_owned(), String::new()]),
            _ => self.offer([name.to_owned(), String::new(), text.to_owned()]),
        }
    }

    /// A table by columns: every field a list, all of one length.
    fn columns(&mut self, fields: &[(String, Node)]) -> bool {
        let column = |slot: usize| {
            fields.iter().find(|(name, _)| self.shape.slot(name) == Some(slot)).and_then(|(_, value)| {
                match value {
                    Node::List { items, .. } if items.iter().all(|item| !item.is_container()) => Some(items),
                    _ => None,
                }
            })
        };
        let columns: Vec<&Vec<Node>> = (0..self.shape.width).filter_map(column).collect();
        let Some(first) = columns.first() else { return false };
        if columns.len() < self.shape.width
            || first.len() < 2
            || columns.iter().any(|other| other.len() != first.len())
        {
            return false;
        }
        let rows: Vec<Row> = (0..first.len())
            .map(|at| {
                [0, 1, 2]
                    .map(|slot| columns.get(slot).and_then(|c| c.get(at)).map(plain_text).unwrap_or_default())
            })
            .collect();
        rows.into_iter().for_each(|row| self.offer(row));
        true
    }

    fn offer(&mut self, mut row: Row) {
        if self.shape.needed == 1 && row[1].is_empty() {
            row[1].clone_from(&self.kind);
        }
        self.rows.offer(row, self.shape);
    }
}

/// A key that may be somebody's name: it begins with a letter that is not a small one.
fn is_name(key: &str) -> bool {
    key.chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_lowercase())
}

/// Whether a string looks like JSON inside.
fn is_json(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['[', '{']) && text.ends_with([']', '}']) && text.contains([':', ','])
}

/// The keys of a JSON schema.
fn is_schema(fields: &[(String, Node)]) -> bool {
    let has = |wanted: &str| fields.iter().any(|(name, _)| name == wanted);
    has("$schema")
        || has("properties") && (has("type") || has("required"))
        || has("type") && has("items") && fields.len() < 5
}

/// A value as text: of a list its texts, of a record its name.
fn plain_text(node: &Node) -> String {
    match node {
        Node::Text(text) | Node::Word(text) => text.clone(),
        Node::List { items, .. } => {
            let texts: Vec<String> =
                items.iter().filter(|item| !item.is_container()).map(plain_text).collect();
            texts.join(", ")
        }
        Node::Record { fields, .. } => {
            let named = fields
                .iter()
                .find(|(key, _)| ["name", "entity", "text", "value"].contains(&folded(key).as_str()));
            match named {
                Some((_, Node::Text(text) | Node::Word(text))) => text.clone(),
                _ => String::new(),
            }
        }
    }
}

/// Entities decoded, white space single, quotes and emphasis around it off.
fn tidy(text: &str) -> String {
    let text = plain::unentitied(text);
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let around = |c: char| matches!(c, '*' | '`' | '"' | '“' | '”') || c.is_whitespace();
    let bare = joined.trim_matches(around);
    // Quotes inside that the trimming would unpair stay.
    let pairs = |text: &str| text.matches(['"', '“', '”']).count() % 2 == 0;
    if pairs(bare) { bare.to_owned() } else { joined.trim_matches(['*', '`', ' ']).to_owned() }
}

fn is_nothing(text: &str) -> bool {
    ["null", "none", "n/a", "nan", "unknown", "undefined", "-", "true", "false"]
        .contains(&text.to_ascii_lowercase().as_str())
}

/// What stands in a schema or an example instead of data: `...`, `string`, `<name>`, the list of kinds.
fn is_placeholder(text: &str) -> bool {
    let dots = !text.is_empty() && text.chars().all(|c| matches!(c, '.' | '…' | ' '));
    let bracketed = text.starts_with(['<', '[', '{']) && text.ends_with(['>', ']', '}']);
    let choice = (text.contains('|') || text.contains(" or ")) && kinds::names_several(text);
    dots || bracketed
        || choice
        || ["string", "str", "name", "type", "description", "subject", "predicate", "label", "details"]
            .contains(&text.to_ascii_lowercase().as_str())
}
