//! Knowledge without a chat model: rules for English that read who is who and what happens.

pub(crate) mod english;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::knowledge::{Chunk, Issue, Knowledge};
use crate::pace::Pace;
use crate::text::Document;

/// Extracts.
pub mod embedder;
pub async fn extract(
    _document: &Document,
    _chunks: &[Chunk],
    _config: &IndexConfig,
    _pace: &Pace<'_>,
) -> Result<(Knowledge, Vec<Issue>)> {
    Ok((Knowledge::default(), Vec::new()))
}
