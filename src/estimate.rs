//! What a book will cost, before anything is spent.
//!
//! An estimate is a build whose models are none: the same requests are made of the same passages, and a
//! dutiful reader of ours ([`reader`]) answers them with what rules found. What every request holds is then
//! counted like a real one. So the questions to each chunk are exact but for the names that a real model
//! would find; descriptions, summaries and their vectors follow from its replies, and are told as a range.
//!
//! Invariant: nothing is sent.

mod reader;

use crate::book::Book;
use crate::build;
use crate::config::{IndexConfig, Types};
use crate::consolidate::BATCH;
use crate::describe;
use crate::error::Result;
use crate::extract::{self, Readers};
use crate::knowledge::Issue;
use crate::llm::Embedder;
use crate::llm::ledger::{Call, Ledger};
use crate::offline;
use crate::pace::{Host, Pace};
use crate::prompts::{
    DESCRIPTION, ENTITIES, EVENTS, GLEANING, INVENTORY, MERGES, RELATION, SUMMARY, TRIPLES,
};
use crate::report::{Estimate, EstimatedStage};
use crate::spaces;
use crate::text::{self, ReadOptions};

use reader::Reader;

/// Which models are to build a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct By {
    /// Whether a chat model reads it.
    pub chat: bool,
    /// Whether an endpoint's embedder embeds it.
    pub embed: bool,
}

/// By how much the number of what a model finds may differ from what rules find: half as much, or twice.
const FACTOR: u32 = 2;

/// The fewest tokens of a reply: an empty list.
const EMPTY: u32 = 5;

/// What building a book by models would cost.
///
/// # Errors
/// As [`Engine::build`](crate::Engine::build).
pub async fn estimate(
    bytes: &[u8],
    read: &ReadOptions,
    config: IndexConfig,
    by: By,
    host: &dyn Host,
) -> Result<Estimate> {
    config.check()?;
    let pace = &Pace::new(host);
    let document = text::read_paced(bytes, read, pace).await?;
    let chunks = text::chunk_paced(&document, config.chunk_tokens, config.chunk_overlap, pace).await?;
    let (skeleton, _) = offline::extract_as(&document, &chunks, &config, &read.merges, pace).await?;
    let mut index = build::blank(document, chunks, config, read.merges.clone());
    let (reader, ledger) = (Reader::new(&index, &skeleton), Ledger::default());
    index.knowledge = match by.chat {
        true => {
            let embed = by.embed.then_some(&reader as &dyn Embedder);
            let readers = Readers { chat: &reader, embed, at_once: 1 };
            extract::over(&index, skeleton, None, readers, &ledger, pace).await?.knowledge
        }
        false => skeleton,
    };
    index.knowledge.relate(config.weak_tie);
    if by.chat {
        extract::relations(&mut index, None, &reader, 1, &ledger, pace).await?;
    }
    let looked_at = index.knowledge.entities.len().saturating_mul(config.merge_neighbours).div_ceil(BATCH);
    if by.embed {
        let book = Book::new(index, pace).await?;
        spaces::embedded(&book, &reader, 1, &ledger, pace).await?;
    }
    let most = Most { chunks: 0, merges: u32::try_from(looked_at).unwrap_or(u32::MAX) };
    Ok(document_of(&ledger.calls(), by, config.types, most))
}

/// The most requests of a kind that a book may take.
#[derive(Clone, Copy)]
struct Most {
    /// One for each chunk: every chunk may name somebody, of whom triples are then asked.
    chunks: u32,
    /// As many as ask which names are one where each has as many neighbours as may be.
    merges: u32,
}

