//! From a question to an answer: embedded, retrieved, and told, by rule or by a chat model.
//!
//! Retrieval is the same with and without models, but for the space the question is compared in: an
//! endpoint's where its embedder is the one that made it, else the built-in one. The answer is the book's
//! best sentence, or a chat model's words with quotations that are checked against the book.
//!
//! Invariant: the host hears of everything in the order in which it is known: stages, evidence, text,
//! citations, usage. With a reading position the book here ends at it, and so does all that is said.

mod quote;
mod space;
mod write;

use crate::asker::Asker;
use crate::baseline::{self, Baseline};
use crate::book::Book;
use crate::config::{Profile, QueryConfig};
use crate::describe::{self, Places};
use crate::error::Result;
use crate::hippo;
use crate::knowledge::Issue;
use crate::llm::ledger::Ledger;
use crate::options::{AskOptions, Method};
use crate::pace::{Host, Pace};
use crate::pons;
use crate::question::Question;
use crate::report::{Answer, Citation, Heard, Trace};
use crate::retrieval::Retrieval;
use space::built_in;

/// One question to one book.
pub(crate) struct Asking<'a> {
    /// The book as far as the reader is.
    pub(crate) book: &'a Book,
    /// Its places in the whole.
    pub(crate) places: Places<'a>,
    /// How it is asked.
    pub(crate) options: &'a AskOptions,
    /// Who hears of it.
    pub(crate) host: &'a dyn Host,
    /// Its pace on the host.
    pub(crate) pace: &'a Pace<'a>,
    /// What it costs.
    pub(crate) ledger: &'a Ledger,
}

/// A question with all that was found for it.
struct Found {
    question: Question,
    retrieval: Retrieval,
    trace: Trace,
}

/// What is said, before it is put together.
#[derive(Default)]
struct Said {
    text: String,
    choice: Option<String>,
    confidence: Option<f64>,
    citations: Vec<Citation>,
    issues: Vec<Issue>,
}

impl Asking<'_> {
    /// Every stage of the retrieval.
    pub(crate) async fn retrieve(&self, question: &str) -> Result<Trace> {
        let asker = self.asker();
        let mut trace = self.find(question, asker.as_ref()).await?.trace;
        trace.calls = describe::calls(self.ledger);
        Ok(trace)
    }

    /// The answer with its trace.
    pub(crate) async fn answer(&self, question: &str) -> Result<Answer> {
        let asker = self.asker();
        let mut found = self.find(question, asker.as_ref()).await?;
        found.trace.evidence.iter().for_each(|evidence| self.host.tell(Heard::Evidence(evidence)));
        let written = match &asker {
            Some(asker) => self.write(&mut found, asker).await?,
            None => None,
        };
        let said = match written {
            Some(said) => said,
            None => self.quote(&found).await?,
        };
        found.trace.calls = describe::calls(self.ledger);
        let usage = describe::usage(self.ledger.usage());
        said.citations.iter().for_each(|citation| self.host.tell(Heard::Citation(citation)));
        self.host.tell(Heard::Usage(&usage));
        let issues =
            found.trace.issues.iter().cloned().chain(said.issues.iter().map(describe::issue)).collect();
        Ok(Answer {
            text: said.text,
            choice: said.choice,
            confidence: said.confidence,
            citations: said.citations,
            usage,
            issues,
            trace: found.trace,
        })
    }

    fn asker(&self) -> Option<Asker<'_>> {
        let chat = self.options.models.chat.as_deref()?;
        Some(Asker::new(chat, self.ledger, self.pace))
    }

    async fn find(&self, text: &str, asker: Option<&Asker<'_>>) -> Result<Found> {
        let pace = self.pace;
        let mut question = Question::new(self.book, text, pace).await?;
        let mut issues = Vec::new();
        if let Some(embedder) = &self.options.models.embed {
            issues.extend(self.embed(&mut question, embedder.as_ref()).await?);
        } else if let Some(space) = self.book.index.spaces.get(1) {
            let why = format!("the index has the vectors of {:?} too, but no embedder was given", space.id);
            issues.push(built_in(&why));
        }
        let config = profiled(self.book, &question, self.options.config);
        let tokens = self.options.context_tokens;
        let retrieval = match self.options.method {
            Method::Pons => pons::retrieve(self.book, &question, &config, tokens, asker, pace).await?,
            Method::Hippo => hippo::retrieve(self.book, &question, &config, tokens, asker, pace).await?,
            Method::Dense => baseline::retrieve(self.book, &question, Baseline::Dense, tokens, pace).await?,
            Method::Bm25 => baseline::retrieve(self.book, &question, Baseline::Bm25, tokens, pace).await?,
        };
        let mut trace = describe::trace(self.book, &self.places, &question, self.options.method, &retrieval);
        trace.issues.extend(issues.iter().map(describe::issue));
        Ok(Found { question, retrieval, trace })
    }
}

/// The configuration with its profile settled: the paper's where a chat model read the book and the question
/// is in an endpoint's space (systems 1.8 item 8).
fn profiled(book: &Book, question: &Question, config: QueryConfig) -> QueryConfig {
    let paper = book.index.extractor.is_some() && question.elsewhere.is_some();
    let profile = match config.profile {
        Profile::Auto if paper => Profile::Paper,
        Profile::Auto => Profile::Offline,
        set => set,
    };
    QueryConfig { profile, ..config }
}

fn no_choice(why: &str) -> Issue {
    Issue::new("no_choice", why)
}
