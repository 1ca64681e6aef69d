//! Knowledge without a chat model: what must hold for any text, small scenes with known people, and
//! ten novels against LitBank's characters.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet};

use plotbridge::config::{By, IndexConfig};
use plotbridge::knowledge::{Chunk, Entity, EntityKind, Issue, Knowledge, Span, TripleKind};
use plotbridge::offline::extract;
use plotbridge::pace::{Native, Pace};
use plotbridge::text::{Document, ReadOptions, chunk, read, sentences};
use proptest::prelude::*;

use super::support::{self, shared};

struct Book {
    document: Document,
    chunks: Vec<Chunk>,
    knowledge: Knowledge,
    issues: Vec<Issue>,
}

fn study(bytes: &[u8], config: &IndexConfig) -> Option<Book> {
    let document = read(bytes, &ReadOptions::default()).ok()?;
    let chunks = chunk(&document, config.chunk_tokens, config.chunk_overlap);
    let host = Native::default();
    let (knowledge, issues) =
        pollster::block_on(extract(&document, &chunks, config, &Pace::new(&host))).unwrap();
    Some(Book { document, chunks, knowledge, issues })
}

fn tell(text: &str) -> Book {
    study(text.as_bytes(), &IndexConfig::default()).unwrap()
}

impl Book {
    fn entity(&self, name: &str) -> &Entity {
        let named = |entity: &&Entity| entity.aliases.iter().any(|alias| alias.name == name);
        let found: Vec<&Entity> = self.knowledge.entities.iter().filter(named).collect();
        assert_eq!(found.len(), 1, "{name:?} among {:?}", self.names());
        found[0]
    }

    fn names(&self) -> Vec<&str> {
        self.knowledge.entities.iter().map(|entity| entity.name.as_str()).collect()
    }

    /// Panics unless every promise of `Knowledge` holds.
    fn check(&self) {
        let text = &self.document.text;
        let fits = |span: &Span| assert!(!span.is_empty() && text.get(span.range()).is_some(), "{span:?}");
        let knowledge = &self.knowledge;
        let names: BTreeSet<String> =
            knowledge.entities.iter().map(|entity| entity.name.to_lowercase()).collect();
        assert_eq!(names.len(), knowledge.entities.len(), "names are unique");
        for entity in &knowledge.entities {
            entity.description.quoted().iter().for_each(fits);
            assert!(entity.description.quoted().is_sorted() && !entity.description.quoted().is_empty());
            assert!(entity.aliases.iter().any(|alias| alias.name == entity.name));
            assert!(entity.aliases.is_sorted_by_key(|alias| std::cmp::Reverse(alias.count)));
            assert!(
                entity.aliases.iter().all(|alias| alias.evidence as usize <= text.len() && alias.count > 0)
            );
        }
        let keys: Vec<_> = knowledge.mentions.iter().map(|mention| (mention.chunk, mention.entity)).collect();
        assert!(keys.is_sorted_by(|a, b| a < b), "mentions are sorted, one a chunk and entity");
        for mention in &knowledge.mentions {
            let chunk = self.chunks[mention.chunk.index()].span;
            assert!(mention.entity.index() < knowledge.entities.len() && !mention.uses.is_empty());
            assert!(!mention.description.quoted().is_empty() && mention.uses.is_sorted());
            for span in mention.uses.iter().chain(mention.description.quoted()) {
                fits(span);
                assert!(chunk.contains(*span));
            }
        }
        for triple in &knowledge.triples {
            fits(&triple.span);
            assert!(!triple.predicate.is_empty() && !triple.object.text.is_empty());
            assert!(triple.chunk.index() < self.chunks.len());
        }
        self.check_plot();
    }

