//! The index file: what was written is read back, and a damaged file gives a typed error that names the
//! place, never a panic.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plotbridge::config::{Encoding, IndexConfig};
use plotbridge::{Code, Method};
use serde_json::{Value, json};

use super::support::*;

/// A small book with every kind of part.
const TEXT: &str = "CHAPTER I\n\nMr Tapp rowed Mrs Quennell over the river. She gave Mr Tapp a brass key 🗝. \
    He hid it in the mill.\n\nCHAPTER II\n\nMrs Quennell asked Mr Tapp for the key. Mr Tapp told her nothing. \
    Mrs Quennell searched the mill, and Mr Tapp watched her from the ferry.\n";

fn file() -> Value {
    serde_json::from_slice(&book(TEXT).save().unwrap()).unwrap()
}

/// The code and message of opening a file after a change.
fn refused(change: impl FnOnce(&mut Value)) -> (Code, String) {
    let mut file = file();
    change(&mut file);
    match open(&serde_json::to_vec(&file).unwrap()) {
        Ok(_) => (Code::Crashed, "the changed file was opened".to_owned()),
        Err(error) => (error.code(), error.to_string()),
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().unwrap()).unwrap()
}

fn text(bytes: &[u8]) -> Value {
    STANDARD.encode(bytes).into()
}

#[test]
fn what_is_no_index_is_named() {
    for (what, file) in [
        ("html", b"<!doctype html><title>404</title>".as_slice()),
        ("html", b"\xef\xbb\xbf<html></html>"),
        ("JSON", b""),
        ("JSON", b"CHAPTER I"),
        ("JSON", b"[]"),
        ("JSON", b"[1,2,3]"),
        ("JSON", b"null"),
        ("JSON", b"\"text\""),
        ("JSON", b"\xff\xfe{}"),
        ("plotbridge-index", b"{}"),
        ("plotbridge-index", b"{\"format\":\"other\",\"version\":1}"),
    ] {
        let error = open(file).err().unwrap();
        let message = error.to_string();
        assert_eq!(error.code(), Code::IndexDamaged, "{message}");
        assert!(message.to_lowercase().contains(&what.to_lowercase()), "{message:?} does not say {what}");
    }
}

#[test]
fn another_version_is_refused_by_number() {
    for version in [0, 2, 4_000_000_000u64] {
        let (code, message) = refused(|file| file["version"] = version.into());
        assert_eq!(code, Code::IndexVersion);
        assert!(
            message.contains(&format!("version {version}")) && message.contains("version 1"),
            "{message}"
        );
    }
    let (code, _) = refused(|file| file["version"] = "1".into());
    assert_eq!(code, Code::IndexDamaged);
}

#[test]
fn a_truncated_file_is_damaged() {
    let file = story_file();
    for cut in (1..=50).map(|part| file.len() * part / 51) {
        let error = open(&file[..cut]).err().unwrap();
        assert_eq!(error.code(), Code::IndexDamaged, "cut at {cut}: {error}");
    }
}

#[test]
fn every_part_is_needed() {
    let parts: Vec<String> = file().as_object().unwrap().keys().cloned().collect();
    assert!(parts.len() >= 15, "{parts:?}");
    // A file from before they were kept opens without these.
    let later = ["functional", "merges"];
    for part in parts.iter().filter(|part| !later.contains(&part.as_str())) {
        let (code, message) = refused(|file| {
            file.as_object_mut().unwrap().remove(part);
        });
        assert_eq!(code, Code::IndexDamaged, "{message}");
        let place = if part == "format" { "plotbridge-index" } else { part };
        assert!(message.contains(place), "{message:?} does not name {part}");
        let (code, _) = refused(|file| file[part.as_str()] = json!(-7));
        assert_eq!(code, Code::IndexDamaged, "{part}");
    }
}