fn document_of(calls: &[Call], by: By, types: Types, most: Most) -> Estimate {
    let chunks = calls.iter().find(|call| call.stage == "entities").map_or(0, |call| call.requests);
    let most = Most { chunks, ..most };
    let stages: Vec<EstimatedStage> = calls.iter().map(|call| stage(call, most, by, types)).collect();
    let sum = |pick: fn(&EstimatedStage) -> u32| stages.iter().map(pick).fold(0, u32::saturating_add);
    let range = |pick: fn(&EstimatedStage) -> [u32; 2]| {
        let end = |end: usize| stages.iter().map(|stage| pick(stage)[end]).fold(0, u32::saturating_add);
        [end(0), end(1)]
    };
    let total = EstimatedStage {
        stage: "total".to_owned(),
        requests: sum(|stage| stage.requests),
        prompt_tokens: sum(|stage| stage.prompt_tokens),
        completion_tokens: sum(|stage| stage.completion_tokens),
        requests_range: range(|stage| stage.requests_range),
        prompt_range: range(|stage| stage.prompt_range),
        completion_range: range(|stage| stage.completion_range),
    };
    Estimate { stages, total, issues: issues(by).iter().map(describe::issue).collect() }
}

/// The most tokens of a reply at a stage; none for one of vectors.
fn most(stage: &str) -> Option<u32> {
    let task = match stage {
        "entities" => ENTITIES,
        "triples" => TRIPLES,
        "types" => INVENTORY,
        "gleaning" => GLEANING,
        "events" => EVENTS,
        "relations" => RELATION,
        "merges" => MERGES,
        "descriptions" => DESCRIPTION,
        "summaries" => SUMMARY,
        _ => return None,
    };
    Some(task.max_tokens)
}

fn stage(call: &Call, all: Most, by: By, types: Types) -> EstimatedStage {
    let small = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
    let (requests, prompt, completion) =
        (call.requests, small(call.prompt_tokens), small(call.completion_tokens));
    let each = |count: u32| count.div_ceil(requests.max(1));
    // What is asked of each chunk is known; of the rest rules know the size alone.
    let range = |count: u32| match call.stage {
        "entities" | "events" | "chunk_vectors" | "probe" => [count, count],
        "triples" => [count / FACTOR, each(count).saturating_mul(all.chunks.max(requests))],
        // Who is alike depends on the vectors: at the most everybody has as many neighbours as may be.
        "merges" => {
            [count / FACTOR, each(count).saturating_mul(all.merges.max(requests).saturating_mul(FACTOR))]
        }
        stage if !by.chat && most(stage).is_none() => [count, count],
        // Names make pairs: twice as many names are four times as many relations.
        "relation_vectors" => [count / (FACTOR * FACTOR), count.saturating_mul(FACTOR * FACTOR)],
        _ => [count / FACTOR, count.saturating_mul(FACTOR)],
    };
    // One for each chunk, but what stands under its passage is modelled: what was found of it, or the types.
    let listed = call.stage == "gleaning" || call.stage == "entities" && types == Types::Discover;
    let requests_range = if listed { [requests; 2] } else { range(requests) };
    let prompt_range = if listed { [prompt / FACTOR, prompt.saturating_mul(FACTOR)] } else { range(prompt) };
    let most = most(call.stage).unwrap_or(0);
    let fewest = if most == 0 { 0 } else { EMPTY };
    EstimatedStage {
        stage: call.stage.to_owned(),
        requests,
        prompt_tokens: prompt,
        completion_tokens: completion,
        requests_range,
        prompt_range,
        completion_range: [requests_range[0].saturating_mul(fewest), requests_range[1].saturating_mul(most)],
    }
}

fn issues(by: By) -> Vec<Issue> {
    let mut issues = Vec::new();
    if by.chat {
        let message = "Descriptions, summaries and the vectors of what the model finds follow from its \
            replies: they are reckoned from what rules find, and may be half or twice as many. Which names are \
            looked at as one depends on their vectors too: at the most ten of each.";
        issues.push(Issue::new("estimate_modelled", message));
        let message = "A reply that cannot be read is asked for once more, and a request that fails up to twice \
            more; neither is reckoned with.";
        issues.push(Issue::new("estimate_without_retries", message));
    }
    issues
}
