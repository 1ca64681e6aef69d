//! The settings of a trace: what a method read, as it took effect, and nothing that it did not read.

use std::rc::Rc;

use plotbridge::config::QueryConfig;
use plotbridge::report::{SettingValue, Trace};
use plotbridge::{AskOptions, Engine, Method, Position};

use super::decisions::{paper_book, with};
use super::double::{Say, Scripted};
use super::support::*;

const QUESTION: &str = "What did Mr Sleet do after the wedding?";

fn of<'a>(trace: &'a Trace, name: &str) -> Option<(&'a SettingValue, &'a str)> {
    let found = trace.settings.iter().find(|setting| setting.name == name);
    found.map(|setting| (&setting.value, setting.from.as_str()))
}

fn number(trace: &Trace, name: &str) -> (f64, String) {
    match of(trace, name) {
        Some((SettingValue::Number(number), from)) => (*number, from.to_owned()),
        other => panic!("{name} is {other:?}"),
    }
}

fn text(trace: &Trace, name: &str) -> (String, String) {
    match of(trace, name) {
        Some((SettingValue::Text(text), from)) => (text.clone(), from.to_owned()),
        other => panic!("{name} is {other:?}"),
    }
}

fn pair(value: &str, from: &str) -> (String, String) {
    (value.to_owned(), from.to_owned())
}

/// A trace without its settings and times.
fn rest(book: &Engine, options: &AskOptions) -> serde_json::Value {
    let mut trace = serde_json::to_value(retrieve(book, QUESTION, options)).unwrap();
    for key in ["settings", "timings_ms"] {
        trace.as_object_mut().unwrap().remove(key);
    }
    trace
}

/// Whatever is not told may be set to anything: the method does not read it.
#[test]
fn what_the_settings_do_not_name_changes_nothing() {
    let story = story();
    let mut tried = 0;
    for method in Method::ALL {
        for (profile, layers) in [
            ("offline", "both"),
            ("paper", "both"),
            ("offline", "char"),
            ("paper", "plot"),
            ("paper", "apart"),
        ] {
            // The layers are PonsRAG's.
            if method != Method::Pons && layers != "both" {
                continue;
            }
            let options = AskOptions { method, ..pons_with(&[("profile", profile), ("layers", layers)]) };
            let trace = retrieve(&story, QUESTION, &options);
            let names: Vec<&str> = trace.settings.iter().map(|setting| setting.name.as_str()).collect();
            let whole = rest(&story, &options);
            for key in QueryConfig::KEYS.iter().filter(|key| names.contains(&key.name)) {
                assert!(
                    plotbridge::methods_that_read(key.name).contains(&method),
                    "{method:?} reads {}",
                    key.name
                );
            }
            for key in QueryConfig::KEYS.iter().filter(|key| !names.contains(&key.name)) {
                let takes = (key.takes)();
                let ends: Vec<&str> = match takes.split_once(" from ") {
                    Some((_, range)) => range.split(" to ").collect(),
                    None => takes.split(" or ").collect(),
                };
                for end in ends {
                    // The profile that a method without one is given is told by its own key.
                    let mut other = options.clone();
                    other.config.set(key.name, end).unwrap();
                    assert_eq!(rest(&story, &other), whole, "{method:?} {profile} {} = {end}", key.name);
                    tried += 1;
                }
            }
            let mut sorted = names.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), names.len(), "each once: {names:?}");
        }
    }
    assert!(tried > 100, "{tried}");
    let of = |key| plotbridge::methods_that_read(key);
    assert_eq!((of("k3"), of("min_cover"), of("tau")), (vec![Method::Pons], vec![], vec![Method::Pons]));
    assert_eq!(of("seed_share"), [Method::Coda, Method::Light]);
}

#[test]
fn what_is_left_open_is_told_as_it_took_effect() {
    let story = story();
    let offline = retrieve(&story, QUESTION, &AskOptions::default());
    assert_eq!(text(&offline, "profile"), pair("offline", "auto"));
    assert_eq!(text(&offline, "edges"), pair("mention", "auto"));
    assert_eq!(number(&offline, "gamma"), (0.5, "auto".to_owned()));
    assert_eq!(number(&offline, "k3"), (15.0, "default".to_owned()));
    assert_eq!(number(&offline, "context_tokens"), (6000.0, "default".to_owned()));
    assert_eq!(text(&offline, "filter"), pair("rule", "auto"));
    assert!(of(&offline, "tau").is_none(), "no cosine has a bar where edges go by mention");

    let paper = retrieve(&story, QUESTION, &pons_with(&[("profile", "paper"), ("k3", "7")]));
    let space = story.book().space().unwrap();
    assert_eq!(text(&paper, "profile"), pair("paper", "set"));
    assert_eq!(text(&paper, "edges"), pair("cosine", "auto"));
    assert_eq!(number(&paper, "alpha"), (0.7, "auto".to_owned()));
    assert_eq!(number(&paper, "tau"), (space.tau, "index".to_owned()));
    assert_eq!(number(&paper, "tau_quantile"), (space.quantile, "index".to_owned()));
    assert_eq!(number(&paper, "synonyms"), (space.synonyms.least, "index".to_owned()));
    assert_eq!(number(&paper, "k3"), (7.0, "set".to_owned()));

    let set = pons_with(&[("profile", "paper"), ("tau", "0.1"), ("synonyms", "1.5"), ("alpha", "1")]);
    let options = AskOptions { up_to: Some(Position::Chapter(7)), context_tokens: 900, ..set };
    let set = retrieve(&story, QUESTION, &options);
    assert_eq!(number(&set, "tau"), (0.1, "set".to_owned()));
    assert!(of(&set, "tau_quantile").is_none());
    assert_eq!(number(&set, "synonyms"), (1.5, "set".to_owned()));
    assert_eq!(number(&set, "alpha"), (1.0, "set".to_owned()));
    assert_eq!(number(&set, "context_tokens"), (900.0, "set".to_owned()));
    assert_eq!(text(&set, "up_to"), pair("ch:7", "set"));
}

/// Who decides follows from the models there are; an answer tells what it reads beside.
#[test]
fn models_and_answers_have_their_settings() {
    let (book, embed) = paper_book();
    let chat = || Rc::new(Scripted::new(|_, _| Say::Text("### Final Answer\nthe brass key".to_owned())));
    let options = AskOptions { steps: 2, ..with(chat(), Some(embed), &[]) };
    let trace = retrieve(&book, "Who gave the key?", &options);
    assert_eq!(text(&trace, "profile"), pair("paper", "auto"));
    assert_eq!(text(&trace, "filter"), pair("chat", "auto"));
    assert_eq!(text(&trace, "on_none"), pair("keep", "default"));
    assert_eq!(number(&trace, "steps"), (2.0, "set".to_owned()));

    let without = AskOptions { steps: 3, ..pons_with(&[("filter", "chat")]) };
    let without = retrieve(&book, "Who gave the key?", &without);
    assert_eq!(number(&without, "steps"), (1.0, "auto".to_owned()), "there is nobody to think");
    assert!(of(&without, "on_none").is_none());

    let choices = vec!["the lamp".to_owned(), "the key".to_owned()];
    let asked = ask(&book, "What was given?", &AskOptions { choices, ..options }).trace;
    assert_eq!(text(&asked, "choices"), pair("the lamp|the key", "set"));
    assert!(of(&asked, "min_cover").is_none(), "the chat model answered");
    let by_rule = ask(&book, "What was given?", &pons_with(&[("min_cover", "0.3")])).trace;
    assert_eq!(number(&by_rule, "min_cover"), (0.3, "set".to_owned()));
}
