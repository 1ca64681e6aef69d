//! Who is who: forms of one name brought together, each merge with its reason and its evidence.
//!
//! Full names found the clusters; honorific names, then single words join them, most used first. A
//! form joins only where exactly one cluster, or one that clearly dominates, agrees with it in
//! gender, honorific, given name and surname, checked against all the cluster holds, so merges never
//! chain: `Mr Linton` and `Mrs Linton` cannot meet through `Linton`.
//!
//! Invariant: every form is in at most one cluster, and the order of clusters depends on the text only.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use super::agreement::{Role, against, same_given};
use super::decisions::FIRST;
use super::english;
use super::evidence::Evidence;
use super::names::{Build, FormId, Names};
use super::parts::{Key, Parser, Parts};
use super::people::{
    self, APART, Alone, Cluster, DOMINANCE, MAX_REFUSALS, MORE_USED, Member, People, Refusal, SEVERAL,
};
use super::tokens::Words;
use crate::error::Result;
use crate::pace::Pace;

/// The most clusters of one name that a form is compared with.
const MAX_CANDIDATES: usize = 64;

/// Brings the forms together, but for the pairs that an author keeps `apart`, the smaller first.
pub(crate) async fn merge(
    words: &Words,
    names: &Names,
    evidence: &[Evidence],
    apart: BTreeSet<(FormId, FormId)>,
    pace: &Pace<'_>,
) -> Result<People> {
    let mut parser = Parser::new(words);
    let parts = names.forms.iter().zip(evidence).map(|(form, signs)| parser.parse(form, signs)).collect();
    let mut merger = Merger::new(words, names, evidence, parser, parts, apart);
    let mut done = 0;
    for pass in [Pass::Full, Pass::Titled, Pass::Single] {
        for form in merger.of(pass) {
            match pass {
                Pass::Full => merger.add_full(form),
                Pass::Titled => merger.add_titled(form),
                Pass::Single => merger.add_single(form),
            }
            if done % 64 == 0 {
                pace.step("people", done, names.forms.len()).await?;
            }
            done += 1;
        }
    }
    Ok(People { clusters: merger.clusters, refusals: merger.refusals })
}

/// The forms are merged in three passes, most telling first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Two or more words of a name.
    Full,
    /// An honorific and one word.
    Titled,
    /// One word.
    Single,
}

struct Merger<'a> {
    words: &'a Words,
    names: &'a Names,
    evidence: &'a [Evidence],
    parser: Parser<'a>,
    parts: Vec<Parts>,
    clusters: Vec<Cluster>,
    givens: HashMap<Key, Vec<usize>>,
    surnames: HashMap<Key, Vec<usize>>,
    /// Given names by their first three letters, for short forms.
    roots: HashMap<String, Vec<Key>>,
    /// Each word as a name on its own.
    alone: HashMap<Key, Alone>,
    apart: BTreeSet<(FormId, FormId)>,
    refusals: Vec<Refusal>,
}

impl<'a> Merger<'a> {
    fn new(
        words: &'a Words,
        names: &'a Names,
        evidence: &'a [Evidence],
        parser: Parser<'a>,
        parts: Vec<Parts>,
        apart: BTreeSet<(FormId, FormId)>,
    ) -> Self {
        let alone = people::alone(names, &parts, evidence);
        let (clusters, givens, surnames, roots, refusals) = Default::default();
        Self {
            words,
            names,
            evidence,
            parser,
            parts,
            clusters,
            givens,
            surnames,
            roots,
            alone,
            apart,
            refusals,
        }
    }

    /// The forms of a pass, most used first.
    fn of(&self, pass: Pass) -> Vec<FormId> {
        let of = |id: &FormId| match (self.parts[*id].words.len(), self.parts[*id].titled) {
            (1, true) => pass == Pass::Titled,
            (1, false) => pass == Pass::Single,
            _ => pass == Pass::Full,
        };
        let names = (0..self.names.forms.len()).filter(|id| self.names.forms[*id].build == Build::Name);
        let mut forms: Vec<FormId> = names.filter(of).collect();
        forms.sort_by_key(|id| (Reverse(self.names.forms[*id].count), *id));
        forms
    }

