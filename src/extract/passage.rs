//! A chunk as the ground on which a chat model's claims are checked: a name counts where it stands.
//!
//! Small models invent names and repeat those of a prompt's examples, so nothing they name is believed
//! unless the chunk holds it as whole words, folded, a leading article aside.

use std::ops::Range;

use crate::knowledge::{Chunk, Span};
use crate::lexical::{Analyser, bare, words, words_at};
use crate::offline::english;
use crate::text::sentences;

/// Longest name looked for, in words.
const NAME_WORDS: usize = 8;

/// A chunk's words and sentences.
pub(super) struct Passage<'a> {
    /// The document's text.
    text: &'a str,
    /// The chunk.
    pub(super) span: Span,
    /// Its sentences, in order.
    pub(super) sentences: Vec<Span>,
    words: Vec<(Range<usize>, String)>,
}

impl<'a> Passage<'a> {
    /// Reads a chunk.
    pub(super) fn new(text: &'a str, chunk: &Chunk) -> Self {
        let from = chunk.span.range().start;
        let words = words_at(chunk.span.of(text))
            .map(|(at, word)| (at.start + from..at.end + from, word.into_owned()))
            .collect();
        Self { text, span: chunk.span, sentences: sentences(text, chunk.span), words }
    }

    /// The chunk's text.
    pub(super) fn text(&self) -> &'a str {
        self.span.of(self.text)
    }

    /// Every place where a name stands; none for a name of small words alone.
    pub(super) fn find(&self, name: &str) -> Vec<Span> {
        let folded = name_words(name);
        let wanted = bare(&folded);
        if wanted.is_empty() || wanted.len() > NAME_WORDS || wanted.iter().all(|word| english::is_stop(word))
        {
            return Vec::new();
        }
        let fits = |run: &&[(Range<usize>, String)]| run.iter().map(|(_, word)| word).eq(wanted);
        let found = self.words.windows(wanted.len()).filter(fits);
        found.map(|run| Span::new(run[0].0.start, run[run.len() - 1].0.end)).collect()
    }

    /// The sentence that shares most with a statement; the first where none shares anything.
    pub(super) fn nearest(&self, statement: &str) -> Span {
        let wanted = terms(statement);
        let shared = |sentence: &Span| {
            let held = terms(sentence.of(self.text));
            wanted.iter().filter(|term| held.contains(term)).count()
        };
        let best = self.sentences.iter().rev().max_by_key(|sentence| shared(sentence));
        best.copied().unwrap_or(self.span)
    }

    /// What each sentence is worth to each statement: the terms they share, the rarer in the chunk the
    /// more.
    pub(super) fn weights(&self, statements: &[String]) -> Vec<Vec<f64>> {
        let held: Vec<Vec<String>> = self.sentences.iter().map(|span| terms(span.of(self.text))).collect();
        let rarity = |term: &String| {
            let count = held.iter().filter(|terms| terms.contains(term)).count();
            1.0 / count.max(1) as f64
        };
        let worth = |wanted: &[String], terms: &Vec<String>| {
            wanted.iter().filter(|term| terms.contains(term)).map(rarity).sum()
        };
        let row = |statement: &String| {
            let wanted = terms(statement);
            held.iter().map(|terms| worth(&wanted, terms)).collect()
        };
        statements.iter().map(row).collect()
    }
}

/// The folded words of a name.
pub(super) fn name_words(name: &str) -> Vec<String> {
    words(name).map(|word| word.into_owned()).collect()
}

/// The distinct terms of a text, in order.
fn terms(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for term in words(text).filter_map(|word| Analyser::Based.term(&word)) {
        if !found.contains(&term) {
            found.push(term);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Mrs. Quennell's lamp stood in the window. The old ferryman, Silas Tapp, saw it.";

    fn passage() -> Passage<'static> {
        Passage::new(TEXT, &Chunk { span: Span::new(0, TEXT.len()), chapter: 0, tokens: 20 })
    }

    #[test]
    fn names_are_found_as_whole_words() {
        for (name, found) in [
            ("Mrs Quennell", vec!["Mrs. Quennell"]),
            ("the Old Ferryman", vec!["old ferryman"]),
            ("SILAS TAPP", vec!["Silas Tapp"]),
            ("Tap", vec![]),
            ("John Doe", vec![]),
            ("the", vec![]),
            ("it", vec![]),
            ("", vec![]),
        ] {
            let spans = passage().find(name);
            let texts: Vec<&str> = spans.iter().map(|span| span.of(TEXT)).collect();
            assert_eq!(texts, found, "{name}");
        }
    }

    #[test]
    fn a_statement_is_placed_in_the_sentence_that_shares_most() {
        let passage = passage();
        assert_eq!(passage.nearest("Silas saw the lamp"), passage.sentences[1]);
        let weights = passage.weights(&["a lamp in a window".to_owned(), "the ferryman sees".to_owned()]);
        assert!(weights[0][0] > weights[0][1] && weights[1][1] > weights[1][0], "{weights:?}");
    }
}
