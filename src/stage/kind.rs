//! What a question turns on: characters, the plot, or both (PonsRAG appendices D and H; systems 1.11).
//!
//! The paper has a chat model tell it from three examples. The rule that stands in looks for two questions in
//! one, and for words of what people are, feel, believe or want; everything else is plot. How often it agrees
//! with the bundled story's own types stands in docs/quality.md.

use crate::lexical::words;
use crate::llm::ChatRequest;
use crate::offline::english::{self, Tag};
use crate::prompts::QUERY_TYPE;

/// What a question turns on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Who people are and what they are like.
    Char,
    /// What happens.
    Plot,
    /// Both together.
    Mix,
}

impl Kind {
    /// Its name in traces and question files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Char => "char",
            Self::Plot => "plot",
            Self::Mix => "mix",
        }
    }
}

/// Words of what somebody feels, believes, wants or does by nature.
const MIND: [&str; 66] = [
    "afraid",
    "always",
    "angry",
    "ashamed",
    "attitude",
    "believe",
    "believed",
    "believes",
    "character",
    "courage",
    "doubt",
    "doubts",
    "dread",
    "fear",
    "feared",
    "fears",
    "feel",
    "feeling",
    "feelings",
    "feels",
    "felt",
    "frightened",
    "guilty",
    "habit",
    "happy",
    "hate",
    "hated",
    "hope",
    "hoped",
    "hurt",
    "identity",
    "jealous",
    "justified",
    "justify",
    "lonely",
    "love",
    "loved",
    "loves",
    "mind",
    "motive",
    "motives",
    "never",
    "opinion",
    "personality",
    "principle",
    "private",
    "proud",
    "regret",
    "regretted",
    "sad",
    "scared",
    "secret",
    "suppose",
    "supposed",
    "supposes",
    "temper",
    "think",
    "thinks",
    "thought",
    "trust",
    "trusted",
    "usually",
    "want",
    "wanted",
    "wants",
    "wounded",
];
/// Words of who somebody is to others.
const CALLED: [&str; 14] = [
    "called",
    "disguise",
    "enemy",
    "famous",
    "friend",
    "known",
    "married",
    "named",
    "nickname",
    "pretend",
    "pretended",
    "related",
    "relationship",
    "truth",
];
/// Words that begin a question.
const ASKING: [&str; 9] = ["what", "who", "whom", "whose", "where", "when", "why", "how", "which"];
/// Words that may stand between "and" and the second question.
const BETWEEN: [&str; 8] = ["by", "in", "on", "for", "to", "of", "with", "from"];

/// What the model is asked.
pub fn request(question: &str) -> ChatRequest {
    let quoted = question.replace('\\', "\\\\").replace('"', "\\\"");
    QUERY_TYPE.request(&format!("{{\"QUERY\": \"{quoted}\"}}"), "")
}

/// Reads a reply: the one type that it names.
///
/// # Errors
/// What is wrong with a reply that names none or several.
pub fn read(reply: &str) -> Result<Kind, String> {
    let mut named: Vec<Kind> = [Kind::Char, Kind::Plot, Kind::Mix]
        .into_iter()
        .filter(|kind| {
            reply.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(kind.as_str()))
        })
        .collect();
    match (named.pop(), named.pop()) {
        (Some(kind), None) => Ok(kind),
        _ => Err("it does not name one of char, plot and mix".to_owned()),
    }
}

/// What the rule says.
pub fn by_rule(question: &str) -> Kind {
    let words: Vec<String> = words(question).map(|word| word.into_owned()).collect();
    let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|word| list.contains(&word.as_str()));
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let kin = words.iter().any(|word| english::entry(word).is(Tag::Kin));
    let of_people = has(&MIND) || has(&CALLED) || kin;
    let two = (0..words.len())
        .any(|at| is(at, &["and"]) && (is(at + 1, &ASKING) || is(at + 1, &BETWEEN) && is(at + 2, &ASKING)));
    let why = has(&["why"]);
    let amount = has(&["where", "which"])
        || words.windows(2).any(|pair| {
            pair[0] == "how" && ["many", "much", "far", "long", "old", "often"].contains(&pair[1].as_str())
        });
    let identity = is(0, &["who", "whom", "whose"]) && is(1, &["is", "was", "are", "were"]);
    match (two, of_people || identity || is(0, &["why", "describe"])) {
        (true, people) if people || why || !amount => Kind::Mix,
        (_, true) => Kind::Char,
        _ => Kind::Plot,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_tells_people_from_plot() {
        for (question, kind) in [
            ("Who is the ferryman?", Kind::Char),
            ("What did the clerk feel at the sight of the lake?", Kind::Char),
            ("Why was she called the Heron?", Kind::Char),
            ("When did the mill burn down?", Kind::Plot),
            ("How many lamps were lit, and how many went out?", Kind::Plot),
            ("What did she sign, and why did she tear it up?", Kind::Mix),
            ("Whom did he fear, and what had he done to him?", Kind::Mix),
            ("", Kind::Plot),
            ("and", Kind::Plot),
        ] {
            assert_eq!(by_rule(question), kind, "{question}");
        }
    }

    #[test]
    fn a_reply_names_one_type() {
        for (reply, kind) in [
            (r#"{"ID": "char"}"#, Some(Kind::Char)),
            ("```json\n{\"ID\":\"MIX\"}\n```", Some(Kind::Mix)),
            ("plot", Some(Kind::Plot)),
            ("char or plot", None),
            ("character", None),
            ("", None),
        ] {
            assert_eq!(read(reply).ok(), kind, "{reply}");
        }
    }

    #[test]
    fn a_question_cannot_end_its_quotation() {
        let request = request("Who said \"mix\"}\n>>> \\ char?");
        assert!(request.messages.last().is_some_and(|said| said.content.contains(r#"Who said \"mix\"}"#)));
    }
}
