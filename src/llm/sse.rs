//! Reads an event stream (`text/event-stream`) from bytes that arrive cut anywhere.
//!
//! The rules are those of the [HTML standard][rules]: UTF-8 with an optional byte order mark; lines end
//! with LF, CR or both; a line is `field: value`, or a comment when it begins with a colon; an empty line
//! sends the event; what no empty line follows is dropped.
//!
//! Invariant: the events are the same however the bytes are cut, also inside a character or between CR
//! and LF. It holds because lines are cut in bytes, where neither CR nor LF is ever part of another
//! character, and decoded whole; a CR ends its line at once, and an LF right behind it is skipped.
//!
//! [rules]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

use crate::error::{Code, Error, Result};

/// The longest line or event, in bytes: a stream without an end must not fill the memory.
pub const EVENT_LIMIT: usize = 8 << 20;

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What the stream calls it; `message` where it does not.
    pub name: String,
    /// Its data; several lines are joined by LF.
    pub data: String,
}

/// A stream in the middle of being read.
#[derive(Debug, Default)]
pub struct Parser {
    /// The bytes of the line that has not ended.
    line: Vec<u8>,
    /// Whether the last byte was a CR, which an LF may belong to.
    after_cr: bool,
    /// Whether the first line has been seen, which a mark may precede.
    begun: bool,
    name: String,
    data: String,
    /// Whether a data line came: an event without one is not sent.
    has_data: bool,
}

impl Parser {
    /// Takes the next bytes and gives the events that they complete.
    ///
    /// # Errors
    /// `endpoint_reply` for a line or an event of more than [`EVENT_LIMIT`] bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        let Some((first, behind)) = bytes.split_first() else { return Ok(events) };
        let belongs = std::mem::take(&mut self.after_cr) && *first == b'\n';
        let mut rest = if belongs { behind } else { bytes };
        while let Some(place) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, ended) = rest.split_at(place);
            self.line.extend_from_slice(line);
            events.extend(self.end_line()?);
            rest = match ended {
                [b'\r', b'\n', behind @ ..] => behind,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, behind @ ..] => behind,
                [] => &[],
            };
        }
        self.line.extend_from_slice(rest);
        self.within_limit(self.line.len())?;
        Ok(events)
    }

    fn end_line(&mut self) -> Result<Option<Event>> {
        let line = std::mem::take(&mut self.line);
        let bytes = if self.begun { &line } else { line.strip_prefix(MARK).unwrap_or(&line) };
        self.begun = true;
        if bytes.is_empty() {
            return Ok(self.send());
        }
        let text = String::from_utf8_lossy(bytes);
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.has_data = true;
                self.data.push_str(value);
                self.within_limit(self.data.len())?;
            }
            "event" => value.clone_into(&mut self.name),
            // A comment has no field name; ids and reconnection times are for streams that are resumed.
            _ => {}
        }
        Ok(None)
    }

    fn send(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        let data = std::mem::take(&mut self.data);
        let name = if name.is_empty() { "message".to_owned() } else { name };
        std::mem::take(&mut self.has_data).then_some(Event { name, data })
    }

    fn within_limit(&self, bytes: usize) -> Result<()> {
        if bytes <= EVENT_LIMIT {
            return Ok(());
        }
        let message = format!("the server's stream has an event of over {} MB", EVENT_LIMIT >> 20);
        Err(Error::new(Code::EndpointReply, message))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_stream_without_an_end_is_an_error() {
        let mut parser = Parser::default();
        let piece = vec![b'x'; EVENT_LIMIT];
        parser.push(&piece).unwrap();
        assert_eq!(parser.push(b"x").unwrap_err().code(), Code::EndpointReply);
    }

    #[test]
    fn an_empty_piece_changes_nothing() {
        let mut parser = Parser::default();
        assert_eq!(parser.push(b"data: a\r").unwrap(), []);
        assert_eq!(parser.push(b"").unwrap(), []);
        assert_eq!(parser.push(b"\n\r\n").unwrap().len(), 1);
    }
}