    fn check_plot(&self) {
        let knowledge = &self.knowledge;
        let mut told: Vec<Span> =
            self.chunks.iter().flat_map(|chunk| sentences(&self.document.text, chunk.span)).collect();
        told.dedup();
        let mut at = 0;
        for event in &knowledge.events {
            assert!(self.chunks[event.chunk.index()].span.contains(event.span) && !event.label.is_empty());
            assert_eq!(told[at].start, event.span.start, "events tile the sentences");
            while at < told.len() && told[at].end <= event.span.end {
                at += 1;
            }
            assert_eq!(told[at - 1].end, event.span.end, "an event is whole sentences");
            let once: BTreeSet<_> = event.participants.iter().collect();
            assert_eq!(once.len(), event.participants.len());
        }
        assert_eq!(at, told.len(), "no sentence is left out");
        let mut seen = 0;
        for (index, cluster) in knowledge.clusters.iter().enumerate() {
            assert!(
                !cluster.events.is_empty()
                    && cluster.events.is_sorted()
                    && !cluster.summary.quoted().is_empty()
            );
            seen += cluster.events.len();
            for event in &cluster.events {
                let event = &knowledge.events[event.index()];
                assert_eq!(event.cluster.index(), index);
                assert_eq!(event.label.to_lowercase(), cluster.label.to_lowercase());
            }
        }
        assert_eq!(seen, knowledge.events.len());
        assert!(knowledge.clusters.is_sorted_by_key(|cluster| cluster.events[0]));
    }
}

const SCENE: &str = "CHAPTER I\n\nMr. Edmund Thorne, the keeper of the light, lived at Gull Point. \
    Edmund had been a quiet man since the wreck. His sister Anne came to Gull Point in May. \
    \"Good evening, Edmund,\" said Anne. Mr. Thorne took the lamp. The old woman laughed at Anne.\n\n\
    Mrs. Thorne hated the Thornes. Mrs. Thorne gave Anne a letter. \"Where is Thorne?\" asked the old woman. \
    Anne wept, and the old woman left her. In London they knew nothing of it. Anne was never in London. \
    The old woman said no more. Alas! On Sunday Captain Miles Reed arrived. Reed married Anne in the chapel.\n";

#[test]
fn offline_people_of_a_scene_are_told_apart() {
    let book = tell(SCENE);
    book.check();
    let thorne = book.entity("Mr Edmund Thorne");
    for form in ["Edmund", "Mr Thorne"] {
        assert!(thorne.aliases.iter().any(|alias| alias.name == form), "{form} of {thorne:?}");
    }
    assert_ne!(book.entity("Mrs Thorne").name, thorne.name);
    assert_eq!(book.entity("the Thornes").kind, EntityKind::Group);
    assert_eq!(book.entity("Gull Point").kind, EntityKind::Place);
    assert_eq!(book.entity("London").kind, EntityKind::Place);
    assert_eq!(book.entity("Captain Miles Reed").name, book.entity("Reed").name);
    for name in ["Anne", "the old woman", "Reed", "Mr Edmund Thorne"] {
        assert_eq!(book.entity(name).kind, EntityKind::Person, "{name}");
    }
    for noise in ["Alas", "May", "Sunday", "Good", "His", "On"] {
        assert!(!book.names().contains(&noise), "{noise}");
    }
}

#[test]
fn offline_forms_are_merged_and_kept_apart() {
    let rows: [(&str, &[&str], &[&str]); 10] = [
        (
            "Mr. John Fell met Jane Fell. Mr. Fell bowed. Miss Fell smiled. Mrs. Fell slept.",
            &["Mr John Fell", "Mr Fell"],
            &["Mr Fell", "Miss Fell", "Mrs Fell"],
        ),
        (
            "Catherine Moor sang. Then Cathy laughed, and Cathy sat. We saw Will Moor eat. Then William slept.",
            &["Catherine Moor", "Cathy"],
            &["Cathy", "Will Moor"],
        ),
        (
            "Robert Ash wrote. Henry Ash read. We met Ash. They asked Ash.",
            &[],
            &["Robert Ash", "Henry Ash", "Ash"],
        ),
        (
            "Old Sir Guy Orme rode. Then Sir Guy spoke. Lady Orme wept. Miss Orme wept.",
            &["Sir Guy Orme", "Sir Guy"],
            &["Sir Guy", "Lady Orme", "Miss Orme"],
        ),
        (
            "George Vane sat. We saw King George. They crowned King George.",
            &[],
            &["George Vane", "King George"],
        ),
        (
            "After a long, long, long way there came Long Meg Birtle. They saw Long Meg Birtle. In came Meg Birtle. Meg left.",
            &["Long Meg Birtle", "Meg Birtle", "Meg"],
            &[],
        ),
        (
            "St. Clare Wood spoke. Mr. Wood answered. Clare Wood came.",
            &["Mr Wood"],
            &["St Clare Wood", "Clare Wood"],
        ),
        (
            "Edward Lisle Crane rose. Lisle Crane spoke. Edward Crane left.",
            &["Edward Lisle Crane", "Lisle Crane", "Edward Crane"],
            &[],
        ),
        (
            "Osric Penn dug, and he sang. Mrs. Penn wept. They saw Osric, and he ran. Mrs. Penn left.",
            &["Osric Penn", "Osric"],
            &["Osric Penn", "Mrs Penn"],
        ),
        (
            "Squire Hale sat. Tom Hale drank, and Ned Hale drank. Squire Hale rose. Squire Hale left.",
            &[],
            &["Squire Hale", "Tom Hale", "Ned Hale"],
        ),
    ];
    for (text, together, apart) in rows {
        let book = tell(text);
        let names: BTreeSet<&str> = together.iter().map(|form| book.entity(form).name.as_str()).collect();
        assert!(names.len() <= 1, "{text} {names:?}");
        let names: BTreeSet<&str> = apart.iter().map(|form| book.entity(form).name.as_str()).collect();
        assert_eq!(names.len(), apart.len(), "{text} {names:?}");
    }
}

