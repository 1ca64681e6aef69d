//! From a question to an answer: embedded, retrieved, and told, by rule or by a chat model.
//!
//! Retrieval is the same with and without models, but for the space the question is compared in: an
//! endpoint's where its embedder is the one that made it, else the built-in one. The answer is the book's
//! best sentence, or a chat model's words with quotations that are checked against the book.
//!
//! Invariant: the host hears of everything in the order in which it is known: stages, evidence, text,
//! citations, usage. With a reading position the book here ends at it, and so does all that is said.

use std::cell::RefCell;

use crate::algo::vector::dot;
use crate::baseline::{self, Baseline};
use crate::book::Book;
use crate::config::{Profile, QueryConfig};
use crate::describe::{self, Places};
use crate::error::Result;
use crate::knowledge::{Issue, Span};
use crate::llm::{Embedder, Finish, Usage};
use crate::options::{AskOptions, Method};
use crate::pace::{Host, Pace};
use crate::pons;
use crate::question::{Elsewhere, Question};
use crate::report::{self, Answer, Citation, Heard, Trace};
use crate::retrieval::Retrieval;
use crate::spaces::PROBE;
use crate::stage::answer::{self, NOT_FOUND};
use crate::stage::{cite, generate};

/// How near the probe's vector must come to the stored one for an embedder to be the space's own.
const SAME: f32 = 0.99;

/// Characters shown of a quotation that does not stand in the book.
const MOST_SHOWN: usize = 300;

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
}

/// A question with all that was found for it.
struct Found {
    question: Question,
    retrieval: Retrieval,
    trace: Trace,
    usage: Usage,
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
    pub(crate) async fn retrieve(&self, question: &str, pace: &Pace<'_>) -> Result<Trace> {
        Ok(self.find(question, pace).await?.trace)
    }

