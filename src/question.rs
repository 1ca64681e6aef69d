//! A question as the stages see it: its terms, its vector, the names in it, and what it asks for.

use crate::algo::bm25::idf;
use crate::book::Book;
use crate::error::{Code, Error, Result};
use crate::index::Space;
use crate::knowledge::{EntityId, Event, EventId};
use crate::lexical::words;
use crate::offline::english;
use crate::pace::Pace;

/// Longest question accepted, in characters.
const LONGEST: usize = 2000;
/// Longest name looked for, in words.
const NAME_WORDS: usize = 6;

/// What kind of thing would answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Who, whom, whose.
    Who,
    /// Where.
    Where,
    /// When, how long.
    When,
    /// Why.
    Why,
    /// How many, how much.
    HowMany,
    /// What someone or something looks like.
    Looks,
    /// Anything else.
    What,
}

/// Which way in time a question looks from the scene it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// What came next: after, then, what happened when.
    Forward,
    /// What came before: before, why.
    Backward,
}

/// One content word of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Its id in the book's lexicon, where the book holds it.
    pub id: Option<u32>,
    /// How telling it is: its inverse document frequency over the book's events.
    pub weight: f64,
}

/// A question's vector in a space that is not the built-in one.
#[derive(Clone, Debug, PartialEq)]
pub struct Elsewhere {
    /// The space's place in the index.
    pub space: usize,
    /// The vector, of unit length.
    pub vector: Vec<f32>,
}

/// An analysed question.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// As asked.
    pub text: String,
    /// Its distinct content words.
    pub terms: Vec<Term>,
    /// Its unit vector in the built-in space; zeros without content words.
    pub vector: Vec<f32>,
    /// Its vector in an endpoint's space of the index, where that embedder was asked.
    pub elsewhere: Option<Elsewhere>,
    /// The entities it names, each once, sorted.
    pub names: Vec<EntityId>,
    /// What would answer it.
    pub asks: Asks,
    /// The class of happening that it asks about, as events are labelled: `departure` for *leave*.
    pub happening: Option<&'static str>,
    /// The word for the happening, where the book holds it.
    pub happened: Option<u32>,
    /// The share of the question's weight that this word has.
    pub stake: f64,
    /// How many content words it has beside names and the happening.
    pub rest: usize,
    /// Whether it asks who tells the story.
    pub tells: bool,
    /// Whether it asks for what is next to a scene in time.
    pub direction: Option<Direction>,
}

impl Question {
    /// Analyses a question against a book.
    ///
    /// # Errors
    /// `question_invalid` when it is empty or over 2000 characters; `aborted` when the caller cancels.
    pub async fn new(book: &Book, text: &str, pace: &Pace<'_>) -> Result<Self> {
        let length = text.chars().count();
        if length > LONGEST {
            let message = format!("the question has {length} characters, but may have {LONGEST} at most");
            return Err(Error::new(Code::QuestionInvalid, message));
        }
        if !text.chars().any(char::is_alphanumeric) {
            return Err(Error::new(Code::QuestionInvalid, "the question is empty"));
        }
        let folded: Vec<String> = words(text).map(|word| word.into_owned()).collect();
        let asks = asks(&folded);
        // What asks for looks is not itself looked for.
        let asking = |word: &str| asks == Asks::Looks && ["look", "looks", "looked", "like"].contains(&word);
        let content: String = folded
            .iter()
            .filter(|word| !english::is_meta(word) && !asking(word))
            .map(|word| format!("{word} "))
            .collect();
        let names = named(book, &folded);
        let content_words =
            || folded.iter().filter(|word| !english::is_stop(word) && !english::is_meta(word));
        let happening = content_words().find_map(|word| english::happening(word));
        let rest =
            content_words().filter(|word| english::happening(word) != happening || happening.is_none());
        let rest = rest.filter(|word| !is_of_name(book, &names, word)).count();
        let terms = terms(book, &content);
        let word = content_words().find(|word| english::happening(word).is_some());
        Ok(Self {
            happened: word.and_then(|word| book.lexicon.look_up(word).first()?.1),
            stake: word.map_or(0.0, |word| stake(book, &terms, word)),
            terms,
            vector: book.embedder(pace).await?.embed(&book.lexicon, &content),
            elsewhere: None,
            names,
            asks,
            happening,
            rest,
            tells: asks == Asks::Who && tells(&folded),
            direction: direction(&folded),
            text: text.to_owned(),
        })
    }

    /// Whether it names this entity.
    pub fn names(&self, entity: EntityId) -> bool {
        self.names.binary_search(&entity).is_ok()
    }

    /// How well an event's label fits the happening that is asked about, 0 to 1: whole where it is first of
    /// one whom the question names, half where others come first or the question names nobody.
    pub fn fit(&self, book: &Book, event: &Event) -> f64 {
        let (what, who) = event.label.split_once(": ").unwrap_or((&event.label, ""));
        if self.happening != Some(what) {
            return 0.0;
        }
        let entity = |id: &EntityId| book.index.knowledge.entities.get(id.index());
        let named = |name: &str| self.names.iter().filter_map(entity).any(|entity| entity.name == name);
        match who.split(", ").position(named) {
            Some(0) => 1.0,
            Some(_) => 0.5,
            None if self.names.is_empty() => 0.5,
            None => 0.0,
        }
    }

    /// The same of an event by its id.
    pub fn fit_of(&self, book: &Book, event: EventId) -> f64 {
        book.index.knowledge.events.get(event.index()).map_or(0.0, |event| self.fit(book, event))
    }