/// A change of one place: how, the code, and the word that the message must hold.
type Fault = (fn(&mut Value), Code, &'static str);

const FAULTS: &[Fault] = &[
    (|f| f["text"] = "Another text.".into(), Code::IndexDamaged, "book.sha256"),
    (
        |f| f["text"] = f["text"].as_str().unwrap().replacen("brass", "Brass", 1).into(),
        Code::IndexDamaged,
        "sha256",
    ),
    (|f| f["chapters"][0]["end"] = 900_000.into(), Code::IndexDamaged, "900000"),
    (|f| f["skips"][0]["reason"] = "dull".into(), Code::IndexDamaged, "skips"),
    (|f| f["chunks"][0][2] = 7.into(), Code::IndexDamaged, "chapter 7"),
    (|f| f["chunks"][1] = f["chunks"][0].clone(), Code::IndexDamaged, "chunks"),
    (|f| f["entities"][0]["type"] = "robot".into(), Code::IndexDamaged, "robot"),
    (|f| f["mentions"][0]["entity"] = 99.into(), Code::IndexDamaged, "entity 99"),
    (|f| f["mentions"][0]["chunk"] = 99.into(), Code::IndexDamaged, "chunk 99"),
    (|f| f["mentions"][0]["uses"] = json!([]), Code::IndexDamaged, "mentions"),
    (|f| f["mentions"][0]["uses"][0] = json!([9, 3]), Code::IndexDamaged, "from 9 to 3"),
    (|f| f["entities"][0]["description"] = json!(vec![[0, 9]; 601]), Code::IndexDamaged, "601 spans"),
    (|f| f["events"][0]["participants"] = json!(vec![0; 601]), Code::IndexDamaged, "601 participants"),
    (|f| f["chapters"][1]["title"] = "x".repeat(4097).into(), Code::IndexDamaged, "4097 bytes"),
    (|f| f["chapters"].as_array_mut().unwrap().reverse(), Code::IndexDamaged, "chapters: 0 and 1"),
    (|f| f["entities"][0]["name"] = f["entities"][1]["name"].clone(), Code::IndexDamaged, "entity 1"),
    (|f| f["entities"][0]["name"] = "".into(), Code::IndexDamaged, "entity 0"),
    (|f| f["entities"][0]["aliases"][0]["name"] = "x".repeat(5000).into(), Code::IndexDamaged, "5000 bytes"),
    (
        |f| f["entities"][0]["aliases"] = json!(vec![f["entities"][0]["aliases"][0].clone(); 257]),
        Code::IndexDamaged,
        "257 forms",
    ),
    (|f| f["clusters"][0]["label"] = "x".repeat(5000).into(), Code::IndexDamaged, "clusters"),
    (|f| f["triples"][0]["predicate"] = "x".repeat(5000).into(), Code::IndexDamaged, "triples"),
    (|f| f["triples"][0]["end"] = f["triples"][0]["start"].clone(), Code::IndexDamaged, "triples"),
    (|f| f["mentions"].as_array_mut().unwrap().reverse(), Code::IndexDamaged, "mentions"),
    (|f| f["mentions"][0]["uses"] = f["mentions"][5]["uses"].clone(), Code::IndexDamaged, "mentions"),
    (|f| f["chunks"][0][3] = 513.into(), Code::IndexDamaged, "513 tokens"),
    (|f| f["chunks"][0][2] = 1.into(), Code::IndexDamaged, "chunk 0"),
    (|f| f["chunks"] = json!(vec![f["chunks"][0].clone(); 40]), Code::IndexDamaged, "8 times the text"),
    (|f| f["events"][0]["end"] = f["events"][0]["start"].clone(), Code::IndexDamaged, "event 0"),
    (
        |f| f["events"][0]["participants"] = json!([0, 1, 0]),
        Code::IndexDamaged,
        "event 0 names somebody twice",
    ),
    (|f| f["spaces"][0]["tau"] = 7.into(), Code::IndexDamaged, "7 is not a number from -1.4 to 1.4"),
    (|f| f["spaces"][0]["quantile"] = (-1).into(), Code::IndexDamaged, "-1 is not a number from 0 to 1"),
    (|f| f["spaces"][0]["d_cross"] = 1e308.into(), Code::IndexDamaged, "d_cross"),
    (|f| f["spaces"][0]["pons_edges"] = u32::MAX.into(), Code::IndexDamaged, "pons_edges"),
    (|f| f["spaces"] = json!([f["spaces"][0], f["spaces"][0]]), Code::IndexDamaged, "twice"),
    (|f| f["config"][6][1] = json!(null), Code::IndexDamaged, "tau_quantile"),
    (|f| f["config"][4][1] = json!(1e308), Code::IndexDamaged, "weak_tie"),
    (|f| f["config"][5][1] = "x".repeat(9000).into(), Code::IndexDamaged, "int8 or f32"),
    (|f| f["event"] = json!([]), Code::IndexDamaged, "\"event\""),
    (|f| f["events"][0]["label"] = "x".into(), Code::IndexDamaged, "label"),
    (|f| f["triples"][0]["chunk"] = 99.into(), Code::IndexDamaged, "chunk 99"),
    (|f| f["triples"][0]["subject"] = json!([99, "Nobody"]), Code::IndexDamaged, "entity 99"),
    (|f| f["triples"][0]["kind"] = "felt".into(), Code::IndexDamaged, "felt"),
    (|f| f["events"][0]["cluster"] = 99.into(), Code::IndexDamaged, "cluster 99"),
    (|f| f["events"][0]["chunk"] = 1.into(), Code::IndexDamaged, "events"),
    (|f| f["events"][0]["participants"] = json!([99]), Code::IndexDamaged, "entity 99"),
    (|f| f["events"].as_array_mut().unwrap().reverse(), Code::IndexDamaged, "events"),
    (
        |f| f["clusters"].as_array_mut().unwrap().push(json!({"label": "x", "summary": []})),
        Code::IndexDamaged,
        "clusters",
    ),
    (|f| f["config"][3][1] = 64.into(), Code::VectorInvalid, "64"),
    (|f| f["config"][0] = json!(["chunk_size", 512]), Code::IndexDamaged, "chunk_size"),
    (|f| f["config"][0][1] = 513.into(), Code::IndexDamaged, "chunk_tokens"),
    (|f| f["spaces"] = json!([]), Code::IndexDamaged, "spaces"),
    (|f| f["spaces"][0]["id"] = "builtin-0".into(), Code::IndexDamaged, "builtin-0"),
    (|f| f["spaces"][0]["dims"] = 64.into(), Code::VectorInvalid, "builtin-1.chunks"),
    (|f| f["spaces"][0]["dims"] = 0.into(), Code::VectorInvalid, "0 wide"),
    (|f| f["spaces"][0]["dims"] = 4_000_000_000u32.into(), Code::VectorInvalid, "wide"),
    (|f| f["spaces"][0]["encoding"] = "int4".into(), Code::VectorInvalid, "int4"),
    (|f| f["spaces"][0]["tau"] = Value::Null, Code::IndexDamaged, "spaces"),
    (|f| f["spaces"][0]["events"]["numbers"] = "%%%".into(), Code::VectorInvalid, "builtin-1.events"),
    (
        |f| f["spaces"][0]["events"] = json!({"scales": "", "numbers": ""}),
        Code::VectorInvalid,
        "builtin-1.events",
    ),
    (|f| f["spaces"][0]["facts"] = json!({"scales": "", "numbers": ""}), Code::VectorInvalid, "facts"),
    (
        |f| {
            let mut scales = bytes(&f["spaces"][0]["chunks"]["scales"]);
            scales[..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
            f["spaces"][0]["chunks"]["scales"] = text(&scales);
        },
        Code::VectorInvalid,
        "builtin-1.chunks",
    ),
    (
        |f| {
            let mut scales = bytes(&f["spaces"][0]["entities"]["scales"]);
            scales[..4].copy_from_slice(&1e30f32.to_le_bytes());
            f["spaces"][0]["entities"]["scales"] = text(&scales);
        },
        Code::VectorInvalid,
        "length 1",
    ),
    (
        |f| {
            let mut scales = bytes(&f["spaces"][0]["clusters"]["scales"]);
            scales.pop();
            f["spaces"][0]["clusters"]["scales"] = text(&scales);
        },
        Code::VectorInvalid,
        "builtin-1.clusters",
    ),
];

#[test]
fn one_fault_anywhere_is_found_and_named() {
    for (place, (change, expected, word)) in FAULTS.iter().enumerate() {
        let (code, message) = refused(change);
        assert_eq!(code, *expected, "fault {place}: {message}");
        assert!(message.contains(word), "fault {place}: {message:?} does not say {word:?}");
    }
}

/// Numbers that are not numbers, in each place of an index with plain floats.
#[test]
fn floats_that_are_not_finite_are_refused() {
    let config = IndexConfig { encoding: Encoding::F32, ..IndexConfig::default() };
    let file: Value = serde_json::from_slice(&try_book(TEXT, config).unwrap().save().unwrap()).unwrap();
    for part in ["chunks", "entities", "events", "clusters", "facts"] {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut file = file.clone();
            let mut numbers = bytes(&file["spaces"][0][part]["numbers"]);
            let at = numbers.len() - 4;
            numbers[at..].copy_from_slice(&bad.to_le_bytes());
            file["spaces"][0][part]["numbers"] = text(&numbers);
            let error = open(&serde_json::to_vec(&file).unwrap()).err().unwrap();
            assert_eq!(error.code(), Code::VectorInvalid, "{part}: {error}");
            assert!(error.to_string().contains(&format!("builtin-1.{part}")), "{error}");
        }
    }
}

/// Any byte of a small file changed: an error or a book that answers, never a panic.
#[test]
fn a_changed_byte_never_panics() {
    let file = book("Tapp met Quennell. Quennell gave Tapp a key.").save().unwrap();
    let mut opened = 0;
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] = if changed[at] == b'7' { b'1' } else { b'7' };
        if let Ok(book) = open(&changed) {
            opened += 1;
            ask(&book, "Who gave the key?", &by(Method::Pons));
            pollster::block_on(book.inspect(&plotbridge::pace::Native::default())).unwrap();
        }
    }
    assert!(opened > 0, "some changes are of no consequence, such as to a score");
}

/// Floats lose nothing, and bytes hardly change a ranking.
#[test]
fn floats_round_trip_and_rank_as_bytes_do() {
    let exact = IndexConfig { encoding: Encoding::F32, ..IndexConfig::default() };
    let exact = try_book(&read_file("books/white-line.txt"), exact).unwrap();
    let again = open(&exact.save().unwrap()).unwrap();
    assert_eq!(exact.book().index, again.book().index);
    let bytes = story();
    let mut same = 0;
    let questions = questions();
    for gold in &questions {
        let first = |book| {
            let passages = retrieve(book, &gold.question, &by(Method::Dense)).evidence;
            passages.iter().take(3).map(|passage| passage.chunk).collect::<Vec<_>>()
        };
        let (a, b) = (first(&exact), first(&bytes));
        same += a.iter().filter(|chunk| b.contains(chunk)).count();
    }
    assert!(same * 10 >= questions.len() * 3 * 9, "{same} of the first threes are the same");
}
