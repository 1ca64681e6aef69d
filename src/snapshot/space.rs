//! An embedding space as the file has it.

use serde::{Deserialize, Serialize};

use super::check::{name, number};
use super::vectors::{Matrix, rows};
use crate::error::Result;
use crate::index::Space;

/// The largest cosine of two vectors whose numbers were rounded to bytes.
const COSINE: f64 = 1.4;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpaceShape<'a> {
    id: String,
    dims: u32,
    encoding: String,
    tau: f64,
    quantile: f64,
    pons_edges: u32,
    d_cross: f64,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    probe: Option<Matrix<'a>>,
    #[serde(borrow)]
    chunks: Matrix<'a>,
    #[serde(borrow)]
    entities: Matrix<'a>,
    #[serde(borrow)]
    events: Matrix<'a>,
    #[serde(borrow)]
    clusters: Matrix<'a>,
    #[serde(borrow)]
    facts: Matrix<'a>,
}

impl SpaceShape<'_> {
    pub(super) fn of(space: &Space) -> Self {
        Self {
            id: space.id.clone(),
            dims: space.dims as u32,
            encoding: if space.events.as_bytes().is_some() { "int8" } else { "f32" }.to_owned(),
            tau: space.tau,
            quantile: space.quantile,
            pons_edges: space.pons_edges,
            d_cross: space.d_cross,
            probe: (!space.probe.is_empty()).then(|| Matrix::of(&space.probe)),
            chunks: Matrix::of(&space.chunks),
            entities: Matrix::of(&space.entities),
            events: Matrix::of(&space.events),
            clusters: Matrix::of(&space.clusters),
            facts: Matrix::of(&space.facts),
        }
    }

    pub(super) fn into_space(self) -> Result<Space> {
        let dims = self.dims as usize;
        let matrix = |name: &str, matrix: &Matrix<'_>| {
            rows(&format!("{}.{name}", self.id), matrix, &self.encoding, dims)
        };
        Ok(Space {
            dims,
            tau: number("spaces.tau", self.tau, -COSINE, COSINE)?,
            quantile: number("spaces.quantile", self.quantile, 0.0, 1.0)?,
            pons_edges: self.pons_edges,
            d_cross: number("spaces.d_cross", self.d_cross, 1.0 - COSINE, 1.0 + COSINE)?,
            probe: matrix("probe", &self.probe.unwrap_or_default())?,
            chunks: matrix("chunks", &self.chunks)?,
            entities: matrix("entities", &self.entities)?,
            events: matrix("events", &self.events)?,
            clusters: matrix("clusters", &self.clusters)?,
            facts: matrix("facts", &self.facts)?,
            id: name("spaces", self.id)?,
        })
    }
}
