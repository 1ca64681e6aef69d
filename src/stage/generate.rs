//! The answer in a chat model's words: what it is asked, and how its reply is read (PonsRAG 4.3).
//!
//! The generator replies in four headed sections; the answer is what follows the last `Final Answer`
//! heading (systems 1.8 item 4), the quotations are the lines that begin with `>`. A reply without the
//! heading is an answer as a whole: small models forget it. The heading counts as `### Final Answer`, in bold,
//! or with a colon; what stands behind it in its line belongs to the answer.
//!
//! Departure: the paper's prompt asks for no quotations. Ours does, under the facts, so that each citation
//! can be checked against the book (`cite`).

use crate::llm::ChatRequest;
use crate::prompts::{ANSWER, CHOICE, CLAIM, CLOSED_BOOK, Task};

/// The heading of the last section.
const FINAL: &str = "final answer";

/// The most quotations of a reply that are looked up.
const MOST_QUOTES: usize = 40;

/// A reply is read anew when it has grown by one of so many parts.
const PARTS: usize = 256;

/// A generator's reply, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generated {
    /// The answer.
    pub answer: String,
    /// What it quotes, in order, each once.
    pub quotes: Vec<String>,
}

/// What the model is asked: the context and the question; with options to choose one of them, and where they
/// are *true* and *false* to judge a statement.
pub fn request(context: &str, question: &str, choices: &[String]) -> ChatRequest {
    let (task, asked) = task(choices);
    task.request(context, &lettered(asked, question, choices))
}

/// The same without a word of the book.
pub fn without_the_book(question: &str, choices: &[String]) -> ChatRequest {
    CLOSED_BOOK.bare(&lettered(task(choices).1, question, choices))
}

/// What is asked for, and what the question is called.
fn task(choices: &[String]) -> (&'static Task, &'static str) {
    let said = |choice: &String| choice.trim().trim_end_matches('.').to_lowercase();
    match choices {
        [] => (&ANSWER, "Question"),
        [one, other] if [said(one), said(other)].iter().all(|said| said == "true" || said == "false") => {
            (&CLAIM, "Statement")
        }
        _ => (&CHOICE, "Question"),
    }
}

/// A question with its options, each behind its letter.
fn lettered(asked: &str, question: &str, choices: &[String]) -> String {
    let options = ('A'..='Z').zip(choices).map(|(letter, choice)| format!("\n[{letter}] {choice}"));
    format!("{asked}: {question}{}", options.collect::<String>())
}

/// Reads a whole reply.
pub fn read(reply: &str) -> Generated {
    let quoted = reply.lines().filter_map(|line| line.trim_start().strip_prefix('>'));
    let mut quotes: Vec<String> = Vec::new();
    for quote in quoted.map(|quote| quote.trim().to_owned()).filter(|quote| !quote.is_empty()) {
        if !quotes.contains(&quote) {
            quotes.push(quote);
        }
        if quotes.len() == MOST_QUOTES {
            break;
        }
    }
    Generated { answer: final_part(reply).unwrap_or_else(|| without_quotes(reply)), quotes }
}

/// What follows the last heading of the answer; none without that heading.
fn final_part(reply: &str) -> Option<String> {
    let (heading, beside) =
        reply.lines().enumerate().filter_map(|(at, line)| Some((at, final_heading(line)?))).last()?;
    let below = reply.lines().skip(heading + 1).take_while(|line| !is_heading(line));
    Some(without_quotes(&std::iter::once(beside).chain(below).collect::<Vec<_>>().join("\n")))
}

/// What stands behind the last section's heading in its line; none where the line is no such heading.
fn final_heading(line: &str) -> Option<&str> {
    let mark = |c: char| c == '#' || c == '*' || c == '_' || c.is_whitespace();
    let bare = line.trim_start_matches(mark);
    let begins = bare.get(..FINAL.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(FINAL));
    let rest = begins.then(|| bare.get(FINAL.len()..)).flatten()?;
    let marked = bare.len() < line.trim_start().len();
    let ends = rest.trim_matches(mark).is_empty() || rest.trim_start_matches(mark).starts_with(':');
    let closed = !rest.starts_with(char::is_alphanumeric);
    (ends || marked && closed).then(|| rest.trim_start_matches(|c: char| c == ':' || mark(c)))
}

