//! Faults in the bytes and in their time.

use std::io::{BufReader, Read};

use serde_json::json;

use super::client::*;

#[test]
fn a_reply_is_cut_off() {
    for more in [json!({}), json!({"stream": true})] {
        let got = chat(&with(&["cut:120"]), &more);
        assert_eq!((got.status, got.whole, got.pieces.concat().len()), (200, false, 120), "{more}");
    }
    assert_eq!(chat(&with(&["cut:0"]), &json!({})).pieces.concat().len(), 0);
    let stream = json!({"stream": true});
    let size = chat(&with(&[]), &stream).pieces.concat().len();
    let cut = |at: usize| chat(&with(&[&format!("cut:{at}")]), &stream).whole;
    assert!(cut(size) && !cut(size - 1), "there is nothing to cut after the last byte");
}

#[test]
fn a_reply_ends_early_as_if_it_were_whole() {
    for more in [json!({}), json!({"stream": true})] {
        let got = chat(&with(&["end-early:120"]), &more);
        assert_eq!((got.whole, got.pieces.concat().len()), (true, 120), "{more}");
    }
}

#[test]
fn a_stream_comes_in_pieces_cut_inside_letters() {
    let server = with(&["split:1"]);
    let got = chat(&server, &json!({"stream": true}));
    assert!(got.pieces.iter().all(|piece| piece.len() == 1));
    assert!(got.pieces.iter().any(|piece| std::str::from_utf8(piece).is_err()));
    assert_eq!(got.content(), chat(&with(&[]), &json!({})).content());
    let three = chat(&with(&["split:3"]), &json!({}));
    assert!(three.pieces.iter().rev().skip(1).all(|piece| piece.len() == 3) && three.whole);
}

#[test]
fn a_server_says_nothing_until_its_client_leaves() {
    let server = with(&["hang@1"]);
    let body = chat_body(&json!({})).to_string();
    let silent = send(&server, "POST", "/v1/chat/completions", "", &body);
    assert_eq!(get(&server, "/log?wait=1")["in_flight"], 1);
    // Others are served meanwhile.
    assert_eq!(chat(&server, &json!({})).status, 200);
    silent.set_nonblocking(true).unwrap();
    let nothing = (&silent).read(&mut [0]).unwrap_err();
    assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock);
    drop(silent);
    // Stopping waits for the thread that held the connection.
    drop(server);
}

#[test]
fn stopping_ends_silent_connections() {
    let server = with(&["hang"]);
    let body = chat_body(&json!({})).to_string();
    let mut silent = send(&server, "POST", "/v1/chat/completions", "", &body);
    get(&server, "/log?wait=1");
    drop(server);
    assert!(!matches!(silent.read(&mut [0]), Ok(1..)), "nothing came but the end");
}

#[test]
fn a_stream_stops_in_its_middle_and_stays_open() {
    let server = with(&["stall:120"]);
    let body = chat_body(&json!({})).to_string();
    let stream = send(&server, "POST", "/v1/chat/completions", "", &body);
    let mut all = Vec::new();
    let mut input = BufReader::new(stream.try_clone().unwrap());
    while !all.ends_with(b"\r\n\r\n") {
        let mut one = [0];
        input.read_exact(&mut one).unwrap();
        all.push(one[0]);
    }
    let mut body = [0; 120];
    input.read_exact(&mut body).unwrap();
    assert!(body.starts_with(b"{"));
    assert_eq!(get(&server, "/log")["in_flight"], 1);
}

#[test]
fn late_replies_are_whole() {
    assert!(chat(&with(&["slow:1"]), &json!({})).content().contains("Mr. Bell"));
    let server = with(&["slow:1", "status"]);
    assert_eq!(chat(&server, &json!({})).status, 500, "faults add up");
}

#[test]
fn a_stream_reports_an_error() {
    let got = chat(&with(&["stream-error:2"]), &json!({"stream": true}));
    let events = got.events();
    assert_eq!(events.len(), 4, "the role, two pieces, the error");
    assert_eq!(events[3]["error"]["code"], "stream_error");
    assert!(got.whole && !got.text().contains("[DONE]"));
}

#[test]
fn a_stream_has_other_forms() {
    let ask = json!({"stream": true});
    let plain = chat(&with(&[]), &ask);
    let crlf = chat(&with(&["crlf"]), &ask);
    assert_eq!(crlf.text(), plain.text().replace('\n', "\r\n"));
    let comments = chat(&with(&["comments"]), &ask);
    assert_eq!(comments.text().replace(": wait\n\n", ""), plain.text());
    assert!(comments.text().starts_with(": wait\n\ndata: "));
    let no_done = chat(&with(&["no-done"]), &ask);
    assert_eq!(no_done.text() + "data: [DONE]\n\n", plain.text());
    let whole = chat(&with(&["not-streamed"]), &ask);
    assert_eq!(whole.json()["object"], "chat.completion");
}
