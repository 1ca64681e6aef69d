//! A question's cues (CodaRAG II.a; LightRAG's high- and low-level keywords).
//!
//! High-level cues say what is asked and how things are related, low-level ones name who and what. A chat
//! model takes them out of the question; of its reply the two lists are read in whatever form they come.
//!
//! Departure: without a chat model a rule does: names that the book knows and words for things are low-level
//! cues, what remains of the question is high-level.

use crate::book::Book;
use crate::lexical::words;
use crate::llm::ChatRequest;
use crate::offline::english::{self, Tag};
use crate::prompts::CUES;
use crate::question::Question;

use super::Cues;

/// The most cues of a level.
const MOST: usize = 12;
/// The most characters of a cue.
const LONGEST: usize = 80;

/// What the model is asked.
pub fn request(question: &str) -> ChatRequest {
    CUES.request(question, "")
}

/// The cues of a reply.
///
/// # Errors
/// What is wrong with a reply that holds none.
pub fn read(reply: &str) -> Result<Cues, String> {
    let folded = reply.to_ascii_lowercase();
    let (high, low) = (place(&folded, "high"), place(&folded, "low"));
    let listed = |from: Option<usize>, other: Option<usize>| {
        let Some(from) = from else { return Vec::new() };
        let until = other.filter(|&other| other > from).unwrap_or(reply.len());
        list(reply.get(from..until).unwrap_or_default())
    };
    let cues = Cues { high: listed(high, low), low: listed(low, high), by: "chat" };
    if cues.high.is_empty() && cues.low.is_empty() {
        return Err("it holds neither a list called high nor one called low".to_owned());
    }
    Ok(cues)
}

/// Where a list of this name begins: at the last place before a colon.
fn place(folded: &str, name: &str) -> Option<usize> {
    let begins = |at: usize| {
        let whole = !folded[..at].ends_with(|c: char| c.is_alphanumeric());
        let key = folded[at..].split([':', '\n', '[', ',']).next().unwrap_or_default();
        let rest = &folded[at + key.len()..];
        whole && (rest.starts_with(':') || rest.starts_with('[')) && key.len() < 40
    };
    folded.match_indices(name).map(|(at, _)| at).find(|&at| begins(at))
}

/// The cues of a list behind its name: what stands in quotes, else what commas and lines part.
fn list(part: &str) -> Vec<String> {
    let rest = part.split_once([':', '[']).map_or("", |(_, rest)| rest);
    let quoted: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
    let parts: Vec<&str> = match quoted.is_empty() {
        true => rest.split([',', ';', '\n']).collect(),
        false => quoted,
    };
    let mut cues: Vec<String> = Vec::new();
    for cue in parts.into_iter().filter_map(cue) {
        if !cues.contains(&cue) && cues.len() < MOST {
            cues.push(cue);
        }
    }
    cues
}

/// A cue without the marks around it; none without a letter or digit.
fn cue(part: &str) -> Option<String> {
    let bare = part.trim_matches(|c: char| !c.is_alphanumeric());
    let cue: String = bare.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST).collect();
    (!cue.is_empty()).then_some(cue)
}

/// The cues by rule.
pub fn by_rule(book: &Book, question: &Question) -> Cues {
    let names = question.names.iter().map(|&name| book.name(name).to_owned());
    let mut cues = Cues { low: names.collect(), high: Vec::new(), by: "rule" };
    let told: Vec<String> = cues.low.iter().flat_map(|name| words(name).map(String::from)).collect();
    let topics = words(&question.text).filter(|word| {
        let entry = english::entry(word);
        ![Tag::Question, Tag::Meta, Tag::Pronoun].iter().any(|tag| entry.is(*tag)) && !english::is_stop(word)
    });
    for word in topics.filter(|word| !told.iter().any(|name| name == word)) {
        let related = english::verb(&word).is_some() || english::entry(&word).is(Tag::Kin);
        let cues = if related { &mut cues.high } else { &mut cues.low };
        if !cues.iter().any(|cue| *cue == word) && cues.len() < MOST {
            cues.push(word.into_owned());
        }
    }
    cues
}

/// The question itself as both.
pub fn whole(question: &Question) -> Cues {
    Cues { high: vec![question.text.clone()], low: vec![question.text.clone()], by: "off" }
}

/// A level's cues as one text (LightRAG embeds them joined); the question where there are none.
pub fn joined(cues: &[String], question: &Question) -> String {
    if cues.is_empty() { question.text.clone() } else { cues.join(", ") }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_reply_is_read_in_whatever_form_it_comes() {
        for reply in [
            r#"{"high": ["the wedding", "promise"], "low": ["Mr Sleet", "a key"]}"#,
            "{'high': [\"the wedding\", \"promise\",], 'low': [\"Mr Sleet\", \"a key\"",
            "Sure!\n```json\n{\"low_level_keywords\": [\"Mr Sleet\", \"a key\"], \"high_level_keywords\": [\"the wedding\", \"promise\"]}\n```",
            "High-level cues: the wedding, promise\nLow-level cues: Mr Sleet; a key",
            "High:\n- the wedding\n- promise\n\nLow:\n- Mr Sleet\n- a key\n- a key\n",
        ] {
            let cues = read(reply).unwrap();
            assert_eq!(cues.high, ["the wedding", "promise"], "{reply}");
            assert_eq!(cues.low, ["Mr Sleet", "a key"], "{reply}");
        }
        assert_eq!(read(r#"{"low": ["Tapp"]}"#).unwrap().high, [""; 0]);
    }

    #[test]
    fn a_reply_without_cues_is_none() {
        for reply in
            ["", "I cannot.", "high and low", "{\"high\": [], \"low\": []}", "high: --", "\u{130}high"]
        {
            assert!(read(reply).is_err(), "{reply:?}");
        }
    }
}
