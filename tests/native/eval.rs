//! Evaluation from the question file to means: gold spans in code points, claims, the closed book, failures,
//! refusals; the scorer and the intervals against independent ones.

use std::rc::Rc;

use plotbridge::eval::bootstrap::{self, Value};
use plotbridge::eval::report::Row;
use plotbridge::eval::{Contender, GoldQuestion, evaluate, index_tokens, parse, score, strays, summarise};
use plotbridge::llm::{ChatRequest, Finish, Models};
use plotbridge::pace::Native;
use plotbridge::{AskOptions, Code, Engine, Error, Method};
use pollster::block_on;

use super::double::{Say, Scripted};

/// Its first chapter holds characters of one, two, three and four bytes before what is asked for.
const BOOK: &str = "CHAPTER I\n\nMrs Ødegård — the 🌊 smith — rowed over the river. Mr Tapp hid the brass key in the \
    beehive.\n\nCHAPTER II\n\nThe rain fell. Miss Lorne found a lantern under the bridge.\n";

fn book() -> Engine {
    block_on(Engine::build(BOOK.as_bytes(), &Default::default(), Default::default(), &Native::default()))
        .unwrap()
}

/// The code points of a part of the book.
fn span(part: &str) -> String {
    let start = BOOK[..BOOK.find(part).unwrap()].chars().count();
    format!(r#"{{"start": {start}, "end": {}}}"#, start + part.chars().count())
}

fn rows(questions: &[GoldQuestion], method: Method) -> Vec<Row> {
    let options = AskOptions { method, ..AskOptions::default() };
    let (rows, failed) = asked(questions, &Contender::Method(options));
    assert!(failed.is_none(), "{failed:?}");
    rows
}

/// The rows that are sure, and what ended the call.
fn asked(questions: &[GoldQuestion], contender: &Contender) -> (Vec<Row>, Option<Error>) {
    let mut rows = Vec::new();
    let host = Native::default();
    let ended = block_on(evaluate(&book(), questions, contender, None, &host, &mut |row| rows.push(row)));
    (rows, ended.err())
}

fn chat(script: impl Fn(&str, &ChatRequest) -> Say + 'static) -> Models {
    Models { chat: Some(Rc::new(Scripted::new(script))), ..Models::default() }
}

fn method_with(models: Models) -> Contender {
    Contender::Method(AskOptions { models, ..AskOptions::default() })
}

#[test]
fn a_question_gets_the_scores_that_it_has_gold_for() {
    let file = format!(
        r#"{{"id": "all", "question": "Where did Mr Tapp hide the brass key?", "answers": ["Mr Tapp hid the brass key in the beehive"], "choices": ["in the beehive", "in the smithy"], "label": "A", "evidence": [{key}]}}
           {{"id": "both", "question": "Where did Mr Tapp hide the brass key?", "evidence": [{key}, {lantern}]}}
           {{"id": "none", "question": "Where did Mr Tapp hide the brass key?"}}
           {{"id": "foreign", "question": "Which zeppelin transported the platypus?", "answers": ["not in the book"]}}"#,
        key = span("hid the brass key"),
        lantern = span("under the bridge"),
    );
    for method in [Method::Pons, Method::Dense, Method::Bm25] {
        let rows = rows(&parse(&file).unwrap(), method);
        let [all, both, none, foreign] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((all.scores.f1, all.scores.em, all.scores.acc), (Some(1.0), Some(1.0), Some(1.0)));
        assert_eq!(all.scores.recall_at.one, Some(1.0));
        assert_eq!((both.scores.f1, both.scores.acc), (None, None));
        assert_eq!(both.scores.recall_at.one, Some(0.5), "the other span is in the other chapter's chunk");
        assert_eq!(both.scores.recall_at_tokens.few, Some(1.0), "both chunks fit");
        assert_eq!(both.scores.recall_context, Some(1.0), "both are in the context");
        assert_eq!(none.scores, Default::default());
        assert_eq!((foreign.scores.f1, foreign.scores.em), (Some(0.0), Some(0.0)), "a refusal is empty");

        let scores = summarise(&rows);
        let all = &scores.all;
        assert_eq!((scores.all.means.f1, scores.all.means.recall_at.one), (Some(0.5), Some(0.75)));
        assert_eq!((all.counted.f1, all.counted.acc, all.counted.recall_at.ten), (2, 1, 2));
        assert_eq!(all.intervals.recall_at.one, Some([0.5, 1.0]));
        assert_eq!((scores.failures, all.intervals.acc), (0, Some([1.0, 1.0])));
    }
}

/// A span that touches the passage's first and last character only, counted in code points.
#[test]
fn spans_are_code_points_to_the_character() {
    let asked = |part: &str| {
        let line = format!(
            r#"{{"question": "Who rowed over the river to the smith?", "evidence": [{}]}}"#,
            span(part)
        );
        rows(&parse(&line).unwrap(), Method::Bm25)[0].scores.recall_at.one
    };
    assert_eq!(asked("M"), Some(1.0), "the first character of the chunk");
    assert_eq!(asked("."), Some(1.0));
    assert_eq!(asked("beehive."), Some(1.0));
    assert_eq!(asked("\n\nCHAPTER II"), Some(0.0), "between the chunks");
}

/// A context of the least size holds one of the two chapters.
#[test]
fn a_context_tells_of_a_span_when_it_holds_an_event_of_it() {
    let story = format!(
        "CHAPTER I\n\nMr Tapp hid the brass key in the beehive. {}\n\nCHAPTER II\n\nMiss Lorne \
        found a lantern under the bridge. {}\n",
        "The rain fell on the roof. ".repeat(12),
        "Dogs barked far away. ".repeat(12)
    );
    let engine = block_on(Engine::build(
        story.as_bytes(),
        &Default::default(),
        Default::default(),
        &Native::default(),
    ))
    .unwrap();
    let at = |part: &str| (story.find(part).unwrap(), story.find(part).unwrap() + part.len());
    let ((a, b), (c, d)) = (at("brass key"), at("lantern"));
    let file = format!(
        r#"{{"question": "Where did Mr Tapp hide the brass key?", "evidence": [{{"start": {a}, "end": {b}}}, {{"start": {c}, "end": {d}}}]}}"#
    );
    let options = AskOptions { method: Method::Bm25, context_tokens: 120, ..AskOptions::default() };
    let mut rows = Vec::new();
    let keep = &mut |row| rows.push(row);
    block_on(evaluate(
        &engine,
        &parse(&file).unwrap(),
        &Contender::Method(options),
        None,
        &Native::default(),
        keep,
    ))
    .unwrap();
    assert_eq!((rows[0].scores.recall_context, rows[0].scores.recall_at.twenty), (Some(0.5), Some(1.0)));
}

#[test]
fn a_refused_question_is_a_failure_with_its_reason() {
    let file = format!(
        r#"{{"id": "blank", "question": "?!", "answers": ["x"], "evidence": [{key}]}}
           {{"id": "fine", "question": "Where is the brass key?", "answers": ["x"], "evidence": [{key}]}}"#,
        key = span("hid the brass key"),
    );
    let scores = summarise(&rows(&parse(&file).unwrap(), Method::Pons));
    assert_eq!((scores.failures, scores.failed[0].id.as_str()), (1, "blank"));
    assert_eq!(scores.failed[0].code, "question_invalid");
    assert_eq!(scores.all.means.recall_at.one, Some(0.5), "a failure counts as nothing found");
    assert_eq!(scores.all.counted.recall_at.one, 2);
}

#[test]
fn evidence_outside_of_the_text_is_refused_before_any_question() {
    let questions =
        parse(r#"{"id": "q9", "question": "?", "evidence": [{"start": 1, "end": 9999}]}"#).unwrap();
    let (rows, error) = asked(&questions, &method_with(Models::default()));
    assert_eq!(rows, []);
    let error = error.unwrap();
    assert_eq!(error.code(), Code::Usage);
    let said = error.to_string();
    assert!(
        said.contains("\"q9\"")
            && said.contains("9999")
            && said.contains(&format!("{} characters", BOOK.chars().count())),
        "{said}"
    );
}

const CLAIMS: &str = r#"{"id": "t", "question": "Miss Lorne found a lantern.", "label": "True", "pair": 1}
    {"id": "f", "question": "Miss Lorne lost a lantern.", "label": "False", "pair": 1}
    {"id": "wrong", "question": "Mr Tapp found the river.", "label": "False", "pair": 2}
    {"id": "right", "question": "Mr Tapp hid a key.", "label": "True", "pair": 2}"#;

/// A model that finds everything true but what holds the word "lost".
#[test]
fn claims_are_judged_by_a_chat_model_one_by_one_and_in_pairs() {
    let judge = |_: &str, request: &ChatRequest| {
        let lost = request.messages[1].content.contains("Miss Lorne lost");
        Say::Text(format!("### Final Answer\n[{}]", if lost { 'B' } else { 'A' }))
    };
    let questions = parse(CLAIMS).unwrap();
    let (rows, ended) = asked(&questions, &method_with(chat(judge)));
    assert!(ended.is_none());
    assert_eq!(rows[1].choice.as_deref(), Some("False"));
    let all = summarise(&rows).all;
    assert_eq!((all.means.claim_acc, all.counted.claim_acc), (Some(0.75), 4));
    assert_eq!((all.means.pair_acc, all.counted.pair_acc), (Some(0.5), 2));
    // Without one there is no figure, rather than that of a guess.
    let offline = summarise(&asked(&questions, &method_with(Models::default())).0).all;
    assert_eq!((offline.means.acc, offline.means.claim_acc, offline.means.pair_acc), (None, None, None));
}

#[test]
fn the_closed_book_asks_the_model_alone() {
    let model = Rc::new(Scripted::new(|task: &str, request: &ChatRequest| {
        assert_eq!(task, "closed_book");
        let said = &request.messages[1].content;
        assert!(!said.contains("beehive.") && !said.contains("smith"), "{said}");
        Say::Text(if said.contains("[A]") { "[B]".into() } else { "### Final Answer\na lantern".into() })
    }));
    let file = format!(
        r#"{{"question": "What did Miss Lorne find?", "answers": ["lantern"], "evidence": [{}], "type": "plot"}}
           {{"question": "Where is the key?", "choices": ["in the river", "in the beehive"], "label": "B"}}"#,
        span("found a lantern")
    );
    let (rows, ended) = asked(
        &parse(&file).unwrap(),
        &Contender::ClosedBook(Models { chat: Some(Rc::clone(&model) as _), ..Models::default() }),
    );
    assert!(ended.is_none());
    let scores = summarise(&rows);
    assert_eq!((scores.all.means.f1, scores.all.means.acc), (Some(1.0), Some(1.0)));
    assert_eq!((scores.all.means.recall_at.one, scores.context_tokens_mean), (None, None));
    assert_eq!((scores.requests, scores.prompt_tokens, scores.completion_tokens), (2, 20, 10));
    assert_eq!(scores.by_type["plot"].questions, 1);
}

/// One question that fails is a failure; three in a row are the endpoint's, and none of them is kept.
#[test]
fn a_failing_endpoint_ends_the_call_and_keeps_what_was_sure() {
    let file: String = (0..6)
        .map(|at| {
            format!(
                "{{\"question\": \"Where did Mr Tapp hide the brass key {at}?\", \"answers\": [\"x\"]}}\n"
            )
        })
        .collect();
    let questions = parse(&file).unwrap();
    let failing = |places: &'static [usize], code: Code| {
        chat(move |_, request| {
            let said = &request.messages[1].content;
            let hit = places.iter().any(|at| said.contains(&format!("key {at}?")));
            if hit { Say::Fail(code) } else { Say::Text("### Final Answer\nx".into()) }
        })
    };
    let (rows, ended) = asked(&questions, &method_with(failing(&[1, 2, 4], Code::EndpointReply)));
    assert!(ended.is_none());
    assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    let scores = summarise(&rows);
    assert_eq!((scores.failures, scores.all.means.em), (3, Some(0.5)));
    let (rows, ended) = asked(&questions, &method_with(failing(&[2, 3, 4], Code::EndpointTimeout)));
    assert_eq!((rows.len(), ended.map(|error| error.code())), (2, Some(Code::EndpointTimeout)));
    let (rows, ended) = asked(&questions, &method_with(failing(&[1], Code::EndpointAuth)));
    assert_eq!((rows.len(), ended.map(|error| error.code())), (1, Some(Code::EndpointAuth)));
}

#[test]
fn a_reply_without_an_answer_is_told() {
    let silent = chat(|_, _| Say::Ended("### Final Answer\n".into(), Finish::Stop));
    let questions =
        parse(r#"{"question": "Where did Mr Tapp hide the brass key?", "answers": ["x"]}"#).unwrap();
    let (rows, ended) = asked(&questions, &method_with(silent));
    assert!(ended.is_none());
    assert_eq!(summarise(&rows).issues.get("answer_unreadable"), Some(&1));
}

#[test]
fn an_index_has_tokens_of_its_text_and_of_what_it_says_of_it() {
    let tokens = index_tokens(&book());
    assert!((30..60).contains(&tokens.text), "{tokens:?}");
    assert!(tokens.knowledge > tokens.text, "{tokens:?}");
}

/// Rows that `tests/oracle/bootstrap.py` made.
#[test]
fn intervals_agree_with_independent_ones() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/bootstrap.json");
    let rows: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for row in rows["rows"].as_array().unwrap() {
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let value = |pair: &serde_json::Value| Value {
            book: pair[0].as_u64().unwrap() as usize,
            value: number(&pair[1]),
        };
        let values: Vec<Value> = row["values"].as_array().unwrap().iter().map(value).collect();
        let expected = [number(&row["interval"][0]), number(&row["interval"][1])];
        let found = bootstrap::interval(&values).unwrap();
        let by = row["by"].as_str().unwrap();
        seen.insert(by.to_owned());
        // The same draws give the same ends; a thousand come near to all that can be drawn (the means of six
        // questions lie a 24th apart, and an end may fall to a neighbour), and to another's.
        let tolerance = match by {
            "drawn" => 1e-12,
            "exact" => 0.05,
            _ => 0.012,
        };
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() <= tolerance,
                "{by}, {} values: {found} for {expected}",
                values.len()
            );
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["drawn", "exact", "scipy"]);
}

