//! CodaRAG and LightRAG from outside: what each stage and each switch does, seen in the trace; what a chat
//! model decides, and what happens where it does not.

use std::rc::Rc;

use plotbridge::eval::{Ablation, CODA_ABLATIONS};
use plotbridge::llm::{ChatRequest, Models};
use plotbridge::pace::Native;
use plotbridge::report::Trace;
use plotbridge::{AskOptions, Code, Engine, IndexConfig, Method, QueryConfig};
use pollster::block_on;

use super::double::{Letters, Say, Scripted, quoted};
use super::support::*;

const QUESTION: &str = "What did Mr Sleet do after the wedding?";

fn with(settings: &[(&str, &str)]) -> AskOptions {
    let mut config = QueryConfig::default();
    settings.iter().for_each(|(key, value)| config.set(key, value).unwrap());
    AskOptions { config, ..by(Method::Coda) }
}

fn via(trace: &Trace, path: &str) -> usize {
    trace.entities.iter().filter(|entity| entity.via.contains(&path)).count()
}

/// A model that says one thing to each task of CodaRAG.
fn scripted(
    cues: &'static str,
    remove: impl Fn(&ChatRequest) -> String + 'static,
) -> Rc<Scripted<impl Fn(&str, &ChatRequest) -> Say>> {
    Rc::new(Scripted::new(move |task: &str, request: &ChatRequest| {
        Say::Text(match task {
            "cues" => cues.to_owned(),
            "eliminate" => remove(request),
            "thought" => "The bride is asked for next.".to_owned(),
            _ => "### Final Answer\nhe asked the bride".to_owned(),
        })
    }))
}

fn asked(model: Rc<impl plotbridge::llm::ChatModel + 'static>, settings: &[(&str, &str)]) -> Trace {
    let models = Models { chat: Some(model), ..Models::default() };
    retrieve(&story(), QUESTION, &AskOptions { models, ..with(settings) })
}

#[test]
fn everything_hangs_together() {
    let story = story();
    for profile in ["offline", "paper"] {
        let trace = retrieve(&story, QUESTION, &with(&[("profile", profile)]));
        assert_eq!((trace.profile.as_str(), trace.cues.by.as_str()), (profile, "rule"));
        assert!(trace.cues.low.contains(&"Mr Sleet".to_owned()), "{:?}", trace.cues);
        assert!(trace.entities.is_sorted_by(|a, b| a.score >= b.score));
        for entity in &trace.entities {
            assert_eq!(entity.via.len(), entity.places.len());
            // A seed is raised by nothing else.
            assert!(!entity.via.is_empty() && (!entity.via.contains(&"seed") || entity.via.len() == 1));
            let weight = if entity.via.contains(&"seed") { 3.0 } else { 1.0 };
            let sum: f64 = entity.places.iter().map(|&place| weight / (60.0 + f64::from(place))).sum();
            assert!((entity.score - sum).abs() < 1e-12);
        }
        assert!(trace.relations.is_sorted_by(|a, b| a.score >= b.score));
        let kept = |name: &String| trace.entities.iter().any(|entity| entity.name == *name);
        assert!(trace.relations.iter().all(|relation| kept(&relation.source) && kept(&relation.target)));
        for gone in trace.eliminated.iter().filter(|gone| !gone.entity.is_empty()) {
            assert_eq!(kept(&gone.entity), gone.restored, "{gone:?}");
        }
        for path in ["seed", "semantic", "contextualized", "functional"] {
            assert!(via(&trace, path) > 0, "{profile}: nothing by {path}");
        }
        assert_eq!(trace.evidence.len(), 20);
        assert!(trace.context.contains("Passage, from") && trace.context_tokens <= 6000);
        assert!(trace.entities.iter().any(|entity| trace.context.contains(&format!("<{}: ", entity.name))));
        // Nothing but the clock differs from one time to the next.
        let again = retrieve(&story, QUESTION, &with(&[("profile", profile)]));
        let told = |trace: &Trace| {
            let mut value = serde_json::to_value(trace).unwrap();
            value["timings_ms"] = serde_json::Value::Null;
            value
        };
        assert_eq!(told(&trace), told(&again));
    }
}

#[test]
fn a_name_in_the_question_is_the_first_seed() {
    let trace = retrieve(&story(), QUESTION, &with(&[]));
    let sleet = trace.entities.iter().find(|entity| entity.name == "Mr Sleet").unwrap();
    assert_eq!((sleet.via.as_slice(), sleet.places.as_slice()), (&["seed"][..], &[1][..]));
}

