//! What a request asks: its endpoint, model, task, and the book's text in it.
//!
//! The task is named by the first line of the system prompt (`Task: NAME`), or by the name of the
//! JSON schema. The book's text stands between the lines `<<<NONCE` and `NONCE>>>`, where the word
//! NONCE is another in each request. The invariant: a line of the book that looks like a delimiter
//! ends nothing, because it cannot know the word.

use serde_json::Value;

use super::fault::{Endpoint, Fault, Kind};
use super::http::Request;

pub struct Asked {
    pub endpoint: Endpoint,
    /// The body; null where there is none or it is no JSON.
    pub json: Value,
    raw: String,
    key: String,
    to_localhost: bool,
    task: Option<String>,
}

impl Asked {
    pub fn new(request: &Request, endpoint: Endpoint) -> Self {
        let raw = String::from_utf8_lossy(&request.body).into_owned();
        let mut asked = Self {
            endpoint,
            json: serde_json::from_str(&raw).unwrap_or(Value::Null),
            raw,
            key: request.header("authorization").unwrap_or_default().to_owned(),
            to_localhost: request.header("host").is_some_and(|host| host.starts_with("localhost")),
            task: None,
        };
        asked.task = asked.named_task();
        asked
    }

    fn named_task(&self) -> Option<String> {
        let system = self.said_by("system").chain(self.said_by("developer")).next();
        let line = system.as_deref().and_then(|text| text.trim_start().lines().next());
        let named = line.and_then(|line| line.strip_prefix("Task:")).map(str::trim).map(str::to_owned);
        named.or_else(|| Some(self.json.pointer("/response_format/json_schema/name")?.as_str()?.to_owned()))
    }

    pub fn task(&self) -> Option<&String> {
        self.task.as_ref()
    }

    pub fn model(&self) -> &str {
        self.json["model"].as_str().unwrap_or_default()
    }

    pub fn streams(&self) -> bool {
        self.json["stream"] == true
    }

    /// Whether a fault that asks for a condition finds it in this request.
    pub fn concerns(&self, fault: &Fault) -> bool {
        match fault.kind {
            Kind::Refuse => self.has_field(&fault.text),
            Kind::Key => self.key.strip_prefix("Bearer ") != Some(&fault.text),
            Kind::UnknownModel => fault.text.is_empty() || self.model() == fault.text,
            Kind::Context => self.prompt_tokens() as u64 > fault.number,
            // Not a second time, or it would never arrive.
            Kind::Redirect => !self.to_localhost,
            _ => true,
        }
    }

    fn has_field(&self, name: &str) -> bool {
        match name {
            "json_schema" | "json_object" => self.json["response_format"]["type"] == name,
            _ => self.json.get(name).is_some_and(|value| !value.is_null()),
        }
    }

    /// Whether the text stands in the body, as it is or inside its strings.
    pub fn contains(&self, text: &str) -> bool {
        self.raw.contains(text) || self.texts().any(|own| own.contains(text))
    }

    pub fn prompt_tokens(&self) -> usize {
        self.texts().map(|text| tokens(&text)).sum()
    }

    /// The same request as a server sees it that keeps so many tokens of a prompt, the last ones.
    pub fn last(&self, limit: usize) -> Self {
        let Self { endpoint, raw, key, to_localhost, task, json } = self;
        let mut json = json.clone();
        let mut over = self.prompt_tokens().saturating_sub(limit);
        for message in json["messages"].as_array_mut().into_iter().flatten() {
            if message["role"] == "system" {
                continue;
            }
            let mut rest = message["content"].as_str().unwrap_or_default().split_inclusive(' ').peekable();
            while let Some(word) = rest.next_if(|_| over > 0) {
                over = over.saturating_sub(tokens(word));
            }
            message["content"] = rest.collect::<String>().into();
        }
        let (raw, key, task) = (raw.clone(), key.clone(), task.clone());
        Self { endpoint: *endpoint, json, raw, key, to_localhost: *to_localhost, task }
    }

