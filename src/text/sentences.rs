//! Sentences: Unicode's boundaries, corrected where they cut prose wrongly ([`boundaries`](super::boundaries)).
//!
//! Unicode's rules (UAX 29) know no abbreviations and end a sentence at each `!`, also inside
//! `"Stop!" said he`. The corrections look only at the words beside a boundary, so a sentence is cut
//! the same in a chapter and in a chunk of it. An empty line ends a sentence; a line end does not.
//!
//! Invariant: sentences are in order, disjoint, inside the span, never cross an empty line, start and
//! end with a character that is not white space, and cost at most [`LIMIT`] tokens. Together they hold
//! every letter and digit; a line of stars between scenes is no sentence.

use std::collections::VecDeque;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::knowledge::Span;

use super::boundaries::{goes_on, is_opening};
use super::tokens;

/// The most tokens of a sentence; a longer one is cut at white space.
pub(super) const LIMIT: usize = 512;

/// The most bytes of a paragraph that are looked at together. A sentence that is longer is cut anyway, so
/// a paragraph read in windows has the sentences that it has as a whole.
const WINDOW: usize = 32 << 10;

/// The sentences of a span of the text.
pub fn sentences(text: &str, span: Span) -> Vec<Span> {
    Sentences::new(text, span).collect()
}

/// The sentences of a span, found a window at a time: a book of one line takes no longer to give its
/// first sentence than any other.
pub(super) struct Sentences<'a> {
    text: &'a str,
    /// Where the next paragraph is looked for, and where the span ends.
    next: Range<usize>,
    /// What is left of the paragraph that is read.
    rest: Range<usize>,
    flat: String,
    found: VecDeque<Span>,
}

impl Iterator for Sentences<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        loop {
            if let Some(span) = self.found.pop_front() {
                return Some(span);
            }
            if self.rest.is_empty() {
                self.rest = self.paragraph()?;
            }
            self.read();
        }
    }
}

impl<'a> Sentences<'a> {
    /// Before the first sentence of a span.
    pub(super) fn new(text: &'a str, span: Span) -> Self {
        Self { text, next: span.range(), rest: 0..0, flat: String::new(), found: VecDeque::new() }
    }

    /// The next run of lines without an empty line between that has a letter or a digit.
    fn paragraph(&mut self) -> Option<Range<usize>> {
        let (mut at, mut found) = (self.next.start, None);
        for line in self.text.get(self.next.clone())?.split_inclusive('\n') {
            let blank = line.trim().is_empty();
            let start = at;
            at += line.len();
            match &mut found {
                None if blank => {}
                None => found = Some(start..at),
                Some(run) if !blank => run.end = at,
                Some(run) => {
                    if self.text.get(run.clone()).is_some_and(|words| words.contains(char::is_alphanumeric)) {
                        break;
                    }
                    found = None;
                }
            }
        }
        self.next.start = at;
        found.filter(|run| {
            self.text.get(run.clone()).is_some_and(|words| words.contains(char::is_alphanumeric))
        })
    }

    /// Reads a window of the paragraph. Its last sentence may go on after the window: it is read again, or
    /// if it is all there is, its last piece.
    fn read(&mut self) {
        let Range { start, end } = self.rest;
        let mut until = end.min(start + WINDOW);
        while !self.text.is_char_boundary(until) {
            until += 1;
        }
        let window = self.text.get(start..until).unwrap_or_default();
        flatten(window, &mut self.flat);
        let mut cuts = cuts(&self.flat);
        let mut again = until;
        if until < end && cuts.len() > 1 {
            again = cuts.pop().map_or(until, |(from, _)| start + from);
        }
        for (from, to) in cuts {
            pieces(
                self.text,
                start + from,
                self.text.get(start + from..start + to).unwrap_or_default(),
                &mut self.found,
            );
        }
        if until < end && again == until && self.found.len() > 1 {
            again = self.found.pop_back().map_or(until, |piece| piece.range().start);
        }
        self.rest = again..end;
    }
}

/// A paragraph with its line ends made spaces and the underscores and stars of emphasis made quotes,
/// which is how the rules should see them; byte for byte as long.
fn flatten(paragraph: &str, flat: &mut String) {
    flat.clear();
    flat.extend(paragraph.chars().map(|c| match c {
        '\n' | '\t' | '\u{b}' | '\u{c}' => ' ',
        '_' | '*' => '"',
        c => c,
    }));
}

/// The corrected sentences of a paragraph, from byte to byte.
fn cuts(flat: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut start = 0;
    for (at, piece) in flat.split_sentence_bound_indices() {
        // Without a space before it, an opening mark is taken for a closing one.
        let end = at + piece.len();
        let opening =
            if end < flat.len() { piece.chars().next_back().filter(|c| is_opening(*c)) } else { None };
        let end = end - opening.map_or(0, char::len_utf8);
        let Some(piece) = flat.get(start..end).filter(|piece| !piece.is_empty()) else { continue };
        match found.last_mut() {
            Some(last) if goes_on(flat.get(last.0..start).unwrap_or_default(), piece) => last.1 = end,
            _ => found.push((start, end)),
        }
        start = end;
    }
    found
}

