//! Where a quotation stands in the book: a chat model's quotations are checked word for word.
//!
//! Letters, digits and punctuation must agree; case, line breaks, curly or straight quotation marks, kinds
//! of dashes and the underscores of typed italics need not. A quotation with an ellipsis is several. One that
//! does not stand in the text is no citation.

use crate::knowledge::Span;

/// Shorter quotations stand anywhere and show nothing, in folded bytes.
const SHORTEST: usize = 8;
/// Longer ones, and those of more parts, are not looked up: each part is a search of the book.
const LONGEST: usize = 4000;
const MOST_PARTS: usize = 12;

/// The places of a quotation, one for each part between ellipses, first within `preferred`, else in `text`;
/// none unless every part stands there.
pub fn places(text: &str, preferred: &[Span], quote: &str) -> Vec<Span> {
    if quote.len() > LONGEST {
        return Vec::new();
    }
    let parts: Vec<String> = quote
        .replace("...", "…")
        .split('…')
        .map(|part| Folded::new(part, 0).text.trim_matches(is_edge).to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    if parts.len() > MOST_PARTS || parts.iter().map(String::len).sum::<usize>() < SHORTEST {
        return Vec::new();
    }
    let near: Vec<Folded> =
        preferred.iter().map(|span| Folded::new(span.of(text), span.range().start)).collect();
    let mut whole = None;
    let mut place = |part: &String| {
        let found = near.iter().find_map(|folded| folded.find(part));
        found.or_else(|| whole.get_or_insert_with(|| Folded::new(text, 0)).find(part))
    };
    parts.iter().map(&mut place).collect::<Option<Vec<Span>>>().unwrap_or_default()
}

/// What a model puts around a quotation.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '>' | '*' | ',' | ';' | ':')
}

/// A text with its differences of typing taken out, and where each byte comes from.
struct Folded {
    text: String,
    /// For each byte of `text`, the bytes of the source character.
    from: Vec<(u32, u32)>,
}

impl Folded {
    fn new(text: &str, offset: usize) -> Self {
        let mut folded =
            Self { text: String::with_capacity(text.len()), from: Vec::with_capacity(text.len()) };
        for (at, c) in text.char_indices() {
            let source = ((offset + at) as u32, (offset + at + c.len_utf8()) as u32);
            match c {
                '_' => {}
                c if c.is_whitespace() => folded.space(source),
                '“' | '”' | '„' | '«' | '»' => folded.push('"', source),
                '‘' | '’' | '‚' => folded.push('\'', source),
                '–' | '—' | '‒' | '―' | '-' => folded.dash(source),
                c => c.to_lowercase().for_each(|c| folded.push(c, source)),
            }
        }
        folded
    }

    fn push(&mut self, c: char, source: (u32, u32)) {
        self.text.push(c);
        self.from.resize(self.text.len(), source);
    }

    fn space(&mut self, source: (u32, u32)) {
        if !self.text.ends_with(' ') && !self.text.is_empty() {
            self.push(' ', source);
        }
    }

    /// Any run of dashes is one.
    fn dash(&mut self, source: (u32, u32)) {
        if !self.text.ends_with('-') {
            self.push('-', source);
        }
    }

    fn find(&self, part: &str) -> Option<Span> {
        let at = self.text.find(part)?;
        let (first, last) = (self.from.get(at)?, self.from.get(at + part.len() - 1)?);
        Some(Span { start: first.0, end: last.1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "“Well,” said Tapp,\n“it's a _brass_ key — and mine.” He rowed on. The lamp was out.";

    #[test]
    fn a_quotation_is_found_however_it_is_typed() {
        for (quote, found) in [
            ("\"it's a brass key\"", vec!["it's a _brass_ key"]),
            ("“It’s a brass key -- and mine.”", vec!["it's a _brass_ key — and mine."]),
            ("said Tapp, \"it's", vec!["said Tapp,\n“it's"]),
            ("He rowed on... lamp was out.", vec!["He rowed on", "lamp was out."]),
            ("It's a silver key", vec![]),
            ("He rowed on … the moon was out", vec![]),
            ("on.", vec![]),
            ("", vec![]),
        ] {
            let spans = places(TEXT, &[], quote);
            let texts: Vec<&str> = spans.iter().map(|span| span.of(TEXT)).collect();
            assert_eq!(texts, found, "{quote:?}");
        }
    }

    #[test]
    fn what_would_take_long_to_look_up_is_not_looked_up() {
        let parts = "the … ".repeat(MOST_PARTS + 1);
        let long = TEXT.repeat(LONGEST / TEXT.len() + 1);
        for quote in [parts, long.clone()] {
            assert_eq!(places(&long, &[], &quote), []);
        }
    }

    #[test]
    fn a_place_in_the_evidence_comes_first() {
        let text = "The bell rang twice. Nobody came. The bell rang twice.";
        let late = Span::new(34, text.len());
        assert_eq!(places(text, &[late], "the bell rang")[0].start, 34);
        assert_eq!(places(text, &[], "the bell rang")[0].start, 0);
    }
}
