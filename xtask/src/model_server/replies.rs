//! Replies to any book without a script: what a dutiful, dull model would find by rule.
//!
//! Entities are capitalised runs, triples two of them in a sentence, events every third sentence;
//! a description is what it was given, and an answer quotes the sentence nearest to the question.
//! The invariant: equal requests get equal replies, and every name, detail and quotation in one
//! stands in the passage.

use serde_json::{Value, json};

use super::asked::Asked;
use super::judge;
use super::sentences::{first_words, names, place, sentences, titled, words};
use super::vectors::stem;

/// Words beside which a name is a person's.
const SPEECH: [&str; 10] =
    ["said", "asked", "cried", "replied", "answered", "whispered", "thought", "smiled", "laughed", "nodded"];

/// Common verbs whose past has no ending of its own.
const VERBS: [&str; 24] = [
    "was", "were", "had", "said", "went", "came", "saw", "took", "gave", "made", "found", "told", "thought",
    "knew", "stood", "sat", "ran", "fell", "left", "held", "brought", "heard", "began", "is",
];

/// Words before a name that are no part of it.
const TITLES: [&str; 8] = ["mr", "mrs", "miss", "dr", "the", "captain", "sir", "lady"];

/// The most words of a description or a summary.
const WORDS: usize = 60;

/// The most letters of a sentence that is given back, and items of a list: what the library's prompts
/// and schemas allow.
const LETTERS: usize = 240;
const ENTITIES: usize = 12;
const TRIPLES: usize = 12;
const EVENTS: usize = 8;
const FACTS: usize = 4;
const GLEANED: usize = 8;

/// What a name is called where the task asks for types of the book's own: those of persons, and others.
const TYPES: [&str; 2] = ["speaker", "named thing"];

/// The text that a request gets.
pub fn reply(asked: &Asked) -> String {
    let (passage, rest) = asked.passage_and_rest();
    let given = if passage.trim().is_empty() { &rest } else { &passage };
    match asked.task().map(String::as_str) {
        Some("entities") => entities(given).to_string(),
        Some("triples") => triples(given).to_string(),
        Some("gleaning") => gleaning(given).to_string(),
        Some("types") => types().to_string(),
        Some("inventory") => inventory(given, &rest).to_string(),
        Some("typed") => typed(given).to_string(),
        Some("events") => events(given).to_string(),
        Some("merges") => merges(given).to_string(),
        Some("facts") => facts(given, &rest).to_string(),
        Some("answer") => answer(&passage, &rest),
        Some("choice" | "claim") => choice(&passage, &rest),
        Some("filter") => filter(&passage, &rest),
        Some("thought") => thought(&passage, &rest),
        Some("cues") => cues(&passage),
        // Everything found may help.
        Some("eliminate") => "NONE".to_owned(),
        Some("query_type") => json!({"ID": "plot"}).to_string(),
        Some("closed_book") => "### Final Answer\nnot found in what you have read".to_owned(),
        Some(task) => judge::reply(task, &passage, &rest).unwrap_or_else(|| first_words(given, WORDS)),
        None => first_words(given, WORDS),
    }
}

/// Words with a capital after the first, and the last three.
fn cues(question: &str) -> String {
    let words: Vec<&str> =
        question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let named = words.iter().skip(1).filter(|word| word.starts_with(char::is_uppercase));
    let last = &words[words.len().saturating_sub(3)..];
    json!({"high": last, "low": named.collect::<Vec<_>>()}).to_string()
}

fn entities(passage: &str) -> Value {
    json!({"entities": described(passage, 0, ENTITIES, ["person", "other"])})
}

/// The same by the types of [`types`].
fn typed(passage: &str) -> Value {
    json!({"typed": described(passage, 0, ENTITIES, TYPES)})
}

/// What the limits of the first two lists left out.
fn gleaning(passage: &str) -> Value {
    json!({
        "entities": described(passage, ENTITIES, GLEANED, ["person", "other"]),
        "triples": stated(passage).into_iter().skip(TRIPLES).take(GLEANED).collect::<Vec<_>>(),
    })
}

