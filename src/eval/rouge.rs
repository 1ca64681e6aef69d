//! ROUGE-L: how much of a reference an answer tells in the same order of words.
//!
//! C.-Y. Lin, *ROUGE: a package for automatic evaluation of summaries*, 2004. With L the length of the longest
//! common subsequence of words, P = L / words of the answer, R = L / words of the reference, and the score is
//! F = 2PR / (P + R); 0 where either is empty. Words are those of the package rouge-score with stemming, which
//! GraphRAG-Bench scores with: lower case, runs of ASCII letters and digits, stemmed where longer than three.
//! What is not ASCII parts words, so the scores of other languages mean little.

use super::porter::stem;

/// The words that count.
pub fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| if word.len() > 3 { stem(word) } else { word.to_owned() }).collect()
}

/// The F-measure of ROUGE-L.
pub fn rouge_l(answer: &str, reference: &str) -> f64 {
    let (answer, reference) = (words(answer), words(reference));
    let common = longest_common(&answer, &reference);
    if common == 0 {
        return 0.0;
    }
    let precision = common as f64 / answer.len() as f64;
    let recall = common as f64 / reference.len() as f64;
    2.0 * precision * recall / (precision + recall)
}

/// The length of the longest common subsequence: the row for each word of `a` follows from the row before.
fn longest_common(a: &[String], b: &[String]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for one in a {
        let mut above_left = 0;
        let mut left = 0;
        for (cell, other) in row.iter_mut().skip(1).zip(b) {
            let above = *cell;
            *cell = if one == other { above_left + 1 } else { above.max(left) };
            (above_left, left) = (above, *cell);
        }
    }
    row.last().copied().unwrap_or(0)
}

/// The reference that an answer is nearest to, the first of equals, with the score.
pub fn nearest<'a>(answer: &str, references: &'a [String]) -> Option<(&'a str, f64)> {
    let scored = references.iter().map(|reference| (reference.as_str(), rouge_l(answer, reference)));
    scored.reduce(|best, other| if other.1 > best.1 { other } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_counts_and_stems_do() {
        let rows = [
            ("The ferrymen rowed over.", "the ferrymen rows over", 1.0),
            ("rowed the ferryman", "the ferryman rowed", 2.0 / 3.0),
            ("", "the ferryman", 0.0),
            ("—", "…", 0.0),
        ];
        for (answer, reference, expected) in rows {
            assert!((rouge_l(answer, reference) - expected).abs() < 1e-12, "{answer}");
        }
        let gold = ["a lantern".to_owned(), "the key".to_owned(), "the key".to_owned()];
        assert_eq!(nearest("the key", &gold), Some(("the key", 1.0)));
        assert_eq!(nearest("zebra", &gold).map(|(gold, _)| gold), Some("a lantern"));
        assert_eq!(nearest("the key", &[]), None);
    }
}