fn is_heading(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

fn without_quotes(part: &str) -> String {
    let kept = part.lines().filter(|line| !line.trim_start().starts_with('>') && !is_heading(line));
    kept.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// What is new of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Whether the answer begins anew with it: the reply has its last section once more, and what was heard
    /// of the one before is none of the answer.
    pub anew: bool,
    /// The piece, often empty.
    pub text: String,
}

/// The answer as it comes: gives on what is sure to belong to it.
#[derive(Debug, Default)]
pub struct Coming {
    reply: String,
    /// Its length when it was read last.
    read: usize,
    told: String,
}

impl Coming {
    /// Takes the reply's next piece; gives the answer's next one, often nothing.
    pub fn hear(&mut self, piece: &str) -> Piece {
        self.reply.push_str(piece);
        // A long reply is not read anew for every word of it.
        if self.reply.len() - self.read < self.reply.len() / PARTS {
            return Piece::default();
        }
        self.read = self.reply.len();
        // The last line may still become a heading or a quotation.
        let whole = self.reply.rfind('\n').map_or("", |end| &self.reply[..end]);
        let open = &self.reply[whole.len()..];
        let text =
            if open.trim_start().starts_with(['#', '>', '*', '_', 'F', 'f']) { whole } else { &self.reply };
        self.tell(final_part(text).unwrap_or_default())
    }

    /// The reply has ended: gives the rest of the answer.
    pub fn end(&mut self) -> Piece {
        let answer = read(&self.reply).answer;
        self.tell(answer)
    }

    fn tell(&mut self, answer: String) -> Piece {
        let piece = match answer.strip_prefix(&self.told) {
            Some(new) => Piece { anew: false, text: new.to_owned() },
            None => Piece { anew: true, text: answer.clone() },
        };
        self.told = answer;
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: &str = "### Content Understanding\nA key is given.\n\n### Key Facts\n- He got it.\n> “She gave \
        him a brass key.”\n\n### Final Answer\nMrs Quennell\nor T. Lind\n";

    #[test]
    fn the_answer_follows_the_last_heading() {
        let generated = read(REPLY);
        assert_eq!(generated.answer, "Mrs Quennell\nor T. Lind");
        assert_eq!(generated.quotes, ["“She gave him a brass key.”"]);
        for (reply, answer) in [
            ("Mrs Quennell.", "Mrs Quennell."),
            ("### Final Answer\n\nTapp", "Tapp"),
            ("**Final Answer:**\nTapp\n\n### Notes\nnone", "Tapp"),
            ("### Final Answer\nAnne\n### Final Answer\nTapp", "Tapp"),
            ("## FINAL ANSWER: Tapp", "Tapp"),
            ("**Final Answer:** Tapp", "Tapp"),
            ("Final answer: Tapp\nof Sund", "Tapp\nof Sund"),
            ("I have it.\nFinal Answer\nTapp", "Tapp"),
            ("### Final Answer [B]", "[B]"),
            ("The final answer is a lie.", "The final answer is a lie."),
            ("Tapp\nFinal answers are rare.", "Tapp\nFinal answers are rare."),
            ("Final answer\u{301}", "Final answer\u{301}"),
            ("### Final Answer\n", ""),
            ("> a quote\nTapp", "Tapp"),
            ("", ""),
        ] {
            assert_eq!(read(reply).answer, answer, "{reply:?}");
        }
    }

    #[test]
    fn only_so_many_quotations_are_looked_up() {
        let lines: String = (0..1000).map(|number| format!("> line {number}\n")).collect();
        assert_eq!(read(&lines).quotes.len(), MOST_QUOTES);
    }

    #[test]
    fn what_comes_in_pieces_is_what_comes_at_once() {
        let twice =
            format!("{REPLY}\n> “He rowed on.”\n\n### Final Answer\nFinally, T. Lind\n## Notes\nnone");
        let none = "He rowed on.\n> “He rowed on.”\nFinally he stopped.";
        let taken_back = "### Final Answer\nA\n### Final Answer\n";
        for reply in [REPLY, &twice, none, "Final answer: Tapp", taken_back] {
            for size in 1..=reply.len() {
                let mut coming = Coming::default();
                let letters: Vec<char> = reply.chars().collect();
                let pieces: Vec<String> = letters.chunks(size).map(|piece| piece.iter().collect()).collect();
                let mut heard: Vec<Piece> = pieces.iter().map(|piece| coming.hear(piece)).collect();
                heard.push(coming.end());
                let last = heard.iter().rposition(|piece| piece.anew);
                let told: String =
                    heard[last.unwrap_or(0)..].iter().map(|piece| piece.text.as_str()).collect();
                assert_eq!(told, read(reply).answer, "{size} of {reply}");
                assert!(last.is_none() || reply == twice || reply == taken_back, "{reply}");
            }
        }
    }
}
