//! From bytes to the document text: which bytes are text at all, and in which encoding.
//!
//! The document text is the decoded file without its byte order mark and with CRLF and CR made LF;
//! nothing else is changed, so an offset into it can be shown to people. What is not text is named
//! (a PDF, a zip archive) rather than decoded into noise.
//!
//! Invariant: the result is at most [`MAX_BYTES`] long, holds no carriage return, and is not blank.

use crate::error::{Code, Error, Result};

/// The largest input that is read: 64 MiB, some sixty long novels.
pub const MAX_BYTES: usize = 64 << 20;

/// First bytes of files that people mistake for text, with what to call them.
const MAGIC: &[(&[u8], &str)] = &[
    (b"%PDF-", "a PDF file"),
    (b"PK\x03\x04", "a zip archive, such as EPUB or DOCX"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"{\\rtf", "a Rich Text file"),
    (b"\x7fELF", "a program"),
    (b"\0asm", "a WebAssembly module"),
    (b"ID3", "a sound file"),
];

/// The decoded text and the name of its encoding.
pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) encoding: &'static str,
}

/// Decodes a whole file.
///
/// # Errors
/// `too_large`, `unsupported_format`, `encoding` or `unreadable`, each with the byte or the limit.
pub(super) fn decode(bytes: &[u8], forced: Option<&str>) -> Result<Decoded> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::new(
            Code::TooLarge,
            format!("the input has {} bytes, but the limit is {MAX_BYTES}", bytes.len()),
        ));
    }
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(unsupported(what));
    }
    let encoding = match forced {
        Some(name) => named(name)?,
        None => recognised(bytes),
    };
    let raw = match encoding {
        "utf-16le" => utf16(bytes, u16::from_le_bytes)?,
        "utf-16be" => utf16(bytes, u16::from_be_bytes)?,
        "windows-1252" | "iso-8859-1" => western(bytes),
        _ => utf8(bytes)?,
    };
    let text = raw.strip_prefix('\u{feff}').unwrap_or(&raw);
    if text.trim().is_empty() {
        return Err(Error::new(Code::Unreadable, "the input holds no text"));
    }
    if let Some(message) = marked_up(text) {
        return Err(Error::new(Code::UnsupportedFormat, message));
    }
    Ok(Decoded { text: unix_lines(text), encoding })
}

/// What to do with a text that is written for a program: indexed as prose, its tags and keys would be taken
/// for words of the story.
fn marked_up(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let head: String = text.chars().take(200).flat_map(char::to_lowercase).collect();
    let begins = |start: &str| head.starts_with(start);
    let list = head.strip_prefix('[').map_or(head.as_str(), str::trim_start);
    let keyed =
        list.strip_prefix('{').and_then(after_key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    if ["<!doctype html", "<html", "<head", "<body"].iter().any(|start| begins(start)) {
        return Some(
            "the input looks like an HTML page, but plain text is read: save it as plain text first",
        );
    }
    if ["<?xml", "<!doctype", "<tei"].iter().any(|start| begins(start)) {
        return Some("the input looks like XML, but plain text is read: save it as plain text first");
    }
    if keyed && head.contains("\"plotbridge-index\"") {
        return Some("the input is an index already: open it instead of building it");
    }
    (keyed && text.ends_with(['}', ']'])).then_some("the input looks like JSON, but plain text is read")
}

/// What follows the first key, in quotes, of an object after its brace.
fn after_key(object: &str) -> Option<&str> {
    object.trim_start().strip_prefix('"')?.split_once('"').map(|(_, rest)| rest)
}

/// The encoding a byte order mark states; else UTF-8 where the bytes are that, or a Western single-byte
/// encoding where they read as text in one.
fn recognised(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xff, 0xfe, ..] => "utf-16le",
        [0xfe, 0xff, ..] => "utf-16be",
        _ if std::str::from_utf8(bytes).is_ok() || !is_western(bytes) => "utf-8",
        _ if bytes.iter().any(|byte| (0x80..0xa0).contains(byte)) => "windows-1252",
        _ => "iso-8859-1",
    }
}

