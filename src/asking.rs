//! From a question to an answer: embedded, retrieved, and told, by rule or by a chat model.
//!
//! Retrieval is the same with and without models, but for the space the question is compared in: an
//! endpoint's where its embedder is the one that made it, else the built-in one. The answer is the book's
//! best sentence, or a chat model's words with quotations that are checked against the book.
//!
//! Invariant: the host hears of everything in the order in which it is known: stages, evidence, text,
//! citations, usage. With a reading position the book here ends at it, and so does all that is said.

mod join;
mod quote;
mod settings;
mod space;
mod steps;
mod write;

pub use settings::methods_that_read;

use crate::asker::Asker;
use crate::baseline::{self, Baseline};
use crate::book::Book;
use crate::coda;
use crate::config::{By, QueryConfig};
use crate::describe::{self, Places};
use crate::error::{Code, Error, Result};
use crate::hippo;
use crate::index::Space;
use crate::knowledge::Issue;
use crate::light;
use crate::llm::ledger::Ledger;
use crate::options::{AskOptions, Method};
use crate::pace::{Host, Pace};
use crate::pons;
use crate::question::Question;
use crate::report::{self, Answer, Citation, Heard, Trace};
use crate::retrieval::Retrieval;
use crate::stage::Passage;
use crate::stage::kind::{self, Kind};

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

/// One step of a question that is worked out in several.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Step {
    /// What the chat model thought; empty at the first.
    pub(crate) thought: String,
    /// What the method was asked; empty where the thought ended the steps.
    pub(crate) query: String,
    /// Passages that no step before had found, best first.
    pub(crate) passages: Vec<Passage>,
    /// The tokens of its own context.
    pub(crate) context_tokens: u32,
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
        let read = settings::of_the_answer(self.options, written.is_none());
        found.trace.settings.extend(read);
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
        let mut issues = Vec::new();
        let question = self.question(text, &mut issues).await?;
        let config = settings::settled(self.book, &question, self.options);
        let query_type = self.query_type(&question, asker, &mut issues).await?;
        let (retrieval, steps) = match asker.filter(|_| self.options.steps > 1) {
            Some(asker) => self.step_by_step(&question, &config, asker, &mut issues).await?,
            None => {
                let room = self.options.context_tokens;
                (self.retrieve_by(&question, &config, room, asker).await?, Vec::new())
            }
        };
        let mut trace = describe::trace(self.book, &self.places, &question, self.options.method, &retrieval);
        trace.settings = settings::told(self.book, &question, self.options, &config);
        trace.query_type = query_type;
        trace.steps = describe::steps(&self.places, &steps);
        // What the question was told of, its cues may be too.
        let new = issues.iter().filter(|issue| !retrieval.issues.contains(issue));
        trace.issues.extend(new.map(describe::issue));
        Ok(Found { question, retrieval, trace })
    }

    /// A question analysed, and embedded where an endpoint does that.
    async fn question(&self, text: &str, issues: &mut Vec<Issue>) -> Result<Question> {
        let mut questions = self.questions(&[text.to_owned()], issues).await?;
        questions.pop().ok_or_else(|| Error::new(Code::QuestionInvalid, "the question is empty"))
    }

    /// Several, by one request.
    async fn questions(&self, texts: &[String], issues: &mut Vec<Issue>) -> Result<Vec<Question>> {
        let mut questions = Vec::with_capacity(texts.len());
        for text in texts {
            questions.push(Question::new(self.book, text, self.pace).await?);
        }
        let issue = if let Some(embedder) = &self.options.models.embed {
            self.embed(&mut questions, embedder.as_ref()).await?
        } else {
            let why = |space: &Space| {
                format!("the index has the vectors of {:?} too, but no embedder was given", space.id)
            };
            self.book.index.spaces.get(1).map(|space| built_in(&why(space)))
        };
        // Each step of a question would say it again.
        issues.extend(issue.filter(|issue| !issues.contains(issue)));
        Ok(questions)
    }

    /// What the question turns on, by the chat model where it is to say so and does, else by the rule.
    async fn query_type(
        &self,
        question: &Question,
        asker: Option<&Asker<'_>>,
        issues: &mut Vec<Issue>,
    ) -> Result<report::QueryType> {
        let wanted = self.options.config.query_type;
        let told = |kind: Kind, by: By| report::QueryType {
            kind: kind.as_str().to_owned(),
            by: by.as_str().to_owned(),
        };
        if wanted == By::Off {
            return Ok(report::QueryType { kind: String::new(), by: By::Off.as_str().to_owned() });
        }
        match asker.filter(|_| wanted != By::Rule) {
            Some(asker) => {
                let request = kind::request(&question.text);
                let kind = asker.decide("query_type", &request, kind::read, issues).await?;
                Ok(kind.map_or_else(
                    || told(kind::by_rule(&question.text), By::Rule),
                    |kind| told(kind, By::Chat),
                ))
            }
            None => {
                if wanted == By::Chat {
                    let message = "query_type is chat, but there is no chat model; the rule told it";
                    issues.push(Issue::new("needs_chat_model", message));
                }
                Ok(told(kind::by_rule(&question.text), By::Rule))
            }
        }
    }

    /// What the method finds, in a context of at most so many tokens.
    async fn retrieve_by(
        &self,
        question: &Question,
        config: &QueryConfig,
        room: u32,
        asker: Option<&Asker<'_>>,
    ) -> Result<Retrieval> {
        let (book, pace) = (self.book, self.pace);
        match self.options.method {
            Method::Pons => pons::retrieve(book, question, config, room, asker, pace).await,
            Method::Coda => {
                let analyse =
                    async |texts: &[String], issues: &mut Vec<Issue>| self.questions(texts, issues).await;
                coda::retrieve(book, question, config, room, asker, analyse, pace).await
            }
            Method::Light => {
                let analyse =
                    async |texts: &[String], issues: &mut Vec<Issue>| self.questions(texts, issues).await;
                light::retrieve(book, question, config, room, asker, analyse, pace).await
            }
            Method::Hippo => hippo::retrieve(book, question, config, room, asker, pace).await,
            Method::Dense => baseline::retrieve(book, question, Baseline::Dense, room, pace).await,
            Method::Bm25 => baseline::retrieve(book, question, Baseline::Bm25, room, pace).await,
        }
    }
}

fn no_choice(why: &str) -> Issue {
    Issue::new("no_choice", why)
}
