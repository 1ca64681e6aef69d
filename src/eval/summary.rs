//! From rows to means, intervals and differences.
//!
//! Rows meet by their question's number, pairs by their name within a book, so that methods are compared on
//! the same questions whatever the order in which they were asked.

use std::collections::{BTreeMap, BTreeSet};

use super::bootstrap::{self, Value};
use super::judge;
use super::questions::KINDS;
use super::report::{Difference, Failure, Means, Measure, MethodScores, Row, Scores};

/// A method's means over rows of one or several books, each with its interval.
pub fn summarise(rows: &[Row]) -> MethodScores {
    let all: Vec<&Row> = rows.iter().collect();
    let of = |pick: fn(&Row) -> Option<f64>| rows.iter().filter_map(pick).collect::<Vec<f64>>();
    let sum = |pick: fn(&Row) -> u64| rows.iter().map(pick).fold(0, u64::saturating_add);
    let failed: Vec<Failure> = rows.iter().filter_map(|row| row.failure.clone()).collect();
    let times = of(|row| row.ms);
    let issues = rows.iter().flat_map(|row| row.issues.iter().collect::<BTreeSet<_>>());
    MethodScores {
        all: means(&all),
        by_type: by_type(rows, &KINDS, |row| row.kind.as_deref()),
        by_question_type: by_type(rows, &judge::TYPES, |row| row.question_type.as_deref()),
        type_by: count(rows.iter().filter_map(|row| row.kind_by.as_ref())),
        passage_tokens_mean: bootstrap::mean(&of(|row| row.passage_tokens)),
        context_tokens_mean: bootstrap::mean(&of(|row| row.context_tokens)),
        ms_p50: bootstrap::percentile(&times, 0.5),
        ms_p95: bootstrap::percentile(&times, 0.95),
        seconds: times.iter().sum::<f64>() / 1000.0,
        requests: sum(|row| row.requests.into()),
        prompt_tokens: sum(|row| row.prompt_tokens),
        completion_tokens: sum(|row| row.completion_tokens),
        failures: failed.len() as u32,
        failed,
        issues: count(issues),
    }
}

/// How `rows` differ from those of another method, on the questions that both have.
pub fn compare(rows: &[Row], against: &[Row]) -> Difference {
    let (rows, against): (Vec<&Row>, Vec<&Row>) = (rows.iter().collect(), against.iter().collect());
    let differences = Scores::each(|measure| {
        let others = values(&against, measure);
        let both = values(&rows, measure)
            .into_iter()
            .filter_map(|(whose, value)| others.get(&whose).map(|other| (whose, value - other)));
        numbered(&both.collect())
    });
    let each = |measure| differences.of(measure);
    Difference {
        means: Scores::each(|measure| mean(each(measure))),
        intervals: Scores::each(|measure| bootstrap::interval(each(measure))),
        counted: Scores::each(|measure| each(measure).len() as u32),
        differing: Scores::each(|measure| bootstrap::differing(each(measure)) as u32),
        claimed: Scores::each(|measure| bootstrap::claimed(each(measure))),
    }
}

/// How often each occurs.
fn count<'a>(words: impl Iterator<Item = &'a String>) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word.clone()).or_default() += 1;
    }
    counts
}

/// The means over the rows of each of some types that occurs.
fn by_type(rows: &[Row], types: &[&str], told: fn(&Row) -> Option<&str>) -> BTreeMap<String, Means> {
    let of = |kind: &str| -> Vec<&Row> { rows.iter().filter(|row| told(row) == Some(kind)).collect() };
    let kinds = types.iter().map(|kind| (*kind, of(kind))).filter(|(_, rows)| !rows.is_empty());
    kinds.map(|(kind, rows)| (kind.to_owned(), means(&rows))).collect()
}

fn means(rows: &[&Row]) -> Means {
    let each = Scores::each(|measure| numbered(&values(rows, measure)));
    let books = |values: &[Value]| values.iter().map(|value| value.book + 1).max().unwrap_or(0) as u32;
    Means {
        questions: rows.len() as u32,
        means: Scores::each(|measure| mean(each.of(measure))),
        intervals: Scores::each(|measure| bootstrap::interval(each.of(measure))),
        counted: Scores::each(|measure| each.of(measure).len() as u32),
        books: Scores::each(|measure| books(each.of(measure))),
    }
}

/// Whose a value is: a question's by its number, or a pair's by its name, within a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Whose<'a> {
    book: &'a str,
    pair: &'a str,
    number: u32,
}

