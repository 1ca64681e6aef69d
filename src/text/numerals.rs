//! Numbers as headings write them: `7`, `VII`, `Seven`, `the Seventh`, `Twenty-One`.
//!
//! Invariant: a numeral is a whole word; what is left of the line is returned untouched.

use super::number_words::{Spelled, spelled};

/// The first word of a line (letters and digits) and the rest.
pub(super) fn word(line: &str) -> (&str, &str) {
    let end = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
    line.split_at(end)
}

/// The numeral that a line begins with, and the rest of the line. Words that are numbers in another language
/// than English (`once` is eleven) count where nothing but a title set off by a mark follows.
pub(super) fn leading(line: &str) -> Option<(u32, &str)> {
    let (first, rest) = word(line);
    let value = digits(first).or_else(|| roman(first));
    match value {
        Some(value) => Some((value, rest)),
        None => spelled(line).filter(stands_alone).map(|found| (found.value, found.rest)),
    }
}

fn stands_alone(found: &Spelled<'_>) -> bool {
    found.english || !found.rest.trim_start().starts_with(char::is_alphanumeric)
}

/// Up to three digits.
pub(super) fn digits(word: &str) -> Option<u32> {
    let plain = !word.is_empty() && word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    if plain { word.parse().ok().filter(|value| *value > 0) } else { None }
}

/// A number that only a word such as Chapter tells from a year or a word: four or five digits, or a Roman
/// numeral in capitals with a D or an M. And the rest of the line.
pub(super) fn large(line: &str) -> Option<(u32, &str)> {
    let (first, rest) = word(line);
    let value = match first.len() {
        4..=5 if first.bytes().all(|byte| byte.is_ascii_digit()) => first.parse().ok()?,
        _ if first.bytes().any(|byte| matches!(byte, b'D' | b'M')) => letters(first)?,
        _ => return None,
    };
    (value > 0).then_some((value, rest))
}

/// A Roman numeral below 400, well formed, all capitals or all small letters. With a D or an M it would
/// be a word as often as a number: `MIX`.
pub(super) fn roman(word: &str) -> Option<u32> {
    if word.bytes().all(|byte| !matches!(byte.to_ascii_lowercase(), b'd' | b'm')) {
        letters(word)
    } else {
        None
    }
}

/// A Roman numeral below 4000.
pub(super) fn letters(word: &str) -> Option<u32> {
    if word.len() > 15
        || !(word.bytes().all(|b| b.is_ascii_uppercase()) || word.bytes().all(|b| b.is_ascii_lowercase()))
    {
        return None;
    }
    let mut value = 0;
    let mut largest = 0;
    for byte in word.bytes().rev() {
        let digit = match byte.to_ascii_lowercase() {
            b'i' => 1,
            b'v' => 5,
            b'x' => 10,
            b'l' => 50,
            b'c' => 100,
            b'd' => 500,
            b'm' => 1000,
            _ => return None,
        };
        if digit < largest {
            value -= digit.min(value);
        } else {
            value += digit;
            largest = digit;
        }
    }
    // Old books write IIII and VIIII; beyond that a word such as "mix" or "civil" is none.
    let back = canonical(value);
    let old = word.to_ascii_lowercase().replace("viiii", "ix").replace("iiii", "iv").replace("xxxx", "xl");
    (value > 0 && back == old).then_some(value)
}

fn canonical(mut value: u32) -> String {
    const STEPS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut text = String::new();
    for (step, letters) in STEPS {
        while value >= step {
            text.push_str(letters);
            value -= step;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_are_read() {
        let rows = [
            ("7. The Bell", Some((7, ". The Bell"))),
            ("XIV", Some((14, ""))),
            ("xiv", Some((14, ""))),
            ("XLIX: North", Some((49, ": North"))),
            ("IIII", Some((4, ""))),
            ("Seven", Some((7, ""))),
            ("THE SEVENTH", Some((7, ""))),
            ("Twenty-One. Home", Some((21, ". Home"))),
            ("THIRTY THREE", Some((33, ""))),
            ("thirty years", Some((30, " years"))),
            ("0", None),
            ("1801", None),
            ("Mix", None),
            ("MIX", None),
            ("civil", None),
            ("IIX", None),
            ("Ivy", None),
            ("", None),
        ];
        for (line, expected) in rows {
            assert_eq!(leading(line), expected, "{line:?}");
        }
    }

    #[test]
    fn large_numbers_are_told_apart() {
        let rows = [
            ("1342. Rain", Some((1342, ". Rain"))),
            ("10001", Some((10001, ""))),
            ("MCDXLII", Some((1442, ""))),
            ("MIX", Some((1009, ""))),
            ("DIM", None),
            ("Mix", None),
            ("0000", None),
            ("999", None),
            ("XIV", None),
            ("\u{663}\u{664}", None),
        ];
        for (line, expected) in rows {
            assert_eq!(large(line), expected, "{line:?}");
        }
    }
}
