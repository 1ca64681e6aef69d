//! Knowledge Consolidation: fragments of one person, place or thing are merged (CodaRAG I.c, systems 2.2).
//!
//! Rules have brought the forms of names together already (`offline::persons`); what is left apart, and what
//! a chat model named beside them, is looked at here, in the order of these files: [`sides`] reads every
//! entity's names, [`candidates`] pairs those that are alike or share a name, [`bond`] says what names alone
//! tell, [`ask`] lets a chat model decide, [`author`] what the author wishes, [`unite`] makes groups without
//! chains, [`apply`] makes each group one entity. Every decision is kept, merged or not, with its reason and
//! where its evidence ends.
//!
//! Where no chat model reads, likeness decides nothing, so only pairs that share a name are looked at.
//!
//! Invariant: the same entities in another order give the same groups, and what is consolidated once stays
//! as it is.

mod apply;
mod ask;
mod author;
mod bond;
mod candidates;
mod decide;
mod sides;
#[cfg(test)]
mod tests;
mod unite;

use crate::asker::Asker;
use crate::config::By;
use crate::error::Result;
use crate::index::Index;
use crate::knowledge::{Issue, Merge};
use crate::llm::Embedder;
use crate::llm::ledger::Ledger;
use crate::pace::Pace;

pub(crate) use ask::BATCH;
pub(crate) use author::{ISSUES, placed, replaced};
pub(crate) use sides::NAMED;

use decide::Decision;
use sides::Sides;

/// Who decides, where rules do not.
pub(crate) struct Chat<'a> {
    /// The chat model.
    pub(crate) asker: &'a Asker<'a>,
    /// Requests side by side.
    pub(crate) at_once: usize,
    /// An endpoint's embedder; without one the built-in finds who is alike.
    pub(crate) embed: Option<&'a dyn Embedder>,
    /// What vectors cost.
    pub(crate) ledger: &'a Ledger,
}

/// Merges the fragments of an index's entities; `known` are decisions of a chat model that are not asked for
/// again.
///
/// # Errors
/// The endpoint's own where it is gone, refuses or wants another key; `aborted` when the caller cancels.
pub(crate) async fn consolidate(
    index: &mut Index,
    known: &[Merge],
    chat: Option<&Chat<'_>>,
    pace: &Pace<'_>,
) -> Result<Vec<Issue>> {
    if index.config.merging == By::Off {
        return Ok(Vec::new());
    }
    let chat = chat.filter(|_| index.config.merging != By::Rule);
    let sides = Sides::new(index, known);
    let wished = author::wished(&sides, &index.wishes, index.document.text.len() as u32);
    let alike = match chat {
        Some(chat) => candidates::alike(index, chat, pace).await?,
        None => Vec::new(),
    };
    let pairs = candidates::pairs(&sides, &alike, index.config.merge_types);
    pace.step("merges", 0, 1).await?;
    let (mut decisions, open) = decide::by_rule(&sides, pairs, &wished, known, chat.is_some());
    let mut issues = wished.issues;
    if let Some(chat) = chat {
        decisions.extend(ask::decide(index, &sides, open, chat, &mut issues, pace).await?);
    }
    let groups = unite::unite(&sides, &mut decisions);
    record(index, &sides, &decisions);
    apply::apply(&mut index.knowledge, &groups, &decisions, &wished.names);
    forget_settled(index);
    Ok(issues)
}

/// Adds the decisions to those of the forms.
fn record(index: &mut Index, sides: &Sides, decisions: &[Decision]) {
    let mut merges: Vec<Merge> = decisions.iter().map(|decision| decision.merge(sides)).collect();
    let names = |merge: &Merge| (merge.places, merge.one.clone(), merge.other.clone());
    merges.sort_by_key(names);
    index.knowledge.merges.append(&mut merges);
}

/// Drops what says that two are apart that became one by another way.
fn forget_settled(index: &mut Index) {
    let settled = Sides::new(index, &[]);
    index.knowledge.merges.retain(|merge| {
        let ends = (settled.at(merge.places.0), settled.at(merge.places.1));
        merge.verdict == crate::knowledge::Verdict::Same || ends.0.is_none() || ends.0 != ends.1
    });
}
