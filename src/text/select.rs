//! Which of the marks are the headings of this book.
//!
//! A book uses one kind of heading for its chapters. The strongest kind that it uses at least twice
//! wins: words with numbers, then numbers in sequence, then titles alone; parts and named sections
//! (a prologue) stand beside any of them. What the winner leaves over is text.
//!
//! Invariant: headings are in text order and disjoint, and none lies in a table of contents.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::knowledge::Span;

use super::blocks::Block;
use super::headings::{self, Level, Mark};
use super::{heading_words, language, plays};

/// A heading with its title, over one block or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: Level,
    pub(super) span: Span,
    /// Its words on one line.
    pub(super) title: String,
    /// The first block after it; the same block when prose follows in it.
    pub(super) after: usize,
    /// Its first block.
    pub(super) block: usize,
}

/// Chooses the headings of a book.
pub(super) fn select(text: &str, blocks: &[Block], tables: &[Range<usize>]) -> Vec<Heading> {
    let marks = marks(text, blocks, tables);
    let words: Vec<usize> =
        marks.iter().filter(|(_, mark)| mark.level == Level::Chapter).map(|(block, _)| *block).collect();
    // A play may have acts and no scenes.
    let acts = marks.iter().filter(|(_, mark)| plays::is_act(mark.span.of(text))).count();
    // Words that begin in the second half are the chapters of one story of several.
    let ruling = acts >= 2 || words.len() >= 2 && words.first().is_some_and(|first| first * 2 < blocks.len());
    let others = if ruling { Vec::new() } else { unnamed(text, blocks, tables, &marks) };
    // Notes after each chapter are no chapters; those at the end of a book part from the last one.
    let notes = |mark: &Mark| headings::is_notes(mark.span.of(text));
    let one = marks.iter().filter(|(_, mark)| notes(mark)).count() == 1;
    let strong = |mark: &Mark| mark.level < Level::Number && (one || !notes(mark));
    let kept = marks.iter().filter(|(_, mark)| strong(mark)).copied();
    let mut chosen: Vec<(usize, Mark)> = kept.chain(others).collect();
    chosen.sort_by_key(|(block, _)| *block);
    // A chapter may be called `Book Four`: directly under a bare chapter heading it is its title.
    chosen.dedup_by(|next, one| {
        next.1.level == Level::Part && one.1.level > Level::Part && one.1.open && next.0 == one.0 + 1
    });
    // One part alone is the whole book: a title page that says which volume it is.
    if let [(_, only)] = chosen.as_slice()
        && only.level == Level::Part
    {
        chosen.clear();
    }
    chosen
        .iter()
        .enumerate()
        .map(|(place, (block, mark))| {
            let next = chosen.get(place + 1).map_or(blocks.len(), |(next, _)| *next);
            with_title(text, blocks, tables, *block, *mark, next)
        })
        .collect()
}

/// The headings without a word for a chapter: numbers in sequence, or else titles.
fn unnamed(
    text: &str,
    blocks: &[Block],
    tables: &[Range<usize>],
    marks: &[(usize, Mark)],
) -> Vec<(usize, Mark)> {
    let numbers = in_sequence(marks, blocks);
    if numbers.is_empty() { title_blocks(text, blocks, tables, marks) } else { numbers }
}

/// Every block outside the tables that looks like a labelled heading.
fn marks(text: &str, blocks: &[Block], tables: &[Range<usize>]) -> Vec<(usize, Mark)> {
    outside(blocks.len(), tables)
        .filter_map(|place| Some((place, headings::mark(text, *blocks.get(place)?)?)))
        .collect()
}

/// The places of the blocks that lie in no table.
fn outside(count: usize, tables: &[Range<usize>]) -> impl Iterator<Item = usize> {
    let mut tables = tables.iter().cloned().peekable();
    (0..count).filter(move |place| {
        while tables.next_if(|table| table.end <= *place).is_some() {}
        !tables.peek().is_some_and(|table| table.contains(place))
    })
}

/// The numbered marks that count up from one, from the beginning or from a part's heading; none when
/// they are a list or page numbers.
fn in_sequence(marks: &[(usize, Mark)], blocks: &[Block]) -> Vec<(usize, Mark)> {
    let (mut last, mut restart) = (0, true);
    let mut found = Vec::new();
    for (block, mark) in marks {
        restart |= mark.level == Level::Part;
        let Some(number) = mark.number.filter(|_| mark.level == Level::Number) else {
            continue;
        };
        if number > last && number <= last + 2 || number == 1 && restart {
            found.push((*block, *mark));
            (last, restart) = (number, false);
        }
    }
    let dense = spread(&found, blocks) < if found.len() > 100 { 3000 } else { 150 };
    if found.len() < 2 || dense { Vec::new() } else { found }
}

