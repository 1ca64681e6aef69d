//! From a document to a book: cut, extract, embed, calibrate; by rule, or with models.

use crate::algo::vector::Rows;
use crate::book::Book;
use crate::config::IndexConfig;
use crate::consolidate::{self, consolidate};
use crate::describe;
use crate::error::{Code, Error, Result};
use crate::extract::{self, Readers, Reading};
use crate::graph;
use crate::index::Index;
use crate::knowledge::{Chunk, Issue, Knowledge, Wishes};
use crate::llm::{Models, ledger::Ledger};
use crate::offline;
use crate::pace::Pace;
use crate::part;
use crate::prompts;
use crate::scales::Scales;
use crate::spaces;
use crate::text::{self, Document};

/// Longest title of a chapter that an index keeps, in bytes: it stands before each line of a context.
const LONGEST_TITLE: usize = 500;

/// The longest name of a model, in bytes: an index keeps it.
const LONGEST_MODEL: usize = 1000;

/// Refuses models that an index could not name.
fn named(models: &Models) -> Result<()> {
    let chat = models.chat.as_ref().map_or(0, |chat| chat.name().len());
    let embed = models.embed.as_ref().map_or(0, |embed| embed.name().len());
    if chat.max(embed) <= LONGEST_MODEL {
        return Ok(());
    }
    Err(Error::new(Code::Usage, format!("a model's name is longer than {LONGEST_MODEL} bytes")))
}

/// Bounds what stands before each line of a context.
fn bounded(mut document: Document) -> Document {
    for title in document.chapters.iter_mut().map(|chapter| &mut chapter.title) {
        let end =
            title.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|&end| end <= LONGEST_TITLE);
        title.truncate(end.last().unwrap_or(0));
    }
    document
}

/// Indexes by rule a document that is cut already: an index without knowledge.
///
/// # Errors
/// `aborted` when the caller cancels.
pub(crate) async fn by_rule(mut blank: Index, pace: &Pace<'_>) -> Result<Book> {
    let (document, chunks) = (&blank.document, &blank.chunks);
    let (knowledge, issues) =
        offline::extract_as(document, chunks, &blank.config, &blank.wishes, pace).await?;
    blank.knowledge = knowledge;
    blank.document.issues.extend(issues);
    let issues = consolidate(&mut blank, &[], None, pace).await?;
    blank.document.issues.extend(issues);
    blank.knowledge.relate(blank.config.weak_tie);
    from_index(blank, pace).await
}

/// Indexes a document with a chat model, an endpoint's embedder, or both; what they cost is told to `ledger`.
///
/// # Errors
/// The endpoint's own; `usage` for a model whose name is too long; `aborted` when the caller cancels.
pub(crate) async fn with_models(
    document: Document,
    (config, wishes): (IndexConfig, &Wishes),
    models: &Models,
    ledger: &Ledger,
    pace: &Pace<'_>,
) -> Result<(Book, Reading)> {
    named(models)?;
    let document = bounded(document);
    let chunks = text::chunk_paced(&document, config.chunk_tokens, config.chunk_overlap, pace).await?;
    let wishes = consolidate::placed(wishes, &document, &chunks)?;
    let blank = blank(document, chunks, config, wishes);
    let (mut book, reading) = match &models.chat {
        None => (by_rule(blank, pace).await?, Reading::default()),
        Some(_) => read_by(models, blank, None, ledger, pace).await?,
    };
    embed_by(models, &mut book, ledger, pace).await?;
    Ok((book, reading))
}

