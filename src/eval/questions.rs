//! The question file: one JSON object a line, read tolerantly, refused by its line's number.
//!
//! Keys that are not known here are ignored, empty lines skipped, and a single text or number stands for
//! a list of one. What cannot be scored is an error at once, not a silent zero: a line that is no object,
//! evidence that is empty, a label that names no option.
//!
//! A claim (NoCha) is a line without choices whose label is true or false, or which has a `pair`: it is
//! asked with the options True and False, and both claims of a pair bear the same `pair`.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use crate::error::{Code, Error, Result};

/// A question with what a right answer would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoldQuestion {
    /// The line it stands in, from 1: what tells it from all others.
    pub number: u32,
    /// Its id, or its line's number.
    pub id: String,
    /// As asked.
    pub question: String,
    /// Answers that count as right.
    pub answers: Vec<String>,
    /// Options to choose from; empty for an open question.
    pub choices: Vec<String>,
    /// Place of the right option.
    pub right: Option<u32>,
    /// Spans of the text that support the answer, in Unicode code points.
    pub evidence: Vec<GoldSpan>,
    /// Evidence that is given in words, without its place.
    pub told: Vec<String>,
    /// The book that it asks of, where the file holds questions about several.
    pub book: Option<String>,
    /// What it asks for: char, plot or mix; another word is kept and groups nothing.
    pub kind: Option<String>,
    /// What a benchmark calls its type: one of [`TYPES`](super::judge::TYPES) says what it is judged by.
    pub question_type: Option<String>,
    /// The pair that this claim belongs to, within its book.
    pub pair: Option<String>,
    /// Whether it is a claim, to be judged true or false.
    pub claim: bool,
}

/// What a question may ask for (PonsRAG appendix D).
pub const KINDS: [&str; 3] = ["char", "plot", "mix"];

/// The options of a claim.
const TRUTH: [&str; 2] = ["True", "False"];

/// A span of the document text in Unicode code points.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct GoldSpan {
    /// First code point.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// What stands there, where the file says it.
    #[serde(default)]
    pub quote: Option<String>,
}

/// The questions of a file.
///
/// # Errors
/// `usage` for a line that is no question, which the message names by its number, and for a file without
/// any.
pub fn parse(text: &str) -> Result<Vec<GoldQuestion>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let questions: Vec<GoldQuestion> =
        lines.map(|(place, line)| question(place + 1, line)).collect::<Result<_>>()?;
    if questions.is_empty() {
        return Err(Error::new(Code::Usage, "the question file holds no question"));
    }
    Ok(questions)
}

fn question(number: usize, line: &str) -> Result<GoldQuestion> {
    let bad = |why: String| Error::new(Code::Usage, format!("line {number} is no question: {why}"));
    if !line.trim_start().starts_with('{') {
        return Err(bad("it is no JSON object".to_owned()));
    }
    let line: Line = serde_json::from_str(line).map_err(|error| bad(reason(&error)))?;
    let Marked { spans: evidence, told } = line.evidence.unwrap_or_default();
    if let Some(GoldSpan { start, end, .. }) = evidence.iter().find(|span| span.start >= span.end) {
        return Err(bad(format!("its evidence from {start} to {end} is empty")));
    }
    let labels = line.label.unwrap_or_default().0;
    let mut choices = line.choices.unwrap_or_default();
    let pair = line.pair.unwrap_or_default().0.pop();
    let truth =
        labels.iter().find_map(|label| TRUTH.iter().find(|word| word.eq_ignore_ascii_case(label.trim())));
    let claim = choices.is_empty() && (pair.is_some() || truth.is_some());
    let labels = match truth {
        _ if !claim => labels,
        Some(word) => vec![(*word).to_owned()],
        None => return Err(bad("it has a pair, but its label is neither true nor false".to_owned())),
    };
    if claim {
        choices = TRUTH.map(str::to_owned).into();
    }
    if choices.len() == 1 || choices.len() > 26 {
        return Err(bad(format!("it has {} choices, but must have 2 to 26", choices.len())));
    }
    let answers = line.answers.or(line.answer).unwrap_or_default().0;
    let right = right_option(&choices, &labels, &answers);
    if let (Some(label), false, None) = (labels.first(), choices.is_empty(), right) {
        return Err(bad(format!("its label {label:?} is none of its {} choices", choices.len())));
    }
    let id = line.id.unwrap_or_default().0.pop().unwrap_or_else(|| number.to_string());
    let kind = line.kind.unwrap_or_default().0.pop();
    let question_type = line.question_type.unwrap_or_default().0.pop();
    let (number, question, book) = (number as u32, line.question, line.book);
    Ok(GoldQuestion {
        number,
        id,
        question,
        answers,
        choices,
        right,
        evidence,
        told,
        book,
        kind,
        question_type,
        pair,
        claim,
    })
}

