//! Numbers in words, one to ninety-nine, cardinal and ordinal, as headings write them in English, German,
//! French, Spanish, Italian, Portuguese and Russian: `Seven`, `Erstes`, `vingt et unième`, `двадцать первая`.
//!
//! A language is its list of words for one to nineteen and for the tens, each a stem with the endings that it
//! may take; composition is the same for all: tens with ones after them, joined or apart, with a word for
//! "and" between or without; German writes the ones first, in one word.
//!
//! Left out: the twenties of French above 79 (*quatre-vingt*), which no heading here has needed.

use super::heading_words::folded;
use super::numerals::word;

/// The words of one language, folded; alternatives are parted by `/`, and a stem is what comes before endings.
struct Words {
    /// One to nineteen.
    ones: &'static str,
    /// First to nineteenth.
    ordinals: &'static str,
    /// Twenty to ninety.
    tens: &'static str,
    /// Twentieth to ninetieth.
    ordinal_tens: &'static str,
    /// What ordinals end in.
    endings: &'static [&'static str],
    /// What stands between tens and ones.
    and: &'static str,
}

const LANGUAGES: [Words; 7] = [
    Words {
        ones: "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
               seventeen eighteen nineteen",
        ordinals: "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth \
                   fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth",
        tens: "twenty thirty forty fifty sixty seventy eighty ninety",
        ordinal_tens: "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth",
        endings: &[""],
        and: "and",
    },
    Words {
        ones: "eins/ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn \
               sechzehn siebzehn achtzehn neunzehn",
        ordinals: "erst zweit dritt viert funft sechst siebent/siebt acht neunt zehnt elft zwolft dreizehnt \
                   vierzehnt funfzehnt sechzehnt siebzehnt achtzehnt neunzehnt",
        tens: "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
        ordinal_tens: "zwanzigst dreissigst vierzigst funfzigst sechzigst siebzigst achtzigst neunzigst",
        endings: &["e", "er", "es", "en", "em"],
        and: "und",
    },
    Words {
        ones: "un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
        ordinals: "premier/premiere/unieme deuxieme/second/seconde troisieme quatrieme cinquieme sixieme \
                   septieme huitieme neuvieme dixieme onzieme douzieme treizieme quatorzieme quinzieme seizieme",
        tens: "vingt trente quarante cinquante soixante",
        ordinal_tens: "vingtieme trentieme quarantieme cinquantieme soixantieme",
        endings: &[""],
        and: "et",
    },
    Words {
        ones: "uno/un/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince \
               dieciseis diecisiete dieciocho diecinueve",
        ordinals: "primer segund tercer cuart quint sext septim octav noven decim undecim duodecim decimotercer \
                   decimocuart decimoquint decimosext decimoseptim decimoctav decimonoven",
        tens: "veinte/veinti treinta cuarenta cincuenta sesenta setenta ochenta noventa",
        ordinal_tens: "vigesim trigesim cuadragesim quincuagesim sexagesim septuagesim octogesim nonagesim",
        endings: &["o", "a", ""],
        and: "y",
    },
    Words {
        ones: "uno/un/una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici \
               quindici sedici diciassette diciotto diciannove",
        ordinals: "prim second terz quart quint sest settim ottav non decim undicesim/undecim \
                   dodicesim/duodecim tredicesim/decimoterz quattordicesim/decimoquart \
                   quindicesim/decimoquint sedicesim/decimosest diciassettesim/decimosettim \
                   diciottesim/decimottav diciannovesim/decimonon",
        tens: "venti/vent trenta/trent quaranta/quarant cinquanta/cinquant sessanta/sessant settanta/settant \
               ottanta/ottant novanta/novant",
        ordinal_tens: "ventesim trentesim quarantesim cinquantesim sessantesim settantesim ottantesim novantesim",
        endings: &["o", "a"],
        and: "e",
    },
    Words {
        ones: "um/uma dois/duas tres quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze \
               quinze dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove",
        ordinals: "primeir segund terceir quart quint sext setim oitav non decim",
        tens: "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
        ordinal_tens: "vigesim trigesim quadragesim quinquagesim sexagesim septuagesim octogesim nonagesim",
        endings: &["o", "a"],
        and: "e",
    },
    Words {
        ones: "один/одна два/две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать \
               тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать",
        ordinals: "перв втор трет четверт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат \
                   четырнадцат пятнадцат шестнадцат семнадцат восемнадцат девятнадцат",
        tens: "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто",
        ordinal_tens: "двадцат тридцат сороков пятидесят шестидесят семидесят восьмидесят девяност",
        endings: &["ый", "ая", "ое", "ой", "ий", "ья", "ье"],
        and: "и",
    },
];

/// A number in words that a line begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spelled<'a> {
    pub(super) value: u32,
    /// The rest of the line.
    pub(super) rest: &'a str,
    /// Whether the words are English.
    pub(super) english: bool,
}

