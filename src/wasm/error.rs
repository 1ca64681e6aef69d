//! Errors on their way to JavaScript: real `Error` objects with the fields the package promises.

use js_sys::{Error as JsError, Object, Reflect};
use wasm_bindgen::JsValue;

use super::convert::{get, plain};
use crate::describe;
use crate::error::Error;
use crate::llm::ledger::Ledger;

/// The same for a call that may have cost something: `details.calls` says what.
pub(super) fn thrown_after(error: Error, ledger: &Ledger) -> JsValue {
    let thrown = thrown(error);
    let calls = describe::calls(ledger);
    if let (false, Ok(calls)) = (calls.is_empty(), plain(&calls)) {
        // Setting a property of an object made here cannot fail.
        let _ = Reflect::set(&get(&thrown, "details"), &JsValue::from_str("calls"), &calls);
    }
    thrown
}

/// An `Error` with `code`, `retryable` and `details`; `details.cause` says what lay under it.
pub(super) fn thrown(error: Error) -> JsValue {
    let code = error.code();
    let thrown = JsError::new(&error.to_string());
    let details = Object::new();
    // Setting a property of an object made here cannot fail.
    let set = |object: &JsValue, key: &str, value: JsValue| {
        let _ = Reflect::set(object, &JsValue::from_str(key), &value);
    };
    if let Some(cause) = std::error::Error::source(&error) {
        set(&details, "cause", JsValue::from_str(&cause.to_string()));
    }
    set(&thrown, "code", JsValue::from_str(code.as_str()));
    set(&thrown, "retryable", JsValue::from_bool(code.retryable()));
    set(&thrown, "details", details.into());
    thrown.into()
}
