//! Direct speech between single marks: books printed with `'Come,' he said` for `"Come," he said`.
//!
//! The apostrophe is also a possessive and an elision, so single marks count only in a book that opens more
//! speeches with them than with double ones. There a speech opens at a mark before a capital, or before a
//! small letter where a comma or dash stands before it (`he said, 'you are`) or a paragraph begins, and closes at one behind a mark
//! of punctuation, or at the end of its paragraph.
//!
//! Invariant: a book of double marks is left as it is.

use super::tokens::Words;

/// Words that are written with an apostrophe before them.
const ELIDED: [&str; 12] =
    ["tis", "twas", "twere", "twould", "twill", "em", "til", "till", "bout", "cause", "gainst", "neath"];

/// Marks the words that stand in speeches between single marks.
pub(crate) fn mark(text: &str, words: &mut Words) {
    let mut single = 0;
    let mut double = 0;
    let mut at = 0;
    for token in &words.tokens {
        let between = text.get(at..token.start as usize).unwrap_or_default();
        single += usize::from(opens(between, token.capital(), words.lower(token), at == 0));
        double += between.matches(['"', '\u{201c}', '\u{ab}']).count();
        at = token.end as usize;
    }
    // A double mark opens and closes.
    if single * 2 <= double || single < 3 {
        return;
    }
    let mut open = false;
    let mut at = 0;
    for place in 0..words.tokens.len() {
        let token = &words.tokens[place];
        let between = text.get(at..token.start as usize).unwrap_or_default();
        let ends = between.contains("\n\n") || closes(between);
        open = (open && !ends) || opens(between, token.capital(), words.lower(token), at == 0);
        at = token.end as usize;
        words.tokens[place].quoted |= open;
    }
}

/// Whether a speech opens between two words, before one with or without a capital; nothing stands before the
/// first word of a text.
fn opens(between: &str, capital: bool, word: &str, first: bool) -> bool {
    let Some(before) = between.strip_suffix('\'') else { return false };
    let spaced = before.ends_with([' ', '\n', '-', '\u{2014}', '(', '"', '\u{201c}']);
    let resumed = before.trim_end().ends_with([',', '-', '\u{2014}', ':', ';', '.', '!', '?']);
    let anew = first || before.ends_with("\n\n");
    (spaced || first) && (capital || resumed || anew) && !ELIDED.contains(&word)
}

/// Whether one closes: a mark behind punctuation, with nothing or a space behind it.
fn closes(between: &str) -> bool {
    between.match_indices('\'').any(|(at, _)| {
        let (before, after) = (&between[..at], &between[at + 1..]);
        let behind = after.is_empty() || after.starts_with(|c: char| !c.is_alphanumeric());
        before.ends_with([',', '.', '!', '?', ':', ';', '-', '\u{2014}', ')']) && behind && !after.is_empty()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::pace::{Native, Pace};
    use crate::text::{ReadOptions, chunk, read};

    fn quoted(text: &str) -> String {
        let document = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let chunks = chunk(&document, 512, 0);
        let host = Native::default();
        let mut words = pollster::block_on(Words::read(&document.text, &chunks, &Pace::new(&host))).unwrap();
        mark(&document.text, &mut words);
        let said = words.tokens.iter().filter(|token| token.quoted).map(|token| words.lower(token));
        said.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn speeches_between_single_marks_are_speeches() {
        let text = "'Come,' he said, 'you are late.'\n\n'No,' said the horses' keeper; 'it is early, 'tis.'\n\nHe \
            laughed at Tom's hat.  'Go home!'  They went.  'I shall\n\n'and you'll stay.'  He slept.";
        assert_eq!(quoted(text), "come you are late no it is early tis go home i shall and you'll stay");
    }

    #[test]
    fn a_book_of_double_marks_keeps_its_own() {
        let text = "\"Come,\" he said. \"'Now' is a word,\" said Tom. 'Now' was it. \"Go.\" He went.";
        assert_eq!(quoted(text), "come now is a word go");
    }
}
