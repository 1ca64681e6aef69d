//! Takes a model's thinking off the start of what it wrote.
//!
//! A thinking model writes its thoughts into the reply where the server does not part them: most often
//! `<think>…</think>` and then the answer. Three forms are met:
//! - *closed*: the message begins with the tag, the answer follows the end tag;
//! - *unclosed*: it begins with the tag and breaks off: all of it is thinking;
//! - *unopened*: the server's template wrote the tag, so the message is thoughts, `</think>`, a line's
//!   end, and the answer.
//!
//! Invariant: what remains is a suffix of the message, and nothing is taken off after the answer began: a
//! book may say `<think>` too. So an unopened end tag counts only as the first tag of a message, outside
//! quotes, where a line ends or JSON begins behind it.
//!
//! An unopened form shows only at its end tag, long after the first words. A [`Filter`] that must stream
//! cannot wait for it: see [`Filter::eager`].

/// The names of the tag.
const NAMES: [&str; 3] = ["think", "thinking", "thought"];

/// The message without its thinking and without white space before the answer.
///
/// ```
/// use plotbridge::llm::thinking::strip;
/// assert_eq!(strip("<think>Ann? No, Ben.</think>\n\nBen did."), "Ben did.");
/// assert_eq!(strip("Ann? No, Ben.\n</think>\n\nBen did."), "Ben did.");
/// assert_eq!(strip("The tag is \"</think>\"."), "The tag is \"</think>\".");
/// ```
pub fn strip(message: &str) -> String {
    let mut filter = Filter::patient();
    let mut answer = filter.push(message);
    answer.push_str(&filter.end());
    answer
}

/// Whether a message is of the unopened form: what a streaming caller must know before the next one.
pub fn is_unopened(message: &str) -> bool {
    let mut eager = Filter::eager();
    eager.push(message).len() + eager.end().len() != strip(message).len()
}

/// The same, over a message that arrives in pieces: the pieces it lets through, joined, are the answer,
/// wherever the message was cut.
#[derive(Debug)]
pub struct Filter {
    state: State,
    /// Read, but not decided.
    held: String,
    /// Whether an unopened form is waited for.
    patient: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// Before the first word: a tag may come.
    Start,
    /// Behind the begin tag of this name.
    Inside(&'static str),
    /// No begin tag came; up to this byte there is no other tag either.
    Unsure(usize),
    /// In the answer.
    Answer,
}

/// What the text behind a start turns out to be.
enum Sight {
    /// A begin tag of this name, so many bytes in all.
    Begin(&'static str, usize),
    /// Too short to tell.
    Open,
    /// Something else.
    Other,
}

impl Filter {
    /// Recognises every form, as [`strip`] does. Of a message without tags it lets nothing through
    /// before the end.
    pub fn patient() -> Self {
        Self { state: State::Start, held: String::new(), patient: true }
    }

    /// Lets a message through as it comes, unless it begins with the tag. Thoughts of the unopened form
    /// pass, which [`is_unopened`] tells afterwards.
    pub fn eager() -> Self {
        Self { patient: false, ..Self::patient() }
    }

    /// Takes the next piece and gives what is certainly part of the answer.
    pub fn push(&mut self, piece: &str) -> String {
        if self.state == State::Answer {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        while self.advance() {}
        if self.state == State::Answer { std::mem::take(&mut self.held) } else { String::new() }
    }

    /// Gives what is part of the answer now that nothing follows.
    pub fn end(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        match std::mem::replace(&mut self.state, State::Answer) {
            State::Start | State::Answer => held,
            State::Inside(_) => String::new(),
            State::Unsure(_) if first_tag(&held).is_some_and(|tag| tag.ends_thoughts(&held)) => String::new(),
            State::Unsure(_) => held,
        }
    }

    /// Decides one thing about what is held; false where more must come first.
    fn advance(&mut self) -> bool {
        match self.state {
            State::Start => {
                self.drop_front(self.held.len() - self.held.trim_start().len());
                match sight(&self.held) {
                    Sight::Begin(name, length) => {
                        self.drop_front(length);
                        self.state = State::Inside(name);
                    }
                    Sight::Open => return false,
                    Sight::Other if self.patient => self.state = State::Unsure(0),
                    Sight::Other => self.state = State::Answer,
                }
                true
            }
            State::Inside(name) => self.advance_inside(name),
            State::Unsure(seen) => self.advance_unsure(seen),
            State::Answer => false,
        }
    }

    fn advance_inside(&mut self, name: &str) -> bool {
        let tag = format!("</{name}>");
        if let Some(place) = self.held.find(&tag) {
            self.drop_front(place + tag.len());
            self.restart();
            return true;
        }
        // An end tag may have begun in the last bytes.
        self.drop_front(floor(&self.held, self.held.len().saturating_sub(tag.len())));
        false
    }

    fn advance_unsure(&mut self, seen: usize) -> bool {
        let Some(tag) = self.held.get(seen..).and_then(first_tag) else {
            let longest = "</thinking>".len();
            self.state = State::Unsure(floor(&self.held, self.held.len().saturating_sub(longest)));
            return false;
        };
        let tag = Tag { start: tag.start + seen, end: tag.end + seen, ..tag };
        if tag.begins || !tag.is_outside_quotes(&self.held) {
            self.state = State::Answer;
            return true;
        }
        let behind = self.held.get(tag.end..).unwrap_or_default().trim_start_matches([' ', '\t', '\r']);
        match behind.chars().next() {
            None => return false,
            Some('\n' | '{' | '[') => {
                self.drop_front(tag.end);
                self.restart();
            }
            Some(_) => self.state = State::Answer,
        }
        true
    }

    /// Behind an end tag: another block may begin, but there is no unopened one to wait for.
    fn restart(&mut self) {
        self.state = State::Start;
        self.patient = false;
    }

    fn drop_front(&mut self, bytes: usize) {
        self.held.drain(..bytes);
    }
}

/// A tag in a text.
#[derive(Clone, Copy)]
struct Tag {
    start: usize,
    end: usize,
    begins: bool,
}

impl Tag {
    fn is_outside_quotes(self, text: &str) -> bool {
        let before = text.get(..self.start).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| matches!(c, '"' | '\'' | '`' | '“' | '‘' | '«' | '\\'))
    }

