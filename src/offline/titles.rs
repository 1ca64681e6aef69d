//! Who is meant by an office alone: `the doctor` where the book has one doctor.
//!
//! A title and a name (`Dr Lind`) tell somebody's office; the narration then says `the doctor`. The phrase is
//! that person's where nobody else bears the title nearly as often, and where the book says it mostly in
//! chapters that name the person: a book of tales has a king in each.
//!
//! Invariant: a phrase joins one person or none, never against the author's wish.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::english::Tag;
use super::names::{Build, FormId, Names};
use super::people::{Cluster, DOMINANCE, Member};
use super::tokens::{WordId, Words};
use crate::knowledge::{Chunk, EntityKind};

/// The least uses of an office that is somebody's.
const LEAST: u32 = 2;
/// Why such a phrase is somebody's.
const REASON: &str = "the only one of this title";

/// Gives each office to the only person of that title; the forms that were given.
pub(crate) fn give(
    words: &Words,
    names: &Names,
    chunks: &[Chunk],
    apart: &BTreeSet<(FormId, FormId)>,
    found: &mut [(Cluster, EntityKind)],
) -> BTreeSet<FormId> {
    let chapters = chapters(words, names, chunks);
    let mut given = BTreeSet::new();
    for (id, form) in names.forms.iter().enumerate() {
        let [_, office] = form.words[..] else { continue };
        if form.build != Build::Role || form.count < LEAST || !is_office(words, office) {
            continue;
        }
        let Some((at, link)) = bearer(words, names, office, found) else { continue };
        let members = &found[at].0.members;
        let kept = members.iter().any(|one| apart.contains(&(id.min(one.form), id.max(one.form))));
        let place: BTreeSet<usize> =
            members.iter().flat_map(|one| chapters[one.form].keys().copied()).collect();
        let near: u32 =
            chapters[id].iter().filter(|(at, _)| place.contains(at)).map(|(_, count)| *count).sum();
        if !kept && near * 3 >= form.count * 2 {
            found[at].0.members.push(Member { form: id, reason: REASON, link });
            given.insert(id);
        }
    }
    given
}

/// The uses of each form by chapter.
fn chapters(words: &Words, names: &Names, chunks: &[Chunk]) -> Vec<BTreeMap<usize, u32>> {
    let mut chapters = vec![BTreeMap::new(); names.forms.len()];
    for used in &names.uses {
        let sentence = &words.sentences[words.tokens[used.start].sentence as usize];
        let chapter = chunks.get(sentence.chunk as usize).map_or(0, |chunk| chunk.chapter as usize);
        *chapters[used.form].entry(chapter).or_default() += 1;
    }
    chapters
}

/// Whether a noun is an office that goes before names, and no word of kinship or courtesy.
fn is_office(words: &Words, noun: WordId) -> bool {
    let word = &words.vocabulary[noun as usize];
    let courtesy = [Tag::Kin, Tag::Vocative, Tag::Noble, Tag::Married].iter().any(|tag| word.entry.is(*tag));
    let vague = word.entry.is(Tag::Vague) && word.text != "doctor";
    word.entry.is(Tag::Honorific) && !courtesy && !vague
}

/// The person who bears a title, with the form that says so.
fn bearer(
    words: &Words,
    names: &Names,
    office: WordId,
    found: &[(Cluster, EntityKind)],
) -> Option<(usize, FormId)> {
    let office = words.vocabulary[office as usize].text.as_str();
    let is = |title: &WordId| full(&words.vocabulary[*title as usize].text) == office;
    let titled = |form: &FormId| names.forms[*form].honorifics.iter().any(is);
    let uses = |(at, (cluster, kind)): (usize, &(Cluster, EntityKind))| {
        let forms = || cluster.members.iter().map(|member| member.form).filter(titled);
        let count: u32 = forms().map(|form| names.forms[form].count).sum();
        let link = forms().min_by_key(|form| (names.forms[*form].first, *form))?;
        (*kind == EntityKind::Person).then_some((count, at, link))
    };
    let mut bearers: Vec<(u32, usize, FormId)> = found.iter().enumerate().filter_map(uses).collect();
    bearers.sort_by_key(|(count, at, _)| (Reverse(*count), *at));
    let (most, at, link) = *bearers.first()?;
    let next = bearers.get(1).map_or(0, |(count, ..)| *count);
    (most >= DOMINANCE * next).then_some((at, link))
}

/// The noun of a title that may be shortened.
fn full(title: &str) -> &str {
    match title {
        "dr" => "doctor",
        "capt" | "cap'n" => "captain",
        "col" => "colonel",
        "gen" => "general",
        "lieut" => "lieutenant",
        "sergt" => "sergeant",
        "prof" => "professor",
        _ => title,
    }
}