/// Reads an index once more with models, or by other wishes: a chat model is asked for what no chat model has
/// answered yet, and an endpoint's vectors are made anew. Without wishes its own are kept.
///
/// # Errors
/// As [`with_models`].
pub(crate) async fn again(
    index: Index,
    wishes: &Wishes,
    models: &Models,
    ledger: &Ledger,
    pace: &Pace<'_>,
) -> Result<(Book, Reading)> {
    let wishes = consolidate::placed(wishes, &index.document, &index.chunks)?;
    let changed = !wishes.is_empty() && wishes != index.wishes;
    let wishes = if changed { wishes } else { index.wishes.clone() };
    let mut open = blank(index.document.clone(), index.chunks.clone(), index.config, wishes);
    let made_anew = |issue: &Issue| {
        let code = issue.code.as_ref();
        extract::ISSUES.contains(&code) && models.chat.is_some()
            || consolidate::ISSUES.contains(&code)
            || offline::ISSUES.contains(&code)
    };
    open.document.issues.retain(|issue| !made_anew(issue));
    if changed && !index.wishes.is_empty() {
        open.document.issues.push(consolidate::replaced(&index.wishes));
    }
    let (mut book, reading) = match (&models.chat, &index.extractor) {
        (Some(_), _) => read_by(models, open, Some(&index), ledger, pace).await?,
        (None, Some(_)) if changed => (retold(&index, open, pace).await?, Reading::default()),
        (None, None) if changed => (by_rule(open, pace).await?, Reading::default()),
        (None, _) => {
            let spaces = index.spaces.into_iter().take(1).collect();
            (Book::new(Index { spaces, ..index }, pace).await?, Reading::default())
        }
    };
    embed_by(models, &mut book, ledger, pace).await?;
    Ok((book, reading))
}

/// What a chat model wrote, put together once more by other wishes.
async fn retold(index: &Index, mut open: Index, pace: &Pace<'_>) -> Result<Book> {
    let told = extract::until(index, &open, pace).await?;
    (open.extractor, open.prompts) = (index.extractor.clone(), index.prompts.clone());
    open.knowledge = told.knowledge;
    open.knowledge.relate(open.config.weak_tie);
    open.document.issues.extend(told.issues);
    from_index(open, pace).await
}

/// An index without knowledge.
pub(crate) fn blank(document: Document, chunks: Vec<Chunk>, config: IndexConfig, wishes: Wishes) -> Index {
    Index {
        document,
        config,
        wishes,
        extractor: None,
        prompts: None,
        chunks,
        knowledge: Knowledge::default(),
        functional: Rows::default(),
        spaces: Vec::new(),
    }
}

/// A book read by the chat model, but for what is known `before`.
async fn read_by(
    models: &Models,
    mut index: Index,
    before: Option<&Index>,
    ledger: &Ledger,
    pace: &Pace<'_>,
) -> Result<(Book, Reading)> {
    let Some(chat) = &models.chat else {
        return Ok((from_index(index, pace).await?, Reading::default()));
    };
    let readers = Readers { chat: chat.as_ref(), embed: models.embed.as_deref(), at_once: models.at_once };
    let read = extract::extract(&index, before, readers, ledger, pace).await?;
    let before = before.filter(|index| index.extractor.is_some());
    let with = |before: Option<&String>, own: &str| match before.filter(|before| *before != own) {
        Some(before) => format!("{before}, {own}"),
        None => own.to_owned(),
    };
    index.extractor = Some(with(before.and_then(|index| index.extractor.as_ref()), chat.name()));
    // What an older file was read with is not known.
    index.prompts = match before {
        Some(Index { prompts: None, .. }) => None,
        before => Some(with(before.and_then(|index| index.prompts.as_ref()), &prompts::fingerprint())),
    };
    index.knowledge = read.knowledge;
    index.knowledge.relate(index.config.weak_tie);
    index.document.issues.extend(read.issues);
    let related = extract::relations(&mut index, before, chat.as_ref(), models.at_once, ledger, pace).await?;
    index.document.issues.extend(related);
    let mut book = from_index(index, pace).await?;
    let odd = oddities(&book);
    book.index.document.issues.extend(odd);
    Ok((book, read.reading))
}

/// A share of the relations that no one in a book has by right.
const HUB: f64 = 0.5;

/// Relations from which on that is looked at.
const RELATIONS: u32 = 20;

/// What shows that a model's reading went wrong: nothing of a kind, or everything tied to one name.
fn oddities(book: &Book) -> Vec<Issue> {
    let counts = describe::counts(book);
    let empty = describe::empty(&counts);
    let nothing = (!empty.is_empty()).then(|| {
        let message = format!("The index holds no {}.", empty.join(", no ").replace('_', " "));
        Issue::new("empty_stage", message)
    });
    let hub = describe::top_hub(book).filter(|hub| hub.share > HUB && counts.relations >= RELATIONS);
    let hub = hub.map(|hub| {
        let percent = (100.0 * hub.share).round();
        let message =
            format!("{percent} of 100 relations touch {:?}: the model may have tied all to it.", hub.name);
        Issue::new("one_hub", message)
    });
    nothing.into_iter().chain(hub).collect()
}

