//! The book as words: every word once in a vocabulary, every use as a token with what surrounds it.
//!
//! All later rules read tokens, never bytes: a token knows its shape, its sentence, whether it stands
//! in direct speech and what separates it from its predecessor. Counts of how each word is written
//! (lower case, capitalised where nothing asks for it, capitalised at a beginning) are the document
//! statistics from which names are told from words that merely begin a sentence.
//!
//! Invariant: tokens are in text order, each inside its sentence; sentences are in text order.

use std::collections::HashMap;
use std::ops::Range;

use super::english::{self, Entry, Tag};
use super::scan::{Scan, Speech, begins, gap, possessive, shape};
use crate::error::Result;
use crate::knowledge::{Chunk, Span};
use crate::pace::Pace;

pub(crate) use super::scan::{Gap, Shape};

/// A word of the vocabulary.
pub(crate) type WordId = u32;

/// One use of a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// First byte.
    pub(crate) start: u32,
    /// One past the last byte, a possessive `'s` not included.
    pub(crate) end: u32,
    /// Which word.
    pub(crate) word: WordId,
    /// Place in the list of sentences.
    pub(crate) sentence: u32,
    /// How it is written.
    pub(crate) shape: Shape,
    /// What separates it from the token before.
    pub(crate) gap: Gap,
    /// Whether a capital is owed to the place: the start of a sentence or of a speech.
    pub(crate) initial: bool,
    /// Whether `'s` follows.
    pub(crate) possessive: bool,
    /// Whether it stands in direct speech.
    pub(crate) quoted: bool,
}

impl Token {
    /// Its bytes.
    pub(crate) fn span(&self) -> Span {
        Span { start: self.start, end: self.end }
    }
    /// Whether it begins with a capital.
    pub(crate) fn capital(&self) -> bool {
        matches!(self.shape, Shape::Capital | Shape::Upper)
    }
}

/// One word of the vocabulary with its uses counted by how they are written.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    /// In lower case.
    pub(crate) text: String,
    /// What English knows of it.
    pub(crate) entry: Entry,
    /// The base form, where it may be a verb.
    pub(crate) verb: Option<&'static str>,
    /// Uses in lower case.
    pub(crate) lower: u32,
    /// Capitalised uses where the place does not ask for a capital.
    pub(crate) mid: u32,
    /// Capitalised uses at the start of a sentence or speech.
    pub(crate) initial: u32,
}

/// A sentence of one or more tokens or none.
#[derive(Clone, Debug)]
pub(crate) struct Sentence {
    /// Its bytes.
    pub(crate) span: Span,
    /// Its tokens.
    pub(crate) tokens: Range<usize>,
    /// The first chunk it lies in.
    pub(crate) chunk: u32,
}

/// The book as words.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// The vocabulary.
    pub(crate) vocabulary: Vec<Word>,
    /// Every word use of the chunks, in text order.
    pub(crate) tokens: Vec<Token>,
    /// Every sentence of the chunks, in text order, each once.
    pub(crate) sentences: Vec<Sentence>,
    /// The sentences of each chunk; ranges overlap where chunks do.
    pub(crate) chunks: Vec<Range<usize>>,
    ids: HashMap<String, WordId>,
    buffer: String,
    close: Option<char>,
}

impl Words {
    /// Reads the story's words, chunk by chunk.
    pub(crate) async fn read(text: &str, chunks: &[Chunk], pace: &Pace<'_>) -> Result<Self> {
        let mut words = Self::default();
        for (index, chunk) in chunks.iter().enumerate() {
            let mut first = words.sentences.len();
            while first > 0 && words.sentences[first - 1].span.start >= chunk.span.start {
                first -= 1;
            }
            for span in crate::text::sentences(text, chunk.span) {
                if words.sentences.last().is_none_or(|last| last.span.end <= span.start) {
                    words.read_sentence(text, span, index as u32);
                }
            }
            words.chunks.push(first..words.sentences.len());
            pace.step("tokens", index, chunks.len()).await?;
        }
        words.count_shapes();
        Ok(words)
    }

    /// The word of a token.
    pub(crate) fn word(&self, token: &Token) -> &Word {
        &self.vocabulary[token.word as usize]
    }

    /// What English knows of the token's word.
    pub(crate) fn entry(&self, token: &Token) -> Entry {
        self.word(token).entry
    }

    /// The lower-case text of a token.
    pub(crate) fn lower(&self, token: &Token) -> &str {
        &self.word(token).text
    }

    /// The token at a place, if it belongs to this sentence.
    pub(crate) fn at(&self, sentence: u32, place: usize) -> Option<&Token> {
        self.tokens.get(place).filter(|token| token.sentence == sentence)
    }

