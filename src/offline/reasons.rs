//! Whether a sentence gives a reason.
//!
//! English says so with a word (`because`, `lest`, `for he ...`), with a wish or a fear, or, in a story, with
//! the pluperfect: what `had happened` is told after what it explains.
//!
//! Invariant: a sentence is judged by its own words alone.

use super::english::{self, Tag};

/// Words that give a reason wherever they stand.
const WORDS: [&str; 14] = [
    "because",
    "since",
    "lest",
    "reason",
    "therefore",
    "order",
    "sake",
    "wanted",
    "feared",
    "cause",
    "owing",
    "afraid",
    "angry",
    "wished",
];

/// Whether these words of a sentence, in lower case, give a reason.
pub(crate) fn gives_reason<W: AsRef<str>>(sentence: &[W]) -> bool {
    let word = |at: usize| sentence.get(at).map_or("", AsRef::as_ref);
    (0..sentence.len()).any(|at| {
        let next = word(at + 1);
        match word(at) {
            "so" => next == "that",
            "for" => english::entry(next).is(Tag::SubjectPronoun) || matches!(next, "it" | "there"),
            "had" => {
                let between = (at + 1..at + 3).take_while(|&at| is_light(word(at))).count();
                happened(word(at + 1 + between))
            }
            single => WORDS.contains(&single),
        }
    })
}

/// Whether a word may stand between `had` and its participle: `had never once seen`, `had hardly gone`.
fn is_light(word: &str) -> bool {
    english::is_stop(word) || word == "once" || word.ends_with("ly")
}

/// Whether a word may be the participle of a pluperfect.
fn happened(word: &str) -> bool {
    !english::is_stop(word) && english::verb(word).is_some_and(|base| base != word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_told_from_what_gives_none() {
        for (sentence, expected) in [
            ("she wept because he was gone", true),
            ("they ran for they heard the bear", true),
            ("he had listened till she spoke", true),
            ("she had never once seen it", true),
            ("he went to the mill for bread", false),
            ("he had a hat", false),
            ("they came so late that it was dark", false),
        ] {
            let words: Vec<&str> = sentence.split(' ').collect();
            assert_eq!(gives_reason(&words), expected, "{sentence}");
        }
    }
}
