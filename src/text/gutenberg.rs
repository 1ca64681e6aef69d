//! The Project Gutenberg header and footer: where the book lies between them, and what they say of it.
//!
//! Their forms changed over fifty years: start and end lines in stars, the small print of the oldest
//! files, a plain "End of Project Gutenberg's ...". A marker counts only at the start of a line.
//!
//! Invariant: the story's span lies inside the text; without markers it is the whole text.

use crate::knowledge::Span;

/// How far into a file a header may reach, in bytes.
const HEADER: usize = 100_000;
/// How far into a file its first mention of Project Gutenberg may stand, in bytes.
const MENTION: usize = 4_000;

/// What the header and footer tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrapper {
    pub(super) title: Option<String>,
    pub(super) author: Option<String>,
    /// The language's name in English, as the header writes it.
    pub(super) language: Option<String>,
    /// The text between header and footer.
    pub(super) story: Span,
}

/// Finds header and footer.
pub(super) fn unwrap(text: &str) -> Wrapper {
    let mut wrapper = Wrapper { title: None, author: None, language: None, story: Span::new(0, text.len()) };
    if !mentions(prefix(text, MENTION)) {
        return wrapper;
    }
    let start = header_end(text);
    let header = text.get(..start).unwrap_or_default();
    wrapper.title = field(header, "Title");
    wrapper.author = field(header, "Author");
    wrapper.language = field(header, "Language");
    let end = footer_start(text, start);
    wrapper.story = Span::new(credits_end(text, start, end), end);
    wrapper
}

fn prefix(text: &str, mut bytes: usize) -> &str {
    while bytes < text.len() && !text.is_char_boundary(bytes) {
        bytes += 1;
    }
    text.get(..bytes).unwrap_or(text)
}

fn mentions(text: &str) -> bool {
    text.to_lowercase().contains("project gutenberg")
}

/// The lines from byte `from` on, with the byte each starts at.
fn lines(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from;
    text.get(from..).unwrap_or_default().split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// A line with its stars, dashes and white space removed from the front, upper case, for matching.
fn bare(line: &str) -> (bool, String) {
    let trimmed = line.trim_start();
    let stripped = trimmed.trim_start_matches(['*', ' ']);
    let head = prefix(stripped, 80).to_uppercase();
    (trimmed.starts_with("**") || trimmed.starts_with("*END"), head)
}

/// The byte after the header's last line; 0 when none of its forms is there.
fn header_end(text: &str) -> usize {
    let (mut end, mut open) = (0, false);
    for (start, line) in lines(text, 0).take_while(|(start, _)| *start < HEADER) {
        let (stars, head) = bare(line);
        let opens = stars
            && (head.starts_with("START OF TH") && head.contains("GUTENBERG")
                || head.starts_with("END") && head.contains("SMALL PRINT"));
        // A long title runs over several lines until the closing stars.
        if opens || open {
            end = start + line.len();
            open = !line.trim_end().ends_with('*') && !line.trim().is_empty();
        }
    }
    end
}

/// The byte at which the footer starts; the text's length when there is none.
fn footer_start(text: &str, from: usize) -> usize {
    lines(text, from)
        .find(|(_, line)| {
            let (stars, head) = bare(line);
            let ends = head.starts_with("END OF TH") || head.starts_with("END OF PROJECT");
            let small = stars && head.contains("START") && head.contains("SMALL PRINT");
            ends && head.contains("GUTENBERG") || small
        })
        .map_or(text.len(), |(start, _)| start)
}

/// Skips the credits that follow the header: who produced the file.
fn credits_end(text: &str, start: usize, end: usize) -> usize {
    const CREDITS: [&str; 10] = [
        "produced by",
        "e-text prepared",
        "etext prepared",
        "this etext was",
        "this ebook was",
        "transcribed ",
        "credits:",
        "html version by",
        "scanned ",
        "updated editions",
    ];
    if start == 0 {
        return 0;
    }
    let (mut at, mut inside) = (start, false);
    for (place, line) in lines(text, start) {
        let lower = line.trim().trim_start_matches(['[', '*', '_']).to_lowercase();
        inside = match (lower.is_empty(), inside) {
            (true, _) => false,
            (false, true) => true,
            (false, false) => CREDITS.iter().any(|words| lower.starts_with(words)),
        };
        if place >= end || !inside && !lower.is_empty() {
            break;
        }
        at = place + line.len();
    }
    at.min(end)
}

/// A field of the header such as `Title: ...`, with its indented following lines.
fn field(header: &str, name: &str) -> Option<String> {
    let mut lines = header.lines();
    let first = lines.by_ref().find_map(|line| {
        let value = line.strip_prefix(name)?.trim_start().strip_prefix(':')?;
        Some(value.trim().to_owned())
    })?;
    let mut value = first;
    for line in lines.take_while(|line| line.starts_with(' ') && !line.trim().is_empty()) {
        value.push(' ');
        value.push_str(line.trim());
    }
    Some(value).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(text: &str) -> &str {
        unwrap(text).story.of(text).trim()
    }

    #[test]
    fn usual_and_older_forms() {
        let head = "The Project Gutenberg EBook of Rain, by A. Cole\n\nTitle: Rain\n  Or, Water\nAuthor: A. Cole\nLanguage: English\n\n";
        let rows = [
            (
                "*** START OF THIS PROJECT GUTENBERG EBOOK RAIN ***\n",
                "*** END OF THIS PROJECT GUTENBERG EBOOK RAIN ***\nLicence",
            ),
            (
                "***START OF THE PROJECT GUTENBERG EBOOK RAIN OR\nWATER***\n",
                "***END OF THE PROJECT GUTENBERG EBOOK RAIN***",
            ),
            (
                "*** START OF THE PROJECT GUTENBERG EBOOK RAIN ***\n\nProduced by B. Dunn and\nothers\n",
                "End of Project Gutenberg's Rain, by A. Cole\n",
            ),
            (
                "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n",
                "End of The Project Gutenberg Etext of Rain\n",
            ),
            (
                "*** START OF THE PROJECT GUTENBERG EBOOK RAIN ***\n\nE-text prepared by B. Dunn\n\n[Transcribed from a copy]\n",
                "",
            ),
        ];
        for (start, end) in rows {
            let text = format!("{head}{start}\n\nCHAPTER I\n\nIt rained.\n\n{end}");
            assert_eq!(story(&text), "CHAPTER I\n\nIt rained.", "{start}");
            let found = unwrap(&text);
            assert_eq!(found.title.as_deref(), Some("Rain Or, Water"));
            assert_eq!(found.author.as_deref(), Some("A. Cole"));
            assert_eq!(found.language.as_deref(), Some("English"));
        }
    }

    #[test]
    fn other_books_are_whole() {
        for text in [
            "It rained.\n\nEnd of the road.",
            "*** START ***\n\nIt rained.",
            "He named it after Project Gutenberg, and then it rained.",
        ] {
            assert_eq!(story(text), text);
        }
    }
}
