//! `cargo xtask site`: writes `target/site`, a folder that any static host can serve as it is.
//!
//! It holds www, the files of pkg that a page loads (as `pkg/`), and the bundled story with its
//! index (as `books/`). The invariant: every file that a page or module of the folder names is
//! in it, and no name starts with a slash, so that it works under any path of a host.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::process::run;
use crate::toolchain::{self, Route};
use crate::{root, wasm};

/// What a page loads of the package. The command line and Node's entry stay out.
const PACKAGE: [&str; 5] = ["index.js", "ask-element.js", "worker.js", "src", "wasm"];

/// The folder, relative to the repository.
pub const FOLDER: &str = "target/site";

/// Builds what is missing, writes the folder anew, and says where the story's index is.
pub fn build(route: Option<Route>) -> Result<PathBuf, String> {
    wasm::build(route)?;
    let site = root().join(FOLDER);
    if site.exists() {
        fs::remove_dir_all(&site).map_err(|error| said(&site, &error))?;
    }
    copy(&root().join("www"), &site)?;
    for name in PACKAGE {
        copy(&root().join("pkg").join(name), &site.join("pkg").join(name))?;
    }
    let index = index_story(&site.join("books"))?;
    check_references(&site)?;
    println!("{FOLDER} is ready: {} files", files(&site)?.len());
    Ok(index)
}

/// Indexes the story through the command line, as a reader would, with no endpoint.
fn index_story(folder: &Path) -> Result<PathBuf, String> {
    let books = root().join("books");
    let story = files(&books)?.into_iter().find(|file| file.extension() == Some("txt".as_ref()));
    let story = story.ok_or("books has no story: a .txt file is missing")?;
    let text = folder.join(story.file_name().ok_or("a file has a name")?);
    let index = text.with_extension("plot.json");
    copy(&story, &text)?;
    copy(&books.join("LICENSE.md"), &folder.join("LICENSE.md"))?;
    let mut command = toolchain::plotbridge("index")?;
    command.arg(relative(&story)).arg("-o").arg(relative(&index)).arg("--offline");
    run(&mut command).map(|()| index)
}

/// A path as it is shorter to read: from the root of the repository.
fn relative(path: &Path) -> &Path {
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
        if !matches!(kind, Some("html" | "js" | "css")) {
            continue;
        }
        let text = fs::read_to_string(&file).map_err(|error| said(&file, &error))?;
        let shown = relative(&file).display();
        for name in references(&text) {
            if name.starts_with('/') && !name.starts_with("//") {
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
/// is an address within the site.
fn references(text: &str) -> impl Iterator<Item = &str> {
    const BEFORE: [&str; 8] = ["from ", "import ", "import(", "new URL(", "fetch(", "href=", "src=", "url("];
    text.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| {
        BEFORE.iter().flat_map(move |before| {
            line.match_indices(before).filter_map(|(at, before)| {
                let rest = &line[at + before.len()..];
                let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
                let name = rest[1..].split(quote).next()?;
                let name = name.split(['?', '#']).next()?;
                (name.starts_with('.') || name.starts_with('/')).then_some(name)
            })
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

    fn found(text: &str) -> Vec<&str> {
        references(text).collect()
    }

    #[test]
    fn addresses_within_the_site_are_found() {
        assert_eq!(found("import { a } from \"./a.js\";"), ["./a.js"]);
        assert_eq!(found("const u = new URL('./b.wasm', import.meta.url);"), ["./b.wasm"]);
        assert_eq!(found("<link href=\"./c.css\"><img src='/d.png'>"), ["./c.css", "/d.png"]);
        assert_eq!(found("<a href=\"./read.html?at=3#x\">"), ["./read.html"]);
    }

    #[test]
    fn other_hosts_packages_and_comments_are_not() {
        assert!(found("import x from \"node:fs\"; // from \"the book\"").is_empty());
        assert!(found("<a href=\"https://example.org/\"> <a href=\"#top\">").is_empty());
        assert!(found("  // import x from \"./gone.js\"").is_empty());
    }
}