/// The option that a label names by its text or its letter; without a label, that an answer repeats.
fn right_option(choices: &[String], labels: &[String], answers: &[String]) -> Option<u32> {
    let by_text = |text: &String| choices.iter().position(|choice| choice.trim() == text.trim());
    let by_letter = |label: &String| match label.trim().as_bytes() {
        [letter @ b'A'..=b'Z'] => Some(usize::from(letter - b'A')).filter(|&place| place < choices.len()),
        _ => None,
    };
    let labelled = labels.iter().find_map(by_text).or_else(|| labels.iter().find_map(by_letter));
    let right = if labels.is_empty() { answers.iter().find_map(by_text) } else { labelled };
    right.map(|place| place as u32)
}

/// What serde says, without its own place: it counts every line as the first.
fn reason(error: &serde_json::Error) -> String {
    let said = error.to_string();
    said.split(" at line ").next().unwrap_or(&said).to_owned()
}

/// A line as people write it.
#[derive(Deserialize)]
struct Line {
    id: Option<Texts>,
    question: String,
    answers: Option<Texts>,
    /// As GraphRAG-Bench calls it; `answers` counts before it.
    answer: Option<Texts>,
    choices: Option<Vec<String>>,
    evidence: Option<Marked>,
    book: Option<String>,
    label: Option<Texts>,
    #[serde(rename = "type")]
    kind: Option<Texts>,
    question_type: Option<Texts>,
    pair: Option<Texts>,
}

/// Evidence: spans, or texts without a place, as GraphRAG-Bench has them.
#[derive(Default)]
struct Marked {
    spans: Vec<GoldSpan>,
    told: Vec<String>,
}

impl<'de> Deserialize<'de> for Marked {
    fn deserialize<D: Deserializer<'de>>(json: D) -> std::result::Result<Self, D::Error> {
        json.deserialize_any(MarkedVisitor)
    }
}

struct MarkedVisitor;

impl<'de> Visitor<'de> for MarkedVisitor {
    type Value = Marked;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of spans {start, end} or of texts")
    }
    fn visit_str<E>(self, text: &str) -> std::result::Result<Marked, E> {
        Ok(Marked { told: vec![text.to_owned()], ..Marked::default() })
    }
    fn visit_map<A: MapAccess<'de>>(self, span: A) -> std::result::Result<Marked, A::Error> {
        let span = GoldSpan::deserialize(MapAccessDeserializer::new(span))?;
        Ok(Marked { spans: vec![span], ..Marked::default() })
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Marked, A::Error> {
        let mut marked = Marked::default();
        while let Some(Marked { spans, told }) = list.next_element()? {
            marked.spans.extend(spans);
            marked.told.extend(told);
        }
        Ok(marked)
    }
}

/// A list of texts, or a single one; a number or a truth value stands for its text.
#[derive(Default)]
struct Texts(Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(json: D) -> std::result::Result<Self, D::Error> {
        json.deserialize_any(TextsVisitor)
    }
}

