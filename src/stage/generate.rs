//! The answer in a chat model's words: what it is asked, and how its reply is read (PonsRAG 4.3).
//!
//! The generator replies in four headed sections; the answer is what follows the last `Final Answer`
//! heading (systems 1.8 item 4), the quotations are the lines that begin with `>`. A reply without the
//! heading is an answer as a whole: small models forget it.
//!
//! Departure: the paper's prompt asks for no quotations. Ours does, under the facts, so that each citation
//! can be checked against the book (`cite`).

use crate::llm::ChatRequest;
use crate::prompts::ANSWER;

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

/// What the model is asked: the context, the question, its options.
pub fn request(context: &str, question: &str, choices: &[String]) -> ChatRequest {
    let mut rest = format!("Question: {question}");
    for (letter, choice) in ('A'..='Z').zip(choices) {
        rest.push_str(&format!("\n[{letter}] {choice}"));
    }
    if !choices.is_empty() {
        rest.push_str("\n\nUnder the last heading write nothing but the letter of the option, in brackets.");
    }
    ANSWER.request(context, &rest)
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
    let mut lines = reply.lines().enumerate();
    let heading = lines.by_ref().filter(|(_, line)| is_final(line)).last().map(|(at, _)| at)?;
    let part: Vec<&str> = reply.lines().skip(heading + 1).take_while(|line| !is_heading(line)).collect();
    Some(without_quotes(&part.join("\n")))
}

fn is_heading(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

fn is_final(line: &str) -> bool {
    let bare = || line.chars().filter(|c| c.is_alphabetic() || *c == ' ').collect::<String>();
    (is_heading(line) || line.trim_start().starts_with("**"))
        && bare().trim().eq_ignore_ascii_case("final answer")
}

fn without_quotes(part: &str) -> String {
    let kept = part.lines().filter(|line| !line.trim_start().starts_with('>') && !is_heading(line));
    kept.collect::<Vec<_>>().join("\n").trim().to_owned()
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
    pub fn hear(&mut self, piece: &str) -> String {
        self.reply.push_str(piece);
        // A long reply is not read anew for every word of it.
        if self.reply.len() - self.read < self.reply.len() / PARTS {
            return String::new();
        }
        self.read = self.reply.len();
        // The last line may still become a heading or a quotation.
        let whole = self.reply.rfind('\n').map_or("", |end| &self.reply[..end]);
        let open = &self.reply[whole.len()..];
        let text = if open.trim_start().starts_with(['#', '>', '*']) { whole } else { &self.reply };
        self.tell(final_part(text).unwrap_or_default())
    }

    /// The reply has ended: gives the rest of the answer.
    pub fn end(&mut self) -> String {
        let answer = read(&self.reply).answer;
        self.tell(answer)
    }

    fn tell(&mut self, answer: String) -> String {
        let Some(new) = answer.strip_prefix(&self.told) else { return String::new() };
        let new = new.to_owned();
        self.told = answer;
        new
    }
}

/// The option an answer chooses (systems 6.2): the one bracketed letter, else a leading letter, else an
/// option's own text, else the first letter that stands alone.
pub fn choice(answer: &str, choices: &[String]) -> Option<usize> {
    let letter = |c: char| {
        let place = (c.is_ascii_uppercase()).then(|| c as usize - 'A' as usize)?;
        (place < choices.len()).then_some(place)
    };
    let chars: Vec<char> = answer.chars().collect();
    let mut bracketed: Vec<usize> = chars
        .windows(3)
        .filter(|three| three[0] == '[' && three[2] == ']')
        .filter_map(|three| letter(three[1]))
        .collect();
    bracketed.dedup();
    if let [only] = bracketed[..] {
        return Some(only);
    }
    let alone = |at: usize| {
        let beside = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_none_or(|c| !c.is_alphanumeric());
        beside(at.checked_sub(1)) && beside(Some(at + 1))
    };
    let lone = |at: &usize| letter(chars[*at]).is_some() && alone(*at);
    let folded = |text: &str| text.trim().trim_end_matches('.').to_lowercase();
    let first = chars.iter().position(|c| !c.is_whitespace()).filter(|at| lone(at));
    first
        .and_then(|at| letter(chars[at]))
        .or_else(|| choices.iter().position(|choice| folded(choice) == folded(answer)))
        .or_else(|| (0..chars.len()).find(lone).and_then(|at| letter(chars[at])))
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
        for size in 1..REPLY.len() {
            let mut coming = Coming::default();
            let letters: Vec<char> = REPLY.chars().collect();
            let pieces: Vec<String> = letters.chunks(size).map(|piece| piece.iter().collect()).collect();
            let mut told: String = pieces.iter().map(|piece| coming.hear(piece)).collect();
            told.push_str(&coming.end());
            assert_eq!(told, read(REPLY).answer, "{size}");
        }
    }

    #[test]
    fn an_option_is_read_in_each_form() {
        let choices: Vec<String> = ["The ferryman", "A lamp", "Captain Lind"].map(str::to_owned).into();
        for (answer, place) in [
            ("[B]", Some(1)),
            ("The answer is [C].", Some(2)),
            ("B", Some(1)),
            ("B. A lamp", Some(1)),
            ("a lamp.", Some(1)),
            ("I think it is C", Some(2)),
            ("[A] or [B]", Some(0)),
            ("[D]", None),
            ("nobody knows", None),
            ("", None),
        ] {
            assert_eq!(choice(answer, &choices), place, "{answer:?}");
        }
    }
}
