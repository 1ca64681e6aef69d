//! Knowledge without a chat model: rules for English that read who is who and what happens.
//!
//! The stages are files, in this order: the book as [`tokens`], its [`names`] and [`roles`] with the
//! [`evidence`] of what they stand for, [`persons`] merged into the [`cast`] with their [`titles`],
//! [`identities`] that the text states, [`mentions`] with their
//! descriptions, the [`narrators`] of chapters and other [`referents`] of pronouns, [`events`] with
//! [`labels`] of what happens ([`realis`]), [`triples`], and a [`summary`] of each cluster of events.
//! Everything rests on the book's own statistics and on general English; no book is known in advance.
//!
//! Invariant: the result depends on the text and the configuration alone, and every span is one of
//! the document's.

mod agreement;
mod cast;
mod decisions;
pub mod embedder;
pub(crate) mod english;
mod events;
mod evidence;
mod identities;
mod labels;
mod mentions;
mod names;
mod narrators;
pub(crate) mod parts;
mod people;
mod persons;
mod quotes;
mod realis;
pub(crate) mod reasons;
mod referents;
mod roles;
mod scan;
mod summary;
pub(crate) mod ties;
mod titles;
mod tokens;
mod triples;

pub(crate) use triples::NARRATES;

use crate::config::{By, IndexConfig};
use crate::error::Result;
use crate::knowledge::{Chunk, EntityKind, Issue, Knowledge, Span, Wishes};
use crate::pace::Pace;
use crate::text::Document;

/// The codes of what a reading by rule leaves to be told.
pub(crate) const ISSUES: [&str; 3] = ["no_persons", "names_capped", "ties_capped"];

/// Extracts entities with mentions, triples, events and clusters from a document's chunks.
///
/// # Issues
/// `no_persons` when nobody is named; `names_capped` and `ties_capped` when a text holds more
/// different names, or more pairs that appear together, than any book does, and the rest was left out.
///
/// # Errors
/// [`Code::Aborted`](crate::Code::Aborted) when the caller cancels.
pub async fn extract(
    document: &Document,
    chunks: &[Chunk],
    config: &IndexConfig,
    pace: &Pace<'_>,
) -> Result<(Knowledge, Vec<Issue>)> {
    extract_as(document, chunks, config, &Wishes::default(), pace).await
}

/// The same as an author wishes who is who.
///
/// # Errors
/// As [`extract`].
pub async fn extract_as(
    document: &Document,
    chunks: &[Chunk],
    config: &IndexConfig,
    wishes: &Wishes,
    pace: &Pace<'_>,
) -> Result<(Knowledge, Vec<Issue>)> {
    let text = document.text.as_str();
    let mut words = tokens::Words::read(text, chunks, pace).await?;
    quotes::mark(text, &mut words);
    let names = names::Names::find(text, &words, pace).await?;
    let evidence = evidence::gather(&words, &names, pace).await?;
    let mut cast = cast::assemble(&words, &names, &evidence, chunks, config.merging, wishes, pace).await?;
    if config.merging != By::Off {
        identities::join(&words, wishes, &mut cast);
    }
    let mentions = mentions::describe(&words, &mut cast, pace).await?;
    let reading = realis::Reading { text, words: &words };
    let narrations = narrators::find(&words, &cast, chunks);
    let referents = referents::Referents::new(&words, &cast, &narrations);
    let mut plot = events::cut(reading, &cast, &referents, config.event_words, pace).await?;
    let (triples, ties_capped) = triples::extract(&referents, &plot, &narrations, pace).await?;
    summary::summarise(&words, &mut plot, pace).await?;

    let mut issues = Vec::new();
    if !cast.entities.iter().any(|entity| entity.kind == EntityKind::Person) {
        issues.push(Issue::new(
            "no_persons",
            "No person was found in the text, so questions about people find passages only.",
        ));
    }
    if names.capped {
        let message = format!(
            "The text holds more than {} different names; later ones were left out.",
            names::MAX_FORMS
        );
        issues.push(Issue::new("names_capped", message));
    }
    if ties_capped {
        let message =
            format!("More than {} pairs appear together; later ones were left out.", ties::MAX_TIES);
        issues.push(Issue::new("ties_capped", message));
    }
    let knowledge = Knowledge {
        types: Vec::new(),
        entities: cast.entities,
        mentions,
        triples,
        relations: Vec::new(),
        events: plot.events,
        clusters: plot.clusters,
        merges: cast.merges,
        fragments: Vec::new(),
    };
    Ok((knowledge, issues))
}

/// The words by which a text says that something happened, in text order: asserted, past, once. What
/// events are named after, and what docs/quality.md compares with LitBank's *realis* events.
///
/// # Errors
/// [`Code::Aborted`](crate::Code::Aborted) when the caller cancels.
pub async fn happenings(document: &Document, chunks: &[Chunk], pace: &Pace<'_>) -> Result<Vec<Span>> {
    let mut words = tokens::Words::read(&document.text, chunks, pace).await?;
    quotes::mark(&document.text, &mut words);
    let reading = realis::Reading { text: &document.text, words: &words };
    let told = words.tokens.iter().enumerate().filter(|(at, _)| reading.happened(*at));
    Ok(told.map(|(_, token)| token.span()).collect())
}
