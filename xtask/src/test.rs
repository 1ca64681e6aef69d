//! `cargo xtask test`: everything that can be red, in one place; `.ci/run` calls nothing else.
//!
//! Each step is a runner's own count, or one test that passes when its command does. The
//! invariant: the last line is `N passed, N failed, N skipped`, and a step that could not run is
//! a failure, except for what a developer's machine may lack and CI may not (a browser, Rust's
//! lint tools), which counts as skipped there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use crate::process::{find, record, run};
use crate::tally::{self, Tally};
use crate::toolchain::{self, Route, cargo};
use crate::{engines, root, site, wasm};

/// A part of the tests that `--only` may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Lint,
    Native,
    Node,
    Types,
    Browser,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "lint" => Ok(Self::Lint),
            "native" => Ok(Self::Native),
            "node" => Ok(Self::Node),
            "types" => Ok(Self::Types),
            "browser" => Ok(Self::Browser),
            _ => Err(format!("--only is native, node, browser, types or lint, not `{name}`")),
        }
    }
}

/// What a step gives: its counts, or why it could not run.
type Outcome = Result<Tally, String>;

/// The steps, in the order in which they tell most: what a compiler sees, then what Rust
/// computes, then the package, then the page.
const STEPS: [Step; 11] = [
    (Part::Lint, "formatting", formatting),
    (Part::Lint, "clippy", clippy),
    (Part::Lint, "clippy of the WebAssembly boundary", clippy_wasm),
    (Part::Lint, "documentation", documentation),
    (Part::Native, "native tests", native),
    (Part::Native, "documentation examples", doc_tests),
    (Part::Native, "example in Rust", example_rust),
    (Part::Node, "package under Node", node),
    (Part::Node, "example under Node", example_node),
    (Part::Types, "declarations", types),
    (Part::Browser, "page in four engines", browser),
];

