//! Tables of contents and lists of illustrations: headings that no text follows.
//!
//! A table is a run of blocks without prose that holds the word CONTENTS or at least three labels
//! close together. It ends where its first entry comes again, as the heading of the text, or else
//! before the last heading ahead of the prose. A numbered list without the word CONTENTS is a table
//! only when its first entry comes again: a list in a story is story.
//!
//! Invariant: the ranges are in order, disjoint, and each is followed by prose in the same text, but one that
//! ends it under the word CONTENTS.

use std::ops::Range;

use super::blocks::Block;
use super::heading_words;
use super::headings::{self, Level};

/// Labels that make a table without the word CONTENTS.
const ENTRIES: usize = 3;
/// The most bytes that this many labels of a table take.
const REACH: usize = 600;

/// The tables of contents, as ranges of blocks.
pub(super) fn find(text: &str, blocks: &[Block]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < blocks.len() {
        let rest = blocks.get(at..).unwrap_or_default();
        let length = rest
            .iter()
            .enumerate()
            .position(|(place, block)| {
                let titled = place.checked_sub(1).and_then(|before| rest.get(before));
                let titles = titled.is_some_and(|title| is_contents_title(text, *title));
                block.is_prose(text) && !is_list(text, *block) && !(titles && is_titles(text, *block))
            })
            .unwrap_or(rest.len());
        let run = rest.get(..length).unwrap_or_default();
        if at + length < blocks.len() && length > 0 {
            found.extend(in_run(text, run).map(|range| at + range.start..at + range.end));
        } else if let Some(start) = run.iter().position(|block| is_contents_title(text, *block)) {
            // French books end with it.
            found.push(at + start..blocks.len());
        }
        at += length.max(1);
    }
    found
}

/// What makes two entries name the same heading.
#[derive(PartialEq, Eq)]
enum Key {
    Numbered(bool, u32),
    Words(String),
}

struct Entry {
    block: usize,
    start: usize,
    /// Whether it has a label; other lines are entries only after the word CONTENTS.
    labelled: bool,
    /// Whether its label has a word, such as Chapter.
    worded: bool,
    key: Key,
}

fn in_run(text: &str, run: &[Block]) -> Option<Range<usize>> {
    let titled = run.iter().position(|block| is_contents_title(text, *block));
    let entries = entries(text, run);
    let labels: Vec<&Entry> = entries.iter().filter(|entry| entry.labelled).collect();
    let close = labels.windows(ENTRIES).find(|few| match (few.first(), few.last()) {
        (Some(first), Some(last)) => last.start - first.start < REACH,
        _ => false,
    });
    let start = match (titled, close) {
        (Some(titled), _) => titled,
        (None, Some(few)) => few.first()?.block,
        (None, None) => return None,
    };
    let worded = labels.iter().take(ENTRIES).all(|entry| entry.worded);
    let body = match recurrence(&entries, start, titled.is_some()) {
        Some(body) => body,
        None if titled.is_some() || worded => last_heading(text, run),
        None => return None,
    };
    let body = before_parts(text, run, body).max(start);
    (body > start).then_some(start..body)
}

/// The labelled lines of a run, and its other lines, each with what would be the same heading.
fn entries(text: &str, run: &[Block]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (place, block) in run.iter().enumerate() {
        let mut start = block.span.range().start;
        for line in block.of(text).split_inclusive('\n') {
            let label = headings::label(line);
            let worded = label.is_some_and(|label| label.level < Level::Number);
            let key = match label {
                Some(label) if label.number.is_some() => {
                    Key::Numbered(label.level == Level::Part, label.number.unwrap_or_default())
                }
                _ => Key::Words(letters(line)),
            };
            entries.push(Entry { block: place, start, labelled: label.is_some(), worded, key });
            start += line.len();
        }
    }
    entries
}

/// The letters of an entry, without its number, page and leader dots.
fn letters(line: &str) -> String {
    line.chars().filter(|c| c.is_alphabetic()).take(80).flat_map(char::to_uppercase).collect()
}

/// The last block whose first line is the table's first entry again, or its second, and so on.
fn recurrence(entries: &[Entry], start: usize, titled: bool) -> Option<usize> {
    // Without the word CONTENTS only the very first entry tells.
    let tried = if titled { 8 } else { 1 };
    let first_block = if titled { start + 1 } else { start };
    let inside = |entry: &&Entry| entry.block >= first_block && (titled || entry.labelled);
    entries.iter().filter(inside).take(tried).find_map(|entry| {
        let again = |other: &&Entry| {
            other.block > entry.block && other.key == entry.key && other.key != Key::Words(String::new())
        };
        Some(entries.iter().rev().find(again)?.block)
    })
}

/// The first of the part headings directly before a heading.
fn before_parts(text: &str, run: &[Block], mut block: usize) -> usize {
    while block > 0 && is_part(text, run, block - 1) {
        block -= 1;
    }
    block
}

