//! What CodaRAG's first stage asks of a chat model beside PonsRAG's questions, statement by statement (systems
//! 2.2, I.a to I.c): types of entities, one gleaning pass, descriptions of relations.

use std::rc::Rc;

use plotbridge::config::Types;
use plotbridge::estimate::{self, By};
use plotbridge::knowledge::{EntityKind, FRAGMENTS, Told};
use plotbridge::llm::{ChatRequest, Models};
use plotbridge::pace::Native;
use plotbridge::{Engine, IndexConfig};
use pollster::block_on;

use super::models::{STORY, fair};
use crate::double::{Say, Scripted, quoted, task};
use crate::support::open;

type Script = fn(&str, &ChatRequest) -> Say;

/// A book read by a script, and all that it was asked.
fn read(text: &[u8], config: IndexConfig, script: Script) -> (Engine, Vec<ChatRequest>) {
    let model = Rc::new(Scripted::new(script));
    let models = Models { chat: Some(model.clone()), at_once: 1, ..Models::default() };
    let (options, host) = (Default::default(), Native::default());
    let (book, _) = block_on(Engine::build_with(text, &options, config, &models, &host)).unwrap();
    (book, model.asked.take())
}

fn of<'a>(asked: &'a [ChatRequest], name: &str) -> Vec<&'a ChatRequest> {
    asked.iter().filter(|request| task(request) == name).collect()
}

fn issue(book: &Engine, code: &str) -> Option<String> {
    book.info().issues.into_iter().find(|issue| issue.code == code).map(|issue| issue.message)
}

/// The fair reader who, asked once more, finds the stove of the first chapter and who hung what on it.
fn gleans(task: &str, request: &ChatRequest) -> Say {
    if task != "gleaning" || !quoted(request).contains("before dawn") {
        return fair(task, request);
    }
    Say::Text(
        r#"{"entities": [
            {"name": "the stove", "type": "object", "description": "The stove has a nail beside it."},
            {"name": "silas tapp", "type": "person", "description": "Silas Tapp was listed."},
            {"name": "Richard Roe", "type": "person", "description": "Richard Roe is nobody."}],
          "triples": [
            {"subject": "Silas Tapp", "predicate": "hangs the key by", "object": "stove"},
            {"subject": "Mrs Quennell", "predicate": "gives a key to", "object": "Silas Tapp"},
            {"subject": "Mrs Quennell", "predicate": "sees", "object": "the harbour office"}]}"#
            .to_owned(),
    )
}

#[test]
fn what_was_missed_is_asked_for_once_a_chunk_and_held_to_the_same_rules() {
    let (book, asked) = read(STORY.as_bytes(), IndexConfig::default(), gleans);
    let gleaned = of(&asked, "gleaning");
    assert_eq!(gleaned.len(), 3, "each chunk is gleaned once");
    let first = &gleaned[0].messages[1].content;
    let noted = "Names: Silas Tapp; Mrs Quennell; the brass key\nFacts:\n\
        Mrs Quennell Gives a key to Silas Tapp\nMrs Quennell married John Doe\nfog lay on water";
    assert!(first.ends_with(noted), "{first}");
    let knowledge = &book.book().index.knowledge;
    let names: Vec<&str> = knowledge.entities.iter().map(|entity| entity.name.as_str()).collect();
    assert!(names.contains(&"stove") && !names.contains(&"Richard Roe"), "{names:?}");
    let stated = |subject: &str, predicate: &str, object: &str| {
        let told = [subject, predicate, object];
        let of = |triple: &&plotbridge::knowledge::Triple| {
            [&triple.subject.text, &triple.predicate, &triple.object.text].map(String::as_str) == told
        };
        knowledge.triples.iter().filter(of).count()
    };
    assert_eq!(stated("Silas Tapp", "hangs the key by", "stove"), 1);
    assert_eq!(stated("Mrs Quennell", "gives a key to", "Silas Tapp"), 1, "it was written down before");
    // One more entity and one more triple than of the fair reader stand nowhere in their chunk.
    let message = issue(&book, "ungrounded").unwrap();
    assert!(message.contains("2 entities, 3 triples and 1 events"), "{message}");
    let stove = knowledge.entities.iter().find(|entity| entity.name == "stove").unwrap();
    assert_eq!(stove.kind, EntityKind::Object);
    assert_eq!(open(&book.save().unwrap()).unwrap().book().index, book.book().index);
}

