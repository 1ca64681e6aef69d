//! Knowledge by a chat model: what PonsRAG's index asks of one, checked against the book.
//!
//! Each chunk is read in four questions: its entities, the triples that it states of them, its events in order
//! (PonsRAG 4.1; HippoRAG 2 for the triples), and once more whom and what the first two missed (one gleaning
//! pass, as LightRAG's and GraphRAG's). Then each entity that several chunks describe gets one description, each cluster of events
//! one summary, and each [relation](relations) that many places state one description. Chunks are read side by side; what comes of them is
//! put together in text order by [`assemble`], on the skeleton that rules read.
//!
//! Invariant: everything kept stands in the chunk it is said of. A part that could not be read is an issue,
//! and stays as the rules have it.

mod assemble;
mod cast;
mod merge;
mod passage;
mod read;
mod recall;
mod types;

use futures_util::StreamExt;
use futures_util::stream;

use crate::asker::{Asker, Skip};
use crate::config::Types;
use crate::consolidate::{Chat, consolidate};
use crate::error::Result;
use crate::index::Index;
use crate::knowledge::{Chunk, Decider, EntityType, Issue, Knowledge, Merge, Verdict};
use crate::llm::{ChatModel, Embedder, ledger::Ledger, reply};
use crate::offline;
use crate::pace::Pace;

use assemble::Assembly;

/// What the model wrote of one chunk; `None` for a question it did not answer.
#[derive(Default)]
struct Draft {
    entities: Vec<reply::Entity>,
    triples: Option<Vec<reply::Triple>>,
    events: Option<Vec<reply::Event>>,
    skipped: Vec<(&'static str, Skip)>,
}

/// The codes of what a reading by a chat model leaves to be told and another may mend: not `reply_cut`, since
/// what was read in part is not asked for again.
pub(crate) const ISSUES: [&str; 7] = [
    "reply_withheld",
    "reply_unreadable",
    "reply_failed",
    "ungrounded",
    "types_default",
    "empty_stage",
    "one_hub",
];

/// What was dropped because it does not stand in its chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dropped {
    pub(crate) entities: usize,
    pub(crate) triples: usize,
    pub(crate) events: usize,
}

/// What a chat model made of a book.
pub(crate) struct Extracted {
    /// Rules and model together.
    pub(crate) knowledge: Knowledge,
    /// What could not be read, what was dropped.
    pub(crate) issues: Vec<Issue>,
    /// The same as data.
    pub(crate) reading: Reading,
}

/// How much of a book a chat model read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// What it did not answer for, or not to the end: the chunk, what was asked, and why there is nothing.
    pub(crate) unread: Vec<(usize, &'static str, Skip)>,
    /// What it named that does not stand in its chunk.
    pub(crate) dropped: Dropped,
}

/// Who reads a book.
#[derive(Clone, Copy)]
pub(crate) struct Readers<'a> {
    /// The chat model.
    pub(crate) chat: &'a dyn ChatModel,
    /// An endpoint's embedder, which finds names that may be one.
    pub(crate) embed: Option<&'a dyn Embedder>,
    /// Requests side by side.
    pub(crate) at_once: usize,
}

/// Reads the chunks of an index with a chat model; what `before`, an index of
/// the same chunks, holds of a chat model already is not asked for again. What it costs is told to `ledger`.
///
/// # Errors
/// The endpoint's own where it is gone, refuses every request or wants another key; `aborted` when the
/// caller cancels.
pub(crate) async fn extract(
    index: &Index,
    before: Option<&Index>,
    readers: Readers<'_>,
    ledger: &Ledger,
    pace: &Pace<'_>,
) -> Result<Extracted> {
    let (skeleton, mut issues) =
        offline::extract_as(&index.document, &index.chunks, &index.config, &index.wishes, pace).await?;
    let mut read = over(index, skeleton, before, readers, ledger, pace).await?;
    issues.append(&mut read.issues);
    Ok(Extracted { issues, ..read })
}

