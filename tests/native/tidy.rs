//! Rules about the sources: layers, headers, sizes, nothing that differs between runs (ARCHITECTURE.md).

use std::path::{Path, PathBuf};

use super::support::root;

/// A source file: its path from the project's folder, with forward slashes, and its text.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// Its lines of code: no comments, and nothing from the test module on.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
            .map(|(place, line)| (place + 1, line))
    }
}

/// Files below some folders whose names have one of these endings. Built and installed ones are left out.
pub(crate) fn sources(folders: &[&str], endings: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(path) = open.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["node_modules", "target", ".git", "wasm"].contains(&name.as_str())
                || path.ends_with("src/wasm")
            {
                open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) && !path.ends_with("pkg/worker.js") {
            found.push(Source { path: relative(&path), text: std::fs::read_to_string(&path).unwrap() });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "nothing in {folders:?} ends with {endings:?}");
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/")
}

fn rust() -> Vec<Source> {
    sources(&["src"], &[".rs"])
}

/// Fails with every place that breaks a rule.
pub(crate) fn hold(rule: &str, broken: Vec<String>) {
    assert!(broken.is_empty(), "{rule}:\n{}", broken.join("\n"));
}

/// The places whose code holds one of some words.
pub(crate) fn places<'a>(sources: impl IntoIterator<Item = &'a Source>, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources {
        for (line, code) in source.code() {
            if let Some(word) = words.iter().find(|word| code.contains(**word)) {
                found.push(format!("{}:{line}: {word}", source.path));
            }
        }
    }
    found
}

#[test]
fn a_crate_is_named_in_its_own_layer_only() {
    let rules: [(&[&str], &[&str]); 4] = [
        (&["js_sys", "web_sys", "wasm_bindgen", "gloo_net"], &["src/wasm/"]),
        (&["gloo_net"], &["src/wasm/fetch.rs"]),
        (&["petgraph"], &["src/graph/"]),
        (&["pathfinding"], &["src/algo/assignment.rs"]),
    ];
    for (crates, homes) in rules {
        let strangers: Vec<Source> = rust()
            .into_iter()
            .filter(|source| !homes.iter().any(|home| source.path.starts_with(home)))
            .collect();
        hold(&format!("{crates:?} only in {homes:?}"), places(&strangers, crates));
    }
    for (word, home) in [
        ("gloo_net", "src/wasm/fetch.rs"),
        ("petgraph", "src/graph/"),
        ("pathfinding", "src/algo/assignment.rs"),
    ] {
        let used = rust().iter().any(|source| source.path.starts_with(home) && source.text.contains(word));
        assert!(used, "{word} is not used in {home}: the rule above holds nothing");
    }
}

#[test]
fn only_documents_and_files_know_serde() {
    let homes = [
        "src/snapshot",
        "src/report",
        "src/eval/report.rs",
        "src/eval/questions.rs",
        "src/llm/kept.rs",
        "src/llm/openai/",
        "src/llm/reply/",
        "src/wasm/",
    ];
    let others: Vec<Source> =
        rust().into_iter().filter(|source| !homes.iter().any(|home| source.path.starts_with(home))).collect();
    hold("serde only in files, documents and wasm", places(&others, &["serde", "Serialize", "Deserialize"]));
}

/// Methods compose stages; what passes between stages has its type in `stage/mod.rs`.
#[test]
fn every_prompt_that_reads_a_book_is_in_its_fingerprint() {
    let sources = rust();
    let named = |source: &Source| -> Vec<String> {
        let import = source.text.split("use crate::prompts::").nth(1).and_then(|rest| rest.split(';').next());
        let words = import.unwrap_or_default().split(|c: char| !c.is_ascii_uppercase() && c != '_');
        words.filter(|word| word.len() > 1).map(str::to_owned).collect()
    };
    let prompts = sources.iter().find(|source| source.path == "src/prompts.rs").unwrap();
    let list = prompts.text.split("const READING").nth(1).and_then(|rest| rest.split(';').nth(1)).unwrap();
    let list: Vec<&str> = list.split(|c: char| !c.is_ascii_uppercase() && c != '_').collect();
    let reads = |source: &&Source| {
        ["src/extract/", "src/consolidate/"].iter().any(|folder| source.path.starts_with(folder))
    };
    let asked: Vec<String> = sources.iter().filter(reads).flat_map(named).collect();
    assert!(asked.contains(&"ENTITIES".to_owned()) && list.contains(&"ENTITIES"), "{asked:?} {list:?}");
    let left_out = asked.into_iter().filter(|name| !list.contains(&name.as_str())).collect();
    hold("these prompts read a book, but are not in READING of src/prompts.rs", left_out);
}

#[test]
fn a_stage_imports_no_stage() {
    let (stages, names): (Vec<Source>, Vec<String>) = sources(&["src/stage"], &[".rs"])
        .into_iter()
        .filter(|source| source.path != "src/stage/mod.rs")
        .map(|source| {
            let name = Path::new(&source.path).file_stem().unwrap().to_string_lossy().into_owned();
            (source, name)
        })
        .unzip();
    assert!(names.len() >= 8, "{names:?}");
    let paths: Vec<String> = names
        .iter()
        .flat_map(|name| [format!("super::{name}"), format!("stage::{name}"), format!("super::{{{name}")])
        .collect();
    let words: Vec<&str> = paths.iter().map(String::as_str).collect();
    hold("no stage imports another", places(&stages, &words));
    hold("what comes from stage/mod.rs are types", places(&stages, &["use super::*", "stage::*"]));
    for source in &stages {
        for (line, code) in source.code().filter(|(_, code)| code.starts_with("use super::")) {
            let lower = |word: &str| word.chars().next().is_some_and(char::is_lowercase);
            let imported = code.trim_start_matches("use super::").trim_matches(['{', '}', ';']);
            let modules: Vec<&str> = imported.split(", ").filter(|word| lower(word)).collect();
            assert!(modules.is_empty(), "{}:{line} imports {modules:?}", source.path);
        }
    }
}

