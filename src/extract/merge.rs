//! One description for each entity and relation, one summary for each cluster (PonsRAG appendix G; LightRAG for
//! relations).
//!
//! What several chunks say is first put one after another and cut; then a chat model makes one text of it.
//! Where it does not answer, and before a reading position, the joined parts stand. What one chunk alone says
//! is kept as it is.

use std::collections::HashMap;

use futures_util::StreamExt;
use futures_util::stream;

use crate::asker::{Asked, Asker};
use crate::error::Result;
use crate::knowledge::{EntityId, FRAGMENTS, Issue, Knowledge, Told, TripleKind};
use crate::pace::Pace;
use crate::prompts::{DESCRIPTION, RELATION, SUMMARY, Task};
use crate::text::tokens;

/// The most tokens of what is merged; of more, the parts are taken evenly over the book.
const MERGED: u32 = 2000;
/// The most characters of a merged text.
const LONGEST: usize = 1000;

/// What is told in several places of one entity or cluster.
pub(super) struct Parts {
    place: usize,
    name: String,
    lines: Vec<String>,
}

/// What the model wrote of each entity, in text order.
fn descriptions(text: &str, knowledge: &Knowledge) -> Vec<Parts> {
    let mut lines: Vec<Vec<String>> = vec![Vec::new(); knowledge.entities.len()];
    for mention in &knowledge.mentions {
        let written = matches!(mention.description, Told::Written(_));
        if let Some(lines) = lines.get_mut(mention.entity.index()).filter(|_| written) {
            lines.push(mention.description.line(text));
        }
    }
    let parts = lines.into_iter().enumerate().filter(|(_, lines)| !lines.is_empty());
    parts.map(|(place, lines)| Parts { place, name: knowledge.entities[place].name.clone(), lines }).collect()
}

/// What is told in each cluster of several events, where the model told some of it.
fn summaries(text: &str, knowledge: &Knowledge) -> Vec<Parts> {
    let mut parts = Vec::new();
    for (place, cluster) in knowledge.clusters.iter().enumerate().filter(|(_, all)| all.events.len() > 1) {
        let events = cluster.events.iter().filter_map(|id| knowledge.events.get(id.index()));
        // What rules summarised stays; what a model told is summarised by it.
        if !events.clone().any(|event| event.details.is_some()) {
            continue;
        }
        let told = |event: &crate::knowledge::Event| match &event.details {
            Some(details) => details.clone(),
            None => Told::Quoted(vec![event.span]).line(text),
        };
        parts.push(Parts { place, name: cluster.label.clone(), lines: events.map(told).collect() });
    }
    parts
}

/// What states each relation in more places than a description may have. A weak tie says nothing of two that
/// their events do not say.
fn relations(text: &str, knowledge: &Knowledge) -> Vec<Parts> {
    let name = |id: EntityId| knowledge.entities.get(id.index()).map_or("", |entity| entity.name.as_str());
    let mut parts = Vec::new();
    for (place, relation) in knowledge.relations.iter().enumerate() {
        let stated = knowledge.behind(relation).any(|triple| triple.kind == TripleKind::Stated);
        let fragments = if stated { knowledge.fragments(relation) } else { Vec::new() };
        if fragments.len() > FRAGMENTS {
            let name = format!("{}; {}", name(relation.ends.0), name(relation.ends.1));
            let lines = fragments.into_iter().map(|span| Told::Quoted(vec![span]).line(text)).collect();
            parts.push(Parts { place, name, lines });
        }
    }
    parts
}

/// Lets the model make one text of what states a relation in many places; what it made of the same places
/// `before` is kept, and where it makes none the quoted places stand.
///
/// # Errors
/// As [`Asker::ask`].
pub(super) async fn relate(
    text: &str,
    knowledge: &mut Knowledge,
    before: Option<&Knowledge>,
    asker: &Asker<'_>,
    at_once: usize,
    pace: &Pace<'_>,
) -> Result<Vec<Issue>> {
    let known = before.map(|before| {
        pairs(relations(text, before), &|place| written(&before.relations.get(place)?.description))
    });
    let Several { mut known, open } = several(relations(text, knowledge), known.unwrap_or_default());
    let (written, left) = merge("relations", &RELATION, open, asker, at_once, pace).await?;
    known.extend(written);
    for (place, words) in known {
        if let Some(relation) = knowledge.relations.get_mut(place) {
            relation.description = Told::Written(words);
        }
    }
    Ok(unmerged(left, "relations").into_iter().collect())
}

/// Joins what the model wrote of each entity and told of each cluster.
pub(super) fn join(text: &str, knowledge: &mut Knowledge) {
    for parts in descriptions(text, knowledge) {
        knowledge.entities[parts.place].description = Told::Written(parts.joined());
    }
    for parts in summaries(text, knowledge) {
        knowledge.clusters[parts.place].summary = Told::Written(parts.joined());
    }
}

