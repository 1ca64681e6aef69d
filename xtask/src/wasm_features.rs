//! Which features of WebAssembly a binary asks of a browser.
//!
//! A new compiler may switch on a feature that older browsers lack, and nobody notices until a
//! reader's page stays empty. LLVM records what it used in the custom section
//! `target_features`: a vector of (prefix byte, name). The invariant: a binary with a feature
//! outside [`ALLOWED`] is never shipped.
//!
//! Two are left out on purpose. SIMD gained nothing that could be measured (in the time to index, to
//! open or to ask), and browsers without it, such as Safari before 16.4, would need a second file.
//! And `reference-types`: that same Safari's compiler gets tables of JavaScript's values wrong, so
//! that calls fail after a while. The standard library is compiled with it, but its code has none.

/// The features that a binary may use, with the flag that allows each in `wasm-opt`.
///
/// All are in Chrome 85, Firefox 79 and Safari 15. The two at the end are parts of bulk-memory and
/// reference-types that LLVM names apart; the second is about how a number is written.
pub const ALLOWED: [(&str, &str); 7] = [
    ("bulk-memory", "--enable-bulk-memory"),
    ("sign-ext", "--enable-sign-ext"),
    ("mutable-globals", "--enable-mutable-globals"),
    ("nontrapping-fptoint", "--enable-nontrapping-float-to-int"),
    ("multivalue", "--enable-multivalue"),
    ("bulk-memory-opt", "--enable-bulk-memory-opt"),
    ("call-indirect-overlong", "--enable-call-indirect-overlong"),
];

/// What the compiler may record but no code of ours needs.
pub const FORGONE: &str = "reference-types";

/// Takes back that `binary` uses [`FORGONE`]; wasm-bindgen, which goes by the record, then keeps
/// JavaScript's values on its own side. `wasm-opt` fails on a binary that needs the feature after all.
pub fn forgo(binary: &mut [u8]) {
    let recorded = recorded(binary).into_iter().flatten();
    let places: Vec<usize> =
        recorded.filter(|feature| feature.name == FORGONE).map(|feature| feature.prefix).collect();
    for place in places {
        binary[place] = b'-';
    }
}

/// The features that `binary` records, in its order; an error when one is not allowed.
pub fn check(binary: &[u8]) -> Result<Vec<String>, String> {
    let recorded = recorded(binary).ok_or("the compiled library is not a WebAssembly module")?;
    let used = |feature: &Feature| binary[feature.prefix] != b'-';
    let features: Vec<_> = recorded.into_iter().filter(used).map(|feature| feature.name).collect();
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

/// A name of the record, and where its prefix stands.
struct Feature {
    name: String,
    prefix: usize,
}

fn recorded(binary: &[u8]) -> Option<Vec<Feature>> {
    let magic = b"\0asm\x01\0\0\0";
    let mut module = Reader { bytes: binary.strip_prefix(magic).map(|_| binary)?, at: magic.len() };
    while module.at < binary.len() {
        let id = module.byte()?;
        let size = module.number()?;
        let mut section = Reader { bytes: binary.get(..module.at.checked_add(size)?)?, ..module };
        if id == 0 && section.name()? == "target_features" {
            return section.features();
        }
        module.at += size;
    }
    Some(Vec::new())
}

/// A module, or the beginning of one up to the end of a section, and how far it is read.
#[derive(Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
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
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn features(&mut self) -> Option<Vec<Feature>> {
        let count = self.number()?;
        let mut features = Vec::new();
        for _ in 0..count {
            let prefix = self.at;
            self.byte()?;
            features.push(Feature { name: self.name()?.to_owned(), prefix });
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
        let binary = module(&[(b'+', "bulk-memory"), (b'-', "atomics"), (b'+', "sign-ext")]);
        assert_eq!(check(&binary), Ok(vec!["bulk-memory".to_owned(), "sign-ext".to_owned()]));
    }

    #[test]
    fn a_feature_outside_the_list_is_an_error_that_names_it() {
        let error = check(&module(&[(b'+', "sign-ext"), (b'+', "simd128")]));
        assert!(error.is_err_and(|message| message.contains("`simd128`")));
    }

    #[test]
    fn what_is_forgone_is_not_recorded_any_more() {
        let mut binary = module(&[(b'+', "sign-ext"), (b'+', FORGONE), (b'+', "bulk-memory")]);
        assert!(check(&binary).is_err());
        forgo(&mut binary);
        assert_eq!(check(&binary), Ok(vec!["sign-ext".to_owned(), "bulk-memory".to_owned()]));
    }

    #[test]
    fn what_is_no_module_is_an_error() {
        let cut = module(&[(b'+', "sign-ext")]);
        for bytes in [&b""[..], b"\0asm", b"<html>", &cut[..cut.len() - 3]] {
            assert!(check(bytes).is_err());
        }
    }
}
