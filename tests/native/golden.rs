//! What a reader sees for the twelve bundled questions, as one text to be read by people:
//! `tests/data/white-line.golden.txt`. A change of it is no fault in itself, but somebody has to have looked
//! at it: `PLOTBRIDGE_BLESS=1 cargo nextest run golden` writes it anew, and the diff is reviewed with the
//! change that caused it.

use std::fmt::Write;

use plotbridge::{AskOptions, Engine};

use super::support::*;

const FILE: &str = "tests/data/white-line.golden.txt";

/// Passages shown for each question.
const PASSAGES: usize = 3;
/// Words shown of each.
const WORDS: usize = 8;

fn told(book: &Engine, gold: &Gold) -> String {
    let answer = ask(book, &gold.question, &AskOptions::default());
    let chapters = book.info().chapters;
    let mut text = format!("{}  {}\n", gold.id, gold.question);
    let _ = writeln!(text, "  answer   {}", answer.text);
    for passage in answer.trace.evidence.iter().take(PASSAGES) {
        let chapter = chapters.iter().rposition(|chapter| chapter.start <= passage.start).unwrap_or(0);
        let words: Vec<&str> = passage.text.split_whitespace().take(WORDS).collect();
        let overlaps =
            |span: &plotbridge::knowledge::Span| passage.start < span.end && span.start < passage.end;
        let mark = if gold.evidence.iter().any(overlaps) { '+' } else { '-' };
        let _ = writeln!(text, "  passage {mark} {}: {}", chapter + 1, words.join(" "));
    }
    for pair in &answer.trace.pairs {
        let _ = writeln!(text, "  pair     {} — {}", pair.character, pair.event);
    }
    text
}

#[test]
fn the_bundled_questions_are_answered_as_reviewed() {
    let story = story();
    let mut found = "Each question with its answer, the first three passages (+ where it overlaps the evidence;\n\
         chapter, first eight words) and the matched pairs in story order. Written by tests/native/golden.rs.\n"
        .to_owned();
    for gold in questions() {
        let _ = write!(found, "\n{}", told(&story, &gold));
    }
    if std::env::var_os("PLOTBRIDGE_BLESS").is_some() {
        std::fs::write(root().join(FILE), &found).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(root().join(FILE)).unwrap_or_default();
    let changed: Vec<String> = golden
        .lines()
        .chain(std::iter::repeat("(end)"))
        .zip(found.lines())
        .filter(|(was, is)| was != is)
        .map(|(was, is)| format!("was {was}\nis  {is}"))
        .take(10)
        .collect();
    assert!(
        golden == found,
        "{FILE} is stale. First changes:\n{}\nRead them; if they are meant: PLOTBRIDGE_BLESS=1 cargo nextest run golden",
        changed.join("\n")
    );
}
