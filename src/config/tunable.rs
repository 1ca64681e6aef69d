//! How tunables are declared: one line each gives the field, its default, its range and its documentation.
//!
//! `choice!` declares what has names for values, `config!` a set of tunables. All that reads them by name
//! (`--set`, the settings of a trace, the list that the command line prints) follows from the declaration.
//!
//! Invariant: a value that was set lies within its range, or [`check`](super::QueryConfig::check) says so.

use crate::algo::edit::edit_distance;
use crate::error::{Code, Error};

/// How one tunable is documented.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name, as `--set` takes it.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// What it takes: a range or names.
    pub takes: fn() -> String,
    /// Its value where nobody sets it.
    pub default: fn() -> String,
}

/// What a tunable is set to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// One of some names.
    Name(&'static str),
}

/// A value that `--set` can give a tunable.
pub(super) trait Tunable: Sized {
    fn parse(text: &str) -> Option<Self>;
    fn within(&self, low: f64, high: f64) -> bool;
    fn value(&self) -> Value;
    fn shown(&self) -> String;
    /// What it takes, for messages.
    fn takes(range: &str) -> String;
}

macro_rules! number {
    ($($kind:ty, $noun:literal);*) => {$(
        impl Tunable for $kind {
            fn parse(text: &str) -> Option<Self> { text.trim().parse().ok() }
            fn within(&self, low: f64, high: f64) -> bool {
                let value = *self as f64;
                low <= value && value <= high
            }
            fn value(&self) -> Value { Value::Number(*self as f64) }
            fn shown(&self) -> String { self.to_string() }
            fn takes(range: &str) -> String { format!("{} from {range}", $noun) }
        }
    )*};
}
number!(usize, "a whole number"; f64, "a number");

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$vdoc])* $variant),* }
        impl $name {
            /// Every value, by name.
            pub const NAMES: &'static [&'static str] = &[$($text),*];
            /// Its name in `--set` and in traces.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }
        impl Tunable for $name {
            fn parse(text: &str) -> Option<Self> {
                match text.trim() { $($text => Some(Self::$variant),)* _ => None }
            }
            fn within(&self, _low: f64, _high: f64) -> bool { true }
            fn value(&self) -> Value { Value::Name(self.as_str()) }
            fn shown(&self) -> String { self.as_str().to_owned() }
            fn takes(_range: &str) -> String { Self::NAMES.join(" or ") }
        }
    };
}

macro_rules! config {
    (
        $(#[$sdoc:meta])* $name:ident {
            $($(#[doc = $doc:literal])+ $field:ident : $kind:ty = $default:expr, $low:literal ..= $high:literal;)*
        }
    ) => {
        $(#[$sdoc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name { $($(#[doc = $doc])+ pub $field: $kind),* }

        impl Default for $name {
            fn default() -> Self { Self { $($field: $default),* } }
        }

        impl $name {
            /// Every tunable with its documentation, in reading order.
            pub const KEYS: &'static [Key] = &[$(Key {
                name: stringify!($field),
                doc: concat!($($doc, "\n"),+),
                takes: || <$kind as Tunable>::takes(concat!(stringify!($low), " to ", stringify!($high))),
                default: || <$kind as Tunable>::shown(&$default),
            }),*];

            /// What each is set to, in reading order.
            pub fn values(&self) -> Vec<(&'static str, Value)> {
                vec![$((stringify!($field), self.$field.value())),*]
            }

            /// Checks what a caller may have set past [`set`](Self::set).
            ///
            /// # Errors
            /// `usage` for the first value out of its range.
            pub fn check(&self) -> Result<()> {
                $(if !self.$field.within($low as f64, $high as f64) {
                    return Err(out_of_range(stringify!($field), &self.$field.shown(), <$kind as Tunable>::takes(concat!(stringify!($low), " to ", stringify!($high)))));
                })*
                Ok(())
            }

            /// Sets one tunable from text.
            ///
            /// # Errors
            /// `unknown_option` for a name that is none, `usage` for a value that does not parse or
            /// is out of range.
            pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
                match key {
                    $(stringify!($field) => match <$kind as Tunable>::parse(value) {
                        Some(parsed) if parsed.within($low as f64, $high as f64) => {
                            self.$field = parsed;
                            Ok(())
                        }
                        _ => Err(out_of_range(key, value, <$kind as Tunable>::takes(concat!(stringify!($low), " to ", stringify!($high))))),
                    },)*
                    _ => Err(unknown(key, Self::KEYS.iter().map(|key| key.name))),
                }
            }
        }
    };
}

pub(super) fn out_of_range(key: &str, value: &str, takes: String) -> Error {
    Error::new(Code::Usage, format!("{key} is {:?}, but takes {takes}", quoted(value)))
}

/// As much of a value or a name as a message repeats.
fn quoted(text: &str) -> String {
    text.chars().take(80).collect()
}

/// The error for a name that is none of `known`, with the nearest one that is.
pub fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let letters = |name: &str| name.chars().take(64).collect::<Vec<_>>();
    let nearest = known.min_by_key(|candidate| edit_distance(&letters(name), &letters(candidate)));
    let hint = nearest.map_or(String::new(), |near| format!("; the nearest is {near:?}"));
    Error::new(Code::UnknownOption, format!("there is no option {:?}{hint}", quoted(name)))
}
