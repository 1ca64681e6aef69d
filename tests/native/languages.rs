//! Books in other languages: chapters by their own words for them, language, sentences and chunks.

use plotbridge::text::{ReadOptions, chunk, read, sentences};

/// A paragraph in a language: from the samples whose tokens are counted.
fn prose(name: &str) -> String {
    let made: serde_json::Value = serde_json::from_str(include_str!("../data/tokens.json")).unwrap();
    let rows = made["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == name).unwrap();
    // The first line of the longer ones is a heading.
    row["text"].as_str().unwrap().split_once("\n\n").unwrap().1.to_owned()
}

struct Case {
    sample: &'static str,
    language: &'static str,
    /// `#` stands for the prose.
    text: &'static str,
    titles: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        sample: "german_talk",
        language: "de",
        text: "Der Strom\n\nvon A. Niemand\n\nInhalt\n\nErstes Kapitel\nZweites Kapitel\nDrittes Kapitel\n\n\nErstes Kapitel\n\nDie Fähre\n\n#\n\nZweites Kapitel\n\nDer Müller\n\n#\n\nDrittes Kapitel\n\nLicht\n\n#\n\nEnde",
        titles: &["Erstes Kapitel. Die Fähre", "Zweites Kapitel. Der Müller", "Drittes Kapitel. Licht"],
    },
    Case {
        sample: "german_talk",
        language: "de",
        text: "Vorwort\n\n#\n\n1. Kapitel\n\n#\n\n2. Kapitel\n\n#\n\nNachwort\n\n#",
        titles: &["Vorwort", "1. Kapitel", "2. Kapitel", "Nachwort"],
    },
    Case {
        sample: "french_talk",
        language: "fr",
        text: "PREMIÈRE PARTIE\n\nCHAPITRE PREMIER\n\n#\n\nCHAPITRE II\n\n#\n\nDEUXIÈME PARTIE\n\nCHAPITRE PREMIER\n\n#\n\nÉpilogue\n\n#\n\nFIN\n\nTable des matières\n\nCHAPITRE PREMIER\nCHAPITRE II",
        titles: &[
            "PREMIÈRE PARTIE, CHAPITRE PREMIER",
            "CHAPITRE II",
            "DEUXIÈME PARTIE, CHAPITRE PREMIER",
            "Épilogue",
        ],
    },
    Case {
        sample: "french_talk",
        language: "fr",
        text: "La nuit au bord de l’eau\n\n#\n\n\nLe fils du meunier\n\n#\n\n\nUne lanterne\n\n#",
        titles: &["La nuit au bord de l’eau", "Le fils du meunier", "Une lanterne"],
    },
    Case {
        sample: "spanish",
        language: "es",
        text: "Prólogo\n\n#\n\nCapítulo primero\n\nLa barca\n\n#\n\nCapítulo segundo\n\n#\n\nCapítulo XXI. La lluvia\n\n#",
        titles: &["Prólogo", "Capítulo primero. La barca", "Capítulo segundo", "Capítulo XXI. La lluvia"],
    },
    Case {
        sample: "italian",
        language: "it",
        text: "CAPITOLO I.\nIl traghetto\n\n#\n\nCAPITOLO II.\nIl mugnaio\n\n#\n\nCAPITOLO TERZO\n\n#",
        titles: &["CAPITOLO I. Il traghetto", "CAPITOLO II. Il mugnaio", "CAPITOLO TERZO"],
    },
    Case {
        sample: "portuguese",
        language: "pt",
        text: "Capítulo décimo primeiro\n\n#\n\nCapítulo décimo segundo\n\n#",
        titles: &["Capítulo décimo primeiro", "Capítulo décimo segundo"],
    },
    Case {
        sample: "russian_talk",
        language: "ru",
        text: "ЧАСТЬ ПЕРВАЯ\n\nГлава первая\n\n#\n\nГлава вторая\n\n#\n\nЭпилог\n\n#\n\nКонец",
        titles: &["Глава первая", "Глава вторая", "Эпилог"],
    },
    Case {
        sample: "chinese_talk",
        language: "zh",
        text: "第一回 渡船不来\n#\n第二回 老妇人\n#\n第三回 灯笼\n#",
        titles: &["第一回 渡船不来", "第二回 老妇人", "第三回 灯笼"],
    },
    Case {
        sample: "japanese_talk",
        language: "ja",
        text: "序章\n\n#\n\n第一章　渡し船\n\n#\n\n第二章　灯り\n\n#",
        titles: &["序章", "第一章 渡し船", "第二章 灯り"],
    },
    Case {
        sample: "japanese_talk",
        language: "ja",
        text: "一\n\n#\n\n二\n\n#\n\n三\n\n#",
        titles: &["一", "二", "三"],
    },
    Case {
        sample: "korean", language: "ko", text: "제1장\n\n#\n\n제2장\n\n#", titles: &["제1장", "제2장"]
    },
];

#[test]
fn chapters_are_found_by_the_words_of_each_language() {
    for case in CASES {
        let prose = [prose(case.sample), prose(case.sample)].join("\n\n");
        // Chinese books often have a line for a paragraph and no empty ones.
        let prose = if case.text.contains("\n#") { prose.replace("\n\n", "\n") } else { prose };
        let text = case.text.replace('#', &prose);
        let document = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let titles: Vec<&str> = document.chapters.iter().map(|chapter| chapter.title.as_str()).collect();
        assert_eq!(titles, case.titles, "{}", case.text);
        assert_eq!(document.language, case.language, "{}", case.text);
        let parts: usize = chunk(&document, 128, 0).iter().map(|chunk| chunk.span.len()).sum();
        let skipped: usize = document.skips.iter().map(|skip| skip.span.len()).sum();
        assert_eq!(parts + skipped, text.len(), "{}", case.text);
    }
}

#[test]
fn a_text_of_any_script_has_its_sentences() {
    for (name, count) in [
        ("german_talk", 10),
        ("french_talk", 10),
        ("spanish", 9),
        ("russian_talk", 9),
        ("chinese_talk", 10),
        ("japanese_talk", 12),
        ("korean", 9),
        ("arabic", 10),
        ("hebrew", 9),
    ] {
        let text = prose(name);
        let found = sentences(&text, plotbridge::knowledge::Span::new(0, text.len()));
        let found: Vec<&str> = found.iter().map(|span| span.of(&text)).collect();
        assert_eq!(found.len(), count, "{name}: {found:#?}");
    }
}