    /// The answer with its trace.
    pub(crate) async fn answer(&self, question: &str, pace: &Pace<'_>) -> Result<Answer> {
        let mut found = self.find(question, pace).await?;
        found.trace.evidence.iter().for_each(|evidence| self.host.tell(Heard::Evidence(evidence)));
        let written = match &self.options.models.chat {
            Some(_) => self.write(&mut found, pace).await?,
            None => None,
        };
        let said = match written {
            Some(said) => said,
            None => self.quote(&found, pace).await?,
        };
        let usage = report::Usage {
            requests: found.usage.requests,
            prompt_tokens: found.usage.prompt,
            completion_tokens: found.usage.completion,
        };
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

    async fn find(&self, text: &str, pace: &Pace<'_>) -> Result<Found> {
        let mut question = Question::new(self.book, text, pace).await?;
        let (mut usage, mut issues) = (Usage::default(), Vec::new());
        if let Some(embedder) = &self.options.models.embed {
            issues.extend(self.embed(&mut question, embedder.as_ref(), &mut usage).await?);
        } else if let Some(space) = self.book.index.spaces.get(1) {
            let why = format!("the index has the vectors of {:?} too, but no embedder was given", space.id);
            issues.push(built_in(&why));
        }
        let config = profiled(self.book, &question, self.options.config);
        let tokens = self.options.context_tokens;
        let retrieval = match self.options.method {
            Method::Pons => pons::retrieve(self.book, &question, &config, tokens, pace).await?,
            Method::Dense => baseline::retrieve(self.book, &question, Baseline::Dense, tokens, pace).await?,
            Method::Bm25 => baseline::retrieve(self.book, &question, Baseline::Bm25, tokens, pace).await?,
        };
        let mut trace = describe::trace(self.book, &self.places, &question, self.options.method, &retrieval);
        trace.issues.extend(issues.iter().map(describe::issue));
        Ok(Found { question, retrieval, trace, usage })
    }

    /// Embeds the question by an endpoint, where the index has its space; whatever hinders that is an issue,
    /// but a cancel is a cancel.
    async fn embed(
        &self,
        question: &mut Question,
        embedder: &dyn Embedder,
        usage: &mut Usage,
    ) -> Result<Option<Issue>> {
        let fallback = |why: String| Ok(Some(built_in(&why)));
        let name = embedder.name();
        let Some(place) = self.book.index.spaces.iter().skip(1).position(|space| space.id == name) else {
            return fallback(format!("the index has no vectors of {name:?}"));
        };
        let texts = [PROBE.to_owned(), question.text.clone()];
        let embedded = match embedder.embed(&texts).await {
            Ok(embedded) => embedded,
            Err(error) if self.host.cancelled() => return Err(error),
            Err(error) => return fallback(error.to_string()),
        };
        usage.add(embedded.tokens);
        let space = &self.book.index.spaces[place + 1];
        let [probe, vector] = &embedded.vectors[..] else {
            return fallback(format!("{name:?} gave {} vectors for two texts", embedded.vectors.len()));
        };
        let near = |probe: &[f32]| dot(&space.probe.row(0), probe);
        if space.probe.is_empty() || probe.len() != space.dims || vector.len() != space.dims {
            return fallback(format!("{name:?} gives vectors of another width than it gave the index"));
        }
        if near(probe) < SAME {
            return fallback(format!("{name:?} is not the embedder of that name that made the index"));
        }
        question.elsewhere = Some(Elsewhere { space: place + 1, vector: vector.clone() });
        Ok(None)
    }

    /// The answer by rule: the best sentence with its place, the option best supported.
    async fn quote(&self, found: &Found, pace: &Pace<'_>) -> Result<Said> {
        let Found { question, retrieval, .. } = found;
        let mut said = Said::default();
        if self.options.steps > 1 {
            let message = "more than one step needs a chat model; one was run";
            said.issues.push(Issue::new("needs_chat_model", message));
        }
        let candidate = answer::best_sentence(self.book, question, &retrieval.scores, &self.options.config);
        said.text = NOT_FOUND.to_owned();
        if let Some(candidate) = candidate {
            said.text = self.book.text(candidate.span).split_whitespace().collect::<Vec<_>>().join(" ");
            said.citations = vec![describe::citation(self.book, &self.places, candidate.span)];
            said.confidence = Some(candidate.confidence);
        }
        if !self.options.choices.is_empty() {
            match self.best_choice(found, pace).await? {
                Some((choice, confidence)) => {
                    (said.choice, said.confidence) = (Some(choice), Some(confidence));
                }
                None => said.issues.push(no_choice("no option is better supported than the others")),
            }
        }
        self.host.tell(Heard::Text(&said.text));
        Ok(said)
    }

    async fn best_choice(&self, found: &Found, pace: &Pace<'_>) -> Result<Option<(String, f64)>> {
        let choices = &self.options.choices;
        let mut options = Vec::with_capacity(choices.len());
        for choice in choices {
            options.push(Question::new(self.book, choice, pace).await?);
        }
        let best = answer::best_choice(self.book, &found.question, &options, &found.retrieval.scores);
        Ok(best.and_then(|best| choices.get(best.option).map(|choice| (choice.clone(), best.confidence))))
    }

    /// The answer in a chat model's words; none where the reply holds no answer, which is told as an issue.
    async fn write(&self, found: &mut Found, pace: &Pace<'_>) -> Result<Option<Said>> {
        let Some(chat) = &self.options.models.chat else { return Ok(None) };
        let choices = &self.options.choices;
        let request = generate::request(&found.trace.context, &found.question.text, choices);
        pace.report("generate", 0, 1, None, None).await?;
        let coming = RefCell::new(generate::Coming::default());
        let held = RefCell::new(String::new());
        let tell = |piece: String| {
            let mut held = held.borrow_mut();
            held.push_str(&piece);
            // The sentence that nothing was found is said in one form, once it is sure.
            if !held.is_empty() && !may_be_not_found(&held) {
                self.host.tell(Heard::Text(&std::mem::take(&mut *held)));
            }
        };
        let hear = |piece: &str| {
            let piece = coming.borrow_mut().hear(piece);
            tell(piece);
        };
        let reply = chat.chat(&request, &hear).await?;
        pace.report("generate", 1, 1, None, None).await?;
        found.usage.add(reply.tokens);
        let generated = generate::read(&reply.text);
        let mut issues: Vec<Issue> = broken_off(reply.finish).into_iter().collect();
        if generated.answer.is_empty() {
            if issues.is_empty() {
                issues.push(Issue::new("answer_unreadable", "The chat model's reply holds no answer."));
            }
            found.trace.issues.extend(issues.iter().map(describe::issue));
            return Ok(None);
        }
        let rest = coming.borrow_mut().end();
        tell(rest);
        let mut said = Said { text: generated.answer, issues, ..Said::default() };
        if self.options.steps > 1 {
            let message = "more than one step is not in this version; one was run";
            said.issues.push(Issue::new("one_step", message));
        }
        if is_not_found(&said.text) {
            said.text = NOT_FOUND.to_owned();
            self.host.tell(Heard::Text(&said.text));
            return Ok(Some(said));
        }
        let held = held.take();
        if !held.is_empty() {
            self.host.tell(Heard::Text(&held));
        }
        if !choices.is_empty() {
            let choice = generate::choice(&said.text, choices).and_then(|place| choices.get(place));
            said.choice = choice.cloned();
            if choice.is_none() {
                said.issues.push(no_choice("the chat model's answer names no option"));
            }
        }
        self.cite(found, &generated.quotes, &mut said);
        Ok(Some(said))
    }

    /// The quotations that stand in the book, as citations; the others are told.
    fn cite(&self, found: &Found, quotes: &[String], said: &mut Said) {
        let text = &self.book.index.document.text;
        let evidence: Vec<Span> = found.retrieval.evidence.iter().map(|passage| passage.span).collect();
        let mut spans: Vec<Span> = Vec::new();
        for quote in quotes {
            let places = cite::places(text, &evidence, quote);
            if places.is_empty() {
                let start: String = quote.chars().take(MOST_SHOWN).collect();
                let message = format!("The chat model quotes what the book does not say: {start}");
                said.issues.push(Issue::new("citation_unverified", message));
            }
            spans.extend(places);
        }
        if spans.is_empty() {
            // An answer that is itself a quotation is its own citation.
            spans = cite::places(text, &evidence, &said.text);
        }
        if spans.is_empty() && quotes.is_empty() {
            let message =
                "The chat model quotes nothing, so its answer could not be checked against the book.";
            said.issues.push(Issue::new("no_citation", message));
        }
        let mut seen = Vec::new();
        spans.retain(|span| {
            !seen.contains(span) && {
                seen.push(*span);
                true
            }
        });
        said.citations =
            spans.into_iter().map(|span| describe::citation(self.book, &self.places, span)).collect();
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

fn broken_off(finish: Finish) -> Option<Issue> {
    match finish {
        Finish::Stop => None,
        Finish::Length => Some(Issue::new("answer_cut", "The chat model's reply reached its limit.")),
        Finish::Cut => Some(Issue::new("answer_cut", "The chat model's reply broke off; what came is kept.")),
        Finish::Filter => Some(Issue::new("answer_withheld", "A content filter withheld the reply.")),
    }
}

fn built_in(why: &str) -> Issue {
    Issue::new("embedding_fallback", format!("The question was compared in the built-in space: {why}."))
}

fn no_choice(why: &str) -> Issue {
    Issue::new("no_choice", why)
}

fn is_not_found(answer: &str) -> bool {
    let bare = answer.trim().trim_matches(|c: char| !c.is_alphanumeric());
    bare.eq_ignore_ascii_case(NOT_FOUND)
}

/// Whether what is said so far may become the sentence that nothing was found.
fn may_be_not_found(begun: &str) -> bool {
    let other = |c: char| !c.is_alphanumeric();
    let bare = begun.trim_start_matches(other).to_lowercase();
    NOT_FOUND.starts_with(&bare) || bare.strip_prefix(NOT_FOUND).is_some_and(|rest| rest.chars().all(other))
}
