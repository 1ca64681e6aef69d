//! Who does what to whom: triples that the text states, and weak ties.
//!
//! English puts the subject before the verb and the object after it; where a name, a verb and a name
//! or noun phrase follow each other closely the triple is stated. Roles (`Anne, the keeper of the
//! light`, `Bingley's sister Caroline`) and speech are patterns of their own. When in doubt nothing
//! is stated; two entities of one event are still tied weakly, once a chunk.
//!
//! Invariant: triples are in text order, stated before weak within a chunk.

use super::cast::{Cast, Naming};
use super::english::{self, Tag};
use super::events::Plot;
use super::labels::{follows_subject, is_determiner};
use super::narrators::{Narration, is_called};
use super::referents::Referents;
use super::ties::{Ties, named};
use super::tokens::{Gap, Shape, Token, Words};
use crate::error::Result;
use crate::knowledge::{ChunkId, EntityId, EntityKind, Phrase, Triple, TripleKind};
use crate::pace::Pace;

/// How far after a name its verb's object may stand, in tokens.
const REACH: usize = 7;

/// What may stand between a verb and its object.
const TOWARDS: [&str; 22] = [
    "to", "with", "at", "upon", "on", "by", "after", "from", "for", "out", "up", "down", "back", "off",
    "poor", "old", "towards", "toward", "over", "against", "into", "in",
];
/// Adverbs that stand behind an object.
const BEHIND: [&str; 12] = [
    "once", "aloud", "wide", "outside", "inside", "away", "again", "pretty", "close", "open", "round",
    "alone",
];

/// The predicate of who tells a run of chapters.
pub(crate) const NARRATES: &str = "narrates as";

/// All triples, and whether weak ties were left out beyond [`MAX_TIES`].
pub(crate) async fn extract(
    referents: &Referents<'_>,
    plot: &Plot,
    narrations: &[Narration],
    pace: &Pace<'_>,
) -> Result<(Vec<Triple>, bool)> {
    let Referents { words, cast, .. } = *referents;
    let mut triples = Vec::new();
    let mut ties = Ties::default();
    let mut weak = Vec::new();
    for (index, event) in plot.events.iter().enumerate() {
        if index > 0 && plot.events[index - 1].chunk != event.chunk {
            triples.append(&mut weak);
            pace.step("triples", index, plot.events.len()).await?;
        }
        for sentence in plot.sentences[index].clone() {
            let context = Context { words, cast, referents, sentence, chunk: event.chunk };
            context.read(&mut triples);
            triples.extend(narrations.iter().filter_map(|run| context.narration(run)));
        }
        ties.add(event, &cast.entities, &mut weak);
    }
    triples.append(&mut weak);
    Ok((triples, ties.capped()))
}

fn entity(cast: &Cast, id: EntityId) -> Phrase {
    named(&cast.entities, id)
}

/// One sentence being read for what it states.
struct Context<'a> {
    words: &'a Words,
    cast: &'a Cast,
    referents: &'a Referents<'a>,
    sentence: usize,
    chunk: ChunkId,
}