/// A reading that does not glean sends the very same other requests, so kept replies serve both.
#[test]
fn without_gleaning_the_other_questions_are_the_same() {
    let without = IndexConfig { gleaning: 0, ..IndexConfig::default() };
    let (_, plain) = read(STORY.as_bytes(), without, fair);
    let (_, all) = read(STORY.as_bytes(), IndexConfig::default(), fair);
    assert!(of(&plain, "gleaning").is_empty());
    let rest: Vec<ChatRequest> = all.iter().filter(|request| task(request) != "gleaning").cloned().collect();
    assert_eq!(rest, plain);
}

#[test]
fn a_gleaning_that_cannot_be_read_costs_nothing_that_was_read() {
    let silent = |task: &str, request: &ChatRequest| match task {
        "gleaning" => Say::Text("Nothing, I am sure.".to_owned()),
        _ => fair(task, request),
    };
    let (book, asked) = read(STORY.as_bytes(), IndexConfig::default(), silent);
    assert_eq!(of(&asked, "gleaning").len(), 6, "each is asked for once more");
    let message = issue(&book, "reply_unreadable").unwrap();
    assert!(message.contains("gleaning of chunk 0"), "{message}");
    let (fairly, _) = read(STORY.as_bytes(), IndexConfig::default(), fair);
    assert_eq!(book.book().index.knowledge, fairly.book().index.knowledge);
    // What was read is not asked for again, gleaning included.
    let (_, again) = read(&book.save().unwrap(), IndexConfig::default(), fair);
    let tasks: Vec<&str> = again.iter().map(task).collect();
    assert_eq!(
        tasks,
        ["triples"],
        "the second chapter states nothing, which no index can tell from no answer"
    );
}

/// With types discovered, no more than these.
fn discover(most_types: usize) -> IndexConfig {
    IndexConfig { types: Types::Discover, most_types, ..IndexConfig::default() }
}

/// A reader who proposes types, has them put together, and calls names by them.
fn sorts(task: &str, request: &ChatRequest) -> Say {
    let fairly = |task: &str| match fair(task, request) {
        Say::Text(text) => text,
        Say::Ended(..) | Say::Fail(_) => String::new(),
    };
    Say::Text(match task {
        "types" => r#"{"types": [
            {"name": "Ferryman", "type": "person", "description": "Who rows others."},
            {"name": "keepsake", "type": "object", "description": "A thing that is kept."},
            {"name": "other", "type": "other", "description": "All else."}]}"#
            .to_owned(),
        "inventory" => r#"{"inventory": [
            {"name": "keepsake", "type": "object", "description": "A thing that is kept."},
            {"name": "the ferryman", "type": "person", "description": "Who rows others."},
            {"name": "Ferryman", "type": "person", "description": "Twice."}]}"#
            .to_owned(),
        "typed" => fairly("entities")
            .replace(r#""name":"Silas Tapp","type":"person""#, r#""name":"Silas Tapp","type":"The Ferryman""#)
            .replace(
                r#""name":"the brass key","type":"object""#,
                r#""name":"the brass key","type":"keepsake""#,
            ),
        other => fairly(other),
    })
}

