//! Blocks: the paragraphs of a plain-text file, and what their shape tells.
//!
//! A block is a run of lines without an empty line between. A file whose paragraphs are single long
//! lines without empty lines between has one block a line.
//!
//! Invariant: blocks are in text order and disjoint, start and end at a character that is not white
//! space, and together hold every such character of their part of the text.

use crate::knowledge::Span;

/// A paragraph, a heading, a line of stars: lines with empty lines around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) span: Span,
    /// How many lines it has.
    pub(super) lines: usize,
    /// How many empty lines stand before it; many at the start of the text.
    pub(super) gap: usize,
}

/// Empty lines said to stand before the first block.
const START_GAP: usize = 9;

impl Block {
    pub(super) fn of(self, text: &str) -> &str {
        self.span.of(text)
    }

    /// Whether it reads as running prose: long enough, mostly lower case, several words.
    pub(super) fn is_prose(self, text: &str) -> bool {
        let text = self.of(text);
        if text.len() < 120 {
            return false;
        }
        let letters = text.chars().take(4000).filter(|c| c.is_alphabetic());
        let (mut all, mut small) = (0, 0);
        for c in letters {
            all += 1;
            small += usize::from(!c.is_uppercase());
        }
        small * 10 > all * 7
    }
}

/// The lines of a part of the text, each trimmed of the white space around it.
fn lines(text: &str, part: Span) -> impl Iterator<Item = Span> + '_ {
    let mut at = part.range().start;
    part.of(text).split('\n').map(move |line| {
        let start = at + (line.len() - line.trim_start().len());
        let span = Span::new(start, start + line.trim().len());
        at += line.len() + 1;
        span
    })
}

/// The blocks of a part of the text.
pub(super) fn blocks(text: &str, part: Span) -> Vec<Block> {
    let alone = lines_are_paragraphs(text, part);
    let mut blocks: Vec<Block> = Vec::new();
    let mut gap = START_GAP;
    for line in lines(text, part) {
        if line.is_empty() {
            gap += 1;
            continue;
        }
        match blocks.last_mut() {
            Some(block) if gap == 0 && !alone => {
                block.span.end = line.end;
                block.lines += 1;
            }
            _ => blocks.push(Block { span: line, lines: 1, gap: if alone { gap + 1 } else { gap } }),
        }
        gap = 0;
    }
    blocks
}

/// Whether each line is a paragraph of its own: next to no empty lines, and lines that are long, or that end as
/// sentences do, which wrapped lines seldom do.
fn lines_are_paragraphs(text: &str, part: Span) -> bool {
    let (mut all, mut empty, mut long, mut closed) = (0, 0, 0, 0);
    for line in lines(text, part) {
        all += 1;
        empty += usize::from(line.is_empty());
        long += usize::from(line.len() > 120);
        closed += usize::from(line.of(text).ends_with(ENDS));
    }
    // The line end at the end of a file makes one more empty line.
    all > 2 && empty * 20 < all + 20 && (long * 4 > all || closed * 5 > all * 3)
}

/// What sentences end with, inside quotes or not.
const ENDS: [char; 14] = [
    '.', '!', '?', '"', '\u{201d}', '\u{bb}', '\u{2026}', '\u{3002}', '\u{ff01}', '\u{ff1f}', '\u{300d}',
    '\u{300f}', '\u{61f}', '\u{964}',
];

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(text: &str) -> Vec<(&str, usize, usize)> {
        let all = Span::new(0, text.len());
        blocks(text, all).iter().map(|block| (block.of(text), block.lines, block.gap)).collect()
    }

    #[test]
    fn empty_lines_part_blocks() {
        assert_eq!(shapes("\n  One\nmore \n\n\t\n Two\n"), [("One\nmore", 2, START_GAP + 1), ("Two", 1, 2)]);
        assert_eq!(shapes(" \n\n"), []);
    }

    #[test]
    fn long_lines_without_gaps_are_paragraphs() {
        let line = "word ".repeat(40);
        let text = format!("Chapter 1\n{line}\n{line}\n{line}\n");
        let found = shapes(&text);
        assert_eq!(found.len(), 4);
        assert_eq!(found.first(), Some(&("Chapter 1", 1, START_GAP + 1)));
    }
}
