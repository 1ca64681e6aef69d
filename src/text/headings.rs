//! Which lines look like headings: `CHAPTER I`, `Part One--The River`, `IV. Under Fire`, `PROLOGUE`.
//!
//! Here a line is judged by its own words, and a block by its own shape. Whether it is a heading of
//! *this* book is decided in `chapters`, which sees them all.
//!
//! Invariant: a mark's span lies inside its block and starts where the block starts.

use crate::knowledge::Span;

use super::blocks::Block;
use super::number_words::spelled;
use super::{han, heading_words, numerals};

/// What kind of heading a line is, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Holds chapters: part, book, volume, act.
    Part,
    /// A word for a chapter with a number or a title: `Chapter 3`, `Letter II`, `Story: ...`.
    Chapter,
    /// A part of a book with a name of its own: `Prologue`, `Conclusion`.
    Named,
    /// A number alone or before a title.
    Number,
    /// A title alone.
    Title,
}

/// A line read as a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label<'a> {
    pub(super) level: Level,
    pub(super) number: Option<u32>,
    /// What follows the label on its line, without the punctuation between.
    pub(super) rest: &'a str,
    /// Whether punctuation stands between label and rest.
    separated: bool,
}

/// A block, or its first line, that looks like a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) level: Level,
    pub(super) number: Option<u32>,
    pub(super) span: Span,
    /// Whether its title may stand in the next block: it has none yet and its block ends here.
    pub(super) open: bool,
}

/// Decoration around headings: Markdown signs, stars, underscores. Not brackets: `[7]` is a footnote.
fn undecorated(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || "#*_=~|".contains(c))
}

/// What a word with a capital says of the line that it begins.
fn level_of(word: &str) -> Option<Level> {
    if word.starts_with(char::is_uppercase) { heading_words::level_of(word) } else { None }
}

/// Reads one line as a heading's label.
pub(super) fn label(line: &str) -> Option<Label<'_>> {
    let line = undecorated(line);
    if line.is_empty() || line.len() > 300 {
        return None;
    }
    if let Some(found) = han::counted(line) {
        let (rest, separated) = separate(found.rest);
        return Some(Label { level: found.level, number: found.number, rest, separated });
    }
    let (first, after) = numerals::word(line);
    match level_of(first) {
        Some(Level::Named) => named(line, after),
        Some(level) => keyed(level, after),
        None => articled(line).or_else(|| ordinal(line)).or_else(|| numbered(line)),
    }
}

/// `Chapter 7 ...`, `BOOK THE SECOND`, `Story: ...`, after the first word.
fn keyed(level: Level, after: &str) -> Option<Label<'_>> {
    if let Some(rest) = after.strip_prefix(':').map(str::trim)
        && level == Level::Chapter
        && rest.starts_with(|c: char| c.is_uppercase() || c.is_numeric())
        && !rest.ends_with(['.', ','])
    {
        return Some(Label { level, number: None, rest, separated: true });
    }
    let after = after.trim_start_matches(['.', ' ', '\t', ':']);
    let number = numerals::large(after).or_else(|| numerals::leading(after));
    let (number, tail) = number.or_else(|| last(after))?;
    let (rest, separated) = separate(tail);
    let starts_small = rest.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_lowercase);
    if starts_small && !separated {
        return None;
    }
    Some(Label { level, number: Some(number), rest, separated })
}

/// `CHAPTER THE LAST`: a number beyond any other.
fn last(after: &str) -> Option<(u32, &str)> {
    let (the, rest) = numerals::word(after);
    let (word, rest) = numerals::word(rest.trim_start());
    (the.eq_ignore_ascii_case("the") && word.eq_ignore_ascii_case("last")).then_some((u32::MAX, rest))
}

/// `FIRST PART`, `The Second Book`, `Erstes Kapitel`, `Première partie`, `1. Kapitel`, `2e partie`.
fn ordinal(line: &str) -> Option<Label<'_>> {
    let (number, tail, english) = match spelled(line) {
        Some(found) if line.starts_with(char::is_uppercase) => (found.value, found.rest, found.english),
        _ => {
            let (number, tail) = ordinal_digits(line)?;
            (number, tail, false)
        }
    };
    let (word, after) = numerals::word(tail.trim_start());
    // Other languages than English and German write these words small.
    let level = if english { level_of(word) } else { heading_words::level_of(word) };
    let level = level.filter(|level| *level != Level::Named)?;
    let (rest, separated) = separate(after);
    (rest.is_empty() || separated).then_some(Label { level, number: Some(number), rest, separated })
}

