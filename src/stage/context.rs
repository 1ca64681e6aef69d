//! The context: exactly the text a generator would be given, within its token limit.
//!
//! Offline it opens with the best passage whole, where that takes at most half of the room, and then
//! tells the plotline in story order. In the paper profile each line is a character's profile and an
//! event's details, as the generator prompt describes them (PonsRAG appendix G). Of CodaRAG and LightRAG it
//! is entities, relations and the chunks that they rest on.

use crate::algo::vector::descending;
use crate::book::Book;
use crate::config::{Profile, QueryConfig};
use crate::knowledge::{ChunkId, EntityId, EventId, RelationId};
use crate::text::tokens;

use super::{Line, Passage, Scored};

/// A context and its size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The text.
    pub text: String,
    /// Its estimated tokens, at most the limit.
    pub tokens: u32,
    /// What the text is put together of.
    pub blocks: Vec<Block>,
}

/// A part of a context that stays whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is of.
    pub of: Of,
    /// Its text.
    pub text: String,
}

/// What a block is of, in the order in which blocks stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// A passage, before everything else.
    Passage(ChunkId),
    /// A character by itself.
    Cast(EntityId),
    /// A relation of two entities.
    Relation(RelationId),
    /// The line over the plotline.
    Heading,
    /// An event of the plotline, with whom it is told of.
    Line(EventId, Vec<EntityId>),
    /// A chunk that a line was taken from, behind them.
    Chunk(ChunkId),
}

/// The tokens of the context that LightRAG's budgets are parts of.
const WHOLE: u32 = 30_000;

/// What stands over the plotline.
const PLOTLINE: &str = "Plotline, in story order:";

/// The passage that opens a context: the best one, where it takes at most half of the room.
pub fn opening<'a>(book: &Book, best: Option<&'a Passage>, limit: u32) -> Option<&'a Passage> {
    best.filter(|passage| tokens(book.text(passage.span)) <= limit / 2)
}

/// Characters by themselves, where no line is told of them: as many profiles as fit, best first.
pub fn cast(book: &Book, characters: &[Scored<EntityId>], limit: u32) -> Context {
    let block = |node: &Scored<EntityId>| Block {
        of: Of::Cast(node.id),
        text: format!("<{}>", profile(book, node.id)),
    };
    fitted(characters.iter().map(block).collect(), limit)
}

/// The tokens that an opening and a cast leave for lines under them.
pub fn room_for_plotline(book: &Book, opening: Option<&Passage>, cast: &Context, limit: u32) -> u32 {
    let opening = opening.map_or(0, |passage| cost(&passage_block(book, passage).text));
    room_beside(cast, limit).saturating_sub(opening + cost(PLOTLINE))
}

/// The tokens that a cast leaves.
pub fn room_beside(cast: &Context, limit: u32) -> u32 {
    limit.saturating_sub(cast.blocks.iter().map(|block| cost(&block.text)).sum())
}

/// The tokens of one line of the plotline, where they are no more than `rest`; none for a line that the
/// opening tells already.
pub fn told_cost(book: &Book, opening: Option<&Passage>, line: &Line, rest: u32) -> Option<u32> {
    if tells(book, opening, line) { Some(0) } else { line_cost(book, line, rest, told_line) }
}

/// The tokens of one `<character profile, event details>`, where they are no more than `rest`.
pub fn profile_cost(book: &Book, line: &Line, rest: u32) -> Option<u32> {
    line_cost(book, line, rest, profile_line)
}

/// The opening whole, the cast, then the plotline in story order without what the opening tells.
pub fn passage_and_plotline(
    book: &Book,
    opening: Option<&Passage>,
    cast: Context,
    lines: &[Line],
    limit: u32,
) -> Context {
    let mut blocks: Vec<Block> = opening.map(|passage| passage_block(book, passage)).into_iter().collect();
    blocks.extend(cast.blocks);
    if !lines.is_empty() {
        blocks.push(Block { of: Of::Heading, text: PLOTLINE.to_owned() });
    }
    let told = lines.iter().filter(|line| !tells(book, opening, line));
    blocks.extend(told.map(|line| Block { of: of(line), text: told_line(book, line) }));
    fitted(blocks, limit)
}

