//! HippoRAG 2 from triples to ranks: against numbers that igraph and networkx give on a graph that a script
//! of its own builds (`tests/data/oracles.py`), and each step's rules.

use std::rc::Rc;

use plotbridge::algo::vector::Rows;
use plotbridge::book::Book;
use plotbridge::config::Recognition;
use plotbridge::graph::{Bar, Synonym, Synonyms};
use plotbridge::index::{Index, Space};
use plotbridge::knowledge::{
    Chunk, ChunkId, Entity, EntityId, EntityKind, Knowledge, Mention, Phrase, Span, Told, Triple, TripleKind,
};
use plotbridge::llm::Models;
use plotbridge::pace::{Native, Pace};
use plotbridge::stage::{Candidate, recognise, walk};
use plotbridge::text::Document;
use plotbridge::{AskOptions, Engine, IndexConfig, Method, QueryConfig};
use pollster::block_on;
use serde_json::Value;

use super::oracle::{close, id, list, number, numbers, oracles};
use super::support::*;
use crate::double::{Say, Scripted};

/// The numbers came through 32-bit vectors: cosines are off by some 1e-7, and are kept to four places.
const NEAR: f64 = 1e-4;

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn vectors(value: &Value) -> Rows {
    Rows::exact(4, list(value).iter().flat_map(numbers).map(|number| number as f32).collect())
}

/// The oracle's triples as an index that a chat model read.
fn index(case: &Value) -> Index {
    let chunk = |place: usize| Span::new(place * 10, place * 10 + 10);
    let chunks = case["chunks"].as_u64().unwrap() as usize;
    let mut knowledge = Knowledge::default();
    for (place, entity) in list(&case["entities"]).iter().enumerate() {
        knowledge.entities.push(Entity {
            name: text(&entity[0]),
            kind: EntityKind::Person,
            category: None,
            aliases: Vec::new(),
            description: Told::default(),
        });
        knowledge.mentions.extend(list(&entity[1]).iter().map(|at| Mention {
            entity: EntityId::new(place),
            chunk: ChunkId(id(at)),
            uses: vec![chunk(id(at) as usize)],
            description: Told::default(),
        }));
    }
    knowledge.mentions.sort_by_key(|mention| (mention.chunk, mention.entity));
    let named = |words: &Value| {
        let entity = knowledge.entities.iter().position(|entity| entity.name == text(words));
        Phrase { text: text(words), entity: entity.map(EntityId::new) }
    };
    let stated = list(&case["triples"]).iter().map(|triple| Triple {
        subject: named(&triple[0]),
        predicate: text(&triple[1]),
        object: named(&triple[2]),
        kind: TripleKind::Stated,
        chunk: ChunkId(id(&triple[3])),
        span: chunk(id(&triple[3]) as usize),
    });
    knowledge.triples = stated.collect();
    let none = Rows::exact(4, Vec::new());
    let space = Space {
        id: "oracle".to_owned(),
        dims: 4,
        tau: 0.5,
        quantile: 0.5,
        pons_edges: 0,
        d_cross: 0.0,
        probe: none.clone(),
        chunks: vectors(&case["chunk_vectors"]),
        entities: Rows::exact(4, [0.5, 0.5, 0.5, 0.5].repeat(knowledge.entities.len())),
        events: none.clone(),
        clusters: none.clone(),
        facts: vectors(&case["fact_vectors"]),
        relations: none,
        synonyms: Synonyms::default(),
    };
    let chunks = (0..chunks).map(|place| Chunk { span: chunk(place), chapter: 0, tokens: 3 });
    Index {
        document: Document {
            title: String::new(),
            author: String::new(),
            language: "en".to_owned(),
            text: "It rained.".repeat(chunks.len()),
            chapters: Vec::new(),
            skips: Vec::new(),
            issues: Vec::new(),
        },
        config: IndexConfig::default(),
        wishes: Default::default(),
        extractor: Some("oracle".to_owned()),
        prompts: None,
        chunks: chunks.collect(),
        knowledge,
        functional: Rows::default(),
        spaces: vec![space],
    }
}

