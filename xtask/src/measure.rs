//! `cargo xtask bench` and `cargo xtask quality`: how fast, how large, how good, all by the package as
//! people run it.
//!
//! The work is two scripts of Node; here the package is built first. The invariant: what these print on
//! stdout is the result and nothing else, so that `bench --json` is one document.

use crate::process::run;
use crate::toolchain::{self, Route};
use crate::wasm;

/// Times and sizes: a table, or with `json` a document.
pub fn bench(route: Option<Route>, runs: Option<u32>, json: bool) -> Result<(), String> {
    wasm::build(route)?;
    let mut bench = toolchain::node()?;
    bench.arg("xtask/bench.js");
    if let Some(runs) = runs {
        bench.arg("--runs").arg(runs.to_string());
    }
    if json {
        bench.arg("--json");
    }
    run(&mut bench)
}

/// Writes the tables of docs/quality.md.
pub fn quality(route: Option<Route>) -> Result<(), String> {
    wasm::build(route)?;
    run(toolchain::node()?.arg("xtask/quality.js"))
}
