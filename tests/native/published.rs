//! What leaves the repository: pages that build nodes only, no registry and no machine's paths in any file,
//! and one table of error codes everywhere.

use plotbridge::Code;

use super::support::{read_file, root};
use super::tidy::{Source, hold, places, sources};

/// Book text and answers reach a page by node calls only, and its own policy forbids the rest.
#[test]
fn pages_build_nodes() {
    let pages = sources(&["pkg", "www", "examples"], &[".js", ".mjs", ".html", ".ts"]);
    let words = [
        "innerHTML",
        "outerHTML",
        "DOMParser",
        "insertAdjacentHTML",
        "document.write",
        "setAttribute(\"style\"",
        "setAttribute('style'",
        " style=\"",
        "new Worker(new URL",
        "eval(",
        "new Function(",
    ];
    hold("no markup from strings", places(&pages, &words));
}

/// A clone must build anywhere, and a published file must not tell where it was written.
#[test]
fn no_file_names_a_registry_or_a_place_of_one_machine() {
    let endings = [
        ".rs", ".toml", ".js", ".mjs", ".ts", ".json", ".jsonl", ".md", ".html", ".css", ".py", ".txt",
        ".lock", ".npmrc", "config", "run",
    ];
    let folders = [
        "src", "tests", "xtask", "pkg", "www", "examples", "benches", "books", "docs", "prompts", "tools",
        ".ci", ".cargo",
    ];
    let folders: Vec<&str> = folders.into_iter().filter(|folder| root().join(folder).exists()).collect();
    let mut files = sources(&folders, &endings);
    for name in [
        "Cargo.toml",
        "Cargo.lock",
        "package.json",
        "package-lock.json",
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
    ] {
        if root().join(name).exists() {
            files.push(Source { path: name.to_owned(), text: read_file(name) });
        }
    }
    // Put together, so that this file does not hold them.
    let hosts = [
        "registry.npmjs",
        "registry.yarnpkg",
        "static.crates",
        "index.crates",
        "pypi",
        "pythonhosted",
        "npmmirror",
    ];
    let hosts = hosts.map(|host| {
        format!(
            "{host}.{}",
            match host {
                "static.crates" | "index.crates" => "io",
                "registry.yarnpkg" | "npmmirror" => "com",
                _ => "org",
            }
        )
    });
    let homes = ["root", "home", "work", "Users"].map(|folder| format!("/{folder}/"));
    let mut broken = Vec::new();
    for source in &files {
        for (number, line) in source.text.lines().enumerate() {
            // Cargo's lock file names the index of the crates it locks in a fixed form of its own.
            let own = source.path.ends_with("Cargo.lock");
            let home =
                |folder: &&String| line.match_indices(folder.as_str()).any(|(at, _)| absolute(line, at));
            if !own && hosts.iter().any(|host| line.contains(host.as_str()))
                || homes.iter().any(|folder| home(&folder))
            {
                broken.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    hold("no registry, no machine", broken);
}

/// Whether a path starts here, and is not the middle of another or of an address.
fn absolute(line: &str, at: usize) -> bool {
    line[..at]
        .chars()
        .next_back()
        .is_none_or(|before| !(before.is_alphanumeric() || ".-_/}*~".contains(before)))
}

/// Codes, exit statuses and what may be tried again: one table in Rust, one in the package, the same in
/// the declarations and in the package's README.
#[test]
fn the_tables_of_codes_agree() {
    let table = read_file("pkg/src/errors.js");
    let rows: Vec<&str> =
        table.lines().filter(|line| line.contains("exit:") && line.contains("retryable:")).collect();
    let code = |row: &str| row.trim().split(':').next().unwrap_or_default().to_owned();
    let ours: Vec<String> = Code::ALL
        .iter()
        .map(|code| format!("{code}: {{ exit: {}, retryable: {} }},", code.exit_status(), code.retryable()))
        .collect();
    assert_eq!(rows.iter().take(ours.len()).map(|row| row.trim()).collect::<Vec<_>>(), ours);

    let mut all: Vec<String> = rows.iter().map(|row| code(row)).collect();
    all.sort_unstable();
    let declarations = read_file("pkg/index.d.ts");
    let union = declarations.split_once("export type ErrorCode =").unwrap().1.split_once(';').unwrap().0;
    let mut declared: Vec<String> =
        union.split('|').map(|code| code.trim().trim_matches('"').to_owned()).collect();
    declared.retain(|code| !code.is_empty());
    declared.sort_unstable();
    assert_eq!(declared, all);

    let readme = read_file("pkg/README.md");
    let mut told: Vec<String> = readme
        .lines()
        .filter(|line| line.starts_with("| `"))
        .filter_map(|line| line.split('`').nth(1).map(str::to_owned))
        .filter(|word| all.contains(word))
        .collect();
    told.sort_unstable();
    assert_eq!(told, all, "the README of the package");
}
