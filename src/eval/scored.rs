//! One answer against its gold: a row.
//!
//! A claim is judged by a chat model or not at all: no rule here tells true from false, and a guess would be
//! a figure without meaning.

use super::contender::{Answered, Found};
use super::gold::Gold;
use super::report::{Failure, Judged, Judgement, Measure, Row, Scores};
use super::{GoldQuestion, bootstrap, rouge, score};
use crate::error::Error;
use crate::llm::Usage;
use crate::stage::answer::is_not_found;

/// What a question cost, also one that failed.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) usage: Usage,
    /// Milliseconds.
    pub(super) ms: f64,
}

/// What is scored of an answer: the sentence that nothing was found is a refusal, which counts as empty.
pub(super) fn said(answered: &Answered) -> &str {
    if is_not_found(&answered.text) { "" } else { score::final_answer(&answered.text) }
}

/// What an answer scores, with what was judged of it.
pub(super) fn row(
    question: &GoldQuestion,
    gold: &Gold,
    answered: &Answered,
    judged: &Judged<Option<f64>>,
    cost: Cost,
) -> Row {
    let said = said(answered);
    let (f1, em) = score::best(said, &question.answers).unzip();
    let right = question.right.filter(|_| answered.written || !question.claim);
    let right = right.and_then(|right| question.choices.get(right as usize));
    let acc = right.map(|right| if answered.choice.as_ref() == Some(right) { 1.0 } else { 0.0 });
    let found = answered.found.as_ref();
    let sizes: Vec<f64> =
        found.map_or(Vec::new(), |found| found.sizes.iter().map(|&size| f64::from(size)).collect());
    Row {
        text: answered.text.clone(),
        choice: answered.choice.clone(),
        scores: Scores::each(|measure| match measure {
            Measure::F1 => f1,
            Measure::Em => em,
            Measure::Acc => acc,
            Measure::ClaimAcc => acc.filter(|_| question.claim),
            Measure::PairAcc => acc.filter(|_| question.pair.is_some()),
            Measure::RecallAt(k) => found.and_then(|found| recall(gold, found, k)),
            Measure::RecallContext => found.and_then(|found| gold.recall_by_context(&found.context)),
            Measure::RougeL => rouge::nearest(said, &question.answers).map(|(_, score)| score),
            Measure::Judged(judgement) => *judged.of(judgement),
            Measure::RecallAtTokens(limit) => {
                found.and_then(|found| recall(gold, found, score::fitting(&found.sizes, limit)))
            }
        }),
        passage_tokens: bootstrap::mean(&sizes),
        context_tokens: found.map(|found| f64::from(found.context_tokens)),
        issues: answered.issues.clone(),
        ..typed(named(question, cost), answered.kind.as_ref())
    }
}

/// The file's type stands; where it has none, what the question was taken for.
fn typed(row: Row, told: Option<&[String; 2]>) -> Row {
    match told {
        Some([kind, by]) if row.kind.is_none() && !kind.is_empty() => {
            Row { kind: Some(kind.clone()), kind_by: Some(by.clone()), ..row }
        }
        _ => row,
    }
}

/// The share of the gold spans that the first `k` passages overlap.
fn recall(gold: &Gold, found: &Found, k: usize) -> Option<f64> {
    score::recall(&gold.spans, found.passages.iter().take(k))
}

/// Zero in everything that the question has gold for; nothing was said that could be judged.
pub(super) fn failed(question: &GoldQuestion, gold: &Gold, judged: bool, error: &Error, cost: Cost) -> Row {
    let zero = |has: bool| has.then_some(0.0);
    let chosen = question.right.is_some();
    Row {
        scores: Scores::each(|measure| match measure {
            Measure::F1 | Measure::Em | Measure::RougeL => zero(!question.answers.is_empty()),
            Measure::Acc => zero(chosen),
            Measure::ClaimAcc => zero(chosen && question.claim),
            Measure::PairAcc => zero(chosen && question.pair.is_some()),
            Measure::RecallAt(_) | Measure::RecallAtTokens(_) | Measure::RecallContext => {
                zero(!gold.spans.is_empty())
            }
            Measure::Judged(judgement) => zero(judged && judged_as_nothing(question, gold, judgement)),
        }),
        failure: Some(Failure {
            id: question.id.clone(),
            code: error.code().as_str().to_owned(),
            message: error.to_string(),
        }),
        ..named(question, cost)
    }
}

/// Whether an answer that never came has 0 of a judgement: it is neither right nor does it tell anything, and
/// nothing was found for it.
fn judged_as_nothing(question: &GoldQuestion, gold: &Gold, judgement: Judgement) -> bool {
    match judgement {
        Judgement::Correctness | Judgement::Factual | Judgement::Similarity => !question.answers.is_empty(),
        Judgement::EvidenceRecall => !gold.words.is_empty(),
        Judgement::ContextRelevance => true,
        Judgement::Coverage | Judgement::Faithfulness | Judgement::Unread => false,
    }
}

/// A row that says whose it is and what it cost, and nothing else.
fn named(question: &GoldQuestion, Cost { usage, ms }: Cost) -> Row {
    Row {
        ms: Some(ms),
        requests: usage.requests,
        prompt_tokens: usage.prompt,
        completion_tokens: usage.completion,
        number: question.number,
        id: question.id.clone(),
        book: question.book.clone().unwrap_or_default(),
        kind: question.kind.clone(),
        kind_by: question.kind.as_ref().map(|_| "file".to_owned()),
        question_type: question.question_type.clone(),
        pair: question.pair.clone(),
        ..Row::default()
    }
}
