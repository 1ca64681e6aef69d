//! HTTP as a port: what a client of a server needs of the surroundings.
//!
//! One way out: a POST of JSON. The window, a worker and Node implement it by `fetch`; tests by a table.

use std::fmt;

use crate::error::Result;

use super::Later;

/// A request with a JSON body; printed without its address, the values of its headers and its body.
#[derive(Clone, PartialEq, Eq)]
pub struct Post {
    /// An absolute address.
    pub url: String,
    /// Names in lower case with their values; `content-type` is the transport's.
    pub headers: Vec<(String, String)>,
    /// JSON.
    pub body: String,
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Post").field("headers", &names).finish_non_exhaustive()
    }
}

/// A response whose body has not been read yet.
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Names in lower case with their values; in a page only those the server exposes.
    pub headers: Vec<(String, String)>,
    /// The body, piece by piece.
    pub body: Box<dyn Body>,
}

/// A body that arrives piece by piece, cut anywhere.
pub trait Body {
    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// `endpoint_unreachable` where the connection breaks, `aborted` when the caller cancels.
    fn next(&mut self) -> Later<'_, Result<Option<Vec<u8>>>>;
}

/// Sends requests.
pub trait Transport {
    /// Sends one request. A status that is no success is a response, not an error.
    ///
    /// # Errors
    /// `endpoint_unreachable` where no response came (the message names the origin and the likely
    /// reasons, never the key), `aborted` when the caller cancels.
    fn post<'a>(&'a self, request: Post) -> Later<'a, Result<Response>>;
}
