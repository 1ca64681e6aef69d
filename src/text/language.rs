//! Which language a text is in: what a Gutenberg header says, or what it reads as.
//!
//! The rules and the built-in embedder are made for English. A text with few of the commonest
//! English words is not called English, so that nobody is surprised by what is not found; others are told by
//! their script or by their own commonest words.

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

/// The commonest words of other languages in Latin script that mark them off from each other.
const OTHERS: [(&str, &str); 6] = [
    ("de", "der die und das nicht ich er sie es den mit ein eine war auf dem sich von zu ist"),
    ("fr", "le les et des une dans que qui il elle est pas vous je ne du avait pour son au"),
    ("es", "el los y que las una con no por del su lo se al como era más pero él había"),
    ("it", "il di che e un una non per la gli si con era del le nel come più sua aveva"),
    ("pt", "o os e que uma não um com do da se ao mas em à na no por como tinha"),
    ("nl", "de het een en van ik niet dat hij zijn was met op te voor aan ze maar er"),
];

/// The scripts that tell a language, each with what it is taken for: Cyrillic is mostly Russian here.
const SCRIPTS: [(&str, &[std::ops::RangeInclusive<char>]); 7] = [
    ("ja", &['\u{3040}'..='\u{30ff}']),
    ("ko", &['\u{ac00}'..='\u{d7af}']),
    ("zh", &['\u{3400}'..='\u{9fff}', '\u{20000}'..='\u{3ffff}']),
    ("ru", &['\u{400}'..='\u{4ff}']),
    ("ar", &['\u{600}'..='\u{6ff}']),
    ("he", &['\u{590}'..='\u{5ff}']),
    ("el", &['\u{370}'..='\u{3ff}', '\u{1f00}'..='\u{1fff}']),
];

/// Words looked at, and the share of common ones below which a text is not in a language, in percent.
/// English novels have 25 to 32.
const SAMPLE: usize = 20_000;
const SHARE: usize = 12;

/// The tag of the first language that a header names.
pub(super) fn named(header: &str) -> Option<&'static str> {
    let first = header.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty())?;
    NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(first)).map(|(_, tag)| *tag)
}

/// The tag of the language that a text reads as. A text of a few words is taken for English.
pub(super) fn of(text: &str) -> Option<&'static str> {
    if let Some(tag) = by_script(text) {
        return Some(tag);
    }
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(SAMPLE).collect();
    let english =
        words.iter().filter(|word| COMMON.iter().any(|other| other.eq_ignore_ascii_case(word))).count();
    if words.len() < 50 || english * 100 >= words.len() * SHARE {
        return Some("en");
    }
    let common = |list: &str| {
        let list: Vec<&str> = list.split(' ').collect();
        words.iter().filter(|word| list.contains(&word.to_lowercase().as_str())).count()
    };
    let counted = OTHERS.iter().map(|(tag, list)| (common(list), *tag));
    let best = counted.max_by_key(|(count, _)| *count)?;
    (best.0 * 100 >= words.len() * SHARE).then_some(best.1)
}

/// The language of the script that half of a text's letters are of; a tenth of kana makes it Japanese.
fn by_script(text: &str) -> Option<&'static str> {
    let (mut counts, mut all) = ([0_usize; SCRIPTS.len()], 0);
    for c in text.chars().take(SAMPLE).filter(|c| c.is_alphabetic()) {
        all += 1;
        if c < '\u{370}' {
            continue;
        }
        let script = SCRIPTS.iter().position(|(_, ranges)| ranges.iter().any(|range| range.contains(&c)));
        if let Some(count) = script.and_then(|script| counts.get_mut(script)) {
            *count += 1;
        }
    }
    let foreign: usize = counts.iter().sum();
    let shares = SCRIPTS.iter().zip(counts);
    let fits = |(tag, count): (&'static str, usize)| match tag {
        "ja" | "ko" => count * 10 >= all,
        _ => count * 2 >= all,
    };
    if foreign * 2 < all || all == 0 {
        return None;
    }
    shares.map(|((tag, _), count)| (*tag, count)).find(|found| fits(*found)).map(|(tag, _)| tag)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn headers_name_languages() {
        assert_eq!(named("English"), Some("en"));
        assert_eq!(named("Spanish and English"), Some("es"));
        assert_eq!(named("Klingon"), None);
    }

    #[test]
    fn languages_are_told_apart() {
        let made: serde_json::Value =
            serde_json::from_str(include_str!("../../tests/data/tokens.json")).unwrap();
        let tags = [
            ("wrapped", "en"),
            ("french_talk", "fr"),
            ("german_talk", "de"),
            ("spanish", "es"),
            ("italian", "it"),
            ("portuguese", "pt"),
            ("russian_talk", "ru"),
            ("chinese_talk", "zh"),
            ("chinese_traditional", "zh"),
            ("japanese_talk", "ja"),
            ("korean", "ko"),
            ("arabic", "ar"),
            ("hebrew", "he"),
            ("greek", "el"),
        ];
        for row in made["rows"].as_array().unwrap() {
            let (name, text) = (row["name"].as_str().unwrap(), row["text"].as_str().unwrap());
            if let Some((_, tag)) = tags.iter().find(|(known, _)| *known == name) {
                assert_eq!(of(&text.repeat(3)), Some(*tag), "{name}");
            }
        }
        assert_eq!(of("Rain."), Some("en"));
        assert_eq!(of(&"Llan fair pwll gwyn gyll ".repeat(20)), None);
    }
}
