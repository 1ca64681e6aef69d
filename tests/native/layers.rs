//! The two layers that a chat model reads, statement by statement (systems 1.2, 1.3): what it is asked, and
//! what becomes of what it says.

use std::rc::Rc;

use plotbridge::knowledge::Told;
use plotbridge::llm::{ChatRequest, Models};
use plotbridge::pace::{Native, Pace};
use pollster::block_on;

use super::models::{STORY, build, fair, fair_book};
use crate::double::{Scripted, quoted, task};

fn asked() -> Vec<ChatRequest> {
    let model = Rc::new(Scripted::new(fair));
    let models = Models { chat: Some(model.clone()), embed: None, at_once: 1, ..Models::default() };
    build(STORY, &models).unwrap();
    model.asked.take()
}

fn of<'a>(asked: &'a [ChatRequest], name: &str) -> Vec<&'a ChatRequest> {
    asked.iter().filter(|request| task(request) == name).collect()
}

/// 1.2: one question of each kind for a chunk, at temperature 0; triples are asked for the names that stand
/// in the chunk, the descriptions of one name are merged together with it, in the book's order.
#[test]
fn the_character_layer_is_asked_for_as_the_paper_says() {
    let asked = asked();
    assert!(asked.iter().all(|request| request.temperature == 0.0));
    assert_eq!(["entities", "triples", "events"].map(|name| of(&asked, name).len()), [3, 3, 3]);
    let first = &of(&asked, "triples")[0].messages[1].content;
    assert!(first.ends_with("Names: Silas Tapp; Mrs Quennell; the brass key"), "{first}");
    let merged = of(&asked, "description");
    let quennell = merged.iter().find(|request| request.messages[1].content.ends_with("Name: Mrs Quennell"));
    assert_eq!(
        quoted(quennell.unwrap()),
        "Mrs Quennell is a passenger who trusts the ferryman.\nMrs Quennell is the sister of Captain Lind."
    );
}

/// 1.2: one node for each name, a description for each mention, one for each entity; types by the schema,
/// with a fallback.
#[test]
fn every_mention_has_its_description_and_every_entity_one() {
    let book = fair_book();
    let knowledge = &book.book().index.knowledge;
    let entity = |name: &str| {
        let place = knowledge.entities.iter().position(|entity| entity.name == name).unwrap();
        (place, &knowledge.entities[place])
    };
    for (name, kind, written) in
        [("Silas Tapp", "person", 2), ("Mrs Quennell", "person", 2), ("harbour office", "group", 1)]
    {
        let (place, entity) = entity(name);
        assert_eq!(entity.kind.as_str(), kind, "{name}");
        let mentions = knowledge.mentions.iter().filter(|mention| mention.entity.index() == place);
        let told = mentions.filter(|mention| matches!(mention.description, Told::Written(_))).count();
        assert_eq!(told, written, "{name}");
        let Told::Written(words) = &entity.description else { panic!("{name} has no words") };
        assert_eq!(words.starts_with("MERGED "), written > 1, "{name}: one alone is kept as it is: {words}");
    }
}

/// 1.3: a memory card for each event, in the order of chunk and telling; one cluster for each label, case
/// and punctuation aside; a summary for several, itself for one.
#[test]
fn the_plot_layer_holds_memory_cards_in_order() {
    let asked = asked();
    let summed = of(&asked, "summary");
    assert_eq!(summed.len(), 1, "a label that comes once costs nothing");
    assert_eq!(
        quoted(summed[0]),
        "Silas Tapp rows Mrs Quennell over the river.\nCaptain Lind walks up the hill."
    );
    let book = fair_book();
    let knowledge = &book.book().index.knowledge;
    assert!(knowledge.events.is_sorted_by_key(|event| (event.chunk, event.span.start)));
    for (place, cluster) in knowledge.clusters.iter().enumerate() {
        let folded = |label: &str| label.to_lowercase().replace('!', "");
        let same = knowledge.clusters.iter().filter(|other| folded(&other.label) == folded(&cluster.label));
        assert_eq!(same.count(), 1, "{}", cluster.label);
        let told = cluster.summary.line(&book.book().index.document.text);
        match cluster.events[..] {
            [only] => assert_eq!(told, book.book().details(only)),
            _ => assert!(told.starts_with("SUMMED "), "{told}"),
        }
        for event in &cluster.events {
            assert_eq!(knowledge.events[event.index()].cluster.index(), place);
        }
    }
}

/// Systems 3: what a chat model read is tied as HippoRAG 2 ties it, an entity to the chunks that state
/// something of it, one of which nothing is stated to those that name it.
#[test]
fn entities_of_a_model_are_tied_to_what_states_them() {
    let book = fair_book();
    let (book, host) = (book.book(), Native::default());
    let edges = block_on(book.walk(book.space().unwrap(), -1.0, &Pace::new(&host))).unwrap();
    let chunks = |name: &str| -> Vec<usize> {
        let vertex = book.index.knowledge.entities.iter().position(|entity| entity.name == name).unwrap();
        let first = book.graph.phrase_count();
        edges.row(vertex).filter(|&(to, _)| to >= first).map(|(to, _)| to - first).collect()
    };
    assert_eq!(chunks("Silas Tapp"), [0], "named in all three, but stated in the first");
    assert_eq!(chunks("Mrs Quennell"), [0, 2]);
    assert_eq!(chunks("harbour office"), [1], "nothing is stated of it");
}