#[test]
fn types_are_suggested_refined_and_given_to_entities() {
    let (book, asked) = read(STORY.as_bytes(), discover(20), sorts);
    assert_eq!(of(&asked, "types").len(), 3, "three chunks are within the budget");
    let pool = of(&asked, "inventory");
    assert_eq!(pool.len(), 1);
    let proposed = "ferryman (person), 3: Who rows others.\nkeepsake (object), 3: A thing that is kept.";
    assert_eq!(quoted(pool[0]), proposed);
    assert!(pool[0].messages[1].content.ends_with("Types: 20 at most."));
    assert_eq!((of(&asked, "entities").len(), of(&asked, "typed").len()), (0, 3));
    let listed = "Types:\n- keepsake: A thing that is kept.\n- the ferryman: Who rows others.\n- other";
    assert!(of(&asked, "typed")[0].messages[1].content.ends_with(listed));

    let knowledge = &book.book().index.knowledge;
    let types: Vec<(&str, EntityKind)> =
        knowledge.types.iter().map(|known| (known.name.as_str(), known.kind)).collect();
    assert_eq!(types, [("keepsake", EntityKind::Object), ("the ferryman", EntityKind::Person)]);
    let seen = block_on(book.inspect(&Native::default())).unwrap();
    let category = |name: &str| {
        let entity = seen.entities.iter().find(|entity| entity.name == name).unwrap();
        (entity.kind.clone(), entity.category.clone())
    };
    let kind = |kind: &str, category: Option<&str>| (kind.to_owned(), category.map(str::to_owned));
    assert_eq!(category("Silas Tapp"), kind("person", Some("the ferryman")));
    assert_eq!(category("brass key"), kind("object", Some("keepsake")));
    assert_eq!(category("Mrs Quennell"), kind("person", None));
    assert_eq!(category("harbour office"), kind("group", None));

    let file = book.save().unwrap();
    assert_eq!(open(&file).unwrap().book().index, book.book().index);
    // A second reading knows the types and asks for nothing.
    let (again, asked) = read(&file, discover(20), sorts);
    assert!(asked.iter().all(|request| task(request) == "triples"), "{}", asked.len());
    assert_eq!(again.book().index.knowledge.types, knowledge.types);
}

#[test]
fn types_are_no_more_than_may_be_and_none_where_none_are_proposed() {
    let (book, _) = read(STORY.as_bytes(), discover(1), sorts);
    let types = &book.book().index.knowledge.types;
    assert_eq!(types.iter().map(|known| known.name.as_str()).collect::<Vec<_>>(), ["keepsake"]);
    // Where nothing is refined, what was proposed first of what most proposed stays.
    let proposes = |task: &str, request: &ChatRequest| match task {
        "inventory" => Say::Text("I cannot.".to_owned()),
        _ => sorts(task, request),
    };
    let (book, _) = read(STORY.as_bytes(), discover(1), proposes);
    assert_eq!(book.book().index.knowledge.types[0].name, "ferryman");

    let silent = |task: &str, request: &ChatRequest| match task {
        "types" => Say::Text(r#"{"types": []}"#.to_owned()),
        _ => sorts(task, request),
    };
    let (book, asked) = read(STORY.as_bytes(), discover(20), silent);
    assert!(issue(&book, "types_default").is_some(), "{:?}", book.info().issues);
    assert_eq!(
        (of(&asked, "inventory").len(), of(&asked, "typed").len(), of(&asked, "entities").len()),
        (0, 0, 3)
    );
    let fairly = read(STORY.as_bytes(), IndexConfig::default(), fair).0;
    assert_eq!(book.book().index.knowledge, fairly.book().index.knowledge);
}

#[test]
fn damaged_types_are_refused() {
    let (book, _) = read(STORY.as_bytes(), discover(20), sorts);
    let file: serde_json::Value = serde_json::from_slice(&book.save().unwrap()).unwrap();
    let place =
        file["entities"].as_array().unwrap().iter().position(|one| one["name"] == "Silas Tapp").unwrap();
    type Change = Box<dyn Fn(&mut serde_json::Value)>;
    let changes: [(Change, &str); 5] = [
        (Box::new(|file| file["types"][1]["name"] = "keepsake".into()), "has no name or another's"),
        (Box::new(|file| file["types"][0]["type"] = "thing".into()), "\"thing\" is no type"),
        (
            Box::new(move |file| file["entities"][place]["category"] = "keepsake".into()),
            "no type of its kind",
        ),
        (Box::new(move |file| file["entities"][place]["category"] = "miller".into()), "no type of its kind"),
        (
            Box::new(|file| {
                let many = (0..51).map(
                    |at| serde_json::json!({"name": at.to_string(), "type": "other", "description": ""}),
                );
                file["types"] = many.collect();
            }),
            "over 50",
        ),
    ];
    for (change, words) in changes {
        let mut file = file.clone();
        change(&mut file);
        let error = open(file.to_string().as_bytes()).err().unwrap().to_string();
        assert!(error.contains(words), "{error} does not say {words:?}");
    }
}

/// Six chapters in which one thanks the other, each time in other words.
fn thanks() -> String {
    let weeks = ["first", "second", "third", "fourth", "fifth", "sixth"];
    let chapter = |(at, week): (usize, &&str)| {
        format!("CHAPTER {}\n\nSilas Tapp thanked Mrs Quennell in the {week} week. It rained.\n\n", at + 1)
    };
    weeks.iter().enumerate().map(chapter).collect()
}

fn thankful(task: &str, request: &ChatRequest) -> Say {
    Say::Text(match task {
        "entities" => r#"{"entities":[
            {"name":"Silas Tapp","type":"person","description":"Silas Tapp is thankful."},
            {"name":"Mrs Quennell","type":"person","description":"Mrs Quennell is thanked."}]}"#
            .to_owned(),
        "triples" => r#"{"triples":[{"subject":"Silas Tapp","predicate":"thanks","object":"Mrs Quennell"}]}"#
            .to_owned(),
        "gleaning" => r#"{"entities":[],"triples":[]}"#.to_owned(),
        "events" => {
            r#"{"events":[{"label":"Thanks","details":"Silas Tapp thanks Mrs Quennell."}]}"#.to_owned()
        }
        "relation" => format!("TIED {}", quoted(request).lines().count()),
        _ => "It is told.".to_owned(),
    })
}

