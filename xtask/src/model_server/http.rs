//! HTTP/1.1 as far as a test server needs it: one request read, one response head written.
//!
//! Written by hand because the faults need every byte: a body that stops in its middle, pieces cut
//! inside a letter, a length that is a lie. The invariant: a request is either whole or refused.

use std::io::{BufRead, Error, ErrorKind, Read, Result, Write};

/// The longest head and the longest body that are read.
const HEAD_LIMIT: u64 = 64 * 1024;
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// A request with its whole body.
#[derive(Debug, Default)]
pub struct Request {
    pub method: String,
    /// Without the query.
    pub path: String,
    /// What follows `?`, or nothing.
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether the client may send another request on this connection.
    pub fn keeps_open(&self) -> bool {
        !self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

/// Reads one request; `None` when the client has closed instead of sending one.
///
/// # Errors
/// `InvalidData` for what is not a request that this server reads; else what the socket says.
pub fn read(input: &mut impl BufRead, output: &mut impl Write) -> Result<Option<Request>> {
    let mut head = Vec::new();
    let mut lines = input.by_ref().take(HEAD_LIMIT);
    loop {
        let before = head.len();
        if lines.read_until(b'\n', &mut head)? == 0 {
            return if head.is_empty() { Ok(None) } else { Err(bad("the head ends early or is too long")) };
        }
        if before > 0 && matches!(&head[before..], b"\r\n" | b"\n") {
            break;
        }
    }
    let mut request = parse(&String::from_utf8_lossy(&head))?;
    if request.header("transfer-encoding").is_some() {
        return Err(bad("a body needs a content-length here"));
    }
    let length = request.header("content-length").map_or(Ok(0), str::parse::<usize>);
    let length = length.map_err(|_| bad("content-length is no number"))?;
    if length > BODY_LIMIT {
        return Err(bad("the body is too long"));
    }
    if request.header("expect").is_some() {
        output.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    request.body.resize(length, 0);
    input.read_exact(&mut request.body)?;
    Ok(Some(request))
}

fn parse(head: &str) -> Result<Request> {
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some("HTTP/1.1"), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(bad("the first line is not `METHOD TARGET HTTP/1.1`"));
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers = lines.filter_map(|line| line.split_once(':'));
    Ok(Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: headers.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned())).collect(),
        body: Vec::new(),
    })
}

fn bad(reason: &str) -> Error {
    Error::new(ErrorKind::InvalidData, reason)
}

/// The status line and the headers, up to the empty line.
pub fn head(status: u16, headers: &[(&str, String)]) -> String {
    let mut head = format!("HTTP/1.1 {status} {}\r\n", phrase(status));
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head + "\r\n"
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        405 => "Method Not Allowed",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Scripted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &str) -> Result<Option<Request>> {
        read(&mut text.as_bytes(), &mut Vec::new())
    }

    #[test]
    fn a_request_is_read_whole() {
        let request =
            reads("POST /a?b=1 HTTP/1.1\r\nContent-Length: 3\r\nX: y \r\n\r\nabc").unwrap().unwrap();
        assert_eq!((request.path.as_str(), request.query.as_str()), ("/a", "b=1"));
        assert_eq!((request.header("x"), request.body.as_slice()), (Some("y"), b"abc".as_slice()));
    }

    #[test]
    fn what_is_none_is_refused() {
        assert!(reads("").unwrap().is_none());
        for text in [
            "nonsense\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b",
            "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ] {
            assert!(reads(text).is_err(), "{text:?}");
        }
        assert!(reads(&format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "a".repeat(70_000))).is_err());
    }

    #[test]
    fn a_client_that_asks_first_is_told_to_go_on() {
        let mut told = Vec::new();
        let text = "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na";
        assert_eq!(read(&mut text.as_bytes(), &mut told).unwrap().unwrap().body, b"a");
        assert!(told.starts_with(b"HTTP/1.1 100 "));
    }
}
