//! Whole novels: every byte is chunked or listed as skipped, and the chapters are the book's own.

use std::path::PathBuf;

use plotbridge::knowledge::{Chunk, Span};
use plotbridge::text::{Document, ReadOptions, Utf16Map, chunk, read, tokens};
use proptest::prelude::*;

/// A folder of the shared test data; says so when it is absent.
fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("PLOTBRIDGE_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!(
        "SKIPPED: {} is absent, so these books are not read",
        path.display()
    );
    None
}

fn book(path: &std::path::Path) -> plotbridge::Result<Document> {
    let bytes = std::fs::read(path).unwrap();
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    read(
        &bytes,
        &ReadOptions {
            name,
            ..ReadOptions::default()
        },
    )
}

/// Panics unless chunks and skips tile the text and every chunk is one chapter's and not too long.
fn check_tiling(document: &Document, chunks: &[Chunk], limit: usize) {
    let mut pieces: Vec<Span> = chunks.iter().map(|chunk| chunk.span).collect();
    pieces.extend(document.skips.iter().map(|skip| skip.span));
    pieces.sort();
    let mut at = 0;
    for piece in &pieces {
        assert_eq!(
            piece.start,
            at,
            "a gap or an overlap at byte {at}: {:?}",
            piece.of(&document.text)
        );
        assert!(piece.end > piece.start && document.text.is_char_boundary(piece.range().end));
        at = piece.end;
    }
    assert_eq!(at as usize, document.text.len());
    for chunk in chunks {
        let words = chunk.span.of(&document.text);
        assert_eq!(chunk.tokens, tokens(words));
        assert!(
            chunk.tokens as usize <= limit,
            "{} tokens, limit {limit}: {words:?}",
            chunk.tokens
        );
        assert!(
            document.chapters[chunk.chapter as usize]
                .span
                .contains(chunk.span)
        );
    }
}

#[test]
#[ignore = "prints the outline of each book for reading by eye"]
fn show() {
    let folder = std::env::var("SHOW").unwrap_or_else(|_| "data/books".to_owned());
    let mut paths: Vec<_> = std::fs::read_dir(shared(&folder).unwrap())
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        println!("=== {}", path.display());
        let start = std::time::Instant::now();
        let document = match book(&path) {
            Ok(d) => d,
            Err(e) => {
                println!("ERR {e}");
                continue;
            }
        };
        let read_ms = start.elapsed().as_secs_f64() * 1e3;
        let start = std::time::Instant::now();
        let chunks = chunk(&document, 512, 0);
        let chunk_ms = start.elapsed().as_secs_f64() * 1e3;
        let mean = chunks.iter().map(|c| c.tokens).sum::<u32>() as f64 / chunks.len() as f64;
        println!(
            "{:?} by {:?} {} {} chapters {} chunks mean {mean:.0} read {read_ms:.1} chunk {chunk_ms:.1} {:?}",
            document.title,
            document.author,
            document.language,
            document.chapters.len(),
            chunks.len(),
            document.issues
        );
        for c in &document.chapters {
            println!("  [{}] {:?}", c.span.len(), c.title);
        }
        for s in &document.skips {
            let w = s.span.of(&document.text).trim();
            if s.reason != "heading" || std::env::var_os("ALL").is_some() {
                println!(
                    "  -- {} [{}] {:?}",
                    s.reason,
                    s.span.len(),
                    w.chars().take(100).collect::<String>()
                );
            }
        }
        for c in chunks.first().into_iter().chain(chunks.last()) {
            let w = c.span.of(&document.text);
            println!(
                "  >> {:?} ... {:?}",
                w.chars().take(120).collect::<String>(),
                w.chars()
                    .rev()
                    .take(80)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev()
                    .collect::<String>()
            );
        }
        check_tiling(&document, &chunks, 512);
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
