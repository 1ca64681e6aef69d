//! Native tests, one binary: what the engine promises beyond a single file.
//!
//! A test of one function stands beside it in `src`, in `mod tests`. It stands here when it needs more
//! than one module, data from disk or figures from elsewhere, in the first of these that fits:
//!
//! - `tidy`, `published`: rules about the sources, and about what leaves the repository;
//! - `oracle`: numbers that an independent implementation gave (`tests/data/oracles.*`);
//! - `text`, `offline`: reading and rule-based extraction on whole novels;
//! - `languages`: chapters, sentences and chunks of books in other languages;
//! - `snapshot`: the index file, whole and damaged;
//! - `ablations`: what each of the paper's ablations leaves out;
//! - `properties`: what must hold for any book and any question;
//! - `replies`: what chat models write, read as a person would;
//! - `retrieval`: how well, and that every edge case gets a result that says so;
//! - `position`: that a book read to a place tells nothing of what comes later;
//! - `eval`: scores from a question file to means, and the scorer against another;
//! - `judge`: ROUGE-L against another, and what a chat model as judge is asked and counts for;
//! - `llm`: the wire to language models, over scripted replies;
//! - `merges`: who is one, who is not, and who says so;
//! - `models`, over the doubles of `double`: a book read and answered with models;
//! - `layers`: what a chat model reads for the two layers;
//! - `reading`: what it is asked beside that: types, gleaning, what ties two entities;
//! - `hippo`: the character graph and the walk over it, from triples to ranks;
//! - `decisions`: what the stages of a question leave to a chat model, and the rules that stand in;
//! - `pons`: the pons layer by its definition;
//! - `coda`: CodaRAG and LightRAG, stage by stage, with and without a chat model;
//! - `relations`: what ties two entities, by its definition, and the vectors of who is tied to whom;
//! - `diagnose`: every fault of an endpoint told from the others;
//! - `parity`: the same bytes natively and in wasm;
//! - `trace`: that docs/trace.md tells of every key of a trace;
//! - `golden`: what a reader sees for the bundled questions, reviewed as text.
//!
//! What several of them need is in `support`. No test sleeps, asserts a time, or reaches beyond this
//! machine. A test that reads ../shared/data is ignored by default; `cargo xtask test` runs it where the
//! folder is, and counts it as skipped where it is not.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod ablations;
mod coda;
mod decisions;
mod diagnose;
mod double;
mod eval;
mod golden;
mod hippo;
mod hostile;
mod judge;
mod languages;
mod layers;
mod llm;
mod merges;
mod models;
mod offline;
mod oracle;
mod parity;
mod pons;
mod position;
mod properties;
mod published;
mod reading;
mod relations;
mod replies;
mod retrieval;
mod settings;
mod snapshot;
mod spend;
mod support;
mod text;
mod tidy;
mod trace;