impl Context<'_> {
    fn read(&self, triples: &mut Vec<Triple>) {
        let tokens = self.words.sentences[self.sentence].tokens.clone();
        let names = self.cast.within(tokens.clone());
        let namings = self.referents.with_pronouns(tokens.clone(), names);
        for (place, naming) in namings.iter().enumerate() {
            let next = namings.get(place + 1);
            let stated = if self.words.tokens[naming.end - 1].possessive {
                self.possession(naming.entity, naming.end, next)
            } else if matches!(self.lower(naming.start), "him" | "me") {
                None
            } else {
                self.role(naming, names).or_else(|| self.action(naming, next))
            };
            triples.extend(stated);
        }
        for at in tokens {
            let next = names.iter().find(|naming| naming.start > at);
            let owner = self.referents.owner(at).filter(|_| next.is_some());
            triples.extend(owner.and_then(|owner| self.possession(owner, at + 1, next)));
        }
        triples.extend(self.address(names));
    }

    /// Who tells a run of chapters, stated where the text shows it best.
    fn narration(&self, run: &Narration) -> Option<Triple> {
        let word = Phrase { text: "I".to_owned(), entity: None };
        if run.sentence == self.sentence { self.state(run.narrator, NARRATES, word) } else { None }
    }

    /// `"Good evening, Edmund," said Anne`: who speaks to whom, where one person speaks and one is
    /// called by name.
    fn address(&self, namings: &[Naming]) -> Option<Triple> {
        let person = |naming: &&Naming| self.cast.kind(naming.entity) == EntityKind::Person;
        let mut speakers = namings.iter().filter(person).filter(|naming| self.speaks(naming));
        let mut called = namings.iter().filter(person).filter(|naming| self.is_called(naming));
        let (speaker, whom) = (speakers.next()?, called.next()?);
        let one = speakers.all(|other| other.entity == speaker.entity)
            && called.all(|other| other.entity == whom.entity);
        if one { self.state(speaker.entity, "speaks to", entity(self.cast, whom.entity)) } else { None }
    }

    /// Whether a verb of speech stands right before or after a name outside the speech.
    fn speaks(&self, naming: &Naming) -> bool {
        let verb = |at: usize| {
            let token = self.token(at).filter(|token| token.shape == Shape::Lower && !token.quoted);
            token
                .and_then(|token| self.words.word(token).verb)
                .is_some_and(|verb| english::entry(verb).is(Tag::Speech))
        };
        let joined = |at: usize| self.token(at).is_some_and(|token| token.gap == Gap::Space);
        let last = &self.words.tokens[naming.end - 1];
        let after = verb(naming.end) && joined(naming.end);
        let before = naming.start > 0 && verb(naming.start - 1) && joined(naming.start);
        !self.quoted(naming) && !last.possessive && (after || before)
    }

    /// Whether a name within a speech is set off by commas: a vocative.
    fn is_called(&self, naming: &Naming) -> bool {
        self.quoted(naming) && is_called(self.words, naming)
    }

    fn token(&self, at: usize) -> Option<&Token> {
        self.words.at(self.sentence as u32, at)
    }

    fn lower(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| self.words.lower(token))
    }

    fn is(&self, at: usize, tag: Tag) -> bool {
        self.token(at).is_some_and(|token| self.words.entry(token).is(tag))
    }

    fn state(&self, subject: EntityId, predicate: impl Into<String>, object: Phrase) -> Option<Triple> {
        (object.entity != Some(subject)).then(|| Triple {
            subject: entity(self.cast, subject),
            predicate: predicate.into(),
            object,
            kind: TripleKind::Stated,
            chunk: self.chunk,
            span: self.words.sentences[self.sentence].span,
        })
    }

    /// `Y's sister X`, `Y's sister, X`, `her sister X`: X is the sister of Y. The noun begins at `at`.
    fn possession(&self, owner: EntityId, mut at: usize, next: Option<&Naming>) -> Option<Triple> {
        if self.is(at, Tag::Telling) {
            at += 1;
        }
        let next = next.filter(|next| next.start == at + 1 && self.is(at, Tag::Kin))?;
        let gap = self.token(next.start)?.gap;
        let one = matches!(gap, Gap::Space | Gap::Comma) && self.cast.kind(next.entity) == EntityKind::Person;
        let relation = format!("{} of", english::base(self.lower(at)));
        if one { self.state(next.entity, relation, entity(self.cast, owner)) } else { None }
    }

    /// `X, the keeper of the light`; `X was the daughter of Y`; `X was Y's daughter`.
    fn role(&self, subject: &Naming, namings: &[Naming]) -> Option<Triple> {
        let first = self.token(subject.end)?;
        let mut at = subject.end;
        let apposition = first.gap == Gap::Comma;
        if !apposition {
            let copula =
                first.gap == Gap::Space && matches!(self.lower(at), "was" | "is" | "became" | "were");
            if !copula {
                return None;
            }
            at += 1;
        }
        let owner = namings.iter().find(|naming| naming.start == at);
        if let Some(owner) = owner.filter(|owner| self.words.tokens[owner.end - 1].possessive) {
            let kin = owner.end + usize::from(self.is(owner.end, Tag::Telling));
            let ends = self.token(kin + 1).is_none_or(|token| token.gap != Gap::Space);
            let relation = self.is(kin, Tag::Kin) && (ends || !apposition);
            return relation.then(|| {
                self.state(
                    subject.entity,
                    format!("{} of", english::base(self.lower(kin))),
                    entity(self.cast, owner.entity),
                )
            })?;
        }
        if let Some(owner) = self.referents.owner(at) {
            return self.kin(subject, owner, at + 1);
        }
        if !matches!(self.lower(at), "the" | "a" | "an")
            || self.cast.kind(subject.entity) != EntityKind::Person
        {
            return None;
        }
        self.described(subject, at + 1, namings)
    }

    /// `X was his sister`, `X, her father, ...`: the noun of kinship stands at `at` and ends its phrase.
    fn kin(&self, subject: &Naming, owner: EntityId, at: usize) -> Option<Triple> {
        let at = at + usize::from(self.is(at, Tag::Telling));
        let ends = self
            .token(at + 1)
            .is_none_or(|token| token.gap != Gap::Space || self.words.entry(token).is(Tag::Stop));
        let one = self.is(at, Tag::Kin) && ends && self.cast.kind(subject.entity) == EntityKind::Person;
        let relation = format!("{} of", english::base(self.lower(at)));
        if one { self.state(subject.entity, relation, entity(self.cast, owner)) } else { None }
    }

    /// The noun phrase of a role, from the word after its article.
    fn described(&self, subject: &Naming, from: usize, namings: &[Naming]) -> Option<Triple> {
        let mut at = from;
        while at < from + 3 && !self.is_role(at) {
            let passes = self
                .token(at)
                .filter(|token| token.shape == Shape::Lower && (at == from || token.gap == Gap::Space));
            passes.filter(|token| !self.words.entry(token).is(Tag::Stop))?;
            at += 1;
        }
        if !self.is_role(at) {
            return None;
        }
        let head = at;
        let after = self.token(at + 1);
        let of = after.is_some_and(|token| token.gap == Gap::Space) && self.lower(at + 1) == "of";
        if of && let Some(owner) = namings.iter().find(|naming| naming.start == head + 2) {
            let relation = format!("{} of", self.lower(head));
            return self.state(subject.entity, relation, entity(self.cast, owner.entity));
        }
        let closed = after.is_none_or(|token| {
            token.gap != Gap::Space
                || self.words.entry(token).is(Tag::Stop)
                || self.words.word(token).verb.is_some()
        });
        let end = if of { self.complement(head + 2).unwrap_or(head + 1) } else { head + 1 };
        // "A man" says nothing of a person; "a tall man" does.
        let tells = end - from > 1 || !self.is(head, Tag::Vague);
        let text = (from..end).map(|place| self.lower(place)).collect::<Vec<_>>().join(" ");
        let phrase = Phrase { text, entity: None };
        if closed && tells { self.state(subject.entity, "is", phrase) } else { None }
    }

    /// The end of `the light` after `keeper of`.
    fn complement(&self, from: usize) -> Option<usize> {
        let noun = from + usize::from(is_article(self.lower(from)));
        let ends = self.token(noun + 1).is_none_or(|token| {
            token.gap != Gap::Space
                || self.words.entry(token).is(Tag::Stop)
                || self.words.word(token).verb.is_some()
        });
        (self.is_plain(noun) && ends).then_some(noun + 1)
    }

    fn is_role(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| token.gap != Gap::Comma && token.shape != Shape::Upper)
            && (self.is(at, Tag::Role) || self.is(at, Tag::Kin))
    }

    /// `X verb Y`, `X verb the thing`, `X said to Y`, `X was seen by Y`.
    fn action(&self, subject: &Naming, next: Option<&Naming>) -> Option<Triple> {
        if !matches!(self.cast.kind(subject.entity), EntityKind::Person | EntityKind::Group) {
            return None;
        }
        let mut at = subject.end;
        while self.token(at).is_some_and(|token| token.gap == Gap::Space) && self.is_adverb(at) {
            at += 1;
        }
        let token = self.token(at).filter(|token| token.gap == Gap::Space && token.shape == Shape::Lower)?;
        let verb = self
            .words
            .word(token)
            .verb
            .filter(|verb| !matches!(*verb, "be" | "have" | "do" | "let" | "seem"))?;
        if !follows_subject(self.words, self.cast, at)
            || self.lower(at).ends_with("ing")
            || self.lower(at) == verb && (!token.quoted || verb == "like")
        {
            return None;
        }
        let passive = at > subject.end && matches!(self.lower(at - 1), "was" | "were" | "is");
        let object = next.filter(|next| next.start <= at + REACH && self.leads(at + 1, next.start));
        if let Some(object) = object {
            let possessed = self.words.tokens[object.end - 1].possessive;
            let by = self.lower(object.start.saturating_sub(1)) == "by";
            return match (passive, by) {
                _ if possessed || self.quoted(object) != self.quoted(subject) => None,
                (true, true) => self.state(object.entity, verb, entity(self.cast, subject.entity)),
                (true, false) | (false, true) => None,
                (false, false) => {
                    self.state(subject.entity, predicate(verb), entity(self.cast, object.entity))
                }
            };
        }
        if passive { None } else { self.thing(subject, verb, at + 1) }
    }

    fn quoted(&self, naming: &Naming) -> bool {
        self.words.tokens[naming.start].quoted
    }

    fn is_adverb(&self, at: usize) -> bool {
        let text = self.lower(at);
        text.ends_with("ly")
            || matches!(
                text,
                "had" | "has" | "have" | "then" | "also" | "once" | "soon" | "was" | "were" | "is"
            )
    }

    /// Whether only a particle, a preposition of direction and the like stand before the object.
    fn leads(&self, from: usize, to: usize) -> bool {
        (from..to).count() <= 2
            && (from..to).all(|at| {
                TOWARDS.contains(&self.lower(at))
                    && self.token(at).is_some_and(|token| token.gap == Gap::Space)
            })
            && self.token(to).is_some_and(|token| token.gap == Gap::Space)
    }

    /// The object when it is a noun phrase: an article, then one to three plain words.
    fn thing(&self, subject: &Naming, verb: &'static str, from: usize) -> Option<Triple> {
        let article = self.token(from).filter(|token| token.gap == Gap::Space)?;
        if !is_article(self.words.lower(article)) {
            return None;
        }
        let mut end = from + 1;
        while end < from + 5 && self.is_plain(end) {
            end += 1;
        }
        // `saw the fiend enter`, `opened the door wide`: the verb and the adverb behind the noun are no part of it.
        let perceived = matches!(verb, "see" | "hear" | "feel" | "watch" | "find" | "make" | "let");
        if end > from + 2 && (BEHIND.contains(&self.lower(end - 1)) || perceived && self.is_verb(end - 1)) {
            end -= 1;
        }
        let count = end - from - 1;
        if !(1..=3).contains(&count) || self.words.lower(self.token(end - 1)?).ends_with("ly") {
            return None;
        }
        // `a couple of colts`
        if self.lower(end) == "of" {
            end = self.complement(end + 1).unwrap_or(end);
        }
        let text = (from + 1..end).map(|at| self.lower(at)).collect::<Vec<_>>().join(" ");
        self.state(subject.entity, verb, Phrase { text, entity: None })
    }

    fn is_verb(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| self.words.word(token).verb.is_some())
    }

    /// Whether a token goes on with a noun phrase.
    fn is_plain(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| {
            let word = self.words.word(token);
            token.gap == Gap::Space
                && token.shape == Shape::Lower
                && !token.possessive
                && !word.entry.is(Tag::Stop)
                && !word.entry.is(Tag::Question)
                && !is_determiner(self.words, token.word) | word.entry.is(Tag::Telling)
        })
    }
}

fn is_article(text: &str) -> bool {
    matches!(text, "the" | "a" | "an" | "his" | "her" | "their" | "my")
}

/// Speech is directed: `speaks to`.
fn predicate(verb: &'static str) -> &'static str {
    match verb {
        "say" | "speak" | "talk" | "whisper" | "call" | "cry" | "reply" | "remark" => "speaks to",
        _ => verb,
    }
}
