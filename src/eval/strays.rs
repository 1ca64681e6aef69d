//! Whether questions are of this book: the words that the file quotes must stand where it says.
//!
//! Offsets into another edition, or into another book, fall somewhere in any text that is long enough, and every
//! recall would be of the wrong places. A quotation that comes with a span tells: letters and digits are
//! compared, so that quotation marks and line ends make no difference. Where half of the quotations or more do not
//! stand there, the file is of another text; fewer are faults of the file, and told.

use super::questions::GoldSpan;
use super::{GoldQuestion, clipped};
use crate::engine::Engine;
use crate::error::{Code, Error, Result};
use crate::knowledge::Issue;
use crate::text::Utf16Map;

/// What differs between a question file's quotations and the book.
///
/// # Errors
/// `usage` where the questions are of another text.
pub fn strays(engine: &Engine, questions: &[GoldQuestion]) -> Result<Option<Issue>> {
    let text = &engine.book().index.document.text;
    let map = Utf16Map::new(text);
    let quoted = questions.iter().flat_map(|question| {
        let spans = question.evidence.iter();
        spans.filter_map(move |span| Some((question, span, span.quote.as_deref()?)))
    });
    let (mut all, mut differing) = (0usize, Vec::new());
    for (question, span, quote) in quoted {
        all += 1;
        // A span outside of the text is refused when its question is asked.
        let there = stands(text, &map, span).unwrap_or_default();
        if !agree(quote, there) {
            differing.push((question, span, quote, there));
        }
    }
    let Some((question, span, quote, there)) = differing.first() else { return Ok(None) };
    let place = format!(
        "the evidence of question {:?}, {} to {}, is {:?} there, but {:?} in the book",
        question.id,
        span.start,
        span.end,
        clipped(quote),
        clipped(there)
    );
    if differing.len() * 2 >= all {
        let message = format!(
            "the questions are of another text: {} of {all} quotations do not stand where they should; {place}",
            differing.len()
        );
        return Err(Error::new(Code::Usage, message));
    }
    let message =
        format!("{} of {all} quotations of evidence do not stand in the book: {place}.", differing.len());
    Ok(Some(Issue::new("evidence_differs", message)))
}

/// What the book has at a span.
fn stands<'a>(text: &'a str, map: &Utf16Map, span: &GoldSpan) -> Option<&'a str> {
    let (start, end) = map.code_points_to_byte(span.start).zip(map.code_points_to_byte(span.end))?;
    text.get(start as usize..end as usize)
}

/// Whether a quotation is of these words: one holds the other, or each part between dots of omission does.
fn agree(quote: &str, there: &str) -> bool {
    let bare = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let there = bare(there);
    let holds = |part: &str| there.contains(&bare(part));
    let within = !there.is_empty() && bare(quote).contains(&there);
    !there.is_empty() && (within || quote.replace("...", "…").split('…').all(holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_compared_and_omissions_allowed() {
        let there = "“I claim nothing,” said Ada,\nand the bell rang.";
        for quote in
            [there, "\"I claim nothing,\" said Ada, and the bell rang", "I claim … the bell", "the bell rang"]
        {
            assert!(agree(quote, there), "{quote}");
        }
        assert!(agree("Yes: “I claim nothing”", "I claim nothing"));
        for quote in ["The dog barked.", "I claim … the dog"] {
            assert!(!agree(quote, there), "{quote}");
        }
        assert!(!agree("word", ""));
    }
}
