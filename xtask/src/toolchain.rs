//! Finding and installing what the commands need beside Rust itself: the WebAssembly target,
//! Node and the npm packages, Rust's own lint tools. The browsers are in `engines`.
//!
//! The invariant: nothing is installed before it is printed, and what cannot be installed ends
//! as one message that says what to do on each system.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;

use crate::process::{command, find, output, run, run_within};
use crate::root;

/// A download from rustup takes seconds; where its host is not reachable it would take for ever.
const RUSTUP_LIMIT: Duration = Duration::from_secs(60);
const APT_LIMIT: Duration = Duration::from_secs(600);

const TARGET: &str = "wasm32-unknown-unknown";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_SOURCES: &str = "/usr/lib/rustlib/src/rust/library/Cargo.lock";
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// The oldest Node that the command line supports.
const NODE: (u32, u32) = (20, 16);

/// Where the standard library for WebAssembly comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The compiler that runs this, with the target that rustup adds.
    Rustup,
    /// Debian's compiler for its browsers, which builds the standard library from its sources.
    Debian,
}

impl FromStr for Route {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "rustup" => Ok(Self::Rustup),
            "debian" => Ok(Self::Debian),
            _ => Err(format!("--wasm-route is rustup or debian, not `{name}`")),
        }
    }
}

impl Route {
    /// The route's name, which is also that of its own folder below `target`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rustup => "rustup",
            Self::Debian => "debian",
        }
    }

    /// The first route that works, installing what it needs; or the forced one.
    pub fn find(forced: Option<Self>) -> Result<Self, String> {
        let tried = match forced {
            Some(Self::Rustup) => rustup_target().map(|()| Self::Rustup),
            Some(Self::Debian) => debian_compiler().map(|()| Self::Debian),
            // It is there since rustup's target could not be had; asking again would only take time.
            None if !has_target() && has_debian_compiler() => Ok(Self::Debian),
            None => rustup_target().map(|()| Self::Rustup).or_else(|first| {
                eprintln!("{first}; trying Debian's packages");
                debian_compiler().map(|()| Self::Debian).map_err(|second| format!("{first}; {second}"))
            }),
        };
        tried.map_err(|reason| format!("no WebAssembly target: {reason}\n{TARGET_HELP}"))
    }

    /// A `cargo` of this route; the caller adds `build` and what follows.
    pub fn cargo(self) -> Result<Command, String> {
        match self {
            Self::Rustup => Ok(cargo()),
            Self::Debian => debian_cargo(),
        }
    }

    /// Arguments of `cargo build` for this route.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Rustup => &["--target", TARGET],
            Self::Debian => &["--target", TARGET, "-Zbuild-std=std,panic_abort"],
        }
    }
}

const TARGET_HELP: &str = "\
  any system with rustup:  rustup target add wasm32-unknown-unknown
  Debian 12 or later:      sudo apt-get install rustc-web cargo-web rust-web-src
  Fedora:                  sudo dnf install rust-std-static-wasm32-unknown-unknown
  Arch:                    sudo pacman -S rust-wasm
  macOS, Windows:          install Rust by rustup, then the first line
then run the same command again";

/// The `cargo` that runs this program.
pub fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Whether the compiler on the PATH has the standard library of the target.
pub fn has_target() -> bool {
    let folder = output(command("rustc").args(["--print", "target-libdir", "--target", TARGET]));
    folder.is_some_and(|folder| Path::new(&folder).is_dir())
}

fn rustup_target() -> Result<(), String> {
    if has_target() {
        return Ok(());
    }
    let rustup = find("rustup").ok_or("rustup is not installed")?;
    eprintln!("installing Rust's {TARGET} target");
    run_within(RUSTUP_LIMIT, command(rustup).args(["target", "add", TARGET]))
}

fn has_debian_compiler() -> bool {
    Path::new(DEBIAN_CARGO).is_file() && Path::new(DEBIAN_SOURCES).is_file()
}

fn debian_compiler() -> Result<(), String> {
    if !has_debian_compiler() {
        apt_install(&DEBIAN_PACKAGES)?;
    }
    if has_debian_compiler() {
        return Ok(());
    }
    Err(format!("{} are installed, but {DEBIAN_SOURCES} is not there", DEBIAN_PACKAGES.join(" ")))
}

