//! A message's thinking is the same wherever the message was cut.

use plotbridge::llm::thinking::{Filter, is_unopened, strip};
use proptest::prelude::*;

/// Text of what a message is made of: tags, parts of tags, quotes, lines, letters of several bytes.
fn message() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<think>"),
        Just("</think>"),
        Just("<thinking>"),
        Just("</thinking>"),
        Just("<thi"),
        Just("</"),
        Just("nk>"),
        Just("\""),
        Just("“"),
        Just("\n"),
        Just(" "),
        Just("{"),
        Just("Ann"),
        Just("größe"),
    ];
    prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
}

fn through(mut filter: Filter, pieces: &[&str]) -> String {
    let mut answer: String = pieces.iter().map(|piece| filter.push(piece)).collect();
    answer.push_str(&filter.end());
    answer
}

proptest! {
    #[test]
    fn a_message_cut_in_three_gives_the_same_answer(message in message()) {
        let places: Vec<usize> = (0..=message.len()).filter(|&b| message.is_char_boundary(b)).collect();
        let eager = through(Filter::eager(), &[&message]);
        for (i, &first) in places.iter().enumerate() {
            for &second in &places[i..] {
                let pieces = [&message[..first], &message[first..second], &message[second..]];
                prop_assert_eq!(through(Filter::patient(), &pieces), strip(&message), "{:?}", pieces);
                prop_assert_eq!(through(Filter::eager(), &pieces), eager.clone(), "{:?}", pieces);
            }
        }
    }

    #[test]
    fn what_remains_is_the_end_of_the_message(message in message()) {
        let answer = strip(&message);
        prop_assert!(message.ends_with(&answer));
        prop_assert_eq!(is_unopened(&message), answer != through(Filter::eager(), &[&message]));
    }
}