    /// A name of two or more words: joins its namesake or founds a cluster.
    fn add_full(&mut self, id: FormId) {
        let parts = &self.parts[id];
        let (Some(given), Some(surname)) = (parts.words.first().copied(), parts.words.last().copied()) else {
            return;
        };
        if parts.thing || parts.office {
            return self.found(id, &[]);
        }
        let roles = [(Role::Given, given), (Role::Surname, surname)];
        let mut bearers = self.candidates(&self.surnames, surname);
        bearers.retain(|at| !self.clusters[*at].givens.is_empty());
        let namesake = bearers
            .iter()
            .copied()
            .find(|at| self.against(*at, id, &roles).is_none() && self.may_be_spouse_named(*at, id));
        bearers.extend(self.candidates(&self.givens, given));
        self.refuse(id, &bearers, &roles, namesake);
        match namesake {
            Some(cluster) => {
                let link = self.clusters[cluster].members[0].form;
                self.join(cluster, Member { form: id, reason: "same given name and surname", link }, &roles);
            }
            None => self.found(id, &roles),
        }
    }

    /// An honorific and one word: a surname, or a given name after Sir, Aunt and the like.
    fn add_titled(&mut self, id: FormId) {
        let Some(word) = self.parts[id].words.first().copied() else { return };
        let marks = self.parts[id].marks;
        let known_given = self.givens.contains_key(&word) && !self.surnames.contains_key(&word);
        if marks.given_after || known_given {
            let roles = [(Role::Given, word)];
            let bearers = self.candidates(&self.givens, word);
            let chosen = self.choose(&self.fitting(bearers.clone(), id, &roles), word);
            self.refuse(id, &bearers, &roles, chosen.map(|(cluster, _)| cluster));
            match chosen {
                Some((cluster, link)) => {
                    return self.join(cluster, Member { form: id, reason: "same given name", link }, &roles);
                }
                None if marks.given_after => return self.found(id, &roles),
                None => {}
            }
        }
        let roles = [(Role::Surname, word)];
        let all = self.candidates(&self.surnames, word);
        let mut fit = self.fitting(all.clone(), id, &roles);
        fit.retain(|at| !marks.married || self.may_be_wife(*at));
        let chosen = self.choose(&self.bearers(fit, id), word);
        self.refuse(id, &all, &roles, chosen.map(|(cluster, _)| cluster));
        match chosen {
            Some((cluster, link)) => {
                self.join(cluster, Member { form: id, reason: "same surname and honorific", link }, &roles);
            }
            None => self.found(id, &roles),
        }
    }

    /// Whether `Mrs` and the surname may mean this bearer. A married woman's surname is her husband's,
    /// so it is no sign that she is one of the daughters, and a given name may be the husband's.
    fn may_be_wife(&self, at: usize) -> bool {
        let cluster = &self.clusters[at];
        let lean = |form: FormId| self.evidence[form].lean();
        let own: i64 = cluster.members.iter().map(|member| lean(member.form)).sum();
        let alone: i64 =
            cluster.givens.iter().filter_map(|(key, _)| self.alone.get(key)).map(|alone| alone.lean).sum();
        cluster.marks.married || (cluster.marks.gender.is_none() && own + alone > 1)
    }

    /// Whether a whole name with `Mrs` and the same without may be one: `Mrs Edgar Lind` is Edgar's wife.
    fn may_be_spouse_named(&self, at: usize, id: FormId) -> bool {
        match (self.parts[id].marks.married, self.clusters[at].marks.married) {
            (true, false) => {
                let Cluster { members, marks, .. } = &self.clusters[at];
                let own: i64 = members.iter().map(|one| self.evidence[one.form].lean()).sum();
                marks.gender.map_or(own > 1, |gender| gender == english::Gender::Female)
            }
            (false, true) => self.leans_female(id),
            _ => true,
        }
    }

    /// Whether a whole name is a woman's: `Linton Heath` is no `Mrs Linton Heath`, who bears his name.
    fn leans_female(&self, id: FormId) -> bool {
        let parts = &self.parts[id];
        let Some(given) = parts.words.first() else { return false };
        let alone = self.alone.get(given).map_or(0, |alone| alone.lean);
        let known = english::entry(self.parser.text(*given)).gender();
        match known.or(parts.marks.gender) {
            Some(gender) => gender == english::Gender::Female,
            None => alone + self.evidence[id].lean() > 0,
        }
    }

