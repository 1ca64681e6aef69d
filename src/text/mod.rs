//! From bytes to a document with chapters, and from a document to sentences and chunks.
//!
//! [`read`] decodes a file, takes off the Project Gutenberg wrapper, and finds the chapters and what
//! is not story. [`chunk`] packs the sentences of each chapter. Nothing of the text is changed or
//! lost on the way: every part of it lies in a chunk or in a listed skip.
//!
//! Invariant: the skips of a document are in order, disjoint, and hold the white space after their
//! words; chapters without their skips, and the skips, tile the text.

mod blocks;
mod boundaries;
mod chapters;
mod chunks;
mod contents;
mod corrected;
mod decode;
mod gutenberg;
mod han;
mod heading_words;
mod headings;
mod language;
mod number_words;
mod numerals;
mod offsets;
mod plays;
mod select;
mod sentences;
mod tokens;

pub use chunks::{chunk, chunk_paced};
pub use corrected::ChapterStart;
pub use decode::MAX_BYTES;
pub use offsets::Utf16Map;
pub use sentences::sentences;
pub use tokens::tokens;

use crate::error::{Code, Error, Result};
use crate::knowledge::{Chapter, Issue, Skip, Span, Wishes};
use crate::pace::{self, Pace};

/// Why a part of a document is not chunked: every value of [`Skip::reason`].
pub const SKIP_REASONS: [&str; 5] = ["boilerplate", "front_matter", "contents", "heading", "separator"];

/// What the caller knows about the input.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The file's name: a hint for the format and a last resort for the title.
    pub name: Option<String>,
    /// The encoding to use instead of the recognised one.
    pub encoding: Option<String>,
    /// The title to use instead of the found one.
    pub title: Option<String>,
    /// The chapters to use instead of the found ones; none for these.
    pub chapters: Vec<ChapterStart>,
    /// Which of the book's names are one, and which are not.
    pub merges: Wishes,
}

/// A whole input as text, with what is known of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Title.
    pub title: String,
    /// Author, empty when not found.
    pub author: String,
    /// Language as a BCP 47 tag; `und` when it is not known.
    pub language: String,
    /// The document text.
    pub text: String,
    /// Chapters in text order.
    pub chapters: Vec<Chapter>,
    /// Everything that is not chunked, in text order.
    pub skips: Vec<Skip>,
    /// What a reader should know.
    pub issues: Vec<Issue>,
}

/// Reads a plain-text book.
///
/// ```
/// use plotbridge::text::{ReadOptions, chunk, read};
/// let bytes = b"CHAPTER I\n\nIt rained. He waited.\n\nCHAPTER II\n\nShe came.";
/// let book = read(bytes, &ReadOptions::default())?;
/// assert_eq!(book.chapters[1].title, "CHAPTER II");
/// assert_eq!(chunk(&book, 512, 0)[0].span.of(&book.text), "It rained. He waited.\n\n");
/// # Ok::<(), plotbridge::Error>(())
/// ```
///
/// # Errors
/// `too_large`, `unsupported_format`, `encoding` and `unreadable`; `usage` for chapters that cannot be.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
    pace::straight(async |pace| read_paced(bytes, options, pace).await)
}

/// [`read`], in steps between which a page stays responsive.
///
/// # Errors
/// As [`read`], and `aborted` when the caller cancels.
pub async fn read_paced(bytes: &[u8], options: &ReadOptions, pace: &Pace<'_>) -> Result<Document> {
    let decoded = decode::decode(bytes, options.encoding.as_deref())?;
    let text = decoded.text;
    pace.step("read", 1, 4).await?;
    let wrapper = gutenberg::unwrap(&text);
    if wrapper.story.of(&text).trim().is_empty() {
        return Err(Error::new(
            Code::Unreadable,
            "the input holds a project gutenberg header and footer, but no text between them",
        ));
    }
    pace.step("read", 2, 4).await?;
    let outline = chapters::outline(&text, wrapper.story);
    pace.step("read", 3, 4).await?;
    let mut issues = Vec::new();
    if decoded.encoding != "utf-8" {
        issues.push(Issue::new(
            "encoding",
            format!("the text was read as {}; where letters are wrong, name its encoding", decoded.encoding),
        ));
    }
    if !outline.headed {
        issues.push(Issue::new("no_chapters", "no chapter headings were found; the text is one chapter"));
    }
    let (page_title, page_author) = title_page(&text, &outline.front);
    let title = first_of([
        options.title.clone(),
        wrapper.title.clone(),
        page_title,
        options.name.as_deref().map(file_title),
    ])
    .unwrap_or_else(|| "Untitled".to_owned());
    let mut chapters = outline.chapters;
    for chapter in chapters.iter_mut().filter(|chapter| chapter.title.is_empty()) {
        chapter.title.clone_from(&title);
    }
    let document = Document {
        author: first_of([wrapper.author, page_author]).unwrap_or_default(),
        language: language(&text, wrapper.story, wrapper.language.as_deref(), &mut issues),
        skips: tiled(&text, wrapper.story, outline.skips, &mut chapters),
        title,
        chapters,
        issues,
        text,
    };
    if options.chapters.is_empty() { Ok(document) } else { corrected::correct(document, &options.chapters) }
}

