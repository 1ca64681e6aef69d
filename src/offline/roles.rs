//! Characters without a name: `the king`, `the old woman`, `the king's son`.
//!
//! Tales name few of their people. A definite article and a noun that stands for a person make a
//! phrase; adjectives that tell two of one role apart (`the youngest brother`) belong to it, others
//! are passed over. Whether a phrase becomes an entity is decided by [`is_character`] once its uses
//! are counted.
//!
//! Invariant: a phrase is found at its article, so phrases never overlap names.

use super::english::Tag;
use super::names::{Build, Run};
use super::tokens::{Gap, Shape, Words};

/// The role phrase whose article stands at this token.
pub(crate) fn phrase(words: &Words, at: usize) -> Option<Run> {
    let the = words.tokens.get(at).filter(|token| words.lower(token) == "the")?;
    let noun = |place: usize| {
        words
            .at(the.sentence, place)
            .filter(|token| token.gap == Gap::Space && !(token.shape == Shape::Upper))
    };
    let mut end = at + 1;
    for _ in 0..2 {
        let token = noun(end)?;
        if words.entry(token).is(Tag::Role) && !is_adjective(words, end) {
            break;
        }
        if !words.entry(token).is(Tag::Telling) {
            return None;
        }
        end += 1;
    }
    let head = noun(end).filter(|token| words.entry(token).is(Tag::Role))?;
    end += 1;
    if head.possessive
        && let Some(kin) = noun(end)
        && words.entry(kin).is(Tag::Kin)
    {
        end += 1;
    } else if goes_on(words, end) {
        return None;
    }
    Some(Run { start: at, end, honorifics: 0, build: Build::Role })
}

/// Whether the token before `end` is only the first half of a longer noun: `the guard house`.
fn goes_on(words: &Words, end: usize) -> bool {
    let Some(next) = words.tokens.get(end) else { return false };
    if end > 0 && words.tokens[end - 1].sentence != next.sentence {
        return false;
    }
    let entry = words.entry(next);
    let text = words.lower(next);
    let free = words.word(next).verb.is_some()
        || entry.is(Tag::Stop)
        || entry.is(Tag::Question)
        || ["ly", "ed", "ing"].iter().any(|ending| text.ends_with(ending));
    let named = next.capital() && !next.initial && !entry.is(Tag::Stop) && !entry.is(Tag::Pronoun);
    next.gap == Gap::Hyphen
        || (next.gap == Gap::Space && named)
        || (next.gap == Gap::Space
            && next.shape == Shape::Lower
            && !free
            && !words.tokens[end - 1].possessive)
}

/// Whether a word that could be a role stands before another role: `the fairy queen`.
fn is_adjective(words: &Words, at: usize) -> bool {
    let sentence = words.tokens[at].sentence;
    words.at(sentence, at + 1).is_some_and(|next| next.gap == Gap::Space && words.entry(next).is(Tag::Role))
        && words.entry(&words.tokens[at]).is(Tag::Telling)
}

/// How a role phrase is used, to decide whether it stands for a character.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoleUses {
    /// Uses in the book.
    pub(crate) count: u32,
    /// Signs of a person: a verb of speech, a possession.
    pub(crate) acts: u32,
    /// The most uses in one chapter.
    pub(crate) densest: u32,
    /// The most uses in one chapter where it is among the chapter's main names.
    pub(crate) leading: u32,
    /// The uses in all such chapters.
    pub(crate) led: u32,
}

/// Whether a role phrase is a character: used often enough, acting, and, if it is as vague as `the
/// man`, one of the main characters of some chapter.
pub(crate) fn is_character(uses: RoleUses, vague: bool) -> bool {
    uses.count >= 3
        && uses.acts >= 2
        && if vague { uses.leading >= 6 && uses.led * 2 >= uses.count } else { uses.densest >= 3 }
}
