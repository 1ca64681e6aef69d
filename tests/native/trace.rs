//! The trace as it is documented: docs/trace.md names exactly the keys that traces have, the reasons that
//! sources give, and the stages that are timed.

use std::collections::BTreeSet;

use plotbridge::config::Profile;
use plotbridge::eval::{ABLATIONS, CODA_ABLATIONS};
use plotbridge::llm::Models;
use plotbridge::report::Trace;
use plotbridge::{AskOptions, Method, QueryConfig};
use serde_json::Value;

use super::double::{Say, Scripted};
use super::support::*;
use super::tidy::sources;

/// Objects whose keys are data.
const MAPS: [&str; 1] = ["timings_ms"];

/// Every key that holds something, and every list that holds nothing.
#[derive(Default)]
struct Keys {
    full: BTreeSet<String>,
    empty: BTreeSet<String>,
}

impl Keys {
    fn read(&mut self, path: &str, value: &Value) {
        match value {
            Value::Object(members) if !MAPS.contains(&path) => {
                let inner =
                    |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                members.iter().for_each(|(key, value)| self.read(&inner(key), value));
            }
            Value::Array(items) => {
                let path = format!("{path}[]");
                self.empty.insert(path.clone());
                items.iter().for_each(|item| self.read(&path, item));
            }
            Value::Null => {}
            _ => {
                self.full.insert(path.to_owned());
            }
        }
    }

    /// Both, without the lists that are filled elsewhere.
    fn all(self) -> BTreeSet<String> {
        let filled = |list: &String| self.full.iter().any(|key| key.starts_with(list.as_str()));
        let empty: Vec<String> = self.empty.iter().filter(|list| !filled(list)).cloned().collect();
        self.full.into_iter().chain(empty).collect()
    }
}

/// Traces of every kind: each method, both profiles, each ablation, a word of time, a chat model in steps.
fn traces() -> Vec<Trace> {
    let story = story();
    let gold = questions();
    let mut found: Vec<Trace> = Method::ALL
        .into_iter()
        .map(|method| retrieve(&story, "What did Mr Sleet do after the wedding?", &by(method)))
        .collect();
    for profile in [Profile::Offline, Profile::Paper] {
        let whole = QueryConfig { profile, k4: 10, ..QueryConfig::default() };
        let settings = ABLATIONS.iter().map(|ablation| ablation.of(whole).unwrap()).chain([whole]);
        for (place, config) in settings.enumerate() {
            let options = AskOptions { config, ..AskOptions::default() };
            found.push(retrieve(&story, &gold[place].question, &options));
        }
    }
    for (place, ablation) in CODA_ABLATIONS.iter().enumerate() {
        let config = QueryConfig { profile: Profile::Paper, ..QueryConfig::default() };
        let options = AskOptions { config: ablation.of(config).unwrap(), ..by(Method::Coda) };
        found.push(retrieve(&story, &gold[place].question, &options));
    }
    let chat = Scripted::new(|task, _| {
        Say::Text(match task {
            "filter" => "0, 2".to_owned(),
            "eliminate" => "E1, R0".to_owned(),
            "thought" => "Mr Sleet asked the bride.".to_owned(),
            _ => "### Final Answer\nhalf past eleven".to_owned(),
        })
    });
    let models = Models { chat: Some(std::rc::Rc::new(chat)), ..Models::default() };
    found.push(retrieve(
        &story,
        &gold[8].question,
        &AskOptions { models: models.clone(), ..by(Method::Coda) },
    ));
    let options = AskOptions { models, steps: 2, ..pons_with(&[("profile", "paper")]) };
    found.push(ask(&story, &gold[8].question, &options).trace);
    found
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The keys that a first cell names, `a.{b,c}` as two.
fn named(cell: &str) -> Vec<String> {
    let mut keys = Vec::new();
    for key in quoted(cell) {
        match key.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?))) {
            Some((head, (inner, tail))) => {
                keys.extend(inner.split(',').map(|key| format!("{head}{key}{tail}")))
            }
            None => keys.push(key.to_owned()),
        }
    }
    keys
}

/// The first cells of the tables under a head.
fn cells<'a>(document: &'a str, head: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut within = false;
    for line in document.lines() {
        if !line.starts_with('|') {
            within = false;
        } else if line.starts_with(&format!("| {head} |")) {
            within = true;
        } else if within && line.starts_with("| ") {
            found.extend(line.split('|').nth(1));
        }
    }
    found
}

#[test]
fn the_document_names_the_keys_that_there_are() {
    let document = read_file("docs/trace.md");
    let told: Vec<String> = cells(&document, "key").into_iter().flat_map(named).collect();
    let documented: BTreeSet<String> = told.iter().cloned().collect();
    assert_eq!(told.len(), documented.len(), "a key is told twice");
    let mut keys = Keys::default();
    for trace in traces() {
        keys.read("", &serde_json::to_value(&trace).unwrap());
    }
    let there = keys.all();
    let missing: Vec<&String> = there.difference(&documented).collect();
    let gone: Vec<&String> = documented.difference(&there).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "not in docs/trace.md: {missing:?}; not in traces: {gone:?}"
    );
    assert!(there.len() > 60, "{there:?}");
}

#[test]
fn the_document_tells_every_reason_and_every_stage() {
    let document = read_file("docs/trace.md");
    let told: BTreeSet<&str> = quoted(&document).collect();
    let (mut reasons, mut stages) = (BTreeSet::new(), BTreeSet::new());
    for trace in traces() {
        reasons.extend(trace.dropped.into_iter().map(|dropped| dropped.reason));
        reasons.extend(trace.eliminated.into_iter().map(|eliminated| eliminated.reason));
        stages.extend(trace.timings_ms.into_keys());
    }
    assert!(reasons.len() >= 3 && stages.len() >= 6, "{reasons:?} {stages:?}");
    for word in reasons.iter().chain(&stages) {
        assert!(told.contains(word.as_str()), "docs/trace.md does not tell {word:?}");
    }
    // The other way round: what it tells is what the sources say.
    let code: String = sources(&["src"], &[".rs"]).into_iter().map(|source| source.text).collect();
    let listed: Vec<&str> = cells(&document, "reason");
    assert!(listed.len() >= 5);
    for reason in listed.into_iter().flat_map(quoted) {
        assert!(code.contains(&format!("\"{reason}\"")), "no source says {reason:?}");
    }
}
