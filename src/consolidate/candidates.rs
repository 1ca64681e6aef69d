//! Which pairs of entities are looked at: neighbours by their vectors, and whoever shares a name.
//!
//! Each entity's name and description is embedded; of each the nearest others count, as many as
//! `merge_neighbours`, where they reach `merge_cosine`. The built-in embedder's cosines are on another scale,
//! so there the bar is a share of the entities themselves (`merge_share`), as for synonyms. Only entities of
//! one type are paired, or such of which one has none for sure.

use std::collections::BTreeMap;

use super::Chat;
use super::bond::Bearers;
use super::sides::{Side, Sides};
use crate::algo::vector::{Rows, descending};
use crate::config::MergeTypes;
use crate::error::{Code, Error, Result};
use crate::graph::{Bar, Synonym, Synonyms};
use crate::index::Index;
use crate::knowledge::EntityKind;
use crate::llm::account;
use crate::llm::batch::MOST_TEXTS;
use crate::offline::embedder::Embedder;
use crate::pace::Pace;
use crate::scales::Scales;

/// Two entities, the smaller first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) one: usize,
    pub(super) other: usize,
    /// How near they are; 0 where only a name brought them together.
    pub(super) cosine: f64,
}

/// The nearest neighbours of every entity, by what is told of it.
///
/// # Errors
/// The endpoint's own; `aborted` when the caller cancels.
pub(super) async fn alike(index: &Index, chat: &Chat<'_>, pace: &Pace<'_>) -> Result<Vec<Synonym>> {
    let text = &index.document.text;
    let entities = &index.knowledge.entities;
    let names: Vec<String> = entities.iter().map(|entity| entity.name.clone()).collect();
    let told: Vec<String> =
        entities.iter().map(|entity| format!("{}: {}", entity.name, entity.description.line(text))).collect();
    let (rows, bar) = match chat.embed {
        Some(_) => (by_endpoint(chat, &told, pace).await?, Bar::Cosine(index.config.merge_cosine)),
        None => (built_in(index, &told, pace).await?, Bar::Share(index.config.merge_share)),
    };
    let synonyms = Synonyms::find(&names, &rows, bar, pace).await?;
    Ok(nearest(synonyms.edges, index.config.merge_neighbours))
}

async fn built_in(index: &Index, told: &[String], pace: &Pace<'_>) -> Result<Rows> {
    let (lexicon, scales) = Scales::new(index, pace).await?;
    let embedder = Embedder::learn(&lexicon, &scales.events, index.config.dims, pace).await?;
    let mut rows = Rows::exact(embedder.dims(), Vec::new());
    for (done, text) in told.iter().enumerate() {
        rows.push(&embedder.embed(&lexicon, text));
        pace.step("merge_vectors", done, told.len()).await?;
    }
    Ok(rows)
}

async fn by_endpoint(chat: &Chat<'_>, told: &[String], pace: &Pace<'_>) -> Result<Rows> {
    let Some(embedder) = chat.embed else { return Ok(Rows::exact(0, Vec::new())) };
    let mut rows: Option<Rows> = None;
    for (done, some) in told.chunks(MOST_TEXTS).enumerate() {
        for vector in account::embed(chat.ledger, "merge_vectors", embedder, some).await?.vectors {
            let rows = rows.get_or_insert_with(|| Rows::exact(vector.len(), Vec::new()));
            if vector.len() != rows.dims() {
                let message = format!(
                    "the embedding endpoint gave {} numbers where it gave {} before",
                    vector.len(),
                    rows.dims()
                );
                return Err(Error::new(Code::VectorInvalid, message));
            }
            rows.push(&vector);
        }
        let done = ((done + 1) * MOST_TEXTS).min(told.len());
        pace.report("merge_vectors", done, told.len(), Some(chat.ledger.tokens()), None).await?;
    }
    Ok(rows.unwrap_or_else(|| Rows::exact(1, Vec::new())))
}

/// Of each entity's neighbours the nearest.
fn nearest(edges: Vec<Synonym>, most: usize) -> Vec<Synonym> {
    let mut of: BTreeMap<u32, Vec<Synonym>> = BTreeMap::new();
    edges.into_iter().for_each(|edge| of.entry(edge.from).or_default().push(edge));
    let nearest = of.into_values().flat_map(|mut edges| {
        edges.sort_by(|a, b| descending(a.cosine, b.cosine).then(a.to.cmp(&b.to)));
        edges.truncate(most);
        edges
    });
    nearest.collect()
}

/// Every pair once, by entity: those that are alike and those that share a name.
pub(super) fn pairs(sides: &Sides, alike: &[Synonym], types: MergeTypes) -> Vec<Pair> {
    let mut pairs: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for edge in alike {
        let (from, to) = (edge.from as usize, edge.to as usize);
        pairs.insert((from.min(to), from.max(to)), edge.cosine);
    }
    for (one, other) in Bearers::new(&sides.all).pairs() {
        pairs.entry((one.min(other), one.max(other))).or_insert(0.0);
    }
    let allowed =
        |one: usize, other: usize| types == MergeTypes::Any || same_type(&sides.all[one], &sides.all[other]);
    let pairs = pairs.into_iter().filter(|((one, other), _)| allowed(*one, *other));
    pairs.map(|((one, other), cosine)| Pair { one, other, cosine }).collect()
}

fn same_type(one: &Side, other: &Side) -> bool {
    one.kind == other.kind || [one.kind, other.kind].contains(&EntityKind::Other)
}
