//! Ten thousand seeded changes of a small index, of eleven kinds. Each gives an error that says what is
//! wrong and where, or a book that answers; none panics, and none works without end.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plotbridge::config::Profile;
use plotbridge::pace::Pace;
use plotbridge::question::Question;
use plotbridge::{AskOptions, Code, Engine, IndexConfig, Method, Position, QueryConfig};
use pollster::block_on;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::support::*;

/// Three chapters, persons with several forms, a place, letters outside of ASCII and of the basic plane.
const TEXT: &str = "CHAPTER I. The Ferry\n\nMr Tapp rowed Mrs Quennell over the river. She gave Mr Tapp a brass key 🗝. \
    He hid it in the mill, and nobody saw him. Maëlle, the daughter of Mrs Quennell, waited in Orrin.\n\n\
    CHAPTER II. The Key\n\nMrs Quennell asked Mr Tapp for the key. Mr Tapp told her nothing. Mrs Quennell \
    searched the mill, and John Tapp watched her from the ferry. “Where is it?” asked Maëlle.\n\n\
    CHAPTER III. The Mill\n\nJohn Tapp gave Maëlle the key in March. She walked to Orrin with Mrs Quennell. \
    The mill burnt at night, and Tapp never rowed again.\n";

const QUESTION: &str = "Who gave Maëlle the brass key after the mill burnt?";
/// Changes of each kind.
const EACH: usize = 910;
/// Steps of work after which a call is cut off; this book needs some hundred.
const MOST_STEPS: usize = 4_000;

/// How a file is changed: of the file as JSON, or of its bytes.
enum Change {
    Value(fn(&mut Value, &mut Numbers)),
    Bytes(fn(&mut Vec<u8>, &mut Numbers)),
}

/// A kind of change: its name, the change, and the least share in a hundred that must be refused.
type Kind = (&'static str, Change, usize);

const KINDS: [Kind; 11] = [
    ("bytes flipped", Change::Bytes(|file, numbers| flip(file, numbers)), 85),
    ("cut or spliced", Change::Bytes(cut), 90),
    ("numbers", Change::Value(number), 85),
    ("lists", Change::Value(list), 65),
    ("keys", Change::Value(key), 85),
    ("vectors", Change::Value(vector), 55),
    ("ids", Change::Value(id), 60),
    ("spans", Change::Value(span), 65),
    ("circles", Change::Value(circle), 60),
    ("strings", Change::Value(string), 60),
    ("another text", Change::Value(another_text), 40),
];

fn below(numbers: &mut Numbers, count: usize) -> usize {
    (numbers.next() % count.max(1) as u64) as usize
}

fn pick<'a, T>(numbers: &mut Numbers, from: &'a [T]) -> &'a T {
    &from[below(numbers, from.len())]
}