/// The mean number of bytes from one mark to the next, the last to the end of the text.
fn spread(marks: &[(usize, Mark)], blocks: &[Block]) -> usize {
    let start = marks.first().map_or(0, |(_, mark)| mark.span.start);
    let end = blocks.last().map_or(0, |block| block.span.end);
    end.saturating_sub(start) as usize / marks.len().max(1)
}

/// The most words of a title in small letters.
const TITLE_WORDS: usize = 9;

/// Blocks that are titles without a number, prose after each: in capitals, or else, where empty lines
/// set them off, in title case.
fn title_blocks(
    text: &str,
    blocks: &[Block],
    tables: &[Range<usize>],
    marks: &[(usize, Mark)],
) -> Vec<(usize, Mark)> {
    let marked = |place: usize| marks.binary_search_by_key(&place, |(block, _)| *block).is_ok();
    let found: Vec<(usize, Block)> = outside(blocks.len(), tables)
        .filter_map(|place| Some((place, *blocks.get(place)?)))
        .filter(|(place, block)| !marked(*place) && is_title(text, *block))
        .filter(|(place, _)| leads_to_prose(text, blocks, *place))
        .collect();
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, block) in &found {
        *named.entry(block.of(text)).or_default() += 1;
    }
    // What stands over three pieces of text or more is who speaks them.
    let found: Vec<(usize, Block)> = found
        .into_iter()
        .filter(|(_, block)| named.get(block.of(text)).is_some_and(|times| *times < 3))
        .collect();
    let words = |block: Block| block.of(text);
    // English writes titles with capitals; elsewhere a short line set off by empty ones is all there is.
    let small = language::of(text).is_some_and(|tag| tag != "en");
    let families: [&dyn Fn(Block) -> bool; 4] = [
        &|block| block.gap >= 2 && headings::is_capitals(words(block)),
        &|block| headings::is_capitals(words(block)),
        &|block| block.gap >= 2 && headings::is_title_case(words(block)),
        &|block| {
            small
                && block.gap >= 2
                && block.lines == 1
                && words(block).split_whitespace().count() <= TITLE_WORDS
        },
    ];
    for family in families {
        let mut chosen: Vec<(usize, Mark)> = found
            .iter()
            .filter(|(_, block)| family(*block))
            .map(|(place, block)| (*place, title_mark(*block)))
            .collect();
        // What directly follows a title is its subtitle.
        chosen.dedup_by(|next, one| next.0 == one.0 + 1);
        if chosen.len() >= 2 && spread(&chosen, blocks) >= 400 {
            return chosen;
        }
    }
    Vec::new()
}

/// Whether prose follows a title, after a subtitle in capitals or a line of stars at most.
fn leads_to_prose(text: &str, blocks: &[Block], place: usize) -> bool {
    const BETWEEN: usize = 2;
    let rest = blocks.get(place + 1..).unwrap_or_default();
    let between = |block: &&Block| {
        let words = block.of(text);
        headings::is_capitals(words) || words.starts_with("By ") || !words.contains(char::is_alphanumeric)
    };
    let few = rest.iter().take(BETWEEN).take_while(between).count();
    rest.get(few).is_some_and(|block| block.is_prose(text))
}

fn title_mark(block: Block) -> Mark {
    Mark { level: Level::Title, number: None, span: block.span, open: true }
}

fn is_title(text: &str, block: Block) -> bool {
    let words = block.of(text);
    block.lines <= 2
        && words.len() <= 100
        && words.chars().filter(|c| c.is_alphabetic()).take(2).count() == 2
        && !words.starts_with(['"', '\u{201c}', '['])
        && !words.ends_with([',', ':', ';'])
        && headings::titled(words)
        && !heading_words::is_end(words)
        && (headings::is_capitals(words) || !words.contains(|c: char| c.is_numeric()))
}

/// Joins a mark with the title in the block after it, if there is one before the next heading.
fn with_title(
    text: &str,
    blocks: &[Block],
    tables: &[Range<usize>],
    block: usize,
    mark: Mark,
    next: usize,
) -> Heading {
    let mut heading = Heading {
        level: mark.level,
        span: mark.span,
        title: one_line(mark.span.of(text)),
        after: block + usize::from(blocks.get(block).is_some_and(|whole| whole.span == mark.span)),
        block,
    };
    let in_table = tables.iter().any(|table| table.contains(&(block + 1)));
    if let Some(title) = blocks.get(block + 1)
        && mark.open
        && block + 1 < next
        && !in_table
        && is_following_title(text, *title, mark.level)
        && blocks.get(block + 2).is_some()
    {
        let words = one_line(title.of(text));
        let between = if heading.title.ends_with(['.', ':', ')', '-']) { " " } else { ". " };
        heading.title = format!("{}{between}{words}", heading.title);
        heading.span.end = title.span.end;
        heading.after = block + 2;
    }
    heading
}