/// Whether bytes that are no UTF-8 read as Western text: hardly a control character, and at most one
/// byte in four above ASCII, each of them beside a letter, a space or a sign rather than in long runs.
fn is_western(bytes: &[u8]) -> bool {
    let controls =
        bytes.iter().filter(|byte| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a));
    let high = bytes.iter().filter(|byte| **byte >= 0x80).count();
    let runs = bytes.windows(3).filter(|three| three.iter().all(|byte| *byte >= 0x80)).count();
    controls.count() * 1000 <= bytes.len() && high * 4 <= bytes.len() && runs * 20 <= high
}

/// What Windows-1252 has where ISO 8859-1 has control characters, from 0x80; 0 where it has nothing.
const WINDOWS: [u16; 32] = [
    0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
    0x017d, 0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a,
    0x0153, 0, 0x017e, 0x0178,
];

/// Windows-1252, of which ISO 8859-1 is the part without 0x80 to 0x9f. Any bytes are text in it.
fn western(bytes: &[u8]) -> String {
    let letter = |byte: &u8| match byte {
        0x80..=0x9f => match WINDOWS.get(usize::from(byte - 0x80)) {
            Some(&unit) if unit != 0 => {
                char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => char::from(*byte),
        },
        _ => char::from(*byte),
    };
    bytes.iter().map(letter).collect()
}

/// The encodings that are read.
const NAMES: [&str; 5] = ["utf-8", "utf-16le", "utf-16be", "windows-1252", "iso-8859-1"];

/// The encoding of this name, when it is one that is read.
fn named(name: &str) -> Result<&'static str> {
    match name.trim().to_ascii_lowercase().as_str() {
        "utf-8" | "utf8" | "ascii" | "us-ascii" => Ok("utf-8"),
        "utf-16le" => Ok("utf-16le"),
        "utf-16be" => Ok("utf-16be"),
        "windows-1252" | "cp1252" => Ok("windows-1252"),
        "iso-8859-1" | "latin-1" | "latin1" => Ok("iso-8859-1"),
        _ => Err(Error::new(
            Code::Encoding,
            format!("the encoding {name:?} is not read; these are: {}", NAMES.join(", ")),
        )),
    }
}