    /// The token before a place in its sentence.
    pub(crate) fn before(&self, place: usize) -> Option<&Token> {
        let sentence = self.tokens.get(place)?.sentence;
        self.at(sentence, place.checked_sub(1)?)
    }

    fn read_sentence(&mut self, text: &str, span: Span, chunk: u32) {
        let first = self.tokens.len();
        let sentence = self.sentences.len() as u32;
        let end = self.tokens.last().map_or(span.start, |last| last.end);
        let mut speech = Speech { close: self.close, end: end as usize };
        for (start, end) in Scan::new(text, span) {
            let between = text.get(speech.end..start).unwrap_or_default();
            let opened = speech.pass(between);
            let gap = gap(between);
            let word = &text[start..end];
            let stem = word.len() - possessive(word);
            let id = self.intern(&word[..stem]);
            let previous = self.tokens.last().filter(|_| self.tokens.len() > first);
            let initial = previous.is_none_or(|previous| {
                opened || (begins(between) && !(gap == Gap::Dot && self.abbreviates(previous)))
            });
            self.tokens.push(Token {
                start: start as u32,
                end: (start + stem) as u32,
                word: id,
                sentence,
                shape: shape(&word[..stem]),
                gap: if self.tokens.len() == first { Gap::Other } else { gap },
                initial,
                possessive: stem < word.len(),
                quoted: speech.close.is_some(),
            });
            speech.end = end;
        }
        self.close = speech.close;
        self.sentences.push(Sentence { span, tokens: first..self.tokens.len(), chunk });
    }

    /// Whether a full stop after this token is part of it: `Mr.`, `J.`
    pub(crate) fn abbreviates(&self, token: &Token) -> bool {
        token.capital() && (token.end - token.start == 1 || self.entry(token).is(Tag::Honorific))
    }

    fn intern(&mut self, word: &str) -> WordId {
        self.buffer.clear();
        for c in word.chars() {
            match c {
                '’' => self.buffer.push('\''),
                _ => self.buffer.extend(c.to_lowercase()),
            }
        }
        if let Some(id) = self.ids.get(self.buffer.as_str()) {
            return *id;
        }
        let id = self.vocabulary.len() as WordId;
        let text = self.buffer.clone();
        self.vocabulary.push(Word {
            entry: english::entry(&text),
            verb: english::verb(&text),
            text: text.clone(),
            lower: 0,
            mid: 0,
            initial: 0,
        });
        self.ids.insert(text, id);
        id
    }

    fn count_shapes(&mut self) {
        for token in &self.tokens {
            let word = &mut self.vocabulary[token.word as usize];
            match (token.shape, token.initial) {
                (Shape::Lower, _) => word.lower += 1,
                (Shape::Capital, false) => word.mid += 1,
                (Shape::Capital, true) => word.initial += 1,
                _ => {}
            }
        }
    }

    /// The id of a lower-case word the book uses.
    pub(crate) fn id(&self, word: &str) -> Option<WordId> {
        self.ids.get(word).copied()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(text: &str) -> Words {
        let mut words = Words::default();
        words.read_sentence(text, Span::new(0, text.len()), 0);
        words.count_shapes();
        words
    }

    #[test]
    fn words_keep_inner_apostrophes_and_lose_possessives() {
        let text = "Anne’s O'Brien didn't see James' café's door.";
        let words = read(text);
        let found: Vec<_> = words.tokens.iter().map(|t| (t.span().of(text), t.possessive)).collect();
        let expected = [
            ("Anne", true),
            ("O'Brien", false),
            ("didn't", false),
            ("see", false),
            ("James", false),
            ("café", true),
            ("door", false),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn capitals_are_owed_at_beginnings_only() {
        let text = "Then Mr. Reed said, \"Come, Jane! Never mind,\" Bessie cried: Go.";
        let words = read(text);
        let initial: Vec<_> = words.tokens.iter().filter(|t| t.initial).map(|t| t.span().of(text)).collect();
        assert_eq!(initial, ["Then", "Come", "Never", "Go"]);
        let quoted: Vec<_> = words.tokens.iter().filter(|t| t.quoted).map(|t| t.span().of(text)).collect();
        assert_eq!(quoted, ["Come", "Jane", "Never", "mind"]);
    }

    #[test]
    fn gaps_and_shapes() {
        let text = "ANNE-Marie de Vere, X";
        let words = read(text);
        let gaps: Vec<_> = words.tokens.iter().map(|t| (t.shape, t.gap)).collect();
        assert_eq!(gaps[0].0, Shape::Upper);
        assert_eq!(gaps[1], (Shape::Capital, Gap::Hyphen));
        assert_eq!(gaps[2], (Shape::Lower, Gap::Space));
        assert_eq!(gaps[4], (Shape::Capital, Gap::Comma));
    }
}
