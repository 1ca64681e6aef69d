//! Which types of entities a book has: suggested from some of its chunks, then refined to one list (CodaRAG,
//! type discovery; systems 2.2, I.a).
//!
//! The chat model reads a few chunks, the first, the last and those evenly between, within a budget of tokens,
//! and proposes types for each; one request over all proposals puts together what means the same. Where the
//! proposals are longer than a request should be, they are refined in groups first. Each type says which of the
//! five [kinds](EntityKind) it belongs to, so whoever knows the kinds alone is not disturbed.
//!
//! Budget, group size and the eight types of a chunk are ours: the paper's outline gives none. A list that the
//! model does not give is what was proposed most; no proposals at all leave the five kinds, and an issue.
//!
//! Invariant: no two names are equal in folded words, none is empty or *other*, and no more are kept than the
//! configuration allows.

use std::pin::pin;

use futures_util::{StreamExt, stream};

use super::passage::name_words;
use crate::asker::{Asked, Asker};
use crate::error::Result;
use crate::index::Index;
use crate::knowledge::{Chunk, EntityKind, EntityType, Issue};
use crate::lexical::bare;
use crate::llm::reply;
use crate::pace::Pace;
use crate::prompts::{INVENTORY, TYPES};
use crate::text::tokens;

/// The most tokens of the chunks that types are suggested from.
const SAMPLE: u32 = 4096;
/// The most tokens of proposals in one request.
const POOL: u32 = 3000;
/// Rounds of refining in groups; each shortens what is longer than one request.
const ROUNDS: usize = 4;

/// A proposed type and how many proposed it.
struct Proposal {
    known: EntityType,
    count: u32,
}

/// The types of a book; none, with an issue, where the model proposes none.
///
/// # Errors
/// As [`Asker::list`].
pub(super) async fn discover(
    index: &Index,
    asker: &Asker<'_>,
    at_once: usize,
    pace: &Pace<'_>,
) -> Result<(Vec<EntityType>, Option<Issue>)> {
    let most = index.config.most_types;
    let mut pool = suggested(index, asker, at_once, pace).await?;
    if pool.is_empty() {
        let message =
            "The chat model proposed no types of entities; the five that there always are were used.";
        return Ok((Vec::new(), Some(Issue::new("types_default", message))));
    }
    for _ in 0..ROUNDS {
        let groups = groups(&pool);
        let last = groups.len() == 1;
        let mut refined = Vec::new();
        for group in groups {
            refined.extend(refine(group, most, asker).await?);
        }
        pool = pooled(refined);
        if last {
            break;
        }
    }
    let mut types: Vec<EntityType> = pool.into_iter().map(|proposal| proposal.known).collect();
    types.truncate(most);
    Ok((types, None))
}

/// What the sampled chunks propose, each type once, in the order of the book.
async fn suggested(
    index: &Index,
    asker: &Asker<'_>,
    at_once: usize,
    pace: &Pace<'_>,
) -> Result<Vec<Proposal>> {
    let text = &index.document.text;
    let chunks = sample(&index.chunks);
    let total = chunks.len();
    let asking = chunks.into_iter().map(async |chunk: &Chunk| {
        asker.list("types", &TYPES.request(chunk.span.of(text), ""), reply::entities).await
    });
    let mut coming = pin!(stream::iter(asking).buffered(at_once.max(1)));
    let (mut proposed, mut done) = (Vec::new(), 0);
    while let Some(asked) = coming.next().await {
        if let Asked::Read(types) | Asked::Part(types) = asked? {
            proposed.extend(types.into_iter().map(|found| Proposal { known: named(found), count: 1 }));
        }
        done += 1;
        pace.report("types", done, total, Some(asker.tokens()), None).await?;
    }
    Ok(pooled(proposed))
}

/// The first chunk, the last, and as many evenly between as the budget allows.
fn sample(chunks: &[Chunk]) -> Vec<&Chunk> {
    let largest = chunks.iter().map(|chunk| chunk.tokens).max().unwrap_or(1).max(1);
    let (count, last) = (((SAMPLE / largest) as usize).max(1), chunks.len().saturating_sub(1));
    if chunks.len() <= count {
        return chunks.iter().collect();
    }
    (0..count).filter_map(|step| chunks.get(step * last / (count - 1).max(1))).collect()
}

fn named(found: reply::Entity) -> EntityType {
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    EntityType { name: line(&found.name), kind: found.kind, description: found.description }
}

/// What makes two names one: their folded words without an article.
fn folded(name: &str) -> Vec<String> {
    bare(&name_words(name)).to_vec()
}

/// Each type once, with the counts of all proposals that name it; the first one tells what it is.
fn pooled(proposed: Vec<Proposal>) -> Vec<Proposal> {
    let mut pool: Vec<Proposal> = Vec::new();
    for proposal in proposed {
        let words = folded(&proposal.known.name);
        if words.is_empty() || words == ["other"] {
            continue;
        }
        match pool.iter_mut().find(|known| folded(&known.known.name) == words) {
            Some(known) => known.count += proposal.count,
            None => pool.push(proposal),
        }
    }
    pool
}

