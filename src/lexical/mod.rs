//! The words of a book as one stream of terms, indexed by position.
//!
//! [`words`] cuts text into lower-case words, an [`Analyser`] turns a word into a term or drops it, and
//! a [`Lexicon`] holds the stream of terms with each term's positions. Units of any size are ranges of
//! that stream (`algo::bm25`), so the book is indexed once however it is later cut.
//!
//! Invariant: term ids are given in order of first use, so they are a property of the text.

mod forms;
mod words;

pub use forms::Forms;
pub(crate) use forms::bare;
pub use words::{Analyser, words, words_at};

use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A stream of terms with the positions of each.
#[derive(Clone, Debug)]
pub struct Lexicon {
    analyser: Analyser,
    ids: HashMap<String, u32>,
    /// What each distinct word of the text became; spares analysing it again.
    seen: HashMap<String, Option<u32>>,
    stream: Vec<u32>,
    positions: Vec<Vec<u32>>,
}

impl Lexicon {
    /// An empty stream whose words go through this analyser.
    pub fn new(analyser: Analyser) -> Self {
        Self {
            analyser,
            ids: HashMap::new(),
            seen: HashMap::new(),
            stream: Vec::new(),
            positions: Vec::new(),
        }
    }

    /// Appends a text's terms and returns the range of positions they take.
    pub fn push(&mut self, text: &str) -> Range<u32> {
        let start = self.stream.len() as u32;
        for word in words(text) {
            let term = match self.seen.get(word.as_ref()) {
                Some(&term) => term,
                None => {
                    let term = self.analyser.term(&word).map(|term| self.intern(term));
                    self.seen.insert(word.into_owned(), term);
                    term
                }
            };
            if let Some(term) = term {
                self.positions[term as usize].push(self.stream.len() as u32);
                self.stream.push(term);
            }
        }
        start..self.stream.len() as u32
    }

    fn intern(&mut self, term: String) -> u32 {
        let next = self.positions.len() as u32;
        *self.ids.entry(term).or_insert_with(|| {
            self.positions.push(Vec::new());
            next
        })
    }

    /// Number of distinct terms.
    pub fn term_count(&self) -> usize {
        self.positions.len()
    }

    /// The terms at these positions.
    pub fn terms_at(&self, range: Range<u32>) -> &[u32] {
        self.stream.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// The sorted positions of a term; none for an id that is not of this lexicon.
    pub fn positions(&self, term: u32) -> &[u32] {
        self.positions.get(term as usize).map_or(&[], Vec::as_slice)
    }

    /// Gives a text's words ids without appending them: terms that units may hold besides their
    /// positions, such as a heading's. Each once, in order of first use.
    pub fn note(&mut self, text: &str) -> Vec<u32> {
        let mut noted = Vec::new();
        for word in words(text) {
            noted.extend(self.analyser.term(&word).map(|term| self.intern(term)));
        }
        each_once(noted)
    }

    /// The analysed words of a text, each with its id where the lexicon knows it.
    pub fn look_up(&self, text: &str) -> Vec<(String, Option<u32>)> {
        words(text)
            .filter_map(|word| self.analyser.term(&word))
            .map(|term| {
                let id = self.ids.get(&term).copied();
                (term, id)
            })
            .collect()
    }

    /// The distinct known terms of a text, in order of first use.
    pub fn known_terms(&self, text: &str) -> Vec<u32> {
        each_once(self.look_up(text).into_iter().filter_map(|(_, id)| id).collect())
    }

    /// Every term with its id, by id.
    pub fn terms(&self) -> Vec<&str> {
        let mut terms = vec![""; self.positions.len()];
        for (term, &id) in &self.ids {
            terms[id as usize] = term;
        }
        terms
    }
}

/// Without repetitions, in order of first use.
fn each_once(mut ids: Vec<u32>) -> Vec<u32> {
    let mut seen = HashSet::with_capacity(ids.len());
    ids.retain(|id| seen.insert(*id));
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_stream_serves_every_range() {
        let mut lexicon = Lexicon::new(Analyser::Plain);
        let first = lexicon.push("The keepers kept the light.");
        let second = lexicon.push("A keeper’s lights!");
        assert_eq!((first, second), (0..3, 3..5));
        let terms = lexicon.known_terms("Keeper, keeper of lights and lamps");
        assert_eq!(terms.len(), 2, "keeper and light are known once each, lamp is not");
        assert_eq!(lexicon.positions(terms[0]), [0, 3]);
        assert_eq!(lexicon.positions(terms[1]), [2, 4]);
        assert_eq!(lexicon.terms()[terms[1] as usize], "light");
    }

    #[test]
    fn irregular_forms_meet_their_base() {
        let mut lexicon = Lexicon::new(Analyser::Based);
        lexicon.push("He went and knew.");
        assert_eq!(lexicon.known_terms("go know").len(), 2);
    }
}
