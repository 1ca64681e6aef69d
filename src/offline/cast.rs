//! The entities of a book: who stays, what each is, and every place it is named.
//!
//! Clusters of names become entities when they are used twice, or carry an honorific or a full name;
//! role phrases when they act as characters; plurals of a family's name as groups.
//!
//! Invariant: entities are in order of first use with unique names; uses are in text order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::decisions::{self, Why};
use super::english::Tag;
use super::evidence::Evidence;
use super::names::{Build, FormId, Names, Use};
use super::people::{self, Cluster, Member, Refusal};
use super::persons;
use super::roles::{self, RoleUses};
use super::titles;
use super::tokens::{WordId, Words};
use crate::config::By;
use crate::error::Result;
use crate::knowledge::{Alias, Chunk, Entity, EntityId, EntityKind, Merge, Span, Told, Wishes};
use crate::pace::Pace;

/// A vague role leads a chapter when its uses are at least one in so many of the most used name's.
const LEADING: u32 = 2;

/// One use of an entity, in tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Naming {
    /// Who or what.
    pub(crate) entity: EntityId,
    /// First token.
    pub(crate) start: usize,
    /// One past the last token.
    pub(crate) end: usize,
}

/// The entities with their uses.
#[derive(Debug, Default)]
pub(crate) struct Cast {
    /// In order of first use; descriptions still empty.
    pub(crate) entities: Vec<Entity>,
    /// In text order.
    pub(crate) namings: Vec<Naming>,
    /// What was decided of their forms.
    pub(crate) merges: Vec<Merge>,
}

impl Cast {
    /// The uses that begin within these tokens.
    pub(crate) fn within(&self, tokens: std::ops::Range<usize>) -> &[Naming] {
        let start = self.namings.partition_point(|naming| naming.start < tokens.start);
        let end = self.namings.partition_point(|naming| naming.start < tokens.end);
        self.namings.get(start..end).unwrap_or_default()
    }

    /// What an entity is.
    pub(crate) fn kind(&self, entity: EntityId) -> EntityKind {
        self.entities.get(entity.index()).map_or(EntityKind::Other, |entity| entity.kind)
    }
}

/// The bytes of a use.
pub(crate) fn span(words: &Words, naming: &Naming) -> Span {
    Span { start: words.tokens[naming.start].start, end: words.tokens[naming.end - 1].end }
}

/// Makes the entities of the clusters, roles and families.
pub(crate) async fn assemble(
    words: &Words,
    names: &Names,
    evidence: &[Evidence],
    chunks: &[Chunk],
    merging: By,
    wishes: &Wishes,
    pace: &Pace<'_>,
) -> Result<Cast> {
    let mut found: Vec<(Cluster, EntityKind)> = Vec::new();
    let mut alone = standing(words, names, evidence, chunks);
    let mut absorbed: HashMap<FormId, FormId> = HashMap::new();
    let people = match merging {
        By::Off => people::apart(names),
        _ => persons::merge(words, names, evidence, decisions::apart(names, wishes), pace).await?,
    };
    for cluster in people.clusters {
        let signs = sum(&cluster, evidence);
        match counterpart(words, names, &cluster, &alone) {
            Some(Some(by)) if merging != By::Off => {
                absorbed.insert(by, cluster.members[0].form);
            }
            Some(None) => {}
            _ if stays(words, names, &cluster, &signs) => found.push((cluster, signs.kind())),
            _ => {}
        }
    }
    if merging != By::Off {
        let given = titles::give(words, names, chunks, &decisions::apart(names, wishes), &mut found);
        alone.retain(|_, (id, _)| !given.contains(id));
    }
    for (id, kind) in alone.into_values() {
        let mut cluster = Cluster::of(id);
        if let Some(other) = absorbed.get(&id) {
            cluster.members.push(Member { form: *other, reason: "same noun without article", link: id });
        }
        found.push((cluster, kind));
    }
    let first = |cluster: &Cluster| {
        cluster.members.iter().map(|member| (names.forms[member.form].first, member.form)).min()
    };
    found.sort_by_cached_key(|(cluster, _)| first(cluster));
    Ok(build(names, found, &people.refusals))
}

/// The role phrases and families that are entities, by their words without the article.
fn standing(
    words: &Words,
    names: &Names,
    evidence: &[Evidence],
    chunks: &[Chunk],
) -> BTreeMap<Vec<WordId>, (FormId, EntityKind)> {
    let uses = role_uses(words, names, evidence, chunks);
    let forms = names.forms.iter().enumerate().filter_map(|(id, form)| {
        let kind = match form.build {
            Build::Name => return None,
            Build::Family => EntityKind::Group,
            Build::Role => EntityKind::Person,
        };
        let stands = kind == EntityKind::Group || is_role(words, names, id, uses[id]);
        stands.then(|| (form.words[1..].to_vec(), (id, kind)))
    });
    forms.collect()
}

/// For a capitalised common noun or plural without article (`Giant`, `Dashwoods`) its role phrase or
/// family: `Some(None)` when it has none and should go.
fn counterpart(
    words: &Words,
    names: &Names,
    cluster: &Cluster,
    alone: &BTreeMap<Vec<WordId>, (FormId, EntityKind)>,
) -> Option<Option<FormId>> {
    let [member] = cluster.members[..] else { return None };
    let form = &names.forms[member.form];
    let [word] = form.words[..] else { return None };
    let word = &words.vocabulary[word as usize];
    let by = alone.get(&form.words).map(|(id, _)| *id);
    let common = word.entry.is(Tag::Role) && word.lower > 0 && !word.entry.is(Tag::Vocative);
    (form.honorifics.is_empty() && (by.is_some() || common)).then_some(by)
}