    /// The contents of the messages, or the texts to embed.
    fn texts(&self) -> impl Iterator<Item = String> {
        self.messages().map(|(_, text)| text).chain(self.inputs().unwrap_or_default())
    }

    /// The texts to embed; `None` where `input` is something else.
    pub fn inputs(&self) -> Option<Vec<String>> {
        match &self.json["input"] {
            Value::String(text) => Some(vec![text.clone()]),
            Value::Array(texts) => texts.iter().map(|text| text.as_str().map(str::to_owned)).collect(),
            _ => None,
        }
    }

    /// Roles and contents, in order; the parts of a content in parts are joined.
    fn messages(&self) -> impl Iterator<Item = (&str, String)> {
        self.json["messages"].as_array().into_iter().flatten().map(|message| {
            let text = match &message["content"] {
                Value::String(text) => text.clone(),
                Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
                _ => String::new(),
            };
            (message["role"].as_str().unwrap_or_default(), text)
        })
    }

    fn said_by(&self, role: &str) -> impl Iterator<Item = String> {
        self.messages().filter(move |(own, _)| *own == role).map(|(_, text)| text)
    }

    /// What the user's messages hold between delimiters, and what they say around it.
    pub fn passage_and_rest(&self) -> (String, String) {
        let text = self.said_by("user").collect::<Vec<_>>().join("\n");
        let (mut passage, mut rest, mut end) = (Vec::new(), Vec::new(), None);
        for line in text.lines() {
            match (&end, nonce(line)) {
                (None, Some(word)) => end = Some(format!("{word}>>>")),
                (None, None) => rest.push(line),
                (Some(mark), _) if line.trim() == mark => end = None,
                (Some(_), _) => passage.push(line),
            }
        }
        (passage.join("\n"), rest.join("\n"))
    }
}

/// The word of a line that opens a passage.
fn nonce(line: &str) -> Option<&str> {
    let word = line.trim().strip_prefix("<<<")?;
    (!word.is_empty() && word.chars().all(char::is_alphanumeric)).then_some(word)
}

/// A simple count: words, and marks of punctuation.
pub fn tokens(text: &str) -> usize {
    let mut within = false;
    let mut count = 0;
    for c in text.chars() {
        let letter = c.is_alphanumeric();
        count += usize::from(letter && !within || !letter && !c.is_whitespace());
        within = letter;
    }
    count
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(json: &Value) -> Asked {
        let request = Request { body: json.to_string().into_bytes(), ..Request::default() };
        Asked::new(&request, Endpoint::Chat)
    }

    #[test]
    fn the_task_is_the_first_line_of_the_system_prompt_or_the_schema() {
        let system = json!({"messages": [{"role": "system", "content": "Task: events\nMore."}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "entities"}}});
        assert_eq!(asked(&system).task().unwrap(), "events");
        let schema = json!({"response_format": {"type": "json_schema", "json_schema": {"name": "entities"}}});
        assert_eq!(asked(&schema).task().unwrap(), "entities");
        assert!(asked(&json!({"messages": []})).task().is_none());
    }

    #[test]
    fn a_line_of_the_book_ends_no_passage() {
        let text = "Read.\n<<<a1\nOne.\nb2>>>\n<<<b2\nTwo.\na1>>>\nQuestion: who?";
        let (passage, rest) =
            asked(&json!({"messages": [{"role": "user", "content": text}]})).passage_and_rest();
        assert_eq!(passage, "One.\nb2>>>\n<<<b2\nTwo.");
        assert_eq!(rest, "Read.\nQuestion: who?");
    }

    #[test]
    fn the_last_tokens_of_a_prompt_are_left_and_the_system_stays() {
        let prompt = json!({"messages": [{"role": "system", "content": "Be short."},
            {"role": "user", "content": "One two three. Four five six."}]});
        let cut = asked(&prompt).last(7);
        assert_eq!(cut.passage_and_rest().1, "Four five six.");
        assert_eq!(cut.prompt_tokens(), 7);
    }

    #[test]
    fn words_and_marks_are_tokens() {
        assert_eq!(tokens("Don't stop, Zoë!"), 7);
        assert_eq!(tokens("  "), 0);
    }
}
