//! From what came back to plain words: one table for silence, one for refusals.
//!
//! Pure: the same outcome in the same surroundings is the same verdict. What needs a further look (another
//! path, a list of models, a blind look) is looked at before and stands in [`Case`].

use super::Part;
use super::advice::{Advice, Make};
use super::place::{Leave, Near, Place};
use super::scout::{REDIRECT, Silence};
use crate::algo::edit::edit_distance;
use crate::error::Error;
use crate::llm::openai::fault::Kind;
use crate::llm::openai::models::Listed;
use crate::report::Check;

/// The most models that a message names.
const NAMED: usize = 8;

/// What is known when a request has failed.
pub(super) struct Case<'a> {
    pub(super) part: Part,
    pub(super) place: &'a Place,
    pub(super) origin: &'a str,
    pub(super) model: &'a str,
    pub(super) with_key: bool,
    /// The status of the answer; 0 where none came.
    pub(super) status: u16,
    /// The server's models; `None` where it has no list at this path.
    pub(super) models: Option<&'a [Listed]>,
}

impl Case<'_> {
    fn make(&self) -> Make {
        Make::of(self.origin, self.models.unwrap_or_default())
    }

    /// Nothing came. `there` is whether a blind look saw anything.
    pub(super) fn silent(&self, silence: &Silence, there: bool) -> Check {
        match &self.place.page {
            Some(page) => self.silent_page(page, silence, there),
            None => self.silent_system(&silence.why),
        }
    }

    fn silent_page(&self, page: &str, silence: &Silence, there: bool) -> Check {
        let origin = self.origin;
        if silence.why == "policy" {
            let message = format!("The page's own content security policy does not let it ask {origin}.");
            return Check::ill("browser", "policy", message)
                .fixed_by("Add the server to connect-src, in the page's header and in worker.js's.")
                .copying(format!("connect-src 'self' {origin}"));
        }
        if silence.why == REDIRECT {
            return self.elsewhere();
        }
        if there {
            let message = format!(
                "{origin} is there, but does not let pages of {page} read its answers (CORS), so the browser \
                 keeps them back.{}",
                // A page is not told of the one or the other.
                if Near::of(origin) == Near::Public {
                    " It may also send requests on to another address: open this one in a tab, and write the \
                     one to which it leads."
                } else {
                    ""
                }
            );
            return with(Check::ill("connection", "cors", message), self.make().let_in(page, self.place));
        }
        if self.place.crosses(origin) && matches!(silence.leave, Leave::Prompt | Leave::Denied) {
            return self.place.forbidden(origin);
        }
        let message = format!("Nothing answers at {origin}.");
        with(Check::ill("connection", "unreachable", message), self.start())
    }

    fn start(&self) -> Advice {
        if Near::of(self.origin) == Near::Public {
            return (
                "Look whether you are connected, and whether the address is written right.".to_owned(),
                None,
            );
        }
        self.make().start()
    }

    /// Nothing came, and the system says why.
    fn silent_system(&self, why: &str) -> Check {
        let (origin, near) = (self.origin, Near::of(self.origin));
        let ill = |code, message: String| Check::ill("connection", code, message);
        let has = |words: &[&str]| words.iter().any(|word| why.contains(word));
        if has(&["ENOTFOUND", "EAI_", "ENODATA"]) {
            return ill(
                "dns",
                format!("The host of {origin} has no address: its name is not known here ({why})."),
            )
            .fixed_by("Look whether the name is written right, and whether you are connected.");
        }
        if has(&["WRONG_VERSION_NUMBER", "PACKET_LENGTH", "HTTP_REQUEST"]) {
            let plain = origin.replacen("https:", "http:", 1);
            return ill("tls", format!("{origin} does not speak https ({why})."))
                .fixed_by("Write the address with http://.")
                .copying(plain);
        }
        if has(&["CERT", "SIGNATURE", "SSL", "TLS", "ISSUER"]) {
            let fix = "Give the server a certificate that this system knows, or name its own to Node.";
            return ill("tls", format!("The certificate of {origin} is not trusted here ({why})."))
                .fixed_by(fix)
                .copying("NODE_EXTRA_CA_CERTS=/path/to/ca.pem");
        }
        if has(&["TIMEDOUT", "TIMEOUT"]) {
            return self.late();
        }
        if has(&[REDIRECT]) {
            return self.elsewhere();
        }
        if has(&["ECONNREFUSED"]) {
            return with(ill("unreachable", format!("Nothing listens at {origin} ({why}).")), self.start());
        }
        if has(&["ECONNRESET", "SOCKET", "EPIPE", "HPE_"]) {
            return ill("broken", format!("{origin} ended the connection without an answer ({why})."))
                .fixed_by(
                    "Look at the server's own log; a server of https that is asked by http does this too.",
                );
        }
        let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
        let check = ill("unreachable", format!("{origin} cannot be reached{why}."));
        if near == Near::Public {
            check.fixed_by("Look whether you are connected.")
        } else {
            with(check, self.start())
        }
    }

    /// The answer sends the request on.
    fn elsewhere(&self) -> Check {
        let message = format!(
            "{} sends requests on to another address, where none follows: the book and the key would go to a \
             server that you did not name.",
            self.origin
        );
        Check::ill("connection", "redirect", message)
            .fixed_by("Write the address to which it leads, often the same with https://.")
    }

    fn late(&self) -> Check {
        let message = format!("{} did not answer in time.", self.origin);
        Check::ill("connection", "timeout", message).fixed_by(
            "A large model may still be loading: try again in a minute. If it stays so, look at the server's \
             own log, or take a smaller model.",
        )
    }

    /// The server answered with a fault; `right` is the address at which it would have been right.
    pub(super) fn refused(&self, kind: Kind, error: &Error, right: Option<String>) -> Check {
        if let Some(right) = right {
            let message =
                format!("Nothing of use is at this path of {}: the server's is another.", self.origin);
            return Check::ill("path", "path", message)
                .fixed_by(format!("Write the address as {right}."))
                .copying(right);
        }
        let said = sentence(error);
        let reply = |code| Check::ill("reply", code, said.clone());
        match kind {
            Kind::Auth => self.key(said),
            Kind::Path | Kind::Refused | Kind::Failed | Kind::Model | Kind::Unusable
                if self.lacks_vectors(kind, error) =>
            {
                let message = format!("{:?} at {} gives no vectors. {said}", self.model, self.origin);
                self.embedding(Check::ill("vectors", "no_embeddings", message))
            }
            Kind::Path => Check::ill("path", "path", said)
                .fixed_by("Most servers have their path end in /v1; the server's documentation names it."),
            Kind::Model => self.unknown(),
            Kind::Credit => reply("credit").fixed_by("Add credit at the provider, or take another model."),
            Kind::Busy => reply("busy").fixed_by("Wait a while and try again."),
            Kind::Late => self.late(),
            Kind::Failed => Check::ill("connection", "server", said)
                .fixed_by("Look at the server's own log: a model too large for the memory fails so."),
            Kind::Vectors => self.embedding(Check::ill("vectors", "vectors", said)),
            Kind::TooLong => with(
                Check::ill("context", "context", said),
                self.make().window(super::window::WANTED, self.place),
            ),
            Kind::Filtered => {
                reply("filtered").fixed_by("Take another model or server: this one refuses harmless words.")
            }
            Kind::Refused | Kind::Unusable | Kind::Broken => {
                reply("reply").fixed_by("Look whether this is an OpenAI-compatible server and a chat model.")
            }
        }
    }

    fn key(&self, said: String) -> Check {
        let check = Check::ill("key", if self.status == 403 { "forbidden" } else { "key" }, said);
        match (&self.place.page, self.with_key, self.status) {
            // A provider lets every page in; a server at home that refuses one may not know it.
            (Some(page), _, 403) if Near::of(self.origin) != Near::Public => {
                with(check, self.make().let_in(page, self.place))
            }
            (_, _, 403) => check.fixed_by("Look at the provider whether this key may use this model."),
            (Some(_), false, _) => check.fixed_by("Give the server's key with its address."),
            (None, false, _) => check
                .fixed_by("Put the key into the environment, never among the arguments (PLOTBRIDGE_EMBED_KEY for another embedding server).")
                .copying("PLOTBRIDGE_KEY"),
            (_, true, _) => check.fixed_by("Copy the key anew from the provider: it may be cut, revoked, or another provider's."),
        }
    }

    /// Whether the failure is that there are no vectors to be had, and not that all is wrong.
    fn lacks_vectors(&self, kind: Kind, error: &Error) -> bool {
        let lists = |model: &Listed| model.id == self.model;
        let told = self.status == 501 || error.to_string().to_lowercase().contains("embed");
        self.part == Part::Embed
            && self.models.is_some_and(|models| match kind {
                Kind::Path | Kind::Unusable => true,
                Kind::Model => models.iter().any(lists),
                _ => told,
            })
    }

    fn embedding(&self, check: Check) -> Check {
        let words = ["embed", "bge", "minilm", "gte-", "e5-"];
        let of_vectors = |model: &&Listed| words.iter().any(|word| model.id.to_lowercase().contains(word));
        let other =
            self.models.unwrap_or_default().iter().filter(of_vectors).find(|model| model.id != self.model);
        // A server of llama.cpp that was not started for vectors gives none by any name.
        let other = other.filter(|_| self.status != 501 || self.make() != Make::LlamaCpp);
        match other {
            Some(other) => check
                .fixed_by(format!("The server lists a model for it: {}.", shown(&other.id)))
                .copying(shown(&other.id)),
            None => with(check, self.make().embed()),
        }
    }

    /// There is no such model: which there are, the nearest name first.
    fn unknown(&self) -> Check {
        let wanted = self.model.to_lowercase();
        let mut models: Vec<&str> =
            self.models.unwrap_or_default().iter().map(|model| model.id.as_str()).collect();
        let far = |name: &&str| {
            let name = name.to_lowercase();
            // A tag or an owner that was left out is no slip of the pen.
            if name.contains(&wanted) || wanted.contains(&name) {
                0
            } else {
                edit_distance(name.as_bytes(), wanted.as_bytes())
            }
        };
        models.sort_by_cached_key(far);
        let names: Vec<String> = models.iter().take(NAMED).map(|name| shown(name)).collect();
        let more =
            if models.len() > NAMED { format!(" and {} more", models.len() - NAMED) } else { String::new() };
        let has =
            if names.is_empty() { String::new() } else { format!(" It lists {}{more}.", names.join(", ")) };
        let message = format!("{} has no model {:?}.{has}", self.origin, self.model);
        let check = Check::ill("model", "model", message);
        match names.first() {
            Some(name) => {
                check.fixed_by(format!("Take a name of the list: the nearest is {name}.")).copying(name)
            }
            None => with(check, self.make().fetch(self.model)),
        }
    }
}

/// A check with advice.
pub(super) fn with(check: Check, (fix, copy): Advice) -> Check {
    let check = check.fixed_by(fix);
    match copy {
        Some(copy) => check.copying(copy),
        None => check,
    }
}

/// A server's name for a model: short, and without what a terminal obeys.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(120).collect()
}

/// An error's words as a sentence.
pub(super) fn sentence(error: &Error) -> String {
    let text = error.to_string();
    let end = if text.ends_with(['?', '.', '!']) { "" } else { "." };
    format!("{text}{end}")
}
