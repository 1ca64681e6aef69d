//! Where the book names someone or something: runs of capitalised words.
//!
//! A capital in the middle of a sentence is a claim; a capital that the place asks for is none. A word
//! is taken for a name where the book capitalises it unasked more often than it writes it small; then
//! its uses at the beginnings of sentences count as well. Honorifics, inner particles and initials
//! extend a run; exclamations, months, nations and pronouns end it.
//!
//! Invariant: uses are in text order and do not overlap; each belongs to one [`Form`].

use std::collections::HashMap;

use super::english::{Entry, Tag};
use super::tokens::{Gap, Shape, Token, Word, WordId, Words};
use crate::error::Result;
use crate::pace::Pace;

/// Place of a form in [`Names::forms`].
pub(crate) type FormId = usize;

/// More different forms than any book has; a text beyond it is noise, and its later forms are left out.
pub(crate) const MAX_FORMS: usize = 20_000;
/// The most words of one name.
const MAX_RUN: usize = 8;

/// How a form is built, which decides what may be merged with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Build {
    /// Words of a name, perhaps after honorifics.
    Name,
    /// `the` and a family name in the plural: the Dashwoods.
    Family,
    /// `the` and a noun that stands for a character: the old king.
    Role,
}

/// One way of naming, as a sequence of words.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// As the book writes it, without full stops.
    pub(crate) text: String,
    /// How it is built.
    pub(crate) build: Build,
    /// The honorifics before the name.
    pub(crate) honorifics: Vec<WordId>,
    /// The words of the name, particles included.
    pub(crate) words: Vec<WordId>,
    /// How often it is used.
    pub(crate) count: u32,
    /// Where its first use ends, in bytes.
    pub(crate) first: u32,
    /// Uses where no place asks for the capital.
    pub(crate) sure: u32,
}

/// One use of a form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    /// Which form.
    pub(crate) form: FormId,
    /// Its first token.
    pub(crate) start: usize,
    /// One past its last token.
    pub(crate) end: usize,
}

/// Every form and every use.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// In order of first use.
    pub(crate) forms: Vec<Form>,
    /// In text order.
    pub(crate) uses: Vec<Use>,
    /// Whether forms were left out beyond [`MAX_FORMS`].
    pub(crate) capped: bool,
    ids: HashMap<(Build, Vec<WordId>), FormId>,
}

impl Names {
    /// Finds the names of a book.
    pub(crate) async fn find(text: &str, words: &Words, pace: &Pace<'_>) -> Result<Self> {
        let mut names = Self::default();
        for (index, sentence) in words.sentences.iter().enumerate() {
            let mut at = sentence.tokens.start;
            while at < sentence.tokens.end {
                at = match run(words, at).or_else(|| super::roles::phrase(words, at)) {
                    Some(run) => {
                        let end = run.end;
                        names.add(text, words, run);
                        end
                    }
                    None => at + 1,
                };
            }
            if index % 16 == 0 {
                pace.step("names", index, words.sentences.len()).await?;
            }
        }
        Ok(names)
    }

    fn add(&mut self, text: &str, words: &Words, run: Run) {
        let tokens = &words.tokens[run.start..run.end];
        let Some(last) = tokens.last() else { return };
        let key = (run.build, tokens.iter().map(|token| token.word).collect());
        let id = match self.ids.get(&key) {
            Some(id) => *id,
            None if self.forms.len() == MAX_FORMS => {
                self.capped = true;
                return;
            }
            None => {
                let (honorifics, name) = tokens.split_at(run.honorifics);
                self.forms.push(Form {
                    text: String::new(),
                    build: run.build,
                    honorifics: honorifics.iter().map(|token| token.word).collect(),
                    words: name.iter().map(|token| token.word).collect(),
                    count: 0,
                    first: last.end,
                    sure: 0,
                });
                self.ids.insert(key, self.forms.len() - 1);
                self.forms.len() - 1
            }
        };
        let form = &mut self.forms[id];
        let shouted = tokens.iter().any(|token| token.shape == Shape::Upper);
        if form.text.is_empty() || (form.count > 0 && !shouted && form.text.to_uppercase() == form.text) {
            form.text = written(text, tokens, run.build == Build::Role);
        }
        form.count += 1;
        form.sure += u32::from(tokens.iter().any(|token| token.capital() && !token.initial));
        self.uses.push(Use { form: id, start: run.start, end: run.end });
    }
}

/// A run of tokens that names.
pub(crate) struct Run {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) honorifics: usize,
    pub(crate) build: Build,
}