/// Whether a block is the title of the heading before it rather than the text's beginning.
fn is_following_title(text: &str, block: Block, level: Level) -> bool {
    let words = block.of(text);
    if block.gap > 5 || block.lines > 3 || words.len() > 200 || !words.contains(char::is_alphabetic) {
        return false;
    }
    if headings::is_capitals(words) {
        return !words.starts_with('[');
    }
    !matches!(level, Level::Named | Level::Title)
        && block.lines == 1
        && !words.contains(|c: char| c.is_numeric())
        && !words.starts_with(['[', '(', '*'])
        && headings::titled(words)
}

/// A heading's words on one line, without decoration.
fn one_line(words: &str) -> String {
    let decorated = |c: char| c.is_whitespace() || "#*_=~".contains(c);
    let plain = words.trim_start_matches(decorated);
    // Emphasis inside a title keeps its closing sign.
    let plain = if words.starts_with(decorated) { plain.trim_end_matches(decorated) } else { plain };
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::{blocks::blocks, contents};
    use super::*;

    const PROSE: &str = "It had rained since the morning, and the ferry lay on the other bank, where nobody heard them call or saw the lantern that they swung.";

    fn titles(text: &str) -> Vec<String> {
        let text = text.replace('@', &[PROSE; 5].join(" "));
        let blocks = blocks(&text, Span::new(0, text.len()));
        let tables = contents::find(&text, &blocks);
        select(&text, &blocks, &tables).into_iter().map(|heading| heading.title).collect()
    }

    #[test]
    fn kinds_of_books() {
        let rows: &[(&str, &[&str])] = &[
            ("CHAPTER I\n\nTHE FERRY\n\n@\n\nCHAPTER II\n\n@", &["CHAPTER I. THE FERRY", "CHAPTER II"]),
            (
                "PART ONE--Rain\n\n\n1\n\nThe Ferry\n\n@\n\n2\n\n\"Over the Bar\"\n\n@",
                &["PART ONE--Rain", "1. The Ferry", "2. \"Over the Bar\""],
            ),
            (
                "CHAPTER I\n\n@\n\nCHAPTER II\n\nBook Four\n\n@\n\nPART II\n\nCHAPTER III\n\n@",
                &["CHAPTER I", "CHAPTER II. Book Four", "PART II", "CHAPTER III"],
            ),
            ("LIBRO SEGUNDO\n\nDE LECTURA\n\n@", &[]),
            ("I.\n\n@\n\nII.\n\n@\n\nIII.\n\n@", &["I.", "II.", "III."]),
            (
                "PROLOGUE\n\n@\n\nChapter One\n\n@\n\nChapter Two\n\n@\n\nEPILOGUE\n\n@",
                &["PROLOGUE", "Chapter One", "Chapter Two", "EPILOGUE"],
            ),
            ("THE FERRY\n\n@\n\nTHE BELL\n\n@", &["THE FERRY", "THE BELL"]),
            ("The Ferry\n\n@\n\n\nThe Bell\n\n@", &["The Ferry", "The Bell"]),
            ("STORY: THE FERRY\n\n@\n\n\nSTORY: THE BELL\n\n@", &["STORY: THE FERRY", "STORY: THE BELL"]),
            (
                "Letter 1\n\n\nDelft, Dec. 11th, 17--\n\n@\n\nLetter 2\n\nDear Anne,\n\n@",
                &["Letter 1", "Letter 2"],
            ),
            ("@\n\nHe had three wishes:\n\n1. Rain\n\n2. Sun\n\n3. Snow\n\nThat was all he had.", &[]),
            ("@\n\n7\n\n@\n\n23\n\n@", &[]),
            ("CHAPTER I\n\n@\n\nI\n\n@\n\nII\n\n@\n\nCHAPTER II\n\n@", &["CHAPTER I", "CHAPTER II"]),
            ("@\n\nKEEP OUT\n\n@", &[]),
            ("CHAPTER I\n\n@\n\nNOTES\n\n@\n\nCHAPTER II\n\n@\n\nNOTES\n\n@", &["CHAPTER I", "CHAPTER II"]),
            ("CHAPTER I\n\n@\n\nCHAPTER II\n\n@\n\nNOTES\n\n@", &["CHAPTER I", "CHAPTER II", "NOTES"]),
            ("ACT I\n\nANNE\n\n@\n\nREEVE\n\n@\n\nACT II\n\nANNE\n\n@", &["ACT I. ANNE", "ACT II. ANNE"]),
            ("ANNE\n\n@\n\nREEVE\n\n@\n\nANNE\n\n@\n\nREEVE\n\n@\n\nANNE\n\n@\n\nREEVE\n\n@", &[]),
            (
                "THE FERRY\n\nA TALE OF RAIN\n\n@\n\nTHE BELL\n\n* * *\n\n@",
                &["THE FERRY. A TALE OF RAIN", "THE BELL"],
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(titles(text), *expected, "{text}");
        }
    }
}
