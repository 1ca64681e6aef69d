//! Which pons layer a question goes by: edges by cosine or by mention, or none at all.

use std::rc::Rc;

use crate::book::Book;
use crate::config::{Edges, Layers, QueryConfig};
use crate::error::Result;
use crate::graph::{PonsLayer, Weighting};
use crate::pace::Pace;
use crate::question::Question;

/// The pons layer that the configuration asks for; none for the one by mention, which the book has. The
/// cosine layer at the index's own tau is kept: for a long novel it takes longer than all the rest.
pub(super) async fn pons_layer(
    book: &Book,
    question: &Question,
    config: &QueryConfig,
    pace: &Pace<'_>,
) -> Result<Option<Rc<PonsLayer>>> {
    if config.layers != Layers::Both {
        return Ok(Some(Rc::new(PonsLayer::none(&book.index))));
    }
    let weighting = match config.edges {
        Edges::Cosine => Some(Weighting::Inverse),
        Edges::Semantic => Some(Weighting::Semantic),
        Edges::Auto | Edges::Mention => None,
    };
    let Some(((space, _), weighting)) = question.space(book).zip(weighting) else { return Ok(None) };
    // Of the negative ones -1 alone leaves it to the index.
    let own = config.tau <= -1.0 || config.tau == space.tau;
    let key = (space.id.clone(), weighting);
    if let Some(layer) = book.similar.borrow().get(&key).filter(|_| own) {
        return Ok(Some(Rc::clone(layer)));
    }
    let tau = if own { space.tau } else { config.tau };
    let layer = Rc::new(PonsLayer::by_cosine(&book.index, space, tau, weighting, pace).await?);
    if own {
        // Another call may have been first; both layers are the same.
        book.similar.borrow_mut().insert(key, Rc::clone(&layer));
    }
    Ok(Some(layer))
}
