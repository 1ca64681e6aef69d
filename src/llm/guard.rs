//! A reply that must not repeat a key: what a server sends back would stand in an answer or an index.
//!
//! Invariant: no piece that is heard holds a secret, whole or begun; the pieces of a reply without one, joined,
//! are its text.

use std::cell::RefCell;

/// Hears the pieces of a reply, and passes on what is no secret.
pub(super) struct Guard<'a> {
    secrets: Vec<String>,
    heard: &'a dyn Fn(&str),
    /// The end of what came, which may be the beginning of a secret; from a secret on everything.
    open: RefCell<String>,
}

impl<'a> Guard<'a> {
    /// Passes pieces on to `heard`; `secrets` are of ASCII.
    pub(super) fn new(secrets: Vec<String>, heard: &'a dyn Fn(&str)) -> Self {
        Self { secrets, heard, open: RefCell::default() }
    }

    /// Whether a text holds a secret.
    pub(super) fn finds(&self, text: &str) -> bool {
        self.secrets.iter().any(|secret| text.contains(secret.as_str()))
    }

    /// Takes the next piece.
    pub(super) fn hear(&self, piece: &str) {
        let mut open = self.open.take() + piece;
        let begun = self.secrets.iter().map(|secret| begun(&open, secret)).max().unwrap_or(0);
        let kept = if self.finds(&open) { open.len() } else { begun };
        let rest = open.split_off(open.len() - kept);
        self.open.replace(rest);
        self.tell(&open);
    }

    /// The reply is whole and holds no secret: what is still open is passed on.
    pub(super) fn end(&self) {
        let open = self.open.take();
        self.tell(&open);
    }

    fn tell(&self, text: &str) {
        if !text.is_empty() {
            (self.heard)(text);
        }
    }
}

/// How many bytes at the end of a text are the beginning of a secret.
fn begun(text: &str, secret: &str) -> usize {
    let most = text.len().min(secret.len().saturating_sub(1));
    let fits = |n: &usize| secret.get(..*n).is_some_and(|beginning| text.ends_with(beginning));
    (1..=most).rev().find(fits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(secrets: &[&str], pieces: &[&str]) -> (String, bool) {
        let text = RefCell::new(String::new());
        let hear = |piece: &str| text.borrow_mut().push_str(piece);
        let guard = Guard::new(secrets.iter().map(|&secret| secret.to_owned()).collect(), &hear);
        pieces.iter().for_each(|piece| guard.hear(piece));
        let found = guard.finds(&pieces.concat());
        if !found {
            guard.end();
        }
        (text.into_inner(), found)
    }

    #[test]
    fn a_secret_is_not_heard_however_it_is_cut() {
        let said = "naïve: token-token-1 is it";
        let is_kept = |pieces: &[&str]| {
            let (heard, found) = heard(&["token-1", "none"], pieces);
            assert!(found && "naïve: token-".starts_with(&heard), "{pieces:?}: {heard}");
        };
        for at in (0..=said.len()).filter(|&at| said.is_char_boundary(at)) {
            let (first, second) = said.split_at(at);
            is_kept(&[first, second]);
            assert_eq!(heard(&["token-2"], &[first, second]), (said.to_owned(), false));
            assert_eq!(heard(&[], &[first, second]), (said.to_owned(), false));
        }
        let letters: Vec<String> = said.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        is_kept(&letters);
    }
}
