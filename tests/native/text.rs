//! Whole novels: every byte is chunked or listed as skipped, and the chapters are the book's own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;

use plotbridge::knowledge::{Chunk, Span};
use plotbridge::pace::{Host, Pace, Progress};
use plotbridge::text::{Document, ReadOptions, Utf16Map, chunk, chunk_paced, read, sentences, tokens};
use proptest::prelude::*;

use super::support::shared;

fn book(path: &std::path::Path) -> plotbridge::Result<Document> {
    let bytes = std::fs::read(path).unwrap();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    read(&bytes, &ReadOptions { name, ..ReadOptions::default() })
}

/// Panics unless chunks and skips tile the text and every chunk is one chapter's and not too long.
fn check_tiling(document: &Document, chunks: &[Chunk], limit: usize) {
    let mut pieces: Vec<Span> = chunks.iter().map(|chunk| chunk.span).collect();
    pieces.extend(document.skips.iter().map(|skip| skip.span));
    pieces.sort();
    let mut at = 0;
    for piece in &pieces {
        assert_eq!(piece.start, at, "a gap or an overlap at byte {at}: {:?}", piece.of(&document.text));
        assert!(piece.end > piece.start && document.text.is_char_boundary(piece.range().end));
        at = piece.end;
    }
    assert_eq!(at as usize, document.text.len());
    for chunk in chunks {
        let words = chunk.span.of(&document.text);
        assert_eq!(chunk.tokens, tokens(words));
        assert!(chunk.tokens as usize <= limit, "{} tokens, limit {limit}: {words:?}", chunk.tokens);
        assert!(document.chapters[chunk.chapter as usize].span.contains(chunk.span));
    }
}

/// Every book of the folder: how many chapters it has, the first and the last title, and how many
/// bytes of front matter and contents there are. Counted by reading.
const BOOKS: [(&str, usize, &str, &str, usize); 13] = [
    (
        "a_princess_of_mars.txt",
        28,
        "CHAPTER I. ON THE ARIZONA HILLS",
        "CHAPTER XXVIII. AT THE ARIZONA CAVE",
        0,
    ),
    ("cinderella_comorag.txt", 1, "Cinderella Comorag", "Cinderella Comorag", 0),
    ("dragons_blood.txt", 21, "CHAPTER I. A LADY AND A GRIFFIN", "CHAPTER XXI. THE DRAGON'S SHADOW", 1620),
    (
        "fairytaleqa_val_collection.txt",
        23,
        "STORY: ASSIPATTLE AND THE MESTER STOORWORM",
        "STORY: WHY DOG AND CAT ARE ENEMIES",
        0,
    ),
    ("frankenstein_or_the_modern_prometheus.txt", 28, "Letter 1", "Chapter 24", 0),
    ("jane_eyre_an_autobiography.txt", 38, "CHAPTER I", "CHAPTER XXXVIII--CONCLUSION", 0),
    ("silas_marner.txt", 22, "CHAPTER I", "CONCLUSION.", 0),
    (
        "the_hound_of_the_baskervilles.txt",
        15,
        "Chapter 1. Mr. Sherlock Holmes",
        "Chapter 15. A Retrospection",
        0,
    ),
    ("the_scarlet_pimpernel.txt", 31, "CHAPTER I PARIS: SEPTEMBER, 1792", "CHAPTER XXXI THE ESCAPE", 0),
    ("the_secret_adversary.txt", 29, "PROLOGUE", "CHAPTER XXVIII. AND AFTER", 0),
    ("the_secret_garden.txt", 27, "CHAPTER I. THERE IS NO ONE LEFT", "CHAPTER XXVII. IN THE GARDEN", 0),
    ("treasure_island.txt", 34, "1. The Old Sea-dog at the Admiral Benbow", "34. And Last", 0),
    ("wuthering_heights.txt", 34, "CHAPTER I", "CHAPTER XXXIV", 0),
];

