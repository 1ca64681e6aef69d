//! `cargo xtask`: every step from a bare clone to a page that answers, and every test.
//!
//! One command stands for one thing a person wants (`demo`, `test`, `build`, `site`); what is
//! missing on the machine is installed first, and printed before it is installed. The invariant:
//! whatever goes wrong ends as one plain sentence that says what to do, and exit status 1.

mod demo;
mod engines;
mod measure;
mod model_server;
mod process;
mod site;
mod tally;
mod test;
mod toolchain;
mod wasm;
mod wasm_features;

use std::path::PathBuf;
use std::process::ExitCode;

use toolchain::Route;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  demo    build, index the bundled story without a model, ask it one question here,
          then serve the page until Ctrl-C
            --once           exit after printing, without serving
  test    run everything; ends with one line `N passed, N failed, N skipped`
            --only PART      native, node, browser, types or lint (may be repeated)
  build   make pkg/wasm and pkg/worker.js
  bench   time build, open and retrieve on the bundled story, and on the largest of the shared
          books where they are there; sizes of what travels
            --runs N         processes that each measures (default 5)
            --json           print one JSON document
  quality score the methods and write the tables of docs/quality.md
  site    write target/site, a folder that any static host can serve under any path
  model-server
          a scripted language model that speaks OpenAI's protocol on 127.0.0.1, for tests and for
          trying out; prints `listening on http://127.0.0.1:PORT/v1`, serves until it is ended
            --port N         default 0, any free one
            --script FILE    rules as JSON (CONTRIBUTING.md, The scripted model server)
            --fault NAME[:VALUE][@WHEN]
                             one rule of a script (may be repeated); WHEN is N for the Nth
                             request, everyN or firstN; without it, all
            --faults         print the names of the faults and what they do
            --log FILE       write each request as a line of JSON
            --attached       end when standard input does
  help    print this

  --wasm-route rustup|debian   force where the WebAssembly target comes from
                               (default: rustup, then Debian's packages)

What is missing is installed on the way, and printed before it is: the WebAssembly target,
the npm packages of package-lock.json, for the page's tests four browser engines.
";

fn main() -> ExitCode {
    match dispatch(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<(), String> {
    let Some((command, rest)) = arguments.split_first() else {
        print!("{USAGE}");
        return Ok(());
    };
    if command == "model-server" {
        return model_server::command(rest);
    }
    let options = Options::parse(rest)?;
    match command.as_str() {
        "help" | "-h" | "--help" => {
            print!("{USAGE}");
            Ok(())
        }
        "build" => wasm::build(options.route),
        "bench" => measure::bench(options.route, options.runs, options.json),
        "quality" => measure::quality(options.route),
        "site" => site::build(options.route).map(|_| ()),
        "demo" => demo::show(options.route, options.once),
        "test" => test::run_all(options.route, &options.only),
        other => Err(format!("unknown command `{other}`; `cargo xtask help` lists them")),
    }
}

/// What may follow a command.
#[derive(Default)]
struct Options {
    route: Option<Route>,
    once: bool,
    json: bool,
    runs: Option<u32>,
    only: Vec<test::Part>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let (name, inline) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (argument.as_str(), None),
            };
            let mut value = || {
                let value = inline.or_else(|| rest.next().map(String::as_str));
                value.ok_or_else(|| format!("{name} needs a value; see `cargo xtask help`"))
            };
            match name {
                "--wasm-route" => options.route = Some(value()?.parse()?),
                "--only" => options.only.push(value()?.parse()?),
                "--once" => options.once = true,
                "--json" => options.json = true,
                "--runs" => options.runs = Some(count(name, value()?)?),
                _ => return Err(format!("unknown option `{argument}`; see `cargo xtask help`")),
            }
        }
        Ok(options)
    }
}

/// A whole number of 1 at least.
fn count(name: &str, text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| format!("{name} is `{text}`, but must be a whole number of 1 at least"))
}

/// The root of the repository, which holds the crate, `pkg` and `www`.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}
