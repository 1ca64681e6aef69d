//! Sentences, words and names of any English text, by the plainest rules that work.
//!
//! This is no part of the library and shares nothing with it: a double of a language model should
//! not see a book through the eyes of what it tests. The invariant: every sentence and every name is
//! a run of the text's own words, with its white space made single spaces.

use std::collections::BTreeSet;

/// Titles, which end with a full stop that ends no sentence.
const TITLES: [&str; 7] = ["Mr", "Mrs", "Miss", "Ms", "Dr", "St", "Lady"];

/// The sentences, in order.
pub fn sentences(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for paragraph in text.replace('\r', "").split("\n\n") {
        let mut sentence: Vec<&str> = Vec::new();
        for word in paragraph.split_whitespace() {
            sentence.push(word);
            if ends_sentence(word) {
                all.push(sentence.join(" "));
                sentence.clear();
            }
        }
        if !sentence.is_empty() {
            all.push(sentence.join(" "));
        }
    }
    all
}

fn ends_sentence(word: &str) -> bool {
    let bare = word.trim_end_matches(|c: char| "\"'”’)]_*".contains(c));
    let stem = bare.trim_end_matches('.').trim_start_matches(|c: char| !c.is_alphanumeric());
    bare.ends_with(['.', '!', '?']) && !TITLES.contains(&stem) && stem.chars().count() != 1
}

/// The words in lower case.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    let inside = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
    text.split(move |c: char| !inside(c))
        .map(|word| word.trim_matches(['\'', '’']).to_lowercase())
        .filter(|word| !word.is_empty())
}

/// The first `count` words of a text, as they stand.
pub fn first_words(text: &str, count: usize) -> String {
    text.split_whitespace().take(count).collect::<Vec<_>>().join(" ")
}

/// The names in a passage: runs of capitalised words that do not begin a sentence or a speech, in
/// order of their first occurrence. A word that also stands in small letters is in no name.
pub fn names(sentences: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let all = sentences.iter().flat_map(|sentence| sentence.split(' ')).map(bare);
    let small: BTreeSet<&str> = all.filter(|word| word.starts_with(char::is_lowercase)).collect();
    for sentence in sentences {
        let mut run: Vec<&str> = Vec::new();
        for (at, word) in sentence.split(' ').enumerate() {
            let opened = at == 0 || word.starts_with(|c: char| !c.is_alphanumeric());
            let (bare, title) = (bare(word), TITLES.contains(&bare(word)));
            if opened {
                keep(&mut found, &mut run);
            }
            let fits = !opened && !small.contains(bare.to_lowercase().as_str());
            if named(bare) && (title || fits) {
                run.push(if title { word.trim_matches(['"', '“', '(', ',']) } else { bare });
                if title || word.ends_with(bare) {
                    continue;
                }
            }
            keep(&mut found, &mut run);
        }
        keep(&mut found, &mut run);
    }
    found
}

/// Ends a run, and keeps it if it names someone new.
fn keep(found: &mut Vec<String>, run: &mut Vec<&str>) {
    let title_alone = run.iter().all(|word| TITLES.contains(&word.trim_end_matches('.')));
    let name = run.join(" ");
    if !title_alone && !found.contains(&name) {
        found.push(name);
    }
    run.clear();
}

/// A word without the marks around it and without the genitive.
fn bare(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let word = word.split_once("--").map_or(word, |(first, _)| first);
    let word = word.split_once('—').map_or(word, |(first, _)| first);
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// A capital, then at least one small letter.
fn named(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase) && !word.contains('\'')
}

/// Whether a name begins with a title.
pub fn titled(name: &str) -> bool {
    let first = name.split(' ').next().unwrap_or_default().trim_end_matches('.');
    TITLES.contains(&first) && first != "St"
}

/// Where a name stands in a sentence as whole words.
pub fn place(sentence: &str, name: &str) -> Option<usize> {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    sentence.match_indices(name).map(|(at, _)| at).find(|&at| {
        !letter(sentence[..at].chars().next_back()) && !letter(sentence[at + name.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_their_marks_and_at_empty_lines() {
        let text = "Mr. Bell came in.\r\n\"Who is\nit?\" he said. No!\n\nA heading\n\nThe end";
        let expected = ["Mr. Bell came in.", "\"Who is it?\"", "he said.", "No!", "A heading", "The end"];
        assert_eq!(sentences(text), expected);
    }

    #[test]
    fn names_are_capitalised_runs_within_a_sentence() {
        let text = "Then Mr. Bell met Ada Grey's aunt. \"Come,\" said Ada; but I went to St. Ives, London. \
                    Mrs. Hill saw Mr. Bell.";
        let found = names(&sentences(text));
        assert_eq!(found, ["Mr. Bell", "Ada Grey", "Ada", "St. Ives", "London", "Mrs. Hill"]);
        assert!(titled("Mr. Bell") && !titled("Ada") && !titled("St. Ives"));
    }

    #[test]
    fn a_word_with_a_small_twin_names_nobody() {
        let verse = "She came,\nAnd Ada sang; And the wind went and Ada Grey\nWent.";
        assert_eq!(names(&sentences(verse)), ["Ada", "Ada Grey"]);
    }

    #[test]
    fn a_name_is_found_as_a_whole_word() {
        assert_eq!(place("Adam met Ada.", "Ada"), Some(9));
        assert_eq!(place("Adamant", "Ada"), None);
    }
}