/// The first that is there and not blank.
fn first_of<const N: usize>(choices: [Option<String>; N]) -> Option<String> {
    choices.into_iter().flatten().map(|choice| choice.trim().to_owned()).find(|choice| !choice.is_empty())
}

/// Title and author from the lines before the first chapter.
fn title_page(text: &str, front: &[Span]) -> (Option<String>, Option<String>) {
    let lines: Vec<String> =
        front.iter().take(6).flat_map(|span| before_and_after_by(span.of(text))).collect();
    let title =
        lines.first().filter(|first| first.len() <= 120 && !first.to_lowercase().starts_with("by ")).cloned();
    let author = lines.iter().enumerate().find_map(|(place, line)| {
        let lower = line.to_lowercase();
        match lower.as_str() {
            "by" => lines.get(place + 1).cloned(),
            _ if lower.starts_with("by ") => line.get(3..).map(str::to_owned),
            _ => None,
        }
    });
    (title, author.filter(|author| author.len() <= 80))
}

/// A block of a title page as one line, or as two where a line of it begins with `by`.
fn before_and_after_by(block: &str) -> impl Iterator<Item = String> {
    let lines: Vec<&str> = block.lines().map(str::trim).collect();
    let by = |line: &&str| line.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("by"));
    let (title, author) = lines.split_at(lines.iter().position(by).unwrap_or(lines.len()));
    let joined = |part: &[&str]| part.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    [joined(title), joined(author)].into_iter().filter(|line| !line.is_empty())
}

/// A file's name as a title: `the_long_rain.txt` is `The Long Rain`.
fn file_title(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
    };
    stem.split(['_', '-', ' ', '.']).filter_map(capital).collect::<Vec<_>>().join(" ")
}

/// The language of the story, with an issue where it is not English as far as one can tell.
fn language(text: &str, story: Span, header: Option<&str>, issues: &mut Vec<Issue>) -> String {
    match header.and_then(language::named).or_else(|| language::of(story.of(text))) {
        Some("en") => "en".to_owned(),
        Some(tag) => {
            let message =
                format!("the book's language is {tag:?}, but the built-in extraction is made for english");
            issues.push(Issue::new("language_unsupported", message));
            tag.to_owned()
        }
        None => {
            issues.push(Issue::new(
                "language_unknown",
                "the text does not read as english, which the built-in extraction is made for",
            ));
            "und".to_owned()
        }
    }
}

/// The skips with the boilerplate around the story, each stretched over the white space after it; the
/// first piece of the text, skip or chapter, is stretched to the text's start, the last to its end.
fn tiled(text: &str, story: Span, found: Vec<Skip>, chapters: &mut [Chapter]) -> Vec<Skip> {
    let next_word = |at: u32| {
        let rest = text.get(at as usize..).unwrap_or_default();
        at + (rest.len() - rest.trim_start().len()) as u32
    };
    let whole = Span::new(0, text.len());
    let story = Span { start: if story.start == 0 { 0 } else { next_word(story.start) }, end: story.end };
    let boilerplate = |start, end| Skip { span: Span { start, end }, reason: "boilerplate" };
    let mut skips = Vec::with_capacity(found.len() + 2);
    skips.push(boilerplate(0, story.start));
    for mut skip in found {
        skip.span.end = next_word(skip.span.end).min(story.end);
        match skips.last_mut() {
            Some(last) if last.reason == skip.reason && last.span.end == skip.span.start => {
                last.span.end = skip.span.end
            }
            _ => skips.push(skip),
        }
    }
    skips.push(boilerplate(story.end, whole.end));
    skips.retain(|skip| !skip.span.is_empty());
    // White space at the very start belongs to the first piece.
    let first = next_word(0);
    if let Some(chapter) = chapters.first_mut().filter(|chapter| chapter.span.start == first) {
        chapter.span.start = 0;
    }
    if let Some(skip) = skips.first_mut().filter(|skip| skip.span.start == first) {
        skip.span.start = 0;
    }
    skips
}
