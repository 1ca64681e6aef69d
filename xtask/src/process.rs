//! Running other programs: printed before they run, limited in time where they may hang, and
//! failing with a sentence that names the command.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The command line as a person would type it.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(word).collect::<Vec<_>>().join(" ")
}

fn word(word: &OsStr) -> String {
    let shown = word.to_string_lossy();
    if shown.contains([' ', '"', '$', ';']) { format!("'{shown}'") } else { shown.into_owned() }
}

/// Prints the command, runs it, and fails unless it ends with status 0.
pub fn run(command: &mut Command) -> Result<(), String> {
    eprintln!("$ {}", line(command));
    let status = command.status().map_err(|error| not_started(command, &error))?;
    ended_well(command, status)
}

/// As [`run`], ending the program when `limit` has passed.
pub fn run_within(limit: Duration, command: &mut Command) -> Result<(), String> {
    eprintln!("$ {}", line(command));
    let mut child = command.spawn().map_err(|error| not_started(command, &error))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return ended_well(command, status);
        }
        if start.elapsed() > limit {
            end(&mut child);
            return Err(format!("`{}` took more than {} s", line(command), limit.as_secs()));
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn end(child: &mut Child) {
    // It may have ended by itself in between; either way it is gone after this.
    let _ = child.kill();
    let _ = child.wait();
}

/// What a quiet, short command prints, trimmed; nothing when it cannot run or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a command, passing on every line that it prints, and returns them with its success.
pub fn record(command: &mut Command) -> Result<(bool, Vec<String>), String> {
    eprintln!("$ {}", line(command));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| not_started(command, &error))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let errors = thread::spawn(move || lines(err, |line| eprintln!("{line}")));
    let mut all = lines(out, |line| println!("{line}"));
    all.extend(errors.join().unwrap_or_default());
    let status = child.wait().map_err(|error| error.to_string())?;
    Ok((status.success(), all))
}

fn lines(stream: Option<impl Read>, pass_on: impl Fn(&str)) -> Vec<String> {
    let mut all = Vec::new();
    let Some(stream) = stream else { return all };
    for bytes in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        pass_on(&line);
        all.push(line);
    }
    all
}

/// Where a program of this name stands on the PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    let names: &[String] = &if cfg!(windows) {
        vec![format!("{program}.exe"), format!("{program}.cmd")]
    } else {
        vec![program.to_owned()]
    };
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|file| file.is_file())
}

/// A command of this program; the root of the repository is its folder.
pub fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    // A tool's own backtrace is nothing to act on.
    command.current_dir(crate::root()).env("RUST_BACKTRACE", "0");
    command
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("`{}` could not be started: {error}", line(command))
}

fn ended_well(command: &Command, status: ExitStatus) -> Result<(), String> {
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => Err(format!("`{}` ended with status {code}", line(command))),
        None => Err(format!("`{}` was interrupted", line(command))),
    }
}