    /// Of several bearers of a surname, those whose full name is written with the same honorific. Where
    /// none is, the office of a family's member (`Squire Lind`) is left to itself.
    fn bearers(&self, fit: Vec<usize>, id: FormId) -> Vec<usize> {
        let honorifics = &self.names.forms[id].honorifics;
        let same = |at: &usize| {
            let cluster = &self.clusters[*at];
            cluster.honorifics.iter().any(|(word, count)| honorifics.contains(word) && *count > 1)
        };
        let sure: Vec<usize> = fit.iter().copied().filter(same).collect();
        let gender = self.parts[id].marks.gender;
        let kin = |at: &usize| {
            let cluster = &self.clusters[*at];
            !cluster.givens.is_empty()
                && (gender.is_none() || cluster.marks.gender.is_none_or(|of| Some(of) == gender))
        };
        let all =
            self.parts[id].words.last().map_or(Vec::new(), |name| self.candidates(&self.surnames, *name));
        let family = all.iter().filter(|at| kin(at)).count() > 1;
        match (sure.is_empty(), family && !self.parts[id].marks.plain) {
            (false, _) => sure,
            (true, true) => Vec::new(),
            (true, false) => fit,
        }
    }

    /// One word: somebody's given name or surname, or a name of its own.
    fn add_single(&mut self, id: FormId) {
        let Some(word) = self.parts[id].words.first().copied() else { return };
        if self.parser.is_common(word) {
            return self.found(id, &[]);
        }
        let (as_given, as_surname) = ([(Role::Given, word)], [(Role::Surname, word)]);
        let given = self.fitting(self.candidates(&self.givens, word), id, &as_given);
        let surname = self.fitting(self.candidates(&self.surnames, word), id, &as_surname);
        let mut all: Vec<usize> = given.iter().chain(&surname).copied().collect();
        all.sort_unstable();
        all.dedup();
        let chosen = self.choose(&all, word);
        let joined = chosen.map(|(cluster, _)| cluster);
        self.refuse(id, &self.candidates(&self.givens, word), &as_given, joined);
        self.refuse(id, &self.candidates(&self.surnames, word), &as_surname, joined);
        match chosen {
            Some((cluster, link)) if given.contains(&cluster) => {
                self.join(cluster, Member { form: id, reason: "given name", link }, &as_given);
            }
            Some((cluster, link)) => {
                self.join(cluster, Member { form: id, reason: "surname", link }, &as_surname);
            }
            None if all.is_empty() => self.add_short(id, word),
            None => self.found(id, &[]),
        }
    }

    /// A short form of a given name that only one person bears, or a name of its own.
    fn add_short(&mut self, id: FormId, word: Key) {
        let short = self.parser.text(word);
        let root: String = english::nickname_root(short).chars().take(3).collect();
        let mut full: Vec<Key> = self.roots.get(&root).cloned().unwrap_or_default();
        full.extend(english::full_names(short).filter_map(|name| self.words.id(name)));
        full.retain(|name| *name != word && same_given(&self.parser, *name, word));
        let bearers: Vec<usize> = full.iter().flat_map(|name| self.candidates(&self.givens, *name)).collect();
        let roles = [(Role::Given, word)];
        let chosen = self.choose(&self.fitting(bearers.clone(), id, &roles), word);
        self.refuse(id, &bearers, &roles, chosen.map(|(cluster, _)| cluster));
        match chosen {
            Some((cluster, link)) => {
                self.join(cluster, Member { form: id, reason: "short form of the given name", link }, &roles);
            }
            None => self.found(id, &roles),
        }
    }

    fn candidates(&self, index: &HashMap<Key, Vec<usize>>, word: Key) -> Vec<usize> {
        index.get(&word).map_or(Vec::new(), |list| list.iter().take(MAX_CANDIDATES).copied().collect())
    }

    /// The clusters that agree with the form and are of its nature, each once.
    fn fitting(&self, mut clusters: Vec<usize>, id: FormId, roles: &[(Role, Key)]) -> Vec<usize> {
        let place = !self.parts[id].titled && self.evidence[id].is_place();
        clusters.sort_unstable();
        clusters.dedup();
        clusters.retain(|at| self.against(*at, id, roles).is_none() && self.clusters[*at].thing == place);
        clusters
    }