/// A number in digits with what makes it an ordinal, and the rest of the line.
fn ordinal_digits(line: &str) -> Option<(u32, &str)> {
    const MARKS: [&str; 16] = [
        ".", "\u{ba}", "\u{aa}", "\u{b0}", "re", "ère", "er", "e", "ème", "ième", "nd", "st", "rd", "th",
        "-я", "-й",
    ];
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let number = numerals::digits(line.get(..digits)?)?;
    let (mark, rest) = line.get(digits..)?.split_once(' ')?;
    MARKS.contains(&mark.to_lowercase().as_str()).then_some((number, rest))
}

/// `THE PROLOGUE`, in capitals.
fn articled(line: &str) -> Option<Label<'_>> {
    let rest = line.strip_prefix("THE ")?.trim_start();
    let (word, after) = numerals::word(rest);
    named(line, after).filter(|label| label.rest.is_empty() && level_of(word) == Some(Level::Named))
}

/// `Prologue`, `PREFACE TO THE SECOND EDITION`, `Epilogue: Home`.
fn named<'a>(line: &'a str, after: &'a str) -> Option<Label<'a>> {
    let (rest, separated) = separate(after);
    let fits = rest.is_empty()
        || is_capitals(line) && line.len() < 80
        || separated && line.len() < 80 && titled(rest);
    fits.then_some(Label { level: Level::Named, number: None, rest, separated })
}

/// `IV`, `4.`, `IV. Under Fire`, `4 Under Fire`, `四`.
fn numbered(line: &str) -> Option<Label<'_>> {
    let (first, tail) = numerals::word(line);
    let roman = numerals::roman(first).filter(|_| first.starts_with(char::is_uppercase));
    let (rest, separated) = separate(tail);
    // A number above 999 with words after it is a year, or an amount.
    let large = numerals::large(first).filter(|_| rest.is_empty() && numerals::letters(first).is_none());
    let written = han::number(line).filter(|(_, tail)| tail.is_empty() && !line.is_ascii());
    let counted = numerals::digits(first).or(roman).or(large.map(|(number, _)| number));
    let number = counted.or(written.map(|(number, _)| number))?;
    let fits =
        rest.is_empty() || titled(rest) && (separated || is_capitals(rest) && number > 1 || roman.is_none());
    fits.then_some(Label { level: Level::Number, number: Some(number), rest, separated })
}

/// A label's tail without the punctuation and space that part it from a title, and whether there
/// was punctuation.
fn separate(tail: &str) -> (&str, bool) {
    let rest = tail.trim_start_matches(|c: char| {
        c.is_whitespace() || ".:)-\u{2013}\u{2014},;*_\u{ff1a}\u{3001}\u{ff0e}\u{b7}\u{30fb}".contains(c)
    });
    let between = tail.get(..tail.len() - rest.len()).unwrap_or_default();
    (rest, !between.trim().is_empty())
}

/// The part's own name in a heading that also names its first chapter: `ACT I` of `ACT I, SCENE 1`.
pub(super) fn part_name(title: &str) -> &str {
    match label(title).filter(|part| label(part.rest).is_some()) {
        Some(part) => {
            let own = title.get(..title.len() - part.rest.len()).unwrap_or(title);
            own.trim_end_matches(|c: char| !c.is_alphanumeric())
        }
        None => title,
    }
}

/// Whether there is no small letter, and two capitals at least.
pub(super) fn is_capitals(text: &str) -> bool {
    !text.chars().any(char::is_lowercase) && text.chars().filter(|c| c.is_uppercase()).take(2).count() == 2
}