/// The places of all values of a kind, as JSON pointers.
fn places(value: &Value, wanted: fn(&Value) -> bool) -> Vec<String> {
    fn walk(value: &Value, at: &str, wanted: fn(&Value) -> bool, found: &mut Vec<String>) {
        if wanted(value) {
            found.push(at.to_owned());
        }
        match value {
            Value::Array(list) => {
                list.iter()
                    .enumerate()
                    .for_each(|(place, item)| walk(item, &format!("{at}/{place}"), wanted, found));
            }
            Value::Object(map) => {
                map.iter().for_each(|(key, item)| walk(item, &format!("{at}/{key}"), wanted, found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", wanted, &mut found);
    found
}

/// One value of a kind, by chance. The part comes first, so that short parts are met as often as long ones.
fn any<'a>(file: &'a mut Value, numbers: &mut Numbers, wanted: fn(&Value) -> bool) -> &'a mut Value {
    let map = file.as_object_mut().unwrap();
    let held: Vec<String> =
        map.iter().filter(|(_, part)| !places(part, wanted).is_empty()).map(|(key, _)| key.clone()).collect();
    let part = &mut map[pick(numbers, &held).as_str()];
    let place = pick(numbers, &places(part, wanted)).clone();
    part.pointer_mut(&place).unwrap()
}

fn flip(file: &mut [u8], numbers: &mut Numbers) {
    for _ in 0..=below(numbers, 3) {
        let at = below(numbers, file.len());
        file[at] ^= 1 << below(numbers, 8);
    }
}

fn cut(file: &mut Vec<u8>, numbers: &mut Numbers) {
    let (a, b) = (below(numbers, file.len()), below(numbers, file.len()));
    let (start, end) = (a.min(b), a.max(b));
    match below(numbers, 4) {
        0 => file.truncate(start),
        1 => drop(file.drain(start..end)),
        2 => drop(file.splice(start..start, file[start..end].to_vec())),
        _ => drop(file.splice(end..end, std::iter::repeat_n(b'[', start))),
    }
}

fn number(file: &mut Value, numbers: &mut Numbers) {
    let extremes = [
        json!(0),
        json!(-1),
        json!(2_147_483_648u32),
        json!(4_294_967_296u64),
        json!(9_007_199_254_740_992u64),
        json!(1e308),
        json!(-1e308),
        json!(0.5),
        Value::Null,
        json!("1"),
        json!(true),
        json!([]),
        json!({}),
    ];
    *any(file, numbers, Value::is_number) = pick(numbers, &extremes).clone();
}

fn list(file: &mut Value, numbers: &mut Numbers) {
    let list = any(file, numbers, |value| value.as_array().is_some_and(|list| !list.is_empty()));
    let list = list.as_array_mut().unwrap();
    let (one, other) = (below(numbers, list.len()), below(numbers, list.len()));
    match below(numbers, 7) {
        0 => list.clear(),
        1 => list.reverse(),
        2 => list.extend(list.clone()),
        3 => list.insert(one, list[other].clone()),
        4 => drop(list.remove(one)),
        5 => list.swap(one, other),
        _ => list[one] = json!([list[other].clone()]),
    }
}

fn key(file: &mut Value, numbers: &mut Numbers) {
    let in_object = below(numbers, 2) == 0;
    let map = if in_object { any(file, numbers, Value::is_object) } else { file };
    let map = map.as_object_mut().unwrap();
    let keys: Vec<String> = map.keys().cloned().collect();
    let (one, other) = (pick(numbers, &keys).clone(), pick(numbers, &keys).clone());
    match below(numbers, 4) {
        0 => drop(map.remove(&one)),
        1 => {
            let value = map.remove(&one).unwrap();
            map.insert(format!("{one}s"), value);
        }
        2 => drop(map.insert(format!("x{one}"), Value::Null)),
        _ => drop(map.insert(one, map[&other].clone())),
    }
}

fn vector(file: &mut Value, numbers: &mut Numbers) {
    let space = &mut file["spaces"][0];
    let list = *pick(numbers, &["chunks", "entities", "events", "clusters", "facts"]);
    let part = *pick(numbers, &["scales", "numbers"]);
    let mut bytes = STANDARD.decode(space[list][part].as_str().unwrap()).unwrap();
    let at = below(numbers, bytes.len());
    match below(numbers, 8) {
        0 => bytes[at] ^= 0x80,
        1 if bytes.len() >= 4 => {
            let bad = [f32::NAN, f32::INFINITY, -f32::INFINITY, 1e30, -1.0, 1e-40];
            bytes[at / 4 * 4..at / 4 * 4 + 4].copy_from_slice(&pick(numbers, &bad).to_le_bytes());
        }
        2 => bytes.truncate(at),
        3 => bytes.extend_from_slice(&[127; 16]),
        4 => bytes.fill(0),
        5 => space["dims"] = json!(pick(numbers, &[0, 1, 4, 8, 15, 32, 8192, 8193])),
        6 => space["encoding"] = json!(pick(numbers, &["f32", "int4", "", "INT8"])),
        _ => bytes.reverse(),
    }
    space[list][part] = STANDARD.encode(bytes).into();
}

/// A number that was an id becomes that of another thing, or of none.
fn id(file: &mut Value, numbers: &mut Numbers) {
    const PLACES: [(&str, &[&str]); 5] = [
        ("events", &["chunk", "cluster", "participants"]),
        ("mentions", &["entity", "chunk"]),
        ("triples", &["chunk", "subject", "object"]),
        ("chunks", &["2"]),
        ("entities", &["aliases"]),
    ];
    let (part, keys) = pick(numbers, &PLACES);
    let key = *pick(numbers, keys);
    let list = file[*part].as_array_mut().unwrap();
    let at = below(numbers, list.len());
    let other = json!(pick(numbers, &[0u32, 1, 2, 3, 5, 8, 40, 1 << 31, u32::MAX]));
    match key {
        "participants" => list[at][key] = json!([0, other]),
        "subject" | "object" => list[at][key] = json!([other, "Tapp"]),
        "aliases" => list[at][key][0]["evidence"] = other,
        "2" => list[at][2] = other,
        _ => list[at][key] = other,
    }
}

fn span(file: &mut Value, numbers: &mut Numbers) {
    let pair = |value: &Value| {
        value.as_array().is_some_and(|pair| pair.len() == 2 && pair.iter().all(Value::is_u64))
            || value.get("start").is_some()
    };
    let span = any(file, numbers, pair);
    let (start, end) =
        if span.is_array() { (&json!(0), &json!(1)) } else { (&json!("start"), &json!("end")) };
    let value = |span: &Value, at: &Value| match at {
        Value::String(key) => span[key.as_str()].as_u64().unwrap(),
        _ => span[at.as_u64().unwrap() as usize].as_u64().unwrap(),
    };
    let (from, to) = (value(span, start), value(span, end));
    let (from, to) = match below(numbers, 7) {
        0 => (to, from),
        1 => (from, from),
        2 => (from, to + 100_000),
        3 => (from + 7, to + 7),
        4 => (from.saturating_sub(7), to.saturating_sub(7)),
        5 => (0, u64::from(u32::MAX)),
        // Inside the key, which is two units.
        _ => (TEXT.encode_utf16().position(|unit| (0xdc00..0xe000).contains(&unit)).unwrap() as u64, to),
    };
    for (at, unit) in [(start, from), (end, to)] {
        match at {
            Value::String(key) => span[key.as_str()] = unit.into(),
            _ => span[at.as_u64().unwrap() as usize] = unit.into(),
        }
    }
}

/// The file has no references that can go round but these: whoever is tied to himself, everything in one.
fn circle(file: &mut Value, numbers: &mut Numbers) {
    let list = |file: &mut Value, part: &str, change: &dyn Fn(&mut Value)| {
        file[part].as_array_mut().unwrap().iter_mut().for_each(change);
    };
    let who = below(numbers, 3);
    match below(numbers, 5) {
        0 => list(file, "triples", &|triple| triple["object"] = triple["subject"].clone()),
        1 => list(file, "triples", &|triple| {
            (triple["subject"], triple["object"]) = (json!([who, "Tapp"]), json!([who, "Tapp"]));
        }),
        2 => list(file, "entities", &|entity| entity["aliases"][0]["name"] = "Tapp".into()),
        3 => list(file, "events", &|event| event["participants"] = json!([who, 0, 1, 2])),
        _ => list(file, "events", &|event| event["cluster"] = json!(who)),
    }
}

fn string(file: &mut Value, numbers: &mut Numbers) {
    let other = [
        json!(""),
        json!("\u{0}\u{7}\u{1b}[31m"),
        json!("<script>alert(1)</script>"),
        json!("x ".repeat(9_000)),
        json!("\u{202e}Tapp"),
        json!("🗝".repeat(300)),
        json!("other"),
        json!("together"),
        json!(7),
        json!(null),
        json!(["a"]),
        json!("Mr Tapp"),
    ];
    *any(file, numbers, Value::is_string) = pick(numbers, &other).clone();
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Another text with its own digest: every offset now falls somewhere else.
fn another_text(file: &mut Value, numbers: &mut Numbers) {
    let text: Vec<char> = file["text"].as_str().unwrap().chars().collect();
    let at = below(numbers, text.len());
    let other: String = match below(numbers, 6) {
        0 => text[..at].iter().collect(),
        1 => text[at..].iter().collect(),
        2 => text.iter().map(|&c| if c == 'e' { '𐐨' } else { c }).collect(),
        3 => " ".repeat(text.len() + 1),
        4 => text.iter().rev().collect(),
        _ => text.iter().map(|&c| if c == ' ' { '\u{301}' } else { c }).collect(),
    };
    file["book"]["sha256"] = digest(&other).into();
    file["text"] = other.into();
}

/// Different ways to ask, one after another.
fn options(place: usize) -> AskOptions {
    let paper = QueryConfig { profile: Profile::Paper, ..QueryConfig::default() };
    match place % 4 {
        0 => AskOptions::default(),
        1 => AskOptions { config: paper, ..AskOptions::default() },
        2 => AskOptions { up_to: Some(Position::Share(0.6)), ..AskOptions::default() },
        _ => by(Method::Bm25),
    }
}

/// That an error says what is wrong and where.
fn assert_told(kind: &str, code: Code, message: &str) {
    let codes = [Code::IndexDamaged, Code::IndexVersion, Code::VectorInvalid, Code::TooLarge];
    assert!(codes.contains(&code), "{kind}: {code} {message}");
    let places = [
        "the index is damaged at ",
        "the index is not whole JSON: ",
        "the vectors ",
        "the index has version ",
        "the file is not a plotbridge-index file",
        "the file is an HTML or XML page",
    ];
    assert!(places.iter().any(|place| message.starts_with(place)), "{kind}: {message:?} names no place");
    let short =
        message.chars().count() < 400 && message.starts_with(char::is_lowercase) && !message.ends_with('.');
    assert!(short, "{kind}: {message:?}");
}

fn ask_of(book: &Engine, place: usize) -> Result<(), (Code, String)> {
    let host = Ticking::new(MOST_STEPS);
    let found = block_on(book.ask(QUESTION, &options(place), &host));
    found.map(drop).map_err(|error| (error.code(), error.to_string()))
}

#[test]
fn ten_thousand_changed_files_give_an_error_or_a_book() {
    let config = IndexConfig { dims: 16, chunk_tokens: 40, ..IndexConfig::default() };
    let bytes = try_book(TEXT, config).unwrap().save().unwrap();
    let file: Value = serde_json::from_slice(&bytes).unwrap();
    let mut numbers = Numbers(2_024);
    for (kind, change, least) in &KINDS {
        let (mut refused, mut asked, mut same) = (0, 0, 0);
        for place in 0..EACH {
            let changed = match change {
                Change::Value(change) => {
                    let mut file = file.clone();
                    change(&mut file, &mut numbers);
                    serde_json::to_vec(&file).unwrap()
                }
                Change::Bytes(change) => {
                    let mut file = bytes.clone();
                    change(&mut file, &mut numbers);
                    file
                }
            };
            same += usize::from(changed == bytes);
            match block_on(Engine::open(&changed, &Ticking::new(MOST_STEPS))) {
                Err(error) => {
                    assert_told(kind, error.code(), &error.to_string());
                    refused += 1;
                }
                Ok(book) => {
                    asked += 1;
                    if let Err((code, message)) = ask_of(&book, place) {
                        panic!("{kind}, change {place}: an opened book fails with {code}: {message}");
                    }
                }
            }
        }
        eprintln!("{kind}: {refused} refused, {asked} asked, {same} the same");
        assert!(refused * 100 >= least * EACH, "{kind}: {refused} of {EACH} were refused");
    }
}

/// An index of so many entities, mentions, triples and events, every one of them named Tapp.
fn crowded(count: usize) -> Vec<u8> {
    const SENTENCE: &str = "Tapp met her and Ann saw it. ";
    let text = SENTENCE.repeat(count);
    let at = |place: usize| place * SENTENCE.len();
    let each = |of: &dyn Fn(usize) -> Value| (0..count).map(of).collect::<Vec<Value>>();
    let zeros = |rows: usize| json!({"scales": STANDARD.encode(vec![0; 4 * rows]), "numbers": STANDARD.encode(vec![0; 8 * rows])});
    let name = |place: usize| format!("Tapp {place}");
    let chunks: Vec<Value> =
        (0..count).step_by(8).map(|first| json!([at(first), at((first + 8).min(count)), 0, 80])).collect();
    let file = json!({
        "format": "plotbridge-index", "version": 1,
        "book": {"title": "", "author": "", "language": "en", "sha256": digest(&text)},
        "config": [["dims", 8]],
        "chapters": [{"title": "", "start": 0, "end": text.len()}], "skips": [], "issues": [],
        "entities": each(&|who| json!({"name": name(who), "type": "person", "description": [[0, 28]],
            "aliases": [{"name": "Tapp", "count": 1, "evidence": 0, "reason": "first form"}]})),
        "mentions": each(&|who| json!({"entity": who, "chunk": who / 8, "uses": [[at(who), at(who) + 4]], "description": []})),
        "triples": each(&|who| json!({"subject": [who, name(who)], "predicate": "met", "object": "her", "kind": "stated",
            "chunk": who / 8, "start": at(who), "end": at(who) + 28})),
        "events": each(&|event| json!({"start": at(event), "end": at(event) + 28, "chunk": event / 8,
            "participants": (0..10).map(|step| (event + 37 * step) % count).collect::<Vec<_>>(), "cluster": event})),
        "clusters": each(&|event| json!({"label": format!("meeting {event}"), "summary": [[0, 28]]})),
        "spaces": [{"id": "builtin-1", "dims": 8, "encoding": "int8", "tau": 0.0, "quantile": 0.5, "pons_edges": 0,
            "d_cross": 1.0, "chunks": zeros(chunks.len()), "entities": zeros(count), "events": zeros(count),
            "clusters": zeros(count), "facts": zeros(count)}],
        "chunks": chunks, "text": text,
    });
    serde_json::to_vec(&file).unwrap()
}

/// A form that the whole cast bears, asked for in every word of a question: what is told of it is bounded,
/// and the steps of work grow as the file does.
#[test]
fn twenty_thousand_of_everything_are_opened_and_asked() {
    let steps = |count: usize| {
        let host = Ticking::new(usize::MAX);
        let book = block_on(Engine::open(crowded(count), &host)).unwrap();
        let question = format!("Who met Tapp? {}", "Tapp Ann ".repeat(200));
        let answer = block_on(book.ask(&question, &AskOptions::default(), &host)).unwrap();
        let pace = Pace::new(&host);
        let asked = block_on(Question::new(book.book(), &question, &pace)).unwrap();
        assert_eq!(asked.names.len(), 16, "a form names no more");
        assert!(answer.trace.evidence.len() <= 20 && answer.trace.context_tokens <= 6000);
        host.pauses()
    };
    let (half, whole) = (steps(10_000), steps(20_000));
    assert!(half > 100 && whole < 3 * half, "{half} steps for half, {whole} for the whole");
}

/// Descriptions that each tell the whole text, or words without end at the widest vectors, are refused
/// before they cost memory.
#[test]
fn what_would_fill_the_memory_is_too_large() {
    let mut file: Value = serde_json::from_slice(&crowded(4_000)).unwrap();
    for entity in file["entities"].as_array_mut().unwrap() {
        entity["description"] = json!([[0, 60_000]]);
    }
    let error = open(&serde_json::to_vec(&file).unwrap()).err().unwrap();
    assert_eq!(error.code(), Code::TooLarge, "{error}");
    assert!(error.to_string().contains("descriptions and summaries"), "{error}");

    let words: String = (0..300_000u32).map(|word| format!("q{word:x}z ")).collect();
    let config = IndexConfig { dims: 512, ..IndexConfig::default() };
    let error = try_book(&words, config).err().unwrap();
    assert_eq!(error.code(), Code::TooLarge, "{error}");
    assert!(error.to_string().contains("distinct words"), "{error}");
}
