//! The same input gives the same index bytes natively and in wasm: the bundled story and, where the shared
//! data is there, a novel.

use std::path::Path;
use std::process::Command;

use plotbridge::pace::Native;
use plotbridge::text::ReadOptions;
use plotbridge::{Engine, IndexConfig};
use pollster::block_on;

use super::support::{root, shared};

/// Whether the wasm is built; says so when it is not, and fails where everything has to be there.
fn built() -> bool {
    if root().join("pkg/wasm/plotbridge_bg.wasm").exists() {
        return true;
    }
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "pkg/wasm is not built: cargo xtask build");
    eprintln!("SKIPPED: pkg/wasm is not built, so its bytes are not compared");
    false
}

fn same_bytes(path: &Path) {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let read = ReadOptions { name: name.clone(), ..ReadOptions::default() };
    let bytes = std::fs::read(path).unwrap();
    let book = block_on(Engine::build(&bytes, &read, IndexConfig::default(), &Native::default())).unwrap();
    let native = book.save().unwrap();

    let out = std::env::temp_dir().join(format!("plotbridge-parity-{}.plot.json", std::process::id()));
    let run = Command::new("node")
        .arg(root().join("pkg/bin/plotbridge.js"))
        .args(["index".as_ref(), path.as_os_str(), "-o".as_ref(), out.as_os_str()])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let wasm = std::fs::read(&out).unwrap();
    std::fs::remove_file(&out).unwrap();

    let differs = native.iter().zip(&wasm).position(|(a, b)| a != b);
    let around = |file: &[u8]| {
        let at = differs.unwrap_or_else(|| native.len().min(wasm.len()));
        String::from_utf8_lossy(&file[at.saturating_sub(60)..(at + 60).min(file.len())]).into_owned()
    };
    assert!(
        native == wasm,
        "{name:?} differs (is pkg/wasm of these sources? cargo xtask build):\nnative {}\nwasm   {}",
        around(&native),
        around(&wasm)
    );
}

#[test]
fn the_story_has_the_same_bytes() {
    if built() {
        same_bytes(&root().join("books/white-line.txt"));
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn a_novel_has_the_same_bytes() {
    if built()
        && let Some(books) = shared("data/books")
    {
        same_bytes(&books.join("treasure_island.txt"));
    }
}
