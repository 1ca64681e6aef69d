//! What a record of each kind looks like: the names its fields go by, and how it reads as one line of text.

use super::kinds;
use super::rows::Row;

/// The fields of a kind of record.
pub(super) struct Shape {
    /// The names of each field, in letters and digits only, lower case.
    names: [&'static [&'static str]; 3],
    /// How many fields there are.
    pub(super) width: usize,
    /// How many of the first ones must be filled; 0 where any one is enough.
    pub(super) needed: usize,
    /// The most characters of each; what a longer name or verb is, is not a name or verb.
    pub(super) limits: [usize; 3],
    /// What a list of such records is called.
    wrappers: &'static [&'static str],
    /// Tags that lead a record written as a tuple.
    tags: &'static [&'static str],
    /// Whether a record may be the value of its first field: `{"Ann": {"type": "person"}}`.
    pub(super) keyed: bool,
    /// Whether a list of strings is a list of such records, and how one of them reads.
    pub(super) text: fn(&str) -> Option<Row>,
}

pub(super) static ENTITIES: Shape = Shape {
    names: [
        &[
            "name",
            "entityname",
            "entity",
            "title",
            "fullname",
            "character",
            "charactername",
            "person",
            "personname",
        ],
        &["type", "entitytype", "category", "kind", "class", "role", "label"],
        &["description", "entitydescription", "desc", "summary", "details", "about", "info", "explanation"],
    ],
    width: 3,
    needed: 1,
    limits: [80, 60, 600],
    wrappers: &[
        "entities",
        "entity",
        "nodes",
        "items",
        "results",
        "result",
        "data",
        "output",
        "response",
        "list",
        "namedentities",
        "extractedentities",
    ],
    tags: &["entity"],
    keyed: true,
    text: entity_text,
};

pub(super) static TRIPLES: Shape = Shape {
    names: [
        &["subject", "subj", "head", "source", "from", "src", "sourceentity", "entity1", "person1", "s"],
        &[
            "predicate",
            "relation",
            "relationship",
            "verb",
            "rel",
            "action",
            "edge",
            "relationtype",
            "pred",
            "type",
            "p",
        ],
        &["object", "obj", "tail", "target", "to", "dst", "targetentity", "entity2", "person2", "o"],
    ],
    width: 3,
    needed: 3,
    limits: [120, 120, 240],
    wrappers: &[
        "triples",
        "triplets",
        "relations",
        "relationships",
        "facts",
        "edges",
        "items",
        "results",
        "data",
        "output",
        "response",
        "list",
    ],
    tags: &["triple", "relationship", "relation", "fact"],
    keyed: false,
    text: triple_text,
};

pub(super) static EVENTS: Shape = Shape {
    names: [
        &["label", "event", "name", "title", "eventname", "eventlabel", "heading", "type", "eventtype"],
        &[
            "details",
            "detail",
            "description",
            "desc",
            "eventdetails",
            "eventdescription",
            "summary",
            "text",
            "whathappened",
            "what",
        ],
        &[],
    ],
    width: 2,
    needed: 0,
    limits: [160, 600, 0],
    wrappers: &[
        "events",
        "keyevents",
        "items",
        "results",
        "data",
        "output",
        "response",
        "list",
        "timeline",
        "plot",
    ],
    tags: &["event"],
    keyed: true,
    text: event_text,
};

pub(super) static VERDICTS: Shape = Shape {
    names: [
        &["pair", "number", "id", "pairid", "pairnumber", "index", "no"],
        &["verdict", "decision", "answer", "judgement", "judgment", "result"],
        &["reason", "why", "because", "explanation", "rationale", "evidence"],
    ],
    width: 3,
    needed: 2,
    limits: [20, 20, 600],
    wrappers: &[
        "merges",
        "pairs",
        "decisions",
        "verdicts",
        "items",
        "results",
        "data",
        "output",
        "response",
        "list",
    ],
    tags: &["pair"],
    keyed: true,
    text: verdict_text,
};

