//! What is taken off a reply before it is read: thinking, code fences, one level of escapes, HTML entities.
//!
//! Invariant: nothing here adds a character that the model did not write or escape.

use std::borrow::Cow;

use crate::llm::thinking;

/// The texts in which to look for values, the likeliest first: the blocks in code fences, then all.
pub(super) fn candidates(reply: &str) -> Vec<Vec<String>> {
    let text = thinking::strip(reply.trim_start_matches('\u{feff}'));
    let text = if !text.contains('"') && text.contains("&quot;") {
        unentitied(&text)
    } else {
        Cow::Borrowed(text.as_str())
    };
    let text = if is_escaped(&text) { Cow::Owned(unescaped(&text)) } else { text };
    let inside = fenced(&text);
    let mut found = Vec::new();
    if !inside.is_empty() {
        found.push(inside);
    }
    found.push(vec![text.into_owned()]);
    found
}

/// What stands between fences of three backticks, their language names off; the last may lack its end.
fn fenced(text: &str) -> Vec<String> {
    let blocks = text.split("```").skip(1).step_by(2).map(|block| {
        let body = block.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if body.starts_with(char::is_whitespace) || body.starts_with(['{', '[']) { body } else { block }
    });
    blocks.filter(|block| !block.trim().is_empty()).map(str::to_owned).collect()
}

/// Whether the JSON was written as the inside of a string: its first bracket is followed by `\"`.
fn is_escaped(text: &str) -> bool {
    let blank = |c: char| c.is_whitespace() || matches!(c, '{' | '[');
    text.find(['{', '['])
        .and_then(|start| text.get(start..))
        .map(|json| json.trim_start_matches(blank))
        .is_some_and(|json| json.starts_with("\\\"") || json.starts_with("\\n") && json.contains("\\\""))
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, chars.as_str().chars().next()) {
            ('\\', Some('n')) => plain.push('\n'),
            ('\\', Some('t')) => plain.push(' '),
            ('\\', Some(other @ ('"' | '\\' | '/'))) => plain.push(other),
            _ => {
                plain.push(c);
                continue;
            }
        }
        chars.next();
    }
    plain
}

/// HTML entities as the characters they name.
pub(super) fn unentitied(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        match entity(after) {
            Some((c, length)) => {
                plain.push(c);
                rest = after.get(length..).unwrap_or_default();
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// The character of an entity, given what stands behind its ampersand, and the length there.
fn entity(after: &str) -> Option<(char, usize)> {
    let end = after.bytes().take(10).position(|b| b == b';')?;
    let name = after.get(..end)?;
    let c = match name {
        "quot" => '"',
        "apos" | "rsquo" => '\'',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((c, end + 1))
}