/// The words of a run as the book writes them: single spaces, no full stops, `the` in lower case.
fn written(text: &str, tokens: &[Token], lower: bool) -> String {
    let mut out = String::new();
    for token in tokens {
        if !out.is_empty() {
            out.push(if token.gap == Gap::Hyphen { '-' } else { ' ' });
        }
        let word = token.span().of(text);
        if lower || word.eq_ignore_ascii_case("the") && out.is_empty() {
            out.push_str(&word.to_lowercase());
        } else {
            out.push_str(word);
        }
        if token.possessive && std::ptr::from_ref(token) != std::ptr::from_ref(&tokens[tokens.len() - 1]) {
            out.push_str("'s");
        }
    }
    out
}

/// The run that begins at this token.
fn run(words: &Words, at: usize) -> Option<Run> {
    let token = words.tokens.get(at)?;
    if words.lower(token) == "the" {
        return family(words, at);
    }
    if !token.capital() || compound(words, at) {
        return None;
    }
    let mut end = at;
    while let Some(next) = words.at(token.sentence, end)
        && next.capital()
        && words.entry(next).is(Tag::Honorific)
        && (end == at || joins(words, end))
    {
        end += 1;
    }
    let mut honorifics = end - at;
    let mut end = extend(words, at, end)?;
    if honorifics == 1 && end == at + 1 && is_called(words, at) {
        honorifics = 0;
    }
    if honorifics == 2 && end == at + 2 && is_surname(words, at) {
        honorifics = 1;
    }
    end = end.min(at + MAX_RUN);
    (end > at + honorifics).then_some(Run { start: at, end, honorifics, build: Build::Name })
}

/// Whether a title behind `Mr`, `Mrs` or `Miss` is a surname: `Mrs Dean`, `Miss Prior`, where the book never
/// writes it small.
fn is_surname(words: &Words, at: usize) -> bool {
    let first = words.tokens.get(at).map(|token| words.entry(token));
    let polite = first.is_some_and(|entry| entry.is(Tag::Married) || entry.is(Tag::Maiden))
        || words.tokens.get(at).is_some_and(|token| matches!(words.lower(token), "mr" | "mister"));
    let title = words.tokens.get(at + 1).map(|token| words.word(token));
    polite && title.is_some_and(|word| word.lower == 0 && !word.entry.is(Tag::Vocative))
}

/// Whether a word of kinship stands as a name of its own: `Mother said`.
fn is_called(words: &Words, at: usize) -> bool {
    let word = words.word(&words.tokens[at]);
    let determined = words.before(at).is_some_and(|previous| {
        let entry = words.entry(previous);
        previous.possessive
            || entry.is(Tag::Pronoun)
            || entry.is(Tag::Telling)
            || words.lower(previous) == "dear"
    });
    word.entry.is(Tag::Vocative) && !determined && word.mid >= 3 && word.mid * 2 > word.lower
}

/// Extends a run over the words of the name, from `end`, the place after its honorifics.
fn extend(words: &Words, at: usize, mut end: usize) -> Option<usize> {
    let sentence = words.tokens.get(at)?.sentence;
    while let Some(token) = words.at(sentence, end) {
        if end > at && !joins(words, end) {
            break;
        }
        if end > at && is_particle(words, end) {
            let next = words.at(sentence, end + 1);
            let of = words.lower(token) == "of" && end - at != 1;
            let people = next.is_some_and(|next| words.entry(next).is(Tag::People));
            if of
                || people
                || !next.is_some_and(|next| next.capital() && continues(words, next))
                || !joins(words, end + 1)
            {
                break;
            }
            end += 2;
            continue;
        }
        let fits = token.capital()
            && if end == at { starts(words, token) } else { continues(words, token) || is_saint(words, end) };
        if !fits || compound(words, end) || (end > at + 1 && is_next_name(words, end)) {
            break;
        }
        end += 1;
        if token.possessive || end - at > MAX_RUN {
            break;
        }
    }
    Some(end)
}

/// Whether a person's name begins after the name of a place: `at Gull Point Anne ...`.
fn is_next_name(words: &Words, at: usize) -> bool {
    let given = words.tokens.get(at).is_some_and(|token| words.entry(token).is(Tag::Given));
    given && words.before(at).is_some_and(|previous| words.entry(previous).is(Tag::Place))
}

/// Whether the token stands after `St`: Armand St Just.
fn is_saint(words: &Words, at: usize) -> bool {
    words.before(at).is_some_and(|previous| previous.capital() && words.lower(previous) == "st")
}

/// Whether the token follows its predecessor within one name.
fn joins(words: &Words, at: usize) -> bool {
    let Some(token) = words.tokens.get(at) else { return false };
    let Some(previous) = words.before(at).filter(|previous| !previous.possessive) else {
        return false;
    };
    match token.gap {
        Gap::Space | Gap::Hyphen => true,
        Gap::Dot => words.abbreviates(previous),
        _ => false,
    }
}