fn types() -> Value {
    json!({"types": [
        {"name": TYPES[0], "type": "person", "description": "Someone who speaks or has a title."},
        {"name": TYPES[1], "type": "other", "description": "Whatever else has a name."},
    ]})
}

/// The proposed types as they are, as many as there may be.
fn inventory(proposed: &str, rest: &str) -> Value {
    let most = words(rest).find_map(|word| word.parse().ok()).unwrap_or(usize::MAX);
    let listed = proposed.lines().filter_map(|line| {
        let (name, rest) = line.split_once(" (")?;
        let (kind, rest) = rest.split_once(')')?;
        let (_, description) = rest.split_once(": ")?;
        Some(json!({"name": name, "type": kind, "description": description}))
    });
    json!({"inventory": listed.take(most).collect::<Vec<_>>()})
}

/// Some of the names with a sentence each; `kinds` are those of persons and of others.
fn described(passage: &str, skip: usize, most: usize, kinds: [&str; 2]) -> Vec<Value> {
    let sentences = sentences(passage);
    let listed = everybody(&sentences).into_iter().skip(skip).take(most).filter_map(|(name, person)| {
        let description = sentences.iter().find(|sentence| place(sentence, &name).is_some())?;
        let kind = kinds[usize::from(!person)];
        Some(json!({"name": name, "type": kind, "description": short(description)}))
    });
    listed.collect()
}

/// The names that are listed.
fn cast(sentences: &[String]) -> Vec<(String, bool)> {
    let mut cast = everybody(sentences);
    cast.truncate(ENTITIES);
    cast
}

/// All names, persons first, and whether each is one.
fn everybody(sentences: &[String]) -> Vec<(String, bool)> {
    let person = |name: &str| titled(name) || sentences.iter().any(|sentence| speaks(sentence, name));
    let mut cast: Vec<(String, bool)> = names(sentences)
        .into_iter()
        .map(|name| {
            let person = person(&name);
            (name, person)
        })
        .collect();
    cast.sort_by_key(|(_, person)| !person);
    cast
}

/// A sentence, or as many of its words from the front as are allowed.
fn short(sentence: &str) -> &str {
    if sentence.len() <= LETTERS {
        return sentence;
    }
    let cut = &sentence[..sentence.floor_char_boundary(LETTERS)];
    cut.rsplit_once(' ').map_or(cut, |(words, _)| words)
}

/// Whether a word of speech stands beside a name.
fn speaks(sentence: &str, name: &str) -> bool {
    let Some(at) = place(sentence, name) else { return false };
    let before = words(&sentence[..at]).last();
    let after = words(&sentence[at + name.len()..]).next();
    [before, after].into_iter().flatten().any(|word| SPEECH.contains(&word.as_str()))
}

fn triples(passage: &str) -> Value {
    json!({"triples": stated(passage).into_iter().take(TRIPLES).collect::<Vec<_>>()})
}

/// Every two neighbouring names of a sentence.
fn stated(passage: &str) -> Vec<Value> {
    let sentences = sentences(passage);
    let cast = cast(&sentences);
    let ties = sentences.iter().flat_map(|sentence| {
        let mut here: Vec<(usize, &String)> =
            cast.iter().filter_map(|(name, _)| Some((place(sentence, name)?, name))).collect();
        // Of two names at one place the longer one is meant.
        here.sort_by_key(|(at, name)| (*at, usize::MAX - name.len()));
        here.dedup_by_key(|(at, _)| *at);
        let ties = here.windows(2).filter_map(|pair| tie(sentence, pair[0], pair[1]));
        ties.collect::<Vec<_>>()
    });
    ties.collect()
}

/// Subject, the words between, object; nothing where the names overlap.
fn tie(sentence: &str, (from, subject): (usize, &String), (to, object): (usize, &String)) -> Option<Value> {
    let between = sentence.get(from + subject.len()..to)?;
    let predicate = words(between).filter(|word| word != "s").take(4).collect::<Vec<_>>().join(" ");
    let predicate = if predicate.is_empty() { "with".to_owned() } else { predicate };
    Some(json!({"subject": subject, "predicate": predicate, "object": object}))
}

