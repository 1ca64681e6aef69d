//! Who eliminates interference: a chat model, the rule, or nobody.
//!
//! What is beyond LightRAG's budgets is cut first, so that a model can be shown the rest. A chat model that is
//! there decides unless it is told otherwise; where it gives nothing to go by everything stays.

use crate::config::By;
use crate::error::Result;
use crate::knowledge::{EntityId, Issue, RelationId};
use crate::stage::{Associations, Cued, Eliminated, Item, context, eliminate};

use super::cue::Asked;

/// What stays of what was raised.
pub(super) async fn sift(
    asked: &Asked<'_>,
    cued: &Cued<'_>,
    raised: Associations,
    issues: &mut Vec<Issue>,
) -> Result<Associations> {
    let Asked { book, question, config, .. } = *asked;
    let entities = lines(&raised.entities, |node| context::profile(book, node.id));
    let relations = lines(&raised.relations, |node| context::relation(book, node.id));
    let raised = within(asked, raised, &entities, &relations);
    let removed = match asked.decider(config.eliminate, "eliminate", issues) {
        _ if config.eliminate == By::Off || raised.entities.is_empty() => Vec::new(),
        Some(asker) => {
            let shown = [&entities[..raised.entities.len()], &relations[..raised.relations.len()]];
            let request = eliminate::request(&question.text, shown[0], shown[1]);
            let read = |reply: &str| eliminate::read(reply, shown[0].len(), shown[1].len());
            let places = asker.decide("eliminate", &request, read, issues).await?;
            places.map_or(Vec::new(), |places| eliminate::chosen(&raised, &places))
        }
        None => eliminate::by_rule(book, cued, &raised),
    };
    Ok(eliminate::eliminate(book, raised, removed))
}

fn lines<T>(items: &[T], told: impl Fn(&T) -> String) -> Vec<String> {
    items.iter().map(told).collect()
}

/// What is within the tokens of its kind; the rest is eliminated. A relation needs both of its ends.
fn within(
    asked: &Asked<'_>,
    mut raised: Associations,
    entities: &[String],
    relations: &[String],
) -> Associations {
    let over = |item: Item| Eliminated { item, reason: eliminate::OVER, restored: false };
    let entities = context::within(entities, asked.config.entity_tokens as u32);
    let gone: Vec<EntityId> = raised.entities.split_off(entities).iter().map(|node| node.id).collect();
    let relations = context::within(relations, asked.config.relation_tokens as u32);
    let lost: Vec<RelationId> = raised.relations.split_off(relations).iter().map(|node| node.id).collect();
    raised.eliminated.extend(gone.into_iter().map(|id| over(Item::Entity(id))));
    raised.eliminated.extend(lost.into_iter().map(|id| over(Item::Relation(id))));
    raised
}
