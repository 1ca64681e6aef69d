//! `cargo xtask model-server`: a language model that is none, for tests and for trying things out.
//!
//! It speaks OpenAI's protocol on this machine's own address, answers any book by rule (the same
//! request always gets the same reply), and can be told to fail in every way that real servers do.
//! The invariant: no clock and no chance decides what a client gets, only the order of its requests.

mod answer;
mod asked;
mod chat;
mod cors;
mod delivery;
mod embeddings;
mod fault;
mod http;
mod judge;
mod log;
mod refusal;
mod replies;
mod script;
mod sentences;
mod server;
mod spoil;
#[cfg(test)]
mod tests;
mod vectors;

use std::fs::{self, File};
use std::io::{Read, Write};

pub use script::Script;
pub use server::ModelServer;

/// Runs the command until the process is ended.
pub fn command(arguments: &[String]) -> Result<(), String> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value =
            || rest.next().ok_or_else(|| format!("{argument} needs a value; see `cargo xtask help`"));
        match argument.as_str() {
            "--faults" => {
                print!("{}", fault::listing());
                return Ok(());
            }
            "--port" => {
                let text = value()?;
                let wrong = |_| format!("--port is `{text}`, but must be 0 to 65535");
                options.port = text.parse().map_err(wrong)?;
            }
            "--script" => {
                let path = value()?;
                let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
                options.script = Script::parse(&text).map_err(|reason| format!("{path}: {reason}"))?;
            }
            "--fault" => options.faults.push(value()?.clone()),
            "--log" => {
                let path = value()?;
                options.log = Some(File::create(path).map_err(|error| format!("{path}: {error}"))?);
            }
            "--attached" => options.attached = true,
            _ => return Err(format!("unknown option `{argument}`; see `cargo xtask help`")),
        }
    }
    options.run()
}

#[derive(Default)]
struct Options {
    port: u16,
    script: Script,
    faults: Vec<String>,
    log: Option<File>,
    attached: bool,
}

impl Options {
    fn run(mut self) -> Result<(), String> {
        for fault in &self.faults {
            self.script.add(fault)?;
        }
        let port = self.port;
        let server = ModelServer::start(port, self.script, self.log);
        let server = server.map_err(|error| format!("127.0.0.1:{port}: {error}"))?;
        println!("listening on {}", server.url());
        std::io::stdout().flush().map_err(|error| error.to_string())?;
        if self.attached {
            // Whoever started it is gone when this ends.
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            return Ok(());
        }
        server.wait();
        Ok(())
    }
}
