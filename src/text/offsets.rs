//! Offsets in other units: UTF-16 units, which JavaScript counts in, and Unicode code points, which
//! question files count in.
//!
//! Inside the crate every offset is a byte of the UTF-8 text. A byte's UTF-16 offset is the number of
//! characters before it plus the number of those outside the Basic Multilingual Plane. So one bit a
//! byte (does a character start here?) with a running count a word answers both conversions, without
//! the text: three sixteenths of its size, nothing for ASCII.
//!
//! Invariant: for every character boundary `b`, `to_byte(to_utf16(b)) == Some(b)`.

/// Converts offsets of one text between bytes, UTF-16 units and code points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Utf16Map {
    bytes: u32,
    /// One bit a byte, set where a character starts; empty for ASCII.
    starts: Vec<u64>,
    /// Characters before each word of `starts`.
    before: Vec<u32>,
    /// Where the characters of two UTF-16 units start, in bytes.
    astral: Vec<u32>,
}

impl Utf16Map {
    /// The map of this text.
    pub fn new(text: &str) -> Self {
        let mut map = Self { bytes: text.len() as u32, ..Self::default() };
        if text.is_ascii() {
            return map;
        }
        let words = text.len().div_ceil(64);
        map.starts.reserve_exact(words);
        map.before.reserve_exact(words);
        let mut characters = 0;
        for (word, chunk) in text.as_bytes().chunks(64).enumerate() {
            let mut bits = 0u64;
            for (bit, byte) in chunk.iter().enumerate() {
                bits |= u64::from(byte & 0xc0 != 0x80) << bit;
                if *byte >= 0xf0 {
                    map.astral.push((word * 64 + bit) as u32);
                }
            }
            map.before.push(characters);
            map.starts.push(bits);
            characters += bits.count_ones();
        }
        map
    }

    /// Characters that start before this byte.
    fn code_points(&self, byte: u32) -> u32 {
        let byte = byte.min(self.bytes);
        let word = (byte / 64) as usize;
        match (self.before.get(word), self.starts.get(word)) {
            (Some(before), Some(bits)) => before + (bits & ((1 << (byte % 64)) - 1)).count_ones(),
            _ if self.starts.is_empty() => byte,
            _ => self.all_code_points(),
        }
    }

    fn all_code_points(&self) -> u32 {
        let last = self.starts.last().map_or(0, |bits| bits.count_ones());
        self.before.last().map_or(self.bytes, |before| before + last)
    }

    /// The UTF-16 offset of this byte; the text's end for a byte past it.
    pub fn to_utf16(&self, byte: u32) -> u32 {
        let astral = self.astral.partition_point(|start| *start < byte);
        self.code_points(byte) + astral as u32
    }

    /// The byte of this UTF-16 offset; `None` past the end and inside a character.
    pub fn to_byte(&self, utf16: u32) -> Option<u32> {
        self.invert(utf16, |byte| self.to_utf16(byte))
    }

    /// The byte of this code point; `None` past the end.
    pub fn code_points_to_byte(&self, code_point: u32) -> Option<u32> {
        self.invert(code_point, |byte| self.code_points(byte))
    }

    /// The code points before this byte; all of them for a byte past the end.
    pub fn to_code_points(&self, byte: u32) -> u32 {
        self.code_points(byte)
    }

    /// The last byte that `forward`, which never falls, maps to `wanted`: a character's start, since
    /// `forward` counts a character from the byte after its first.
    fn invert(&self, wanted: u32, forward: impl Fn(u32) -> u32) -> Option<u32> {
        let (mut low, mut high) = (0, self.bytes);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if forward(middle) <= wanted {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        (forward(low) == wanted).then_some(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn named_rows() {
        let map = Utf16Map::new("a\u{e9}\u{2014}\u{1f600}z");
        let rows = [(0, 0, 0), (1, 1, 1), (3, 2, 2), (6, 3, 3), (10, 5, 4), (11, 6, 5)];
        for (byte, utf16, point) in rows {
            assert_eq!(map.to_utf16(byte), utf16, "byte {byte}");
            assert_eq!(map.to_byte(utf16), Some(byte), "utf-16 {utf16}");
            assert_eq!(map.code_points_to_byte(point), Some(byte), "point {point}");
            assert_eq!(map.to_code_points(byte), point, "byte {byte}");
        }
        assert_eq!(map.to_byte(4), None, "inside the pair");
        assert_eq!(map.to_byte(7), None, "past the end");
        assert_eq!(map.to_utf16(99), 6, "past the end");
        assert_eq!(Utf16Map::new("").to_byte(0), Some(0));
    }

    #[test]
    fn ascii_costs_nothing() {
        let map = Utf16Map::new(&"plain ".repeat(1000));
        assert!(map.starts.is_empty());
        assert_eq!((map.to_utf16(4321), map.to_byte(4321)), (4321, Some(4321)));
        assert_eq!(map.to_byte(6001), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn every_boundary_comes_back(text in "[a\u{e9}\u{4e2d}\u{1f600}\n]{0,300}") {
            let map = Utf16Map::new(&text);
            let mut utf16 = 0;
            for (point, (byte, c)) in text.char_indices().enumerate() {
                prop_assert_eq!(map.to_utf16(byte as u32), utf16);
                prop_assert_eq!(map.to_byte(utf16), Some(byte as u32));
                prop_assert_eq!(map.code_points_to_byte(point as u32), Some(byte as u32));
                if c.len_utf16() == 2 {
                    prop_assert_eq!(map.to_byte(utf16 + 1), None);
                }
                utf16 += c.len_utf16() as u32;
            }
            prop_assert_eq!(map.to_utf16(text.len() as u32), utf16);
            prop_assert_eq!(map.to_byte(utf16), Some(text.len() as u32));
        }
    }
}
