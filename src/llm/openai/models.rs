//! The models of a server: `GET /models`.
//!
//! Not every server has the list, and some show more than a key may use: it serves to explain a failure,
//! never to forbid a model.

use serde_json::Value;

/// The most models that are read of a list.
const MOST: usize = 1000;

/// The longest name that is read, in bytes.
const LONGEST: usize = 200;

/// A model as a server lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name; untrusted.
    pub id: String,
    /// Who made or serves it, as the server says; empty where it does not.
    pub owner: String,
}

/// Reads a list of models; `None` for what is none.
pub fn decode(body: &[u8]) -> Option<Vec<Listed>> {
    let reply: Value = serde_json::from_slice(body).ok()?;
    // Some proxies send the bare list.
    let list = reply.get("data").unwrap_or(&reply).as_array()?;
    let text = |model: &Value, key: &str| model.get(key).and_then(Value::as_str).map(str::to_owned);
    let one = |model: &Value| {
        Some(Listed { id: text(model, "id")?, owner: text(model, "owned_by").unwrap_or_default() })
    };
    Some(list.iter().take(MOST).filter_map(one).filter(|model| model.id.len() <= LONGEST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_other_replies_are_none() {
        let ids = |body: &str| {
            decode(body.as_bytes()).map(|list| list.into_iter().map(|model| model.id).collect::<Vec<_>>())
        };
        let one = Some(vec!["a".to_owned()]);
        assert_eq!(ids(r#"{"object":"list","data":[{"id":"a","owned_by":"me"},{"name":"b"}]}"#), one);
        assert_eq!(ids(r#"[{"id":"a"}]"#), one);
        assert_eq!(ids(r#"{"data":[]}"#), Some(Vec::new()));
        for none in ["<html>", r#"{"error":"no"}"#, r#"{"data":{}}"#, ""] {
            assert_eq!(ids(none), None, "{none}");
        }
    }
}