/// What counts for a measure. A pair has one value, its claims' least; a claim without its other counts in
/// no pair.
fn values<'a>(rows: &[&'a Row], measure: Measure) -> BTreeMap<Whose<'a>, f64> {
    let scored = rows.iter().filter_map(|row| row.scores.of(measure).map(|value| (*row, value)));
    if measure != Measure::PairAcc {
        let whose = |row: &'a Row| Whose { book: &row.book, pair: "", number: row.number };
        return scored.map(|(row, value)| (whose(row), value)).collect();
    }
    let mut pairs: BTreeMap<Whose<'a>, Vec<f64>> = BTreeMap::new();
    for (row, value) in scored {
        let pair = row.pair.as_deref().unwrap_or_default();
        pairs.entry(Whose { book: &row.book, pair, number: 0 }).or_default().push(value);
    }
    let whole = pairs.into_iter().filter(|(_, claims)| claims.len() > 1);
    whole.map(|(whose, claims)| (whose, claims.into_iter().fold(1.0, f64::min))).collect()
}

/// The values with their books counted from 0, in order of book and question.
fn numbered(values: &BTreeMap<Whose<'_>, f64>) -> Vec<Value> {
    let books: BTreeSet<&str> = values.keys().map(|whose| whose.book).collect();
    let number: BTreeMap<&str, usize> = books.into_iter().zip(0..).collect();
    let value = |(whose, value): (&Whose<'_>, &f64)| {
        number.get(whose.book).map(|&book| Value { book, value: *value })
    };
    values.iter().filter_map(value).collect()
}

fn mean(values: &[Value]) -> Option<f64> {
    bootstrap::mean(&values.iter().map(|one| one.value).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(number: u32, pair: &str, right: f64) -> Row {
        let scores = Scores::each(|measure| match measure {
            Measure::Acc | Measure::ClaimAcc | Measure::PairAcc => Some(right),
            _ => None,
        });
        Row { number, pair: Some(pair.to_owned()), scores, ..Row::default() }
    }

    #[test]
    fn a_pair_is_right_when_both_claims_are_and_a_single_claim_is_no_pair() {
        let rows = [
            claim(1, "a", 1.0),
            claim(2, "b", 1.0),
            claim(3, "a", 1.0),
            claim(4, "b", 0.0),
            claim(5, "alone", 1.0),
        ];
        let all = summarise(&rows).all;
        assert_eq!((all.means.claim_acc, all.counted.claim_acc), (Some(0.8), 5));
        assert_eq!((all.means.pair_acc, all.counted.pair_acc), (Some(0.5), 2));
        // Pairs of two books may bear one name.
        let mut other = rows.clone();
        other.iter_mut().for_each(|row| row.book = "other".to_owned());
        let both: Vec<Row> = rows.into_iter().chain(other).collect();
        let all = summarise(&both).all;
        assert_eq!((all.counted.pair_acc, all.books.pair_acc), (4, 2));
    }

    fn found(number: u32, book: &str, kind: Option<&str>, recall: f64) -> Row {
        let scores = Scores::each(|measure| (measure == Measure::RecallAt(5)).then_some(recall));
        let kind = kind.map(str::to_owned);
        Row { number, book: book.to_owned(), kind, scores, ..Row::default() }
    }

    #[test]
    fn methods_are_compared_on_the_questions_that_both_have() {
        let one: Vec<Row> = (0..20).map(|at| found(at, "b", None, f64::from(at % 2))).collect();
        let mut other: Vec<Row> = (5..25).map(|at| found(at, "b", None, 0.0)).collect();
        other.reverse();
        let difference = compare(&one, &other);
        assert_eq!(difference.counted.recall_at.five, 15);
        assert_eq!(difference.differing.recall_at.five, 8);
        assert_eq!(difference.means.recall_at.five, Some(8.0 / 15.0));
        assert!(difference.claimed.recall_at.five && !difference.claimed.f1);
        assert_eq!(compare(&one, &one).means.recall_at.five, Some(0.0));
        assert!(!compare(&one, &one).claimed.recall_at.five);
        assert_eq!(compare(&one, &[]).means.recall_at.five, None);
    }

    #[test]
    fn each_type_has_its_own_means() {
        let rows = [
            found(1, "b", Some("plot"), 1.0),
            found(2, "b", Some("plot"), 0.0),
            found(3, "b", Some("char"), 1.0),
            found(4, "b", Some("other"), 0.0),
            found(5, "b", None, 0.0),
        ];
        let by_type = summarise(&rows).by_type;
        let read: Vec<_> =
            by_type.iter().map(|(kind, means)| (kind.as_str(), means.means.recall_at.five)).collect();
        assert_eq!(read, [("char", Some(1.0)), ("plot", Some(0.5))]);
    }
}