/// Debian's cargo, told to build the standard library, with the linker of the other toolchain,
/// and with nothing of that toolchain's environment.
fn debian_cargo() -> Result<Command, String> {
    let mut cargo = command(DEBIAN_CARGO);
    for name in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "LD_LIBRARY_PATH"] {
        cargo.env_remove(name);
    }
    cargo
        .env("PATH", "/usr/bin:/bin")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", wasm_linker()?);
    Ok(cargo)
}

fn wasm_linker() -> Result<PathBuf, String> {
    let beside_rustc = output(command("rustc").args(["--print", "target-libdir"]))
        .and_then(|folder| Some(PathBuf::from(folder).parent()?.join("bin/rust-lld")));
    let packaged = find("wasm-ld").or_else(|| Some("/usr/lib/llvm-22/bin/wasm-ld".into()));
    beside_rustc.into_iter().chain(packaged).find(|linker| linker.is_file()).ok_or_else(|| {
        "Debian's Rust has no linker for WebAssembly: install Rust by rustup, whose rust-lld is \
         used, or `sudo apt-get install lld-22`"
            .to_owned()
    })
}

/// Installs Debian packages, where that is possible without asking for a password.
pub fn apt_install(packages: &[&str]) -> Result<(), String> {
    let names = packages.join(" ");
    let apt = find("apt-get").ok_or_else(|| format!("this system has no apt-get for {names}"))?;
    let root = output(command("id").arg("-u")).is_some_and(|id| id == "0");
    if !root && output(command("sudo").args(["-n", "true"])).is_none() {
        return Err(format!("{names} can only be installed by root or with passwordless sudo"));
    }
    eprintln!("installing Debian's {names}");
    let apt = || {
        let mut apt_get = if root { command(&apt) } else { command("sudo") };
        if !root {
            apt_get.args(["-n", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        }
        apt_get.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq");
        apt_get
    };
    run_within(APT_LIMIT, apt().arg("update"))?;
    run_within(APT_LIMIT, apt().args(["install", "-y", "--no-install-recommends"]).args(packages))
}

/// Whether `cargo` has this tool of rustup's (`clippy`, `fmt`), installing it where it can.
pub fn has_component(tool: &str, component: &str) -> bool {
    let there = || output(cargo().args([tool, "--version"])).is_some();
    if there() {
        return true;
    }
    let Some(rustup) = find("rustup") else { return false };
    eprintln!("installing Rust's {component}");
    run_within(RUSTUP_LIMIT, command(rustup).args(["component", "add", component])).is_ok() && there()
}

/// A command of Node, or how to get it.
pub fn node() -> Result<Command, String> {
    let advice = format!("install Node {}.{} or later (https://nodejs.org)", NODE.0, NODE.1);
    let node = find("node").ok_or_else(|| format!("Node is not installed: {advice}"))?;
    let version = output(command(&node).arg("--version")).unwrap_or_default();
    if node_version(&version).is_some_and(|version| version >= NODE) {
        return Ok(command(node));
    }
    Err(format!("this is Node {version}, which is too old: {advice}"))
}

/// A command of Plotbridge's own command line.
pub fn plotbridge(name: &str) -> Result<Command, String> {
    let mut plotbridge = node()?;
    plotbridge.args(["pkg/bin/plotbridge.js", name]);
    Ok(plotbridge)
}

fn node_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.strip_prefix('v')?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Installs the packages of package-lock.json, unless they are there and newer than it.
pub fn npm_packages() -> Result<(), String> {
    node()?;
    let changed = |file: &str| fs::metadata(root().join(file)).and_then(|data| data.modified());
    let lock = changed("package-lock.json").map_err(|_| "package-lock.json is missing")?;
    if changed("node_modules/.package-lock.json").is_ok_and(|installed| installed >= lock) {
        return Ok(());
    }
    let npm = find("npm").ok_or("npm is not installed; it comes with Node")?;
    eprintln!("installing the npm packages of package-lock.json");
    run(command(npm).args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_compare_by_number() {
        assert!(node_version("v20.9.0").is_some_and(|version| version < NODE));
        assert!(node_version("v20.16.0").is_some_and(|version| version >= NODE));
        assert!(node_version("v100.0.1").is_some_and(|version| version >= NODE));
        assert_eq!(node_version(""), None);
    }

    #[test]
    fn a_route_is_named_as_on_the_command_line() {
        for route in [Route::Rustup, Route::Debian] {
            assert_eq!(route.name().parse(), Ok(route));
        }
        assert!("nix".parse::<Route>().is_err());
    }
}
