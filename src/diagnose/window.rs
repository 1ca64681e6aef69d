//! Whether a model sees a long prompt whole: a word at its very beginning, asked for at its end.
//!
//! Some servers cut a prompt that is longer than the context they were started with, at its beginning or
//! in its middle, and say nothing: the model then answers from a part of the passages. The word is asked
//! for in prompts of growing length, up to what ours have with the usual settings.
//!
//! Decided here: a model that misses the word though its server counted the whole prompt may only be
//! forgetful, which is no fault of the server; so may one that misses it in a prompt that fits anywhere.

use crate::llm::{ChatRequest, Message, Role};
use crate::spaces::PROBE;
use crate::text::tokens;

/// The lengths that are tried, in tokens, each with its word; the first shows whether the model can do it.
/// The last holds the usual context (6,000), the instructions and the answer.
pub const STEPS: [(u32, &str); 4] =
    [(200, "marigold"), (2_000, "kingfisher"), (4_000, "tamarind"), (8_000, "windlass")];

/// The context to set at a server, in tokens: the longest step with room for what a model thinks.
pub const WANTED: u32 = 16_384;

/// A thinking model needs some tokens before its word.
const REPLY: u32 = 512;

/// A prompt of so many tokens that begins with a word and asks for it at its end.
pub fn prompt(length: u32, word: &str) -> ChatRequest {
    let system = "Task: recall\nAnswer with one word.";
    let begin = format!("The word of the day is {word}.\n");
    let end =
        "\nWhich word is the word of the day? It stands in the first line. Answer with that word alone.";
    let line = tokens(PROBE) + 1;
    let rest = length.saturating_sub(tokens(system) + tokens(&begin) + tokens(end));
    let filler = vec![PROBE; (rest / line) as usize].join("\n");
    let said = |role, content: String| Message { role, content };
    ChatRequest {
        messages: vec![
            said(Role::System, system.to_owned()),
            said(Role::User, format!("{begin}{filler}{end}")),
        ],
        schema: None,
        max_tokens: REPLY,
        temperature: 0.0,
        stream: false,
    }
}

/// What the reply to a prompt shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The beginning was seen.
    Whole,
    /// It was not.
    Cut,
    /// It was sent to the model, which did not find it, or not even in a short prompt.
    Unsure,
}

/// Judges a reply to a prompt of `sent` tokens, of which the server counted `counted` (0: it does not say);
/// `before` tells whether a shorter prompt's word was found.
pub fn judge(reply: &str, word: &str, counted: u32, sent: u32, before: bool) -> Window {
    if reply.to_lowercase().contains(word) {
        return Window::Whole;
    }
    // Our count and the server's differ by the vocabulary; a cut takes more.
    let whole = u64::from(counted) * 4 >= u64::from(sent) * 3;
    if whole || !before { Window::Unsure } else { Window::Cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_have_their_length_and_the_word_is_first_and_nowhere_else() {
        for (length, word) in STEPS {
            let request = prompt(length, word);
            let text = &request.messages[1].content;
            let whole: u32 = request.messages.iter().map(|message| tokens(&message.content)).sum();
            assert!(whole <= length && whole * 10 >= length * 8, "{length}: {whole}");
            assert_eq!(text.matches(word).count(), 1);
            assert!(text.find(word).unwrap_or(usize::MAX) < 40);
        }
    }

    #[test]
    fn a_cut_is_told_from_a_forgetful_model() {
        for (reply, counted, before, window) in [
            ("Kingfisher.", 2000, true, Window::Whole),
            ("The word is kingfisher", 0, false, Window::Whole),
            ("lamplighter", 1024, true, Window::Cut),
            ("lamplighter", 0, true, Window::Cut),
            ("lamplighter", 1990, true, Window::Unsure),
            ("lamplighter", 1600, true, Window::Unsure),
            ("lamplighter", 0, false, Window::Unsure),
        ] {
            assert_eq!(
                judge(reply, "kingfisher", counted, 2000, before),
                window,
                "{reply} {counted} {before}"
            );
        }
    }
}