/// The number in words that a line begins with, after an English "the".
pub(super) fn spelled(line: &str) -> Option<Spelled<'_>> {
    let (first, rest) = word(line);
    let line = if first.eq_ignore_ascii_case("the") { rest.trim_start() } else { line };
    let read = LANGUAGES.iter().enumerate().filter_map(|(place, words)| {
        let (value, rest) = words.leading(line)?;
        Some(Spelled { value, rest, english: place == 0 })
    });
    // Languages share words: the one that reads most of the line is the line's, English first.
    read.min_by_key(|found| found.rest.len())
}

impl Words {
    fn leading<'a>(&self, line: &'a str) -> Option<(u32, &'a str)> {
        let (first, rest) = word(line);
        let first = folded(first);
        let value = self.single(&first).or_else(|| self.joined(&first))?;
        if !(value == 10 || value >= 20 && value % 10 == 0) {
            return Some((value, rest));
        }
        let (second, after) = self.after_and(rest);
        match self.single(&folded(second)) {
            Some(ones @ 1..=9) => Some((value + ones, after)),
            // Soixante-dix.
            Some(ones @ 10..=19) if value == 60 => Some((value + ones, after)),
            _ => Some((value, rest)),
        }
    }

    /// The word after a space or a hyphen and an "and".
    fn after_and<'a>(&self, rest: &'a str) -> (&'a str, &'a str) {
        let next = |rest: &'a str| word(rest.trim_start_matches(['-', ' ', '\u{2010}', '\u{2011}']));
        let (second, after) = next(rest);
        if folded(second) == self.and { next(after) } else { (second, after) }
    }

    /// The value of a word with one part.
    fn single(&self, word: &str) -> Option<u32> {
        let ending = |rest: &str| self.endings.contains(&rest);
        at(self.ones, word, str::is_empty)
            .or_else(|| at(self.ordinals, word, ending))
            .map(|place| place + 1)
            .or_else(|| {
                let tens = at(self.tens, word, str::is_empty).or_else(|| at(self.ordinal_tens, word, ending));
                tens.map(|place| (place + 2) * 10)
            })
    }

    /// The value of tens and ones in one word: `einundzwanzigste`, `veintiuno`, `ventunesimo`.
    fn joined(&self, word: &str) -> Option<u32> {
        let split = |at: usize| Some((word.get(..at)?, word.get(at..)?));
        (1..word.len()).filter_map(split).find_map(|(left, right)| {
            if let Some(tens) = right.strip_prefix(self.and).filter(|_| self.and == "und") {
                let ones = at(self.ones, left, str::is_empty).filter(|place| *place < 9)? + 1;
                return self.single(tens).filter(|tens| *tens >= 20).map(|tens| tens + ones);
            }
            let tens = at(self.tens, left, str::is_empty)?;
            let plain = right.strip_suffix("esimo").or_else(|| right.strip_suffix("esima"));
            let ones = at(self.ones, plain.unwrap_or(right), |rest| rest.is_empty()).or_else(|| {
                // A vowel is lost before the ordinal's ending: `ventottesimo`.
                ["o", "e", "i"]
                    .iter()
                    .find_map(|vowel| at(self.ones, &format!("{}{vowel}", plain?), str::is_empty))
            })?;
            (ones < 9).then_some((tens + 2) * 10 + ones + 1)
        })
    }
}

/// The place of the row whose stem begins the word, where what is left of the word fits.
fn at(rows: &str, word: &str, fits: impl Fn(&str) -> bool) -> Option<u32> {
    let is = |stem: &str| word.strip_prefix(stem).is_some_and(&fits);
    rows.split(' ').position(|row| row.split('/').any(is)).map(|place| place as u32)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn numbers_in_words() {
        let rows = [
            ("Seven", 7, ""),
            ("THE SEVENTH", 7, ""),
            ("Twenty-One. Home", 21, ". Home"),
            ("thirty years", 30, " years"),
            ("Erstes Kapitel", 1, " Kapitel"),
            ("SIEBENTER TEIL", 7, " TEIL"),
            ("Einundzwanzigstes Kapitel", 21, " Kapitel"),
            ("Fünfunddreißigstes Kapitel", 35, " Kapitel"),
            ("premier", 1, ""),
            ("DEUXIÈME PARTIE", 2, " PARTIE"),
            ("vingt et unième", 21, ""),
            ("dix-septième: la mer", 17, ": la mer"),
            ("soixante-douze", 72, ""),
            ("primero", 1, ""),
            ("décimo tercero", 13, ""),
            ("veintiuno", 21, ""),
            ("treinta y cinco", 35, ""),
            ("ventottesimo", 28, ""),
            ("quarantadue", 42, ""),
            ("TERZA", 3, ""),
            ("vigésimo segundo", 22, ""),
            ("vinte e três", 23, ""),
            ("первая", 1, ""),
            ("третья", 3, ""),
            ("двадцать первая", 21, ""),
            ("Сороковая", 40, ""),
        ];
        for (line, value, rest) in rows {
            let found = spelled(line);
            assert_eq!(found.map(|found| (found.value, found.rest)), Some((value, rest)), "{line}");
        }
        for line in ["", "rain", "unter", "Onces", "the", "einund", "Viertel", "Sexten", "двад"] {
            assert_eq!(spelled(line), None, "{line}");
        }
        assert!(spelled("six").unwrap().english && !spelled("sei").unwrap().english);
    }
}
