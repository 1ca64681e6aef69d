//! The documents of an evaluation: what each question got, what a method got over all of them, and how
//! two methods differ.
//!
//! A measure that a question has nothing for (accuracy without options, recall without marked
//! evidence) is `None`, and counts in no mean. The keys are those of `plotbridge eval --json`; keys may
//! be added. Rows are read back too, so that an evaluation that ended early can go on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is measured of an answer and its passages, each a share from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Words shared with the best gold answer.
    F1,
    /// Equal to a gold answer.
    Em,
    /// The right option chosen.
    Acc,
    /// The same over true and false claims alone.
    ClaimAcc,
    /// Both claims of a pair judged rightly.
    PairAcc,
    /// Recall of evidence by so many passages: 1, 5, 10, 20.
    RecallAt(usize),
    /// Recall of evidence by the passages that fit into so many tokens: 1200, 6000.
    RecallAtTokens(u32),
    /// Recall of evidence by the context.
    RecallContext,
    /// The longest run of words in common with the nearest gold answer.
    RougeL,
    /// What a chat model judged.
    Judged(Judgement),
}

/// What a chat model judges of an answer and of its context (GraphRAG-Bench).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Three quarters of the next, one of the one after it.
    Correctness,
    /// F1 over facts.
    Factual,
    /// Likeness of the answer and the model answer.
    Similarity,
    /// Share of the model answer's facts that the answer tells.
    Coverage,
    /// Share of the answer's statements that rest on the context.
    Faithfulness,
    /// Share of the marked evidence that the context holds.
    EvidenceRecall,
    /// How well the context serves the question.
    ContextRelevance,
    /// Share of the judgements that could not be read.
    Unread,
}

/// One value for each judgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judged<T> {
    /// Answer correctness.
    pub correctness: T,
    /// F1 over facts.
    pub factual: T,
    /// Likeness of the answer and the model answer.
    pub similarity: T,
    /// Share of the model answer's facts that the answer tells.
    pub coverage: T,
    /// Share of the answer's statements that rest on the context.
    pub faithfulness: T,
    /// Share of the marked evidence that the context holds.
    pub evidence_recall: T,
    /// How well the context serves the question.
    pub context_relevance: T,
    /// Share of the question's judgements that could not be read.
    pub unread: T,
}

impl<T> Judged<T> {
    /// What `make` gives of each judgement.
    pub fn each(mut make: impl FnMut(Judgement) -> T) -> Self {
        use Judgement::{
            ContextRelevance, Correctness, Coverage, EvidenceRecall, Factual, Faithfulness, Similarity,
            Unread,
        };
        Self {
            correctness: make(Correctness),
            factual: make(Factual),
            similarity: make(Similarity),
            coverage: make(Coverage),
            faithfulness: make(Faithfulness),
            evidence_recall: make(EvidenceRecall),
            context_relevance: make(ContextRelevance),
            unread: make(Unread),
        }
    }

    /// The value of one judgement.
    pub fn of(&self, judgement: Judgement) -> &T {
        match judgement {
            Judgement::Correctness => &self.correctness,
            Judgement::Factual => &self.factual,
            Judgement::Similarity => &self.similarity,
            Judgement::Coverage => &self.coverage,
            Judgement::Faithfulness => &self.faithfulness,
            Judgement::EvidenceRecall => &self.evidence_recall,
            Judgement::ContextRelevance => &self.context_relevance,
            Judgement::Unread => &self.unread,
        }
    }
}

/// One value for each measure: a question's scores, a method's means, or their intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores<T> {
    /// Words shared with the best gold answer.
    pub f1: T,
    /// Equal to a gold answer.
    pub em: T,
    /// The right option chosen.
    pub acc: T,
    /// The same over true and false claims alone.
    pub claim_acc: T,
    /// Both claims of a pair judged rightly; of a single claim, whether it was.
    pub pair_acc: T,
    /// Share of the gold spans that the first so many passages overlap.
    pub recall_at: AtPassages<T>,
    /// Share of the gold spans that the passages overlap which fit into so many tokens.
    pub recall_at_tokens: AtTokens<T>,
    /// Share of the gold spans of which the context tells an event: what a generator is given.
    pub recall_context: T,
    /// F-measure over the longest common subsequence of words with the nearest gold answer.
    #[serde(default)]
    pub rouge_l: T,
    /// What a chat model judged, where one was asked to.
    #[serde(default)]
    pub judge: Judged<T>,
}

impl<T> Scores<T> {
    /// What `make` gives of each measure.
    pub fn each(mut make: impl FnMut(Measure) -> T) -> Self {
        Self {
            f1: make(Measure::F1),
            em: make(Measure::Em),
            acc: make(Measure::Acc),
            claim_acc: make(Measure::ClaimAcc),
            pair_acc: make(Measure::PairAcc),
            recall_at: AtPassages {
                one: make(Measure::RecallAt(1)),
                five: make(Measure::RecallAt(5)),
                ten: make(Measure::RecallAt(10)),
                twenty: make(Measure::RecallAt(20)),
            },
            recall_at_tokens: AtTokens {
                few: make(Measure::RecallAtTokens(1200)),
                many: make(Measure::RecallAtTokens(6000)),
            },
            recall_context: make(Measure::RecallContext),
            rouge_l: make(Measure::RougeL),
            judge: Judged::each(|judgement| make(Measure::Judged(judgement))),
        }
    }

