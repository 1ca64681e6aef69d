//! Errors with stable codes.
//!
//! An [`Error`] is the failure of a whole call. A part that failed while the rest went on is an
//! [`Issue`](crate::knowledge::Issue) in the result instead. The codes are one table, [`Code::ALL`],
//! which the TypeScript declarations and the README repeat and a test compares.

use std::fmt;

/// What went wrong, as a caller would want to tell failures apart.
///
/// `code` strings, exit statuses and `retryable` flags are a promise to the users of the package
/// and the command line; variants may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Code {
    /// The call's arguments are off: a missing argument, a value out of its range.
    Usage,
    /// An option that does not exist; the message names the nearest one that does.
    UnknownOption,
    /// The question is empty or too long.
    QuestionInvalid,
    /// The input could not be read or holds no text.
    Unreadable,
    /// The input is of a kind this version does not read.
    UnsupportedFormat,
    /// The bytes are not text in the encoding they were said to have.
    Encoding,
    /// The input is over a stated limit.
    TooLarge,
    /// The index file is of another version of the format.
    IndexVersion,
    /// The index file is truncated, altered or not an index.
    IndexDamaged,
    /// A vector has the wrong width, is not finite, or the count does not fit.
    VectorInvalid,
    /// No answer came from the server an index or a reply was asked of.
    EndpointUnreachable,
    /// The server wants another key, or none was given.
    EndpointAuth,
    /// The server takes no more requests for now.
    EndpointRateLimited,
    /// The server refused the request: an unknown model, a field it does not take.
    EndpointRefused,
    /// The server's reply cannot be used: not what was asked for, empty, broken off.
    EndpointReply,
    /// The server did not answer in time.
    EndpointTimeout,
    /// The caller cancelled.
    Aborted,
    /// A fault of ours: something that should hold did not.
    Crashed,
    /// The next request to a model would cost more than may be spent.
    Budget,
    /// What should be kept could not be written or read.
    Storage,
}

impl Code {
    /// Every code, in the order of the README's table.
    pub const ALL: [Code; 20] = [
        Code::Usage,
        Code::UnknownOption,
        Code::QuestionInvalid,
        Code::Unreadable,
        Code::UnsupportedFormat,
        Code::Encoding,
        Code::TooLarge,
        Code::IndexVersion,
        Code::IndexDamaged,
        Code::VectorInvalid,
        Code::EndpointUnreachable,
        Code::EndpointAuth,
        Code::EndpointRateLimited,
        Code::EndpointRefused,
        Code::EndpointReply,
        Code::EndpointTimeout,
        Code::Aborted,
        Code::Crashed,
        Code::Budget,
        Code::Storage,
    ];

    /// The stable string, as JavaScript's `error.code` and the command line print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::Usage => "usage",
            Code::UnknownOption => "unknown_option",
            Code::QuestionInvalid => "question_invalid",
            Code::Unreadable => "unreadable",
            Code::UnsupportedFormat => "unsupported_format",
            Code::Encoding => "encoding",
            Code::TooLarge => "too_large",
            Code::IndexVersion => "index_version",
            Code::IndexDamaged => "index_damaged",
            Code::VectorInvalid => "vector_invalid",
            Code::EndpointUnreachable => "endpoint_unreachable",
            Code::EndpointAuth => "endpoint_auth",
            Code::EndpointRateLimited => "endpoint_rate_limited",
            Code::EndpointRefused => "endpoint_refused",
            Code::EndpointReply => "endpoint_reply",
            Code::EndpointTimeout => "endpoint_timeout",
            Code::Aborted => "aborted",
            Code::Crashed => "crashed",
            Code::Budget => "budget",
            Code::Storage => "storage",
        }
    }

    /// Whether it tells of a model's endpoint or of what came from one.
    pub fn of_endpoint(self) -> bool {
        self.as_str().starts_with("endpoint_") || self == Code::VectorInvalid
    }

    /// The command line's exit status for this code.
    pub fn exit_status(self) -> u8 {
        match self {
            Code::Usage | Code::UnknownOption | Code::QuestionInvalid => 2,
            Code::Unreadable
            | Code::UnsupportedFormat
            | Code::Encoding
            | Code::TooLarge
            | Code::IndexVersion
            | Code::IndexDamaged
            | Code::VectorInvalid => 3,
            Code::EndpointUnreachable
            | Code::EndpointAuth
            | Code::EndpointRateLimited
            | Code::EndpointRefused
            | Code::EndpointReply
            | Code::EndpointTimeout => 4,
            Code::Budget => 5,
            Code::Aborted => 130,
            Code::Crashed | Code::Storage => 1,
        }
    }

    /// Whether the same call may succeed when made again.
    pub fn retryable(self) -> bool {
        matches!(
            self,
            Code::EndpointUnreachable
                | Code::EndpointRateLimited
                | Code::EndpointReply
                | Code::EndpointTimeout
                | Code::Aborted
                | Code::Crashed
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A failed call: a [`Code`] and one sentence that names the value and the limit it broke.
///
/// ```
/// use plotbridge::{Code, Error};
/// let error = Error::new(Code::Usage, "chunk_tokens is 7, but must be 32 to 512");
/// assert_eq!(error.code(), Code::Usage);
/// assert_eq!(error.to_string(), "chunk_tokens is 7, but must be 32 to 512");
/// ```
#[derive(Debug)]
pub struct Error {
    code: Code,
    message: String,
    source: Option<Box<dyn std::error::Error + 'static>>,
}

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with this code; `message` is lower case, one sentence, without a full stop.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), source: None }
    }

    /// The same error with the lower-level failure that caused it.
    #[must_use]
    pub fn caused_by(mut self, source: impl std::error::Error + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// What kind of failure this is.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The caller cancelled.
    pub(crate) fn aborted() -> Self {
        Self::new(Code::Aborted, "the call was cancelled")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref()
    }
}