#[test]
fn each_switch_leaves_out_its_own() {
    let story = story();
    let profile = ("profile", "paper");
    for (key, path) in [("k_sem", "semantic"), ("k_con", "contextualized"), ("k_fun", "functional")] {
        let trace = retrieve(&story, QUESTION, &with(&[profile, (key, "0")]));
        assert_eq!(via(&trace, path), 0, "{key}");
        assert!(via(&trace, "seed") > 0);
    }
    let all = retrieve(&story, QUESTION, &with(&[profile, ("eliminate", "off")]));
    let cut = |trace: &Trace| {
        trace.eliminated.iter().filter(|gone| gone.reason.contains("less like the cues")).count()
    };
    assert_eq!(cut(&all), 0);
    assert!(cut(&retrieve(&story, QUESTION, &with(&[profile]))) > 0, "the rule removes something");
    let contextualized = |settings: &[(&str, &str)]| -> Vec<String> {
        let trace = retrieve(&story, QUESTION, &with(settings));
        let raised = trace.entities.iter().filter(|entity| entity.via.contains(&"contextualized"));
        raised.map(|entity| entity.name.clone()).collect()
    };
    assert_ne!(
        contextualized(&[profile, ("k_con", "5")]),
        contextualized(&[profile, ("k_con", "5"), ("hubs", "correct")])
    );
    let roles = retrieve(&story, QUESTION, &with(&[profile, ("standing", "roles")]));
    assert!(via(&roles, "functional") > 0);
    // The whole question as both cues.
    let whole = retrieve(&story, QUESTION, &with(&[("cues", "off")]));
    assert_eq!((whole.cues.by.as_str(), whole.cues.high.as_slice()), ("off", &[QUESTION.to_owned()][..]));
}

