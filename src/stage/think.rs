//! The next thought of a question that is worked out in steps (IRCoT; systems 1.9).
//!
//! A thought is one sentence; the next retrieval asks with it. One that holds "So the answer is:" is the last.

use crate::knowledge::Span;
use crate::llm::ChatRequest;
use crate::prompts::THOUGHT;
use crate::text::sentences;

/// The most characters of a thought: a question may have four times as many.
const LONGEST: usize = 500;
/// What ends the steps.
const LAST: &str = "so the answer is";

/// A thought, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thought {
    /// The sentence.
    pub text: String,
    /// Whether it answers the question.
    pub last: bool,
}

/// What the model is asked: what was found so far, the question, its thoughts so far.
pub fn request(context: &str, question: &str, thoughts: &[String]) -> ChatRequest {
    let so_far = match thoughts {
        [] => "none".to_owned(),
        some => some.iter().map(|thought| format!("\n- {thought}")).collect(),
    };
    THOUGHT.request(context, &format!("Question: {question}\nThoughts so far: {so_far}"))
}

/// Reads a reply.
///
/// # Errors
/// What is wrong with a reply that holds no word.
pub fn read(reply: &str) -> Result<Thought, String> {
    let mark = |c: char| c.is_whitespace() || "-*#>\"“".contains(c);
    let line = reply.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = line.trim_start_matches(mark);
    let head = bare.split_once(':').filter(|(head, _)| {
        head.eq_ignore_ascii_case("thought") || head.eq_ignore_ascii_case("next thought")
    });
    let bare = head.map_or(bare, |(_, rest)| rest).trim_start_matches(mark);
    let last = bare.to_lowercase().contains(LAST);
    let first = sentences(bare, Span::new(0, bare.len()))
        .into_iter()
        .map(|span| span.of(bare).trim())
        .find(|sentence| sentence.chars().any(char::is_alphanumeric));
    let text = if last { Some(bare) } else { first };
    let text: String = text.unwrap_or_default().chars().take(LONGEST).collect();
    if !text.chars().any(char::is_alphanumeric) {
        return Err("it holds no thought".to_owned());
    }
    Ok(Thought { text, last })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_thought_is_one_sentence_and_the_last_one_answers() {
        for (reply, text, last) in [
            ("Mrs Quennell had a brass key.", "Mrs Quennell had a brass key.", false),
            ("Thought: Who had the key?\nAnd when?", "Who had the key?", false),
            ("- **Next thought:** The clerk rowed on. It rained.", "The clerk rowed on.", false),
            ("So the answer is: Mrs Quennell.", "So the answer is: Mrs Quennell.", true),
            (
                "She gave it to him. So the answer is\n Mrs Quennell.",
                "She gave it to him. So the answer is Mrs Quennell.",
                true,
            ),
            ("no stop at all", "no stop at all", false),
        ] {
            assert_eq!(read(reply), Ok(Thought { text: text.to_owned(), last }), "{reply:?}");
        }
        assert!(read(&"word ".repeat(10_000)).unwrap().text.len() <= LONGEST);
        for reply in ["", "  \n", "...", "—!?", "\u{202e}"] {
            assert!(read(reply).is_err(), "{reply:?}");
        }
    }
}