#[test]
fn offline_wives_offices_and_names_used_once_are_told() {
    let book = tell(
        "Mrs. Quill Marden came in. Mrs. Quill Marden sat down. She spoke to Mr. Marden. Quill Marden took his hat. \
         Quill said that he was late. Dr. Orsay arrived at noon. Dr. Orsay asked for water. The doctor drank it. \
         The doctor thanked them. Unfortunately, it rained. Unfortunately, it rained again. In the morning Ursula \
         laughed. His Excellency smiled. His Excellency left.",
    );
    let forms = |name: &str| -> Vec<String> {
        book.entity(name).aliases.iter().map(|alias| alias.name.clone()).collect()
    };
    assert_eq!(forms("Mrs Quill Marden"), ["Mrs Quill Marden"], "a wife bears his name");
    assert!(forms("Quill Marden").contains(&"Mr Marden".to_owned()), "{:?}", forms("Quill Marden"));
    assert!(forms("Dr Orsay").contains(&"the doctor".to_owned()), "the only doctor");
    assert_eq!(book.entity("Ursula").kind, EntityKind::Person);
    for name in ["Unfortunately", "Excellency"] {
        assert!(!book.names().contains(&name), "{:?}", book.names());
    }
}

#[test]
fn offline_triples_follow_pronouns_where_it_is_safe() {
    let book = tell(
        "Mrs. Lorne waited for her sister Judith. It rained. It was late. The gate was shut. Mr. Tapp spoke. \
         He opened the heavy gate. It rained. It was late. Mrs. Lorne went home. She kissed Clara.",
    );
    let told: Vec<String> = book
        .knowledge
        .triples
        .iter()
        .filter(|triple| triple.kind == TripleKind::Stated)
        .map(|triple| format!("{} {} {}", triple.subject.text, triple.predicate, triple.object.text))
        .collect();
    assert!(told.contains(&"Mr Tapp open heavy gate".to_owned()), "{told:?}");
    assert!(told.contains(&"Mrs Lorne kiss Clara".to_owned()), "{told:?}");
    assert!(told.contains(&"Judith sister of Mrs Lorne".to_owned()), "{told:?}");
}

#[test]
fn offline_aliases_say_where_a_reader_can_know() {
    let book = tell(SCENE);
    let thorne = book.entity("Edmund");
    let alias = |name: &str| thorne.aliases.iter().find(|alias| alias.name == name).unwrap();
    let text = &book.document.text;
    assert_eq!(alias("Mr Edmund Thorne").reason, "first form");
    let surname = alias("Mr Thorne");
    assert_eq!(surname.evidence as usize, text.find("Mr. Thorne").unwrap() + "Mr. Thorne".len());
    assert!(surname.reason.contains("surname"));
}