fn events(passage: &str) -> Value {
    let sentences = sentences(passage);
    let told = sentences.iter().filter(|sentence| words(sentence).count() >= 3);
    let listed = told.step_by(3).take(EVENTS);
    let listed = listed.map(|sentence| json!({"label": label(sentence), "details": short(sentence)}));
    json!({"events": listed.collect::<Vec<_>>()})
}

/// The first word that looks like a verb, or else the first three words.
fn label(sentence: &str) -> String {
    let verb = |word: &String| VERBS.contains(&word.as_str()) || word.len() > 4 && word.ends_with("ed");
    let first = || words(sentence).take(3).collect::<Vec<_>>().join(" ");
    words(sentence).find(verb).unwrap_or_else(first)
}

/// Two names are of one where the words of the one, titles aside, are all in the other.
fn merges(given: &str) -> Value {
    let named = |line: &str, letter: &str| {
        let name = line.strip_prefix(letter)?;
        let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
        Some(words(name).filter(|word| !TITLES.contains(&word.as_str())).collect::<Vec<_>>())
    };
    let mut decided: Vec<Value> = Vec::new();
    let mut first = Vec::new();
    for line in given.lines() {
        if let Some(name) = named(line, "A: ") {
            first = name;
        }
        if let Some(second) = named(line, "B: ") {
            let within = |a: &[String], b: &[String]| !a.is_empty() && a.iter().all(|word| b.contains(word));
            let same = within(&first, &second) || within(&second, &first);
            let (verdict, reason) =
                if same { ("same", "the one name holds the other") } else { ("different", "two names") };
            decided.push(json!({"pair": decided.len() + 1, "verdict": verdict, "reason": reason}));
        }
    }
    json!({"merges": decided})
}

/// The facts, a line each, that share a word with the question.
fn facts(given: &str, rest: &str) -> Value {
    let stems = asked_for(rest);
    let shares = |line: &&str| words(line).any(|word| stems.contains(&stem(&word)));
    let fact = |line: &str| {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [subject, predicate, object] = parts[..] else { return None };
        Some(json!({"subject": subject, "predicate": predicate, "object": object}))
    };
    let chosen = given.lines().filter(shares).filter_map(fact).take(FACTS);
    json!({"facts": chosen.collect::<Vec<_>>()})
}

/// The stems of the longer words of the question in a request.
fn asked_for(rest: &str) -> Vec<String> {
    let asked = rest.lines().find_map(|line| line.trim().strip_prefix("Question:")).unwrap_or(rest);
    words(asked).filter(|word| word.len() > 3).map(|word| stem(&word)).collect()
}

fn answer(context: &str, rest: &str) -> String {
    let stems = asked_for(rest);
    let shared = |sentence: &String| {
        let own: Vec<String> = words(sentence).map(|word| stem(&word)).collect();
        stems.iter().filter(|stem| own.contains(stem)).count()
    };
    let told = sentences(&told(context));
    // The first of the best.
    let best = told.iter().rev().max_by_key(|sentence| shared(sentence)).filter(|best| shared(best) > 0);
    let (fact, last) = best.map_or_else(
        || ("- none".to_owned(), "not found in what you have read".to_owned()),
        |best| (format!("- {best}\n> \"{best}\""), format!("{best}\n\n> \"{best}\"")),
    );
    format!(
        "### Content Understanding\nThere are {} sentences.\n\n\
         ### Relevant Information Analysis\n- {} words of the question were looked for.\n\n\
         ### Key Facts\n{fact}\n\n### Final Answer\n{last}",
        told.len(),
        stems.len()
    )
}

