//! Event streams against another implementation's reading (`tests/oracle/sse.mjs`), at every cut.

use plotbridge::llm::sse::{Event, Parser};
use serde_json::Value;

struct Row {
    name: String,
    stream: String,
    events: Vec<Event>,
}

fn rows() -> Vec<Row> {
    let all: Value = serde_json::from_str(include_str!("../../data/sse.json")).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let event = |value: &Value| Event { name: text(&value["name"]), data: text(&value["data"]) };
    let row = |row: &Value| Row {
        name: text(&row["name"]),
        stream: text(&row["stream"]),
        events: row["events"].as_array().unwrap().iter().map(event).collect(),
    };
    all["rows"].as_array().unwrap().iter().map(row).collect()
}

fn read(pieces: &[&[u8]]) -> Vec<Event> {
    let mut parser = Parser::default();
    pieces.iter().flat_map(|piece| parser.push(piece).unwrap()).collect()
}

#[test]
fn a_stream_is_read_as_another_implementation_reads_it() {
    for Row { name, stream, events } in rows() {
        assert_eq!(read(&[stream.as_bytes()]), events, "{name}");
    }
}

#[test]
fn the_events_are_the_same_at_every_cut() {
    for Row { name, stream, events } in rows() {
        let bytes = stream.as_bytes();
        for cut in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            assert_eq!(read(&[head, tail]), events, "{name}, cut at {cut}");
            assert_eq!(read(&[head, b"", tail]), events, "{name}, cut at {cut}, nothing between");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(&single), events, "{name}, byte by byte");
    }
}

#[test]
fn two_cuts_change_nothing_either() {
    for Row { name, stream, events } in rows().iter().filter(|row| row.stream.len() < 200) {
        let bytes = stream.as_bytes();
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(&read(&pieces), events, "{name}, cut at {first} and {second}");
            }
        }
    }
}
