//! The scorer: F1 and exact match on normalised words, recall of marked evidence.
//!
//! F1 and exact match are those of the ComoRAG scorer, which PonsRAG takes over: both texts lower-cased,
//! ASCII punctuation deleted, the words *a*, *an*, *the* made a space, white space collapsed, in this
//! order; the best of the gold answers counts. Quotes and dashes outside ASCII stay. The rule turns the
//! option letter "A" into nothing, so options are never scored with it.
//!
//! A gold span is found when a passage overlaps it by one character at least.

use std::collections::BTreeMap;

const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// What stands after the last marker is the answer of a model that was told to end with it.
const FINAL_ANSWER: &str = "### Final Answer";

/// The part of a prediction that is scored. A refusal, written `*`, normalises to nothing.
pub fn final_answer(prediction: &str) -> &str {
    prediction.rsplit(FINAL_ANSWER).next().unwrap_or(prediction).trim()
}

/// A text as words that count: see the file's head.
pub fn normalise(text: &str) -> String {
    let bare: String = text.to_lowercase().chars().filter(|c| !c.is_ascii_punctuation()).collect();
    let mut kept = String::with_capacity(bare.len());
    for piece in bare.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
        let after = piece.strip_prefix(word).unwrap_or_default();
        kept.push_str(if ARTICLES.contains(&word) { " " } else { word });
        kept.push_str(after);
    }
    words(&kept).collect::<Vec<_>>().join(" ")
}

/// Parts between white space, to which the scorer's language counts four control characters more.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let space = |c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c);
    text.split(space).filter(|word| !word.is_empty())
}

/// Harmonic mean of precision and recall over words with their multiplicity; 0 when none is shared,
/// also of two empty texts.
pub fn f1(prediction: &str, gold: &str) -> f64 {
    let (prediction, gold) = (normalise(prediction), normalise(gold));
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for word in words(&gold) {
        *left.entry(word).or_default() += 1;
    }
    let mut shared = 0usize;
    for word in words(&prediction) {
        if let Some(count) = left.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    let all = words(&prediction).count() + words(&gold).count();
    if shared == 0 { 0.0 } else { 2.0 * shared as f64 / all as f64 }
}

/// Whether two texts are equal once normalised; two empty ones are.
pub fn exact(prediction: &str, gold: &str) -> bool {
    normalise(prediction) == normalise(gold)
}

/// F1 and exact match against the gold answer that fits best; `None` without any.
pub fn best(prediction: &str, gold: &[String]) -> Option<(f64, f64)> {
    let prediction = final_answer(prediction);
    if gold.is_empty() {
        return None;
    }
    let most = gold.iter().map(|gold| f1(prediction, gold)).fold(0.0, f64::max);
    let equal = gold.iter().any(|gold| exact(prediction, gold));
    Some((most, if equal { 1.0 } else { 0.0 }))
}

/// The share of gold spans that one of the passages overlaps; `None` without any span.
pub fn recall<'a>(
    gold: &[(u32, u32)],
    passages: impl Iterator<Item = &'a (u32, u32)> + Clone,
) -> Option<f64> {
    let found = |span: &&(u32, u32)| passages.clone().any(|passage| overlap(**span, *passage));
    (!gold.is_empty()).then(|| gold.iter().filter(found).count() as f64 / gold.len() as f64)
}

/// Whether two spans share a character.
pub fn overlap(a: (u32, u32), b: (u32, u32)) -> bool {
    a.0.max(b.0) < a.1.min(b.1)
}

/// How many passages fit, in order, into so many tokens: up to the first that does not.
pub fn fitting(tokens: &[u32], limit: u32) -> usize {
    let mut spent = 0u64;
    let fits = |size: &&u32| {
        spent += u64::from(**size);
        spent <= u64::from(limit)
    };
    tokens.iter().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_normalised_in_the_scorers_order() {
        let rows = [
            ("articles go", "The cat and a dog, an owl", "cat and dog owl"),
            ("punctuation before articles: joined letters are no article", "a.m. t-h-e", "am"),
            ("an article inside a word stays", "Theatre banana anthem", "theatre banana anthem"),
            ("quotes and dashes outside ASCII stay", "“The key” — a brass one…", "“ key” — brass one…"),
            ("white space collapses", "  one\t\ntwo\u{a0}three\u{1f}four ", "one two three four"),
            ("letters outside ASCII fold", "ÉCOLE Ødegård", "école ødegård"),
            ("underscores are punctuation", "the_key", "thekey"),
            ("the option A is nothing", "A", ""),
        ];
        for (what, text, expected) in rows {
            assert_eq!(normalise(text), expected, "{what}");
        }
    }

    #[test]
    fn f1_counts_words_with_their_multiplicity() {
        let rows = [
            ("equal", "the brass key", "Brass key.", 1.0, true),
            ("half of it", "a brass key of the mill", "the key", 0.4, false),
            ("a word shared once counts once", "key key key", "key", 0.5, false),
            ("nothing shared", "the lantern", "the key", 0.0, false),
            ("both empty", "the", "A.", 0.0, true),
            ("one empty", "", "key", 0.0, false),
            ("curly quotes are part of the word", "“key”", "key", 0.0, false),
        ];
        for (what, prediction, gold, expected, equal) in rows {
            assert!((f1(prediction, gold) - expected).abs() < 1e-12, "{what}: {}", f1(prediction, gold));
            assert_eq!(exact(prediction, gold), equal, "{what}");
        }
    }

    #[test]
    fn the_best_gold_answer_counts_and_the_last_marker_opens_the_answer() {
        let gold = ["a lantern".to_owned(), "the brass key".to_owned()];
        assert_eq!(best("brass key", &gold), Some((1.0, 1.0)));
        assert_eq!(best("brass key", &[]), None);
        let said = "### Final Answer\nlantern?\nNo.\n### Final Answer\n the brass key \n";
        assert_eq!(best(said, &gold), Some((1.0, 1.0)));
        assert_eq!(best("### Final Answer *", &["an".to_owned()]), Some((0.0, 1.0)), "a refusal is empty");
    }

    /// ```text
    ///            0         10        20        30        40        50        60        70
    /// gold                 [---------)                   [-------------------)
    /// passage 1                      [---------)   touches the end of the first, no more
    /// passage 2       [-----)                      the first's first character
    /// passage 3                                                             [----------)   the second's last
    /// ```
    #[test]
    fn a_span_is_found_by_one_character() {
        let gold = [(10, 20), (40, 60)];
        let passages = [(20, 30), (5, 11), (59, 70)];
        let at = |k: usize| recall(&gold, passages.iter().take(k));
        assert_eq!([at(0), at(1), at(2), at(3)], [Some(0.0), Some(0.0), Some(0.5), Some(1.0)]);
        assert_eq!(recall(&[], passages.iter()), None);
        assert_eq!(recall(&gold, [(0, 100)].iter()), Some(1.0), "one passage may find several");
    }

    #[test]
    fn passages_count_while_they_fit() {
        let tokens = [400, 500, 300, 1];
        let rows = [(399, 0), (400, 1), (899, 1), (900, 2), (1200, 3), (1201, 4), (6000, 4)];
        for (limit, expected) in rows {
            assert_eq!(fitting(&tokens, limit), expected, "{limit} tokens");
        }
        assert_eq!(fitting(&[500, 2000, 10], 1200), 1, "none after the first that does not fit");
    }
}