/// The options that stand in the context with most of their words, the first of them; in four sections.
fn choice(context: &str, rest: &str) -> String {
    let told: Vec<String> = words(context).map(|word| stem(&word)).collect();
    let shared = |option: &str| words(option).filter(|word| told.contains(&stem(word))).count();
    let options: Vec<(usize, &str)> = rest
        .lines()
        .filter_map(|line| {
            let (letter, option) = line.trim().strip_prefix('[')?.split_once(']')?;
            Some((shared(option), letter))
        })
        .collect();
    let best = options.iter().rev().max_by_key(|(shared, _)| *shared).map_or("A", |(_, letter)| *letter);
    format!(
        "### Content Understanding\nThere are {} words.\n\n### Question Analysis\n- none\n\n\
         ### Options Analysis\n- [{best}] has most words in common.\n\n### Final Answer\n[{best}]",
        told.len()
    )
}

/// The numbers of the lines that share a word with the question.
fn filter(list: &str, rest: &str) -> String {
    let stems = asked_for(rest);
    let serves = |line: &&str| words(line).any(|word| stems.contains(&stem(&word)));
    let numbers: Vec<&str> = list
        .lines()
        .filter(serves)
        .filter_map(|line| line.split_once('.'))
        .map(|(number, _)| number)
        .collect();
    if numbers.is_empty() { "NONE".to_owned() } else { numbers.join(", ") }
}

/// The first time the sentence nearest to the question, then the answer.
fn thought(context: &str, rest: &str) -> String {
    let stems = asked_for(rest);
    let shared = |sentence: &String| words(sentence).filter(|word| stems.contains(&stem(word))).count();
    let told = sentences(&told(context));
    let best = told.iter().rev().max_by_key(|sentence| shared(sentence)).map_or("nothing", String::as_str);
    if rest.contains("\n- ") { format!("So the answer is: {best}") } else { short(best).to_owned() }
}