fn utf8(bytes: &[u8]) -> Result<String> {
    let head = bytes.get(..4096).unwrap_or(bytes);
    if head.iter().filter(|byte| **byte == 0).count() * 20 > head.len() {
        return Err(unsupported("binary data"));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => {
            let at = error.valid_up_to();
            let byte = bytes.get(at).copied().unwrap_or_default();
            Err(Error::new(
                Code::Encoding,
                format!(
                    "byte {byte:#04x} at offset {at} is not utf-8; save the file as utf-8, or name its encoding: {}",
                    NAMES.join(", ")
                ),
            ))
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String> {
    let pairs = bytes.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return Err(Error::new(
            Code::Encoding,
            format!("utf-16 takes an even number of bytes, but there are {}", bytes.len()),
        ));
    }
    let units =
        pairs.map(|pair| unit([pair.first().copied().unwrap_or(0), pair.last().copied().unwrap_or(0)]));
    let mut text = String::with_capacity(bytes.len() / 2);
    for (place, decoded) in char::decode_utf16(units).enumerate() {
        text.push(decoded.map_err(|error| {
            Error::new(
                Code::Encoding,
                format!(
                    "unit {:#06x} at character {place} is half of a utf-16 pair",
                    error.unpaired_surrogate()
                ),
            )
        })?);
    }
    Ok(text)
}

/// CRLF and CR made LF.
fn unix_lines(text: &str) -> String {
    if !text.contains('\r') {
        return text.to_owned();
    }
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn unsupported(what: &str) -> Error {
    Error::new(Code::UnsupportedFormat, format!("the input looks like {what}, but plain text is read"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn text_is_decoded() {
        let rows: &[(&str, &[u8], &str, &str)] = &[
            ("plain", b"Dawn.", "Dawn.", "utf-8"),
            ("byte order mark", b"\xef\xbb\xbfDawn.", "Dawn.", "utf-8"),
            ("windows lines", b"a\r\nb\r\n", "a\nb\n", "utf-8"),
            ("old mac lines", b"a\rb\r\rc", "a\nb\n\nc", "utf-8"),
            ("little-endian", b"\xff\xfeH\0i\0", "Hi", "utf-16le"),
            ("big-endian", b"\xfe\xff\0H\0i", "Hi", "utf-16be"),
            ("latin-1", b"caf\xe9 au lait, \xa33", "caf\u{e9} au lait, \u{a3}3", "iso-8859-1"),
            (
                "windows",
                b"\x93Caf\xe9\x94 \x97 he said to her\x85",
                "\u{201c}Caf\u{e9}\u{201d} \u{2014} he said to her\u{2026}",
                "windows-1252",
            ),
            ("astral pair", b"\xff\xfe\x3d\xd8\x00\xde", "\u{1f600}", "utf-16le"),
            (
                "a few NULs are kept",
                "a long enough line \0 of text".as_bytes(),
                "a long enough line \0 of text",
                "utf-8",
            ),
        ];
        for (name, bytes, text, encoding) in rows {
            let decoded = decode(bytes, None).unwrap();
            assert_eq!((decoded.text.as_str(), decoded.encoding), (*text, *encoding), "{name}");
        }
    }

    #[test]
    fn what_is_not_text_is_named() {
        let large = vec![b'a'; MAX_BYTES + 1];
        let rows: &[(&str, &[u8], Code, &str)] = &[
            ("empty", b"", Code::Unreadable, "no text"),
            ("blank", b" \r\n\t\xef\xbb\xbf", Code::Encoding, "never"),
            ("white", b" \r\n\t", Code::Unreadable, "no text"),
            ("pdf", b"%PDF-1.7 ...", Code::UnsupportedFormat, "PDF"),
            ("epub", b"PK\x03\x04mimetype", Code::UnsupportedFormat, "EPUB"),
            ("png", b"\x89PNG\r\n\x1a\n", Code::UnsupportedFormat, "PNG"),
            ("gzip", b"\x1f\x8b\x08", Code::UnsupportedFormat, "gzip"),
            ("zeros", &[0; 100], Code::UnsupportedFormat, "binary"),
            ("gb18030", b"\xb5\xda\xd2\xbb\xbb\xd8", Code::Encoding, "offset"),
            ("a page", b"\xef\xbb\xbf\n<!DOCTYPE html>\n<p>It rained.", Code::UnsupportedFormat, "HTML"),
            (
                "a page without a type",
                b"<HTML lang=en><p>It rained.",
                Code::UnsupportedFormat,
                "as plain text",
            ),
            ("tei", b"<?xml version=\"1.0\"?><TEI>", Code::UnsupportedFormat, "XML"),
            ("json", b"{\n  \"title\": \"Rain\"\n}\n", Code::UnsupportedFormat, "JSON"),
            ("a list", b"[ {\"title\" : \"Rain\"}]", Code::UnsupportedFormat, "JSON"),
            ("an index", b"{\"format\":\"plotbridge-index\",\"ver", Code::UnsupportedFormat, "open it"),
            ("odd utf-16", b"\xff\xfea", Code::Encoding, "even"),
            ("lone surrogate", b"\xff\xfe\x3d\xd8a\0", Code::Encoding, "0xd83d"),
            ("too large", &large, Code::TooLarge, "67108864"),
        ];
        for (name, bytes, code, part) in rows {
            if *name == "blank" {
                // A mark inside the text is a character, not white space.
                assert!(decode(bytes, None).is_ok());
                continue;
            }
            let error = decode(bytes, None).err().unwrap();
            assert_eq!(error.code(), *code, "{name}");
            assert!(error.to_string().contains(part), "{name}: {error}");
        }
    }

    #[test]
    fn signs_alone_are_no_format() {
        for text in [
            "<She waited.> It rained.",
            "[Transcriber's note: it rained.]",
            "{\"Rain!\" he said.}",
            "[\"Rain!\" he said]",
        ] {
            assert!(decode(text.as_bytes(), None).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_forced_encoding_wins() {
        assert_eq!(decode(b"H\0i\0", Some("UTF-16LE")).unwrap().text, "Hi");
        assert_eq!(decode(b"caf\xc3\xa9", Some("latin1")).unwrap().text, "caf\u{c3}\u{a9}");
        let strict = decode(b"caf\xe9 au lait", Some("utf-8")).err().unwrap();
        assert!(strict.to_string().contains("0xe9 at offset 3"), "{strict}");
        assert_eq!(decode(b"Hi", Some("ebcdic")).err().unwrap().code(), Code::Encoding);
    }
}