#[test]
fn a_model_s_cues_are_looked_for() {
    let model = scripted(r#"{"high": ["a death"], "low": ["Miss Guirec"]}"#, |_| "NONE".to_owned());
    let trace = asked(Rc::clone(&model), &[]);
    assert_eq!(
        (trace.cues.by.as_str(), trace.cues.low.as_slice()),
        ("chat", &["Miss Guirec".to_owned()][..])
    );
    assert_eq!(trace.entities[0].name, "Miss Guirec");
    assert_eq!((model.count("cues"), model.count("eliminate")), (1, 1));
    let stages: Vec<&str> = trace.calls.iter().map(|call| call.stage.as_str()).collect();
    assert_eq!(stages, ["cues", "eliminate"]);
    // Whoever is told not to ask asks nothing.
    let silent = scripted("", |_| String::new());
    asked(Rc::clone(&silent), &[("cues", "rule"), ("eliminate", "rule")]);
    assert_eq!(silent.asked.borrow().len(), 0);
}

#[test]
fn what_a_model_removes_is_gone_and_the_rest_hangs_together() {
    let shown = |request: &ChatRequest| quoted(request).lines().filter(|line| line.starts_with('E')).count();
    let kept = asked(scripted("high: wedding\nlow: Mr Sleet", |_| "NONE".to_owned()), &[]);
    // All but the first three.
    let model = scripted("high: wedding\nlow: Mr Sleet", move |request| {
        (3..shown(request)).map(|at| format!("E{at}")).collect::<Vec<_>>().join(", ")
    });
    let trace = asked(Rc::clone(&model), &[]);
    let by_model = trace.eliminated.iter().filter(|gone| gone.reason == "removed by the chat model");
    assert_eq!(by_model.count(), kept.entities.len() - 3);
    let restored: Vec<&str> =
        trace.eliminated.iter().filter(|gone| gone.restored).map(|gone| gone.entity.as_str()).collect();
    let names: Vec<&str> = trace.entities.iter().map(|entity| entity.name.as_str()).collect();
    for (place, name) in names.iter().enumerate() {
        assert_eq!(place >= 3, restored.contains(name), "{name}");
    }
    assert!(trace.eliminated.iter().any(|gone| gone.reason == "one of its ends is eliminated"));
    assert!(trace.relations.len() < kept.relations.len());
}

#[test]
fn where_a_reply_is_of_no_use_everything_stays() {
    let whole = asked(scripted("low: Mr Sleet", |_| "NONE".to_owned()), &[]);
    for reply in ["I would keep them.", "", "E0, E1, E2, E3, E4, E5, E6, E7, E8, E9"] {
        let shown =
            |request: &ChatRequest| quoted(request).lines().filter(|line| line.starts_with('E')).count();
        let model = scripted("low: Mr Sleet", move |request| match reply.starts_with("E0") {
            true => (0..shown(request)).map(|at| format!("E{at}")).collect::<Vec<_>>().join(", "),
            false => reply.to_owned(),
        });
        let trace = asked(Rc::clone(&model), &[]);
        assert_eq!(trace.entities.len(), whole.entities.len(), "{reply}");
        assert!(trace.issues.iter().any(|issue| issue.message.contains("eliminate")), "{:?}", trace.issues);
    }
    // Nor do cues that cannot be read: the rule takes them.
    let trace = asked(scripted("I cannot.", |_| "NONE".to_owned()), &[]);
    assert_eq!(trace.cues.by, "rule");
    assert!(trace.issues.iter().any(|issue| issue.message.contains("cues")));
}

#[test]
fn without_a_model_chat_is_told_to_need_one() {
    let trace = retrieve(&story(), QUESTION, &with(&[("cues", "chat"), ("eliminate", "chat")]));
    let needed = trace.issues.iter().filter(|issue| issue.code == "needs_chat_model").count();
    assert_eq!((needed, trace.cues.by.as_str()), (2, "rule"));
}

#[test]
fn cues_are_compared_where_the_question_is() {
    let host = Native::default();
    let text = "Mr Tapp rowed Mrs Quennell over. She thanked Mr Tapp for the key. Captain Lind hid the lamp.";
    let models = |embedder: Rc<Letters>| Models { embed: Some(embedder), ..Models::default() };
    let made = models(Rc::new(Letters::new()));
    let (book, _) =
        block_on(Engine::build_with(text.as_bytes(), &Default::default(), Default::default(), &made, &host))
            .unwrap();
    let embedder = Rc::new(Letters::new());
    let options = AskOptions { models: models(Rc::clone(&embedder)), ..with(&[]) };
    let trace = retrieve(&book, "Who thanked Mr Tapp?", &options);
    assert_eq!(trace.embedding_space, "letters");
    assert!(!trace.entities.is_empty());
    // The probe and the question, then the probe and both levels.
    assert_eq!(embedder.texts.get(), 5);
    embedder.fails.set(true);
    let fallback = retrieve(&book, "Who thanked Mr Tapp?", &options);
    let codes: Vec<&str> = fallback.issues.iter().map(|issue| issue.code.as_str()).collect();
    assert_eq!(codes.iter().filter(|code| **code == "embedding_fallback").count(), 1, "{codes:?}");
    assert!(!fallback.entities.is_empty() && !fallback.evidence.is_empty());
}

#[test]
fn steps_join_what_each_of_them_found() {
    let model = scripted("low: Mr Sleet", |_| "NONE".to_owned());
    let models = Models { chat: Some(model), ..Models::default() };
    let answer = ask(&story(), QUESTION, &AskOptions { models, steps: 2, ..with(&[]) });
    assert_eq!(answer.trace.steps.len(), 2);
    assert!(answer.trace.context_tokens <= 6000 && !answer.trace.entities.is_empty());
    assert!(answer.trace.entities.is_sorted_by(|a, b| a.score >= b.score));
    assert!(answer.text.contains("he asked the bride"), "{}", answer.text);
}

#[test]
fn a_book_that_ties_nobody_is_answered_from_its_passages() {
    let host = Native::default();
    let text = "It rained on the river all night. The lamps went out one by one. Nobody came.";
    let book =
        block_on(Engine::build(text.as_bytes(), &Default::default(), Default::default(), &host)).unwrap();
    for method in [Method::Coda, Method::Light] {
        let answer = ask(&book, "What went out?", &by(method));
        assert!(
            answer.trace.issues.iter().any(|issue| issue.code == "no_relations"),
            "{:?}",
            answer.trace.issues
        );
        assert!(answer.text.contains("lamps"), "{}", answer.text);
        assert!(answer.trace.context.contains("lamps"));
    }
}

#[test]
fn light_hops_once() {
    let trace = retrieve(&story(), QUESTION, &by(Method::Light));
    assert_eq!(trace.cues.by, "rule");
    assert_eq!(trace.entities[0].name, "Mr Sleet");
    assert!(trace.eliminated.is_empty() && !trace.relations.is_empty());
    assert!(trace.relations.iter().any(|one| one.source == "Mr Sleet" || one.target == "Mr Sleet"));
    assert_eq!(trace.evidence.len(), 20);
}

/// Without merging the book is read anew: its forms are entities of their own.
#[test]
fn an_index_without_merging_has_more_entities() {
    let story = story();
    let config = IndexConfig::default();
    let other = Ablation::named("no-merge").unwrap().index_of(config).unwrap().unwrap();
    let anew = block_on(story.anew(other, &Native::default())).unwrap();
    let count = |engine: &Engine| engine.info().counts.entities;
    assert!(count(&anew) > count(&story), "{} and {}", count(&anew), count(&story));
    assert_eq!(anew.info().text_length, story.info().text_length);
    assert!(Ablation::named("no-merge").unwrap().lacking(&story.book().index).is_empty());
    assert!(!Ablation::named("no-types").unwrap().lacking(&story.book().index).is_empty());
    assert_eq!(CODA_ABLATIONS.len(), 6);
    assert_eq!(Ablation::named("no-magic").unwrap_err().code(), Code::Usage);
}