fn synonyms(case: &Value, bar: Bar) -> Synonyms {
    let phrases: Vec<String> = list(&case["phrases"]).iter().map(text).collect();
    let (vectors, host) = (vectors(&case["phrase_vectors"]), Native::default());
    block_on(Synonyms::find(&phrases, &vectors, bar, &Pace::new(&host))).unwrap()
}

/// The book with its synonyms.
fn oracle_book() -> (Value, Book) {
    let case = oracles("hippo");
    let mut index = index(&case);
    index.spaces[0].synonyms = synonyms(&case, Bar::Cosine(0.8));
    let book = block_on(Book::new(index, &Pace::new(&Native::default()))).unwrap();
    (case, book)
}

/// The candidates that the oracle keeps.
fn kept(case: &Value, book: &Book) -> Vec<Candidate> {
    let question: Vec<f32> = numbers(&case["question"]).into_iter().map(|number| number as f32).collect();
    let mut facts = recognise::candidates(book, book.space().unwrap(), &question, &QueryConfig::default());
    let kept: Vec<usize> = list(&case["kept"]).iter().map(|fact| id(fact) as usize).collect();
    let places: Vec<usize> = (0..facts.len()).filter(|&place| kept.contains(&facts[place].fact)).collect();
    recognise::keep(&mut facts, &places);
    facts
}

#[test]
fn the_graph_is_the_oracle_s() {
    let (case, book) = oracle_book();
    let phrases: Vec<String> = list(&case["phrases"]).iter().map(text).collect();
    let ours: Vec<String> = book.phrases().iter().map(|phrase| phrase.to_lowercase()).collect();
    assert_eq!(ours, phrases);
    let found: Vec<(u32, u32)> =
        book.index.spaces[0].synonyms.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let expected: Vec<(u32, u32)> =
        list(&case["synonyms"]).iter().map(|edge| (id(&edge[0]), id(&edge[1]))).collect();
    assert_eq!(found, expected, "from no phrase of two letters, from both ends otherwise");

    let edges = walked(&book, -1.0);
    let mut expected: Vec<(usize, usize, f64)> = Vec::new();
    for edge in list(&case["edges"]) {
        let (a, b, weight) = (id(&edge[0]) as usize, id(&edge[1]) as usize, number(&edge[2]));
        expected.extend([(a, b, weight), (b, a, weight)]);
    }
    expected.sort_by_key(|edge| (edge.0, edge.1));
    assert_eq!(edges.len(), expected.len(), "{edges:?}");
    for (ours, theirs) in edges.iter().zip(&expected) {
        assert_eq!((ours.0, ours.1), (theirs.0, theirs.1));
        assert!((ours.2 - theirs.2).abs() < NEAR, "{ours:?} {theirs:?}");
    }
    let counts: Vec<f64> = book.graph.chunk_counts.iter().map(|&count| f64::from(count)).collect();
    close("chunk counts", &counts, &numbers(&case["chunk_counts"]), 0.0);
}

fn walked(book: &Book, least: f64) -> Vec<(usize, usize, f64)> {
    let host = Native::default();
    block_on(book.walk(book.space().unwrap(), least, &Pace::new(&host))).unwrap().edges().collect()
}

#[test]
fn the_walk_ranks_as_igraph_s_does() {
    let (case, book) = oracle_book();
    let facts = kept(&case, &book);
    let candidates: Vec<f64> = facts.iter().map(|fact| fact.score).collect();
    let expected: Vec<f64> = list(&case["candidates"]).iter().map(|fact| number(&fact[1])).collect();
    close("candidates", &candidates, &expected, 1e-6);
    close("phrase weights", &walk::phrase_weights(&book, &facts), &numbers(&case["phrase_weights"]), 1e-6);

    let question: Vec<f32> = numbers(&case["question"]).into_iter().map(|number| number as f32).collect();
    let (space, host) = (book.space().unwrap(), Native::default());
    let edges = block_on(book.walk(space, -1.0, &Pace::new(&host))).unwrap();
    let ranked = walk::walk(&book, (space, &question), &edges, &facts, &[], &QueryConfig::default());
    let rank = numbers(&case["rank"]);
    let (phrases, passages) = rank.split_at(book.graph.phrase_count());
    close("characters", &ranked.characters, &phrases[..book.graph.entity_count], NEAR);
    close("passages", &ranked.passages, passages, NEAR);
}

