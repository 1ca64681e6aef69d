//! The list of chapters as somebody corrected it, in place of the found one.
//!
//! A corrected chapter begins where it is said to and reaches to the next; what stands before the first is
//! front matter. Of what was left out as a heading only that stays out which begins a chapter: the heading of a
//! chapter that was joined to the one before is part of its text again. Nothing of the text is lost.
//!
//! Invariant: as everywhere here, chapters without their skips, and the skips, tile the text.

use crate::error::{Code, Error, Result};
use crate::knowledge::{Chapter, Skip, Span};

use super::{Document, Utf16Map};

/// Where a chapter begins and what it is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChapterStart {
    /// Its title; the book's title where this is blank.
    pub title: String,
    /// Its first character, in UTF-16 units from the text's start, as every offset that leaves the engine.
    pub start: u32,
}

/// The most bytes of a title: what an index file takes.
const TITLE: usize = 4096;

/// The document with these chapters.
///
/// # Errors
/// `usage` where there is none, one begins outside the text or the story or not after the one before, or a
/// title is too long.
pub(super) fn correct(mut document: Document, wanted: &[ChapterStart]) -> Result<Document> {
    let map = Utf16Map::new(&document.text);
    let wrong = |place: usize, what: &str| Error::new(Code::Usage, format!("chapters[{place}] {what}"));
    let story = story(&document);
    let mut chapters: Vec<Chapter> = Vec::with_capacity(wanted.len());
    for (place, one) in wanted.iter().enumerate() {
        let start = map.to_byte(one.start).filter(|start| story.start <= *start && *start < story.end);
        let start = start.ok_or_else(|| wrong(place, "begins outside the story"))?;
        if chapters.last().is_some_and(|before| start <= before.span.start) {
            return Err(wrong(place, "does not begin after the one before it"));
        }
        if one.title.len() > TITLE {
            return Err(wrong(place, &format!("has a title of more than {TITLE} bytes")));
        }
        if let Some(before) = chapters.last_mut() {
            before.span.end = start;
        }
        let title = one.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = if title.is_empty() { document.title.clone() } else { title };
        chapters.push(Chapter { title, span: Span { start, end: story.end } });
    }
    let first = chapters.first().map_or(story.end, |chapter| chapter.span.start);
    document.skips = skips(&document.skips, &chapters, Span { start: story.start, end: first });
    document.chapters = chapters;
    document.issues.retain(|issue| issue.code != "no_chapters");
    Ok(document)
}

/// The text without the boilerplate around it.
fn story(document: &Document) -> Span {
    let whole = Span::new(0, document.text.len());
    let boilerplate = |skip: &&Skip| skip.reason == "boilerplate";
    let first = document.skips.first().filter(boilerplate).filter(|skip| skip.span.start == 0);
    let last = document.skips.last().filter(boilerplate).filter(|skip| skip.span.end == whole.end);
    let start = first.map_or(0, |skip| skip.span.end);
    Span { start, end: last.map_or(whole.end, |skip| skip.span.start).max(start) }
}

/// The skips around and in the new chapters, in order and apart.
fn skips(found: &[Skip], chapters: &[Chapter], front: Span) -> Vec<Skip> {
    let begins = |at: u32| chapters.binary_search_by_key(&at, |chapter| chapter.span.start).is_ok();
    let mut skips: Vec<Skip> = Vec::new();
    let mut at = front.start;
    for skip in found {
        if skip.reason == "heading" && !begins(skip.span.start) && skip.span.start >= front.end {
            continue;
        }
        let before = Span { start: at.max(front.start), end: skip.span.start.min(front.end) };
        if before.start < before.end {
            skips.push(Skip { span: before, reason: "front_matter" });
        }
        at = at.max(skip.span.end);
        // A chapter that begins inside of what was left out begins there.
        let cuts = chapters.iter().map(|chapter| chapter.span.start);
        let inside = cuts.filter(|cut| skip.span.start < *cut && *cut < skip.span.end);
        match inside.min() {
            Some(cut) => skips.push(Skip { span: Span { start: skip.span.start, end: cut }, ..skip.clone() }),
            None => skips.push(skip.clone()),
        }
    }
    if at < front.end {
        skips.push(Skip { span: Span { start: at, end: front.end }, reason: "front_matter" });
    }
    skips.sort_by_key(|skip| skip.span);
    skips
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{ReadOptions, chunk, read};
    use super::*;

    const TEXT: &str = "The River\n\nby A. Nobody\n\nCHAPTER I\n\nIt rained – and “rained”.\n\nCHAPTER II\n\nShe came.\n\nCHAPTER III\n\nHe left.";

    fn with(starts: &[(&str, &str)]) -> Result<Document> {
        let at = |words: &str| TEXT.get(..TEXT.find(words).unwrap()).unwrap().encode_utf16().count() as u32;
        let chapters =
            starts.iter().map(|(title, words)| ChapterStart { title: (*title).to_owned(), start: at(words) });
        read(TEXT.as_bytes(), &ReadOptions { chapters: chapters.collect(), ..ReadOptions::default() })
    }

    fn parts(document: &Document) -> Vec<String> {
        chunk(document, 512, 0).iter().map(|chunk| chunk.span.of(TEXT).trim().to_owned()).collect()
    }

    #[test]
    fn chapters_are_joined_renamed_and_cut() {
        let joined = with(&[("Rain", "CHAPTER I\n"), ("", "CHAPTER III")]).unwrap();
        let titles: Vec<&str> = joined.chapters.iter().map(|chapter| chapter.title.as_str()).collect();
        assert_eq!(titles, ["Rain", "The River"]);
        assert_eq!(parts(&joined), ["It rained – and “rained”.\n\nCHAPTER II\n\nShe came.", "He left."]);
        let cut = with(&[("Preface", "by A."), ("Came", "She came")]).unwrap();
        assert_eq!(
            parts(&cut).first().unwrap(),
            "by A. Nobody\n\nCHAPTER I\n\nIt rained – and “rained”.\n\nCHAPTER II"
        );
        for document in [joined, cut] {
            let chunks: usize = chunk(&document, 512, 0).iter().map(|chunk| chunk.span.len()).sum();
            let skips: usize = document.skips.iter().map(|skip| skip.span.len()).sum();
            assert_eq!(chunks + skips, TEXT.len(), "{:?}", document.skips);
        }
    }

    #[test]
    fn what_is_no_list_of_chapters_is_refused() {
        let start = |start| ChapterStart { start, ..ChapterStart::default() };
        for (chapters, what) in [
            (vec![start(9999)], "chapters[0] begins outside the story"),
            (vec![start(30), start(30)], "chapters[1] does not begin after"),
            (vec![ChapterStart { title: "a".repeat(5000), start: 0 }], "chapters[0] has a title of more"),
        ] {
            let refused =
                read(TEXT.as_bytes(), &ReadOptions { chapters, ..ReadOptions::default() }).unwrap_err();
            assert!(refused.to_string().contains(what), "{refused}");
            assert_eq!(refused.code(), Code::Usage);
        }
    }
}
