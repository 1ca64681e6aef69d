//! Evaluation from the question file to means: gold spans in code points, failures, refusals, and the
//! scorer against an independent one.

use plotbridge::eval::report::Row;
use plotbridge::eval::{GoldQuestion, evaluate, parse, score, summarise};
use plotbridge::pace::Native;
use plotbridge::{AskOptions, Code, Engine, Method};
use pollster::block_on;

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
    block_on(evaluate(&book(), questions, &options, &Native::default())).unwrap()
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
        assert_eq!(none.scores, Default::default());
        assert_eq!((foreign.scores.f1, foreign.scores.em), (Some(0.0), Some(0.0)), "a refusal is empty");

        let scores = summarise(&rows);
        assert_eq!((scores.means.f1, scores.means.recall_at.one), (Some(0.5), Some(0.75)));
        assert_eq!((scores.counted.f1, scores.counted.acc, scores.counted.recall_at.ten), (2, 1, 2));
        assert_eq!(scores.intervals.recall_at.one, Some([0.5, 1.0]));
        assert_eq!((scores.failures, scores.intervals.acc), (0, Some([1.0, 1.0])));
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
    assert_eq!(scores.means.recall_at.one, Some(0.5), "a failure counts as nothing found");
    assert_eq!(scores.counted.recall_at.one, 2);
}

#[test]
fn evidence_outside_of_the_text_is_refused_before_any_question() {
    let questions =
        parse(r#"{"id": "q9", "question": "?", "evidence": [{"start": 1, "end": 9999}]}"#).unwrap();
    let error =
        block_on(evaluate(&book(), &questions, &AskOptions::default(), &Native::default())).unwrap_err();
    assert_eq!(error.code(), Code::Usage);
    let said = error.to_string();
    assert!(
        said.contains("\"q9\"")
            && said.contains("9999")
            && said.contains(&format!("{} characters", BOOK.chars().count())),
        "{said}"
    );
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
