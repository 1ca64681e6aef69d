//! `cargo run --example litbank -- DATA`: the rules' persons and happenings against LitBank, as one JSON
//! document, which `cargo xtask quality` makes a table of.
//!
//! DATA holds `litbank/characters`, `litbank/events` and, of some of its books, the whole text in `books`;
//! of the others the annotated beginning is rebuilt from its tokens and their offsets. What is counted:
//!
//! - **chains**: a gold character with a name and three mentions or more is found when more than half of its
//!   names are of one person of ours, or of one group of ours where it is several people (`the Wolfes`); a
//!   person of ours is right when one of its uses is in a mention of a gold character.
//! - **persons**: the same without the characters that are several people.
//! - **alias pairs**: pairs of names' uses; of one gold character, of one entity of ours.
//! - **sentences**: gold sentences that hold a gold event, and those that hold one of our happenings.
//!
//! Invariant: every second book, in alphabetical order from the first, is one the rules were tuned on; the
//! others are reported apart.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use plotbridge::config::IndexConfig;
use plotbridge::knowledge::{EntityKind, Knowledge, Span};
use plotbridge::offline;
use plotbridge::pace::{Native, Pace};
use plotbridge::text::{self, ReadOptions};
use serde_json::{Value, json};

/// What was counted, by name: gold, ours and both, of each measure.
#[derive(Clone, Copy, Default)]
struct Counts {
    gold: usize,
    found: usize,
    ours: usize,
    right: usize,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.gold += other.gold;
        self.found += other.found;
        self.ours += other.ours;
        self.right += other.right;
    }

    fn json(self) -> Value {
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let (recall, precision) = (share(self.found, self.gold), share(self.right, self.ours));
        let f1 = 2.0 * recall * precision / (recall + precision).max(f64::MIN_POSITIVE);
        json!({"gold": self.gold, "ours": self.ours, "recall": recall, "precision": precision, "f1": f1})
    }
}

/// The measures of one book or several.
#[derive(Clone, Copy, Default)]
struct Figures {
    books: usize,
    chains: Counts,
    persons: Counts,
    pairs: Counts,
    sentences: Counts,
}

impl Figures {
    fn add(&mut self, other: Figures) {
        self.books += other.books;
        self.chains.add(other.chains);
        self.persons.add(other.persons);
        self.pairs.add(other.pairs);
        self.sentences.add(other.sentences);
    }

    fn json(self) -> Value {
        json!({
            "books": self.books, "chains": self.chains.json(), "persons": self.persons.json(),
            "pairs": self.pairs.json(), "sentences": self.sentences.json(),
        })
    }
}

/// What the rules read of a book.
struct Read {
    knowledge: Knowledge,
    happenings: Vec<Span>,
    /// The byte of each character of the text.
    bytes: Vec<usize>,
}

fn read(bytes: &[u8]) -> Read {
    let document = text::read(bytes, &ReadOptions::default()).unwrap();
    let config = IndexConfig::default();
    let chunks = text::chunk(&document, config.chunk_tokens, config.chunk_overlap);
    let host = Native::default();
    let pace = Pace::new(&host);
    let (knowledge, _) = pollster::block_on(offline::extract(&document, &chunks, &config, &pace)).unwrap();
    let happenings = pollster::block_on(offline::happenings(&document, &chunks, &pace)).unwrap();
    let bytes = document.text.char_indices().map(|(at, _)| at).chain([document.text.len()]).collect();
    Read { knowledge, happenings, bytes }
}

