//! Sending an answer: on time or late, whole or broken, in as many pieces as the script wants.
//!
//! Silence is a read that waits for the client to leave, so that a connection which nobody waits on
//! any more ends at once, and nothing is polled. The invariant: after a broken answer the connection
//! is closed, for the next one could not be told from its rest.

use std::io::{ErrorKind, Read, Result, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::answer::Answer;
use super::fault::Kind;
use super::http::head;
use super::log::Flight;
use super::script::Fired;

/// Between the last bytes of a reply and the break of its connection: a browser forgets what came together
/// with the break, as connections between real machines hardly ever break.
const MOMENT: Duration = Duration::from_millis(100);

/// Sends an answer; true when the connection may be used again.
///
/// The flight ends before the last bytes leave: a client that asks again when it has them is never
/// counted twice.
pub fn send(stream: &TcpStream, answer: &Answer, fired: &Fired, flight: Option<Flight<'_>>) -> Result<bool> {
    let hang = fired.number(Kind::Hang).map(|seconds| Duration::from_secs(seconds as u64));
    let slow = fired.number(Kind::Slow).filter(|ms| *ms > 0).map(|ms| Duration::from_millis(ms as u64));
    for time in [hang, slow].into_iter().flatten() {
        if !silent(stream, time)? {
            return Ok(false);
        }
    }
    let (writes, whole) = writes(answer, fired);
    let stalls = !whole && fired.has(Kind::Stall);
    let (first, last) = writes.split_at(writes.len().saturating_sub(usize::from(!stalls)));
    write(stream, first)?;
    if stalls {
        silent(stream, Duration::ZERO)?;
    }
    drop(flight);
    write(stream, last)?;
    if !whole && fired.has(Kind::Cut) {
        silent(stream, MOMENT)?;
    }
    Ok(whole)
}

fn write(mut stream: &TcpStream, parts: &[Vec<u8>]) -> Result<()> {
    parts.iter().try_for_each(|part| stream.write_all(part))
}

/// What is written one after the other, and whether it is a response to its end.
fn writes(answer: &Answer, fired: &Fired) -> (Vec<Vec<u8>>, bool) {
    let chunked = answer.streamed || fired.has(Kind::Split) || fired.has(Kind::EndEarly);
    let limits = [Kind::Cut, Kind::EndEarly, Kind::Stall].map(|kind| fired.number(kind));
    let limit = limits.into_iter().flatten().min().unwrap_or(usize::MAX);
    let size = answer.pieces.iter().map(Vec::len).sum::<usize>();
    let whole = size <= limit || fired.has(Kind::EndEarly);
    let mut writes = vec![framed_head(answer, chunked).into_bytes()];
    for piece in in_pieces(up_to(limit, &answer.pieces), fired.number(Kind::Split)) {
        writes.push(if chunked { chunk(&piece) } else { piece });
    }
    if chunked && whole {
        writes.push(chunk(&[]));
    }
    (writes, whole)
}

/// Says nothing for so long, for ever with zero; false when the client has left meanwhile.
fn silent(mut stream: &TcpStream, time: Duration) -> Result<bool> {
    stream.set_read_timeout((!time.is_zero()).then_some(time))?;
    let heard = stream.read(&mut [0]);
    stream.set_read_timeout(None)?;
    match heard {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(true),
        _ => Ok(false),
    }
}

fn framed_head(answer: &Answer, chunked: bool) -> String {
    let mut headers: Vec<(&str, String)> = answer.headers.clone();
    if chunked {
        headers.push(("Transfer-Encoding", "chunked".to_owned()));
    } else if answer.status != 204 {
        let length: usize = answer.pieces.iter().map(Vec::len).sum();
        headers.push(("Content-Length", length.to_string()));
    }
    head(answer.status, &headers)
}

/// The first bytes of a body; no piece is empty.
fn up_to(limit: usize, pieces: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut left = limit;
    let parts = pieces.iter().map(|piece| {
        let part = &piece[..piece.len().min(left)];
        left -= part.len();
        part.to_vec()
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// The body in pieces of this size, or as it is.
fn in_pieces(pieces: Vec<Vec<u8>>, size: Option<usize>) -> Vec<Vec<u8>> {
    match size {
        Some(size) => pieces.concat().chunks(size.max(1)).map(<[u8]>::to_vec).collect(),
        None => pieces,
    }
}

/// A piece as chunked bodies hold it; the empty one is the end.
fn chunk(piece: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()
}