/// A context without what is not the book's: the place and the name before an event, the brackets
/// around a profile and its event, the lines that announce what follows.
fn told(context: &str) -> String {
    let lines = context.lines().map(|line| {
        let line = line.trim();
        if let Some((_, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            let event = rest.split_once(" | ").map_or(rest, |(_, event)| event);
            format!("\n\n{event}\n\n")
        } else if let Some(pair) = line.strip_prefix('<').and_then(|line| line.strip_suffix('>')) {
            format!("\n\n{}\n\n", pair.replace(": ", "\n\n").replace(".,", ".\n\n"))
        } else if line.ends_with(':') && line.split(' ').count() < 8 {
            "\n\n".to_owned()
        } else {
            format!("{line}\n")
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGE: &str = "It rained when Mr. Bell met Ada in Dover. \"Come in,\" said Ada. He walked home. \
                           The keeper of the light saw nobody. It was late.";

    #[test]
    fn entities_have_a_type_and_the_first_sentence_that_holds_them() {
        let first = "It rained when Mr. Bell met Ada in Dover.";
        let expected = json!({"entities": [
            {"name": "Mr. Bell", "type": "person", "description": first},
            {"name": "Ada", "type": "person", "description": first},
            {"name": "Dover", "type": "other", "description": first},
        ]});
        assert_eq!(entities(PASSAGE), expected);
    }

    #[test]
    fn facts_are_chosen_by_the_question_s_words() {
        let given = "Mr Tapp | give | a brass key\nMrs Quennell | row | the ferry";
        let expected =
            json!({"facts": [{"subject": "Mr Tapp", "predicate": "give", "object": "a brass key"}]});
        assert_eq!(facts(given, "Question: Who has the brass key?"), expected);
        assert_eq!(facts(given, "Question: Why?"), json!({"facts": []}));
    }

    #[test]
    fn triples_tie_neighbouring_names_of_a_sentence() {
        let expected = json!({"triples": [
            {"subject": "Mr. Bell", "predicate": "met", "object": "Ada"},
            {"subject": "Ada", "predicate": "in", "object": "Dover"},
        ]});
        assert_eq!(triples(PASSAGE), expected);
    }

    #[test]
    fn events_are_every_third_sentence() {
        let expected = json!({"events": [
            {"label": "rained", "details": "It rained when Mr. Bell met Ada in Dover."},
            {"label": "saw", "details": "The keeper of the light saw nobody."},
        ]});
        // `said Ada.` has two words and is not counted.
        assert_eq!(events(PASSAGE), expected);
        assert_eq!(label("Nothing but rain."), "nothing but rain");
    }

    #[test]
    fn types_are_listed_as_proposed_and_given() {
        let proposed =
            "speaker (person), 8: Someone who speaks.\nnamed thing (other), 7: Whatever else: a lamp.";
        let one = json!({"name": "speaker", "type": "person", "description": "Someone who speaks."});
        let other = json!({"name": "named thing", "type": "other", "description": "Whatever else: a lamp."});
        assert_eq!(inventory(proposed, "Types: 20 at most."), json!({"inventory": [one, other]}));
        assert_eq!(inventory(proposed, "Types: 1 at most."), json!({"inventory": [one]}));
        let kinds: Vec<Value> =
            described(PASSAGE, 0, 9, TYPES).into_iter().map(|one| one["type"].clone()).collect();
        assert!(kinds.contains(&json!("speaker")) && kinds.contains(&json!("named thing")), "{kinds:?}");
    }

    #[test]
    fn an_answer_quotes_the_sentence_nearest_to_the_question() {
        let text = answer(PASSAGE, "Use the text.\nQuestion: whom did the keepers see?");
        let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("### ")).collect();
        assert_eq!(
            heads,
            [
                "### Content Understanding",
                "### Relevant Information Analysis",
                "### Key Facts",
                "### Final Answer"
            ]
        );
        assert!(
            text.ends_with(
                "The keeper of the light saw nobody.\n\n> \"The keeper of the light saw nobody.\""
            )
        );
        let nothing = answer(PASSAGE, "Question: what about elephants?");
        assert!(nothing.ends_with("### Final Answer\nnot found in what you have read"));
    }

    #[test]
    fn decisions_are_by_shared_words() {
        let list = "0. Ada: Ada lit the lamp.\n1. Mr. Bell: He walked home.\n2. -: The lamp went out.";
        assert_eq!(filter(list, "Question: Who lit the lamps?"), "0, 2");
        assert_eq!(filter(list, "Question: What about elephants?"), "NONE");
        let options = "Question: who?\n[A] An elephant\n[B] The keeper of the light\n[C] A light";
        assert!(choice(PASSAGE, options).ends_with("### Final Answer\n[B]"));
        let asked = "Question: whom did the keepers see?\nThoughts so far: none";
        assert_eq!(thought(PASSAGE, asked), "The keeper of the light saw nobody.");
        let further = asked.replace("none", "\n- nobody");
        assert_eq!(thought(PASSAGE, &further), "So the answer is: The keeper of the light saw nobody.");
    }

    #[test]
    fn what_frames_a_context_is_not_quoted() {
        let context = "Passage, from Chapter 1:\nThe keeper\nslept.\nPlotline, in story order:\n\
                       [Chapter 2] Ada | The bell rang twice.\n<Ada: Ada is tall., She lit the lamp.>";
        let expected =
            ["The keeper slept.", "The bell rang twice.", "Ada", "Ada is tall.", "She lit the lamp."];
        assert_eq!(sentences(&told(context)), expected);
    }

    #[test]
    fn lists_and_sentences_keep_to_the_prompts_limits() {
        let passage: String = (0..60)
            .map(|at| {
                format!("It was B{}x who met Ada, {}. ", char::from(b'a' + at % 26), "word ".repeat(60))
            })
            .collect();
        let (entities, triples, events) = (entities(&passage), triples(&passage), events(&passage));
        let gleaned = gleaning(&passage);
        let count = |list: &Value| list.as_array().unwrap().len();
        assert_eq!(
            (count(&entities["entities"]), count(&triples["triples"]), count(&events["events"])),
            (12, 12, 8)
        );
        assert_eq!((count(&gleaned["entities"]), count(&gleaned["triples"])), (8, 8));
        assert_ne!(gleaned["entities"][0], entities["entities"][0], "they were listed before");
        let details = events["events"][7]["details"].as_str().unwrap();
        assert!(details.len() <= 240 && passage.contains(details) && details.ends_with("word"));
    }
}
