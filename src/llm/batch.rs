//! Texts cut into requests for vectors: by count and by bytes, and in half where a server refuses; the last
//! resort is half of a single text.

use std::ops::Range;

/// The most texts of one request: no server known takes fewer.
pub const MOST_TEXTS: usize = 64;

/// The most bytes of text of one request; a single longer text goes alone.
pub const MOST_BYTES: usize = 200_000;

/// Runs of texts, in order, that together are all of them.
pub fn batches(texts: &[String]) -> Vec<Range<usize>> {
    let mut cut = Vec::new();
    let mut start = 0;
    let mut bytes = 0;
    for (place, text) in texts.iter().enumerate() {
        let full = place - start == MOST_TEXTS || bytes + text.len() > MOST_BYTES;
        if place > start && full {
            cut.push(start..place);
            start = place;
            bytes = 0;
        }
        bytes += text.len();
    }
    if start < texts.len() {
        cut.push(start..texts.len());
    }
    cut
}

/// Both halves of a run; `None` for a single text.
pub fn halves(run: &Range<usize>) -> Option<[Range<usize>; 2]> {
    let middle = run.start + run.len() / 2;
    (run.len() > 1).then_some([run.start..middle, middle..run.end])
}

/// Both halves of a text, cut at the white space nearest to its middle, or at its middle where there is none
/// in the inner half; `None` for what has no two letters.
pub fn text_halves(text: &str) -> Option<[&str; 2]> {
    let text = text.trim();
    let middle = text.len() / 2;
    let from_middle = |at: &usize| at.abs_diff(middle);
    let places = || text.char_indices().skip(1);
    let space = places().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).min_by_key(from_middle);
    let near = space.filter(|at| from_middle(at) <= text.len() / 4);
    let at = near.or_else(|| places().map(|(at, _)| at).min_by_key(from_middle))?;
    let (first, second) = text.split_at_checked(at)?;
    Some([first.trim_end(), second.trim_start()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_near_its_middle() {
        for (text, halves) in [
            ("", None),
            (" a ", None),
            ("one two three", Some(["one two", "three"])),
            ("in thequickbrown", Some(["in thequ", "ickbrown"])),
            ("渡し舟", Some(["渡", "し舟"])),
            ("  ab\n", Some(["a", "b"])),
        ] {
            assert_eq!(text_halves(text), halves, "{text:?}");
        }
    }

    #[test]
    fn runs_hold_all_texts_and_keep_both_limits() {
        let texts = |sizes: &[usize]| sizes.iter().map(|&size| "x".repeat(size)).collect::<Vec<_>>();
        assert!(batches(&[]).is_empty());
        assert_eq!(batches(&texts(&[1; 65])), [0..64, 64..65]);
        assert_eq!(batches(&texts(&[1; 130])), [0..64, 64..128, 128..130]);
        assert_eq!(batches(&texts(&[100_000, 100_000, 1])), [0..2, 2..3]);
        assert_eq!(batches(&texts(&[300_000, 300_000])), [0..1, 1..2]);
    }

    #[test]
    fn a_run_is_halved_down_to_single_texts() {
        assert_eq!(halves(&(2..5)), Some([2..3, 3..5]));
        assert_eq!(halves(&(2..3)), None);
    }
}
