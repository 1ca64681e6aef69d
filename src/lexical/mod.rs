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
pub(crate) use forms::{bare, folded};
pub use words::{Analyser, words, words_at};

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A stream of terms with the positions of each.
#[derive(Clone, Debug)]
pub struct Lexicon {
    analyser: Analyser,
    ids: HashMap<Box<str>, u32>,
    /// What each distinct word of the text became, but for stop words; spares analysing it again.
    seen: HashMap<Box<str>, u32>,
    stream: Vec<u32>,
    /// Where each term stands, which the stream says too: made by the first that asks.
    places: OnceCell<Places>,
}

/// The positions of all terms in one list, those of a term one after another.
#[derive(Clone, Debug)]
struct Places {
    /// Where each term's begin, with the end of the last.
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl Places {
    /// Counts each term of the stream, then puts every position where its term's begin. Linear.
    fn of(stream: &[u32], terms: usize) -> Self {
        let mut starts = vec![0; terms + 1];
        for &term in stream {
            starts[term as usize + 1] += 1;
        }
        for term in 0..terms {
            starts[term + 1] += starts[term];
        }
        let mut next = starts.clone();
        let mut positions = vec![0; stream.len()];
        for (position, &term) in stream.iter().enumerate() {
            positions[next[term as usize] as usize] = position as u32;
            next[term as usize] += 1;
        }
        Self { starts, positions }
    }

    fn term(&self, term: usize) -> Option<&[u32]> {
        let (start, end) = (*self.starts.get(term)?, *self.starts.get(term + 1)?);
        self.positions.get(start as usize..end as usize)
    }
}

impl Lexicon {
    /// An empty stream whose words go through this analyser.
    pub fn new(analyser: Analyser) -> Self {
        Self {
            analyser,
            ids: HashMap::new(),
            seen: HashMap::new(),
            stream: Vec::new(),
            places: OnceCell::new(),
        }
    }

    /// Appends a text's terms and returns the range of positions they take.
    pub fn push(&mut self, text: &str) -> Range<u32> {
        self.places.take();
        let start = self.stream.len() as u32;
        for word in words(text) {
            if let Some(&term) = self.seen.get(word.as_ref()) {
                self.stream.push(term);
            } else if let Some(term) = self.analyser.term(&word) {
                let term = self.intern(term);
                self.seen.insert(word.into(), term);
                self.stream.push(term);
            }
        }
        start..self.stream.len() as u32
    }

    fn intern(&mut self, term: String) -> u32 {
        let next = self.ids.len() as u32;
        *self.ids.entry(term.into()).or_insert(next)
    }

    /// Lets go of what only reading needs, once the last text is in.
    pub fn settle(&mut self) {
        self.seen = HashMap::new();
        self.ids.shrink_to_fit();
        self.stream.shrink_to_fit();
    }

    /// Number of distinct terms.
    pub fn term_count(&self) -> usize {
        self.ids.len()
    }

    /// The terms at these positions.
    pub fn terms_at(&self, range: Range<u32>) -> &[u32] {
        self.stream.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// The sorted positions of a term; none for an id that is not of this lexicon.
    pub fn positions(&self, term: u32) -> &[u32] {
        let places = self.places.get_or_init(|| Places::of(&self.stream, self.ids.len()));
        places.term(term as usize).unwrap_or_default()
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
                let id = self.ids.get(term.as_str()).copied();
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
        let mut terms = vec![""; self.ids.len()];
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
        assert_eq!(lexicon.positions(0), [0]);
        let second = lexicon.push("A keeper’s lights!");
        lexicon.settle();
        assert_eq!((first, second), (0..3, 3..5));
        let terms = lexicon.known_terms("Keeper, keeper of lights and lamps");
        assert_eq!(terms.len(), 2, "keeper and light are known once each, lamp is not");
        assert_eq!(lexicon.positions(terms[0]), [0, 3]);
        assert_eq!(lexicon.positions(terms[1]), [2, 4]);
        assert_eq!(lexicon.terms()[terms[1] as usize], "light");
        assert!(lexicon.positions(99).is_empty());
    }

    #[test]
    fn irregular_forms_meet_their_base() {
        let mut lexicon = Lexicon::new(Analyser::Based);
        lexicon.push("He went and knew.");
        assert_eq!(lexicon.known_terms("go know").len(), 2);
    }
}
