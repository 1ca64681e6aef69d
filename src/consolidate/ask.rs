//! A chat model decides which pairs are one (CodaRAG I.c 3, appendix H.1.3): several pairs a request, each
//! with what the book says of both; same, different or uncertain; only `same` merges.
//!
//! What is shown of an entity is how its first chunks describe it, and what is said where both are named. A
//! decision rests on all that was shown, so its evidence ends where the last chunk shown does: a reading
//! position before it undoes the merge.
//!
//! A pair that the model does not answer for is decided by the rule, and that is told.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::StreamExt;
use futures_util::stream;

use super::Chat;
use super::decide::{Decision, Open};
use super::sides::Sides;
use crate::asker::Asked;
use crate::error::Result;
use crate::index::Index;
use crate::knowledge::{ChunkId, Decider, Issue, Mention, Verdict};
use crate::llm::reply;
use crate::pace::Pace;
use crate::prompts::MERGES;

/// Pairs of one request.
pub(crate) const BATCH: usize = 8;
/// Chunks shown of each of a pair, and chunks that name both.
const SHOWN: usize = 2;
/// The most bytes shown of one chunk.
const LINE: usize = 240;
/// The most bytes kept of a reason.
const REASON: usize = 240;

/// Lets the chat model decide the open pairs.
///
/// # Errors
/// The endpoint's own where it is gone, refuses or wants another key; `aborted` when the caller cancels.
pub(super) async fn decide(
    index: &Index,
    sides: &Sides,
    open: Vec<Open>,
    chat: &Chat<'_>,
    issues: &mut Vec<Issue>,
    pace: &Pace<'_>,
) -> Result<Vec<Decision>> {
    let told = Told::new(index);
    let batches: Vec<&[Open]> = open.chunks(BATCH).collect();
    let total = batches.len();
    let asking = batches.into_iter().map(async |batch| {
        let shown: Vec<(String, u32)> = batch.iter().map(|open| told.pair(sides, open)).collect();
        let lines: Vec<String> =
            shown.iter().enumerate().map(|(at, (lines, _))| format!("Pair {}\n{lines}", at + 1)).collect();
        let request = MERGES.request(&lines.join("\n\n"), "");
        let asked = chat.asker.list("merges", &request, reply::verdicts).await?;
        Ok::<_, crate::Error>((batch, shown, asked))
    });
    let mut coming = std::pin::pin!(stream::iter(asking).buffered(chat.at_once.max(1)));
    let (mut decisions, mut done, mut left) = (Vec::new(), 0, BTreeMap::<&'static str, usize>::new());
    while let Some(one) = coming.next().await {
        let (batch, shown, asked) = one?;
        let (read, code) = match asked {
            Asked::Read(read) => (read, "reply_unreadable"),
            Asked::Part(read) => (read, "reply_cut"),
            Asked::Skipped(skip) => (Vec::new(), skip.code()),
        };
        for (at, (open, (_, evidence))) in batch.iter().zip(&shown).enumerate() {
            let answer = read.iter().find(|answer| answer.pair == at + 1);
            if answer.is_none() {
                *left.entry(code).or_default() += 1;
            }
            decisions.extend(decision(open, answer, *evidence));
        }
        done += 1;
        pace.report("merges", done, total, Some(chat.asker.tokens()), None).await?;
    }
    for (code, count) in left {
        let message =
            format!("The chat model did not decide which of {count} pairs of names are one; the rule did.");
        issues.push(Issue::new(code, message));
    }
    Ok(decisions)
}

/// What the model answered; what the rule says where it did not.
fn decision(open: &Open, answer: Option<&reply::Answer>, evidence: u32) -> Option<Decision> {
    let Some(answer) = answer else {
        return open.rule.map(|bond| Decision::of(open.pair, bond));
    };
    let verdict = match answer.verdict.as_str() {
        "same" => Verdict::Same,
        "different" => Verdict::Different,
        _ => Verdict::Uncertain,
    };
    let reason: String = match answer.reason.trim() {
        "" => format!("the chat model says: {}", verdict.as_str()),
        reason => reason[..reason.floor_char_boundary(REASON.min(reason.len()))].to_owned(),
    };
    Some(Decision { pair: open.pair, verdict, by: Decider::Chat, reason, evidence })
}

/// What each chunk says of each entity.
struct Told<'a> {
    index: &'a Index,
    of: Vec<Vec<&'a Mention>>,
}

impl<'a> Told<'a> {
    fn new(index: &'a Index) -> Self {
        let mut of: Vec<Vec<&Mention>> = vec![Vec::new(); index.knowledge.entities.len()];
        for mention in &index.knowledge.mentions {
            of[mention.entity.index()].push(mention);
        }
        Self { index, of }
    }

    /// A pair as it is shown, and where the last chunk shown ends.
    fn pair(&self, sides: &Sides, open: &Open) -> (String, u32) {
        let (one, other) = (&self.of[open.pair.one], &self.of[open.pair.other]);
        let chunks =
            |mentions: &[&Mention]| mentions.iter().map(|mention| mention.chunk).collect::<BTreeSet<_>>();
        let both: BTreeSet<ChunkId> = &chunks(one) & &chunks(other);
        let mut last = 0;
        let mut block = |letter: char, entity: usize| {
            let mentions = &self.of[entity];
            let first = mentions.iter().take(SHOWN);
            let with =
                mentions.iter().skip(SHOWN).filter(|mention| both.contains(&mention.chunk)).take(SHOWN);
            let mut lines = vec![format!("{letter}: {}", self.called(sides, entity))];
            for mention in first.chain(with) {
                let line = mention.description.line(&self.index.document.text);
                lines.push(format!("- {}", &line[..line.floor_char_boundary(LINE.min(line.len()))]));
                last = last.max(self.end(mention.chunk));
            }
            lines.join("\n")
        };
        let text = [block('A', open.pair.one), block('B', open.pair.other)].join("\n");
        (text, last)
    }

    /// Its names and its type.
    fn called(&self, sides: &Sides, entity: usize) -> String {
        let others = self.index.knowledge.entities.get(entity).map_or(&[][..], |entity| &entity.aliases);
        let name = &sides.all[entity].name;
        let others: Vec<&str> =
            others.iter().map(|alias| alias.name.as_str()).filter(|other| other != name).take(4).collect();
        let also = if others.is_empty() { String::new() } else { format!(", also {}", others.join(", ")) };
        format!("{name} ({}{also})", sides.all[entity].kind.as_str())
    }

    /// Where a chunk's text ends.
    fn end(&self, chunk: ChunkId) -> u32 {
        let text = &self.index.document.text;
        let span = self.index.chunks.get(chunk.index()).map(|chunk| chunk.span);
        span.map_or(0, |span| span.start + span.of(text).trim_end().len() as u32)
    }
}
