//! `cargo xtask demo`: a question about the bundled story, answered in this terminal and then in
//! a page, with no key and no server but a file server on this machine.

use crate::process::run;
use crate::site;
use crate::toolchain::{self, Route};

/// One of the story's questions (books/white-line.questions.jsonl).
const QUESTION: &str = "What did Mr Lind always do with his pencil before he wrote down a number?";

/// Builds the site, asks the story a question, and serves the site until Ctrl-C.
pub fn show(route: Option<Route>, once: bool) -> Result<(), String> {
    let index = site::build(route)?;
    run(toolchain::plotbridge("ask")?.arg(index).arg(QUESTION))?;
    if once {
        return Ok(());
    }
    println!("\nnow the same in a page; Ctrl-C ends it");
    run(toolchain::plotbridge("serve")?.arg(site::FOLDER))
}
