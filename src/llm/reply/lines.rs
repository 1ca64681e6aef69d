//! Records that were not written as JSON: tuples, tables, lists.
//!
//! Read only where there is no JSON. Tuples are those of the extraction prompts that ask for
//! `("entity"###name###type###description)` or the same with `<|>`; tables are Markdown's; of a list only
//! items in a known form count, so that prose in points gives no entity.

use super::parse::{self, Node};
use super::rows::{self, Row, Rows};
use super::shape::Shape;

/// What parts the fields of a tuple.
const PARTINGS: [&str; 4] = ["<|#|>", "<|>", "###", "@#@"];

/// The rows in a text without JSON.
pub(super) fn rows(text: &str, shape: &Shape) -> Rows {
    if let Some(parting) = PARTINGS.iter().find(|parting| text.lines().any(|line| is_tuple(line, parting))) {
        return tuples(text, parting, shape);
    }
    let table = table(text);
    if !table.is_empty() {
        return rows::of(&table, shape);
    }
    list(text, shape)
}

/// Whether a line holds fields: a heading's mark at its start parts none.
fn is_tuple(line: &str, parting: &str) -> bool {
    line.trim_start_matches(['#', ' ']).split(parting).count() > 1
}

fn tuples(text: &str, parting: &str, shape: &Shape) -> Rows {
    let mut rows = Rows { whole: true, ..Rows::default() };
    let text =
        ["<end>", "<|COMPLETE|>"].iter().fold(text, |text, end| text.split(end).next().unwrap_or_default());
    let pieces: Vec<&str> = text.split(['\n']).flat_map(|line| line.split("@@@")).flat_map(parted).collect();
    let closed = pieces.iter().any(|piece| piece.trim_end().ends_with(')'));
    let last = pieces.len().saturating_sub(1);
    for (at, piece) in pieces.iter().enumerate() {
        let bare = piece.trim().trim_start_matches(['-', '*', ' ', '#']);
        let mut fields: Vec<&str> = bare.split(parting).map(bare_field).collect();
        if fields.len() < 2 {
            continue;
        }
        // The tag may be missing, as in `(Ann###person###a baker)`, or another word.
        if fields.len() == shape.width + 1 || fields.first().is_some_and(|first| shape.is_tag(first)) {
            fields.remove(0);
        }
        if at == last && closed && !bare.ends_with([')', '@']) {
            rows.cut = true;
            rows.dropped += 1;
            continue;
        }
        let mut fields = fields.into_iter().map(str::to_owned);
        rows.offer([(); 3].map(|()| fields.next().unwrap_or_default()), shape);
    }
    rows
}

/// Tuples on one line, each in its brackets: a closing and an opening one part them.
fn parted(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices(')') {
        let after = line.get(at + 1..).unwrap_or_default();
        let between = after.bytes().take(5).position(|b| b == b'(').and_then(|gap| after.get(..gap));
        if between.is_some_and(|gap| gap.chars().all(|c| matches!(c, '#' | ',' | ' '))) {
            pieces.push(line.get(start..=at).unwrap_or_default());
            start = at + 1;
        }
    }
    pieces.push(line.get(start..).unwrap_or_default().trim_start_matches(['#', ',', ' ']));
    pieces
}

/// A field without the brackets of its tuple and without quotes.
fn bare_field(field: &str) -> &str {
    let field = field.trim().trim_start_matches(['(', '{']).trim_end_matches([',', ' ', '@', '#', '}']);
    let closed = field.matches(')').count() > field.matches('(').count();
    let field = if closed { field.trim_end_matches(')') } else { field };
    field.trim().trim_matches(['"', '\'']).trim()
}

/// The records of Markdown tables.
fn table(text: &str) -> Vec<Node> {
    let mut header: Vec<&str> = Vec::new();
    let mut previous: Vec<&str> = Vec::new();
    let mut records = Vec::new();
    for line in text.lines().map(str::trim) {
        let Some(inner) = line.strip_prefix('|') else {
            header.clear();
            previous.clear();
            continue;
        };
        let cells: Vec<&str> = inner.trim_end_matches('|').split('|').map(str::trim).collect();
        if cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':' | ' '))) {
            header = std::mem::take(&mut previous);
        } else if !header.is_empty() {
            let whole = line.ends_with('|') && cells.len() >= header.len();
            let fields = header
                .iter()
                .zip(&cells)
                .map(|(key, cell)| ((*key).to_owned(), Node::Text((*cell).to_owned())));
            records.push(Node::Record { fields: fields.collect(), whole });
        } else {
            previous = cells;
        }
    }
    records
}

/// Items of a list, and lines `Name: Ann`, which go on with the item above them.
fn list(text: &str, shape: &Shape) -> Rows {
    let mut rows = Rows::default();
    let mut open: Option<Row> = None;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    for (at, line) in lines.iter().enumerate() {
        let (item, marked) = unmarked(line);
        let field = field(item, shape);
        let begun = match field {
            Some(_) => Some(Row::default()),
            None => tuple_line(item, shape).or_else(|| (shape.text)(item).filter(|_| marked)),
        };
        let Some(begun) = begun else { continue };
        let place = field.and_then(|(slot, _)| open.as_ref()?.get(slot));
        if place.is_none_or(|place| !place.is_empty())
            && let Some(row) = open.replace(begun)
        {
            rows.offer(row, shape);
        }
        if at + 1 == lines.len() && is_cut(item, &lines) && !text.ends_with('\n') {
            rows.cut = true;
            rows.dropped += 1;
            return rows;
        }
        if let Some((slot, value)) = field
            && let Some(place) = open.as_mut().and_then(|row| row.get_mut(slot))
        {
            value.clone_into(place);
        }
    }
    if let Some(row) = open {
        rows.offer(row, shape);
    }
    rows
}

/// Whether the last line of a text ends in the middle: of a sentence after others, or of a line above.
fn is_cut(item: &str, lines: &[&str]) -> bool {
    let ends = item.trim_end().ends_with(['.', '!', '?', '"', '”', '’', '\'', ')', '*', ':']);
    let again = lines.iter().rev().skip(1).any(|line| {
        let (above, _) = unmarked(line);
        above.len() > item.len() && above.starts_with(item)
    });
    !ends && !item.is_empty() && (item.contains(". ") || again)
}

/// A line in brackets: `("Ann", "person", "a baker")`, `(Ann, knows, Ben)`.
fn tuple_line(item: &str, shape: &Shape) -> Option<Row> {
    let node = parse::node(item)?;
    let mut rows = rows::of(&[Node::List { items: vec![node], whole: true }], shape);
    rows.found.pop().filter(|_| rows.found.is_empty())
}

/// A line without its list mark, and whether it had one.
fn unmarked(line: &str) -> (&str, bool) {
    let line = line.trim();
    if let Some(item) = ["- ", "* ", "• ", "+ ", "– "].iter().find_map(|mark| line.strip_prefix(mark)) {
        return (item.trim(), true);
    }
    let bare = line.strip_prefix('(').unwrap_or(line);
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    match digits.strip_prefix(['.', ')']) {
        Some(item) if digits.len() < bare.len() && item.starts_with(' ') => (item.trim(), true),
        _ => (line, false),
    }
}

/// `**Type:** person` as a field.
fn field<'a>(item: &'a str, shape: &Shape) -> Option<(usize, &'a str)> {
    let (key, value) = item.split_once(':')?;
    let key = key.trim_matches(['*', '_', ' ', '`']);
    let value = value.trim_start_matches(['*', '_']).trim();
    let slot = shape.slot(key).filter(|_| key.len() < 30 && !value.is_empty())?;
    Some((slot, value))
}