/// The same over what rules read of the chunks.
///
/// # Errors
/// As [`extract`].
pub(crate) async fn over(
    index: &Index,
    skeleton: Knowledge,
    before: Option<&Index>,
    readers: Readers<'_>,
    ledger: &Ledger,
    pace: &Pace<'_>,
) -> Result<Extracted> {
    let (document, chunks, at_once) = (&index.document, &index.chunks, readers.at_once);
    let asker = Asker::new(readers.chat, ledger, pace);
    let kept = before.map(|index| recall::drafts(index, true)).unwrap_or_default();
    let (types, untyped) = match before {
        _ if index.config.types == Types::Default => (Vec::new(), None),
        Some(before) if !before.knowledge.types.is_empty() => (before.knowledge.types.clone(), None),
        _ => types::discover(index, &asker, at_once, pace).await?,
    };
    let drafts = read_all(index, kept, &types, &asker, at_once, pace).await?;
    let mut assembly = Assembly::new(&document.text, skeleton);
    let mut skipped = Vec::new();
    for (at, (chunk, mut draft)) in chunks.iter().zip(drafts).enumerate() {
        skipped.extend(draft.skipped.drain(..).map(|(task, skip)| (at, task, skip)));
        assembly.add(chunk, draft);
        pace.step("assemble", at, chunks.len()).await?;
    }
    let mut issues = skips(&skipped);
    let reading = Reading { unread: skipped, dropped: assembly.dropped };
    issues.extend(ungrounded(reading.dropped));
    issues.extend(untyped);
    let mut knowledge = assembly.finish(types);
    merge::join(&document.text, &mut knowledge);
    let mut whole = Index { knowledge, ..index.clone() };
    let known = before.map_or(Vec::new(), |index| decided(index, u32::MAX));
    let chat = Chat { asker: &asker, at_once, embed: readers.embed, ledger };
    issues.extend(consolidate(&mut whole, &known, Some(&chat), pace).await?);
    let mut knowledge = whole.knowledge;
    merge::join(&document.text, &mut knowledge);
    let before = before.map(|index| &index.knowledge);
    issues.extend(merge::write(&document.text, &mut knowledge, before, &asker, at_once, pace).await?);
    Ok(Extracted { knowledge, issues, reading })
}

/// Lets the chat model make one text of what ties two entities where more places than
/// [`FRAGMENTS`](crate::knowledge::FRAGMENTS) state it (LightRAG); what it made of the same sentences `before`
/// is kept. Relations are made when it is settled who is who, so this comes after [`over`].
///
/// # Errors
/// As [`extract`].
pub(crate) async fn relations(
    index: &mut Index,
    before: Option<&Index>,
    model: &dyn ChatModel,
    at_once: usize,
    ledger: &Ledger,
    pace: &Pace<'_>,
) -> Result<Vec<Issue>> {
    let asker = Asker::new(model, ledger, pace);
    let before = before.map(|index| &index.knowledge);
    merge::relate(&index.document.text, &mut index.knowledge, before, &asker, at_once, pace).await
}

/// What a chat model decided of names, of merges only what a reader knows before an offset.
fn decided(index: &Index, until: u32) -> Vec<Merge> {
    let merges = index.knowledge.merges.iter().filter(|merge| merge.by == Decider::Chat);
    merges.filter(|merge| merge.verdict != Verdict::Same || merge.evidence <= until).cloned().collect()
}

/// What a chat model made of a book as far as a cut, or as other wishes have it: its words on the chunks that
/// end before it, put on what rules read of the text of `blank`, an index without knowledge. A description or
/// summary that the model merged rests on later text too,
/// so the parts before the cut are joined instead.
///
/// # Errors
/// `aborted` when the caller cancels.
pub(crate) async fn until(whole: &Index, blank: &Index, pace: &Pace<'_>) -> Result<Extracted> {
    let (document, chunks) = (&blank.document, &blank.chunks);
    let (skeleton, mut issues) =
        offline::extract_as(document, chunks, &blank.config, &blank.wishes, pace).await?;
    let cut = document.text.len() < whole.document.text.len();
    let drafts = recall::drafts(whole, !cut);
    let mut assembly = Assembly::new(&document.text, skeleton);
    for (at, (chunk, draft)) in chunks.iter().zip(drafts).enumerate() {
        // A chunk's trailing white space tells nothing.
        let told = |chunk: &Chunk, text: &str| chunk.span.of(text).trim_end().len();
        let was = whole.chunks.get(at).map(|was| told(was, &whole.document.text));
        let parted = was != Some(told(chunk, &document.text));
        assembly.add(chunk, if parted { Draft::default() } else { draft });
        pace.step("assemble", at, chunks.len()).await?;
    }
    // Who is of which type was settled by the whole book's votes.
    let types = if cut { Vec::new() } else { whole.knowledge.types.clone() };
    let mut knowledge = assembly.finish(types);
    merge::join(&document.text, &mut knowledge);
    let mut part = Index { knowledge, ..blank.clone() };
    let known = decided(whole, document.text.len() as u32);
    issues.extend(consolidate(&mut part, &known, None, pace).await?);
    merge::join(&document.text, &mut part.knowledge);
    Ok(Extracted { knowledge: part.knowledge, issues, reading: Reading::default() })
}