/// The pool in runs that fit one request each.
fn groups(pool: &[Proposal]) -> Vec<&[Proposal]> {
    let (mut groups, mut start, mut size) = (Vec::new(), 0, 0);
    for (at, proposal) in pool.iter().enumerate() {
        let cost = tokens(&line(proposal));
        if size + cost > POOL && at > start {
            groups.extend(pool.get(start..at));
            (start, size) = (at, 0);
        }
        size += cost;
    }
    groups.extend(pool.get(start..));
    groups
}

fn line(Proposal { known, count }: &Proposal) -> String {
    format!("{} ({}), {count}: {}", known.name, known.kind.as_str(), known.description)
}

/// One list of a group's types; those proposed most, where the model gives none.
async fn refine(group: &[Proposal], most: usize, asker: &Asker<'_>) -> Result<Vec<Proposal>> {
    let lines: Vec<String> = group.iter().map(line).collect();
    let request = INVENTORY.request(&lines.join("\n"), &format!("Types: {most} at most."));
    let read = match asker.list("types", &request, reply::entities).await? {
        Asked::Read(types) if !types.is_empty() => types,
        _ => {
            let mut order: Vec<&Proposal> = group.iter().collect();
            order.sort_by_key(|proposal| std::cmp::Reverse(proposal.count));
            let kept = order.into_iter().take(most);
            return Ok(kept.map(|kept| Proposal { known: kept.known.clone(), count: kept.count }).collect());
        }
    };
    Ok(read.into_iter().take(most).map(|found| Proposal { known: named(found), count: 1 }).collect())
}

/// What stands under a passage whose entities are to be typed.
pub(super) fn listed(types: &[EntityType]) -> String {
    let line = |known: &EntityType| format!("- {}: {}", known.name, known.description);
    format!("Types:\n{}\n- other", types.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Settles what a reply calls an entity: one of the types, or none of them.
pub(super) fn settle(entity: &mut reply::Entity, types: &[EntityType]) {
    let words = folded(&entity.category);
    let known = types.iter().find(|known| folded(&known.name) == words);
    entity.category = known.map(|known| known.name.clone()).unwrap_or_default();
    entity.kind = known.map_or(entity.kind, |known| known.kind);
}

/// The one of the types that most say an entity is, among those of its kind; of several the first listed.
pub(super) fn voted(votes: &[String], kind: EntityKind, types: &[EntityType]) -> Option<String> {
    let count = |known: &&EntityType| votes.iter().filter(|vote| **vote == known.name).count();
    let fitting = types.iter().filter(|known| known.kind == kind && count(known) > 0);
    fitting.rev().max_by_key(count).map(|known| known.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Span;

    fn chunks(count: usize, tokens: u32) -> Vec<Chunk> {
        (0..count).map(|at| Chunk { span: Span::new(at, at + 1), chapter: 0, tokens }).collect()
    }

    #[test]
    fn a_sample_has_both_ends_and_keeps_its_budget() {
        for (count, tokens, taken) in
            [(0, 512, 0), (1, 512, 1), (8, 512, 8), (100, 512, 8), (100, 64, 64), (100, 9999, 1)]
        {
            let chunks = chunks(count, tokens);
            let sample = sample(&chunks);
            assert_eq!(sample.len(), taken, "{count} chunks of {tokens}");
            let all: u32 = sample.iter().map(|chunk| chunk.tokens).sum();
            assert!(all <= SAMPLE || sample.len() == 1);
            assert!(sample.windows(2).all(|two| two[0].span.start < two[1].span.start));
            if taken > 1 {
                assert_eq!((sample[0].span.start, sample[taken - 1].span.start), (0, count as u32 - 1));
            }
        }
    }

    fn known(name: &str, kind: EntityKind) -> EntityType {
        EntityType { name: name.to_owned(), kind, description: "x".repeat(400) }
    }

    #[test]
    fn a_pool_has_each_type_once_and_no_other() {
        let proposed = ["ship", "Other", "The Ship", "", "ferryman", "other"];
        let proposed = proposed.map(|name| Proposal { known: known(name, EntityKind::Object), count: 1 });
        let pool = pooled(proposed.into());
        let counts: Vec<(&str, u32)> = pool.iter().map(|p| (p.known.name.as_str(), p.count)).collect();
        assert_eq!(counts, [("ship", 2), ("ferryman", 1)]);
    }

    #[test]
    fn groups_fit_a_request_and_lose_nothing() {
        let pool: Vec<Proposal> = (0..90)
            .map(|at| Proposal { known: known(&format!("type {at}"), EntityKind::Place), count: 1 })
            .collect();
        let groups = groups(&pool);
        assert!(groups.len() > 1);
        assert_eq!(groups.iter().map(|group| group.len()).sum::<usize>(), 90);
        for group in groups {
            assert!(group.iter().map(|one| tokens(&line(one))).sum::<u32>() <= POOL);
        }
    }

    #[test]
    fn votes_are_counted_among_the_types_of_the_kind() {
        let types = [
            known("ferryman", EntityKind::Person),
            known("ship", EntityKind::Object),
            known("guest", EntityKind::Person),
        ];
        let votes = ["ship", "ship", "guest", "ferryman", "nobody"].map(str::to_owned);
        assert_eq!(voted(&votes, EntityKind::Person, &types).as_deref(), Some("ferryman"));
        assert_eq!(voted(&votes, EntityKind::Object, &types).as_deref(), Some("ship"));
        assert_eq!(voted(&votes, EntityKind::Place, &types), None);
    }
}