/// The wire is pure: what is particular to a server is data in its dialect, and time and network are ports.
#[test]
fn the_wire_knows_no_book_no_server_and_no_clock() {
    let wire = sources(&["src/llm"], &[".rs"]);
    let book = ["crate::index", "crate::text", "crate::knowledge", "crate::book", "crate::engine"];
    let wire_only =
        ["address", "batch", "connection", "dialect", "endpoint", "openai", "retry", "sse", "thinking"];
    let of_wire =
        |source: &&Source| wire_only.iter().any(|name| source.path.starts_with(&format!("src/llm/{name}")));
    hold("the wire knows no book", places(wire.iter().filter(of_wire), &book));
    let times = ["std::time", "Instant", "SystemTime", "std::thread", "std::net"];
    hold("time and network are ports", places(&wire, &times));
    let servers = ["openrouter", "googleapis", "anthropic", "ollama", "lmstudio", "vllm", "gpt-"];
    hold("no server or model is known by name", places(&wire, &servers));
}

#[test]
fn algorithms_know_numbers_not_words() {
    let algo = sources(&["src/algo"], &[".rs"]);
    let words = [
        "String",
        "&str",
        "knowledge",
        "EntityId",
        "EventId",
        "ChunkId",
        "ClusterId",
        "crate::index",
        "crate::text",
    ];
    hold("algo/ holds no text and none of our ids", places(&algo, &words));
}

/// Their values differ between targets; `libm` computes them the same everywhere. Square roots and
/// roundings are exact by IEEE 754.
#[test]
fn functions_that_differ_between_targets_come_from_libm() {
    let names = [
        "ln", "ln_1p", "log", "log2", "log10", "exp", "exp2", "exp_m1", "powf", "powi", "sin", "cos", "tan",
        "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "cbrt", "hypot", "mul_add",
    ];
    let calls: Vec<String> = names
        .iter()
        .flat_map(|name| [format!(".{name}("), format!("f64::{name}"), format!("f32::{name}")])
        .collect();
    let words: Vec<&str> = calls.iter().map(String::as_str).collect();
    hold("elementary functions only from libm", places(&rust(), &words));
}

/// A loop over a hash map has another order in each run. Maps are asked by key; where all of one is
/// wanted, it is a BTreeMap, or the place is listed here with its reason.
#[test]
fn no_hash_order_gets_out() {
    let allowed = [
        // Writes each term to the place of its id.
        ("src/lexical/mod.rs", "for (term, &id) in &self.ids"),
    ];
    let mut broken = Vec::new();
    for source in rust() {
        let code: Vec<(usize, &str)> = source.code().collect();
        let maps: Vec<String> = code.iter().filter_map(|(_, line)| hash_named(line)).collect();
        for (number, line) in &code {
            let known = allowed.iter().any(|(path, text)| source.path == *path && line.contains(text));
            if !known && maps.iter().any(|map| walks(line, map)) {
                broken.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    hold("no loop over a hash map", broken);
}

/// How a hash map or set that is declared here is reached: `self.name` for a field, `name` otherwise.
fn hash_named(line: &str) -> Option<String> {
    let declared = line.trim();
    let name = declared.split_once(": HashMap<").or_else(|| declared.split_once(": HashSet<"))?.0;
    let name = name.trim_start_matches("pub(crate) ").trim_start_matches("pub ");
    match name.strip_prefix("let ") {
        Some(local) => Some(local.trim_start_matches("mut ").to_owned()),
        None if declared.ends_with(",") => Some(format!("self.{name}")),
        None => None,
    }
}

/// Whether a line goes through all of a map.
fn walks(line: &str, map: &str) -> bool {
    const WAYS: [&str; 9] = [
        ".iter()",
        ".iter_mut()",
        ".keys()",
        ".values()",
        ".values_mut()",
        ".into_iter()",
        ".into_keys()",
        ".into_values()",
        ".drain(",
    ];
    let starts = |at: usize| {
        line[..at]
            .chars()
            .next_back()
            .is_none_or(|before| !before.is_alphanumeric() && !"._".contains(before))
    };
    line.match_indices(map).filter(|(at, _)| starts(*at)).any(|(at, _)| {
        let (before, after) =
            (line[..at].trim_end_matches("&mut ").trim_end_matches('&'), &line[at + map.len()..]);
        WAYS.iter().any(|way| after.starts_with(way)) || before.ends_with(" in ") && after.starts_with(" {")
    })
}

#[test]
fn every_rust_file_says_what_it_is() {
    let files = sources(&["src", "tests", "xtask", "examples", "benches"], &[".rs"]);
    let silent =
        files.iter().filter(|source| !source.text.starts_with("//! ")).map(|source| source.path.clone());
    hold("a file starts with //!", silent.collect());
}

#[test]
fn files_stay_short() {
    let length =
        |source: &Source| source.text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count();
    let over = |sources: Vec<Source>, limit: usize| {
        let long = sources.iter().filter(|source| length(source) > limit);
        long.map(|source| format!("{}: {} lines, limit {limit}", source.path, length(source))).collect()
    };
    hold("Rust files", over(sources(&["src", "xtask"], &[".rs"]), 400));
    hold("JavaScript files", over(sources(&["pkg", "www"], &[".js", ".mjs"]), 250));
    let mut lengths: Vec<usize> = rust().iter().map(length).collect();
    lengths.sort_unstable();
    assert!(
        lengths[lengths.len() / 2] <= 180,
        "the median Rust file has {} lines",
        lengths[lengths.len() / 2]
    );
}
