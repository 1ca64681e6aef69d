//! A chat completion, whole or as a stream of server-sent events.
//!
//! The invariant: the pieces of a stream joined are the text of the whole reply.

use serde_json::{Value, json};

use super::answer::Answer;
use super::asked::{Asked, tokens};
use super::fault::Kind;
use super::refusal;
use super::replies;
use super::script::Fired;
use super::sentences::first_words;
use super::spoil::{THOUGHTS, spoil};

struct Completion<'a> {
    asked: &'a Asked,
    id: String,
    text: String,
    reasoning: Option<&'static str>,
    finish: &'static str,
}

/// The reply to the request that came as number `order`.
pub fn answer(asked: &Asked, fired: &Fired, order: usize) -> Answer {
    if !asked.json["messages"].is_array() {
        return refusal::invalid("messages is missing", "messages");
    }
    if let Some(limit) = fired.number(Kind::Window).filter(|limit| asked.prompt_tokens() > *limit) {
        let seen = asked.last(limit);
        return completion(&seen, fired, order);
    }
    completion(asked, fired, order)
}

fn completion(asked: &Asked, fired: &Fired, order: usize) -> Answer {
    let text = fired.reply.clone().unwrap_or_else(|| replies::reply(asked));
    let mut completion = Completion {
        asked,
        id: format!("chatcmpl-{order}"),
        text: spoil(text, fired),
        reasoning: fired.has(Kind::Reasoning).then_some(THOUGHTS),
        finish: "stop",
    };
    for (kind, finish) in [(Kind::Length, "length"), (Kind::Filter, "content_filter")] {
        if let Some(kept) = fired.number(kind) {
            completion.text = first_words(&completion.text, kept);
            completion.finish = finish;
        }
    }
    if asked.streams() && !fired.has(Kind::NotStreamed) {
        completion.streamed(fired)
    } else {
        completion.whole(fired)
    }
}

impl Completion<'_> {
    fn object(&self, kind: &str, choices: Value) -> Value {
        json!({"id": self.id, "object": kind, "created": 0, "model": self.asked.model(), "choices": choices})
    }

    fn usage(&self) -> Value {
        let prompt = self.asked.prompt_tokens();
        let completion = tokens(&self.text) + self.reasoning.map_or(0, tokens);
        json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion})
    }

    fn whole(&self, fired: &Fired) -> Answer {
        let mut message = json!({"role": "assistant", "content": self.text});
        if let Some(thoughts) = self.reasoning {
            message["reasoning_content"] = thoughts.into();
        }
        let choice = json!({"index": 0, "message": message, "finish_reason": self.finish});
        let mut reply = self.object("chat.completion", json!([choice]));
        if !fired.has(Kind::NoUsage) {
            reply["usage"] = self.usage();
        }
        Answer::json(200, &reply)
    }

    fn streamed(&self, fired: &Fired) -> Answer {
        let (line_end, comment) = (
            if fired.has(Kind::Crlf) { "\r\n" } else { "\n" },
            if fired.has(Kind::Comments) { ": wait" } else { "" },
        );
        let event = |data: &str| {
            let before =
                if comment.is_empty() { String::new() } else { format!("{comment}{line_end}{line_end}") };
            format!("{before}data: {data}{line_end}{line_end}").into_bytes()
        };
        let mut events: Vec<Vec<u8>> = self.chunks().iter().map(|chunk| event(&chunk.to_string())).collect();
        if let Some(after) = fired.number(Kind::StreamError) {
            events.truncate(after.saturating_add(1));
            let error = refusal::error("the scripted model broke off", "server_error", "stream_error", "");
            events.push(event(&error.to_string()));
            return Answer::stream(events);
        }
        if self.asked.json["stream_options"]["include_usage"] == true && !fired.has(Kind::NoUsage) {
            let mut chunk = self.object("chat.completion.chunk", json!([]));
            chunk["usage"] = self.usage();
            events.push(event(&chunk.to_string()));
        }
        if !fired.has(Kind::NoDone) {
            events.push(event("[DONE]"));
        }
        Answer::stream(events)
    }

    /// The role, the thoughts and the text word by word, then the reason for the end.
    fn chunks(&self) -> Vec<Value> {
        let chunk = |delta: Value, finish: Option<&str>| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
            self.object("chat.completion.chunk", json!([choice]))
        };
        let thoughts = pieces(self.reasoning.unwrap_or_default());
        let thoughts = thoughts.map(|piece| chunk(json!({"reasoning_content": piece}), None));
        let text = pieces(&self.text).map(|piece| chunk(json!({"content": piece}), None));
        let mut all = vec![chunk(json!({"role": "assistant", "content": ""}), None)];
        all.extend(thoughts.chain(text));
        all.push(chunk(json!({}), Some(self.finish)));
        all
    }
}

/// Words with the white space after them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(char::is_whitespace)
}