#[test]
fn a_relation_that_many_places_state_is_described_once_and_kept() {
    let text = thanks();
    let (book, asked) = read(text.as_bytes(), IndexConfig::default(), thankful);
    let related = of(&asked, "relation");
    assert_eq!(related.len(), 1);
    assert!(related[0].messages[1].content.ends_with("Name: Silas Tapp; Mrs Quennell"));
    assert_eq!(quoted(related[0]).lines().count(), 6);
    let relations = &book.book().index.knowledge.relations;
    assert_eq!(relations.len(), 1, "{relations:?}");
    assert_eq!(relations[0].description, Told::Written("TIED 6".to_owned()));
    assert_eq!(book.book().index.knowledge.keywords(&relations[0]), ["thanks"]);

    let file = book.save().unwrap();
    assert_eq!(open(&file).unwrap().book().index, book.book().index);
    let (again, asked) = read(&file, IndexConfig::default(), thankful);
    assert!(asked.is_empty(), "what ties them was described before: {}", asked.len());
    assert_eq!(&again.book().index.knowledge.relations, relations);

    // As many places as a description may have need no model.
    let few = text.split("CHAPTER 5").next().unwrap();
    let (book, asked) = read(few.as_bytes(), IndexConfig::default(), thankful);
    assert!(of(&asked, "relation").is_empty());
    assert_eq!(book.book().index.knowledge.relations[0].description.quoted().len(), FRAGMENTS);
}

#[test]
fn an_estimate_counts_types_gleaning_and_relations() {
    let estimated = |config: IndexConfig, text: &str| {
        let by = By { chat: true, embed: true };
        block_on(estimate::estimate(text.as_bytes(), &Default::default(), config, by, &Native::default()))
            .unwrap()
    };
    let stage = |estimate: &plotbridge::report::Estimate, name: &str| {
        estimate
            .stages
            .iter()
            .find(|stage| stage.stage == name)
            .map(|stage| (stage.requests, stage.requests_range))
    };
    let plain = estimated(IndexConfig::default(), STORY);
    assert_eq!(stage(&plain, "gleaning"), Some((3, [3, 3])));
    assert_eq!(stage(&plain, "types"), None);
    let without = estimated(IndexConfig { gleaning: 0, ..IndexConfig::default() }, STORY);
    assert_eq!(stage(&without, "gleaning"), None);
    let (types, [least, most]) = stage(&estimated(discover(20), STORY), "types").unwrap();
    assert!(types == 4 && least <= 4 && most >= 4, "three chunks and one list: {types}");
    let (_, asked) = read(STORY.as_bytes(), discover(20), sorts);
    assert_eq!(of(&asked, "types").len() + of(&asked, "inventory").len(), 4);
    assert!(stage(&plain, "relation_vectors").is_some_and(|(requests, _)| requests > 0));
}
