//! Which option an answer chooses (systems 6.2).
//!
//! Of the final part of a reply: the one bracketed letter; else its first letter; else an option's own text;
//! else what follows "answer is:" and its kin; else the first letter that stands alone; else none. Letters go
//! as far as there are options, at most to Z.
//!
//! Departures: a first letter counts only where it stands alone, since with many options every word begins
//! with one of them; and a part that is an option's text as a whole is that option before its first letter
//! is looked at, so that "A lamp" is no A. A letter in lower case counts in brackets or alone.

/// What stands before an answer, the longest first where one holds another.
const LEADS: [&str; 4] = ["answer is:", "answer:", "answer is", "option is"];

/// The place of the chosen option.
pub fn chosen(part: &str, options: &[String]) -> Option<usize> {
    let part = part.trim();
    let letters = Letters { chars: part.chars().collect(), count: options.len().min(26) };
    letters
        .bracketed()
        .or_else(|| options.iter().position(|option| bare(option) == bare(part)))
        .or_else(|| letters.alone(0))
        .or_else(|| led(part, options))
        .or_else(|| (0..letters.chars.len()).find_map(|at| letters.alone(at)))
        .or_else(|| letters.only())
}

/// A text as it is compared: without case, white space and punctuation at its ends.
fn bare(text: &str) -> String {
    let edge = |c: char| c.is_whitespace() || "\"'“”‘’*_.,;:()[]".contains(c);
    text.trim_matches(edge).to_lowercase()
}

/// The option that follows one of the leads: by its letter, or by its text, the longest that fits.
fn led(part: &str, options: &[String]) -> Option<usize> {
    // Lower case may be longer or shorter, but only ASCII is looked for.
    let lower = part.to_ascii_lowercase();
    LEADS.iter().find_map(|lead| {
        let rest = &part[lower.find(lead)? + lead.len()..];
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "\"“‘'*(:".contains(c));
        let letters = Letters { chars: rest.chars().collect(), count: options.len().min(26) };
        let text = bare(rest);
        let begun = options.iter().enumerate().filter(|(_, option)| text.starts_with(&bare(option)));
        let longest = begun.max_by_key(|(place, option)| (option.len(), usize::MAX - place));
        longest.map(|(place, _)| place).or_else(|| letters.alone(0))
    })
}

struct Letters {
    chars: Vec<char>,
    /// How many options there are.
    count: usize,
}

impl Letters {
    fn place(&self, letter: char) -> Option<usize> {
        let place = (letter as usize).checked_sub('A' as usize)?;
        (place < self.count).then_some(place)
    }

    /// The only letter that stands in brackets.
    fn bracketed(&self) -> Option<usize> {
        let inside = |three: &[char]| match three {
            ['[', letter, ']'] => self.place(letter.to_ascii_uppercase()),
            _ => None,
        };
        let mut found = self.chars.windows(3).filter_map(inside);
        let first = found.next()?;
        found.all(|place| place == first).then_some(first)
    }

    /// The letter at a place, where it is a capital that stands alone.
    fn alone(&self, at: usize) -> Option<usize> {
        let place = self.place(*self.chars.get(at)?)?;
        let beside = |at: Option<usize>| {
            let c = at.and_then(|at| self.chars.get(at));
            c.is_none_or(|c| !c.is_alphanumeric() && *c != '\'' && *c != '’')
        };
        (beside(at.checked_sub(1)) && beside(Some(at + 1))).then_some(place)
    }

    /// The only letter of the part, in whatever case.
    fn only(&self) -> Option<usize> {
        let mut letters = self.chars.iter().filter(|c| c.is_alphanumeric());
        let letter = letters.next()?;
        letters.next().is_none().then(|| self.place(letter.to_ascii_uppercase())).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(part: &str, options: &[&str]) -> Option<usize> {
        chosen(part, &options.iter().map(|option| (*option).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn an_option_is_read_in_each_form() {
        let options = ["The ferryman", "A lamp", "Captain Lind", "Nobody knows"];
        for (part, place) in [
            ("[B]", Some(1)),
            ("The answer is [C].", Some(2)),
            ("[C], as [C] says", Some(2)),
            ("B", Some(1)),
            ("B. A lamp", Some(1)),
            ("D) because A and C are wrong", Some(3)),
            ("a lamp.", Some(1)),
            ("A lamp", Some(1)),
            ("**“Captain Lind.”**", Some(2)),
            ("The answer is: D", Some(3)),
            ("My answer: the ferryman, who rowed", Some(0)),
            ("So the correct answer is Captain Lind", Some(2)),
            ("The best option is B, not A", Some(1)),
            ("I think it is C", Some(2)),
            ("[A] or [B]", Some(0)),
            ("[b]", Some(1)),
            ("(d)", Some(3)),
            // No letter of an option, or a letter inside a word.
            ("[E]", None),
            ("Captain Nemo", None),
            ("I don't know", None),
            ("who knows", None),
            ("A's lamp", None),
            ("答えは不明", None),
            ("[", None),
            ("", None),
        ] {
            assert_eq!(read(part, &options), place, "{part:?}");
        }
    }

    #[test]
    fn the_letters_go_as_far_as_the_options() {
        let many: Vec<String> = (0..26).map(|number| format!("option number {number}")).collect();
        assert_eq!(chosen("[Z]", &many), Some(25));
        assert_eq!(chosen("Z", &many), Some(25));
        assert_eq!(chosen("The answer is: option number 12", &many), Some(12));
        assert_eq!(chosen("Zeppelins", &many), None);
        assert_eq!(chosen("I", &many), Some(8));
        assert_eq!(chosen("[Z]", &many[..25]), None);
        let claims = ["True", "False"];
        for (part, place) in
            [("[B]", Some(1)), ("False", Some(1)), ("TRUE.", Some(0)), ("The answer is false.", Some(1))]
        {
            assert_eq!(read(part, &claims), place, "{part}");
        }
    }
}
