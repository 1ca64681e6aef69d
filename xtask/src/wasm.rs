//! `cargo xtask build`: from Rust sources to the files that a page loads.
//!
//! Four steps: cargo compiles the library for WebAssembly, wasm-bindgen writes its JavaScript,
//! wasm-opt makes it smaller and faster, esbuild makes `pkg/worker.js` one file without imports.
//! The invariant: the same sources give the same bytes on every machine (no path of this one is
//! in them), and no step runs again whose input is the same as last time.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use wasm_bindgen_cli_support::Bindgen;

use crate::process::{output, run};
use crate::root;
use crate::site::relative;
use crate::toolchain::{self, Route};
use crate::wasm_features;

/// What the package calls the module; `pkg/index.js` and `pkg/node.js` import it.
const NAME: &str = "plotbridge";

/// Of -O2, -O3, -O4, -Os and -Oz, -O3 gives the fewest bytes with gzip, and indexes no slower.
const OPTIMISE: [&str; 3] = ["-O3", "--strip-debug", "--strip-producers"];

/// Makes `pkg/wasm` and `pkg/worker.js`, and prints what they weigh.
pub fn build(forced: Option<Route>) -> Result<(), String> {
    toolchain::npm_packages()?;
    let route = Route::find(forced)?;
    let mut compiled = read(&compile(route)?)?;
    wasm_features::forgo(&mut compiled);
    let features = wasm_features::check(&compiled)?;
    eprintln!("features of WebAssembly: {}", features.join(", "));
    let folder = root().join("pkg/wasm");
    let stamp = root().join("target/xtask/wasm.stamp");
    let inputs = fingerprint(&compiled)?;
    let files = ["plotbridge.js", "plotbridge.d.ts", "plotbridge_bg.wasm"];
    let built = files.iter().all(|file| folder.join(file).is_file());
    if !built || fs::read_to_string(&stamp).ok().as_ref() != Some(&inputs) {
        let _ = fs::remove_file(&stamp);
        bind(compiled, &folder)?;
        optimise(&folder.join("plotbridge_bg.wasm"))?;
        write(&stamp, &inputs)?;
    }
    bundle()
}

/// Compiles the library in the route's own folder: two compilers must not share one.
fn compile(route: Route) -> Result<PathBuf, String> {
    let target = root().join("target").join(format!("wasm-{}", route.name()));
    let mut cargo = route.cargo()?;
    cargo.args(["build", "--release", "--lib", "--package", NAME]).args(route.arguments());
    cargo.arg("--target-dir").arg(relative(&target));
    cargo.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", rust_flags());
    run(&mut cargo)?;
    Ok(target.join("wasm32-unknown-unknown/release").join(format!("{NAME}.wasm")))
}

/// The stack, in bytes. The linker's own choice is a whole MiB, which every instance would hold; all that
/// the tests do takes 53,000 at most, which a file does whose values are nested as deeply as its parser
/// allows. Whoever needs more ends in a trap, since the stack lies below everything else.
const STACK: u32 = 3 << 16;

/// Without the feature that is forgone, with a small stack, and no folder of this machine in the messages of the dependencies.
fn rust_flags() -> OsString {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let user = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
    let cargo_home = home.or_else(|| user.map(|user| PathBuf::from(user).join(".cargo")));
    let mut flags = OsString::from(format!("-Ctarget-feature=-{}", wasm_features::FORGONE));
    flags.push(format!("\x1f-Clink-arg=-zstack-size={STACK}"));
    let mut remap = |folder: &Path, name: &str| {
        flags.push("\x1f--remap-path-prefix=");
        flags.push(folder);
        flags.push(name);
    };
    remap(&root(), "=plotbridge");
    if let Some(home) = cargo_home {
        remap(&home, "=cargo");
    }
    flags
}

/// Everything the later steps depend on, in one number.
fn fingerprint(compiled: &[u8]) -> Result<String, String> {
    let mut hasher = DefaultHasher::new();
    compiled.hash(&mut hasher);
    OPTIMISE.hash(&mut hasher);
    wasm_features::ALLOWED.hash(&mut hasher);
    read(&root().join("package-lock.json"))?.hash(&mut hasher);
    read(&root().join("Cargo.lock"))?.hash(&mut hasher);
    Ok(format!("{:016x}\n", hasher.finish()))
}

fn bind(compiled: Vec<u8>, folder: &Path) -> Result<(), String> {
    eprintln!("writing {} with wasm-bindgen", relative(folder).display());
    Bindgen::new()
        .input_bytes(NAME, compiled)
        .out_name(NAME)
        .web(true)
        .and_then(|bindgen| bindgen.typescript(true).generate(folder))
        .map_err(|error| format!("wasm-bindgen failed: {error:#}"))
}

/// Runs wasm-opt with exactly the allowed features, so that any other fails to validate.
fn optimise(binary: &Path) -> Result<(), String> {
    let smaller = binary.with_extension("opt.wasm");
    let mut wasm_opt = toolchain::node()?;
    wasm_opt.args(["node_modules/binaryen/bin/wasm-opt", "--mvp-features"]);
    wasm_opt.args(wasm_features::ALLOWED.map(|(_, flag)| flag)).args(OPTIMISE);
    run(wasm_opt.arg(relative(binary)).arg("-o").arg(relative(&smaller)))?;
    fs::rename(&smaller, binary).map_err(|error| format!("{}: {error}", binary.display()))
}

/// Bundles the worker, and prints the size of both files as they are and as they travel.
fn bundle() -> Result<(), String> {
    let sizes = output(toolchain::node()?.arg("xtask/bundle.js"));
    match sizes {
        Some(sizes) => eprintln!("{sizes}"),
        // Run again aloud: its messages are for people.
        None => run(toolchain::node()?.arg("xtask/bundle.js"))?,
    }
    Ok(())
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    let folder = file.parent().ok_or("a file has a folder")?;
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(file, text))
        .map_err(|error| format!("{} cannot be written: {error}", file.display()))
}
