//! One look at a server as a port, and the same as the transport of an endpoint.
//!
//! A look never fails for what the server does: a refusal is an answer, and where nothing came it says as
//! much of the reason as the surroundings know. A page knows none, so it may look once more without asking
//! to read the answer.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::place::Leave;
use crate::error::{Code, Error, Result};
use crate::llm::Later;
use crate::llm::http::{Body, Post, Response, Transport};

/// How to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A GET whose answer is read.
    Get,
    /// A POST of JSON whose answer is read.
    Post,
    /// A GET whose answer nobody may read: whether there is one at all.
    Blind,
}

/// What to look at.
#[derive(Clone, PartialEq, Eq)]
pub struct Look {
    /// How.
    pub way: Way,
    /// An absolute address.
    pub url: String,
    /// Names in lower case with their values.
    pub headers: Vec<(String, String)>,
    /// JSON; empty but for a POST.
    pub body: String,
}

/// What came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// An answer, whole.
    Answer {
        /// The HTTP status.
        status: u16,
        /// Names in lower case with their values.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// An answer that may not be read.
    Something,
    /// Nothing.
    Nothing(Silence),
}

/// That nothing came, and what is known of why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Silence {
    /// The system's word for it, such as `ECONNREFUSED`; `policy` where the page's own policy forbade it,
    /// `redirect` where the answer sends the request on; empty where none is given.
    pub why: String,
    /// Whether the page may reach this network, as the browser says afterwards.
    pub leave: Leave,
}

impl Silence {
    /// Whether the reason is known beyond doubt: the page's own policy, or an answer that sends the request on.
    pub fn is_told(&self) -> bool {
        ["policy", REDIRECT].contains(&self.why.as_str())
    }
}

/// The word for an answer that sends the request on to another address.
pub const REDIRECT: &str = "redirect";

/// Looks at servers.
pub trait Scout {
    /// Looks once.
    ///
    /// # Errors
    /// `aborted` when the caller cancels.
    fn look(&self, look: Look) -> Later<'_, Result<Seen>>;
}

/// A scout as a transport, which remembers how the last request ended.
pub(super) struct Noting {
    pub(super) scout: Rc<dyn Scout>,
    silence: RefCell<Option<Silence>>,
    status: Cell<u16>,
}

impl Noting {
    pub(super) fn new(scout: Rc<dyn Scout>) -> Self {
        Self { scout, silence: RefCell::default(), status: Cell::new(0) }
    }

    /// That nothing came of the last request.
    pub(super) fn silence(&self) -> Option<Silence> {
        self.silence.borrow().clone()
    }

    /// The status of the last answer.
    pub(super) fn status(&self) -> u16 {
        self.status.get()
    }
}

impl Transport for Noting {
    fn post<'a>(&'a self, request: Post) -> Later<'a, Result<Response>> {
        Box::pin(async move {
            let Post { url, headers, body } = request;
            let seen = self.scout.look(Look { way: Way::Post, url, headers, body }).await?;
            let silence = match seen {
                Seen::Answer { status, headers, body } => {
                    self.silence.replace(None);
                    self.status.set(status);
                    return Ok(Response { status, headers, body: Box::new(Whole(Some(body))) });
                }
                Seen::Something => Silence::default(),
                Seen::Nothing(silence) => silence,
            };
            self.silence.replace(Some(silence));
            Err(Error::new(Code::EndpointUnreachable, "nothing came"))
        })
    }
}

/// A body that came whole.
struct Whole(Option<Vec<u8>>);

impl Body for Whole {
    fn next(&mut self) -> Later<'_, Result<Option<Vec<u8>>>> {
        Box::pin(std::future::ready(Ok(self.0.take())))
    }
}
