//! The words that headings are made of, in English, German, French, Spanish, Italian, Portuguese and Russian.
//!
//! One table serves all: a word that names a part of a book does so wherever it stands with a number, and a
//! file may hold two languages. This is the vocabulary alone; `headings` knows how it is used, and `han` reads
//! Chinese, Japanese and Korean, which write a heading as one word.
//!
//! Invariant: every word is folded: small letters without accents, which capitals often lose.

use super::headings::Level;

/// Holds chapters: part, book, volume, act.
const PARTS: [&str; 7] = [
    "part book volume vol act tome",
    "teil buch band akt abteilung aufzug",
    "partie livre acte",
    "parte libro tomo volumen acto jornada",
    "atto",
    "livro ato",
    "часть книга том действие",
];

/// Stands over a chapter, with a number or a title.
const CHAPTERS: [&str; 7] = [
    "chapter chap letter stave canto scene story tale adventure episode section fit",
    "kapitel capitel brief szene auftritt gesang abschnitt",
    "chapitre chant lettre",
    "capitulo carta escena",
    "capitolo lettera scena",
    "cena",
    "глава письмо сцена",
];

/// A part of a book with a name of its own.
const NAMED: [&str; 7] = [
    "prologue epilogue preface introduction introductory foreword afterword conclusion postscript interlude \
     finale preamble proem prelude afterpiece coda induction notes footnotes",
    "prolog epilog vorwort einleitung nachwort vorrede vorspiel zwischenspiel nachspiel anmerkungen",
    "avertissement postface preambule intermede",
    "prologo epilogo prefacio introduccion preambulo conclusiones",
    "prefazione introduzione conclusione premessa intermezzo postfazione",
    "introducao conclusao posfacio",
    "пролог эпилог предисловие введение вступление заключение послесловие примечания",
];

const NOTES: [&str; 1] = ["notes footnotes anmerkungen примечания"];

/// Lines that stand over a table of contents or of pictures, letters only.
const CONTENTS: [&str; 6] = [
    "contents tableofcontents thecontents illustrations listofillustrations contentsofthisvolume",
    "inhalt inhaltsverzeichnis inhaltsubersicht",
    "tabledesmatieres tabledeschapitres sommaire",
    "indice tabladecontenidos contenido sommario sumario",
    "содержание оглавление",
    "目录 目錄 目次 もくじ 차례",
];

/// Lines that only mark the end, letters only.
const ENDS: [&str; 3] =
    ["theend end finis fin ende fine fim", "конец", "完 终 終 全书完 全書完 全文完 おわり 終わり 끝"];

/// What a word says of the line that it begins, whatever its letters' case.
pub(super) fn level_of(word: &str) -> Option<Level> {
    let folded = folded(word);
    match () {
        () if holds(&PARTS, &folded) => Some(Level::Part),
        () if holds(&CHAPTERS, &folded) => Some(Level::Chapter),
        () if holds(&NAMED, &folded) => Some(Level::Named),
        () => None,
    }
}

/// Whether a word stands over notes.
pub(super) fn is_notes(word: &str) -> bool {
    holds(&NOTES, &folded(word))
}

/// Whether a line stands over a table of contents or of pictures.
pub(super) fn is_contents(line: &str) -> bool {
    !line.trim_start().starts_with(char::is_lowercase) && holds(&CONTENTS, &letters(line))
}

/// Whether a line only marks the end.
pub(super) fn is_end(line: &str) -> bool {
    holds(&ENDS, &letters(line))
}

fn letters(line: &str) -> String {
    folded(line).chars().filter(|c| c.is_alphabetic()).collect()
}

fn holds(rows: &[&str], word: &str) -> bool {
    !word.is_empty() && rows.iter().any(|row| row.split(' ').any(|other| other == word))
}

/// Small letters without accents.
pub(super) fn folded(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            'à'..='å' => folded.push('a'),
            'ç' => folded.push('c'),
            'è'..='ë' => folded.push('e'),
            'ì'..='ï' => folded.push('i'),
            'ñ' => folded.push('n'),
            'ò'..='ö' => folded.push('o'),
            'ù'..='ü' => folded.push('u'),
            'ß' => folded.push_str("ss"),
            'œ' => folded.push_str("oe"),
            'ё' => folded.push('е'),
            '\u{300}'..='\u{36f}' => {}
            c => folded.push(c),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_in_one_row() {
        let mut all: Vec<&str> =
            [&PARTS[..], &CHAPTERS, &NAMED].concat().iter().flat_map(|row| row.split(' ')).collect();
        assert!(all.iter().all(|word| folded(word) == *word && !word.is_empty()), "{all:?}");
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn lines_over_tables_and_at_ends() {
        assert!(
            ["CONTENTS.", "Table des matières", "Inhalt", "ÍNDICE", "目　录"]
                .iter()
                .all(|line| is_contents(line))
        );
        assert!(!["contents", "Contents may vary", "The index"].iter().any(|line| is_contents(line)));
        assert!(["THE END.", "FIN", "(Конец)", "（完）"].iter().all(|line| is_end(line)));
        assert!(!["", "In the end", "***"].iter().any(|line| is_end(line)));
    }
}
