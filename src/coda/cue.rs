//! Who takes the cues out of a question, and in which space they are compared.

use crate::algo::vector::Rows;
use crate::asker::Asker;
use crate::book::Book;
use crate::config::{By, Profile, QueryConfig, Standing};
use crate::error::Result;
use crate::knowledge::Issue;
use crate::pace::Pace;
use crate::question::Question;
use crate::stage::{Cued, Cues, cues};

/// What a decision may look at, and who may be asked for it.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) book: &'a Book,
    pub(crate) question: &'a Question,
    pub(crate) config: &'a QueryConfig,
    pub(crate) asker: Option<&'a Asker<'a>>,
}

impl Asked<'_> {
    /// The chat model that decides, where one is to and there is one; that there is none is told.
    pub(super) fn decider(&self, by: By, what: &'static str, issues: &mut Vec<Issue>) -> Option<&Asker<'_>> {
        if by == By::Chat && self.asker.is_none() {
            let message = format!("{what} is chat, but there is no chat model; the rule decided");
            issues.push(Issue::new("needs_chat_model", message));
        }
        self.asker.filter(|_| matches!(by, By::Auto | By::Chat))
    }
}

/// The question's cues; then the high-level ones and the low-level ones, each analysed as one text.
pub(crate) async fn take(
    asked: &Asked<'_>,
    analyse: impl AsyncFn(&[String], &mut Vec<Issue>) -> Result<Vec<Question>>,
    issues: &mut Vec<Issue>,
) -> Result<(Cues, Vec<Question>)> {
    issues.extend(unnavigable(asked.book));
    let cues = cues(asked, issues).await?;
    let texts = [&cues.high, &cues.low].map(|level| cues::joined(level, asked.question));
    // A text that is the question itself is analysed already.
    let other: Vec<String> = texts.iter().filter(|text| **text != asked.question.text).cloned().collect();
    let mut analysed = if other.is_empty() { Vec::new() } else { analyse(&other, issues).await? }.into_iter();
    let mut of = |text: &String| match *text == asked.question.text {
        true => Some(asked.question.clone()),
        false => analysed.next(),
    };
    let both = texts.iter().filter_map(&mut of).collect();
    Ok((cues, both))
}

async fn cues(asked: &Asked<'_>, issues: &mut Vec<Issue>) -> Result<Cues> {
    let Asked { book, question, config, .. } = *asked;
    if config.cues == By::Off {
        return Ok(cues::whole(question));
    }
    if let Some(asker) = asked.decider(config.cues, "cues", issues) {
        let request = cues::request(&question.text);
        if let Some(cues) = asker.decide("cues", &request, cues::read, issues).await? {
            return Ok(cues);
        }
    }
    Ok(cues::by_rule(book, question))
}

/// The cues as vectors of the space in which they were analysed; none for a book without vectors.
pub(crate) fn compared<'a>(
    book: &'a Book,
    cues: &Cues,
    analysed: &'a [Question],
    config: &QueryConfig,
) -> Option<Cued<'a>> {
    let [high, low] = analysed else { return None };
    let ((space, low_vector), (other, high_vector)) = (low.space(book)?, high.space(book)?);
    // Both levels in one space: where an embedder gave only one of them, the built-in one.
    let (space, high_vector, low_vector) = match space.id == other.id {
        true => (space, high_vector, low_vector),
        false => (book.space()?, &high.vector[..], &low.vector[..]),
    };
    let by_name = config.profile != Profile::Paper || cues.by == "rule";
    let named = if by_name { &low.names[..] } else { &[] };
    Some(Cued { space, high: high_vector, low: low_vector, named })
}

/// Why there is nothing to navigate, where there is not.
fn unnavigable(book: &Book) -> Option<Issue> {
    let (index, space) = (&book.index, book.space()?);
    if index.chunks.is_empty() {
        return None; // that nothing is read yet is told already
    }
    let message = if index.knowledge.relations.is_empty() {
        "This book's index ties no two entities, so passages stand by their own scores."
    } else if space.relations.is_empty() {
        "This index is from before relations had vectors: index the book once more to compare them."
    } else {
        return None;
    };
    Some(Issue::new("no_relations", message))
}

/// The vectors by which entities stand in the graph.
pub(super) async fn standing<'a>(asked: &Asked<'a>, pace: &Pace<'_>) -> Result<&'a Rows> {
    match asked.config.standing {
        Standing::Company => asked.book.functional(pace).await,
        Standing::Roles => asked.book.roles(pace).await,
    }
}
