//! A file cut into its top-level values, each read when its turn comes and then let go of.
//!
//! An index is opened where memory is dear: WebAssembly's never shrinks, so the most that is held at
//! once stays. The values are therefore taken from the back of the file, and a file that is ours to give
//! away is shortened behind each.
//!
//! Invariant: nothing is parsed before the whole file is known to be one JSON object of known keys.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::error::{Code, Error, Result};

use super::{FORMAT, VERSION, damaged};

/// What every file has beside `format` and `version`.
const KEYS: [&str; 13] = [
    "book", "config", "chapters", "skips", "chunks", "entities", "mentions", "triples", "events", "clusters",
    "spaces", "issues", "text",
];

/// What a file has only where it is needed.
const OPTIONAL: [&str; 6] = ["wishes", "types", "relations", "merges", "fragments", "functional"];

/// A mark that some editors put before UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The file and where each value lies in it.
pub(super) struct Parts<'a> {
    file: Cow<'a, [u8]>,
    places: BTreeMap<&'static str, Range<usize>>,
}

impl<'a> Parts<'a> {
    /// Cuts a file, and refuses what is no index of this version.
    pub(super) fn cut(file: Cow<'a, [u8]>) -> Result<Self> {
        let begins = if file.starts_with(MARK) { MARK.len() } else { 0 };
        let json = file.get(begins..).unwrap_or_default();
        if json.first() == Some(&b'<') {
            return Err(Error::new(Code::IndexDamaged, "the file is an HTML or XML page, not an index"));
        }
        let values: Values<'_> = serde_json::from_slice(json).map_err(|error| {
            Error::new(
                Code::IndexDamaged,
                format!("the index is not whole JSON: {}", brief(&error.to_string())),
            )
        })?;
        check_version(&values.0)?;
        let mut places = BTreeMap::new();
        let optional = OPTIONAL.into_iter().filter(|key| values.0.contains_key(*key));
        for key in KEYS.into_iter().chain(optional) {
            let value = values.0.get(key).ok_or_else(|| damaged(key, "it is missing"))?.get();
            let start = value.as_ptr() as usize - file.as_ptr() as usize;
            places.insert(key, start..start + value.len());
        }
        let known = |key: &str| {
            KEYS.contains(&key) || OPTIONAL.contains(&key) || ["format", "version"].contains(&key)
        };
        if let Some(key) = values.0.keys().find(|key| !known(key)) {
            return Err(damaged(&format!("{:?}", clipped(key)), "there is no such key"));
        }
        Ok(Self { file, places })
    }

    /// One value, parsed.
    pub(super) fn take<T: DeserializeOwned>(&mut self, key: &'static str) -> Result<T> {
        self.take_with(key, |json| parsed(key, json))
    }

    /// One value that a file may do without, parsed.
    pub(super) fn take_some<T: DeserializeOwned + Default>(&mut self, key: &'static str) -> Result<T> {
        self.take_some_with(key, |json| parsed(key, json))
    }

    /// What is made of a value that a file may do without.
    pub(super) fn take_some_with<T: Default>(
        &mut self,
        key: &'static str,
        make: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<T> {
        if self.places.contains_key(key) { self.take_with(key, make) } else { Ok(T::default()) }
    }

    /// What is made of one value, whose text is gone afterwards.
    pub(super) fn take_with<T>(
        &mut self,
        key: &'static str,
        make: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<T> {
        let place = self.places.remove(key).ok_or_else(|| damaged(key, "it is missing"))?;
        let made = make(self.file.get(place).unwrap_or_default());
        if let Cow::Owned(bytes) = &mut self.file {
            bytes.truncate(self.places.values().map(|place| place.end).max().unwrap_or(0));
            bytes.shrink_to_fit();
        }
        made
    }
}

/// How much of a long string is read at once.
const PIECE: usize = 1 << 12;

/// A string of the file that may be as long as a book, in no more memory than the file gives it: it is
/// read in pieces, since a parser's own buffer grows by doubling. Pieces end at spaces, which no escape
/// holds.
pub(super) fn string(key: &str, json: &[u8]) -> Result<String> {
    let Some(mut rest) = json.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return parsed(key, json);
    };
    let mut text = String::with_capacity(rest.len());
    let mut quoted = Vec::new();
    while !rest.is_empty() {
        let space = rest.iter().skip(PIECE).position(|&byte| byte == b' ');
        let (piece, after) = rest.split_at(space.map_or(rest.len(), |space| PIECE + space));
        quoted.clear();
        for part in [b"\"", piece, b"\""] {
            quoted.extend_from_slice(part);
        }
        match serde_json::from_slice::<Cow<'_, str>>(&quoted) {
            Ok(piece) => text.push_str(&piece),
            // Once more as a whole, for the place of the fault.
            Err(_) => return parsed(key, json),
        }
        rest = after;
    }
    text.shrink_to_fit();
    Ok(text)
}

