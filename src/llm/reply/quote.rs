//! Where a quotation, or a word without quotes, ends in JSON that a model wrote.
//!
//! Models leave quotes unescaped (`"He said "no" and left"`), use typographic ones, break lines inside,
//! or forget the last one. So a quote ends a string only where what follows could follow a string: a
//! comma and another field, a bracket, the next key. Inside, quotes come in pairs: behind an odd number
//! of them the next one closes the inner quotation, unless a key or a bracket follows.
//!
//! Where the end was missed, the next key on sight (`, "type":`) shows it.
//!
//! Invariant: every look ahead is bounded by [`SIGHT`] bytes, so reading a string takes linear time.

/// How far is looked ahead, in bytes.
const SIGHT: usize = 160;

/// The longest key that is recognised ahead, in bytes.
const LONGEST_KEY: usize = 48;

/// What a string is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// Before a colon.
    Key,
    /// Behind a colon.
    Value,
    /// In a list.
    Item,
}

/// Whether a string may begin with this character.
pub(super) fn opens(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“' | '”' | '„' | '‘' | '’' | '«')
}

fn ends(open: char, c: char) -> bool {
    match open {
        '“' | '”' | '„' => matches!(c, '“' | '”' | '"'),
        '‘' | '’' => matches!(c, '’' | '\''),
        '`' => matches!(c, '`' | '\''),
        '«' => c == '»',
        _ => c == open,
    }
}

/// Reads the string that `text` begins with: its value, unless the text ends first, and its length.
pub(super) fn read(text: &str, place: Place, in_round: bool) -> (Option<String>, usize) {
    let mut chars = text.char_indices();
    let Some((_, open)) = chars.next() else { return (None, 0) };
    let mut value = String::new();
    // Quotes inside, and where the last of them stands in the value.
    let (mut inner, mut last) = (0_usize, 0);
    while let Some((at, c)) = chars.next() {
        let after = text.get(at + c.len_utf8()..).unwrap_or_default();
        if c == '\\' {
            let length = escape(after, &mut value);
            while chars.offset() < at + 1 + length && chars.next().is_some() {}
        } else if ends(open, c) {
            if follows(after, place, inner % 2 == 1, in_round) {
                return (Some(value), at + c.len_utf8());
            }
            if place == Place::Value && is_key(text.get(at..).unwrap_or_default()) && parted(&value) {
                value.truncate(if inner % 2 == 1 { last } else { value.len() });
                return (Some(unparted(value)), at);
            }
            inner += 1;
            last = value.len();
            value.push(c);
        } else if c == ':' && place == Place::Key && is_unclosed_key(&value, after) {
            return (Some(value), at);
        } else if c == '\n' && place != Place::Key && starts_anew(after, place) {
            return (Some(unparted(value)), at);
        } else {
            value.push(c);
        }
    }
    (None, text.len())
}

/// Whether a colon ends a key whose quote was forgotten: a value in quotes follows.
fn is_unclosed_key(key: &str, after: &str) -> bool {
    let mut next = near(after).trim_start().chars();
    key.len() <= LONGEST_KEY
        && key.chars().all(|c| c.is_alphanumeric() || c == '_')
        && next.next().is_some_and(opens)
        && next.next().is_some_and(char::is_alphanumeric)
}

/// Whether a value ends as before the next field.
fn parted(value: &str) -> bool {
    value.trim_end_matches([' ', '\t']).ends_with([',', '\n'])
}

fn unparted(mut value: String) -> String {
    value.truncate(value.trim_end().trim_end_matches(',').trim_end().len());
    value
}

/// Adds what an escape stands for, given the text behind its backslash; returns the bytes it takes there.
fn escape(after: &str, value: &mut String) -> usize {
    let Some(c) = after.chars().next() else { return 0 };
    if c == 'u'
        && let Some((code, length)) = code_unit(after)
    {
        value.push(code);
        return length;
    }
    value.push(match c {
        'n' => '\n',
        't' => '\t',
        'r' | 'b' | 'f' => ' ',
        other => other,
    });
    c.len_utf8()
}

