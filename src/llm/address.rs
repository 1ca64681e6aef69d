//! The address of a server, from what a person writes.
//!
//! Servers give their address in three ways: the origin, the base that ends in `/v1` (or `/v1beta/openai`),
//! or the full path of one request. All three are understood; a query is kept. Messages name the origin
//! only: a path or a query may hold a secret.

use crate::error::{Code, Error, Result};

/// Paths of requests, which are cut off an address that ends in one.
const REQUESTS: [&str; 2] = ["/chat/completions", "/embeddings"];

/// The address of a server.
///
/// ```
/// use plotbridge::llm::address::Address;
/// let address = Address::parse("http://127.0.0.1:8080")?;
/// assert_eq!(address.chat(), "http://127.0.0.1:8080/v1/chat/completions");
/// # Ok::<(), plotbridge::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    origin: String,
    /// The path that all requests share, without a slash at its end.
    base: String,
    /// With its question mark, or empty.
    query: String,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Address").field(&self.origin).finish_non_exhaustive()
    }
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// `usage` for what is not absolute, not http or https, or holds a name and password.
    pub fn parse(url: &str) -> Result<Self> {
        let refuse = |why: &str| Error::new(Code::Usage, format!("an endpoint's url {why}"));
        let url = url.trim();
        let (scheme, rest) = url.split_once("://").ok_or_else(|| {
            refuse("must be absolute, such as http://localhost:11434/v1 or https://api.openai.com/v1")
        })?;
        let scheme = scheme.to_ascii_lowercase();
        if !["http", "https"].contains(&scheme.as_str()) {
            return Err(refuse("must begin with http:// or https://"));
        }
        if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(refuse("holds white space"));
        }
        let rest = rest.split('#').next().unwrap_or(rest);
        let (rest, query) = rest.split_once('?').map_or((rest, String::new()), |(r, q)| (r, format!("?{q}")));
        let (host, path) = rest.split_once('/').map_or((rest, ""), |(host, path)| (host, path));
        if host.is_empty() {
            return Err(refuse("names no host"));
        }
        if host.contains('@') {
            return Err(refuse("must not hold a name or password: give the key as `key`"));
        }
        let path = format!("/{path}");
        let path = path.trim_end_matches('/');
        let base = REQUESTS.iter().find_map(|request| path.strip_suffix(request));
        let base = match base {
            Some(base) => base,
            None if path.is_empty() => "/v1",
            None => path,
        };
        let origin = format!("{scheme}://{}", host.to_ascii_lowercase());
        Ok(Self { origin, base: base.to_owned(), query })
    }

    /// Scheme, host and port: all that a message may say.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// What of it may be a key: the values of its query, and long parts of its path.
    pub fn secrets(&self) -> impl Iterator<Item = String> {
        const LONG: usize = 16;
        let values =
            self.query.split(['?', '&']).map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
        let parts = self.base.split('/').filter(|part| part.len() >= LONG);
        values.chain(parts).map(str::to_owned)
    }

    /// Where conversations are completed.
    pub fn chat(&self) -> String {
        format!("{}{}/chat/completions{}", self.origin, self.base, self.query)
    }

    /// Where the models are listed.
    pub fn models(&self) -> String {
        format!("{}{}/models{}", self.origin, self.base, self.query)
    }

    /// Where the same server may be instead, the likeliest first: a base is easily forgotten, or written twice.
    pub fn elsewhere(&self) -> Vec<Address> {
        let bases =
            [format!("{}/v1", self.base), "/v1".to_owned(), "/api/v1".to_owned(), "/openai/v1".to_owned()];
        let mut found: Vec<Address> = Vec::new();
        for base in bases {
            let other = Self { base, ..self.clone() };
            if other != *self && !found.contains(&other) {
                found.push(other);
            }
        }
        found
    }

    /// The address as a person writes it; nothing where a part of it may be a secret.
    pub fn written(&self) -> Option<String> {
        self.secrets().all(|secret| secret.is_empty()).then(|| format!("{}{}", self.origin, self.base))
    }

    /// Where texts are embedded.
    pub fn embeddings(&self) -> String {
        format!("{}{}/embeddings{}", self.origin, self.base, self.query)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_way_to_write_an_address_leads_to_the_request() {
        let rows = [
            ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:11434/", "http://localhost:11434/v1/chat/completions"),
            (" http://localhost:1234/v1/ ", "http://localhost:1234/v1/chat/completions"),
            ("HTTPS://API.Example.org/v1", "https://api.example.org/v1/chat/completions"),
            ("https://x.org/v1/chat/completions", "https://x.org/v1/chat/completions"),
            ("https://x.org/v1/embeddings/", "https://x.org/v1/chat/completions"),
            ("https://x.org/v1beta/openai/", "https://x.org/v1beta/openai/chat/completions"),
            ("https://x.org/a/B?api-version=1#top", "https://x.org/a/B/chat/completions?api-version=1"),
            ("https://x.org/chat/completions", "https://x.org/chat/completions"),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"),
        ];
        for (url, chat) in rows {
            assert_eq!(Address::parse(url).unwrap().chat(), chat, "{url}");
        }
        let embeddings = Address::parse("https://x.org/v1/chat/completions?a=b").unwrap().embeddings();
        assert_eq!(embeddings, "https://x.org/v1/embeddings?a=b");
    }

    #[test]
    fn a_forgotten_base_is_guessed_and_a_secret_is_not_written() {
        let written = |url: &str| {
            let others = Address::parse(url).unwrap().elsewhere();
            others.iter().filter_map(Address::written).collect::<Vec<_>>()
        };
        let x = "http://x:1";
        let of = |paths: &[&str]| paths.iter().map(|path| format!("{x}{path}")).collect::<Vec<_>>();
        assert_eq!(written("http://x:1/api"), of(&["/api/v1", "/v1", "/openai/v1"]));
        assert_eq!(written("http://x:1/v1"), of(&["/v1/v1", "/api/v1", "/openai/v1"]));
        assert_eq!(written("http://x:1/v1?key=secret"), [""; 0]);
        assert_eq!(Address::parse("http://x:1/a-secret-of-some-length/v1").unwrap().written(), None);
    }

    #[test]
    fn no_other_address_is_taken_and_none_is_repeated() {
        for url in [
            "",
            "/v1",
            "localhost:1234",
            "ftp://secret/v1",
            "https://",
            "https:///v1",
            "https://u:secret@x/v1",
            "http://x/a secret",
        ] {
            let error = Address::parse(url).unwrap_err();
            assert_eq!(error.code(), Code::Usage, "{url}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        let address = Address::parse("https://x.org/secret?key=secret").unwrap();
        assert_eq!(format!("{address:?}"), "Address(\"https://x.org\", ..)");
    }
}