/// A value of the file as one of the shapes.
pub(super) fn parsed<'a, T: Deserialize<'a>>(key: &str, json: &'a [u8]) -> Result<T> {
    serde_json::from_slice(json).map_err(|error| damaged(key, &brief(&error.to_string())))
}

/// A parser's message, which may quote the file at any length: its start, and its end with the place.
fn brief(message: &str) -> String {
    let count = message.chars().count();
    if count <= 240 {
        return message.to_owned();
    }
    let end: String = message.chars().skip(count - 120).collect();
    format!("{}…{end}", clipped(message))
}

/// The start of a text of the file that a message quotes.
pub(super) fn clipped(text: &str) -> String {
    text.chars().take(80).collect()
}

/// The values of an object by key, each key once.
struct Values<'a>(BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'de> Deserialize<'de> for Values<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Object;
        impl<'de> serde::de::Visitor<'de> for Object {
            type Value = Values<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: serde::de::MapAccess<'de>>(
                self,
                mut map: M,
            ) -> std::result::Result<Values<'de>, M::Error> {
                let mut values = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    if let Some(twice) = values.insert(key.0, value).and(Some("a key stands twice")) {
                        return Err(serde::de::Error::custom(twice));
                    }
                }
                Ok(Values(values))
            }
        }
        from.deserialize_map(Object)
    }
}

/// A key, borrowed where it holds no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

fn check_version(values: &BTreeMap<Cow<'_, str>, &RawValue>) -> Result<()> {
    let value = |key: &str| values.get(key).map_or("null", |value| value.get());
    if serde_json::from_str::<String>(value("format")).ok().as_deref() != Some(FORMAT) {
        return Err(Error::new(Code::IndexDamaged, format!("the file is not a {FORMAT} file")));
    }
    match serde_json::from_str::<u64>(value("version")) {
        Ok(version) if version == u64::from(VERSION) => Ok(()),
        Ok(version) => Err(Error::new(
            Code::IndexVersion,
            format!(
                "the index has version {version}, but this program reads version {VERSION}: index the book again"
            ),
        )),
        Err(_) if value("version") == "null" => Err(damaged("version", "it is missing")),
        Err(error) => Err(damaged("version", &brief(&error.to_string()))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_long_string_is_read_in_pieces_as_it_is_whole() {
        let pieces = ["", "a ", "\n\"\\ ", "\u{e9}\u{1f600}", "\\ud83d\\ude00 ", "no_space"];
        for (piece, count) in pieces.iter().flat_map(|piece| [1, 700, 4096, 20_000].map(|n| (piece, n))) {
            let json = serde_json::to_string(&piece.repeat(count)).unwrap().replace("\\\\u", "\\u");
            let whole: String = serde_json::from_str(&json).unwrap();
            assert!(string("text", json.as_bytes()).unwrap() == whole, "{piece:?} {count}");
        }
    }

    #[test]
    fn a_fault_in_a_long_string_is_told_with_its_place() {
        for fault in ["\\ud83d ", "\\ud83d \\ude00", "\\x"] {
            let json = format!("\"{}{fault}{}\"", "word ".repeat(3000), "word ".repeat(3000));
            let message = string("text", json.as_bytes()).unwrap_err().to_string();
            assert!(message.starts_with("the index is damaged at text: "), "{message}");
            let column: usize = message.rsplit(' ').next().unwrap().parse().unwrap();
            assert!((15_000..15_020).contains(&column), "{message}");
        }
        assert!(string("text", b"[1]").unwrap_err().to_string().contains("a string"));
    }
}
