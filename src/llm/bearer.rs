//! The key of requests: one that was given, or one that is asked for and lasts as long as the server takes it.
//!
//! Invariant: a key is in the header of a request and here, and in nothing that can be printed.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use super::Keys;
use crate::error::Result;

/// The name of the header that holds a key.
pub(super) const HEADER: &str = "authorization";

/// Where the keys of an endpoint come from.
#[derive(Default)]
pub(super) struct Bearer {
    keys: Option<Rc<dyn Keys>>,
    held: RefCell<Option<String>>,
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bearer").finish_non_exhaustive()
    }
}

impl Bearer {
    /// One key, or none, for good.
    pub(super) fn fixed(key: Option<&str>) -> Self {
        Self { keys: None, held: RefCell::new(filled(key.map(str::to_owned))) }
    }

    /// A key that is asked for before the first request.
    pub(super) fn asked(keys: Rc<dyn Keys>) -> Self {
        Self { keys: Some(keys), held: RefCell::default() }
    }

    /// The key for the next request.
    ///
    /// # Errors
    /// As [`Keys::key`].
    pub(super) async fn key(&self) -> Result<Option<String>> {
        let held = self.held();
        let Some(keys) = self.keys.as_ref().filter(|_| held.is_none()) else { return Ok(held) };
        let key = filled(keys.key().await?);
        self.held.borrow_mut().clone_from(&key);
        Ok(key)
    }

    /// The key of the last request.
    pub(super) fn held(&self) -> Option<String> {
        self.held.borrow().clone()
    }

    /// The server did not take this key: whether another can be asked for. Of several requests that it was
    /// refused to, only the first lets go of it.
    pub(super) fn renews(&self, refused: Option<&str>) -> bool {
        let mut held = self.held.borrow_mut();
        if held.as_deref() == refused && self.keys.is_some() {
            *held = None;
        }
        self.keys.is_some()
    }
}

/// A key without the white space around it; an empty one is none.
fn filled(key: Option<String>) -> Option<String> {
    key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty())
}
