//! Models asked on account: every request is entered in a ledger and held to its budget.
//!
//! A model says what it sends ([`Caller`]); what a reply of unknown cost may have cost is estimated here. A
//! model that says nothing of its requests is taken to have sent one.
//!
//! Invariant: the tokens of what comes back are those that were entered.

use std::cell::{Cell, RefCell};

use super::caller::{Caller, End, Unheard};
use super::dialect::Asked;
use super::ledger::{Ledger, Open, Size};
use super::{ChatModel, ChatReply, ChatRequest, Embedded, Embedder, Later, Tokens};
use crate::error::Result;
use crate::text::tokens;

/// Tokens that a server's template puts around each message.
const AROUND: u32 = 4;

/// What a request may cost: its prompt as we estimate it, its reply by the limit that it is sent with.
pub fn size(request: &ChatRequest) -> Size {
    let said = request.messages.iter().map(|message| tokens(&message.content).saturating_add(AROUND));
    Size { prompt: said.fold(0, u32::saturating_add), most: request.max_tokens }
}

/// The same of texts to embed.
pub fn size_of_texts(texts: &[String]) -> Size {
    Size { prompt: texts.iter().map(|text| tokens(text)).fold(0, u32::saturating_add), most: 0 }
}

/// Completes a conversation on account of a stage; `heard` gets the text piece by piece where it is streamed.
///
/// # Errors
/// The model's own; `budget` where the request would cost more than may be spent.
pub async fn chat(
    ledger: &Ledger,
    stage: &'static str,
    model: &dyn ChatModel,
    request: &ChatRequest,
    heard: &dyn Fn(&str),
) -> Result<ChatReply> {
    let account = Account::new(ledger, stage, model.name(), &heard);
    let mut reply = model.chat(request, &account).await?;
    if reply.kept.requests > 0 {
        ledger.kept(stage, model.name(), reply.kept.requests);
    } else if !account.told.get() {
        account.sends(Asked::Chat(request), false).await?;
        account.ended(End::Answered(reply.tokens), 0.0);
    }
    reply.tokens = account.enter(tokens(&reply.text)).unwrap_or_default();
    Ok(reply)
}

/// Embeds texts on account of a stage.
///
/// # Errors
/// As [`chat`].
pub async fn embed(
    ledger: &Ledger,
    stage: &'static str,
    model: &dyn Embedder,
    texts: &[String],
) -> Result<Embedded> {
    let account = Account::new(ledger, stage, model.name(), &Unheard);
    let mut embedded = model.embed(texts, &account).await?;
    if embedded.kept.requests > 0 {
        ledger.kept(stage, model.name(), embedded.kept.requests);
    } else if !account.told.get() {
        account.sends(Asked::Embeddings(texts), false).await?;
        account.ended(End::Answered(embedded.tokens), 0.0);
    }
    account.enter(0);
    embedded.tokens = account.entered.get();
    Ok(embedded)
}

/// What one call of a model has in flight, and what it has cost so far.
pub(crate) struct Account<'a> {
    ledger: &'a Ledger,
    stage: &'static str,
    model: &'a str,
    caller: &'a dyn Caller,
    open: RefCell<Option<Open>>,
    /// Answered last, but not entered yet: the text that it wrote is still to come.
    answered: Cell<Option<(Tokens, f64)>>,
    entered: Cell<Tokens>,
    /// Whether the model tells of its requests.
    told: Cell<bool>,
}

impl<'a> Account<'a> {
    pub(crate) fn new(
        ledger: &'a Ledger,
        stage: &'static str,
        model: &'a str,
        caller: &'a dyn Caller,
    ) -> Self {
        let (open, answered, entered) = (RefCell::default(), Cell::default(), Cell::default());
        Self { ledger, stage, model, caller, open, answered, entered, told: Cell::new(false) }
    }

    /// Enters what was answered last, with our estimate of what was written.
    pub(crate) fn enter(&self, written: u32) -> Option<Tokens> {
        let (counted, ms) = self.answered.take()?;
        let tokens = self.open.take()?.answered(counted, written, ms);
        let Tokens { prompt, completion } = self.entered.get();
        self.entered.set(Tokens {
            prompt: prompt.saturating_add(tokens.prompt),
            completion: completion.saturating_add(tokens.completion),
        });
        Some(tokens)
    }
}

impl Caller for Account<'_> {
    fn hear(&self, piece: &str) {
        self.caller.hear(piece);
    }

    fn sends<'a>(&'a self, asked: Asked<'a>, again: bool) -> Later<'a, Result<Size>> {
        Box::pin(async move {
            self.enter(0);
            self.told.set(true);
            let size = match asked {
                Asked::Chat(request) => size(request),
                Asked::Embeddings(texts) => size_of_texts(texts),
            };
            let open = self.ledger.open(self.stage, self.model, size, again).await?;
            self.open.replace(Some(open));
            Ok(size)
        })
    }

    fn leaves(&self) {
        if let Some(open) = self.open.borrow_mut().as_mut() {
            open.leaves();
        }
    }

    fn ended(&self, end: End, ms: f64) {
        if let End::Answered(counted) = end {
            return self.answered.set(Some((counted, ms)));
        }
        let Some(open) = self.open.take() else { return };
        match end {
            End::Answered(_) | End::Unsent => drop(open),
            End::Refused => open.refused(ms),
            End::Failed => open.failed(ms),
        }
    }

    fn waits(&self, ms: f64) {
        self.ledger.waits(ms);
    }
}