    /// The only cluster, or the one that clearly dominates, with the form that links to it.
    fn choose(&self, fit: &[usize], word: Key) -> Option<(usize, FormId)> {
        let best = fit.iter().copied().max_by_key(|at| (self.weight(*at), Reverse(*at)))?;
        let dominates =
            |other: &usize| *other == best || self.weight(best) >= DOMINANCE * self.weight(*other);
        let cluster = &self.clusters[best];
        let named = cluster.givens.iter().chain(&cluster.surname).find(|(name, _)| *name == word);
        let link = named.map_or(cluster.members[0].form, |(_, form)| *form);
        fit.iter().all(dominates).then_some((best, link))
    }

    /// The uses of a cluster, and of its given names where nobody else bears them.
    fn weight(&self, at: usize) -> u32 {
        let only = |key: &Key| self.givens.get(key).is_some_and(|bearers| bearers.len() == 1);
        let cluster = &self.clusters[at];
        let givens = cluster.givens.iter().map(|(key, _)| key).filter(|key| only(key));
        cluster.support + givens.filter_map(|key| self.alone.get(key)).map(|alone| alone.count).sum::<u32>()
    }

    /// What speaks against a form being of a cluster's person: the author's wish before anything else.
    fn against(&self, at: usize, id: FormId, roles: &[(Role, Key)]) -> Option<&'static str> {
        let cluster = &self.clusters[at];
        let held = cluster.members.iter().map(|member| member.form);
        if held.into_iter().any(|form| self.apart.contains(&(form.min(id), form.max(id)))) {
            return Some(APART);
        }
        against(cluster, &self.parts[id], roles, &self.parser)
    }

    /// Keeps why a form is not of the people who bear a part of it, but for the one it joined.
    fn refuse(&mut self, id: FormId, bearers: &[usize], roles: &[(Role, Key)], joined: Option<usize>) {
        let parts = &self.parts[id];
        let place = !parts.titled && self.evidence[id].is_place();
        let mut refused: Vec<Refusal> = Vec::new();
        for &at in bearers.iter().filter(|at| Some(**at) != joined) {
            let cluster = &self.clusters[at];
            let thing = (cluster.thing != place).then_some("a person and a place");
            let wife =
                (parts.marks.married && !self.may_be_wife(at)).then_some("a wife bears her husband's name");
            let objection = self.against(at, id, roles).or(thing).or(wife);
            let reason = objection.unwrap_or(if joined.is_some() { MORE_USED } else { SEVERAL });
            let other = cluster.members[0].form;
            if refused.len() < MAX_REFUSALS && refused.iter().all(|known| known.other != other) {
                refused.push(Refusal { form: id, other, reason, sure: objection.is_some() });
            }
        }
        self.refusals.append(&mut refused);
    }

    fn found(&mut self, id: FormId, roles: &[(Role, Key)]) {
        let thing = self.parts[id].thing || (!self.parts[id].titled && self.evidence[id].is_place());
        self.clusters.push(Cluster { thing, ..Cluster::default() });
        let at = self.clusters.len() - 1;
        self.join(at, Member { form: id, reason: FIRST, link: id }, roles);
        if let Some(first) = self.parts[id].called_by_first(&self.parser) {
            self.clusters[at].givens.push((first, id));
            self.givens.entry(first).or_default().push(at);
        }
    }

    fn join(&mut self, at: usize, member: Member, roles: &[(Role, Key)]) {
        let form = &self.names.forms[member.form];
        let parts = &self.parts[member.form];
        let cluster = &mut self.clusters[at];
        cluster.members.push(member);
        cluster.support += form.count;
        cluster.marks.add(parts.marks);
        if parts.words.len() > 1 {
            cluster.honorifics.extend(form.honorifics.iter().map(|word| (*word, form.count)));
            cluster.middles.extend(parts.middles());
        }
        for (role, key) in roles {
            match role {
                Role::Given => self.add_given(at, *key, member.form),
                Role::Surname if self.clusters[at].surname.is_none() => {
                    self.clusters[at].surname = Some((*key, member.form));
                    self.surnames.entry(*key).or_default().push(at);
                }
                Role::Surname => {}
            }
        }
    }

    fn add_given(&mut self, at: usize, key: Key, form: FormId) {
        if self.clusters[at].givens.iter().any(|(other, _)| *other == key) {
            return;
        }
        self.clusters[at].givens.push((key, form));
        self.givens.entry(key).or_default().push(at);
        let root: String = self.parser.text(key).chars().take(3).collect();
        let same = self.roots.entry(root).or_default();
        if same.len() < MAX_CANDIDATES && !same.contains(&key) {
            same.push(key);
        }
    }
}
