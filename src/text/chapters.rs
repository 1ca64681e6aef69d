//! The outline of a book: its chapters, and the parts of it that are not story.
//!
//! Headings, tables of contents and the title page are listed as skips, never lost. A preface with
//! real prose is a chapter; only a short run of lines before the first heading is front matter.
//!
//! Invariant: chapters are in order and disjoint; every character of the story that is not white
//! space lies in a skip or in a chapter.

use std::ops::Range;

use crate::knowledge::{Chapter, Skip, Span};

use super::blocks::{self, Block};
use super::headings::Level;
use super::select::{self, Heading};
use super::{contents, heading_words, headings, plays};

/// Prose before the first heading that makes a chapter of its own, in bytes.
const PREFACE: usize = 1500;
/// Text under a part's heading that is still its epigraph, in bytes.
const EPIGRAPH: usize = 300;

/// Chapters and skips of a story; skips end where their words end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    /// A chapter without a heading has an empty title.
    pub(super) chapters: Vec<Chapter>,
    pub(super) skips: Vec<Skip>,
    /// Whether any heading was found.
    pub(super) headed: bool,
    /// The blocks of the title page.
    pub(super) front: Vec<Span>,
    /// How many of the skips, the first, are tables of contents and lists of persons.
    lists: usize,
}

/// Finds the chapters of a story.
pub(super) fn outline(text: &str, story: Span) -> Outline {
    let blocks = blocks::blocks(text, story);
    let lists = lists(text, &blocks);
    let tables: Vec<Range<usize>> = lists.iter().map(|(list, _)| list.clone()).collect();
    let headings = select::select(text, &blocks, &tables);
    let mut outline = Outline { headed: !headings.is_empty(), ..Outline::default() };
    for (list, reason) in lists {
        let lines = blocks.get(list).unwrap_or_default();
        if let (Some(first), Some(last)) = (lines.first(), lines.last()) {
            let span = Span { start: first.span.start, end: last.span.end };
            outline.skips.push(Skip { span, reason });
        }
    }
    outline.lists = outline.skips.len();
    let first = headings.first().map_or(blocks.len(), |heading| heading.block);
    let before: Vec<Block> = (0..first)
        .filter(|place| !tables.iter().take(8).any(|table| table.contains(place)))
        .filter_map(|place| blocks.get(place).copied())
        .collect();
    let start = outline.front_matter(text, &before);
    outline.chapters(text, &headings, &blocks, start, story.end);
    outline.skips.sort_by_key(|skip| skip.span);
    outline
}

/// Tables of contents and lists of persons, each with the reason to skip it, in order and apart. What
/// begins first counts: a table may hold a list of persons, and the persons may be taken for a table.
fn lists(text: &str, blocks: &[Block]) -> Vec<(Range<usize>, &'static str)> {
    let mut lists: Vec<_> =
        contents::find(text, blocks).into_iter().map(|table| (table, "contents")).collect();
    lists.extend(plays::casts(text, blocks).into_iter().map(|cast| (cast, "front_matter")));
    lists.sort_by_key(|(list, _)| list.start);
    lists.dedup_by(|next, first| next.0.start < first.0.end);
    lists
}

impl Outline {
    /// Skips the title page, and gives the start of the text that stands before the first heading.
    fn front_matter(&mut self, text: &str, before: &[Block]) -> Option<u32> {
        let prose = |block: &&Block| block.is_prose(text);
        let amount: usize = before.iter().filter(prose).map(|block| block.span.len()).sum();
        let begins = match (self.headed, amount) {
            (true, amount) if amount < PREFACE => before.len(),
            (_, 0) => 0,
            _ => title_page(text, before),
        };
        for block in before.get(..begins).unwrap_or_default() {
            self.skips.push(Skip { span: block.span, reason: "front_matter" });
            self.front.push(block.span);
        }
        before.get(begins).map(|block| block.span.start)
    }