/// Where no fact is kept there is no walk; where one is kept whose score is 0 the chunks restart it alone.
#[test]
fn no_fact_is_no_walk_and_a_fact_of_no_weight_is_one() {
    let (case, book) = oracle_book();
    let mut facts = kept(&case, &book);
    let question = [0.5f32, 0.5, 0.5, 0.5];
    let (space, host) = (book.space().unwrap(), Native::default());
    let edges = block_on(book.walk(space, -1.0, &Pace::new(&host))).unwrap();
    let from = |facts: &[Candidate]| {
        walk::walk(&book, (space, &question), &edges, facts, &[], &QueryConfig::default())
    };
    facts.iter_mut().for_each(|fact| fact.score = 0.0);
    assert!(walk::phrase_weights(&book, &facts).iter().all(|&weight| weight == 0.0));
    let sum: f64 = from(&facts).passages.iter().sum();
    assert!(sum < 1.0, "a share of the walk is on phrases: {sum}");
    recognise::keep(&mut facts, &[]);
    let dense = from(&facts);
    assert_eq!(dense.passages.iter().copied().fold(0.0, f64::max), 1.0, "cosines, scaled");
    assert!(dense.characters.iter().all(|&cosine| (cosine - 1.0).abs() < 1e-6), "of the descriptions");
}

/// A pair that a fact ties takes the cosine in the direction in which it was found, and keeps the fact's
/// weight in the other; a phrase is no synonym of itself; above a bar of one's own there are none.
#[test]
fn a_synonym_sets_the_weight_of_its_direction() {
    let case = oracles("hippo");
    let mut index = index(&case);
    let (tapp, quennell, ferry) = (0, 1, 4);
    index.spaces[0].synonyms = Synonyms {
        least: 0.8,
        edges: vec![
            Synonym { from: tapp, to: ferry, cosine: 0.9 },
            Synonym { from: quennell, to: quennell, cosine: 1.0 },
        ],
    };
    let book = block_on(Book::new(index, &Pace::new(&Native::default()))).unwrap();
    let between = |least: f64| {
        let edges = walked(&book, least);
        edges.into_iter().find(|edge| (edge.0, edge.1) == (tapp as usize, ferry as usize)).unwrap().2
    };
    assert!((between(-1.0) - 1.9).abs() < 1e-12 && (between(0.95) - 2.0).abs() < 1e-12);
    assert!(walked(&book, -1.0).iter().all(|edge| edge.0 != edge.1));
}

