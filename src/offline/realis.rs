//! Which verbs say that something happened: asserted, in the past or perfect, once.
//!
//! A verb tells a happening when it stands in the past, in a perfect or in a past progressive, and when
//! nothing around it takes that back: no negation or modal in its chain of auxiliaries, no condition at the
//! head of its clause, no habit, no question mark at the end. Verbs of being, having and knowing tell states.
//! This is LitBank's notion of a *realis* event (Sims, Park, Bamman 2019), by rule; docs/quality.md says how
//! often the two agree.
//!
//! Invariant: a verb is judged by its own sentence alone.

use super::english::{self, Tag};
use super::labels::is_determiner;
use super::tokens::{Gap, Shape, Token, Words};

/// Longest chain of auxiliaries and adverbs before a verb, in tokens.
const CHAIN: usize = 5;

/// How far back the first of several verbs may stand that somebody was seen to do, in tokens.
const PERCEIVED: usize = 8;

/// How a form of a verb may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `came`, `walked`, `taken`: a past, or a participle.
    Past,
    /// `put`, `come`: the base, which may be a past or a participle too.
    Base,
    /// `coming`.
    Progressive,
}

/// What the auxiliaries before a verb make of it.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    /// Would, may, to: no assertion.
    modal: bool,
    /// Not, never, no one.
    negated: bool,
    /// Always, often.
    habit: bool,
    /// A form of `be`.
    be: bool,
    /// Of these, one of the present alone: `is known` tells how things are.
    present: bool,
    /// A form of `have`.
    have: bool,
    /// `did`.
    did: bool,
    /// Where the chain begins.
    start: usize,
}

/// The book's text, to see the marks between words, with its words.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    /// The document's text.
    pub(crate) text: &'a str,
    /// Its words.
    pub(crate) words: &'a Words,
}

