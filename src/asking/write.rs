//! The answer in a chat model's words, heard as it is written, with its quotations looked up in the book.

use std::cell::{Cell, RefCell};

use super::{Asking, Found, Said, no_choice};
use crate::asker::Asker;
use crate::describe;
use crate::error::Result;
use crate::knowledge::{Issue, Span};
use crate::llm::Finish;
use crate::report::Heard;
use crate::stage::answer::{NOT_FOUND, is_not_found};
use crate::stage::{cite, generate, option};

/// Characters shown of a quotation that does not stand in the book.
const MOST_SHOWN: usize = 300;

impl Asking<'_> {
    /// The answer in a chat model's words; none where the reply holds no answer, which is told as an issue.
    pub(super) async fn write(&self, found: &mut Found, asker: &Asker<'_>) -> Result<Option<Said>> {
        let choices = &self.options.choices;
        let request = generate::request(&found.trace.context, &found.question.text, choices);
        self.pace.report("generate", 0, 1, None, None).await?;
        let coming = RefCell::new(generate::Coming::default());
        let (held, heard) = (RefCell::new(String::new()), Cell::new(false));
        let tell = |piece: generate::Piece| {
            let mut held = held.borrow_mut();
            if piece.anew {
                held.clear();
                if heard.replace(false) {
                    self.host.tell(Heard::Anew);
                }
            }
            held.push_str(&piece.text);
            // The sentence that nothing was found is said in one form, once it is sure.
            if !held.is_empty() && !may_be_not_found(&held) {
                heard.set(true);
                self.host.tell(Heard::Text(&std::mem::take(&mut *held)));
            }
        };
        let hear = |piece: &str| {
            let piece = coming.borrow_mut().hear(piece);
            tell(piece);
        };
        let reply = asker.hear("generate", &request, &hear).await?;
        self.pace.report("generate", 1, 1, None, None).await?;
        tell(coming.borrow_mut().end());
        let generated = generate::read(&reply.text);
        let mut issues: Vec<Issue> = broken_off(reply.finish).into_iter().collect();
        if generated.answer.is_empty() {
            if issues.is_empty() {
                issues.push(Issue::new("answer_unreadable", "The chat model's reply holds no answer."));
            }
            found.trace.issues.extend(issues.iter().map(describe::issue));
            return Ok(None);
        }
        let mut said = Said { text: generated.answer, issues, ..Said::default() };
        if is_not_found(&said.text) {
            said.text = NOT_FOUND.to_owned();
            if !choices.is_empty() {
                said.issues.push(no_choice("the chat model found nothing that decides"));
            }
            self.host.tell(Heard::Text(&said.text));
            return Ok(Some(said));
        }
        let held = held.take();
        if !held.is_empty() {
            self.host.tell(Heard::Text(&held));
        }
        if !choices.is_empty() {
            let choice = option::chosen(&said.text, choices).and_then(|place| choices.get(place));
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

fn broken_off(finish: Finish) -> Option<Issue> {
    match finish {
        Finish::Stop => None,
        Finish::Length => Some(Issue::new("answer_cut", "The chat model's reply reached its limit.")),
        Finish::Cut => Some(Issue::new("answer_cut", "The chat model's reply broke off; what came is kept.")),
        Finish::Filter => Some(Issue::new("answer_withheld", "A content filter withheld the reply.")),
    }
}

/// Whether what is said so far may become the sentence that nothing was found.
fn may_be_not_found(begun: &str) -> bool {
    let other = |c: char| !c.is_alphanumeric();
    let bare = begun.trim_start_matches(other).to_lowercase();
    NOT_FOUND.starts_with(&bare) || bare.strip_prefix(NOT_FOUND).is_some_and(|rest| rest.chars().all(other))
}
