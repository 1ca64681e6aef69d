//! Porter's stemmer, in the variant that ROUGE is measured with.
//!
//! M. F. Porter, *An algorithm for suffix stripping*, Program 14(3), 1980: five steps take suffixes off, each
//! under a condition on the measure of what is left, the number of times a vowel is followed by a consonant.
//! The package rouge-score stems by NLTK's `PorterStemmer` in its default mode, which departs from the paper
//! in the words of [`IRREGULAR`], in `ies` and `ied` of short words, in `y` after a consonant, in `alli`, `bli`,
//! `fulli` and `logi`, and in words of two letters. The searching of a book has Snowball's newer stemmer, whose
//! stems differ; scores that are compared with published ones need this one.
//!
//! Invariant: a word is ASCII, in lower case; a stem is never longer than its word by more than a letter.

/// Words whose stem is said.
const IRREGULAR: [(&str, &str); 15] = [
    ("sky", "sky"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("news", "news"),
    ("innings", "inning"),
    ("inning", "inning"),
    ("outings", "outing"),
    ("outing", "outing"),
    ("cannings", "canning"),
    ("canning", "canning"),
    ("howe", "howe"),
    ("proceed", "proceed"),
    ("exceed", "exceed"),
];

/// Suffixes of step 2 with what takes their place after a stem of positive measure.
const STEP_2: [(&str, &str); 21] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
];

/// The same of step 3.
const STEP_3: [(&str, &str); 7] = [
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

/// Suffixes of step 4, which go after a stem of measure 2 or more.
const STEP_4: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
];

/// The stem of a word in lower case.
pub fn stem(word: &str) -> String {
    if let Some((_, stem)) = IRREGULAR.iter().find(|(irregular, _)| *irregular == word) {
        return (*stem).to_owned();
    }
    if word == "succeed" || word.len() <= 2 {
        return word.to_owned();
    }
    let word = plural(word.to_owned());
    let word = past(word);
    let word = y_to_i(word);
    let word = double_suffix(word);
    let word = replaced(&word, &STEP_3);
    let word = bare(word);
    last_letters(word)
}

/// Step 1a: `sses`, `ies`, `s`.
fn plural(word: String) -> String {
    match word.strip_suffix("ies") {
        Some(rest) if rest.len() == 1 => return format!("{rest}ie"),
        Some(rest) => return format!("{rest}i"),
        None => (),
    }
    if let Some(rest) = word.strip_suffix("sses") {
        return format!("{rest}ss");
    }
    match word.strip_suffix('s') {
        Some(rest) if !rest.ends_with('s') => rest.to_owned(),
        _ => word,
    }
}

/// Step 1b: `ied`, `eed`, `ed`, `ing`.
fn past(word: String) -> String {
    if let Some(rest) = word.strip_suffix("ied") {
        return if rest.len() == 1 { format!("{rest}ie") } else { format!("{rest}i") };
    }
    if let Some(rest) = word.strip_suffix("eed") {
        return if measure(rest) > 0 { format!("{rest}ee") } else { word };
    }
    let rest =
        ["ed", "ing"].iter().find_map(|suffix| word.strip_suffix(suffix).filter(|rest| has_vowel(rest)));
    let Some(rest) = rest else { return word };
    if ["at", "bl", "iz"].iter().any(|end| rest.ends_with(end)) {
        return format!("{rest}e");
    }
    if ends_double(rest) {
        return if rest.ends_with(['l', 's', 'z']) { rest.to_owned() } else { but_last(rest).to_owned() };
    }
    if measure(rest) == 1 && ends_cvc(rest) { format!("{rest}e") } else { rest.to_owned() }
}

/// Step 1c: `y` after a consonant that is not the first letter.
fn y_to_i(word: String) -> String {
    match word.strip_suffix('y') {
        Some(rest) if rest.len() > 1 && consonant(rest.as_bytes(), rest.len() - 1) => format!("{rest}i"),
        _ => word,
    }
}