/// The annotated beginning, of its tokens at their places: one character between them is a space, more are
/// ends of lines.
fn rebuilt(events: &Value) -> String {
    let mut text = String::new();
    let mut at = 0;
    for sentence in list(&events["sentences"]) {
        for (token, offsets) in list(&sentence["tokens"]).iter().zip(list(&sentence["offsets"])) {
            // A token that could not be aligned has no place.
            let Some(start) = offsets[0].as_u64() else { continue };
            let gap = (start as usize).saturating_sub(at);
            (0..gap).for_each(|_| text.push(if gap == 1 { ' ' } else { '\n' }));
            text.push_str(token.as_str().unwrap());
            at = at.max(start as usize) + token.as_str().unwrap().chars().count();
        }
    }
    text
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

impl Read {
    fn span(&self, start: usize, end: usize) -> Span {
        let at = |place: usize| self.bytes[place.min(self.bytes.len() - 1)];
        Span::new(at(start), at(end))
    }

    /// Gold sentences with an event, ours, and both.
    fn sentences(&self, events: &Value, told: bool) -> Counts {
        let mut counts = Counts::default();
        let gold: BTreeSet<usize> =
            list(&events["events"]).iter().map(|event| number(&event["sent"])).collect();
        for (place, sentence) in list(&events["sentences"]).iter().enumerate() {
            let offsets: Vec<&Value> =
                list(&sentence["offsets"]).iter().filter(|at| at[0].is_u64() && at[1].is_u64()).collect();
            let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { continue };
            let span = self.span(number(&first[0]), number(&last[1]));
            let ours: Vec<&Span> = self.happenings.iter().filter(|one| span.contains(**one)).collect();
            let both = gold.contains(&place) && !ours.is_empty();
            counts.gold += usize::from(gold.contains(&place));
            counts.ours += usize::from(!ours.is_empty());
            counts.found += usize::from(both);
            counts.right += usize::from(both);
            if told && gold.contains(&place) == ours.is_empty() {
                let words: Vec<&str> = list(&sentence["tokens"]).iter().filter_map(Value::as_str).collect();
                let events = list(&events["events"]).iter().filter(|event| number(&event["sent"]) == place);
                let events: Vec<&str> = events.filter_map(|event| event["text"].as_str()).collect();
                eprintln!(
                    "{} {events:?} {}",
                    if ours.is_empty() { "MISS" } else { "EXTRA" },
                    words.join(" ")
                );
            }
        }
        counts
    }

    /// Chains, those of single persons, and alias pairs.
    fn persons(&self, gold: &Value, told: bool) -> [Counts; 3] {
        let until = self.span(0, number(&gold["char_span"][1])).end;
        let uses: Vec<(Span, usize)> = self
            .knowledge
            .mentions
            .iter()
            .flat_map(|mention| mention.uses.iter().map(|span| (*span, mention.entity.index())))
            .filter(|(span, _)| span.start < until)
            .collect();
        let person = |entity: usize| self.knowledge.entities[entity].kind == EntityKind::Person;
        let (mut chains, mut persons) = (Counts::default(), Counts::default());
        let group = |entity: usize| self.knowledge.entities[entity].kind == EntityKind::Group;
        let mut touched = BTreeSet::new();
        // For each gold name that one of ours overlaps: the gold character and our entity.
        let mut matched: Vec<(usize, usize)> = Vec::new();
        for (character, entry) in list(&gold["characters"]).iter().enumerate() {
            let mut ours: BTreeMap<usize, usize> = BTreeMap::new();
            let mut named = 0;
            let placed = |mention: &&Value| mention["start"].is_u64() && mention["end"].is_u64();
            let mentions = list(&entry["mentions"]).iter().filter(placed);
            for mention in mentions.filter(|mention| mention["form"] != "PRON") {
                let span = self.span(number(&mention["start"]), number(&mention["end"]));
                let hits: Vec<usize> = uses
                    .iter()
                    .filter(|(used, _)| used.start < span.end && span.start < used.end)
                    .map(|(_, entity)| *entity)
                    .collect();
                touched.extend(hits.iter().copied());
                if mention["form"] != "PROP" {
                    continue;
                }
                named += 1;
                if let Some(entity) = hits.iter().find(|entity| person(**entity)).or(hits.first()) {
                    *ours.entry(*entity).or_default() += 1;
                    matched.push((character, *entity));
                }
            }
            if named > 0 && entry["named"] == true && entry["n_mentions"].as_u64() >= Some(3) {
                let several = is_several(entry["name"].as_str().unwrap());
                let fits = |entity: usize| person(entity) || several && group(entity);
                let best = ours.iter().filter(|(entity, _)| fits(**entity)).map(|(_, count)| *count).max();
                let found = best.is_some_and(|best| best * 2 > named);
                chains.gold += 1;
                chains.found += usize::from(found);
                persons.gold += usize::from(!several);
                persons.found += usize::from(found && !several);
                if told && !found {
                    let ours: Vec<(&str, EntityKind, usize)> = ours
                        .iter()
                        .map(|(id, count)| (&self.knowledge.entities[*id], *count))
                        .map(|(entity, count)| (entity.name.as_str(), entity.kind, count))
                        .collect();
                    eprintln!("NOT FOUND {} {} of {named} names: {ours:?}", entry["name"], entry["aliases"]);
                }
            }
        }
        let ours: BTreeSet<usize> =
            uses.iter().map(|(_, entity)| *entity).filter(|entity| person(*entity)).collect();
        chains.ours = ours.len();
        chains.right = ours.intersection(&touched).count();
        for wrong in ours.difference(&touched).filter(|_| told) {
            eprintln!("NOBODY {}", self.knowledge.entities[*wrong].name);
        }
        (persons.ours, persons.right) = (chains.ours, chains.right);
        [chains, persons, pairs(&matched)]
    }
}

/// Whether a gold character is a family or a people, by its name: `the Wolfes`.
fn is_several(name: &str) -> bool {
    name.to_lowercase().starts_with("the ") && name.ends_with('s')
}

fn pairs(matched: &[(usize, usize)]) -> Counts {
    let mut pairs = Counts::default();
    for (index, (gold, entity)) in matched.iter().enumerate() {
        for (other, with) in &matched[index + 1..] {
            let both = usize::from(gold == other && entity == with);
            pairs.gold += usize::from(gold == other);
            pairs.ours += usize::from(entity == with);
            pairs.found += both;
            pairs.right += both;
        }
    }
    pairs
}

fn parsed(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let data = PathBuf::from(arguments.next().unwrap());
    // With `errors`, what is wrong in the books that the rules are tuned on, to read through.
    let errors = arguments.next().is_some();
    let mut files: Vec<PathBuf> = std::fs::read_dir(data.join("litbank/characters"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    let (mut tuned, mut held) = (Figures::default(), Figures::default());
    for (place, file) in files.iter().enumerate() {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let events = parsed(&data.join(format!("litbank/events/{name}.json")));
        let whole = std::fs::read(data.join(format!("books/{name}.txt")));
        let book = read(&whole.unwrap_or_else(|_| rebuilt(&events).into_bytes()));
        let told = errors && place % 2 == 0;
        if told {
            eprintln!("== {name}");
        }
        let [chains, persons, pairs] = book.persons(&parsed(file), told);
        let figures = Figures { books: 1, chains, persons, pairs, sentences: book.sentences(&events, told) };
        if place % 2 == 0 { &mut tuned } else { &mut held }.add(figures);
    }
    let mut all = tuned;
    all.add(held);
    println!("{}", json!({"tuned": tuned.json(), "held": held.json(), "all": all.json()}));
}
