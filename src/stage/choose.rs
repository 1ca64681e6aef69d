//! The flow filter by a chat model: which lines, by their numbers, help to answer (PonsRAG appendix G).
//!
//! The lines are numbered from 0 in story order. Of the reply every whole number on the list counts, once,
//! and the order is the story's, whatever order they came in (systems 1.8, items 2 and 3). A reply that holds
//! neither such a number nor NONE decides nothing.

use crate::book::Book;
use crate::llm::ChatRequest;
use crate::prompts::FILTER;
use crate::text::tokens;

use super::Line;

/// The most tokens of the lines that are offered: as many as the paper gives a context.
const OFFERED: u32 = 6000;

/// What is offered of lines that come most wanted first, in story order.
pub fn offer(book: &Book, lines: &[Line]) -> Vec<Line> {
    let mut rest = OFFERED;
    let mut offered: Vec<Line> = Vec::new();
    for line in lines {
        let Some(left) = rest.checked_sub(tokens(&told(book, line)) + 2) else { break };
        rest = left;
        offered.push(line.clone());
    }
    offered.sort_by(|a, b| (a.event, &a.characters).cmp(&(b.event, &b.characters)));
    offered
}

/// What the model is asked.
pub fn request(book: &Book, question: &str, offered: &[Line]) -> ChatRequest {
    let numbered = offered.iter().enumerate().map(|(number, line)| format!("{number}. {}", told(book, line)));
    FILTER.request(&numbered.collect::<Vec<_>>().join("\n"), &format!("Question: {question}"))
}

fn told(book: &Book, line: &Line) -> String {
    let names: Vec<&str> = line.characters.iter().map(|&character| book.name(character)).collect();
    let who = if names.is_empty() { "-".to_owned() } else { names.join(", ") };
    format!("{who}: {}", book.details(line.event))
}

/// Reads a reply: the places of the chosen lines among `count`, in story order; none of them for NONE.
///
/// # Errors
/// What is wrong with a reply that names no line and does not say NONE.
pub fn read(reply: &str, count: usize) -> Result<Vec<usize>, String> {
    // A line of numbers alone is the answer; else they stand somewhere in the prose.
    let bare =
        |line: &&str| line.bytes().any(|byte| byte.is_ascii_digit()) && !line.contains(char::is_alphabetic);
    let lines: Vec<&str> = reply.lines().filter(bare).collect();
    let places = if lines.is_empty() { numbers(reply) } else { numbers(&lines.join("\n")) };
    let mut places: Vec<usize> = places.into_iter().filter(|&place| place < count).collect();
    places.sort_unstable();
    places.dedup();
    let none = || reply.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case("none"));
    if places.is_empty() && !none() {
        return Err(format!("it names no line from 0 to {} and does not say NONE", count.saturating_sub(1)));
    }
    Ok(places)
}

/// The whole numbers of a text; what is glued to letters or has a sign or a fraction is none.
fn numbers(text: &str) -> Vec<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '.' || c == '-' || c == '_';
    let words = text.split(|c: char| !part(c)).map(|word| word.trim_end_matches(['.', '-']));
    words.filter_map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_reply_is_read_as_the_lines_it_names() {
        for (reply, places) in [
            ("0, 4, 7", vec![0, 4, 7]),
            ("7,4,0", vec![0, 4, 7]),
            ("[2]", vec![2]),
            ("3, 3, 3.", vec![3]),
            ("(1) (5)", vec![1, 5]),
            ("- 1\n- 5\n", vec![1, 5]),
            ("Of 10 lines the first two help.\n\n0, 1", vec![0, 1]),
            ("The lines that help are 2 and 9.", vec![2, 9]),
            ("1, 10, 99999999999999999999999", vec![1]),
            ("4, NONE", vec![4]),
            ("NONE", vec![]),
            ("None.", vec![]),
            ("```\nnone\n```", vec![]),
        ] {
            assert_eq!(read(reply, 10), Ok(places), "{reply:?}");
        }
    }

    #[test]
    fn a_reply_that_names_nothing_decides_nothing() {
        for reply in ["", "The nonesuch.", "10", "-1", "1.5", "E3", "٣", "two and three", "\0\u{202e}"] {
            let fault = read(reply, 10).unwrap_err();
            assert!(fault.contains("from 0 to 9"), "{reply:?}: {fault}");
        }
        assert!(read("0", 0).is_err());
    }
}