#[test]
fn offline_triples_state_what_the_text_states() {
    let book = tell(SCENE);
    let stated: Vec<(String, String, String)> = book
        .knowledge
        .triples
        .iter()
        .filter(|triple| triple.kind == TripleKind::Stated)
        .map(|triple| (triple.subject.text.clone(), triple.predicate.clone(), triple.object.text.clone()))
        .collect();
    let has = |subject: &str, predicate: &str, object: &str| {
        let name = |form: &str| {
            let named = |entity: &&Entity| entity.aliases.iter().any(|alias| alias.name == form);
            book.knowledge.entities.iter().find(named).map_or(form.to_owned(), |entity| entity.name.clone())
        };
        let triple = (name(subject), predicate.to_owned(), name(object));
        assert!(stated.contains(&triple), "{triple:?} in {stated:?}");
    };
    has("Mr Edmund Thorne", "is", "keeper of the light");
    has("Mrs Thorne", "hate", "the Thornes");
    has("the old woman", "laugh", "Anne");
    has("Reed", "marry", "Anne");
    has("Mr Thorne", "take", "lamp");
    has("Anne", "speaks to", "Edmund");
}

#[test]
fn offline_events_are_named_by_class_and_people() {
    let book = tell(SCENE);
    let labels: Vec<&str> = book.knowledge.events.iter().map(|event| event.label.as_str()).collect();
    assert!(labels.iter().any(|label| label.starts_with("marriage: ")), "{labels:?}");
    assert!(labels.iter().any(|label| label.contains("Anne")), "{labels:?}");
}

#[test]
fn offline_events_are_named_after_what_happens_alone() {
    let book = tell(
        "It must be confessed that Anne might have refused the letter, if she had ever been asked to marry any man \
        of the village.\n\n\
        \"Will you leave us, Anne? Would you never return? I could not bear to part with you, Anne, though the whole \
        village should turn against us.\"\n\n\
        Anne stole out of the house before it was light, and nobody in the whole of the village saw which way she took.\n",
    );
    let labels: Vec<&str> = book.knowledge.events.iter().map(|event| event.label.as_str()).collect();
    assert_eq!(labels, ["description: Anne", "speech: Anne", "departure: Anne"]);
}

/// Two chapters, each with a narrator of its own whom others call by name.
const TOLD: &str = "CHAPTER I\n\nI came to the mill in May. I asked for a bed, and I was given one. \
    \"You are early, Mr. Marsh,\" said the old man. I sat by the fire. I ate. \"The house is old, Mr. Marsh; \
    I was born here.\" I begged old Ellis to tell me the story of the mill. \"Then sit down, Mr. Marsh,\" he \
    said, and coughed, and I drank.\n\n\
    CHAPTER II\n\nI was a boy when Mrs. Rowe bought the mill, he began. I fetched her the water, and I carried \
    her the meal. \"Ellis, you are slow,\" said Mrs. Rowe. I ran. I never liked her. \"Come in, Ellis,\" said \
    Mrs. Rowe one night. \"Ellis, I am ill.\" I went in, and I saw Mrs. Rowe weep. Mrs. Rowe died in June.\n\n\
    CHAPTER III\n\nThe mill fell down. Nobody wept for Mrs. Rowe. The water ran where it liked.\n";

#[test]
fn offline_narrators_are_named_by_chapter() {
    let book = tell(TOLD);
    book.check();
    assert!(!book.names().contains(&"I"));
    let id = |name: &str| book.knowledge.entities.iter().position(|entity| entity.name == name).unwrap();
    let told: Vec<(&str, &str)> = book
        .knowledge
        .triples
        .iter()
        .filter(|triple| triple.predicate == "narrates as")
        .map(|triple| (triple.subject.text.as_str(), triple.span.of(&book.document.text)))
        .collect();
    assert_eq!(told.iter().map(|(who, _)| *who).collect::<Vec<_>>(), ["Mr Marsh", "Ellis"]);
    assert!(told[1].1.contains("tell me the story"), "{told:?}");
    let takes_part = |name: &str, word: &str| {
        let events = book.knowledge.events.iter();
        let mut events = events.filter(|event| event.span.of(&book.document.text).contains(word));
        events.any(|event| event.participants.iter().any(|who| who.index() == id(name)))
    };
    assert!(takes_part("Mr Marsh", "I drank") && takes_part("Ellis", "I ran"));
    assert!(!takes_part("Ellis", "liked.\n") && !takes_part("Mr Marsh", "I ran"));
}

