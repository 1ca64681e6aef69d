//! What is wrong with an endpoint, in plain words, with the setting to copy.
//!
//! The endpoint is used as for a book, once: a small chat or one vector. What comes back, and what the
//! surroundings are, is judged by pure tables: [`place`] for what browsers forbid, `verdict` for silence
//! and refusals, [`window`] for a prompt that is cut, [`advice`] for what to set where. The looks
//! themselves go through one port, [`scout`], and within what a person allows, [`bounds`].
//!
//! Invariant: no key and no prompt is in a diagnosis, and of the address no more than origin and path.

pub mod advice;
pub mod bounds;
mod fit;
mod long;
pub mod place;
pub mod scout;
mod verdict;
pub mod window;

use std::rc::Rc;

use crate::error::{Code, Error, Result};
use crate::index::Index;
use crate::llm::account::Account;
use crate::llm::address::Address;
use crate::llm::caller::Unheard;
use crate::llm::connection::Memory;
use crate::llm::endpoint::{Endpoint, Settings};
use crate::llm::ledger::Ledger;
use crate::llm::openai::fault::Kind;
use crate::llm::openai::models::{self, Listed};
use crate::llm::{ChatReply, ChatRequest, Clock, Embedded, Message, Role};
use crate::pace::{Host, Pace};
use crate::report::{Check, Diagnosis, Issue, Usage};
use crate::spaces::PROBE;
use crate::text::tokens;
use bounds::Bounds;
use place::Place;
use scout::{Look, Noting, Scout, Seen, Way};
use verdict::Case;

/// Under what requests are entered in the ledger.
const STAGE: &str = "diagnosis";

/// As what an endpoint is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It completes conversations.
    Chat,
    /// It gives vectors.
    Embed,
}

impl Part {
    /// Its name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Chat => "chat",
            Part::Embed => "embed",
        }
    }
}

/// What is to be diagnosed.
pub struct Subject<'a> {
    /// The endpoint.
    pub settings: &'a Settings,
    /// As what; `None` finds out: as a chat model, else as an embedder.
    pub part: Option<Part>,
    /// The index that its vectors should fit.
    pub index: Option<&'a Index>,
    /// From where it is asked.
    pub place: &'a Place,
    /// How long and how much.
    pub bounds: Bounds,
    /// What is known of servers: the limits of a book are kept together with it.
    pub memory: &'a Memory,
}

type Failed = (Kind, Error);

/// Tries an endpoint and says what is right and what is not. What is behind the first fault is not tried. The
/// host is told of the one stage, and for how long a server's limits hold it up.
///
/// # Errors
/// `aborted` when the caller cancels; whatever else goes wrong is in the diagnosis.
pub async fn diagnose(
    subject: &Subject<'_>,
    scout: Rc<dyn Scout>,
    clock: Rc<dyn Clock>,
    host: &dyn Host,
) -> Result<Diagnosis> {
    let noting = Rc::new(Noting::new(scout));
    let made = Endpoint::new(subject.settings, Rc::clone(&noting) as _, clock);
    let part = subject.part.unwrap_or(Part::Chat);
    let endpoint = match made {
        Ok(endpoint) => endpoint.remembering(subject.memory.clone()),
        Err(error) => {
            let check = Check::ill("address", "usage", verdict::sentence(&error))
                .fixed_by("Write the whole address and the model's name.")
                .copying("http://localhost:11434/v1");
            return Ok(document(part, vec![check], Vec::new(), Usage::default()));
        }
    };
    let limits = endpoint.limits();
    let mut looking = Looking {
        subject,
        noting,
        endpoint: subject.bounds.on(endpoint),
        checks: Vec::new(),
        issues: Vec::new(),
        ledger: subject.bounds.budget.map_or_else(Ledger::default, Ledger::with_budget),
    };
    let pace = Pace::new(host);
    pace.report(STAGE, 0, 1, None, None).await?;
    let ledger = looking.ledger.clone();
    let part = pace.heeding(&ledger, looking.all()).await;
    looking.endpoint = looking.endpoint.within(limits);
    let part = part?;
    pace.report(STAGE, 1, 1, None, None).await?;
    looking.issues.extend(bounds::slow(looking.origin(), part, looking.endpoint.word()));
    let usage = crate::describe::usage(looking.ledger.usage());
    Ok(document(part, looking.checks, looking.issues, usage))
}