impl Shape {
    /// The field of a name.
    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        let name = folded(name);
        self.names.iter().position(|names| names.contains(&name.as_str()))
    }

    /// How far from its proper name a field in this place is named; `None` if it is another field.
    pub(super) fn rank(&self, name: &str, place: usize) -> Option<usize> {
        let name = folded(name);
        self.names.get(place)?.iter().position(|known| *known == name)
    }

    /// Whether a key names a list of these records.
    pub(super) fn wraps(&self, key: &str) -> bool {
        self.wrappers.contains(&folded(key).as_str())
    }

    /// Whether the first word of a tuple says only what the tuple is.
    pub(super) fn is_tag(&self, word: &str) -> bool {
        self.tags.contains(&folded(word).as_str())
    }

    /// Whether a row has what it needs.
    pub(super) fn is_enough(&self, row: &Row) -> bool {
        match self.needed {
            0 => row.iter().any(|field| !field.is_empty()),
            needed => row.iter().take(needed).all(|field| !field.is_empty()),
        }
    }

    /// Whether every field of a row is filled.
    pub(super) fn is_full(&self, row: &Row) -> bool {
        row.iter().take(self.width).all(|field| !field.is_empty())
    }

    /// Whether strings in a row of their own are the fields of one record, in order.
    pub(super) fn is_positional(&self, fields: &[String], inner: bool) -> bool {
        let typed = fields.get(1).is_some_and(|field| kinds::known(field).is_some());
        let told = fields.iter().skip(1).any(|field| field.split_whitespace().count() > 2);
        match (self.needed, fields.len()) {
            (3, 3) => !fields.iter().any(|field| triple_text(field).is_some()),
            (1, 2) => inner && (typed || told),
            (1, 3) => typed || inner && told,
            (0, 2) => inner,
            _ => false,
        }
    }
}

/// A key in lower-case letters and digits.
pub(super) fn folded(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn row(first: &str, second: &str, third: &str) -> Row {
    [first, second, third].map(|field| field.trim().trim_matches(['*', '_', '`']).trim().to_owned())
}

/// `Ann`, `Ann (person)`, `Ann: a baker`, `Ann (person) - a baker`.
fn entity_text(text: &str) -> Option<Row> {
    let (name, about) = ["**:", ":**", ": ", " - ", " – ", " — "]
        .iter()
        .filter_map(|mark| text.split_once(mark))
        .min_by_key(|(name, _)| name.len())
        .unwrap_or((text, ""));
    let (name, kind) = match name.trim_end().strip_suffix(')').and_then(|name| name.rsplit_once('(')) {
        Some((name, kind)) if kinds::known(kind).is_some() => (name, kind),
        _ => (name, ""),
    };
    let named = name.split_whitespace().count() <= 10 && !name.trim_end().ends_with(['.', '?', '!', ',']);
    let (kind, about) = if kind.is_empty() && is_kind(about) { (about, "") } else { (kind, about) };
    named.then(|| row(name, kind, about)).filter(|row| !row.concat().is_empty())
}

/// Whether a text is the name of a kind and nothing else.
pub(super) fn is_kind(text: &str) -> bool {
    text.split_whitespace().count() == 1 && kinds::known(text).is_some()
}

/// `Ann -> knows -> Ben`, `(Ann, knows, Ben)`, `Ann | knows | Ben`.
fn triple_text(text: &str) -> Option<Row> {
    let bare = text.trim().trim_end_matches(['.', ';', ',']);
    let inner = bare.strip_prefix('(').and_then(|bare| bare.strip_suffix(')'));
    let marks: &[&str] =
        if inner.is_some() { &["->", "→", " | ", ",", ";"] } else { &["->", "→", " | "] };
    let text = inner.unwrap_or(bare);
    let parts =
        marks.iter().map(|mark| text.split(mark).collect::<Vec<_>>()).find(|parts| parts.len() == 3)?;
    match parts.as_slice() {
        [subject, predicate, object] => {
            let ends: &[char] = &['-', '>', '"', '\'', ' '];
            Some(row(subject.trim_matches(ends), predicate.trim_matches(ends), object.trim_matches(ends)))
        }
        _ => None,
    }
}

/// `1: same`, `Pair 2 - different: they are brothers`.
fn verdict_text(text: &str) -> Option<Row> {
    let (pair, rest) = [": ", ". ", " - ", " – "].iter().find_map(|mark| text.split_once(mark))?;
    let numbered = pair.len() <= 12 && pair.chars().any(|c| c.is_ascii_digit());
    let (verdict, reason) = rest.split_once([':', ',', '-', '–', '(']).unwrap_or((rest, ""));
    let word = verdict.split_whitespace().count() == 1;
    (numbered && word).then(|| row(pair, verdict, reason))
}

/// `The flood: the river rises`, or a sentence.
fn event_text(text: &str) -> Option<Row> {
    if text.split_whitespace().count() < 2 {
        return None;
    }
    match ["**:", ":**", ": "].iter().find_map(|mark| text.split_once(mark)) {
        Some((label, details)) if label.split_whitespace().count() <= 8 && !details.trim().is_empty() => {
            Some(row(label, details, ""))
        }
        _ => Some(row("", text, "")),
    }
}