/// Whether a text could be a heading's title: capitals, or a phrase that is no sentence.
pub(super) fn titled(text: &str) -> bool {
    let text = undecorated(text);
    if is_capitals(text) {
        return text.len() < 300;
    }
    let quoted = text.starts_with(['"', '\u{201c}', '\'', '\u{2018}']);
    let closed = text.ends_with(['"', '\u{201d}', '\'', '\u{2019}']);
    let inner = text.trim_end_matches(['"', '\u{201d}', '\'', '\u{2019}']);
    let ends =
        inner.ends_with(['.', ',', ';', ':', '-', '\u{2014}']) || quoted && inner.ends_with(['!', '?']);
    let starts = text.chars().find(|c| c.is_alphanumeric()).is_some_and(|c| !c.is_lowercase());
    starts && !ends && quoted == (closed && quoted) && text.len() < 160
}

/// Whether each longer word of a phrase is capitalised.
pub(super) fn is_title_case(text: &str) -> bool {
    let mut words =
        text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| word.len() > 4).peekable();
    let all = words.peek().is_some() || text.starts_with(char::is_uppercase);
    all && words.all(|word| !word.starts_with(char::is_lowercase))
}

/// Whether a heading names notes.
pub(super) fn is_notes(text: &str) -> bool {
    heading_words::is_notes(numerals::word(undecorated(text)).0)
}

/// Reads a block as a heading, or its first line where prose follows at once.
pub(super) fn mark(text: &str, block: Block) -> Option<Mark> {
    let whole = block.of(text);
    let first = whole.lines().next()?;
    let label = label(first)?;
    let after = whole.get(first.len()..).unwrap_or_default().trim();
    let first_only = Span::new(block.span.range().start, block.span.range().start + first.trim_end().len());
    let (span, open) = match (label.rest.is_empty(), after.is_empty()) {
        (true, true) => (block.span, true),
        (true, false) if block.lines <= 4 && titled(after) => (block.span, false),
        (true, false) => (first_only, false),
        (false, true) => (block.span, false),
        (false, false) => titled_block(block, whole, label, after, first_only)?,
    };
    Some(Mark { level: label.level, number: label.number, span, open })
}

