//! Where Unicode's rules end a sentence and prose goes on: after an abbreviation, between what is said and who
//! says it, before the particle of a Japanese quotation.
//!
//! Only the words beside a boundary are looked at, so that it is judged the same wherever a text is cut. A
//! language is not asked for: each rule is of forms that mean nothing else in the others.

/// Abbreviations that a name or a number follows: never the end of a sentence.
const TITLES: [&str; 71] = [
    "mr",
    "mrs",
    "ms",
    "dr",
    "st",
    "capt",
    "col",
    "gen",
    "lieut",
    "lt",
    "sergt",
    "sgt",
    "maj",
    "cpl",
    "adm",
    "rev",
    "prof",
    "hon",
    "sr",
    "mme",
    "mlle",
    "messrs",
    "mm",
    "esqrs",
    "mons",
    "gov",
    "sen",
    "rep",
    "pres",
    "supt",
    "insp",
    "no",
    "nos",
    "vol",
    "chap",
    "ch",
    "fig",
    "pp",
    "vs",
    "viz",
    "cf",
    "ste",
    "mt",
    "ft",
    "bros",
    "mssrs",
    "mdlle",
    "monsig",
    "hr",
    "fr",
    "frl",
    "bzw",
    "usw",
    "sra",
    "srta",
    "dr\u{aa}",
    "dra",
    "don\u{aa}",
    "ud",
    "uds",
    "vd",
    "sig",
    "sigg",
    "dott",
    "ing",
    "avv",
    "exmo",
    "exma",
    "им",
    "св",
    "гг",
];

/// Whether what Unicode cut apart is one sentence.
pub(super) fn goes_on(before: &str, after: &str) -> bool {
    let first = after.trim_start().chars().find(|c| !is_quote(*c));
    let opens = after.trim_start().starts_with(is_quote);
    match first {
        None => true,
        _ if !before.contains(char::is_alphanumeric) => true,
        Some(c) if c.is_lowercase() && !opens => true,
        Some(c) if is_dash(c) => after_dashes(after).is_some_and(char::is_lowercase),
        // What was said, with the particle that says so.
        Some('と' | 'っ') if before.ends_with(['\u{300d}', '\u{300f}']) => true,
        Some('\u{4e00}'..='\u{9fff}') if before.ends_with(['\u{201d}', '\u{300d}']) => {
            !opens && after.chars().count() <= SAID
        }
        Some(c) => {
            let words = before.trim_end();
            words.strip_suffix('.').is_some_and(|words| is_abbreviated(words, c, after.trim_start()))
        }
    }
}

/// The most characters of what follows a Chinese quotation and says who spoke.
const SAID: usize = 8;

pub(super) fn is_opening(c: char) -> bool {
    matches!(c, '\u{300c}' | '\u{300e}' | '\u{300a}' | '\u{3008}' | '\u{ff08}' | '\u{201c}')
}

fn is_dash(c: char) -> bool {
    matches!(c, '\u{2013}'..='\u{2015}' | '-')
}

/// The first letter after the dash that parts speech from who speaks: `—¡Todos! —dijo él`.
fn after_dashes(words: &str) -> Option<char> {
    words.chars().find(|c| !is_dash(*c) && !c.is_whitespace())
}

/// Whether the full stop after these words belongs to an abbreviation, before this character of what comes
/// after.
fn is_abbreviated(words: &str, next: char, after: &str) -> bool {
    let start = words.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + 1);
    let start = (start..words.len()).find(|at| words.is_char_boundary(*at)).unwrap_or(words.len());
    let word = words.get(start..).unwrap_or_default();
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        // The initials of a name; "I." alone ends a sentence.
        (Some(only), None) if only.is_uppercase() => only != 'I' || is_initial_before(words, start),
        // A Russian Mr, and not a year.
        (Some('г'), None) => next.is_uppercase() && !words.get(..start).is_some_and(ends_in_digit),
        (Some('0'..='9'), _) if word.len() <= 2 => is_month(after),
        (Some(first), Some(_)) => {
            let lower = word.to_lowercase();
            let number =
                matches!(lower.as_str(), "no" | "nos" | "vol" | "chap" | "ch" | "fig" | "pp" | "mt" | "ft");
            let known = TITLES.contains(&lower.as_str());
            known
                && (!number || next.is_numeric() || first.is_uppercase() && lower != "no")
                && next.is_alphanumeric()
        }
        _ => false,
    }
}

fn ends_in_digit(words: &str) -> bool {
    words.trim_end().ends_with(|c: char| c.is_ascii_digit())
}

/// Whether a German date or heading goes on: `am 3. Mai`, `im 3. Kapitel`.
fn is_month(after: &str) -> bool {
    const WORDS: [&str; 14] = [
        "Januar",
        "Februar",
        "M\u{e4}rz",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
        "Kapitel",
        "Teil",
    ];
    let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
    after.get(..end).is_some_and(|word| WORDS.contains(&word))
}

/// Whether another initial stands right before this byte: the `J.` of `J. I. Vane`.
fn is_initial_before(words: &str, at: usize) -> bool {
    let before = words.get(..at).unwrap_or_default().trim_end();
    let mut back = before.chars().rev();
    back.next() == Some('.')
        && back.next().is_some_and(char::is_uppercase)
        && back.next().is_none_or(|c| !c.is_alphabetic())
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '(' | '[')
}
