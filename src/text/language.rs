//! Which language a text is in: what a Gutenberg header says, or whether it reads as English.
//!
//! The rules and the built-in embedder are made for English. A text with few of the commonest
//! English words is not called English, so that nobody is surprised by what is not found.

/// Languages by the names that headers use.
const NAMES: [(&str, &str); 22] = [
    ("english", "en"),
    ("french", "fr"),
    ("german", "de"),
    ("spanish", "es"),
    ("italian", "it"),
    ("portuguese", "pt"),
    ("dutch", "nl"),
    ("finnish", "fi"),
    ("swedish", "sv"),
    ("danish", "da"),
    ("norwegian", "no"),
    ("latin", "la"),
    ("greek", "el"),
    ("polish", "pl"),
    ("czech", "cs"),
    ("hungarian", "hu"),
    ("russian", "ru"),
    ("chinese", "zh"),
    ("japanese", "ja"),
    ("esperanto", "eo"),
    ("welsh", "cy"),
    ("catalan", "ca"),
];

/// The commonest words of English prose, none of which is common in a neighbouring language.
const COMMON: [&str; 24] = [
    "the", "and", "of", "to", "that", "was", "he", "his", "with", "it", "had", "for", "you", "not", "her",
    "but", "they", "were", "this", "have", "from", "she", "which", "is",
];

/// Words looked at, and the share of common ones below which a text is not English, in percent.
/// English novels have 25 to 32.
const SAMPLE: usize = 20_000;
const SHARE: usize = 12;

/// The tag of the first language that a header names.
pub(super) fn named(header: &str) -> Option<&'static str> {
    let first = header.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty())?;
    NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(first)).map(|(_, tag)| *tag)
}

/// Whether a text reads as English. A text of a few words is given the benefit of the doubt.
pub(super) fn is_english(text: &str) -> bool {
    let (mut words, mut common) = (0, 0);
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(SAMPLE) {
        words += 1;
        common += usize::from(word.len() <= 5 && COMMON.iter().any(|other| other.eq_ignore_ascii_case(word)));
    }
    let foreign = text.chars().take(SAMPLE).filter(|c| *c >= '\u{370}' && c.is_alphabetic()).count();
    (words < 50 || common * 100 >= words * SHARE) && foreign * 2 < text.chars().take(SAMPLE).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_name_languages() {
        assert_eq!(named("English"), Some("en"));
        assert_eq!(named("Spanish and English"), Some("es"));
        assert_eq!(named("Klingon"), None);
    }

    #[test]
    fn english_is_told_from_others() {
        let rows = [
            (
                "It was late when he came to the ferry, and she was not there; they had waited for her with the lantern. ",
                true,
            ),
            (
                "Es war sp\u{e4}t, als er an die F\u{e4}hre kam, und niemand war da; sie hatten lange mit der Laterne gewartet. ",
                false,
            ),
            (
                "Il \u{e9}tait tard quand il arriva au bac, et personne ne l'attendait avec la lanterne au bord de l'eau. ",
                false,
            ),
        ];
        for (sentence, expected) in rows {
            assert_eq!(is_english(&sentence.repeat(20)), expected, "{sentence}");
        }
        assert!(!is_english("\u{5929}\u{4e0b}\u{5927}\u{52bf}"));
        assert!(is_english("Rain."));
    }
}
