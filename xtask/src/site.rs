//! `cargo xtask site`: writes `target/site`, a folder that any static host can serve as it is.
//!
//! It holds www, the files of pkg that a page loads (as `pkg/`), and the bundled story with its
//! index (as `story.txt`, `story.plot.json`). The invariant: every file that a page or module of
//! the folder names is in it, and no name starts with a slash, so that it works under any path.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::process::run;
use crate::toolchain::{self, Route};
use crate::{root, wasm};

/// The folder, relative to the repository.
pub const FOLDER: &str = "target/site";

/// The story's index in it, beside the page.
const INDEX: &str = "target/site/story.plot.json";

/// Builds what is missing, writes the folder anew, and says where the story's index is in it.
pub fn build(route: Option<Route>) -> Result<&'static str, String> {
    wasm::build(route)?;
    let site = root().join(FOLDER);
    if site.exists() {
        fs::remove_dir_all(&site).map_err(|error| said(&site, &error))?;
    }
    copy(&root().join("www"), &site)?;
    copy_package(&root().join("pkg"), &site.join("pkg"))?;
    index_story(&site)?;
    check_references(&site)?;
    println!("{FOLDER} is ready: {} files", files(&site)?.len());
    Ok(INDEX)
}

/// Copies what a page loads: not the command line, Node's entry and the declarations.
fn copy_package(from: &Path, to: &Path) -> Result<(), String> {
    for needed in ["index.js", "ask-element.js", "worker.js", "wasm/plotbridge_bg.wasm"] {
        copy(&from.join(needed), &to.join(needed))?;
    }
    for file in files(from)? {
        let name = file.strip_prefix(from).unwrap_or(&file);
        let kind = name.extension().and_then(|kind| kind.to_str());
        let folder = name.parent().and_then(|folder| folder.iter().next()).and_then(|name| name.to_str());
        let loaded = matches!(folder, None | Some("src" | "wasm")) && name != Path::new("node.js");
        if loaded && matches!(kind, Some("js" | "css" | "wasm")) {
            copy(&file, &to.join(name))?;
        }
    }
    Ok(())
}

/// Indexes the story through the command line, as an author would, with no endpoint.
fn index_story(site: &Path) -> Result<(), String> {
    let books = root().join("books");
    let story = files(&books)?.into_iter().find(|file| file.extension() == Some("txt".as_ref()));
    let story = story.ok_or("books has no story: a .txt file is missing")?;
    copy(&story, &site.join("story.txt"))?;
    copy(&books.join("LICENSE.md"), &site.join("story.LICENSE.md"))?;
    let mut index = toolchain::plotbridge("index")?;
    run(index.arg(relative(&story)).args(["-o", INDEX, "--offline"]))
}

/// A path from the root of the repository, which is shorter to read.
pub fn relative(path: &Path) -> &Path {
    path.strip_prefix(root()).unwrap_or(path)
}

/// Copies a file, or a folder with all in it.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if from.is_dir() {
        return files(from)?
            .iter()
            .try_for_each(|file| copy(file, &to.join(file.strip_prefix(from).unwrap_or(file))));
    }
    if !from.is_file() {
        return Err(format!("{} is missing, and the page needs it", relative(from).display()));
    }
    let folder = to.parent().ok_or("a file has a folder")?;
    fs::create_dir_all(folder).map_err(|error| said(folder, &error))?;
    fs::copy(from, to).map(|_| ()).map_err(|error| said(from, &error))
}

/// The files below a folder, sorted by name; hidden ones are no part of a site.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| said(folder, &error))?;
    let shown = entries.flatten().filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
    let mut paths: Vec<_> = shown.map(|entry| entry.path()).collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() { all.extend(files(&path)?) } else { all.push(path) }
    }
    Ok(all)
}

fn check_references(site: &Path) -> Result<(), String> {
    for file in files(site)? {
        let kind = file.extension().and_then(|kind| kind.to_str());
        let Some(kind @ ("html" | "js" | "css")) = kind else { continue };
        let text = fs::read_to_string(&file).map_err(|error| said(&file, &error))?;
        for name in references(&text, kind == "html") {
            let shown = relative(&file).display();
            if name.starts_with('/') {
                return Err(format!("{shown} names `{name}`; write it relative to the page"));
            }
            // A module's name counts from the module, a page's address from the page.
            let folders = [file.parent(), Some(site)];
            if !folders.into_iter().flatten().any(|folder| serves(folder, name)) {
                return Err(format!("{shown} names `{name}`, which is not in {FOLDER}"));
            }
        }
    }
    Ok(())
}

/// What stands in quotes after an import, `new URL(` or an attribute for an address, where it
/// is an address within the site: in a page any that names no scheme and no place in the page,
/// in a module only one that starts with a dot or a slash (others are packages, or prose).
fn references(text: &str, page: bool) -> impl Iterator<Item = &str> {
    const BEFORE: [&str; 8] = ["from ", "import ", "import(", "new URL(", "fetch(", "href=", "src=", "url("];
    let code = |line: &&str| !["//", "*", "/*"].iter().any(|mark| line.trim_start().starts_with(mark));
    let within = move |name: &&str| match name.chars().next() {
        None | Some('#') => false,
        Some('.' | '/') => !name.starts_with("//"),
        Some(_) => page && !name.contains(':'),
    };
    text.lines().filter(code).flat_map(move |line| {
        BEFORE.iter().flat_map(move |before| {
            let names = line.match_indices(before).filter_map(|(at, before)| {
                let rest = &line[at + before.len()..];
                let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
                rest[1..].split(quote).next()?.split(['?', '#']).next()
            });
            names.filter(within)
        })
    })
}

/// Whether a host that serves this folder has a file of this name.
fn serves(folder: &Path, name: &str) -> bool {
    let mut path = folder.to_path_buf();
    for part in Path::new(name).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            Component::Normal(part) => path.push(part),
            _ => (),
        }
    }
    path.is_file() || path.join("index.html").is_file()
}

fn said(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", relative(path).display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_module(text: &str) -> Vec<&str> {
        references(text, false).collect()
    }

    fn in_page(text: &str) -> Vec<&str> {
        references(text, true).collect()
    }

    #[test]
    fn addresses_within_the_site_are_found() {
        assert_eq!(in_module("import { a } from \"./a.js\";"), ["./a.js"]);
        assert_eq!(in_module("const u = new URL('./b.wasm', import.meta.url);"), ["./b.wasm"]);
        assert_eq!(in_page("<link href=\"c.css\"><img src='/d.png'>"), ["c.css", "/d.png"]);
        assert_eq!(in_page("<a href=\"read.html?at=3#x\">"), ["read.html"]);
    }

    #[test]
    fn other_hosts_packages_and_comments_are_not() {
        assert!(in_module("import x from \"node:fs\"; // taken from \"the book\"").is_empty());
        assert!(in_module("  // import x from \"./gone.js\"").is_empty());
        assert!(in_page("<a href=\"https://example.org/\"> <a href=\"#top\">").is_empty());
    }

    #[test]
    fn a_name_is_looked_up_from_its_folder() {
        let folder = root().join("xtask/src");
        assert!(serves(&folder, "./site.rs"));
        assert!(serves(&folder, "../Cargo.toml"));
        assert!(!serves(&folder, "./gone.rs"));
    }
}
