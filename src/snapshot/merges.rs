//! Decisions about names, and what the author wishes of them, as the file has them.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::knowledge::{Decider, Group, Merge, Reveal, Verdict, Wishes};
use crate::text::Utf16Map;

use super::check::{Spans, name};
use super::{clipped, damaged};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MergeShape {
    one: String,
    other: String,
    places: (u32, u32),
    verdict: String,
    by: String,
    reason: String,
    evidence: u32,
}

impl MergeShape {
    pub(super) fn of(merge: &Merge, map: &Utf16Map) -> Self {
        let (one, other) = merge.places;
        Self {
            one: merge.one.clone(),
            other: merge.other.clone(),
            places: (map.to_utf16(one), map.to_utf16(other)),
            verdict: merge.verdict.as_str().to_owned(),
            by: merge.by.as_str().to_owned(),
            reason: merge.reason.clone(),
            evidence: map.to_utf16(merge.evidence),
        }
    }

    pub(super) fn into_merge(self, spans: &Spans<'_>) -> Result<Merge> {
        let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.as_str() == self.verdict);
        let by = Decider::ALL.into_iter().find(|by| by.as_str() == self.by);
        let none = |what: &str| damaged("merges", &format!("{:?} is none", clipped(what)));
        Ok(Merge {
            one: name("merges", self.one)?,
            other: name("merges", self.other)?,
            places: (spans.offset(self.places.0)?, spans.offset(self.places.1)?),
            verdict: verdict.ok_or_else(|| none(&self.verdict))?,
            by: by.ok_or_else(|| none(&self.by))?,
            reason: name("merges", self.reason)?,
            evidence: spans.offset(self.evidence)?,
        })
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WishesShape {
    same: Vec<GroupShape>,
    different: Vec<(String, String)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupShape {
    names: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<u32>,
}

impl WishesShape {
    /// The wishes, where there are any.
    pub(super) fn of(wishes: &Wishes, map: &Utf16Map) -> Option<Self> {
        let from = |from| match from {
            Reveal::Byte(byte) => Some(map.to_utf16(byte)),
            Reveal::Unit(unit) => Some(unit),
            Reveal::Chapter(_) => None, // An index has none: they are made bytes before it is built.
        };
        let group = |Group { names, name, from: place }: &Group| GroupShape {
            names: names.clone(),
            name: name.clone(),
            from: place.and_then(from),
        };
        let same = wishes.same.iter().map(group).collect();
        (!wishes.is_empty()).then(|| Self { same, different: wishes.different.clone() })
    }

    pub(super) fn into_wishes(self, spans: &Spans<'_>) -> Result<Wishes> {
        let named = |text: String| name("wishes", text);
        let group = |GroupShape { names, name, from }: GroupShape| {
            let names = names.into_iter().map(named).collect::<Result<Vec<_>>>()?;
            let from = from.map(|unit| spans.offset(unit).map(Reveal::Byte)).transpose()?;
            Ok(Group { names, name: name.map(named).transpose()?, from })
        };
        let pair = |(one, other)| Ok((named(one)?, named(other)?));
        Ok(Wishes {
            same: self.same.into_iter().map(group).collect::<Result<_>>()?,
            different: self.different.into_iter().map(pair).collect::<Result<_>>()?,
        })
    }
}