/// Whether the token is one half of a hyphenated common word: `Plum-pudding`, `anti-Roman`.
fn compound(words: &Words, at: usize) -> bool {
    let token = &words.tokens[at];
    let before =
        token.gap == Gap::Hyphen && words.before(at).is_some_and(|token| token.shape == Shape::Lower);
    let after = words
        .at(token.sentence, at + 1)
        .is_some_and(|next| next.gap == Gap::Hyphen && next.shape == Shape::Lower);
    before || after
}

fn is_particle(words: &Words, at: usize) -> bool {
    let token = &words.tokens[at];
    token.shape == Shape::Lower && token.gap == Gap::Space && words.entry(token).is(Tag::Particle)
}

/// Whether a word can never be part of a name, however it is written.
fn barred(entry: Entry) -> bool {
    const NEVER: [Tag; 6] = [Tag::Stop, Tag::Question, Tag::Pronoun, Tag::Month, Tag::Day, Tag::Style];
    NEVER.into_iter().any(|tag| entry.is(tag))
}

/// Whether a capitalised token may begin a name (without honorific before it).
fn starts(words: &Words, token: &Token) -> bool {
    let word = words.word(token);
    let entry = word.entry;
    let given = entry.is(Tag::Given) && !token.initial;
    if barred(entry) && !given {
        return false;
    }
    if entry.is(Tag::Exclamation) || entry.is(Tag::People) || entry.is(Tag::Number) {
        return false;
    }
    if token.shape == Shape::Upper {
        return is_name(word);
    }
    is_name(word) || (!token.initial && is_claimed(word))
}

/// Whether a capitalised token may go on with a name or follow an honorific.
fn continues(words: &Words, token: &Token) -> bool {
    let word = words.word(token);
    let entry = word.entry;
    let forbidden = barred(entry) && !(entry.is(Tag::Given) || entry.is(Tag::Month));
    !forbidden && (token.shape != Shape::Upper || is_name(word) || is_numeral(&word.text))
}

/// Whether the book writes the word as a name more often than not.
fn is_name(word: &Word) -> bool {
    let unknown =
        word.lower == 0 && word.verb.is_none() && !known(word.entry) && !(word.mid == 0 && is_adverb(word));
    word.mid > word.lower || (unknown && word.initial >= 2) || (word.entry.is(Tag::Given) && word.lower == 0)
}

/// Whether the word may only begin sentences: `Unfortunately`, `Howsomever`.
fn is_adverb(word: &Word) -> bool {
    let adverb = word.text.ends_with("ly")
        || ["ever", "wise", "ward"].iter().any(|end| word.text.ends_with(end))
        || ["there", "where"].iter().any(|start| word.text.starts_with(start));
    adverb && !word.entry.is(Tag::Given)
}

/// Whether a capital in the middle of a sentence is enough, though the word is also a common one.
fn is_claimed(word: &Word) -> bool {
    word.entry.is(Tag::Given) || (word.mid >= 2 && word.mid * 3 >= word.lower)
}

/// Whether the word is one of the lists' common words.
fn known(entry: Entry) -> bool {
    const COMMON: [Tag; 9] = [
        Tag::Stop,
        Tag::Question,
        Tag::Role,
        Tag::Kin,
        Tag::Body,
        Tag::Place,
        Tag::Telling,
        Tag::Exclamation,
        Tag::Meta,
    ];
    COMMON.into_iter().any(|tag| entry.is(tag)) || entry.noun_class().is_some()
}

/// A Roman numeral after a name: Henry VIII.
fn is_numeral(text: &str) -> bool {
    text.len() >= 2 && text.chars().all(|c| matches!(c, 'i' | 'v' | 'x'))
}

/// `the` and the plural of a name: the Dashwoods.
fn family(words: &Words, at: usize) -> Option<Run> {
    let the = words.tokens.get(at)?;
    let token = words.at(the.sentence, at + 1)?;
    if words.lower(the) != "the" || !token.capital() || token.initial || token.possessive {
        return None;
    }
    let plural = words.lower(token);
    let single = plural.strip_suffix('s')?;
    let single = words.id(single).or_else(|| words.id(single.strip_suffix('e')?))?;
    let single = &words.vocabulary[single as usize];
    let next = words.at(the.sentence, at + 2);
    let goes_on = next.is_some_and(|next| next.capital() && next.gap == Gap::Space);
    (is_name(single) && single.mid > 0 && !single.entry.is(Tag::Role) && !goes_on).then_some(Run {
        start: at,
        end: at + 2,
        honorifics: 0,
        build: Build::Family,
    })
}
