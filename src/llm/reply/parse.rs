//! Reads JSON as a model writes it: a recursive descent that takes the nearest sensible reading and never fails.
//!
//! What a strict parser calls an error has one usual meaning here: a missing comma is a comma, a bracket
//! of an outer container closes the inner ones, a key without quotes is a key, doubled braces are single.
//! Where a quotation ends is decided in [`super::quote`], by what follows.
//!
//! Only the end of the text is a loss. A value that it cuts is left out, and every container around it is
//! marked as not whole, so that a reader can tell a record that lacks a field from one that has none.
//!
//! Invariants: each step goes forward, so the time is linear; nesting deeper than [`MOST_DEEP`] ends the
//! reading as the end of the text would, so the stack is bounded.

use super::quote::{self, Place};

/// Containers inside containers; no schema of ours has more than four.
const MOST_DEEP: usize = 32;

/// Fields of a record without braces.
const MOST_LOOSE: usize = 16;

/// A value as it was written. Fields keep their order and may repeat.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// In quotes.
    Text(String),
    /// Without quotes: a number, `true`, `None`, a name.
    Word(String),
    /// In square or round brackets, or in braces without keys.
    List { items: Vec<Node>, whole: bool },
    /// In braces. What had no key has an empty one.
    Record { fields: Vec<(String, Node)>, whole: bool },
}

impl Node {
    /// Whether it holds other values.
    pub(super) fn is_container(&self) -> bool {
        matches!(self, Node::List { .. } | Node::Record { .. })
    }
}

/// Every value of a text that begins with a bracket or a brace, whatever stands between them.
pub(super) fn nodes(text: &str) -> Vec<Node> {
    let mut parser = Parser { text, at: 0, open: Vec::new() };
    let mut found = Vec::new();
    while let Some(skip) = parser.rest().find(['{', '[']) {
        parser.at += skip;
        found.extend(parser.node(Place::Item));
    }
    found
}

/// The one value that a line is, where it begins with a bracket of any kind.
pub(super) fn node(text: &str) -> Option<Node> {
    text.starts_with(['(', '[', '{']).then(|| Parser { text, at: 0, open: Vec::new() }.node(Place::Item))?
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// What would close each open container, outermost first.
    open: Vec<char>,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    /// White space, comments and what else may stand between values.
    fn skip(&mut self, also: &[char]) {
        loop {
            let rest = self.rest();
            let trimmed =
                rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || also.contains(&c));
            let comment = if trimmed.starts_with("//") || trimmed.starts_with('#') {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map_or(trimmed.len(), |end| end + 2)
            } else {
                0
            };
            let skipped = rest.len() - trimmed.len() + comment;
            if skipped == 0 {
                return;
            }
            self.at += skipped;
        }
    }

    /// The value that begins here; `None` where the text ends first.
    fn node(&mut self, place: Place) -> Option<Node> {
        self.skip(&[]);
        match self.peek()? {
            '{' | '[' | '(' if self.open.len() >= MOST_DEEP => {
                self.at = self.text.len();
                None
            }
            '{' => Some(self.record()),
            '[' => Some(self.list(']')),
            '(' => Some(self.list(')')),
            c if quote::opens(c) => self.quoted(place).map(Node::Text),
            _ => self.word(place).map(Node::Word),
        }
    }

    fn quoted(&mut self, place: Place) -> Option<String> {
        let (value, length) = quote::read(self.rest(), place, self.open.last() == Some(&')'));
        self.at += length;
        value
    }

    fn word(&mut self, place: Place) -> Option<String> {
        let length = quote::word(self.rest(), place, self.open.last() == Some(&')'));
        let word = self.rest().get(..length).unwrap_or_default().trim().to_owned();
        // One that begins with a separator is none: step over it, so that each step goes forward.
        self.at += if length == 0 { self.peek().map_or(0, char::len_utf8) } else { length };
        (!self.rest().is_empty() || self.open.is_empty()).then_some(word)
    }

    fn list(&mut self, closer: char) -> Node {
        self.at += 1;
        self.open.push(closer);
        let mut items = Vec::new();
        let whole = loop {
            self.skip(&[',', ';']);
            match self.peek() {
                None => break false,
                Some(c @ ('}' | ']' | ')')) => {
                    if self.closes(c) {
                        break true;
                    }
                }
                Some(_) => match self.node(Place::Item) {
                    Some(item) => self.add(&mut items, item),
                    None => break false,
                },
            }
        };
        self.open.pop();
        Node::List { items, whole }
    }

    /// Adds an item, or, where a colon follows, a field of a record that lacks its braces.
    fn add(&mut self, items: &mut Vec<Node>, item: Node) {
        self.skip(&[]);
        match item {
            Node::Text(key) | Node::Word(key) if self.peek() == Some(':') => {
                self.at += 1;
                let Some(value) = self.value() else { return };
                match items.last_mut() {
                    Some(Node::Record { fields, .. })
                        if fields.len() < MOST_LOOSE && !fields.iter().any(|(known, _)| *known == key) =>
                    {
                        fields.push((key, value));
                    }
                    _ => items.push(Node::Record { fields: vec![(key, value)], whole: true }),
                }
            }
            Node::Word(word) if word.trim_matches(['.', '…']).is_empty() => {}
            item => items.push(item),
        }
    }

    fn record(&mut self) -> Node {
        self.at += 1;
        let doubled = self.eat('{');
        self.open.push('}');
        let mut fields = Vec::new();
        let whole = loop {
            self.skip(&[',', ';']);
            match self.peek() {
                None => break false,
                Some(c @ ('}' | ']' | ')')) => {
                    if self.closes(c) {
                        break true;
                    }
                }
                Some(_) => match self.field() {
                    Some(field) => fields.push(field),
                    None => break false,
                },
            }
        };
        self.open.pop();
        if doubled && whole {
            self.eat('}');
        }
        if !fields.is_empty() && fields.iter().all(|(key, _)| key.is_empty()) {
            return Node::List { items: fields.into_iter().map(|(_, value)| value).collect(), whole };
        }
        Node::Record { fields, whole }
    }

    /// A key and its value; without a colon, a value with an empty key.
    fn field(&mut self) -> Option<(String, Node)> {
        if matches!(self.peek(), Some('{' | '[' | '(')) {
            return Some((String::new(), self.node(Place::Item)?));
        }
        let key = self.node(Place::Key)?;
        self.skip(&[]);
        let (Node::Text(name) | Node::Word(name)) = key else { return Some((String::new(), key)) };
        if self.eat(':') || self.eat('=') {
            self.eat('>');
            return Some((name, self.value()?));
        }
        Some((String::new(), Node::Text(name)))
    }

    /// What stands behind a colon, which may be nothing.
    fn value(&mut self) -> Option<Node> {
        self.skip(&[]);
        match self.peek()? {
            ',' | '}' | ']' => Some(Node::Word(String::new())),
            _ => self.node(Place::Value),
        }
    }

    /// Whether a closing bracket ends the innermost container. It takes its own; one of an outer container
    /// is left for that; one of none is stepped over, except that `)` and `]` stand for each other.
    fn closes(&mut self, found: char) -> bool {
        let innermost = self.open.last().copied();
        let outer = innermost != Some(found) && self.open.contains(&found);
        if !outer {
            self.at += 1;
        }
        outer || innermost == Some(found) || innermost != Some('}') && found != '}'
    }
}