/// The cast, then every pair as `<character profile, event details>`, in story order; then `chunks`, best
/// first, while they fit.
pub fn profiles_and_events(
    book: &Book,
    cast: Context,
    lines: &[Line],
    chunks: &[Passage],
    limit: u32,
) -> Context {
    let told = lines.iter().map(|line| Block { of: of(line), text: profile_line(book, line) });
    let chunk = |passage: &Passage| Block { of: Of::Chunk(passage.chunk), ..passage_block(book, passage) };
    fitted(cast.blocks.into_iter().chain(told).chain(chunks.iter().map(chunk)).collect(), limit)
}

/// The cast, then passages whole, as many as fit, best first.
pub fn cast_and_passages(book: &Book, cast: Context, passages: &[Passage], limit: u32) -> Context {
    let passages = passages.iter().map(|passage| passage_block(book, passage));
    fitted(cast.blocks.into_iter().chain(passages).collect(), limit)
}

/// Passages whole, as many as fit, best first: the baselines' context.
pub fn passages(book: &Book, passages: &[Passage], limit: u32) -> Context {
    cast_and_passages(book, Context::default(), passages, limit)
}

/// Entities and relations, each kind within its own tokens, then the chunks that they rest on, best first, as
/// many as fit.
///
/// # Arguments
/// - `rooms`: the most tokens of entities, and of relations.
pub fn associations(
    book: &Book,
    entities: &[EntityId],
    relations: &[RelationId],
    chunks: &[Passage],
    rooms: [u32; 2],
    limit: u32,
) -> Context {
    let entities =
        entities.iter().map(|&id| Block { of: Of::Cast(id), text: format!("<{}>", profile(book, id)) });
    let relations = relations.iter().map(|&id| Block { of: Of::Relation(id), text: relation(book, id) });
    let chunk = |passage: &Passage| Block { of: Of::Chunk(passage.chunk), ..passage_block(book, passage) };
    let mut blocks = fitting(entities.collect(), rooms[0].min(limit));
    blocks.extend(fitting(relations.collect(), rooms[1].min(limit)));
    blocks.extend(chunks.iter().map(chunk));
    fitted(blocks, limit)
}

/// The tokens of entities and of relations in a context of `limit`: LightRAG's shares of its own; offline, where
/// what is told of them are sentences of the chunks behind them, a quarter of that.
pub fn rooms(config: &QueryConfig, limit: u32) -> [u32; 2] {
    let parts = if config.profile == Profile::Paper { 1 } else { 4 };
    let limit = u64::from(limit.min(WHOLE));
    let share = |tokens: usize| (tokens as u64 * limit / u64::from(WHOLE * parts)) as u32;
    [share(config.entity_tokens), share(config.relation_tokens)]
}

/// How many lines from the front take no more than `room` tokens together.
pub fn within(lines: &[String], room: u32) -> usize {
    let mut rest = room;
    let fits = |line: &&String| {
        rest.checked_sub(cost(line)).is_some_and(|left| {
            rest = left;
            true
        })
    };
    lines.iter().take_while(fits).count()
}

/// A relation on one line: whom it ties, how, and what is told of it.
pub fn relation(book: &Book, id: RelationId) -> String {
    let knowledge = &book.index.knowledge;
    let Some(relation) = knowledge.relations.get(id.index()) else { return String::new() };
    let (one, other) = (book.name(relation.ends.0), book.name(relation.ends.1));
    let keywords = match &knowledge.keywords(relation)[..] {
        [] => String::new(),
        keywords => format!(" ({})", keywords.join(", ")),
    };
    let told = relation.description.line(&book.index.document.text);
    format!("<{one} — {other}{keywords}: {told}>")
}

/// A context's blocks, most wanted first: lines by the scores of their events, all else as it stands.
pub fn wanted(context: &Context, scores: &[f64]) -> Vec<Block> {
    let score = |event: &EventId| scores.get(event.index()).copied().unwrap_or(0.0);
    let place = |of: &Of| match of {
        Of::Passage(_) | Of::Cast(_) | Of::Relation(_) | Of::Heading => (0, 0.0),
        Of::Line(event, _) => (1, score(event)),
        Of::Chunk(_) => (2, 0.0),
    };
    let mut blocks = context.blocks.clone();
    blocks.sort_by(|a, b| {
        let (a, b) = (place(&a.of), place(&b.of));
        a.0.cmp(&b.0).then(descending(a.1, b.1))
    });
    blocks
}

