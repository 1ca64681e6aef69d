//! Texts cut into requests for vectors: by count and by bytes, and in half where a server refuses.

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

#[cfg(test)]
mod tests {
    use super::*;

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