/// Rows that `tests/oracle/scorer.py` made.
#[test]
fn the_scorer_agrees_with_an_independent_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/scorer.json");
    let rows: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let rows = rows["rows"].as_array().unwrap();
    assert!(rows.len() > 200);
    for row in rows {
        let (prediction, gold) = (row["prediction"].as_str().unwrap(), row["gold"].as_str().unwrap());
        assert_eq!(score::normalise(prediction), row["normalised"].as_str().unwrap(), "{prediction:?}");
        assert!((score::f1(prediction, gold) - row["f1"].as_f64().unwrap()).abs() < 1e-12, "{row}");
        assert_eq!(score::exact(prediction, gold), row["em"].as_bool().unwrap(), "{row}");
    }
}

/// Quotations tell whether the questions are of this text: one of three may differ, and is told; two may not.
#[test]
fn questions_of_another_text_are_refused_by_their_quotations() {
    let line = |part: &str, quote: &str| {
        let span = span(part);
        let span = span.trim_end_matches('}');
        format!(r#"{{"id": "{part}", "question": "?", "evidence": [{span}, "quote": "{quote}"}}]}}"#)
    };
    let engine = book();
    let asked = |lines: &[String]| strays(&engine, &parse(&lines.join("\n")).unwrap());
    let [key, rain, smith] = [
        line("the brass key", "The brass-key"),
        line("The rain fell.", "The rain fell"),
        line("the 🌊 smith", "the … smith"),
    ];
    let wrong = line("a lantern", "a white whale");
    assert!(asked(&[key.clone(), rain.clone(), smith.clone()]).unwrap().is_none());
    let issue = asked(&[key.clone(), rain, wrong.clone()]).unwrap().unwrap();
    assert_eq!(issue.code, "evidence_differs");
    assert!(issue.message.contains("\"a white whale\" there, but \"a lantern\""), "{}", issue.message);
    let error = asked(&[key, wrong]).unwrap_err();
    assert_eq!(error.code(), Code::Usage);
    assert!(error.to_string().starts_with("the questions are of another text: 1 of 2 quotations"), "{error}");
    // Without quotations there is nothing to go by.
    assert!(asked(&[format!(r#"{{"question": "?", "evidence": [{}]}}"#, span("rain"))]).unwrap().is_none());
}