    /// The share of the question's weight that an event's window covers. An event labelled as the happening
    /// that is asked about covers the word for it, whichever word it has itself.
    pub fn cover_at(&self, book: &Book, event: usize, fit: f64) -> f64 {
        let stream = book.lexicon.terms_at(book.scales.window(event));
        let said = self.happened.is_some_and(|id| stream.contains(&id));
        let other = if fit > 0.0 && !said { self.stake } else { 0.0 };
        (self.cover(stream) + other).min(1.0)
    }

    /// The space the question is compared in, and its vector there: an endpoint's where it is in one, else
    /// the built-in one.
    pub fn space<'a>(&'a self, book: &'a Book) -> Option<(&'a Space, &'a [f32])> {
        match &self.elsewhere {
            Some(there) => Some((book.index.spaces.get(there.space)?, &there.vector)),
            None => Some((book.space()?, &self.vector)),
        }
    }

    /// The ids of the terms that the book holds.
    pub fn known_terms(&self) -> Vec<u32> {
        self.terms.iter().filter_map(|term| term.id).collect()
    }

    /// The share of the question's weight that a run of the book's terms covers, 0 to 1.
    pub fn cover(&self, stream: &[u32]) -> f64 {
        let all: f64 = self.terms.iter().map(|term| term.weight).sum();
        let held: f64 = self
            .terms
            .iter()
            .filter(|term| term.id.is_some_and(|id| stream.contains(&id)))
            .map(|term| term.weight)
            .sum();
        if all > 0.0 { held / all } else { 0.0 }
    }
}

fn terms(book: &Book, content: &str) -> Vec<Term> {
    let mut distinct: Vec<(String, Option<u32>)> = Vec::new();
    for (term, id) in book.lexicon.look_up(content) {
        if !distinct.iter().any(|(known, _)| *known == term) {
            distinct.push((term, id));
        }
    }
    let count = book.scales.events.len();
    let weigh = |(_, id): (String, Option<u32>)| {
        let uses = id.map_or(0, |id| book.lexicon.positions(id).len());
        Term { id, weight: idf(count.max(uses), uses) }
    };
    distinct.into_iter().map(weigh).collect()
}

/// The share of all terms' weight that a word's own has.
fn stake(book: &Book, terms: &[Term], word: &str) -> f64 {
    let all: f64 = terms.iter().map(|term| term.weight).sum();
    let ids: Vec<Option<u32>> = book.lexicon.look_up(word).into_iter().map(|(_, id)| id).collect();
    let own = terms.iter().find(|term| term.id.is_some() && ids.contains(&term.id));
    own.map_or(0.0, |term| term.weight / all.max(f64::MIN_POSITIVE))
}

/// The entities whose forms stand in the question, the longest form at each place.
fn named(book: &Book, folded: &[String]) -> Vec<EntityId> {
    let mut found: Vec<EntityId> = Vec::new();
    let mut at = 0;
    while at < folded.len() {
        let longest = (1..=NAME_WORDS.min(folded.len() - at))
            .rev()
            .map(|length| (length, book.forms.of(&folded[at..at + length])))
            .find(|(_, entities)| !entities.is_empty());
        match longest {
            Some((length, entities)) => {
                found.extend(entities);
                at += length;
            }
            None => at += 1,
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn asks(folded: &[String]) -> Asks {
    let like = |pair: &[String]| pair[0].starts_with("look") && pair[1] == "like";
    if folded.windows(2).any(like) || folded.iter().any(|word| word == "appearance" || word == "describe") {
        return Asks::Looks;
    }
    for (place, word) in folded.iter().enumerate() {
        match word.as_str() {
            "who" | "whom" | "whose" => return Asks::Who,
            "where" => return Asks::Where,
            "when" if place == 0 => return Asks::When,
            "why" => return Asks::Why,
            "how" => {
                return match folded.get(place + 1).map(String::as_str) {
                    Some("many" | "much" | "old" | "far") => Asks::HowMany,
                    Some("long" | "often") => Asks::When,
                    _ => Asks::What,
                };
            }
            "what" | "which" => return Asks::What,
            _ => {}
        }
    }
    Asks::What
}

/// Whether a word is part of a form of one of these entities.
fn is_of_name(book: &Book, names: &[EntityId], word: &str) -> bool {
    let entity = |id: &EntityId| book.index.knowledge.entities.get(id.index());
    let forms = names.iter().filter_map(entity).flat_map(|entity| &entity.aliases);
    forms.flat_map(|alias| words(&alias.name)).any(|part| part == word)
}

/// Whether it speaks of telling a story.
fn tells(folded: &[String]) -> bool {
    let says = |list: &[&str]| folded.iter().any(|word| list.contains(&word.as_str()));
    says(&["narrator", "narrates", "narrated"])
        || says(&["tell", "tells", "told", "telling", "relates", "related", "recounts"])
            && says(&["story", "tale", "narrative", "history", "book", "novel"])
}

fn direction(folded: &[String]) -> Option<Direction> {
    folded.iter().enumerate().find_map(|(place, word)| match word.as_str() {
        // Beside, not behind in time.
        "next" if matches!(folded.get(place + 1).map(String::as_str), Some("to" | "door")) => None,
        "after" | "afterwards" | "then" | "next" | "finally" => Some(Direction::Forward),
        "when" if place > 0 => Some(Direction::Forward),
        "before" | "why" | "earlier" | "previously" => Some(Direction::Backward),
        _ => None,
    })
}