    /// One chapter for each heading, and one for the text before the first if there is any.
    fn chapters(&mut self, text: &str, headings: &[Heading], blocks: &[Block], start: Option<u32>, end: u32) {
        let groups = groups(headings, blocks);
        let starts = groups.iter().filter_map(|group| Some(group.first()?.span.start));
        let ends: Vec<u32> = starts.clone().skip(1).chain([end]).collect();
        if let Some(start) = start {
            let end = starts.clone().next().unwrap_or(end);
            self.chapters.push(Chapter { title: String::new(), span: Span { start, end } });
        }
        let (mut part, mut scene) = (String::new(), 0);
        let mut parts = Vec::new();
        for (group, end) in groups.iter().zip(ends) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            match group.iter().rfind(|heading| heading.level == Level::Part) {
                Some(heading) => part = headings::part_name(&heading.title).to_owned(),
                None if last.level == Level::Named => part.clear(),
                // The first scene of another play, whose act has no heading.
                None if plays::scene(&last.title).is_some_and(|number| number <= scene) => part.clear(),
                None => {}
            }
            scene = plays::scene(&last.title).unwrap_or(0);
            self.skip_heading(text, Span { start: first.span.start, end: last.span.end });
            parts.push((self.chapters.len(), part.clone()));
            self.chapters
                .push(Chapter { title: last.title.clone(), span: Span { start: first.span.start, end } });
        }
        self.tell_apart(&parts);
        self.skip_ends(text, blocks);
    }

    /// Skips a heading, around the tables and lists that stand in it.
    fn skip_heading(&mut self, text: &str, heading: Span) {
        let tables = self.skips.get(..self.lists).unwrap_or_default();
        let from = tables.partition_point(|table| table.span.start < heading.start);
        let inside = tables.iter().skip(from).take_while(|table| heading.contains(table.span));
        let tables: Vec<Span> = inside.map(|table| table.span).collect();
        let starts = std::iter::once(heading.start).chain(tables.iter().map(|table| table.end));
        let ends = tables.iter().map(|table| table.start).chain([heading.end]);
        for (start, end) in starts.zip(ends) {
            let words = Span { start, end }.of(text);
            let start = start + (words.len() - words.trim_start().len()) as u32;
            if start < end {
                self.skips.push(Skip { span: Span { start, end }, reason: "heading" });
            }
        }
    }

    /// Puts the part's title before the titles that several chapters bear, and the act before a scene.
    fn tell_apart(&mut self, parts: &[(usize, String)]) {
        let mut titles: Vec<String> = self.chapters.iter().map(|chapter| chapter.title.clone()).collect();
        titles.sort();
        let twice = |title: &str| {
            titles.partition_point(|other| other.as_str() <= title)
                - titles.partition_point(|other| other.as_str() < title)
                > 1
        };
        for (place, part) in parts {
            if let Some(chapter) = self.chapters.get_mut(*place)
                && !part.is_empty()
                && !chapter.title.starts_with(part.as_str())
                && (twice(&chapter.title) || plays::scene(&chapter.title).is_some() && plays::is_act(part))
            {
                chapter.title = format!("{part}, {}", chapter.title);
            }
        }
    }

    /// Skips the line that says `THE END`, where it is the last.
    fn skip_ends(&mut self, text: &str, blocks: &[Block]) {
        if let Some(block) = blocks.last()
            && blocks.len() > 1
            && heading_words::is_end(block.of(text))
            && self.skips.iter().all(|skip| !skip.span.contains(block.span))
        {
            self.skips.push(Skip { span: block.span, reason: "separator" });
        }
    }
}

/// Headings with the parts directly before them: a part with no text of its own but an epigraph
/// begins with its first chapter.
fn groups<'a>(headings: &'a [Heading], blocks: &[Block]) -> Vec<&'a [Heading]> {
    headings
        .chunk_by(|one, next| {
            let between = blocks.get(one.after..next.block).unwrap_or_default();
            let amount: usize = between.iter().map(|block| block.span.len()).sum();
            one.level == Level::Part && amount < EPIGRAPH
        })
        .collect()
}

/// How many blocks at the start are a title page: short lines before the first prose.
fn title_page(text: &str, before: &[Block]) -> usize {
    let short =
        |block: &&Block| block.lines <= 4 && block.span.len() < 200 && headings::titled(block.of(text));
    let lines = before.iter().take_while(|block| !block.is_prose(text)).count();
    let page = before.iter().take(lines).take_while(short).count();
    if page == lines { page } else { 0 }
}