/// What a model writes is taken for the candidate whose words are nearest: it can add no fact.
#[test]
fn replies_are_mapped_back_to_the_candidates() {
    let (case, book) = oracle_book();
    let facts = kept(&case, &book);
    let line = |place: usize| book.graph.facts[facts[place].fact].words.clone();
    let [subject, predicate, object] = line(1);
    for (reply, expected) in [
        (
            format!(
                r#"{{"facts":[{{"subject":"{subject}","predicate":"{predicate}","object":"{object}"}}]}}"#
            ),
            vec![1],
        ),
        (
            format!(
                r#"Sure! [["{subject}s", "{predicate}", "{object}"], ["{subject}", "{predicate}", "{object}"]]"#
            ),
            vec![1],
        ),
        (format!("- {} | {} | {}", line(3)[0], line(3)[1], line(3)[2].to_uppercase()), vec![3]),
        (r#"{"facts": []}"#.to_owned(), vec![]),
    ] {
        assert_eq!(recognise::read(&book, &reply, &facts), Ok(expected), "{reply}");
    }
    let all: Vec<String> = (0..facts.len())
        .map(|place| line(place).map(|word| format!("{word:?}")).join(","))
        .map(|words| format!("[{words}]"))
        .collect();
    let all = format!("[{}]", all.join(","));
    assert_eq!(recognise::read(&book, &all, &facts).map(|kept| kept.len()), Ok(4), "four at most");
    assert!(recognise::read(&book, "I cannot say.", &facts).is_err());
}

/// Asked of a book by rule with a chat model: it decides in `hippo`; the rule stands in for what it does not
/// do, and is not asked for where the configuration says so.
#[test]
fn a_chat_model_recognises_the_facts() {
    let book = story();
    let ask = |say: &'static str, recognition: Recognition| {
        let chat = Rc::new(Scripted::new(move |task: &str, _: &_| match task {
            "facts" => Say::Text(say.to_owned()),
            _ => Say::Text("### Final Answer\nYes.".to_owned()),
        }));
        let config = QueryConfig { recognition, ..QueryConfig::default() };
        let models = Models { chat: Some(chat.clone()), ..Models::default() };
        let options = AskOptions { method: Method::Hippo, config, models, ..AskOptions::default() };
        (retrieve(&book, "Who keeps the key of the chapel?", &options), chat.count("facts"))
    };
    let (trace, asked) = ask(r#"{"facts": []}"#, Recognition::Auto);
    assert_eq!((trace.recognition.by.as_str(), asked), ("chat", 1));
    assert!(!trace.facts.is_empty() && trace.facts.iter().all(|fact| !fact.kept && !fact.reason.is_empty()));
    assert!(trace.facts.is_sorted_by(|a, b| a.score >= b.score));
    let (trace, asked) = ask("I would rather not.", Recognition::Chat);
    assert_eq!((trace.recognition.by.as_str(), asked), ("rule", 2), "asked once more, then the rule");
    assert!(codes(&trace.issues).contains(&"reply_unreadable"), "{:?}", trace.issues);
    let (trace, asked) = ask("", Recognition::Off);
    assert_eq!((trace.recognition.by.as_str(), asked), ("off", 0));
    assert!(trace.facts.iter().all(|fact| fact.kept));

    let without = QueryConfig { recognition: Recognition::Chat, ..QueryConfig::default() };
    let options = AskOptions { method: Method::Hippo, config: without, ..AskOptions::default() };
    let trace = retrieve(&book, "Who keeps the key of the chapel?", &options);
    assert_eq!(trace.recognition.by, "rule");
    assert!(codes(&trace.issues).contains(&"needs_chat_model"));
}

/// An index from before synonyms were kept opens, answers, and is written as it was.
#[test]
fn an_index_without_synonyms_opens() {
    let mut file: Value = serde_json::from_slice(&story_file()).unwrap();
    assert!(!list(&file["spaces"][0]["synonyms"]["edges"]).is_empty());
    file["spaces"][0].as_object_mut().unwrap().remove("synonyms");
    let config = file["config"].as_array_mut().unwrap();
    config.retain(|setting| !setting[0].as_str().unwrap().starts_with("synonym"));
    let book: Engine = open(file.to_string().as_bytes()).unwrap();
    assert!(!retrieve(&book, "Who keeps the key?", &by(Method::Hippo)).evidence.is_empty());
    let again: Value = serde_json::from_slice(&book.save().unwrap()).unwrap();
    assert!(again["spaces"][0].get("synonyms").is_none());
}

#[test]
fn damaged_synonyms_are_refused() {
    let file: Value = serde_json::from_slice(&story_file()).unwrap();
    let crowd: Vec<Value> = (1..102).map(|to| serde_json::json!([0, to, 0.9])).collect();
    for (edges, words) in [
        (serde_json::json!([[0, 4_000_000, 0.9]]), "there is no phrase 4000000"),
        (serde_json::json!([[1, 1, 0.9]]), "of a phrase itself"),
        (serde_json::json!([[2, 1, 0.9], [1, 2, 0.9]]), "out of order"),
        (serde_json::json!([[1, 2, 0.9], [1, 2, 0.9]]), "out of order"),
        (serde_json::json!([[1, 2, 7.0]]), "7 is not a number"),
        (serde_json::json!([[1, 2, -0.1]]), "-0.1 is not a number"),
        (Value::Array(crowd), "too many"),
    ] {
        let mut file = file.clone();
        file["spaces"][0]["synonyms"]["edges"] = edges;
        let error = open(file.to_string().as_bytes()).err().unwrap();
        assert!(error.to_string().contains(words), "{error}");
    }
}
