//! A reader that is no model: it answers a build's requests with what rules found in the passage.
//!
//! Its replies are as long as a dutiful model's: the names that stand in the passage, a sentence about
//! each, what ties them, and one event for each three sentences, up to what the prompts allow.
//!
//! Invariant: the same request always gets the same reply, and nothing leaves the process.

use std::collections::BTreeMap;
use std::future::ready;

use crate::error::Result;
use crate::index::Index;
use crate::knowledge::{Chunk, Event, Knowledge};
use crate::llm::caller::Caller;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Embedded, Embedder, Finish, Later, Tokens, Usage};
use crate::text::sentences;

/// The most items of a list that the prompts allow.
const ENTITIES: usize = 12;
const TRIPLES: usize = 12;
const EVENTS: usize = 8;
const GLEANED: usize = 8;

/// Types as a dutiful reader would propose them: there are some whatever the book.
const TYPES: &str = r#"{"types": [
    {"name": "person", "type": "person", "description": "Someone who speaks or acts, by whatever name the book calls them."},
    {"name": "family", "type": "group", "description": "Several persons who belong together by birth or by marriage."},
    {"name": "company", "type": "group", "description": "Several persons who do something together for a time."},
    {"name": "house", "type": "place", "description": "A building in which persons of the book live, work or meet."},
    {"name": "town", "type": "place", "description": "A town, a village or a country that the book names."},
    {"name": "belonging", "type": "object", "description": "A thing that somebody of the book has, wants, gives or loses."}]}"#;

/// Numbers of a vector.
const WIDTH: usize = 61;

/// Sentences told by one event.
const SENTENCES: usize = 3;

/// Words of a sentence about a name or an event, and of a description or a summary, as models write them.
const SENTENCE: usize = 24;
const MERGED: usize = 60;

/// What rules found in one chunk, as replies.
#[derive(Default)]
struct Replies {
    entities: String,
    triples: String,
    /// What goes beyond the lists of the first two.
    gleaning: String,
    events: String,
}

/// The reader of one book.
pub(super) struct Reader {
    /// By the chunk's text as a request quotes it.
    chunks: BTreeMap<String, Replies>,
}

