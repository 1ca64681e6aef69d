//! Who decides what of the candidate lines serves the question: a chat model, the rule, or nobody.
//!
//! Left to itself (`filter=auto`) the chat model decides in the paper profile, where the lines are the matched
//! pairs; offline they are every event of the book by its score, and the rule decides. `filter=chat` asks it
//! there too: of the best lines, as many as it can be offered, the chosen ones fill the context under the
//! passage that opens it. Where the model gives nothing to go by, the paper profile keeps all of its pairs
//! and the offline one follows the rule.

use crate::asker::Asker;
use crate::book::Book;
use crate::config::{By, OnNone, Profile, QueryConfig};
use crate::error::Result;
use crate::knowledge::Issue;
use crate::question::Question;
use crate::retrieval::Filter;
use crate::stage::filter::{self, Kept};
use crate::stage::{Line, Nodes, choose, order};

/// The most characters that are shown of a reply.
const SHOWN: usize = 2000;

/// What a decision may look at, and who may be asked for it.
pub(super) struct Asked<'a> {
    pub(super) book: &'a Book,
    pub(super) question: &'a Question,
    pub(super) config: &'a QueryConfig,
    pub(super) asker: Option<&'a Asker<'a>>,
}

/// What serves the question of lines that come most wanted first, and how that was decided.
pub(super) async fn sift(
    asked: &Asked<'_>,
    lines: Vec<Line>,
    anchors: &Nodes,
    scores: &[f64],
    issues: &mut Vec<Issue>,
) -> Result<(Kept, Filter)> {
    let Asked { book, question, config, .. } = asked;
    let paper = config.profile == Profile::Paper;
    let everything =
        |lines| (Kept { lines, dropped: Vec::new() }, Filter { by: By::Off, ..Filter::default() });
    if config.filter == By::Off || lines.is_empty() {
        return Ok(everything(lines));
    }
    if let Some(asker) = asked.asker.filter(|_| config.filter == By::Chat) {
        let offered = choose::offer(book, &lines);
        let request = choose::request(book, &question.text, &offered);
        let shown = |reply: &str| reply.chars().take(SHOWN).collect::<String>();
        let read = |reply: &str| choose::read(reply, offered.len()).map(|places| (places, shown(reply)));
        if let Some((places, reply)) = asker.decide("filter", &request, read, issues).await? {
            let filter = Filter { by: By::Chat, reply, order: None };
            if places.is_empty() && config.on_none == OnNone::Keep {
                let message = "The chat model chose no line of the plotline; all were kept.";
                issues.push(Issue::new("filter_none", message));
                return Ok((Kept { lines, dropped: Vec::new() }, filter));
            }
            return Ok((filter::chosen(lines, &offered, &places), filter));
        }
        if paper {
            return Ok(everything(lines));
        }
    } else if config.filter == By::Chat {
        let message = "filter is chat, but there is no chat model; the rule filtered";
        issues.push(Issue::new("needs_chat_model", message));
    }
    let order = order::resolve(book, question, anchors, scores);
    let bar = paper.then(|| filter::median(anchors, scores));
    let kept = filter::by_rule(lines, scores, bar, order.as_ref());
    Ok((kept, Filter { by: By::Rule, reply: String::new(), order }))
}