    /// The value of one measure; of a number of passages or tokens that is not kept, the next larger one's.
    pub fn of(&self, measure: Measure) -> &T {
        match measure {
            Measure::F1 => &self.f1,
            Measure::Em => &self.em,
            Measure::Acc => &self.acc,
            Measure::ClaimAcc => &self.claim_acc,
            Measure::PairAcc => &self.pair_acc,
            Measure::RecallAt(..=1) => &self.recall_at.one,
            Measure::RecallAt(..=5) => &self.recall_at.five,
            Measure::RecallAt(..=10) => &self.recall_at.ten,
            Measure::RecallAt(_) => &self.recall_at.twenty,
            Measure::RecallAtTokens(..=1200) => &self.recall_at_tokens.few,
            Measure::RecallAtTokens(_) => &self.recall_at_tokens.many,
            Measure::RecallContext => &self.recall_context,
            Measure::RougeL => &self.rouge_l,
            Measure::Judged(judgement) => self.judge.of(judgement),
        }
    }
}

/// One value for each number of passages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AtPassages<T> {
    /// The best passage alone.
    #[serde(rename = "1")]
    pub one: T,
    /// The first five.
    #[serde(rename = "5")]
    pub five: T,
    /// The first ten.
    #[serde(rename = "10")]
    pub ten: T,
    /// The first twenty.
    #[serde(rename = "20")]
    pub twenty: T,
}

/// One value for each number of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AtTokens<T> {
    /// About three passages.
    #[serde(rename = "1200")]
    pub few: T,
    /// A whole context.
    #[serde(rename = "6000")]
    pub many: T,
}

/// A question that could not be asked; it scores 0 in every measure that it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The question's id.
    pub id: String,
    /// Stable code of the error.
    pub code: String,
    /// One sentence.
    pub message: String,
}

/// What one question got from one method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The question's line in its file, which tells it from all others.
    pub number: u32,
    /// The question's id.
    pub id: String,
    /// Its book; empty where the file names none.
    pub book: String,
    /// char, plot or mix, where it is known.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Who says so: the file, or else the method's own rule or chat model.
    #[serde(rename = "type_by")]
    pub kind_by: Option<String>,
    /// The type that a benchmark gives it: its `question_type`.
    #[serde(default)]
    pub question_type: Option<String>,
    /// The pair it belongs to.
    pub pair: Option<String>,
    /// What was answered.
    pub text: String,
    /// The option that was chosen.
    pub choice: Option<String>,
    /// What it has gold for.
    pub scores: Scores<Option<f64>>,
    /// Mean tokens of a passage; `None` where none came.
    pub passage_tokens: Option<f64>,
    /// Tokens of the context.
    pub context_tokens: Option<f64>,
    /// Milliseconds from the question to its answer, on the host's clock.
    pub ms: Option<f64>,
    /// Requests to endpoints.
    pub requests: u32,
    /// Tokens sent to them.
    pub prompt_tokens: u64,
    /// Tokens received from them.
    pub completion_tokens: u64,
    /// Codes of what a reader of the answer is told: a reply that held none, a question compared in another
    /// space than the endpoint's.
    pub issues: Vec<String>,
    /// Why it could not be asked.
    pub failure: Option<Failure>,
}

/// Means over some questions.
#[derive(Clone, Debug, Serialize)]
pub struct Means {
    /// How many were asked.
    pub questions: u32,
    /// Mean over the questions that have gold for it.
    #[serde(flatten)]
    pub means: Scores<Option<f64>>,
    /// Ends of the 95 % interval of each mean.
    pub intervals: Scores<Option<[f64; 2]>>,
    /// Questions that have gold for a measure; for `pair_acc`, pairs.
    pub counted: Scores<u32>,
    /// Books that these questions ask of: five or more, and intervals resample books.
    pub books: Scores<u32>,
}

/// What a method got over all questions.
#[derive(Clone, Debug, Serialize)]
pub struct MethodScores {
    /// Over all of them.
    #[serde(flatten)]
    pub all: Means,
    /// Over those of each type that occurs.
    pub by_type: BTreeMap<String, Means>,
    /// Over those of each `question_type` of GraphRAG-Bench that occurs.
    pub by_question_type: BTreeMap<String, Means>,
    /// Of how many questions the file, a rule or a chat model says the type.
    pub type_by: BTreeMap<String, u32>,
    /// Mean over questions of the mean tokens of a passage.
    pub passage_tokens_mean: Option<f64>,
    /// Mean tokens of the context.
    pub context_tokens_mean: Option<f64>,
    /// Half of the questions took at most so many milliseconds.
    pub ms_p50: Option<f64>,
    /// Nineteen of twenty questions took at most so many milliseconds.
    pub ms_p95: Option<f64>,
    /// Seconds of all questions together.
    pub seconds: f64,
    /// Requests to endpoints, all questions together.
    pub requests: u64,
    /// Tokens sent to them.
    pub prompt_tokens: u64,
    /// Tokens received from them.
    pub completion_tokens: u64,
    /// Questions that could not be asked.
    pub failures: u32,
    /// Which, and why.
    pub failed: Vec<Failure>,
    /// What readers of the answers are told, by code: of how many questions.
    pub issues: BTreeMap<String, u32>,
}

/// How one method differs from another on the questions that both were asked.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// Mean of the differences, question by question.
    #[serde(flatten)]
    pub means: Scores<Option<f64>>,
    /// Ends of the 95 % interval of each mean difference.
    pub intervals: Scores<Option<[f64; 2]>>,
    /// Questions that both have a score for; for `pair_acc`, pairs.
    pub counted: Scores<u32>,
    /// Of what is resampled (books where there are five or more, else questions), how many differ at all.
    pub differing: Scores<u32>,
    /// Whether the interval leaves out 0 and enough differ for that to mean anything.
    pub claimed: Scores<bool>,
}

/// How large the indexes are that were asked, in tokens as this library estimates them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexTokens {
    /// Of the text that is searched.
    pub text: u32,
    /// Of what the index says of it: names, descriptions, triples, events, summaries.
    pub knowledge: u32,
}