#[test]
#[ignore = "reads ../shared/data"]
fn novels_have_their_chapters_and_lose_nothing() {
    let Some(folder) = shared("data/books") else { return };
    for (name, count, first, last, before) in BOOKS {
        let document = book(&folder.join(name)).unwrap();
        let titles: Vec<&str> = document.chapters.iter().map(|chapter| chapter.title.as_str()).collect();
        assert_eq!(titles.len(), count, "{name}: {titles:#?}");
        assert_eq!((titles[0], titles[count - 1]), (first, last), "{name}");
        let skipped = document.skips.iter().filter(|skip| skip.reason != "heading");
        assert_eq!(skipped.map(|skip| skip.span.len()).sum::<usize>(), before, "{name}");
        assert_eq!(document.language, "en", "{name}");
        let chunks = chunk(&document, 512, 0);
        check_tiling(&document, &chunks, 512);
        let mean = chunks.iter().map(|chunk| chunk.tokens as usize).sum::<usize>() / chunks.len();
        assert!(mean > 430, "{name}: {mean} tokens a chunk: chunks are cut too often");
        check_sentences(&document, &chunks, name);
    }
}

/// Panics unless a chunk's sentences are the chapter's sentences there, and few are long or tiny.
fn check_sentences(document: &Document, chunks: &[Chunk], name: &str) {
    let by_chunk: Vec<Span> = chunks.iter().flat_map(|chunk| sentences(&document.text, chunk.span)).collect();
    let by_chapter: Vec<Span> = document
        .chapters
        .iter()
        .flat_map(|chapter| sentences(&document.text, chapter.span))
        .filter(|span| !document.skips.iter().any(|skip| skip.span.contains(*span)))
        .collect();
    assert_eq!(by_chunk.len(), by_chapter.len(), "{name}");
    assert!(by_chunk == by_chapter, "{name}: chunks cut sentences in another way than chapters");
    let small = |span: &&Span| span.of(&document.text).starts_with(char::is_lowercase);
    let small = by_chunk.iter().filter(small).count();
    assert!(small * 100 < by_chunk.len(), "{name}: {small} of {} begin small", by_chunk.len());
}

/// A raw file as it is to be read. Counted by reading it.
struct Raw {
    name: &'static str,
    title: &'static str,
    author: &'static str,
    language: &'static str,
    chapters: usize,
    first: &'static str,
    last: &'static str,
    /// Skips of each reason; headings and the wrapper at both ends are in every file.
    skips: &'static [(&'static str, usize)],
}

const RAW: [Raw; 5] = [
    Raw {
        name: "10321.txt",
        title: "Dragon's blood",
        author: "Henry Milner Rideout",
        language: "en",
        chapters: 21,
        first: "CHAPTER I. A LADY AND A GRIFFIN",
        last: "CHAPTER XXI. THE DRAGON'S SHADOW",
        skips: &[("front_matter", 1), ("contents", 1), ("separator", 0)],
    },
    Raw {
        name: "10762.txt",
        title: "Impressions of Theophrastus Such",
        author: "George Eliot",
        language: "en",
        chapters: 18,
        first: "I. LOOKING INWARD.",
        last: "XVIII. THE MODERN HEP! HEP! HEP!",
        skips: &[("front_matter", 1), ("contents", 1), ("separator", 1)],
    },
    Raw {
        name: "10146.txt",
        title: "Reminiscences of Pioneer Days in St. Paul",
        author: "Frank Moore",
        language: "en",
        chapters: 14,
        first: "NEWSPAPER STRUGGLES OF PIONEER DAYS. A BRIEF NARRATION OF INCIDENTS AND EVENTS CONNECTED WITH THE EARLY DAYS OF ST. PAUL, DAILY NEWSPAPERS.",
        last: "HALF A CENTURY WITH THE PIONEER PRESS.",
        skips: &[("front_matter", 1), ("contents", 0), ("separator", 0)],
    },
    Raw {
        name: "11047.txt",
        title: "Libro segundo de lectura",
        author: "Ellen M. Cyr",
        language: "es",
        chapters: 1,
        first: "Libro segundo de lectura",
        last: "Libro segundo de lectura",
        skips: &[("front_matter", 0), ("contents", 0), ("separator", 0)],
    },
    // Five plays and their editor's notes, which come last.
    Raw {
        name: "10467.txt",
        title: "A Select Collection of Old English Plays, Vol. VIII (4th edition)",
        author: "Various",
        language: "en",
        chapters: 68,
        first: "A Select Collection of Old English Plays, Vol. VIII (4th edition)",
        last: "FOOTNOTES:",
        skips: &[("front_matter", 5), ("contents", 1), ("separator", 0)],
    },
];