/// Step 2: a suffix of two into one. `alli` becomes `al` first, and what comes of it is looked at again.
fn double_suffix(word: String) -> String {
    if let Some(rest) = word.strip_suffix("alli").filter(|rest| measure(rest) > 0) {
        return double_suffix(format!("{rest}al"));
    }
    // `logi` is measured with its first letter.
    if let Some(rest) = word.strip_suffix("ogi").filter(|rest| rest.ends_with('l')) {
        return if measure(rest) > 0 { format!("{rest}og") } else { word };
    }
    replaced(&word, &STEP_2)
}

/// The word with the first suffix that it has replaced, where the stem's measure is positive.
fn replaced(word: &str, rules: &[(&str, &str)]) -> String {
    let fitting = rules.iter().find_map(|(suffix, other)| Some((word.strip_suffix(suffix)?, other)));
    match fitting {
        Some((rest, other)) if measure(rest) > 0 => format!("{rest}{other}"),
        _ => word.to_owned(),
    }
}

/// Step 4: a last suffix goes.
fn bare(word: String) -> String {
    let rest = STEP_4.iter().find_map(|suffix| Some((*suffix, word.strip_suffix(suffix)?)));
    match rest {
        Some(("ion", rest)) if !rest.ends_with(['s', 't']) => word,
        Some((_, rest)) if measure(rest) > 1 => rest.to_owned(),
        _ => word,
    }
}

/// Step 5: a last `e`, and the second of two `l`.
fn last_letters(word: String) -> String {
    let word = match word.strip_suffix('e') {
        Some(rest) if measure(rest) > 1 || measure(rest) == 1 && !ends_cvc(rest) => rest.to_owned(),
        _ => word,
    };
    if word.ends_with("ll") && measure(but_last(&word)) > 1 { but_last(&word).to_owned() } else { word }
}

fn but_last(word: &str) -> &str {
    word.get(..word.len().saturating_sub(1)).unwrap_or_default()
}

/// Whether a letter is a consonant; `y` is one where no consonant stands before it.
fn consonant(word: &[u8], place: usize) -> bool {
    let mut flips = false;
    let mut at = place;
    // A run of y is decided by what stands before it.
    while at > 0 && word.get(at) == Some(&b'y') {
        flips = !flips;
        at -= 1;
    }
    let first = !matches!(word.get(at), Some(b'a' | b'e' | b'i' | b'o' | b'u'));
    first != flips
}

fn has_vowel(word: &str) -> bool {
    (0..word.len()).any(|place| !consonant(word.as_bytes(), place))
}

/// How often a vowel is followed by a consonant.
fn measure(word: &str) -> usize {
    let word = word.as_bytes();
    (1..word.len()).filter(|&place| consonant(word, place) && !consonant(word, place - 1)).count()
}

fn ends_double(word: &str) -> bool {
    match word.as_bytes() {
        [.., a, b] => a == b && consonant(word.as_bytes(), word.len() - 1),
        _ => false,
    }
}

/// Whether it ends with consonant, vowel, consonant, the last none of `w x y`; of two letters, vowel and
/// consonant suffice.
fn ends_cvc(word: &str) -> bool {
    let bytes = word.as_bytes();
    let kinds: Vec<bool> = (0..bytes.len()).map(|place| consonant(bytes, place)).collect();
    match kinds[..] {
        [false, true] => true,
        [.., true, false, true] => !word.ends_with(['w', 'x', 'y']),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Porter's own examples, and the departures.
    #[test]
    fn suffixes_go_step_by_step() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("ties", "tie"),
            ("cats", "cat"),
            ("agreed", "agre"),
            ("feed", "feed"),
            ("plastered", "plaster"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("enjoy", "enjoy"),
            ("relational", "relat"),
            ("generally", "gener"),
            ("geology", "geolog"),
            ("hopefulness", "hope"),
            ("adoption", "adopt"),
            ("controller", "control"),
            ("dying", "die"),
            ("cried", "cri"),
            ("died", "die"),
            ("as", "as"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }
}