/// Adds the space of an endpoint's embedder.
async fn embed_by(models: &Models, book: &mut Book, ledger: &Ledger, pace: &Pace<'_>) -> Result<()> {
    if let Some(embedder) = &models.embed {
        let space = spaces::of_endpoint(book, embedder.as_ref(), models.at_once, ledger, pace).await?;
        book.index.spaces.push(space);
    }
    Ok(())
}

/// A book read anew as far as a cut: by rule, or with what a chat model wrote of the chunks before it; an
/// endpoint's vectors are the whole book's.
///
/// # Errors
/// `aborted` when the caller cancels.
pub(crate) async fn until(
    whole: &Book,
    document: Document,
    chunks: Vec<Chunk>,
    pace: &Pace<'_>,
) -> Result<Book> {
    let index = &whole.index;
    let mut part = blank(document, chunks, index.config, index.wishes.clone());
    let mut book = match &index.extractor {
        None => by_rule(part, pace).await?,
        extractor => {
            part.knowledge = extract::until(index, &part, pace).await?.knowledge;
            part.knowledge.relate(part.config.weak_tie);
            (part.extractor, part.prompts) = (extractor.clone(), index.prompts.clone());
            from_index(part, pace).await?
        }
    };
    // A name that comes later is none that is missing.
    book.index.document.issues.retain(|issue| !consolidate::ISSUES.contains(&issue.code.as_ref()));
    for space in index.spaces.iter().skip(1) {
        let space = part::space(whole, space, &book);
        book.index.spaces.push(space);
        pace.step("embed", 1, 1).await?;
    }
    Ok(book)
}

/// Embeds an index that holds its knowledge already.
///
/// # Errors
/// `aborted` when the caller cancels.
pub(crate) async fn from_index(index: Index, pace: &Pace<'_>) -> Result<Book> {
    let (lexicon, scales) = Scales::new(&index, pace).await?;
    let mut book = Book::with_words(index, lexicon, scales, pace).await?;
    let space = spaces::built_in(&book, pace).await?;
    book.index.spaces.push(space);
    book.index.functional = graph::functional(book.relations(), pace).await?;
    book.refresh(pace).await?;
    Ok(book)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::knowledge::Told;
    use crate::pace::Native;
    use crate::position;

    /// What a model made of all that ties two people rests on later text.
    #[test]
    fn before_a_position_relations_are_told_in_sentences_that_were_read() {
        let text = "CHAPTER I\n\nMr Tapp thanked Mrs Quennell. Mr Tapp rowed Mrs Quennell over the river.\n\n\
            CHAPTER II\n\nMr Tapp betrayed Mrs Quennell.\n";
        let (host, config) = (Native::default(), IndexConfig::default());
        let pace = Pace::new(&host);
        let document =
            pollster::block_on(text::read_paced(text.as_bytes(), &Default::default(), &pace)).unwrap();
        let chunks = pollster::block_on(text::chunk_paced(&document, 512, 0, &pace)).unwrap();
        let mut whole =
            pollster::block_on(by_rule(blank(document, chunks, config, Wishes::default()), &pace)).unwrap();
        whole.index.extractor = Some("a model".to_owned());
        for relation in &mut whole.index.knowledge.relations {
            relation.description = Told::Written("It ends badly.".to_owned());
        }
        let cut = text.find("CHAPTER II").unwrap() as u32;
        let (document, chunks) = position::until(&whole.index, cut);
        let part = pollster::block_on(until(&whole, document, chunks, &pace)).unwrap();
        let relations = &part.index.knowledge.relations;
        assert!(!relations.is_empty());
        for relation in relations {
            let quoted = relation.description.quoted();
            assert!(!quoted.is_empty() && quoted.iter().all(|span| span.end <= cut), "{relation:?}");
        }
    }
}