/// Keeps a sentence, trimmed, in pieces where it is too long.
fn pieces(text: &str, start: usize, words: &str, found: &mut VecDeque<Span>) {
    let mut at = start + (words.len() - words.trim_start().len());
    let end = start + words.trim_end().len();
    while at < end {
        let rest = text.get(at..end).unwrap_or_default();
        let length = tokens::fit(rest, LIMIT);
        let piece = rest.get(..length).unwrap_or(rest);
        found.push_back(Span::new(at, at + piece.trim_end().len()));
        at += length;
        at += rest.get(length..).map_or(0, |rest| rest.len() - rest.trim_start().len());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<String> {
        let spans = sentences(text, Span::new(0, text.len()));
        spans.into_iter().map(|span| span.of(text).replace('\n', " ")).collect()
    }

    #[test]
    fn sentences_of_prose() {
        // `|` marks where each row must be cut.
        let rows = [
            "It rained. |He waited.",
            "Mr. Vane met Mrs. Vane at St. Anne's with Dr. Cole.",
            "Capt. Hale sailed. |Col. Dunn stayed.",
            "J. R. Vane wrote to J. I. Cole.",
            "It was I. |He knew.",
            "\"Stop!\" said he. |\"Why?\" she asked.",
            "\"Stop!\" |He ran.",
            "\"Stop! |Who are you?\" |He ran.",
            "He came\nhome. |She\nsaw him.",
            "He came home\n\n|she saw him",
            "Wait... he said. |No... |He went.",
            "She said, \"I saw him.\" |\"Where?\"",
            "\u{201c}I saw him,\u{201d} she said. \u{201c}|He ran.\u{201d}",
            "See No. 7 and vol. 2 there. |No. |He stayed.",
            "It was _dark._ |He slept.",
            "In 1801.--I have come back.",
            "He paid 3.50 for it. |It was late.",
            "He said (it was late.) |She went.",
            "He ran.\n\n|It rained.",
            "\"... Come here.\" |He came.",
            "Am 3. Mai kam die F\u{e4}hre. |Fr. Orrin und Hr. Vane warteten.",
            "\u{bb}Halt!\u{ab} rief er. |\u{bb}Wer da?\u{ab}, fragte sie. |Niemand kam.",
            "\u{2014} Qui donc ? demanda-t-il. |Mme. Orrin et M. Vane attendaient.",
            "\u{2014}\u{a1}Todos! \u{2014}dijo \u{e9}l. |La Sra. Orrin esper\u{f3}. |\u{bf}Qui\u{e9}n va?",
            "\u{2014} Кто? \u{2014} спросил он. |Пришёл г. Вейн. |Это было в 1812 г. |Река стояла.",
            "他说：\u{201c}走。\u{201d}|河水在夜里慢慢地退了。|没有人来！",
            "\u{201c}谁？\u{201d}他问。",
            "彼は待った。|「誰。」",
            "「行こう。」と彼は言った。|船は来ない。",
            "لم يأت أحد. |من هناك؟ |لا أحد.",
            "איש לא בא. |מי שם? |איש.",
        ];
        for row in rows {
            // A mark after an opening quote stands for one before it.
            let row = row.replace("\u{201c}|", "|\u{201c}");
            let expected: Vec<String> = row.split('|').map(|part| part.trim().replace('\n', " ")).collect();
            assert_eq!(split(&row.replace('|', "")), expected, "{row}");
        }
    }

    #[test]
    fn stars_are_no_sentence() {
        assert_eq!(split("It rained.\n\n* * *\n\nHe ran."), ["It rained.", "He ran."]);
    }

    #[test]
    fn a_monstrous_sentence_is_cut() {
        let text = "rain and ".repeat(5000);
        let found = sentences(&text, Span::new(0, text.len()));
        assert!(found.len() > 15);
        assert!(found.iter().all(|span| tokens::tokens(span.of(&text)) as usize <= LIMIT));
        assert!(
            found.iter().all(|span| span.of(&text).starts_with("rain") || span.of(&text).starts_with("and"))
        );
        let solid = "x".repeat(100_000);
        assert!(sentences(&solid, Span::new(0, solid.len())).len() > 10);
    }

    #[test]
    fn a_long_paragraph_has_the_sentences_of_its_parts() {
        let sentence = "\u{201c}The rain,\u{201d} said Mr. Vane, \u{201c}fell on No. 7 again.\u{201d} ";
        let long = sentence.repeat(3 * WINDOW / sentence.len());
        let found = split(&long);
        assert_eq!(found.len(), 3 * WINDOW / sentence.len());
        assert!(found.iter().all(|found| found == sentence.trim()), "{found:#?}");
        // A sentence without an end is cut as one, wherever the windows end.
        let endless = "rain and wind ".repeat(3 * WINDOW / 14);
        let mut whole = VecDeque::new();
        pieces(&endless, 0, &endless, &mut whole);
        assert_eq!(sentences(&endless, Span::new(0, endless.len())), Vec::from(whole));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn sentences_hold_all_words_in_order(text in "([A-Za-z\u{e9}\u{4e2d}\u{1f600} .!?\"'\n*_0-9]|Mr\\. |\n\n){0,200}") {
            let found = sentences(&text, Span::new(0, text.len()));
            let mut at = 0;
            for span in found {
                let range = span.range();
                prop_assert!(at <= range.start && range.start < range.end);
                let gap = text.get(at..range.start);
                prop_assert!(gap.is_some_and(|gap| !gap.contains(char::is_alphanumeric)));
                let words = span.of(&text);
                prop_assert_eq!(words.trim(), words);
                prop_assert!(!words.split('\n').any(|line| line.trim().is_empty()));
                at = range.end;
            }
            prop_assert!(text.get(at..).is_some_and(|gap| !gap.contains(char::is_alphanumeric)));
        }
    }
}
