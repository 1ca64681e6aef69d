//! From values to rows: which records a reply holds, whatever they are wrapped in.
//!
//! A record whose keys name fields is a row. Any other record or list is a wrapper, and its parts are
//! looked through; a name as a key, a kind as the key of a list of names, lists in place of records and
//! JSON inside a string are known. A record that the end of the text cut counts only if no field is missing.
//!
//! Invariant: each row is offered once, so a loop of one record gives one row.

use std::collections::BTreeSet;

use super::field::{is_category, is_nothing, is_placeholder, plain_text, tidy};
use super::parse::{self, Node};
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
    /// Whether a record in braces was begun.
    pub(super) records: bool,
    /// Whether one was whole and held no other.
    pub(super) whole: bool,
    /// Whether a schema or an example stands in place of data.
    pub(super) schema: bool,
    /// What was offered before.
    pub(super) seen: BTreeSet<Row>,
}

impl Rows {
    /// Takes a row, if it is one.
    pub(super) fn offer(&mut self, row: Row, shape: &Shape) {
        let mut row = row.map(|field| tidy(&field));
        if shape.needed == 1 && is_category(&row[0]) {
            row[0].insert(0, '<');
            row[0].push('>');
        }
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
            Node::List { items, whole } => self.list(items, *whole, key, inner),
            Node::Text(text) if is_json(text) && self.strings < 2 => {
                self.strings += 1;
                for node in parse::nodes(text) {
                    self.node(&node, key, inner);
                }
                self.strings -= 1;
            }
            // In prose, brackets around words are only brackets.
            Node::Word(_) if !self.rows.records => {}
            Node::Text(text) | Node::Word(text) => {
                if let Some(row) = (self.shape.text)(&tidy(text)) {
                    self.offer(row);
                }
            }
        }
    }

    fn list(&mut self, items: &[Node], whole: bool, key: &str, inner: bool) {
        self.rows.cut |= !whole;
        self.rows.empty |= whole && items.is_empty();
        let mut fields: Vec<String> =
            items.iter().filter(|item| !item.is_container()).map(plain_text).collect();
        if fields.len() == items.len() && fields.first().is_some_and(|first| self.shape.is_tag(first)) {
            fields.remove(0);
        }
        // `"Ann": ["knows", "Ben"]`
        if self.shape.needed == 3 && fields.len() == 2 && is_name(key) && whole {
            fields.insert(0, key.to_owned());
        }
        if whole && fields.len() + 1 >= items.len() && self.shape.is_positional(&fields, inner) {
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
        self.rows.records = true;
        self.rows.whole |= whole && !fields.iter().any(|(_, value)| value.is_container());
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
        for (place, field) in row.iter_mut().enumerate() {
            // Where several names of one field are there, the first in the shape's order.
            let named =
                fields.iter().filter_map(|(name, value)| Some((self.shape.rank(name, place)?, value)));
            let filled =
                named.map(|(rank, value)| (rank, plain_text(value))).filter(|(_, text)| !text.is_empty());
            *field = filled.min_by_key(|(rank, _)| *rank).map(|(_, text)| text).unwrap_or_default();
        }
        let filled = row.iter().filter(|field| !field.is_empty()).count();
        if self.shape.keyed
            && row[0].is_empty()
            && filled > 0
            && !key.is_empty()
            && !self.shape.wraps(key)
            && self.shape.slot(key).is_none()
        {
            key.clone_into(&mut row[0]);
        }
        let names = filled == 0 && fields.iter().all(|(name, _)| name.is_empty() || is_name(name));
        let parts: Vec<&(String, Node)> =
            fields.iter().filter(|(name, value)| self.is_part(name, value, names)).collect();
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
    fn is_part(&self, name: &str, value: &Node, names: bool) -> bool {
        match value {
            Node::Text(text) if is_json(text) => true,
            Node::Text(_) => names && (name.is_empty() || self.shape.keyed),
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
