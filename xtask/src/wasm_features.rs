//! Which features of WebAssembly a binary asks of a browser.
//!
//! A new compiler may switch on a feature that older browsers lack, and nobody notices until a
//! reader's page stays empty. LLVM records what it used in the custom section
//! `target_features`: a vector of (prefix byte, name). The invariant: a binary with a feature
//! outside [`ALLOWED`] is never shipped.

/// The features that a binary may use, with the flag that allows each in `wasm-opt`.
///
/// All are in Chrome 91, Firefox 89 and Safari 16.4, SIMD being the youngest. The two of the
/// lower half are parts of bulk-memory and reference-types that LLVM names apart.
pub const ALLOWED: [(&str, &str); 9] = [
    ("simd128", "--enable-simd"),
    ("bulk-memory", "--enable-bulk-memory"),
    ("sign-ext", "--enable-sign-ext"),
    ("mutable-globals", "--enable-mutable-globals"),
    ("nontrapping-fptoint", "--enable-nontrapping-float-to-int"),
    ("reference-types", "--enable-reference-types"),
    ("multivalue", "--enable-multivalue"),
    ("bulk-memory-opt", "--enable-bulk-memory-opt"),
    ("call-indirect-overlong", "--enable-call-indirect-overlong"),
];

/// The features that `binary` records, in its order; an error when one is not allowed.
pub fn check(binary: &[u8]) -> Result<Vec<String>, String> {
    let features = recorded(binary).ok_or("the compiled library is not a WebAssembly module")?;
    let unknown = |name: &&String| !ALLOWED.iter().any(|(allowed, _)| allowed == name);
    match features.iter().find(unknown) {
        Some(name) => Err(format!(
            "the compiled library uses the WebAssembly feature `{name}`, which is not among those \
             that every supported browser has; turn it off with -C target-feature=-{name} in \
             xtask/src/wasm.rs, or allow it in xtask/src/wasm_features.rs and raise the browser \
             floor in the README"
        )),
        None => Ok(features),
    }
}

fn recorded(binary: &[u8]) -> Option<Vec<String>> {
    let mut module = Reader(binary.strip_prefix(b"\0asm\x01\0\0\0")?);
    while !module.0.is_empty() {
        let id = module.byte()?;
        let size = module.number()?;
        let mut section = Reader(module.bytes(size)?);
        if id == 0 && section.name()? == "target_features" {
            return section.features();
        }
    }
    Some(Vec::new())
}

/// The unread rest of a module or of one of its sections.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes(1)?.first().copied()
    }

    /// An unsigned number in LEB128.
    fn number(&mut self) -> Option<usize> {
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn name(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }

    fn features(&mut self) -> Option<Vec<String>> {
        let count = self.number()?;
        let mut features = Vec::new();
        for _ in 0..count {
            let used = self.byte()? != b'-';
            let name = self.name()?;
            if used {
                features.push(name.to_owned());
            }
        }
        Some(features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(features: &[(u8, &str)]) -> Vec<u8> {
        let mut section = b"\x0ftarget_features".to_vec();
        section.push(features.len() as u8);
        for (prefix, name) in features {
            section.extend([*prefix, name.len() as u8]);
            section.extend(name.bytes());
        }
        // An empty type section (id 1) comes first.
        let mut module = b"\0asm\x01\0\0\0\x01\x01\x00\x00".to_vec();
        // The section's size as LEB128 of two bytes.
        module.extend([(section.len() & 0x7f) as u8 | 0x80, (section.len() >> 7) as u8]);
        module.extend(section);
        module
    }

    #[test]
    fn used_features_are_listed_and_disallowed_ones_are_not() {
        let binary = module(&[(b'+', "simd128"), (b'-', "atomics"), (b'+', "sign-ext")]);
        assert_eq!(check(&binary), Ok(vec!["simd128".to_owned(), "sign-ext".to_owned()]));
    }

    #[test]
    fn a_feature_outside_the_list_is_an_error_that_names_it() {
        let error = check(&module(&[(b'+', "simd128"), (b'+', "relaxed-simd")]));
        assert!(error.is_err_and(|message| message.contains("`relaxed-simd`")));
    }

    #[test]
    fn what_is_no_module_is_an_error() {
        let cut = module(&[(b'+', "simd128")]);
        for bytes in [&b""[..], b"\0asm", b"<html>", &cut[..cut.len() - 3]] {
            assert!(check(bytes).is_err());
        }
    }
}