/// The character of `uXXXX`, or of a pair `uXXXX\uXXXX`, and its length.
fn code_unit(after: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = after.get(at..at + 4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let high = unit(1)?;
    if let Some(c) = char::from_u32(high) {
        return Some((c, 5));
    }
    let low = after.get(5..7).filter(|mark| *mark == "\\u").and_then(|_| unit(7));
    match low {
        Some(low @ 0xDC00..=0xDFFF) if high < 0xDC00 => {
            Some((char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))?, 11))
        }
        _ => Some((char::REPLACEMENT_CHARACTER, 5)),
    }
}

/// Whether what stands behind a quote could stand behind a string.
fn follows(after: &str, place: Place, inside: bool, in_round: bool) -> bool {
    let near = near(after);
    let next = near.trim_start();
    let gap = near.len() > next.len();
    let Some(c) = next.chars().next() else { return true };
    match (c, place) {
        (':' | '=', Place::Key) | (':', Place::Item) | ('}' | ']', _) => true,
        (',', Place::Key) => true,
        (_, Place::Key) => false,
        (')', _) => in_round,
        (';', _) => true,
        (',', _) => parts(next.get(1..).unwrap_or_default(), place, inside),
        _ if next.starts_with("//") || next.starts_with("/*") || next.starts_with("```") => true,
        ('#', _) => gap,
        (_, Place::Value) => gap && (is_key(next) || breaks(near) && is_bare_key(next)),
        ('{' | '[' | '(', Place::Item) => !inside && breaks(near),
        (_, Place::Item) => gap && !inside && opens(c),
    }
}

/// Whether a comma behind a quote parts two values, given what stands behind the comma.
fn parts(after: &str, place: Place, inside: bool) -> bool {
    let near = near(after);
    let next = near.trim_start();
    let Some(c) = next.chars().next() else { return true };
    match c {
        '}' | ']' | ')' | '{' | '[' | ',' | '#' => true,
        '/' => next.starts_with("//") || next.starts_with("/*"),
        _ if place == Place::Value && is_key(next) || breaks(near) && !inside => true,
        '(' => place == Place::Item && !inside,
        _ if opens(c) => !inside,
        '-' | '0'..='9' => place == Place::Item && !inside,
        _ if place == Place::Value => is_bare_key(next),
        _ => ["null", "None", "true", "false", "True", "False"].iter().any(|word| next.starts_with(word)),
    }
}

/// Whether a line that begins like this shows that the string above it has ended.
fn starts_anew(after: &str, place: Place) -> bool {
    let next = near(after).trim_start();
    next.starts_with(['}', ']']) || place == Place::Value && is_key(next)
}

fn breaks(near: &str) -> bool {
    near.split(|c: char| !c.is_whitespace()).next().is_some_and(|gap| gap.contains('\n'))
}

/// As much of a text as is looked at.
fn near(text: &str) -> &str {
    let end = (0..=SIGHT.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Whether a key in quotes and a colon stand here.
fn is_key(text: &str) -> bool {
    let near = near(text);
    let mut chars = near.char_indices();
    let Some((_, open)) = chars.next().filter(|(_, c)| opens(*c)) else { return false };
    let end = chars.find(|(at, c)| *at > LONGEST_KEY || *c == '\n' || ends(open, *c));
    end.is_some_and(|(at, c)| {
        ends(open, c)
            && at > open.len_utf8()
            && near.get(at + c.len_utf8()..).is_some_and(|rest| rest.trim_start().starts_with(':'))
    })
}

/// Whether a key without quotes and a colon stand here.
fn is_bare_key(text: &str) -> bool {
    let near = near(text);
    let word = near.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
    let length = near.len() - word.len();
    (1..=LONGEST_KEY).contains(&length)
        && word.trim_start().starts_with([':', '='])
        && !word.starts_with("://")
}

/// The length of the word without quotes that `text` begins with.
pub(super) fn word(text: &str, place: Place, in_round: bool) -> usize {
    let stops = |(at, c): &(usize, char)| match c {
        '}' | ']' | '\n' => true,
        ')' => in_round,
        ':' => place != Place::Value,
        '=' | '{' | '[' => place == Place::Key,
        ',' => place != Place::Value || parts(text.get(at + 1..).unwrap_or_default(), place, false),
        _ => false,
    };
    text.char_indices().find(stops).map_or(text.len(), |(at, _)| at)
}