/// One context of several: of each in turn the block it wants most, each block once, as many as fit; passages
/// as they are `ranked`, the plotline in story order.
///
/// # Arguments
/// - `parts`: each one's blocks, most wanted first.
/// - `lines`: the plotline of all together; no other line is told.
pub fn joined(parts: &[Vec<Block>], lines: &[Line], ranked: &[Passage], limit: u32) -> Context {
    let kept = |of: &Of| !matches!(of, Of::Line(..)) || lines.iter().any(|line| self::of(line) == *of);
    let longest = parts.iter().map(Vec::len).max().unwrap_or(0);
    let in_turn = (0..longest).flat_map(|place| parts.iter().filter_map(move |part| part.get(place)));
    let mut blocks: Vec<Block> = Vec::new();
    for block in in_turn {
        if kept(&block.of) && !blocks.contains(block) {
            blocks.push(block.clone());
        }
    }
    let mut blocks = fitting(blocks, limit);
    let rank = |chunk: ChunkId| ranked.iter().position(|passage| passage.chunk == chunk);
    // Stable: what has no place keeps the order in which it was chosen.
    blocks.sort_by_key(|block| match block.of {
        Of::Passage(chunk) => (0, rank(chunk).unwrap_or(usize::MAX)),
        Of::Cast(_) => (1, 0),
        Of::Relation(_) => (2, 0),
        Of::Heading => (3, 0),
        Of::Line(event, _) => (4, event.index()),
        Of::Chunk(chunk) => (5, rank(chunk).unwrap_or(usize::MAX)),
    });
    written(blocks)
}

/// Whether a line stands in a context, by itself or within a passage.
pub fn stands(book: &Book, context: &Context, line: &Line) -> bool {
    let passage = Of::Passage(book.event_chunk(line.event));
    context.blocks.iter().any(|block| block.of == passage || block.of == of(line))
}

fn of(line: &Line) -> Of {
    Of::Line(line.event, line.characters.clone())
}

fn tells(book: &Book, opening: Option<&Passage>, line: &Line) -> bool {
    opening.is_some_and(|passage| passage.span.contains(book.event_span(line.event)))
}

fn passage_block(book: &Book, passage: &Passage) -> Block {
    let text = format!("Passage, from {}:\n{}", book.chapter_title(passage.chunk), book.text(passage.span));
    Block { of: Of::Passage(passage.chunk), text }
}

/// A character's name and description on one line.
pub fn profile(book: &Book, character: EntityId) -> String {
    let Some(entity) = book.index.knowledge.entities.get(character.index()) else { return String::new() };
    match entity.description.line(&book.index.document.text) {
        none if none.is_empty() => entity.name.clone(),
        described => format!("{}: {described}", entity.name),
    }
}

fn told_line(book: &Book, line: &Line) -> String {
    let title = book.chapter_title(book.event_chunk(line.event));
    let names: Vec<&str> = line.characters.iter().map(|&character| book.name(character)).collect();
    let who = if names.is_empty() { String::new() } else { format!(" {} |", names.join(", ")) };
    format!("[{title}]{who} {}", book.details(line.event))
}

fn profile_line(book: &Book, line: &Line) -> String {
    let profiles = line.characters.iter().map(|&character| profile(book, character));
    let told: Vec<String> = profiles.chain([book.details(line.event)]).collect();
    format!("<{}>", told.join(", "))
}

/// A text on one line.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The tokens of a line as written, where they are no more than `rest`.
fn line_cost(book: &Book, line: &Line, rest: u32, written: fn(&Book, &Line) -> String) -> Option<u32> {
    // Of most lines the event alone tells that they do not fit.
    let event = book.scales.event_tokens.get(line.event.index()).copied().unwrap_or(0);
    (event <= rest).then(|| cost(&written(book, line))).filter(|&tokens| tokens <= rest)
}

/// The tokens of a block, with one more for the line break.
fn cost(block: &str) -> u32 {
    tokens(block) + 1
}

/// Blocks parted by line breaks, as many from the front as fit.
fn fitted(blocks: Vec<Block>, limit: u32) -> Context {
    written(fitting(blocks, limit))
}

/// As many blocks from the front as fit; one too large is passed over.
fn fitting(mut blocks: Vec<Block>, limit: u32) -> Vec<Block> {
    let mut rest = limit;
    blocks.retain(|block| match rest.checked_sub(cost(&block.text)) {
        Some(left) => {
            rest = left;
            true
        }
        None => false,
    });
    blocks
}

fn written(blocks: Vec<Block>) -> Context {
    let text = blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n");
    // A text is estimated at no more than its parts.
    Context { tokens: tokens(&text), text, blocks }
}
