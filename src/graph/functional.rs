//! Where an entity stands in the relation graph, as vectors: CodaRAG's functional association (systems 2.2,
//! II.d).
//!
//! Two likenesses, both by the same recursion ([`fastrp`]), which differ by what it starts from:
//!
//! - [`functional`] starts each entity from a direction of its own: near are those with the same company. It
//!   is what the paper names (FastRP), worked out once when a book is indexed and kept in its file.
//! - [`roles`] starts from what an entity is: its type and how many ties it has. Near are those whose
//!   surroundings look alike, whoever is in them: the two stewards of two houses. The features are few, so nothing is
//!   projected; an entity's own count as the first step does, and the mean of all tied entities is taken
//!   away, since what all share tells nobody apart. All of that is ours. It follows from the file in
//!   milliseconds and is not kept.
//!
//! Invariant: one row for each entity, of unit length, or all zero for one that no relation ties; none at all for
//! more than [`MOST`] entities, which no book has.

use crate::algo::csr::Csr;
use crate::algo::fastrp::{DEGREE_POWER, DIMS, WEIGHTS, directions, embed};
use crate::algo::vector::{Rows, normalise};
use crate::error::Result;
use crate::knowledge::{Entity, EntityKind};
use crate::pace::Pace;

/// The most entities that get vectors.
const MOST: usize = 1 << 16;

/// How many ties there are is told by powers of two, up to this one.
const MOST_TIES: usize = 12;
/// Numbers in a row of features.
const FEATURES: usize = EntityKind::ALL.len() + MOST_TIES;

/// FastRP vectors of the entities, rounded to bytes.
///
/// # Errors
/// `aborted` when the caller cancels.
pub async fn functional(relations: &Csr, pace: &Pace<'_>) -> Result<Rows> {
    let size = if relations.height() > MOST { 0 } else { relations.height() };
    if size == 0 {
        return Ok(Rows::default());
    }
    let rows = embed(relations, directions(size, DIMS), DIMS, &WEIGHTS, DEGREE_POWER, pace).await?;
    Ok(Rows::quantised(DIMS, &rows))
}

/// Vectors of what entities are and what is around them.
///
/// # Errors
/// `aborted` when the caller cancels.
pub async fn roles(entities: &[Entity], relations: &Csr, pace: &Pace<'_>) -> Result<Rows> {
    let none = Rows::exact(FEATURES, Vec::new());
    if entities.len() > MOST {
        return Ok(none);
    }
    let own: Vec<f32> =
        entities.iter().enumerate().flat_map(|(at, entity)| features(entity, relations, at)).collect();
    let mut rows = embed(relations, own.clone(), FEATURES, &WEIGHTS, DEGREE_POWER, pace).await?;
    let mut tied = 0usize;
    let mut mean = [0f32; FEATURES];
    for (row, own) in rows.chunks_exact_mut(FEATURES).zip(own.chunks_exact(FEATURES)) {
        if row.iter().all(|number| *number == 0.0) {
            continue;
        }
        tied += 1;
        // Two features of one entity: scaled, its own row has length 1 as that of each step.
        row.iter_mut().zip(own).for_each(|(number, own)| *number += own * std::f32::consts::FRAC_1_SQRT_2);
        mean.iter_mut().zip(row.iter()).for_each(|(sum, number)| *sum += number);
    }
    for row in rows.chunks_exact_mut(FEATURES).filter(|row| row.iter().any(|number| *number != 0.0)) {
        row.iter_mut().zip(mean).for_each(|(number, sum)| *number -= sum / tied as f32);
        normalise(row);
    }
    Ok(Rows::exact(FEATURES, rows))
}

/// One for its type, one for the power of two of its ties.
fn features(entity: &Entity, relations: &Csr, at: usize) -> [f32; FEATURES] {
    let mut row = [0.0; FEATURES];
    let kind = EntityKind::ALL.iter().position(|kind| *kind == entity.kind).unwrap_or_default();
    let ties = relations.row(at).count().max(1).ilog2() as usize;
    for place in [kind, EntityKind::ALL.len() + ties.min(MOST_TIES - 1)] {
        row.get_mut(place).into_iter().for_each(|number| *number = 1.0);
    }
    row
}