impl Reading<'_> {
    /// Whether the word at this place says that something happened.
    pub(crate) fn happened(&self, at: usize) -> bool {
        let Some(token) = self.words.tokens.get(at) else { return false };
        let Some(form) = self.form(token) else { return false };
        let chain = self.chain(at);
        let asserted = !(chain.modal || chain.negated || chain.habit);
        asserted
            && self.is_told(at, form, &chain)
            && !self.is_state(at, &chain)
            && !self.is_conditional(chain.start)
            && !self.is_asked(at)
    }

    /// Whether a verb is told of what is done to its subject: `was left`.
    pub(crate) fn is_passive(&self, verb: usize) -> bool {
        let form = self.words.tokens.get(verb).and_then(|token| self.form(token));
        self.chain(verb).be && form != Some(Form::Progressive)
    }

    /// Where the auxiliaries of a verb begin: its own place without any.
    pub(crate) fn chain_start(&self, verb: usize) -> usize {
        self.chain(verb).start
    }

    /// How a word may be read as a verb of happening.
    fn form(&self, token: &Token) -> Option<Form> {
        let word = self.words.word(token);
        let text = word.text.as_str();
        let adjective = word.entry.is(Tag::Adjective) || token.gap == Gap::Hyphen;
        if token.shape != Shape::Lower || word.entry.is(Tag::Stop) || adjective {
            return None;
        }
        let ending = text.len() > 4 && text.ends_with("ed") && !text.ends_with("eed");
        match word.verb {
            Some(base) if text == base => Some(Form::Base),
            Some(_) if text.ends_with("ing") => Some(Form::Progressive),
            Some(base) if english::base(text) == base => Some(Form::Past),
            Some(_) if text.ends_with('s') => None,
            Some(_) => Some(Form::Past),
            // "Unsoftened" and its kin are qualities.
            None => (ending && !text.starts_with("un")).then_some(Form::Past),
        }
    }

    /// Reads the auxiliaries, adverbs and negations right before a place.
    fn chain(&self, at: usize) -> Chain {
        let mut chain = Chain { start: at, ..Chain::default() };
        let sentence = self.words.tokens[at].sentence;
        for place in (at.saturating_sub(CHAIN)..at).rev() {
            let joined = matches!(self.words.tokens[place + 1].gap, Gap::Space | Gap::Hyphen);
            let Some(token) = self.words.at(sentence, place).filter(|_| joined) else { break };
            let text = self.words.lower(token);
            match text {
                "would" | "could" | "should" | "may" | "might" | "must" | "can" | "will" | "shall"
                | "ought" | "to" | "let" | "cannot" => chain.modal = true,
                "not" | "never" | "hardly" | "scarcely" => chain.negated = true,
                "always" | "often" | "usually" | "seldom" | "generally" | "sometimes" | "frequently"
                | "rarely" | "occasionally" | "commonly" | "ordinarily" => chain.habit = true,
                "am" | "is" | "are" | "be" => (chain.be, chain.present) = (true, true),
                "was" | "were" | "been" | "being" => chain.be = true,
                "had" | "have" | "has" | "having" => chain.have = true,
                "did" => chain.did = true,
                _ if text.ends_with("n't") => {
                    chain.negated = true;
                    chain.did |= text == "didn't";
                }
                _ if text.ends_with("'ll") => chain.modal = true,
                _ if text.ends_with("'d") || text.ends_with("'ve") => chain.have = true,
                _ if passes(text) => {}
                _ => break,
            }
            chain.start = place;
        }
        chain.negated |= self.is_denied(sentence, chain.start);
        chain
    }

    /// Whether the subject before a chain is nobody: `no one came`, `not a soul stirred`.
    fn is_denied(&self, sentence: u32, start: usize) -> bool {
        (start.saturating_sub(3)..start).rev().any(|place| {
            self.words.at(sentence, place).is_some_and(|token| {
                matches!(
                    self.words.lower(token),
                    "nobody" | "none" | "nothing" | "neither" | "nor" | "no" | "not" | "never"
                )
            }) && (place + 1..=start)
                .all(|next| self.words.tokens.get(next).is_some_and(|token| token.gap == Gap::Space))
        })
    }

    /// Whether form and chain make an assertion of the past.
    fn is_told(&self, at: usize, form: Form, chain: &Chain) -> bool {
        let before = self.words.before(chain.start);
        let gap = self.words.tokens[chain.start].gap;
        let after = |word: &str| {
            let next = self.words.at(self.words.tokens[at].sentence, at + 1);
            next.is_some_and(|next| self.words.lower(next) == word)
        };
        let nominal = before.is_some_and(|before| {
            gap == Gap::Space && (before.possessive || is_determiner(self.words, before.word))
        });
        let bare = !(chain.be || chain.have);
        let participle = self.words.entry(&self.words.tokens[at]).is(Tag::Participle);
        match form {
            Form::Past if bare => !nominal && !participle,
            Form::Past => chain.have || !chain.present,
            Form::Base if chain.did || chain.have || chain.be && !chain.present => true,
            Form::Base => self.is_past_like(at, chain) || self.perceived(at).is_some(),
            Form::Progressive => chain.be && !after("to"),
        }
    }

    /// Whether a base that looks like its past (`put`, `shut`) stands where only a past can: after he or she.
    fn is_past_like(&self, at: usize, chain: &Chain) -> bool {
        let invariant = matches!(
            self.words.lower(&self.words.tokens[at]),
            "put"
                | "shut"
                | "set"
                | "cut"
                | "hit"
                | "cast"
                | "burst"
                | "hurt"
                | "spread"
                | "thrust"
                | "split"
        );
        let before = self.words.before(chain.start);
        invariant && before.is_some_and(|before| !is_determiner(self.words, before.word))
    }

    /// Where the pronoun stands of whom a base tells what he was seen or heard to do: `saw him rise and steal
    /// out`.
    pub(crate) fn perceived(&self, at: usize) -> Option<usize> {
        let sentence = self.words.tokens.get(at)?.sentence;
        let lower = |place: usize| self.words.at(sentence, place).map(|token| self.words.lower(token));
        let seen = |place: usize| {
            let whom = place.checked_sub(1).and_then(lower);
            let sees = place.checked_sub(2).and_then(lower);
            matches!(whom, Some("him" | "her" | "them" | "me" | "us" | "it"))
                && matches!(sees, Some("saw" | "seen" | "heard" | "watched" | "felt" | "made" | "bade"))
        };
        let joined = at.checked_sub(1).and_then(lower) == Some("and");
        let verb =
            if seen(at) { Some(at) } else { (at.saturating_sub(PERCEIVED)..at).rfind(|place| seen(*place)) };
        verb.filter(|verb| joined || *verb == at)?.checked_sub(1)
    }

    /// Whether the verb tells how things are, not what happens.
    fn is_state(&self, at: usize, chain: &Chain) -> bool {
        let word = self.words.word(&self.words.tokens[at]);
        let base = word.verb.unwrap_or(word.text.as_str());
        let next = self.words.at(self.words.tokens[at].sentence, at + 1).map(|next| self.words.lower(next));
        let entry = english::entry(base);
        matches!(base, "be" | "have" | "do" | "seem")
            || entry.is(Tag::State)
            || base == "use" && next == Some("to")
            || chain.be && (entry.is(Tag::Given) || english::entry(&word.text).is(Tag::Quality))
    }

    /// Whether a condition stands at the head of the clause that ends at `start`.
    fn is_conditional(&self, start: usize) -> bool {
        let Some(sentence) = self.words.tokens.get(start).map(|token| token.sentence) else { return false };
        let mut place = start;
        while place > 0 && matches!(self.words.tokens[place].gap, Gap::Space | Gap::Hyphen) {
            place -= 1;
            let Some(token) = self.words.at(sentence, place) else { return false };
            let text = self.words.lower(token);
            if matches!(
                text,
                "if" | "unless"
                    | "whether"
                    | "lest"
                    | "though"
                    | "whenever"
                    | "wherever"
                    | "whoever"
                    | "whatever"
                    | "wish"
                    | "wished"
                    | "wishing"
            ) {
                // "Though he came" tells that he came; "as though he came" does not.
                return text != "though"
                    || self.words.before(place).is_some_and(|before| self.words.lower(before) == "as");
            }
        }
        false
    }

    /// Whether a question mark ends what the word stands in.
    fn is_asked(&self, at: usize) -> bool {
        let token = &self.words.tokens[at];
        let mut place = at;
        loop {
            let end = self.words.tokens[place].end as usize;
            let next = self.words.at(token.sentence, place + 1);
            let sentence = &self.words.sentences[token.sentence as usize];
            let until = next.map_or(sentence.span.end, |next| next.start) as usize;
            let between = self.text.get(end..until).unwrap_or_default();
            if let Some(mark) = between.chars().find(|c| matches!(c, '.' | '!' | '?' | ';')) {
                return mark == '?';
            }
            match next {
                Some(next) if next.quoted == token.quoted => place += 1,
                _ => return false,
            }
        }
    }
}