impl Reader {
    /// Prepares the replies to every chunk's questions.
    pub(super) fn new(index: &Index, found: &Knowledge) -> Self {
        let text = &index.document.text;
        let mut events = found.events.iter().peekable();
        let mut replies: Vec<Replies> = Vec::with_capacity(index.chunks.len());
        for (place, chunk) in index.chunks.iter().enumerate() {
            let mut own = Vec::new();
            while let Some(event) = events.next_if(|event| event.chunk.index() <= place) {
                own.push(event);
            }
            replies.push(Replies { events: told(text, chunk, &own), ..Replies::default() });
        }
        let mut names: Vec<Vec<String>> = vec![Vec::new(); replies.len()];
        for mention in &found.mentions {
            let Some(names) = names.get_mut(mention.chunk.index()) else { continue };
            let first = mention.uses.first().map_or("", |span| span.of(text));
            let kind =
                found.entities.get(mention.entity.index()).map_or("other", |entity| entity.kind.as_str());
            let about = words(&mention.description.line(text), SENTENCE);
            names.push(format!(
                r#"{{"name": "{}", "type": "{kind}", "description": "{about}"}}"#,
                words(first, SENTENCE)
            ));
        }
        let mut ties: Vec<Vec<String>> = vec![Vec::new(); replies.len()];
        for triple in &found.triples {
            let Some(ties) = ties.get_mut(triple.chunk.index()) else { continue };
            let (subject, object) = (words(&triple.subject.text, 6), words(&triple.object.text, 6));
            ties.push(format!(
                r#"{{"subject": "{subject}", "predicate": "{}", "object": "{object}"}}"#,
                words(&triple.predicate, 4)
            ));
        }
        for ((reply, names), ties) in replies.iter_mut().zip(names).zip(ties) {
            reply.entities = list("entities", &names, ENTITIES);
            reply.triples = list("triples", &ties, TRIPLES);
            let more = |items: &[String], first: usize| {
                let items = items.iter().skip(first).take(GLEANED);
                items.cloned().collect::<Vec<_>>().join(", ")
            };
            let (names, ties) = (more(&names, ENTITIES), more(&ties, TRIPLES));
            reply.gleaning = format!(r#"{{"entities": [{names}], "triples": [{ties}]}}"#);
        }
        let passages = index.chunks.iter().map(|chunk| chunk.span.of(text).trim().to_owned());
        Self { chunks: passages.zip(replies).collect() }
    }

    fn reply(&self, request: &ChatRequest) -> String {
        let said = |at: usize| request.messages.get(at).map_or("", |message| message.content.as_str());
        let task = said(0).lines().next().unwrap_or_default();
        let passage = quoted(said(1));
        let of_chunk = self.chunks.get(passage);
        match (task.trim_start_matches("Task:").trim(), of_chunk) {
            ("types" | "inventory", _) => TYPES.to_owned(),
            ("entities" | "typed", Some(replies)) => replies.entities.clone(),
            ("triples", Some(replies)) => replies.triples.clone(),
            ("gleaning", Some(replies)) => replies.gleaning.clone(),
            ("events", Some(replies)) => replies.events.clone(),
            ("merges", _) => decided(passage),
            _ => words(passage, MERGED),
        }
    }
}

/// What stands between the lines that quote the book.
fn quoted(said: &str) -> &str {
    let Some((fence, rest)) = said.split_once('\n') else { return "" };
    let end = format!("\n{}>>>", fence.trim_start_matches('<'));
    rest.split_once(&end).map_or(rest, |(passage, _)| passage)
}

/// One event for each few sentences of a chunk, with the labels of the rules' own events.
fn told(text: &str, chunk: &Chunk, events: &[&Event]) -> String {
    let sentences = sentences(text, chunk.span);
    let told: Vec<String> = sentences
        .iter()
        .step_by(SENTENCES)
        .map(|sentence| {
            let label = events.iter().rev().find(|event| event.span.start <= sentence.start);
            let label = label.map_or("it happens", |event| event.label.as_str());
            format!(
                r#"{{"label": "{}", "details": "{}"}}"#,
                words(label, 4),
                words(sentence.of(text), SENTENCE)
            )
        })
        .collect();
    list("events", &told, EVENTS)
}

/// Every pair of a request told apart.
fn decided(passage: &str) -> String {
    let pairs = passage.lines().filter(|line| line.starts_with("Pair ")).count();
    let decision = |pair: usize| {
        format!(
            r#"{{"pair": {pair}, "verdict": "different", "reason": "they are told of as two in every passage"}}"#
        )
    };
    list("merges", &(1..=pairs).map(decision).collect::<Vec<_>>(), pairs)
}

fn list(name: &str, items: &[String], most: usize) -> String {
    let items = items.get(..most.min(items.len())).unwrap_or_default();
    format!(r#"{{"{name}": [{}]}}"#, items.join(", "))
}

/// A vector that counts words, so that texts of the same words are alike.
fn counted(text: &str) -> Vec<f32> {
    let mut counts = vec![0.0; WIDTH];
    for word in text.split_whitespace() {
        let place = word.bytes().fold(0usize, |sum, byte| (sum * 31 + usize::from(byte)) % WIDTH);
        if let Some(count) = counts.get_mut(place) {
            *count += 1.0;
        }
    }
    let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt().max(1.0);
    counts.iter().map(|count| count / length).collect()
}

/// The first words of a text, without what would end a text in JSON.
fn words(text: &str, most: usize) -> String {
    let plain = |c: &char| !matches!(c, '"' | '\\') && !c.is_control();
    text.split_whitespace()
        .take(most)
        .map(|word| word.chars().filter(plain).collect::<String>())
        .collect::<Vec<_>>()
        .join(" ")
}

impl ChatModel for Reader {
    fn name(&self) -> &str {
        "nobody"
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, _: &'a dyn Caller) -> Later<'a, Result<ChatReply>> {
        let (tokens, kept) = (Tokens::default(), Usage::default());
        Box::pin(ready(Ok(ChatReply { text: self.reply(request), finish: Finish::Stop, tokens, kept })))
    }
}

impl Embedder for Reader {
    fn name(&self) -> &str {
        "nobody"
    }

    fn embed<'a>(&'a self, texts: &'a [String], _: &'a dyn Caller) -> Later<'a, Result<Embedded>> {
        let vectors = texts.iter().map(|text| counted(text)).collect();
        Box::pin(ready(Ok(Embedded { vectors, ..Embedded::default() })))
    }
}