#[test]
fn offline_small_and_foreign_texts_have_a_result() {
    for text in [
        "Hello.",
        "Il était une fois un roi.",
        "从前有一个国王。他很老。",
        "...",
        "I",
        "A. B. C.",
        "\"\"'s 's",
    ] {
        if let Some(book) = study(text.as_bytes(), &IndexConfig::default()) {
            book.check();
        }
    }
    let book = tell("The rain fell all day on the empty road.");
    assert_eq!(book.knowledge.events.len(), 1);
    assert!(book.issues.iter().any(|issue| issue.code == "no_persons"));
}

#[test]
fn offline_hostile_names_are_bounded_and_said() {
    let mut text = String::new();
    for index in 0..60_000 {
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        let tail: String = [index, index / 26, index / 676, index / 17_576].map(letter).iter().collect();
        text.push_str(&format!("and John X{tail} and Mr. X{tail} "));
    }
    let book = tell(&text);
    book.check();
    assert!(book.issues.iter().any(|issue| issue.code == "names_capped"));
}

#[test]
fn offline_without_merging_every_form_is_an_entity_of_its_own() {
    let config = |merging| IndexConfig { merging, ..IndexConfig::default() };
    let text = support::read_file("books/white-line.txt");
    let [merged, apart] = [By::Auto, By::Off].map(|by| study(text.as_bytes(), &config(by)).unwrap());
    apart.check();
    let forms = |book: &Book| book.knowledge.entities.iter().map(|one| one.aliases.len()).max();
    assert!(forms(&merged) > Some(1), "nothing to take apart");
    assert_eq!(forms(&apart), Some(1));
    assert!(apart.knowledge.entities.len() > merged.knowledge.entities.len());
}

#[test]
fn offline_overlapping_chunks_repeat_no_event() {
    let config = IndexConfig { chunk_tokens: 64, chunk_overlap: 32, ..IndexConfig::default() };
    let book = study(SCENE.as_bytes(), &config).unwrap();
    let starts: Vec<u32> = book.knowledge.events.iter().map(|event| event.span.start).collect();
    assert!(starts.is_sorted_by(|a, b| a < b));
    assert!(book.chunks.len() > 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn offline_any_text_keeps_the_promises(text in "([A-Z][a-z]{1,4}|[a-z]{1,5}|Mr\\.|Mrs|the|of|said|king|\"|'s|\\.|,|\n\n|é|—){0,120}( |\n)?") {
        let spaced: String = text.chars().flat_map(|c| if c.is_uppercase() { vec![' ', c] } else { vec![c] }).collect();
        for text in [text, spaced] {
            if let Some(book) = study(text.as_bytes(), &IndexConfig { chunk_tokens: 64, event_words: 5, ..IndexConfig::default() }) {
                book.check();
            }
        }
    }
}

/// Figures of one or more books against LitBank's characters.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    /// Named gold characters with three mentions or more.
    gold: usize,
    /// Of these, found: most of the name uses are of one person of ours.
    found: usize,
    /// Persons of ours with uses in the excerpt.
    ours: usize,
    /// Of these, on a mention of a gold character.
    right: usize,
    /// Pairs of gold name uses of one character that we name at all.
    pairs: usize,
    /// Of these, both of one entity of ours.
    together: usize,
    /// Pairs of those uses that are of one entity of ours.
    joined: usize,
}