/// Words that may stand between an auxiliary or a subject and its verb.
fn passes(text: &str) -> bool {
    text.ends_with("ly")
        || matches!(
            text,
            "then"
                | "now"
                | "ever"
                | "just"
                | "also"
                | "soon"
                | "only"
                | "still"
                | "already"
                | "again"
                | "once"
                | "at"
                | "last"
                | "first"
                | "even"
                | "all"
                | "both"
                | "so"
                | "since"
                | "thus"
                | "yet"
                | "there"
        )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::pace::{Native, Pace};
    use crate::text::{ReadOptions, chunk, read};

    fn told(text: &str) -> String {
        let document = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let chunks = chunk(&document, 512, 0);
        let host = Native::default();
        let words = pollster::block_on(Words::read(&document.text, &chunks, &Pace::new(&host))).unwrap();
        let reading = Reading { text: &document.text, words: &words };
        let told = (0..words.tokens.len()).filter(|at| reading.happened(*at));
        told.map(|at| words.lower(&words.tokens[at])).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_happened_is_told_from_what_did_not() {
        for (text, expected) in [
            ("Anne opened the door and went out.", "opened went"),
            ("She had left the house, and was walking home.", "left walking"),
            ("He did come, but she did not answer.", "come"),
            ("It must be confessed that he could have stayed.", ""),
            ("He would walk to the mill, and used to carry a lamp.", ""),
            ("Nobody came. She never wept.", ""),
            ("If he came she would leave. He looked as though he suffered.", "looked"),
            ("Though he came, she slept.", "came slept"),
            ("\"Who stole the lamp?\" asked Tom.", "asked"),
            ("He always walked by the river.", ""),
            ("She knew the man and had a hat.", ""),
            ("The house was situated by a wicked-minded, unpainted wall.", ""),
            ("He put the key on the table. The key is hidden.", "put"),
            ("I was born in York.", "born"),
            ("They are going to leave. She wished he had stopped.", ""),
            ("The forgotten letter fell.", "fell"),
            ("I saw him rise from the bench and steal out.", "saw rise steal"),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }
}