/// A label with a title on its line and more lines after: a long title, or a title and prose.
fn titled_block(
    block: Block,
    whole: &str,
    label: Label,
    after: &str,
    first_only: Span,
) -> Option<(Span, bool)> {
    let capitals = is_capitals(label.rest);
    let prose = !is_capitals(after)
        && (capitals || after.starts_with(char::is_uppercase))
        && after.ends_with(['.', '!', '?', '"', '\u{201d}', ':', ',', ';']);
    if block.lines <= 5 && whole.len() <= 300 && !prose {
        return Some((block.span, false));
    }
    let short = first_only.len() <= 72 && (label.separated || capitals);
    (label.level != Level::Number && short).then_some((first_only, false))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::blocks::blocks;
    use super::*;

    #[test]
    fn labels_are_read() {
        use Level::{Chapter, Named, Number, Part};
        let rows = [
            ("CHAPTER I", Some((Chapter, Some(1), ""))),
            ("Chapter One", Some((Chapter, Some(1), ""))),
            ("Chapter 1. The Ferry", Some((Chapter, Some(1), "The Ferry"))),
            (
                "CHAPTER II DUSK: THE \u{201c}SWAN\u{201d}",
                Some((Chapter, Some(2), "DUSK: THE \u{201c}SWAN\u{201d}")),
            ),
            ("## Chapter 3: In which it rains", Some((Chapter, Some(3), "In which it rains"))),
            ("Chapter 1342", Some((Chapter, Some(1342), ""))),
            ("CHAPTER MCDXLII. RAIN", Some((Chapter, Some(1442), "RAIN"))),
            ("1001.", Some((Number, Some(1001), ""))),
            ("MIX", None),
            ("THE PROLOGUE.", Some((Named, None, ""))),
            ("The prologue", None),
            ("THE END OF THE PROLOGUE.", None),
            ("CHAPTER THE LAST", Some((Chapter, Some(u32::MAX), ""))),
            ("Letter 2", Some((Chapter, Some(2), ""))),
            ("STORY: THE TWO BELLS", Some((Chapter, None, "THE TWO BELLS"))),
            ("PART ONE--The Old House", Some((Part, Some(1), "The Old House"))),
            ("BOOK THE SECOND", Some((Part, Some(2), ""))),
            ("FIRST PART", Some((Part, Some(1), ""))),
            ("IV. UNDER SAIL", Some((Number, Some(4), "UNDER SAIL"))),
            ("I", Some((Number, Some(1), ""))),
            ("12.", Some((Number, Some(12), ""))),
            ("_Prologue_", Some((Named, None, ""))),
            ("CONCLUSION.", Some((Named, None, ""))),
            ("PREFACE TO THE SECOND EDITION", Some((Named, None, "TO THE SECOND EDITION"))),
            ("Chapter 5 was the one he liked", None),
            ("Part of the way he walked.", None),
            ("Letter I wrote", None),
            ("Book", None),
            ("First he walked", None),
            ("I went home", None),
            ("I. I was born in the rain.", None),
            ("Introduction was needless between them.", None),
            ("1801.--I have come back", None),
            ("chapter one", None),
            ("Erstes Kapitel", Some((Chapter, Some(1), ""))),
            ("1. Kapitel. Die F\u{e4}hre", Some((Chapter, Some(1), "Die F\u{e4}hre"))),
            ("Kapitel 4: Regen", Some((Chapter, Some(4), "Regen"))),
            ("ZWEITER TEIL", Some((Part, Some(2), ""))),
            ("CHAPITRE PREMIER", Some((Chapter, Some(1), ""))),
            ("Deuxi\u{e8}me partie", Some((Part, Some(2), ""))),
            ("Pr\u{e9}face", Some((Named, None, ""))),
            ("Cap\u{ed}tulo XXI. La lluvia", Some((Chapter, Some(21), "La lluvia"))),
            ("CAPITOLO SECONDO", Some((Chapter, Some(2), ""))),
            ("Cap\u{ed}tulo d\u{e9}cimo primeiro", Some((Chapter, Some(11), ""))),
            (
                "\u{413}\u{43b}\u{430}\u{432}\u{430} \u{432}\u{442}\u{43e}\u{440}\u{430}\u{44f}",
                Some((Chapter, Some(2), "")),
            ),
            ("\u{7b2c}\u{4e09}\u{7ae0}\u{3000}\u{96e8}", Some((Chapter, Some(3), "\u{96e8}"))),
            ("\u{56db}", Some((Number, Some(4), ""))),
            ("Part once more of this", None),
            ("2nd part of the way", None),
            ("Band of brothers", None),
            ("[7] See page 4.", None),
            ("", None),
        ];
        for (line, expected) in rows {
            let found = label(line).map(|label| (label.level, label.number, label.rest));
            assert_eq!(found, expected, "{line:?}");
        }
    }

    #[test]
    fn parts_have_names_of_their_own() {
        assert_eq!(part_name("ACT I., SCENE 1."), "ACT I");
        assert_eq!(part_name("PART ONE--The Old House"), "PART ONE--The Old House");
        assert_eq!(part_name("PROLOGUE"), "PROLOGUE");
    }

    #[test]
    fn blocks_are_marked() {
        let rows = [
            ("CHAPTER I\nTHE FERRY", Some(("CHAPTER I\nTHE FERRY", false))),
            ("CHAPTER I", Some(("CHAPTER I", true))),
            ("CHAPTER I\nIt had rained all day, and\nthe river rose.", Some(("CHAPTER I", false))),
            ("CHAPTER I. THE FERRY\nIt had rained all day.", Some(("CHAPTER I. THE FERRY", false))),
            (
                "CHAPTER XX. IN WHICH IT RAINS, AND\nTHE FERRY DOES NOT COME",
                Some(("CHAPTER XX. IN WHICH IT RAINS, AND\nTHE FERRY DOES NOT COME", false)),
            ),
            ("XIII. HOW WE COME TO\n  BELIEVE", Some(("XIII. HOW WE COME TO\n  BELIEVE", false))),
            ("It was Chapter 5.", None),
        ];
        for (text, expected) in rows {
            let block = *blocks(text, Span::new(0, text.len())).first().unwrap();
            let found = mark(text, block).map(|mark| (mark.span.of(text), mark.open));
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
