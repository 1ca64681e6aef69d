//! Numbers and headings of Chinese, Japanese and Korean books: `第十二回 …`, `第３章　…`, `卷一`, `上卷`, `제1장`.
//!
//! Such a heading is one word: a number between a mark and what it counts. Prose may begin with the same
//! words ("the third time that ..."), so a title on the same line is set off by a space or a mark, or the line
//! is short and no sentence.
//!
//! Invariant: what is left of the line is returned untouched.

use super::headings::Level;

/// What ends the number of a heading, and what the heading is then.
const COUNTERS: [(&str, Level); 2] =
    [("部卷巻篇編编부편", Level::Part), ("回章節节話话集幕折장화", Level::Chapter)];

/// Lines, or their first words, that are the name of a part of a book.
const NAMED: &str = "序 序言 序章 自序 前言 引言 引子 楔子 尾声 尾聲 后记 後記 跋 结语 結語 番外 終章 终章 解説 まえがき はじめに \
                     あとがき おわりに プロローグ エピローグ 프롤로그 에필로그 서문";

/// The most characters of a line whose title is not set off from its label.
const SHORT: usize = 30;

/// A heading's label in one of these scripts, with the rest of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted<'a> {
    pub(super) level: Level,
    pub(super) number: Option<u32>,
    pub(super) rest: &'a str,
}

/// Reads one line as a heading's label.
pub(super) fn counted(line: &str) -> Option<Counted<'_>> {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "【】〔〕〈〉《》［］".contains(c));
    if line.is_ascii() {
        return None;
    }
    numbered(line).filter(|found| fits(line, found.rest)).or_else(|| named(line))
}

/// `第十二回`, `卷之三`, `上卷`, `제 1 장`.
fn numbered(line: &str) -> Option<Counted<'_>> {
    let mut letters = line.chars();
    let first = letters.next()?;
    let after = letters.as_str();
    match first {
        '第' | '제' => {
            let (value, rest) = number(after.trim_start())?;
            let rest = rest.trim_start();
            let counter = rest.chars().next()?;
            let (_, level) = COUNTERS.iter().find(|(counters, _)| counters.contains(counter))?;
            let rest = rest.get(counter.len_utf8()..)?;
            Some(Counted { level: *level, number: Some(value), rest })
        }
        '卷' | '巻' => {
            let (value, rest) = number(after.trim_start_matches(['之', '第', ' ', '\u{3000}']))?;
            Some(Counted { level: Level::Part, number: Some(value), rest })
        }
        '上' | '中' | '下' => {
            let rest = ["卷", "巻", "篇", "編", "编", "部"]
                .iter()
                .find_map(|counter| after.strip_prefix(counter))?;
            let value = if first == '上' { 1 } else { 2 + u32::from(first == '下') };
            Some(Counted { level: Level::Part, number: Some(value), rest })
        }
        _ => None,
    }
}

fn named(line: &str) -> Option<Counted<'_>> {
    let end = line.find(|c: char| c.is_whitespace() || "：:、—".contains(c)).unwrap_or(line.len());
    let (first, rest) = line.split_at_checked(end)?;
    let known = NAMED.split(' ').any(|name| name == first) && line.chars().take(SHORT + 1).count() <= SHORT;
    known.then_some(Counted { level: Level::Named, number: None, rest })
}

/// Whether the rest of a line may be a title.
fn fits(line: &str, rest: &str) -> bool {
    let set_off = rest.starts_with(|c: char| c.is_whitespace() || "：:·・.、—-（(「『《".contains(c));
    let sentence = rest.ends_with(['。', '．', '！', '？', '，', '、', '」', '』', '”', '：']);
    rest.is_empty()
        || set_off && !rest.ends_with(['。', '，', '、'])
        || !sentence && !rest.contains(['，', '。', '、']) && line.chars().take(SHORT + 1).count() <= SHORT
}

