//! Index a story, ask it, and see what the answer rests on: `cargo run --example ask`.

#![allow(clippy::print_stdout)] // printing is what it is for

use plotbridge::{AskOptions, Engine, Result, pace::Native};

fn main() -> Result<()> {
    let story = include_bytes!("../../books/white-line.txt");
    let host = Native::default();
    let book = pollster::block_on(Engine::build(story, &Default::default(), Default::default(), &host))?;
    let question = "What did Mr Lind always do with his pencil before he wrote down a number?";
    let answer = pollster::block_on(book.ask(question, &AskOptions::default(), &host))?;
    println!("{}", answer.text);
    for pair in &answer.trace.pairs {
        println!("{:3.0} %  {} — {}", 100.0 * pair.position, pair.character, pair.event);
    }
    Ok(())
}
