//! From text to words, and from words to terms.
//!
//! A word is a Unicode word (UAX 29) with a letter or digit in it, lower-cased, curly apostrophes made
//! straight, a possessive ending cut. A term is its Snowball stem.

use std::borrow::Cow;
use std::ops::Range;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

use crate::offline::english;

/// Longer words are cut: nothing a person asks for is that long, and hostile text may be.
const LONGEST: usize = 40;

/// The words of a text, lower-cased, in order.
pub fn words(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    text.unicode_words().map(fold)
}

/// The words of a text, folded as by [`words`], each with the bytes it stands at; a possessive ending is not
/// part of them.
pub fn words_at(text: &str) -> impl Iterator<Item = (Range<usize>, Cow<'_, str>)> {
    text.unicode_word_indices().map(|(start, word)| {
        let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
        (start..start + owner.len(), fold(word))
    })
}

fn fold(word: &str) -> Cow<'_, str> {
    if word.len() <= LONGEST && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    let mut folded: String = word.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
    if folded.contains('’') {
        folded = folded.replace('’', "'");
    }
    if let Some(owner) = folded.strip_suffix("'s") {
        folded.truncate(owner.len());
    }
    Cow::Owned(folded)
}

/// How a word becomes a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Analyser {
    /// Stop words dropped, then the Snowball English stem: the fixed `bm25` baseline.
    Plain,
    /// Irregular forms brought to their base first (`went` to `go`), so that a question's `go` finds
    /// them: the fused scores and the embedder.
    Based,
}

impl Analyser {
    /// The term of a folded word; none for a stop word.
    pub fn term(self, word: &str) -> Option<String> {
        if english::is_stop(word) {
            return None;
        }
        let word = match self {
            Analyser::Plain => word,
            Analyser::Based => english::base(word),
        };
        Some(Stemmer::create(Algorithm::English).stem(word).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded() {
        let found: Vec<_> = words("“Don’t,” said Captain O’Brien’s MATE — 3 times; naïve.").collect();
        assert_eq!(found, ["don't", "said", "captain", "o'brien", "mate", "3", "times", "naïve"]);
    }
}