type Step = (Part, &'static str, fn() -> Outcome);

/// Runs the chosen parts, all when none is named; ends with status 1 when anything failed.
pub fn run_all(route: Option<Route>, only: &[Part]) -> Result<(), String> {
    let chosen = |part: &Part| only.is_empty() || only.contains(part);
    let mut report = Report::default();
    let mut built = None;
    for (part, name, step) in STEPS.into_iter().filter(|(part, ..)| chosen(part)) {
        // Native tests compare their bytes with the package's, but run without one too.
        let from_sources = matches!(part, Part::Lint);
        let package = from_sources || *built.get_or_insert_with(|| report.build(route));
        if package || part == Part::Native {
            report.add(name, step);
        } else {
            report.add(name, || Err("there is no build to test".to_owned()));
        }
    }
    report.end()
}

/// The counts so far, and what there is to say about them at the end.
#[derive(Default)]
struct Report {
    total: Tally,
    remarks: Vec<String>,
}

impl Report {
    /// Runs a step and counts it; true when nothing in it failed.
    fn add(&mut self, name: &str, step: impl FnOnce() -> Outcome) -> bool {
        println!("\n== {name} ==");
        let (tally, reason) = match step() {
            Ok(tally) => (tally, None),
            Err(reason) => (Tally::FAILED, Some(reason)),
        };
        println!("-- {name}: {}", reason.clone().unwrap_or_else(|| tally.to_string()));
        match reason {
            Some(reason) => self.remarks.push(format!("could not run: {name}: {reason}")),
            None if tally.failed > 0 => self.remarks.push(format!("failed: {name} ({})", tally.failed)),
            None if tally.skipped > 0 => self.remarks.push(format!("skipped: {name} ({})", tally.skipped)),
            None => (),
        }
        self.total += tally;
        tally.failed == 0
    }

    /// Makes what the package's and the page's tests drive; false when there is no package.
    fn build(&mut self, route: Option<Route>) -> bool {
        let built = self.add("build", || wasm::build(route).map(|()| Tally::PASSED));
        if built {
            self.add("site", || site::build(route).map(|_| Tally::PASSED));
        }
        built
    }

    fn end(self) -> Result<(), String> {
        println!();
        for remark in &self.remarks {
            println!("{remark}");
        }
        println!("{}", self.total);
        // The line above must be the last one, so the failure is only the exit status.
        if self.total.failed > 0 {
            std::process::exit(1);
        }
        Ok(())
    }
}

/// In CI nothing may be skipped for want of a tool.
fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

/// Counts `tests` tests that lack a tool: skipped, but failed in CI.
fn lacking(reason: &str, tests: usize) -> Tally {
    println!("not run: {reason}");
    if in_ci() { Tally::failed(tests) } else { Tally::skipped(tests) }
}

/// One test: the command ends well.
fn passes(command: &mut Command) -> Outcome {
    Ok(run(command).map_or_else(
        |message| {
            println!("{message}");
            Tally::FAILED
        },
        |()| Tally::PASSED,
    ))
}

fn formatting() -> Outcome {
    if !toolchain::has_component("fmt", "rustfmt") {
        return Ok(lacking("rustfmt is not installed: `rustup component add rustfmt`", 1));
    }
    passes(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> Outcome {
    if !toolchain::has_component("clippy", "clippy") {
        return Ok(lacking("clippy is not installed: `rustup component add clippy`", 1));
    }
    passes(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// The boundary is compiled for WebAssembly only, so that the step above does not see it.
fn clippy_wasm() -> Outcome {
    if !toolchain::has_target() || !toolchain::has_component("clippy", "clippy") {
        println!("not run: clippy has no WebAssembly target here; the build still compiles it");
        return Ok(Tally::skipped(1));
    }
    let mut clippy = cargo();
    clippy.args(["clippy", "--package", "plotbridge", "--lib"]);
    passes(clippy.args(["--target", "wasm32-unknown-unknown", "--", "-D", "warnings"]))
}

fn documentation() -> Outcome {
    let mut doc = cargo();
    // A page about a module may name its parts; in the published pages they are plain words.
    doc.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links");
    passes(doc.args(["doc", "--package", "plotbridge", "--no-deps", "--quiet"]))
}

fn native() -> Outcome {
    if find("cargo-nextest").is_some() {
        let mut nextest = cargo();
        nextest.args(["nextest", "run", "--workspace", "--no-fail-fast", "--no-tests=pass"]);
        if shared_data() {
            nextest.args(["--run-ignored", "all"]);
        }
        return counted(nextest.arg("--status-level=fail"), tally::of_nextest);
    }
    let kinds = ["--lib", "--bins", "--tests", "--examples"];
    let mut test = cargo();
    test.args(["test", "--workspace", "--no-fail-fast"]).args(kinds);
    if shared_data() {
        test.args(["--", "--include-ignored"]);
    }
    counted(&mut test, tally::of_libtest)
}

/// Whether the whole novels are there that some tests read; those are ignored, and so counted as
/// skipped, without.
fn shared_data() -> bool {
    let folder =
        std::env::var_os("PLOTBRIDGE_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let there = folder.join("data").is_dir();
    if !there {
        println!("not run: tests on whole novels, for want of {}", folder.join("data").display());
    }
    there
}

fn doc_tests() -> Outcome {
    counted(cargo().args(["test", "--doc", "--package", "plotbridge"]), tally::of_libtest)
}

fn counted(runner: &mut Command, count: fn(&[String]) -> Option<Tally>) -> Outcome {
    let (well, lines) = record(runner)?;
    Ok(count(&lines).unwrap_or(Tally::FAILED).ended(well))
}

fn example_rust() -> Outcome {
    passes(cargo().args(["run", "--quiet", "--package", "plotbridge", "--example", "ask"]))
}

fn example_node() -> Outcome {
    passes(toolchain::node()?.arg("examples/node/ask.mjs"))
}

fn node() -> Outcome {
    node_tests("node", &[])
}

/// In every engine that is here; the tests themselves skip the others, and fail for them in CI.
fn browser() -> Outcome {
    let mut found = Vec::new();
    for engine in &engines::ALL {
        match engine.find() {
            Ok(file) => found.push((engine.variable, file)),
            Err(reason) => println!("not run in {}: {reason}", engine.name),
        }
    }
    node_tests("browser", &found)
}

/// Runs `tests/FOLDER/*.test.js` with these variables set; people read the one report, the counts
/// come from the other.
fn node_tests(folder: &str, variables: &[(&str, PathBuf)]) -> Outcome {
    let tap = root().join("target/xtask").join(format!("{folder}.tap"));
    fs::create_dir_all(root().join("target/xtask")).map_err(|error| error.to_string())?;
    let _ = fs::remove_file(&tap);
    let mut node = toolchain::node()?;
    // A test that hangs fails, after longer than any needs.
    node.args([
        "--test",
        "--test-timeout=600000",
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
    ]);
    node.arg("--test-reporter=tap").arg("--test-reporter-destination").arg(&tap);
    node.args(test_files(folder)?);
    // Tests start the scripted model server by it, without building anything once more.
    if let Ok(own) = std::env::current_exe() {
        node.env("PLOTBRIDGE_XTASK", own);
    }
    node.envs(variables.iter().map(|(name, file)| (name, file)));
    let well = passes(&mut node)?.failed == 0;
    let lines = fs::read_to_string(&tap).unwrap_or_default();
    let tally = tally::of_tap(&lines.lines().collect::<Vec<_>>());
    Ok(tally.unwrap_or(Tally::FAILED).ended(well))
}

/// The test files of a folder, sorted; a folder without any is a mistake, not a pass.
fn test_files(folder: &str) -> Result<Vec<PathBuf>, String> {
    let folder = Path::new("tests").join(folder);
    let entries = fs::read_dir(root().join(&folder)).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let tests = names.filter(|name| name.to_string_lossy().ends_with(".test.js"));
    let mut files: Vec<_> = tests.map(|name| folder.join(name)).collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("{} has no *.test.js", folder.display()));
    }
    Ok(files)
}

/// The declarations, as strictly as a user's project may check them.
fn types() -> Outcome {
    toolchain::npm_packages()?;
    let mut tsc = toolchain::node()?;
    tsc.args(["node_modules/typescript/bin/tsc", "--project", "tests/types", "--noEmit"]);
    passes(tsc.args(["--strict", "--skipLibCheck", "false"]))
}
