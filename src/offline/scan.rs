//! What letters and marks say: where words stand, how each is written, what stands between two of them.
//!
//! Nothing here knows a word's meaning: only letters, white space and punctuation, of which `tokens` makes the
//! book as words.
//!
//! Invariant: a scan gives words in text order, none overlapping, each of letters and digits with apostrophes inside.

use crate::knowledge::Span;

/// How a token is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Begins with a small letter.
    Lower,
    /// Begins with a capital, then has a small letter or nothing.
    Capital,
    /// Two or more letters, all capital.
    Upper,
    /// Begins with anything else.
    Other,
}

/// What stands between a token and its predecessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// White space within a paragraph.
    Space,
    /// One hyphen.
    Hyphen,
    /// A full stop with or without space, as after an initial.
    Dot,
    /// A comma.
    Comma,
    /// Anything else.
    Other,
}

/// Follows quotation marks through a paragraph.
pub(super) struct Speech {
    /// The mark that will close the speech, when one is open.
    pub(super) close: Option<char>,
    pub(super) end: usize,
}

impl Speech {
    /// Passes what stands between two words; whether a speech opened there.
    pub(super) fn pass(&mut self, between: &str) -> bool {
        if between.len() > 1 && is_paragraph(between) {
            self.close = None;
        }
        let mut opened = false;
        let mut spaced = true;
        for c in between.chars() {
            let close = match c {
                '“' | '„' => Some('”'),
                '«' => Some('»'),
                '‘' => Some('’'),
                '"' => Some('"'),
                _ => None,
            };
            if self.close == Some(c) {
                self.close = None;
            } else if close.is_some() {
                self.close = self.close.or(close);
                opened = true;
            } else if c == '\'' && spaced {
                opened = true;
            }
            spaced = c.is_whitespace() || matches!(c, '(' | '-' | '—' | '“' | '"');
        }
        opened
    }
}

/// Whether white space with an empty line stands in `between`.
fn is_paragraph(between: &str) -> bool {
    let mut lines = 0;
    for c in between.chars() {
        match c {
            '\n' => lines += 1,
            c if c.is_whitespace() => {}
            _ => lines = 0,
        }
        if lines == 2 {
            return true;
        }
    }
    false
}

pub(super) fn gap(between: &str) -> Gap {
    if between == "-" {
        return Gap::Hyphen;
    }
    let mark = between.trim();
    match mark {
        "" if is_paragraph(between) => Gap::Other,
        "" => Gap::Space,
        "." => Gap::Dot,
        "," => Gap::Comma,
        _ => Gap::Other,
    }
}

/// Whether a capital is owed after this.
pub(super) fn begins(between: &str) -> bool {
    between.contains(['.', '!', '?', ':', '_', '*']) || is_paragraph(between)
}

/// Longest word, in bytes, that may be a name or a topic: no word of a language is, and each stands in
/// the index once for each use.
const LONGEST: usize = 100;

pub(super) fn shape(word: &str) -> Shape {
    if word.len() > LONGEST {
        return Shape::Other;
    }
    let mut chars = word.chars();
    match chars.next() {
        Some(c) if c.is_uppercase() => {
            let rest = chars.as_str();
            if !rest.is_empty() && !rest.chars().any(char::is_lowercase) {
                Shape::Upper
            } else {
                Shape::Capital
            }
        }
        Some(c) if c.is_lowercase() => Shape::Lower,
        _ => Shape::Other,
    }
}

/// The length of a final `'s`.
pub(super) fn possessive(word: &str) -> usize {
    ["'s", "’s", "'S", "’S"]
        .into_iter()
        .find(|end| word.len() > end.len() && word.ends_with(end))
        .map_or(0, str::len)
}

/// The words of a span: letters and digits, with apostrophes inside.
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str, span: Span) -> Self {
        let end = (span.end as usize).min(text.len());
        Self { text, at: span.start as usize, end }
    }
}

impl Iterator for Scan<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let rest = self.text.get(self.at..self.end)?;
        let start = self.at + rest.find(char::is_alphanumeric)?;
        let mut end = start;
        let mut chars = self.text[start..self.end].char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            let inside =
                matches!(c, '\'' | '’') && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
            if !(c.is_alphanumeric() || inside || ('\u{300}'..='\u{36f}').contains(&c)) {
                break;
            }
            end = start + offset + c.len_utf8();
        }
        self.at = end;
        Some((start, end))
    }
}
