//! A reply that is told piece by piece and then once more as a whole, as a page's own function gives it.
//!
//! Invariant: the pieces that come out, joined, are the text that comes out, whatever the function says.

use super::thinking::{Filter, strip};

/// A reply in the middle of being told.
#[derive(Debug)]
pub struct Told {
    filter: Filter,
    text: String,
}

impl Default for Told {
    fn default() -> Self {
        Self { filter: Filter::eager(), text: String::new() }
    }
}

impl Told {
    /// Takes a piece and gives what of it is text, not thinking.
    pub fn push(&mut self, piece: &str) -> String {
        let text = self.filter.push(piece);
        self.text.push_str(&text);
        text
    }

    /// Takes the whole reply and gives the text and what of it was not told yet. Where the whole does not
    /// continue what was told, that stands: it has been heard.
    pub fn end(mut self, whole: &str) -> (String, String) {
        let mut rest = self.filter.end();
        self.text.push_str(&rest);
        let whole = strip(whole);
        if let Some(more) = whole.strip_prefix(self.text.as_str()) {
            rest.push_str(more);
            self.text = whole.clone();
        }
        (self.text, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_rest_are_the_text() {
        let rows: [(&[&str], &str, &str); 6] = [
            (&[], "Ben did.", "Ben did."),
            (&["Ben ", "did."], "Ben did.", "Ben did."),
            (&["Ben "], "Ben did.", "Ben did."),
            (&["<think>Ann?</thi", "nk>Ben"], "<think>Ann?</think>Ben did.", "Ben did."),
            (&["Ben did."], "", "Ben did."),
            (&["Ben did."], "Ann did.", "Ben did."),
        ];
        for (pieces, whole, text) in rows {
            let mut told = Told::default();
            let mut heard: String = pieces.iter().map(|piece| told.push(piece)).collect();
            let (end, rest) = told.end(whole);
            heard.push_str(&rest);
            assert_eq!((end.as_str(), heard.as_str()), (text, text), "{pieces:?} {whole}");
        }
    }
}