struct TextsVisitor;

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = Texts;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a text, a number or a list of these")
    }
    fn visit_str<E>(self, text: &str) -> std::result::Result<Texts, E> {
        Ok(Texts(vec![text.to_owned()]))
    }
    fn visit_bool<E>(self, flag: bool) -> std::result::Result<Texts, E> {
        Ok(Texts(vec![flag.to_string()]))
    }
    fn visit_u64<E>(self, number: u64) -> std::result::Result<Texts, E> {
        Ok(Texts(vec![number.to_string()]))
    }
    fn visit_i64<E>(self, number: i64) -> std::result::Result<Texts, E> {
        Ok(Texts(vec![number.to_string()]))
    }
    fn visit_f64<E>(self, number: f64) -> std::result::Result<Texts, E> {
        Ok(Texts(vec![number.to_string()]))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Texts, A::Error> {
        let mut texts = Vec::new();
        while let Some(Texts(more)) = list.next_element()? {
            texts.extend(more);
        }
        Ok(Texts(texts))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_line_may_hold_more_and_less() {
        let file = "\u{feff}{\"question\": \"Who?\"}\n\n  \r\n{\"id\": 7, \"question\": \"Where?\", \"answers\": \"here\", \
            \"evidence\": [{\"section\": 3, \"start\": 2, \"end\": 5, \"quote\": \"x\"}], \"book\": \"b\", \"new\": {}, \"choices\": null}\n";
        let read = parse(file).unwrap();
        assert_eq!(
            read[0],
            GoldQuestion { number: 1, id: "1".into(), question: "Who?".into(), ..Default::default() }
        );
        let second = GoldQuestion {
            number: 4,
            id: "7".into(),
            question: "Where?".into(),
            answers: vec!["here".into()],
            evidence: vec![GoldSpan { start: 2, end: 5, quote: Some("x".into()) }],
            book: Some("b".into()),
            ..Default::default()
        };
        assert_eq!(read[1..], [second]);
    }

    #[test]
    fn the_right_option_is_named_by_letter_text_or_answer() {
        let rows = [
            (r#""label": "B""#, Some(1)),
            (r#""label": "the key""#, Some(1)),
            (r#""label": ["the key", "A"]"#, Some(1)),
            (r#""answers": ["a key", " the key "]"#, Some(1)),
            (r#""label": "A", "answers": ["the key"]"#, Some(0)),
            (r#""answers": ["a key"]"#, None),
        ];
        for (keys, right) in rows {
            let line = format!(r#"{{"question": "What?", "choices": ["B", "the key"], {keys}}}"#);
            // The text of an option wins over a letter that another bears.
            let right = if keys.contains(r#""label": "B""#) { Some(0) } else { right };
            assert_eq!(parse(&line).unwrap()[0].right, right, "{keys}");
        }
        let four = r#"{"question": "What?", "choices": ["w", "x", "y", "z"], "label": "D"}"#;
        assert_eq!(parse(four).unwrap()[0].right, Some(3));
    }

    #[test]
    fn a_claim_is_asked_with_true_and_false() {
        let rows = [
            (r#""label": "True""#, true, Some(0)),
            (r#""label": "FALSE", "pair": 3"#, true, Some(1)),
            (r#""label": false, "pair": "p""#, true, Some(1)),
            (r#""label": true"#, true, Some(0)),
            (r#""label": "B", "choices": ["true", "false"]"#, false, Some(1)),
            (r#""answers": ["True"]"#, false, None),
        ];
        for (keys, claim, right) in rows {
            let read = parse(&format!(r#"{{"question": "Anne dyed her hair.", {keys}}}"#)).unwrap();
            assert_eq!((read[0].claim, read[0].right), (claim, right), "{keys}");
            assert_eq!(read[0].choices.is_empty(), right.is_none(), "{keys}");
        }
        let read = parse(r#"{"question": "x", "pair": 3, "label": true, "type": "plot"}"#).unwrap();
        assert_eq!((read[0].pair.as_deref(), read[0].kind.as_deref()), (Some("3"), Some("plot")));
    }

    /// The keys of GraphRAG-Bench: an answer, evidence in words, a type of its own.
    #[test]
    fn a_line_of_the_benchmark_is_read_as_it_is() {
        let line = r#"{"id": "n1", "source": "Novel-1", "question": "Who?", "answer": "Ada", "question_type": "Fact Retrieval",
            "evidence": ["Ada lit it.", {"start": 1, "end": 4}, "It rained."]}"#
            .replace('\n', " ");
        let read = parse(&line).unwrap();
        assert_eq!(
            (read[0].answers.as_slice(), read[0].told.len(), read[0].evidence.len()),
            (&["Ada".to_owned()][..], 2, 1)
        );
        assert_eq!(read[0].question_type.as_deref(), Some("Fact Retrieval"));
        assert_eq!(parse(r#"{"question": "x", "answers": ["b"], "answer": "a"}"#).unwrap()[0].answers, ["b"]);
    }

    #[test]
    fn a_bad_line_is_named_by_its_number() {
        let rows = [
            ("nonsense", "no JSON object"),
            ("{\"question\": \"x\"", "EOF"),
            ("{}", "missing field `question`"),
            ("[\"Who?\"]", "no JSON object"),
            (r#"{"question": 5}"#, "expected a string"),
            (r#"{"question": "x", "answers": {}}"#, "expected a text, a number or a list"),
            (r#"{"question": "x", "evidence": [{"start": 5, "end": 5}]}"#, "from 5 to 5 is empty"),
            (r#"{"question": "x", "evidence": [{"start": -1, "end": 5}]}"#, "invalid value"),
            (r#"{"question": "x", "choices": ["a"]}"#, "1 choices"),
            (r#"{"question": "x", "pair": 1}"#, "neither true nor false"),
            (r#"{"question": "x", "pair": 1, "label": "B"}"#, "neither true nor false"),
            (r#"{"question": "x", "choices": ["a", "b"], "label": "C"}"#, "\"C\" is none of its 2"),
        ];
        for (line, why) in rows {
            let error = parse(&format!("{{\"question\": \"fine?\"}}\n\n{line}\n")).unwrap_err();
            assert_eq!(error.code(), Code::Usage);
            let said = error.to_string();
            assert!(said.starts_with("line 3 ") && said.contains(why), "{line}: {said}");
            assert!(!said.contains("at line"), "{said}");
        }
        assert!(parse("\n \n").unwrap_err().to_string().contains("no question"));
    }
}