#[test]
#[ignore = "reads ../shared/data"]
fn gutenberg_files_are_unwrapped() {
    let Some(folder) = shared("data/robust/gutenberg_raw") else { return };
    for raw in RAW {
        let name = raw.name;
        let document = book(&folder.join(name)).unwrap();
        assert_eq!((document.title.as_str(), document.author.as_str()), (raw.title, raw.author), "{name}");
        assert_eq!(document.language, raw.language, "{name}");
        let titles: Vec<&str> = document.chapters.iter().map(|chapter| chapter.title.as_str()).collect();
        let found = (titles.len(), titles[0], titles[titles.len() - 1]);
        assert_eq!(found, (raw.chapters, raw.first, raw.last), "{name}: {titles:#?}");
        for (reason, count) in raw.skips {
            let found = document.skips.iter().filter(|skip| skip.reason == *reason).count();
            assert_eq!(found, *count, "{name}: {reason}: {:#?}", document.skips);
        }
        let chunks = chunk(&document, 512, 0);
        check_tiling(&document, &chunks, 512);
        let words: String = chunks.iter().map(|chunk| chunk.span.of(&document.text)).collect();
        assert!(!words.contains("Gutenberg"), "{name}: boilerplate is chunked");
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn the_chapters_of_a_play_are_its_acts_and_scenes() {
    let Some(folder) = shared("data/robust/gutenberg_raw") else { return };
    let document = book(&folder.join("10467.txt")).unwrap();
    let titles: Vec<&str> = document.chapters.iter().map(|chapter| chapter.title.as_str()).collect();
    let scenes: Vec<&&str> = titles.iter().filter(|title| title.contains("SCENE")).collect();
    // What grep counts of lines that begin so.
    assert_eq!(scenes.len(), 58, "{titles:#?}");
    // The first act of one play has no heading of its own; every other scene says its act.
    let bare = scenes.iter().filter(|title| !title.starts_with("ACT ")).count();
    assert_eq!(bare, 6, "{titles:#?}");
    let others: Vec<&&str> = titles.iter().filter(|title| !title.contains("SCENE")).skip(1).collect();
    let expected = [
        "THE PROLOGUE.",
        "THE EPILOGUE.",
        "INTRODUCTION.",
        "INTRODUCTION.",
        "THE PROLOGUE.",
        "THE EPILOGUE.",
        "INTRODUCTION",
        "PROLOGUE",
        "FOOTNOTES:",
    ];
    assert_eq!(others, expected.iter().collect::<Vec<_>>());
    let listed = |name: &str| {
        let at = |span: Span| span.of(&document.text).contains(name);
        document.skips.iter().any(|skip| skip.reason == "front_matter" && at(skip.span))
    };
    for name in ["BACKWINTEB.", "WARMAN'S COUSIN.", "ABBESS OF DUNMOW.", "TIPSTAVES.", "AKERCOCK"] {
        assert!(listed(name), "{name} is searched as if the list of persons were story");
    }
}

#[test]
fn fifteen_hundred_chapters_are_fifteen_hundred() {
    let prose = "It had rained since the morning, and the ferry lay on the other bank. ".repeat(45);
    let roman = |number: usize| {
        let steps = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L")];
        let small = [(40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")];
        let (mut rest, mut text) = (number, String::new());
        for (value, letters) in steps.into_iter().chain(small) {
            while rest >= value {
                text.push_str(letters);
                rest -= value;
            }
        }
        text
    };
    let styles: [(&str, &dyn Fn(usize) -> String); 3] = [
        ("figures", &|number| format!("Chapter {number}")),
        ("Roman", &|number| format!("CHAPTER {}", roman(number))),
        ("bare", &|number| format!("{number}.")),
    ];
    for (what, heading) in styles {
        let text: String = (1..=1500).map(|number| format!("{}\n\n{prose}\n\n\n", heading(number))).collect();
        let document = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let titles: Vec<&str> = document.chapters.iter().map(|chapter| chapter.title.as_str()).collect();
        assert_eq!((titles.len(), titles.last()), (1500, Some(&heading(1500).as_str())), "{what}");
        check_tiling(&document, &chunk(&document, 512, 0), 512);
    }
}

/// A host whose clock runs out at every look, and which notes how far the chunks are.
#[derive(Default)]
struct Steps {
    now: Cell<f64>,
    chunked: RefCell<Vec<usize>>,
}

impl Host for Steps {
    fn now_ms(&self) -> f64 {
        self.now.set(self.now.get() + plotbridge::pace::SLICE_MS);
        self.now.get()
    }
    fn cancelled(&self) -> bool {
        false
    }
    fn progress(&self, progress: Progress) {
        if progress.stage == "chunks" {
            self.chunked.borrow_mut().push(progress.done);
        }
    }
    fn pause(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// What lies between two looks at the clock is a task that nothing can interrupt.
#[test]
fn a_book_of_one_line_is_cut_in_short_steps() {
    for line in ["rain and wind and ", "Rain and wind and rain. ", "x"] {
        let text = line.repeat((1 << 20) / line.len());
        let document = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let host = Steps::default();
        let chunks = pollster::block_on(chunk_paced(&document, 512, 0, &Pace::new(&host))).unwrap();
        assert_eq!(chunks, chunk(&document, 512, 0), "{line}: pausing changed the chunks");
        let steps = host.chunked.borrow();
        let longest = steps.windows(2).map(|two| two[1].saturating_sub(two[0])).max().unwrap();
        assert!(longest <= 64 << 10, "{line}: {longest} bytes in one step");
    }
}

#[test]
fn hostile_shapes_are_read() {
    let rows = [
        ("one line", "rain and wind and ".repeat(300_000)),
        ("sentences", "Rain and wind and rain. ".repeat(225_000)),
        ("one word", "x".repeat(1 << 20)),
        ("lines", format!("a{}b", "\n".repeat(1 << 20))),
        ("headings", (1..50_000).map(|n| format!("CHAPTER {}\n\n", n % 300 + 1)).collect()),
        ("parts", "PART ONE\n\n".repeat(50_000)),
        ("tables", "CONTENTS\n\nI. A\n\n".repeat(50_000)),
        ("signs", "?!. \"".repeat(200_000)),
        ("stops", "A. ".repeat(300_000)),
        ("wide", "\u{4e2d}\u{1f600}".repeat(100_000)),
    ];
    for (name, text) in rows {
        let document = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let chunks = chunk(&document, 64, 0);
        assert!(!chunks.is_empty() || !document.skips.is_empty(), "{name}");
        check_tiling(&document, &chunks, 64);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_a_document_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(document) = read(&bytes, &ReadOptions::default()) {
            check_tiling(&document, &chunk(&document, 32, 0), 32);
        }
    }

    #[test]
    fn any_text_is_tiled(
        text in "(CHAPTER [IVX]{1,3}\n\n|PART ONE\n\n|[1-3]\\.\n\n|CONTENTS\n\n|PREFACE\n|THE END\n\n|\\* \\* \\*\n\n|[ \n\t]{1,3}|[a-zA-Z\u{e9}\u{4e2d}\u{1f600}.,!?\"']{1,60} |(he saw the rain and ){3,40}\\. |Mr\\. ){0,60}",
        limit in 32usize..200,
        overlap in 0usize..100,
    ) {
        if let Ok(document) = read(text.as_bytes(), &ReadOptions::default()) {
            let chunks = chunk(&document, limit, 0);
            check_tiling(&document, &chunks, limit);
            let map = Utf16Map::new(&document.text);
            for chunk in &chunks {
                prop_assert_eq!(map.to_byte(map.to_utf16(chunk.span.end)), Some(chunk.span.end));
            }
            let again = chunk(&document, limit, overlap);
            prop_assert!(again.iter().all(|chunk| chunk.tokens as usize <= limit));
            prop_assert!(again.windows(2).all(|two| two[0].span.start < two[1].span.start && two[1].span.start <= two[0].span.end || two[0].chapter < two[1].chapter || two[0].span.end <= two[1].span.start));
        }
    }
}

#[test]
fn a_title_page_names_the_author_in_the_same_block_or_below() {
    let story = "\n\nCHAPTER I\n\nIt rained.\n\nCHAPTER II\n\nIt rained on.\n\nCHAPTER III\n\nIt stopped.\n";
    let rows = [
        ("The Long Rain\nby A. Cole", "The Long Rain", "A. Cole"),
        ("The Long\nRain\n\nBy\n\nA. Cole", "The Long Rain", "A. Cole"),
        ("The Long Rain\nby\nA. Cole", "The Long Rain", "A. Cole"),
        ("The Long Rain", "The Long Rain", ""),
    ];
    for (page, title, author) in rows {
        let document = read(format!("{page}{story}").as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!((document.title.as_str(), document.author.as_str()), (title, author), "{page}");
    }
}