/// The number that a line begins with, in Chinese numerals or digits of either width, and the rest.
pub(super) fn number(line: &str) -> Option<(u32, &str)> {
    let digit = |c: char| match c {
        '0'..='9' => Some(c as u32 - '0' as u32),
        '０'..='９' => Some(c as u32 - '０' as u32),
        _ => None,
    };
    let end = line.find(|c: char| digit(c).is_none()).unwrap_or(line.len());
    let (digits, rest) = line.split_at_checked(end)?;
    if !digits.is_empty() {
        let few = digits.chars().count() <= 5;
        let value = digits
            .chars()
            .filter_map(digit)
            .fold(0, |value: u32, digit| value.wrapping_mul(10).wrapping_add(digit));
        return (few && value > 0).then_some((value, rest));
    }
    let end = line.find(|c: char| numeral(c).is_none()).unwrap_or(line.len());
    let (numerals, rest) = line.split_at_checked(end)?;
    written(numerals).map(|value| (value, rest))
}

/// A Chinese numeral's value; tens, hundreds and thousands multiply what stands before them.
fn numeral(c: char) -> Option<u32> {
    Some(match c {
        '〇' | '零' | '○' => 0,
        '一' | '壹' | '壱' | '元' => 1,
        '二' | '贰' | '貳' | '弐' | '两' | '兩' => 2,
        '三' | '叁' | '參' | '参' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        '十' | '拾' => 10,
        '廿' => 20,
        '卅' => 30,
        '百' => 100,
        '千' => 1000,
        _ => return None,
    })
}

/// `十二`, `二十`, `一百零三`, and digit by digit `一二三`.
fn written(numerals: &str) -> Option<u32> {
    if numerals.is_empty() || numerals.chars().count() > 9 {
        return None;
    }
    let values: Vec<u32> = numerals.chars().filter_map(numeral).collect();
    if values.len() > 1 && values.iter().all(|value| *value < 10) {
        return Some(values.iter().fold(0, |sum, value| sum * 10 + value))
            .filter(|value| (1..100_000).contains(value));
    }
    let (mut sum, mut digit) = (0, None);
    for value in values {
        match value {
            10 | 100 | 1000 => sum += digit.take().unwrap_or(1) * value,
            20 | 30 => sum += value,
            0 => {}
            value => digit = Some(value),
        }
    }
    Some(sum + digit.unwrap_or(0)).filter(|value| *value > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read() {
        use Level::{Chapter, Named, Part};
        let rows = [
            ("第十二回 渡船不来", Some((Chapter, Some(12), " 渡船不来"))),
            ("第３章　渡し船", Some((Chapter, Some(3), "　渡し船"))),
            ("第一章渡船", Some((Chapter, Some(1), "渡船"))),
            ("【第二十章】", Some((Chapter, Some(20), ""))),
            ("第一百零三回", Some((Chapter, Some(103), ""))),
            ("第一部 第一章", Some((Part, Some(1), " 第一章"))),
            ("卷之三", Some((Part, Some(3), ""))),
            ("下卷", Some((Part, Some(3), ""))),
            ("제 1 장", Some((Chapter, Some(1), ""))),
            ("楔子 老渡口", Some((Named, None, " 老渡口"))),
            ("プロローグ", Some((Named, None, ""))),
            ("第三回见到他的时候，河水还没有退。", None),
            ("第一次", None),
            ("卷起袖子", None),
            ("序曲还没有响。", None),
            ("Chapter 1", None),
        ];
        for (line, expected) in rows {
            let found = counted(line).map(|found| (found.level, found.number, found.rest));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn numbers_are_read() {
        let rows = [
            ("十", 10),
            ("二十一", 21),
            ("一百", 100),
            ("廿三", 23),
            ("一二〇", 120),
            ("１２", 12),
            ("两百五十", 250),
        ];
        for (line, value) in rows {
            assert_eq!(number(line), Some((value, "")), "{line}");
        }
        for line in ["", "零", "0", "水", "123456"] {
            assert_eq!(number(line), None, "{line}");
        }
    }
}