    /// Whether it is an end tag that nothing follows.
    fn ends_thoughts(self, text: &str) -> bool {
        let behind = text.get(self.end..).unwrap_or_default();
        !self.begins && self.is_outside_quotes(text) && behind.trim().is_empty()
    }
}

/// The first whole tag of a text.
fn first_tag(text: &str) -> Option<Tag> {
    text.match_indices('<').find_map(|(start, _)| {
        let inner = text.get(start + 1..)?;
        let (begins, name) = inner.strip_prefix('/').map_or((true, inner), |name| (false, name));
        let found =
            NAMES.iter().find(|n| name.strip_prefix(**n).is_some_and(|rest| rest.starts_with('>')))?;
        let end = start + 1 + usize::from(!begins) + found.len() + 1;
        Some(Tag { start, end, begins })
    })
}

/// Whether a text starts with a begin tag, or may yet.
fn sight(text: &str) -> Sight {
    for name in NAMES {
        let tag = format!("<{name}>");
        if text.starts_with(&tag) {
            return Sight::Begin(name, tag.len());
        }
    }
    if NAMES.iter().any(|name| format!("<{name}>").starts_with(text)) { Sight::Open } else { Sight::Other }
}

/// The last character boundary at or before a byte.
fn floor(text: &str, byte: usize) -> usize {
    (0..=byte).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reading_of_a_person() {
        let rows = [
            ("plain", "Ben did.", "Ben did."),
            ("closed", "<think>Ann?</think>\n\nBen did.", "Ben did."),
            ("after white space", "\n <think>\nAnn?\n</think>Ben did.", "Ben did."),
            ("another name", "<thinking>Ann?</think> no</thinking> Ben.", "Ben."),
            ("twice", "<think>a</think><think>b</think>Ben.", "Ben."),
            ("empty thoughts", "<think>\n\n</think>\n\nBen.", "Ben."),
            ("unclosed", "<think>Ann? Or Ben?", ""),
            ("end tag broken off", "<think>Ann</thin", ""),
            ("tag broken off", "<thin", "<thin"),
            ("unopened", "Ann? Ben.\n</think>\n\nBen did.", "Ben did."),
            ("unopened, end tag behind words", "So it is Ben.</think>\nBen did.", "Ben did."),
            ("unopened, then JSON", "I list them.</think>{\"a\":1}", "{\"a\":1}"),
            ("unopened, nothing follows", "Ann? Ben.\n</think>\n", ""),
            ("unopened, carriage returns", "Ann.\r\n</think>\r\n\r\nBen.", "Ben."),
            ("only an end tag", "</think>\nBen.", "Ben."),
            ("in quotes", "He wrote \"</think>\" there.", "He wrote \"</think>\" there."),
            ("in quotes before an end", "He wrote “</think>\n", "He wrote “</think>\n"),
            ("in a sentence", "The tag </think> closes.", "The tag </think> closes."),
            ("later pair", "Ben.\n<think>x</think>\nAnn.", "Ben.\n<think>x</think>\nAnn."),
            ("later tag", "<think>x</think>Ben.\n</think>\nAnn.", "Ben.\n</think>\nAnn."),
            ("in JSON", "{\"a\":\"<think>x</think>\"}", "{\"a\":\"<think>x</think>\"}"),
            ("a word like it", "<thinker>x", "<thinker>x"),
            ("empty", "", ""),
        ];
        for (name, message, answer) in rows {
            assert_eq!(strip(message), answer, "{name}");
        }
    }

    #[test]
    fn only_an_unopened_message_is_unopened() {
        assert!(is_unopened("Ann?\n</think>\nBen."));
        for other in
            ["Ben.", "<think>x</think>Ben.", "<think>x", "a </think> b", "<think>x</think>a\n</think>\nb"]
        {
            assert!(!is_unopened(other), "{other}");
        }
    }

    #[test]
    fn an_eager_filter_lets_words_through_at_once() {
        let mut filter = Filter::eager();
        assert_eq!(filter.push("<th"), "");
        assert_eq!(filter.push("ink>x</think>"), "");
        assert_eq!(filter.push(" B"), "B");
        assert_eq!(filter.push("en <think>"), "en <think>");
        assert_eq!(filter.end(), "");
    }
}
