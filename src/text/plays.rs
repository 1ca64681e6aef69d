//! Plays: the list of persons before the first act, and what tells an act and a scene.
//!
//! A list of persons (`DRAMATIS PERSONAE`) names everybody at once, with what they are to each other: as
//! story it would tie everyone to everyone. It is told by its title and its shape, lines that each begin
//! with a capital. The play's own title often stands once more between the list and the first act and
//! goes with it.
//!
//! Invariant: the ranges are in order, disjoint, and begin with a title that a list follows.

use std::ops::Range;

use super::blocks::Block;
use super::{headings, numerals};

/// What a list of persons is called, by its letters alone.
const LISTS: [&str; 14] = [
    "DRAMATISPERSONAE",
    "DRAMATISPERSON\u{c6}",
    "PERSONAE",
    "PERSONSREPRESENTED",
    "THEPERSONSREPRESENTED",
    "PERSONSOFTHEPLAY",
    "THEPERSONSOFTHEPLAY",
    "THEPERSONSINTHEPLAY",
    "CHARACTERSOFTHEPLAY",
    "CHARACTERSINTHEPLAY",
    "CASTOFCHARACTERS",
    "CHARACTERS",
    "THECHARACTERS",
    "THESPEAKERS",
];
/// Names that make a list.
const NAMES: usize = 3;

/// The lists of persons, as ranges of blocks.
pub(super) fn casts(text: &str, blocks: &[Block]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (place, block) in blocks.iter().enumerate() {
        let inside = found.last().is_some_and(|last| place < last.end);
        if !inside && is_title(first_line(block.of(text))) {
            found.extend(list(text, blocks, place));
        }
    }
    found
}

/// The list that the title at `place` stands over.
fn list(text: &str, blocks: &[Block], place: usize) -> Option<Range<usize>> {
    let title = blocks.get(place)?;
    let rest = blocks.get(place + 1..)?;
    // The names may follow the title at once, or after empty lines; more names after one empty line.
    let own = title.lines - 1;
    let belongs = |(at, block): &(usize, &Block)| {
        (block.gap <= 1 || *at == 0 && own == 0)
            && is_list(block.of(text))
            && (block.lines >= NAMES || headings::mark(text, **block).is_none())
    };
    let length = rest.iter().enumerate().take_while(belongs).count();
    let names = own + rest.iter().take(length).map(|block| block.lines).sum::<usize>();
    if names < NAMES || own > 0 && !is_list(title.of(text)) {
        return None;
    }
    let end = place + 1 + length;
    Some(place..end + usize::from(titles_an_act(text, blocks, end)))
}

/// Whether the block at `place` is a title of one line right before an act or a scene.
fn titles_an_act(text: &str, blocks: &[Block], place: usize) -> bool {
    let (Some(title), Some(next)) = (blocks.get(place), blocks.get(place + 1)) else { return false };
    let next = first_line(next.of(text));
    title.lines <= 2
        && headings::is_capitals(title.of(text))
        && headings::mark(text, *title).is_none()
        && (is_act(next) || scene(next).is_some())
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Whether a line is the title of a list of persons; a footnote's mark after it does not count.
fn is_title(line: &str) -> bool {
    let name = line.split('[').next().unwrap_or(line);
    let letters = name.chars().filter(|c| c.is_alphabetic()).take(40);
    let letters: String = letters.flat_map(char::to_uppercase).collect();
    line.len() < 60 && line.starts_with(|c: char| !c.is_lowercase()) && LISTS.contains(&letters.as_str())
}

/// Whether most lines begin with a capital and none is as long as a paragraph's.
fn is_list(text: &str) -> bool {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let capital = |line: &&str| line.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase);
    lines().all(|line| line.len() < 200) && lines().filter(capital).count() * 4 >= lines().count() * 3
}

/// Whether a heading begins an act: `ACT II`, `THE THIRD ACT`.
pub(super) fn is_act(heading: &str) -> bool {
    let plain = heading.trim_start_matches(|c: char| !c.is_alphanumeric());
    let labelled = headings::label(plain).is_some_and(|label| label.number.is_some());
    let mut words = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(3);
    labelled && words.any(|word| word.eq_ignore_ascii_case("act"))
}

/// The number of the scene that a heading names, also after its act: 2 for `ACT I., SCENE 2.`
pub(super) fn scene(heading: &str) -> Option<u32> {
    let label = headings::label(heading)?;
    let plain = heading.trim_start_matches(|c: char| !c.is_alphanumeric());
    match numerals::word(plain).0.eq_ignore_ascii_case("scene") {
        true => label.number,
        false => scene(label.rest).filter(|_| is_act(heading)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::blocks;
    use super::*;
    use crate::knowledge::Span;

    fn found(text: &str) -> Vec<String> {
        let blocks = blocks(text, Span::new(0, text.len()));
        let words = |range: Range<usize>| {
            let of = |block: &Block| block.of(text).replace('\n', "/");
            blocks.get(range).unwrap_or_default().iter().map(of).collect::<Vec<_>>().join("|")
        };
        casts(text, &blocks).into_iter().map(words).collect()
    }

    #[test]
    fn lists_of_persons_are_told_by_title_and_shape() {
        let rows: [(&str, &[&str]); 8] = [
            (
                "DRAMATIS PERSONAE.[15]\n\n\nANNE, _a ferryman_.\nTHE REEVE.\nTwo BOYS.\n\n\n\nACT I\n\nANNE. It rains.",
                &["DRAMATIS PERSONAE.[15]|ANNE, _a ferryman_./THE REEVE./Two BOYS."],
            ),
            (
                "Persons of the Play\n\nAnne, a ferryman.\n\nThe Reeve.\n\nTwo boys.\n\n\nTHE FERRY\n\nACT I\n\nANNE. It rains.",
                &["Persons of the Play|Anne, a ferryman.|The Reeve.|Two boys.|THE FERRY"],
            ),
            (
                "THE SPEAKERS.\n\n\nTHE PROLOGUE.\nANNE, _a ferryman_.\nTHE REEVE.\n\n\n\nSCENE I.",
                &["THE SPEAKERS.|THE PROLOGUE./ANNE, _a ferryman_./THE REEVE."],
            ),
            ("CHARACTERS\nANNE\nTHE REEVE\nA BOY\n\nSCENE I", &["CHARACTERS/ANNE/THE REEVE/A BOY"]),
            ("CHARACTERS\n\nShe wrote of people\nwhom she had met\nand liked.", &[]),
            ("CHARACTERS\n\nShe wrote.\n\n\nNobody read it.", &[]),
            ("The characters of the play\n\nwere tired.", &[]),
            ("It rained.", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn acts_and_scenes_are_told() {
        let rows = [
            ("ACT II", true, None),
            ("THE THIRD ACT", true, None),
            ("ACT I., SCENE 2.", true, Some(2)),
            ("SCENE III.[277]", false, Some(3)),
            ("_Scene IV._", false, Some(4)),
            ("PART ONE", false, None),
            ("Act of God", false, None),
        ];
        for (heading, act, number) in rows {
            assert_eq!((is_act(heading), scene(heading)), (act, number), "{heading}");
        }
    }
}