/// One draft a chunk, in text order whatever order they came in.
async fn read_all(
    index: &Index,
    kept: Vec<Draft>,
    types: &[EntityType],
    asker: &Asker<'_>,
    at_once: usize,
    pace: &Pace<'_>,
) -> Result<Vec<Draft>> {
    let kept = kept.into_iter().chain(std::iter::repeat_with(Draft::default));
    let (text, chunks) = (&index.document.text, &index.chunks);
    let how = &read::How { types, gleaning: index.config.gleaning > 0 };
    let reading = chunks.iter().zip(kept).map(|(chunk, kept)| read::draft(text, chunk, kept, how, asker));
    let mut coming = stream::iter(reading).buffered(at_once.max(1));
    let mut drafts = Vec::with_capacity(chunks.len());
    let begun = pace.now_ms();
    pace.report("passages", 0, chunks.len(), Some(0), None).await?;
    while let Some(draft) = coming.next().await {
        drafts.push(draft?);
        let left = (pace.now_ms() - begun) / drafts.len() as f64 * (chunks.len() - drafts.len()) as f64;
        let (done, total) = (drafts.len(), chunks.len());
        pace.report("passages", done, total, Some(asker.tokens()), Some(left / 1e3)).await?;
    }
    Ok(drafts)
}

/// The skipped parts, one issue a reason, with the chunks.
fn skips(skipped: &[(usize, &'static str, Skip)]) -> Vec<Issue> {
    let of = |code: &'static str, what: &str, wanted: fn(&Skip) -> bool| {
        let parts: Vec<String> = skipped
            .iter()
            .filter(|(_, _, skip)| wanted(skip))
            .map(|(chunk, task, _)| format!("{task} of chunk {chunk}"))
            .collect();
        let why = skipped.iter().find_map(|(_, _, skip)| match skip {
            Skip::Unreadable(why) | Skip::Failed(why) if wanted(skip) => Some(format!(" (first: {why})")),
            _ => None,
        });
        let message = format!("{what}{}: {}.", why.unwrap_or_default(), listed(&parts));
        (!parts.is_empty()).then(|| Issue::new(code, message))
    };
    let kinds = [
        of("reply_withheld", "The endpoint's content filter withheld replies", |skip| {
            *skip == Skip::Withheld
        }),
        of("reply_unreadable", "Replies of the chat model could not be read", |skip| {
            matches!(skip, Skip::Unreadable(_))
        }),
        of("reply_failed", "Requests to the chat model failed", |skip| matches!(skip, Skip::Failed(_))),
        of(
            "reply_cut",
            "Replies of the chat model were cut off, and what stood before the cut is kept (a second reading of \
             the index does not ask for them again; one of the text does, where no reply is kept)",
            |skip| *skip == Skip::Cut,
        ),
    ];
    kinds.into_iter().flatten().collect()
}

/// At most so many parts are named in an issue.
const LISTED: usize = 20;

fn listed(parts: &[String]) -> String {
    let some = parts[..parts.len().min(LISTED)].join(", ");
    match parts.len().saturating_sub(LISTED) {
        0 => some,
        more => format!("{some} and {more} more"),
    }
}

fn ungrounded(dropped: Dropped) -> Option<Issue> {
    let Dropped { entities, triples, events } = dropped;
    (dropped != Dropped::default()).then(|| {
        let message = format!(
            "The chat model named what does not stand in its chunk; left out were {entities} entities, \
             {triples} triples and {events} events."
        );
        Issue::new("ungrounded", message)
    })
}