/// The block of the last heading of a run: the one that the prose after the run belongs to.
fn last_heading(text: &str, run: &[Block]) -> usize {
    const TITLES: usize = 2;
    let marked = |place: &usize| {
        run.get(*place).is_some_and(|block| !is_list(text, *block) && headings::mark(text, *block).is_some())
    };
    let near = (run.len().saturating_sub(TITLES + 1)..run.len()).rev().find(marked);
    match near {
        Some(place) => place,
        None => run.len() - usize::from(run.last().is_some_and(|block| block.lines == 1)),
    }
}

fn is_part(text: &str, run: &[Block], place: usize) -> bool {
    let mark = run.get(place).and_then(|block| headings::mark(text, *block));
    mark.is_some_and(|mark| mark.level == Level::Part)
}

/// Whether a block is a list of labelled lines rather than one heading or a paragraph.
fn is_list(text: &str, block: Block) -> bool {
    let labels = block.of(text).lines().filter(|line| headings::label(line).is_some()).take(50).count();
    labels >= ENTRIES && labels * 2 >= block.lines.min(50)
}

/// Whether each line of a block begins as a title does: under the word CONTENTS, titles without numbers.
fn is_titles(text: &str, block: Block) -> bool {
    let small = |line: &str| line.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_lowercase);
    block.lines >= 2 && block.of(text).lines().all(|line| line.len() < 100 && !small(line))
}

/// Whether a block begins with the title of a table.
fn is_contents_title(text: &str, block: Block) -> bool {
    let Some(first) = block.of(text).lines().next().filter(|line| line.len() < 60) else {
        return false;
    };
    heading_words::is_contents(first)
}

#[cfg(test)]
mod tests {
    use super::super::blocks::blocks;
    use super::*;
    use crate::knowledge::Span;

    const PROSE: &str = "It had rained since the morning, and the ferry lay on the other bank, where nobody heard them call or saw the lantern that they swung.";

    fn tables(text: &str) -> Vec<String> {
        let blocks = blocks(text, Span::new(0, text.len()));
        let of = |range: &Range<usize>| {
            let words = blocks
                .get(range.clone())
                .into_iter()
                .flatten()
                .map(|block| block.of(text).replace('\n', "/"));
            words.collect::<Vec<_>>().join("|")
        };
        find(text, &blocks).iter().map(of).collect()
    }

    #[test]
    fn tables_end_where_the_text_begins() {
        let rows = [
            (
                "CONTENTS\n\n I. RAIN\n II. SUN\n III. SNOW\n\nCHAPTER I\n\nRAIN\n\n@\n\nCHAPTER II\n\nSUN\n\n@",
                "CONTENTS|I. RAIN/ II. SUN/ III. SNOW",
            ),
            (
                "Chapter 1. Rain\n\nChapter 2. Sun\n\nChapter 3. Snow\n\nChapter 1. Rain\n\n@",
                "Chapter 1. Rain|Chapter 2. Sun|Chapter 3. Snow",
            ),
            (
                "CONTENTS\n\nPART ONE\n\nI. A\n\nII. B\n\nPART TWO\n\nI. C\n\nPART ONE\n\nI. A\n\n@",
                "CONTENTS|PART ONE|I. A|II. B|PART TWO|I. C",
            ),
            ("CONTENTS\n\nThe Two Bells\nThe Well\n\nTHE TWO BELLS\n\n@", "CONTENTS|The Two Bells/The Well"),
            (
                "CONTENTS:\n\nThe Two Bells of the Old Ferry, and Who Rang Them\nThe Well under the Third Mill\nThe Night Watch of the Upper Weir\n\n\nTHE TWO BELLS OF THE OLD FERRY, AND WHO RANG THEM\n\n@",
                "CONTENTS:|The Two Bells of the Old Ferry, and Who Rang Them/The Well under the Third Mill/The Night Watch of the Upper Weir",
            ),
            ("CONTENTS\n\nChapter 2\nChapter 3\n\nCHAPTER I\n\nRAIN\n\n@", "CONTENTS|Chapter 2/Chapter 3"),
        ];
        for (text, expected) in rows {
            assert_eq!(tables(&text.replace('@', PROSE)), [expected], "{text}");
        }
    }

    #[test]
    fn headings_with_text_are_no_table() {
        for text in [
            "PART ONE\n\nCHAPTER I\n\nRAIN\n\n@\n\nCHAPTER II\n\n@",
            "CHAPTER I\n\n@\n\n\"Yes.\"\n\n\"No.\"\n\n\"Why?\"\n\nCHAPTER II\n\n@",
            "CHAPTER I\n\nCHAPTER II\n\nCHAPTER III\n\nCHAPTER IV",
            "@\n\nHe wrote:\n\n1. Rope\n2. Oil\n3. Bread\n\n@",
            "@\n\n14. Rope, by A. Cole. Lost.\n\n15. Oil, by B. Dunn\n\n16. Bread\n\n@",
        ] {
            assert_eq!(tables(&text.replace('@', PROSE)), [""; 0], "{text}");
        }
    }
}