fn sum(cluster: &Cluster, evidence: &[Evidence]) -> Evidence {
    let mut signs = Evidence::default();
    for member in &cluster.members {
        signs.add(&evidence[member.form]);
    }
    signs
}

/// Whether a cluster is more than capitalised noise.
fn stays(words: &Words, names: &Names, cluster: &Cluster, signs: &Evidence) -> bool {
    let forms = || cluster.members.iter().map(|member| &names.forms[member.form]);
    let word = |id: &WordId| &words.vocabulary[*id as usize];
    let titled = forms().any(|form| !form.honorifics.is_empty());
    let full = forms().any(|form| form.words.len() > 1);
    let sure = forms().any(|form| form.sure > 0);
    let given = forms().flat_map(|form| &form.words).any(|id| word(id).entry.is(Tag::Given));
    let emphatic = !titled
        && !full
        && signs.kind() == EntityKind::Other
        && forms().flat_map(|form| &form.words).all(|id| word(id).lower * 2 > word(id).mid);
    // Points of the compass and signatures: a letter is somebody only where it acts.
    let letters = forms().flat_map(|form| &form.words).all(|id| word(id).text.chars().count() == 1);
    let sign = letters && !titled && (signs.person < 2 || signs.person * 4 < signs.uses);
    // One use tells of somebody where English knows the name, or where the name acts.
    let known = given && signs.person > 0 || sure && signs.person >= 2;
    !sign && !emphatic && (titled || full || known || signs.uses >= 2) && (sure || given || signs.person >= 2)
}

fn is_role(words: &Words, names: &Names, id: FormId, uses: RoleUses) -> bool {
    let form = &names.forms[id];
    let vague = form.words.len() == 2
        && form.words.last().is_some_and(|word| words.vocabulary[*word as usize].entry.is(Tag::Vague));
    roles::is_character(uses, vague)
}

/// Counts how role phrases are used, by form.
fn role_uses(words: &Words, names: &Names, evidence: &[Evidence], chunks: &[Chunk]) -> Vec<RoleUses> {
    let mut all = vec![RoleUses::default(); names.forms.len()];
    let chapter = |used: &Use| {
        let sentence = &words.sentences[words.tokens[used.start].sentence as usize];
        chunks.get(sentence.chunk as usize).map_or(0, |chunk| chunk.chapter)
    };
    for uses in names.uses.chunk_by(|a, b| chapter(a) == chapter(b)) {
        let mut counts: BTreeMap<FormId, u32> = BTreeMap::new();
        for used in uses {
            *counts.entry(used.form).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or_default();
        for (form, count) in counts.into_iter().filter(|(form, _)| names.forms[*form].build == Build::Role) {
            let uses = &mut all[form];
            uses.count += count;
            uses.acts = evidence[form].person;
            uses.densest = uses.densest.max(count);
            if count * LEADING >= most {
                uses.leading = uses.leading.max(count);
                uses.led += count;
            }
        }
    }
    all
}

fn build(names: &Names, found: Vec<(Cluster, EntityKind)>, refusals: &[Refusal]) -> Cast {
    let mut entity_of = vec![None; names.forms.len()];
    let mut taken = HashSet::new();
    let (mut entities, mut merges) = (Vec::new(), Vec::new());
    for (cluster, kind) in found {
        let why = aliases(names, &cluster);
        let mut aliases: Vec<Alias> = why
            .iter()
            .map(|(form, (reason, evidence, _))| Alias {
                name: names.forms[*form].text.clone(),
                count: names.forms[*form].count,
                evidence: *evidence,
                reason: (*reason).to_owned(),
            })
            .collect();
        aliases.sort_by(|a, b| (Reverse(a.count), &a.name).cmp(&(Reverse(b.count), &b.name)));
        // An office is no name where there is one.
        let named = aliases.iter().filter(|alias| !alias.name.starts_with("the ")).chain(&aliases);
        let Some(name) =
            named.map(|alias| &alias.name).find(|name| !taken.contains(&name.to_lowercase())).cloned()
        else {
            continue;
        };
        taken.insert(name.to_lowercase());
        for form in why.keys() {
            entity_of[*form] = Some(EntityId::new(entities.len()));
        }
        merges.extend(decisions::merged(names, &why));
        entities.push(Entity { name, kind, category: None, aliases, description: Told::default() });
    }
    merges.extend(decisions::refused(names, &entity_of, refusals));
    let namings = names
        .uses
        .iter()
        .filter_map(|used| Some(Naming { entity: entity_of[used.form]?, start: used.start, end: used.end }));
    Cast { namings: namings.collect(), entities, merges }
}

/// Why each form of a cluster is there.
fn aliases(names: &Names, cluster: &Cluster) -> BTreeMap<FormId, Why> {
    let first_use = |form: FormId| names.forms[form].first;
    let first = cluster.members.iter().min_by_key(|member| (first_use(member.form), member.form));
    let why = |member: &Member| {
        let own = first_use(member.form);
        let evidence = own.max(first_use(member.link));
        match first {
            Some(first) if first.form == member.form => (decisions::FIRST, own, member.form),
            // The founder came later in the text than the form that was merged with it.
            Some(first) if member.link == member.form => (first.reason, evidence, first.form),
            _ => (member.reason, evidence, member.link),
        }
    };
    cluster.members.iter().map(|member| (member.form, why(member))).collect()
}