fn compare(book: &Book, gold: &serde_json::Value) -> Figures {
    let text = &book.document.text;
    let bytes: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let at = |value: &serde_json::Value| bytes[value.as_u64().unwrap() as usize] as u32;
    let until = at(&gold["char_span"][1]);
    let mut uses: Vec<(Span, usize)> = book
        .knowledge
        .mentions
        .iter()
        .flat_map(|mention| mention.uses.iter().map(|span| (*span, mention.entity.index())))
        .filter(|(span, _)| span.start < until)
        .collect();
    uses.sort();
    let person = |entity: &usize| book.knowledge.entities[*entity].kind == EntityKind::Person;
    let mut figures = Figures::default();
    let mut touched: BTreeSet<usize> = BTreeSet::new();
    // For each gold name use that one of ours overlaps: the gold character and our entity.
    let mut matched: Vec<(usize, usize)> = Vec::new();
    for (character, entry) in gold["characters"].as_array().unwrap().iter().enumerate() {
        let mut ours: BTreeMap<usize, usize> = BTreeMap::new();
        let mut named = 0;
        for mention in
            entry["mentions"].as_array().unwrap().iter().filter(|mention| mention["form"] != "PRON")
        {
            let span = Span { start: at(&mention["start"]), end: at(&mention["end"]) };
            let overlap = uses.iter().filter(|(used, _)| used.start < span.end && span.start < used.end);
            let hits: Vec<usize> = overlap.map(|(_, entity)| *entity).collect();
            touched.extend(&hits);
            if mention["form"] == "PROP" {
                named += 1;
                if let Some(entity) = hits.iter().find(|entity| person(entity)).or(hits.first()) {
                    *ours.entry(*entity).or_default() += 1;
                    matched.push((character, *entity));
                }
            }
        }
        if named > 0 && entry["named"] == true && entry["n_mentions"].as_u64() >= Some(3) {
            figures.gold += 1;
            let best = ours.iter().filter(|(entity, _)| person(entity)).map(|(_, count)| *count).max();
            let found = best.is_some_and(|best| best * 2 > named);
            figures.found += usize::from(found);
            if !found {
                let names: Vec<_> =
                    ours.keys().map(|entity| &book.knowledge.entities[*entity].name).collect();
                eprintln!("  not found: {} ({named} names), ours {names:?}", entry["name"]);
            }
        }
    }
    let ours: BTreeSet<usize> = uses.iter().map(|(_, entity)| *entity).filter(person).collect();
    figures.ours = ours.len();
    figures.right = ours.intersection(&touched).count();
    let wrong: Vec<_> =
        ours.difference(&touched).map(|entity| &book.knowledge.entities[*entity].name).collect();
    if !wrong.is_empty() {
        eprintln!("  not persons: {wrong:?}");
    }
    for (index, (gold, entity)) in matched.iter().enumerate() {
        for (other, with) in &matched[index + 1..] {
            figures.pairs += usize::from(gold == other);
            figures.joined += usize::from(entity == with);
            figures.together += usize::from(gold == other && entity == with);
        }
    }
    figures
}

#[test]
#[ignore = "reads ../shared/data"]
fn offline_persons_of_ten_novels_are_litbanks() {
    let Some(gold) = shared("data/litbank/characters") else { return };
    let Some(books) = shared("data/books") else { return };
    let mut sum = Figures::default();
    let mut read = 0;
    let mut files: Vec<_> = std::fs::read_dir(gold).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let book = books.join(file.with_extension("txt").file_name().unwrap());
        let Ok(bytes) = std::fs::read(&book) else { continue };
        let book = study(&bytes, &IndexConfig::default()).unwrap();
        eprintln!("{}", file.display());
        let one = compare(&book, &serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap());
        eprintln!("  {one:?}");
        read += 1;
        sum.gold += one.gold;
        sum.found += one.found;
        sum.ours += one.ours;
        sum.right += one.right;
        sum.pairs += one.pairs;
        sum.together += one.together;
        sum.joined += one.joined;
    }
    assert_eq!(read, 10);
    let share = |part: usize, whole: usize| part as f64 / whole as f64;
    let (recall, precision) = (share(sum.found, sum.gold), share(sum.right, sum.ours));
    let (pair_recall, pair_precision) = (share(sum.together, sum.pairs), share(sum.together, sum.joined));
    eprintln!(
        "{sum:?}\nrecall {recall:.3} precision {precision:.3} pairs {pair_recall:.3} {pair_precision:.3}"
    );
    assert!(recall >= 0.78, "named characters found: {recall:.3}");
    assert!(precision >= 0.88, "persons that are characters: {precision:.3}");
    assert!(
        pair_recall >= 0.82 && pair_precision >= 0.95,
        "uses brought together: {pair_recall:.3}, {pair_precision:.3}"
    );
}