/// Lets the model make one text of what is told in several places; what it merged of the same parts
/// `before` is kept.
///
/// # Errors
/// As [`Asker::ask`].
pub(super) async fn write(
    text: &str,
    knowledge: &mut Knowledge,
    before: Option<&Knowledge>,
    asker: &Asker<'_>,
    at_once: usize,
    pace: &Pace<'_>,
) -> Result<Vec<Issue>> {
    let (described, told) = merged(text, before);
    let mut described = several(descriptions(text, knowledge), described);
    for (place, words) in described.known.drain(..) {
        knowledge.entities[place].description = Told::Written(words);
    }
    let mut told = several(summaries(text, knowledge), told);
    for (place, words) in told.known.drain(..) {
        knowledge.clusters[place].summary = Told::Written(words);
    }
    let (described, told) = (described.open, told.open);
    let (written, left) = merge("descriptions", &DESCRIPTION, described, asker, at_once, pace).await?;
    for (place, words) in written {
        knowledge.entities[place].description = Told::Written(words);
    }
    let (written, more) = merge("summaries", &SUMMARY, told, asker, at_once, pace).await?;
    for (place, words) in written {
        knowledge.clusters[place].summary = Told::Written(words);
    }
    Ok(unmerged(left, "descriptions").into_iter().chain(unmerged(more, "summaries")).collect())
}

fn unmerged(left: usize, what: &str) -> Option<Issue> {
    let message = format!("The chat model did not merge {left} {what}; their parts were joined.");
    (left > 0).then(|| Issue::new("reply_unreadable", message))
}

/// Merged texts by what they are called and what was merged.
type Merged = HashMap<(String, Vec<String>), String>;

/// What a model merged before: descriptions, and summaries.
fn merged(text: &str, before: Option<&Knowledge>) -> (Merged, Merged) {
    let Some(before) = before else { return Default::default() };
    (
        pairs(descriptions(text, before), &|place| written(&before.entities.get(place)?.description)),
        pairs(summaries(text, before), &|place| written(&before.clusters.get(place)?.summary)),
    )
}

fn written(told: &Told) -> Option<String> {
    match told {
        Told::Written(words) => Some(words.clone()),
        Told::Quoted(_) => None,
    }
}

/// What was made of each part by its name and lines.
fn pairs(parts: Vec<Parts>, told: &dyn Fn(usize) -> Option<String>) -> Merged {
    parts.into_iter().filter_map(|parts| Some(((parts.name, parts.lines), told(parts.place)?))).collect()
}

/// Of what is told in several places: what was merged before, and what is to be.
struct Several {
    known: Vec<(usize, String)>,
    open: Vec<Parts>,
}

fn several(parts: Vec<Parts>, mut merged: Merged) -> Several {
    let mut several = Several { known: Vec::new(), open: Vec::new() };
    for Parts { place, name, lines } in parts.into_iter().filter(|parts| parts.lines.len() > 1) {
        let key = (name, lines);
        match merged.remove(&key) {
            Some(words) => several.known.push((place, words)),
            None => several.open.push(Parts { place, name: key.0, lines: key.1 }),
        }
    }
    several
}

/// One text for each, in order, where the model gave one; and how many it did not.
async fn merge(
    stage: &'static str,
    task: &Task,
    parts: Vec<Parts>,
    asker: &Asker<'_>,
    at_once: usize,
    pace: &Pace<'_>,
) -> Result<(Vec<(usize, String)>, usize)> {
    let total = parts.len();
    let merging = parts.into_iter().map(async |parts| {
        let request = task.request(&parts.spread().join("\n"), &format!("Name: {}", parts.name));
        Ok((parts.place, asker.ask(stage, &request, prose).await?))
    });
    let mut coming = std::pin::pin!(stream::iter(merging).buffered(at_once.max(1)));
    let (mut written, mut done) = (Vec::with_capacity(total), 0);
    while let Some(one) = coming.next().await {
        let (place, asked) = one?;
        if let Asked::Read(words) = asked {
            written.push((place, words));
        }
        done += 1;
        pace.report(stage, done, total, Some(asker.tokens()), None).await?;
    }
    let left = total - written.len();
    Ok((written, left))
}

impl Parts {
    /// As many lines as may be merged, evenly from first to last.
    fn spread(&self) -> Vec<&str> {
        let all: u32 = self.lines.iter().map(|line| tokens(line)).sum();
        let step = (all.div_ceil(MERGED) as usize).max(1);
        self.lines.iter().step_by(step).map(String::as_str).collect()
    }

    /// The lines one after another, cut.
    fn joined(&self) -> String {
        cut(&self.spread().join(" "))
    }
}

/// A reply in prose: on one line, not empty, cut, out of the fence that some models put around it.
fn prose(reply: &str) -> std::result::Result<String, String> {
    let lines: Vec<&str> = reply.lines().filter(|line| !line.trim_start().starts_with("```")).collect();
    let words = cut(&lines.join("\n"));
    if words.is_empty() { Err("it is empty".to_owned()) } else { Ok(words) }
}

/// A text on one line, cut after its last whole word within the limit.
fn cut(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() + 1 + word.len() > LONGEST {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_one_line_without_its_fence() {
        assert_eq!(prose("```text\nTapp is\n a clerk.\n```\n").as_deref(), Ok("Tapp is a clerk."));
        assert!(prose("```\n```").is_err());
        assert!(prose(&"la ".repeat(1000)).is_ok_and(|words| words.len() <= LONGEST));
    }
}
