//! Whether a long prompt is seen whole: prompts of growing length, up to the first that is not.
//!
//! What each reply shows is judged by [`window`]. A server that takes no more now (it is busy, it says that it
//! takes few, the budget is spent) leaves the rest untried, which is told and is no fault of its context.

use super::advice::Make;
use super::window::{self, Window};
use super::{Failed, Looking, verdict};
use crate::error::{Code, Error, Result};
use crate::llm::ChatReply;
use crate::llm::openai::fault::Kind;
use crate::report::{Check, Issue};
use verdict::with;

impl Looking<'_> {
    /// Whether a long prompt is seen whole.
    pub(super) async fn window(&mut self) -> Result<()> {
        let (mut last, mut sent) = (0, 0);
        for (length, word) in window::STEPS {
            let reply = self.ask(&window::prompt(length, word)).await;
            sent += length;
            let reply = match reply {
                Ok(reply) => reply,
                Err((_, error)) if error.code() == Code::Aborted => return Err(error),
                Err((_, error)) if error.code() == Code::Budget => {
                    self.untried(length, last, "budget", &error);
                    return Ok(());
                }
                Err((Kind::Busy, error)) => {
                    self.untried(length, last, "busy", &error);
                    return Ok(());
                }
                Err((Kind::TooLong, _)) => return self.cut(length, last, "refuses").await,
                Err(failed) => return self.broke(length, failed),
            };
            match seen(&reply, word, length, last > 0) {
                Window::Whole => last = length,
                Window::Cut => return self.cut(length, last, "silently cuts").await,
                Window::Unsure => {
                    self.unsure(length);
                    return Ok(());
                }
            }
        }
        let message = format!(
            "The beginning of a prompt of {last} tokens is seen, and none of ours is longer with the usual settings \
             (to find out, {sent} tokens were sent)."
        );
        self.push(Check::well("context", message));
        Ok(())
    }

    /// The server cuts or refuses prompts that are too short to work with.
    async fn cut(&mut self, length: u32, last: u32, does: &str) -> Result<()> {
        let models = self.list(self.endpoint.address()).await?.unwrap_or_default();
        let fits = if last > 0 { format!(" One of {last} it takes whole.") } else { String::new() };
        let lost =
            if does == "refuses" { "" } else { ": the model did not see its beginning, and nothing said so" };
        let message = format!("{} {does} a prompt of {length} tokens{lost}.{fits}", self.origin());
        let advice = Make::of(self.origin(), &models).window(window::WANTED, self.subject.place);
        self.push(with(Check::ill("context", "context", message), advice));
        Ok(())
    }

    /// A longer prompt got no answer.
    fn broke(&mut self, length: u32, (_, error): Failed) -> Result<()> {
        let message = format!("A prompt of {length} tokens got no answer. {}", verdict::sentence(&error));
        let check = Check::ill("context", "context", message)
            .fixed_by("Try again; a slow machine may need a smaller model or a smaller contextTokens (--context-tokens).");
        self.push(check);
        Ok(())
    }

    /// Prompts from this length on were not tried: this is no fault of the context.
    fn untried(&mut self, length: u32, last: u32, code: &str, why: &Error) {
        if last > 0 {
            let message = format!("No prompt was seen to be cut, as far as one of {last} tokens shows.");
            self.push(Check::well("context", message));
        }
        let message = format!(
            "Whether a prompt of {length} tokens is seen whole was not tried: {}",
            verdict::sentence(why)
        );
        self.issues.push(Issue { code: code.to_owned(), message });
    }

    /// The model did not find the word, and it cannot be said that the server cut it off.
    fn unsure(&mut self, length: u32) {
        let message = format!("No prompt was seen to be cut, as far as a prompt of {length} tokens shows.");
        self.push(Check::well("context", message));
        let message = format!(
            "{:?} did not repeat a word from the beginning of a prompt of {length} tokens: the model may be too \
             small to answer from long passages.",
            self.model()
        );
        self.issues.push(Issue { code: "recall".to_owned(), message });
    }
}

fn seen(reply: &ChatReply, word: &str, length: u32, before: bool) -> Window {
    window::judge(&reply.text, word, reply.tokens.prompt, length, before)
}
