//! Whether an endpoint's vectors are those of an index: its width, and the direction of the probe text.

use crate::algo::vector::dot;
use crate::index::Index;
use crate::report::Check;
use crate::spaces::SAME;

/// Whether a probe's vector fits the index.
pub(super) fn fits(index: &Index, model: &str, vector: &[f32]) -> Check {
    let ill = |code, message: String| Check::ill("index", code, message);
    let others: Vec<String> = index.spaces.iter().skip(1).map(|space| format!("{:?}", space.id)).collect();
    let again = "Index the book again with this model, or take the one that made the index.";
    let Some(space) = index.spaces.iter().skip(1).find(|space| space.id == model) else {
        let has = if others.is_empty() {
            "none of any endpoint's model".to_owned()
        } else {
            format!("those of {}", others.join(", "))
        };
        let message = format!(
            "The open index has no vectors of {model:?}, but {has}: questions are compared in the built-in ones."
        );
        return ill("no_space", message).fixed_by(again);
    };
    if vector.len() != space.dims || space.probe.is_empty() {
        let message = format!(
            "The vectors have {} numbers, those of the open index {}: they cannot be compared.",
            vector.len(),
            space.dims
        );
        return ill("width", message).fixed_by(again);
    }
    let cosine = dot(&space.probe.row(0), vector);
    if cosine < SAME {
        let message = format!(
            "The server's {model:?} is not the model of that name that made the open index: the same text has \
             another vector (cosine {cosine:.2})."
        );
        return ill("other_embedder", message).fixed_by(again);
    }
    Check::well("index", "The vectors are those of the open index's embedder.")
}
