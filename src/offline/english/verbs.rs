//! Verbs in any inflection, and the happenings that they name.
//!
//! Invariant: what is given back stands in the word lists.

use super::{Class, TABLE, Tag, base, class_name, entry};

/// The base form of a known verb in any inflection: `come` for `coming`, `carry` for `carried`.
pub(crate) fn verb(word: &str) -> Option<&'static str> {
    if let Some(verb) = known_verb(base(word)) {
        return Some(verb);
    }
    known_verb(word).or_else(|| {
        let stem = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed"));
        if let Some(stem) = stem {
            return inflected(stem);
        }
        let third = word.strip_suffix('s')?;
        let y = third.strip_suffix("ie").map(|stem| format!("{stem}y"));
        known_verb(third)
            .or_else(|| known_verb(third.strip_suffix('e')?))
            .or_else(|| known_verb(y.as_deref()?))
    })
}

/// The verb whose stem before `ing` or `ed` this is: itself, with e, with y for i, undoubled.
fn inflected(stem: &str) -> Option<&'static str> {
    let undoubled = || {
        let mut letters = stem.chars().rev();
        (letters.next()? == letters.next()?).then(|| &stem[..stem.len() - 1])
    };
    known_verb(stem)
        .or_else(|| known_verb(&format!("{stem}e")))
        .or_else(|| known_verb(&format!("{}y", stem.strip_suffix('i')?)))
        .or_else(|| known_verb(undoubled()?))
}

fn known_verb(word: &str) -> Option<&'static str> {
    let (word, entry) = TABLE.words.get_key_value(word)?;
    entry.is(Tag::Verb).then_some(*word)
}

/// The class of events of a verb's base form.
pub(crate) fn verb_class(base: &str) -> Option<Class> {
    entry(base).verb_class
}

/// Whether a class is of verbs so frequent that any other tells more of what happens.
pub(crate) fn is_weak(class: Class) -> bool {
    matches!(class_name(class), "thought" | "observation" | "speech" | "movement")
}

/// The class of happening that a lower-case word names, as a verb in any form or as a noun: `departure` for
/// `left`. None for what is weak.
pub(crate) fn happening(word: &str) -> Option<&'static str> {
    let noun = || entry(word).noun_class();
    let class = verb(word).and_then(verb_class).filter(|class| !is_weak(*class)).or_else(noun)?;
    (!is_weak(class)).then(|| class_name(class))
}
