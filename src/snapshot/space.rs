//! An embedding space as the file has it.

use serde::{Deserialize, Serialize};

use super::check::{name, number};
use super::damaged;
use super::vectors::{Matrix, rows};
use crate::algo::vector::Rows;
use crate::error::Result;
use crate::graph::{MOST_SYNONYMS, Synonym, Synonyms};
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
    /// Absent in a file from before they were kept.
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    relations: Option<Matrix<'a>>,
    /// Absent in a file from before they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    synonyms: Option<SynonymsShape>,
}

/// The entities' vectors by company: bytes, whatever the spaces are kept in.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FunctionalShape<'a> {
    dims: u32,
    #[serde(borrow)]
    entities: Matrix<'a>,
}

impl FunctionalShape<'_> {
    /// The shape; none where there are no vectors.
    pub(super) fn of(functional: &Rows) -> Option<Self> {
        (!functional.is_empty())
            .then(|| Self { dims: functional.dims() as u32, entities: Matrix::of(functional) })
    }

    pub(super) fn into_rows(self) -> Result<Rows> {
        rows("functional", &self.entities, "int8", self.dims as usize)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SynonymsShape {
    least: f64,
    /// From, to, cosine.
    edges: Vec<(u32, u32, f64)>,
}

impl SynonymsShape {
    fn of(synonyms: &Synonyms) -> Self {
        let edges = synonyms.edges.iter().map(|edge| (edge.from, edge.to, edge.cosine));
        Self { least: synonyms.least, edges: edges.collect() }
    }

    /// By the phrase they were found from, no more of each than there may be.
    fn into_synonyms(self) -> Result<Synonyms> {
        let least = number("spaces.synonyms.least", self.least, -COSINE, COSINE)?;
        let edge = |(from, to, cosine)| {
            let cosine = number("spaces.synonyms", cosine, 0.0, COSINE)?;
            Ok(Synonym { from, to, cosine })
        };
        let edges = self.edges.into_iter().map(edge).collect::<Result<Vec<_>>>()?;
        let ordered = edges.is_sorted_by(|a, b| (a.from, a.to) < (b.from, b.to));
        let crowded = edges.windows(MOST_SYNONYMS + 1).any(|run| run[0].from == run[MOST_SYNONYMS].from);
        if !ordered || crowded || edges.iter().any(|edge| edge.from == edge.to) {
            return Err(damaged("spaces.synonyms", "they are out of order, too many, or of a phrase itself"));
        }
        Ok(Synonyms { least, edges })
    }
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
            relations: (!space.relations.is_empty()).then(|| Matrix::of(&space.relations)),
            synonyms: (space.synonyms != Synonyms::default()).then(|| SynonymsShape::of(&space.synonyms)),
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
            relations: matrix("relations", &self.relations.unwrap_or_default())?,
            synonyms: self.synonyms.map_or(Ok(Synonyms::default()), SynonymsShape::into_synonyms)?,
            id: name("spaces", self.id)?,
        })
    }
}