fn document(part: Part, mut checks: Vec<Check>, issues: Vec<Issue>, usage: Usage) -> Diagnosis {
    checks.iter_mut().for_each(|check| check.endpoint = part.as_str());
    Diagnosis { ok: checks.iter().all(|check| check.ok), checks, issues, usage }
}

/// A diagnosis under way.
struct Looking<'a> {
    subject: &'a Subject<'a>,
    noting: Rc<Noting>,
    endpoint: Endpoint,
    checks: Vec<Check>,
    issues: Vec<Issue>,
    ledger: Ledger,
}

impl Looking<'_> {
    fn model(&self) -> &str {
        self.subject.settings.model.trim()
    }

    fn origin(&self) -> &str {
        self.endpoint.origin()
    }

    fn push(&mut self, check: Check) {
        self.checks.push(check);
    }

    /// Makes every check, up to the first that fails; tells as what the endpoint was tried in the end.
    async fn all(&mut self) -> Result<Part> {
        let to = self.endpoint.address().written().unwrap_or_else(|| self.origin().to_owned());
        self.push(Check::well("address", format!("Requests go to {to}.")));
        if let Some(check) = self.subject.place.before(self.origin()) {
            let ok = check.ok;
            self.push(check);
            if !ok {
                return Ok(self.subject.part.unwrap_or(Part::Chat));
            }
        }
        let of_index = || {
            self.subject
                .index
                .is_some_and(|index| index.spaces.iter().skip(1).any(|space| space.id == self.model()))
        };
        match self.subject.part {
            Some(Part::Embed) => self.embed().await,
            None if of_index() => self.embed().await,
            Some(Part::Chat) => self.chat().await,
            None => self.either().await,
        }
    }

    /// As a chat model; where it is none but gives vectors, as an embedder.
    async fn either(&mut self) -> Result<Part> {
        let before = self.checks.len();
        let part = self.chat().await?;
        let told = ["path", "reply", "connection", "model"];
        let refused = self.checks.last().is_some_and(|check| !check.ok && told.contains(&check.check));
        if !refused || self.noting.silence().is_some() {
            return Ok(part);
        }
        let of_chat = self.checks.split_off(before);
        let part = self.embed().await?;
        if self.checks.iter().skip(before).any(|check| check.check == "vectors" && check.ok) {
            return Ok(part);
        }
        self.checks.truncate(before);
        self.checks.extend(of_chat);
        Ok(Part::Chat)
    }

    async fn chat(&mut self) -> Result<Part> {
        let said = |role, content: &str| Message { role, content: content.to_owned() };
        let request = ChatRequest {
            messages: vec![
                said(Role::System, "Task: greeting\nAnswer with one word."),
                said(Role::User, "Say the word ready."),
            ],
            schema: None,
            max_tokens: 512,
            temperature: 0.0,
            stream: false,
        };
        match self.ask(&request).await {
            Ok(_) => {
                self.passed(&["connection", "path", "key", "model"]);
                self.push(Check::well("reply", format!("{:?} replies.", self.model())));
                self.window().await?;
            }
            Err(failed) => self.failed(Part::Chat, failed).await?,
        }
        Ok(Part::Chat)
    }

    async fn embed(&mut self) -> Result<Part> {
        match self.probe().await {
            Ok(embedded) => {
                self.passed(&["connection", "path", "key", "model"]);
                let vector = embedded.vectors.into_iter().next().unwrap_or_default();
                self.push(Check::well(
                    "vectors",
                    format!("{:?} gives vectors of {} numbers.", self.model(), vector.len()),
                ));
                if let Some(index) = self.subject.index {
                    self.push(fit::fits(index, self.model(), &vector));
                }
            }
            Err(failed) => self.failed(Part::Embed, failed).await?,
        }
        Ok(Part::Embed)
    }

    /// One conversation, on account.
    async fn ask(&self, request: &ChatRequest) -> std::result::Result<ChatReply, Failed> {
        let account = Account::new(&self.ledger, STAGE, self.model(), &Unheard);
        let reply = self.endpoint.answer(request, &account).await?;
        account.enter(tokens(&reply.text));
        Ok(reply)
    }

    /// One vector, on account.
    async fn probe(&self) -> std::result::Result<Embedded, Failed> {
        let account = Account::new(&self.ledger, STAGE, self.model(), &Unheard);
        let embedded = self.endpoint.embed_run(&[PROBE.to_owned()], &account).await?;
        account.enter(0);
        Ok(embedded)
    }

    /// Says of each of these that it is right.
    fn passed(&mut self, checks: &[&'static str]) {
        for check in checks {
            let message = match *check {
                "connection" => format!("{} answers.", self.origin()),
                "path" => "The path is right.".to_owned(),
                "key" if self.with_key() => "The key is taken.".to_owned(),
                "key" => "No key is wanted.".to_owned(),
                _ => format!("There is a model {:?}.", self.model()),
            };
            self.push(Check::well(check, message));
        }
    }

    fn with_key(&self) -> bool {
        self.subject.settings.key.as_deref().is_some_and(|key| !key.trim().is_empty())
    }

    /// Finds out why a request failed, and says so.
    async fn failed(&mut self, part: Part, (kind, error): Failed) -> Result<()> {
        if error.code() == Code::Aborted {
            return Err(error);
        }
        if error.code() == Code::Budget {
            self.push(bounds::unspent(part, &error));
            return Ok(());
        }
        let silence = self.noting.silence();
        let there = match &silence {
            // What is known already needs no further look.
            Some(silence) => !silence.is_told() && self.is_there().await?,
            None => false,
        };
        let (models, right) = match &silence {
            // A path that is not there may not let a page in either.
            Some(_) if there => self.listed(Kind::Path).await?,
            Some(_) => (None, None),
            None => self.listed(kind).await?,
        };
        let case = Case {
            part,
            place: self.subject.place,
            origin: self.endpoint.origin(),
            model: self.subject.settings.model.trim(),
            with_key: self.with_key(),
            status: self.noting.status(),
            models: models.as_deref(),
        };
        let check = match &silence {
            Some(silence) if right.is_none() => case.silent(silence, there),
            _ => case.refused(kind, &error, right),
        };
        self.passed(match check.check {
            "browser" | "connection" => &[],
            "path" | "key" => &["connection"],
            "model" => &["connection", "path", "key"],
            _ => &["connection", "path", "key", "model"],
        });
        // What was allowed by rule turned out to be forbidden.
        self.checks.retain(|before| before.check != check.check);
        self.push(check);
        Ok(())
    }

    /// Whether anything is there, though a page may not read it.
    async fn is_there(&self) -> Result<bool> {
        if self.subject.place.page.is_none() {
            return Ok(false);
        }
        let url = format!("{}/", self.origin());
        let look = Look { way: Way::Blind, url, headers: Vec::new(), body: String::new() };
        Ok(!matches!(self.noting.scout.look(look).await?, Seen::Nothing(_)))
    }

    /// The server's models, and the address where it is right to ask, where that is another.
    async fn listed(&self, kind: Kind) -> Result<(Option<Vec<Listed>>, Option<String>)> {
        let own = self.list(self.endpoint.address()).await?;
        if own.is_some() || !matches!(kind, Kind::Path | Kind::Refused | Kind::Failed | Kind::Unusable) {
            return Ok((own, None));
        }
        for other in self.endpoint.address().elsewhere() {
            let Some(written) = other.written() else { continue };
            if let Some(models) = self.list(&other).await? {
                return Ok((Some(models), Some(written)));
            }
        }
        Ok((None, None))
    }

    /// The models that are listed at an address, but for names that repeat a key.
    async fn list(&self, address: &Address) -> Result<Option<Vec<Listed>>> {
        let Settings { key, headers, .. } = self.subject.settings;
        let named =
            |(name, value): &(String, String)| (name.trim().to_ascii_lowercase(), value.trim().to_owned());
        let mut headers: Vec<_> = headers.iter().map(named).collect();
        if let Some(key) = key.as_deref().map(str::trim).filter(|key| !key.is_empty()) {
            headers.push(("authorization".to_owned(), format!("Bearer {key}")));
        }
        let look = Look { way: Way::Get, url: address.models(), headers, body: String::new() };
        let Seen::Answer { status: 200..=299, body, .. } = self.noting.scout.look(look).await? else {
            return Ok(None);
        };
        let mut models = models::decode(&body);
        models.iter_mut().for_each(|models| models.retain(|model| !self.endpoint.reveals(&model.id)));
        Ok(models)
    }
}
