//! The ablations of the PonsRAG paper (tables 3 and 5) and of CodaRAG by name, and the settings that make each.
//!
//! An ablation is the whole method with some tunables set, so that `--ablate no-match` and `--set
//! matching=top` are the same run. Two of CodaRAG's are settings of the index: there the book has to be read
//! anew, which rules do from the index's own text. What each means in the offline profile stands in
//! docs/departures.md.

use crate::config::{IndexConfig, QueryConfig};
use crate::error::{Code, Error, Result};
use crate::index::Index;

/// The method with something left out or replaced.
#[derive(Clone, Copy, Debug)]
pub struct Ablation {
    /// As `--ablate` takes it.
    pub name: &'static str,
    /// What is different, in a few words.
    pub what: &'static str,
    /// The paper's own name of it, with its table.
    pub paper: &'static str,
    /// The tunables that make it.
    pub settings: &'static [(&'static str, &'static str)],
    /// Those of indexing that do.
    pub index: &'static [(&'static str, &'static str)],
}

/// An ablation by settings of a question.
const fn ablation(
    name: &'static str,
    what: &'static str,
    paper: &'static str,
    settings: &'static [(&'static str, &'static str)],
) -> Ablation {
    Ablation { name, what, paper, settings, index: &[] }
}

/// Every ablation of CodaRAG: its abstract names pathways, merging, types and filter; no table is to be had.
pub const CODA_ABLATIONS: [Ablation; 6] = [
    Ablation {
        index: &[("types", "default")],
        ..ablation("no-types", "the five types alone", "w/o type discovery", &[])
    },
    Ablation {
        index: &[("merging", "off")],
        ..ablation("no-merge", "fragments of an entity are not merged", "w/o merging", &[])
    },
    ablation("no-semantic", "nothing over relations", "w/o SemA", &[("k_sem", "0")]),
    ablation("no-contextualized", "no walk from the seeds", "w/o ConA", &[("k_con", "0")]),
    ablation("no-functional", "no likeness of standing", "w/o FunA", &[("k_fun", "0")]),
    ablation("no-eliminate", "everything raised is kept", "w/o filter", &[("eliminate", "off")]),
];

/// Every ablation of PonsRAG, in the paper's order.
pub const ABLATIONS: [Ablation; 9] = [
    ablation("char-only", "characters alone", "w/ Char (table 3)", &[("layers", "char")]),
    ablation("plot-only", "events alone", "w/ Plot (table 3)", &[("layers", "plot")]),
    ablation("no-pons", "both layers, no edges between them", "w/o Pons (table 3)", &[("layers", "apart")]),
    ablation("no-awaken", "anchors alone are matched", "w/o Awaken (table 3)", &[("k3", "0")]),
    ablation(
        "no-match",
        "the heaviest edges instead of a matching",
        "w/o Match (table 3)",
        &[("matching", "top")],
    ),
    ablation("no-filter", "matched pairs as they are", "w/o Filter (table 3)", &[("filter", "off")]),
    ablation("match-2", "two partners for each node", "1-to-2 (table 5)", &[("matching", "1-to-2")]),
    ablation("match-3", "three partners for each node", "1-to-3 (table 5)", &[("matching", "1-to-3")]),
    ablation("dense-edges", "every edge is a pair", "Dense (table 5)", &[("matching", "dense")]),
];

impl Ablation {
    /// The ablation of this name.
    ///
    /// # Errors
    /// `usage` for a name that is none, with those that are.
    pub fn named(name: &str) -> Result<&'static Self> {
        let mut all = ABLATIONS.iter().chain(&CODA_ABLATIONS);
        all.find(|ablation| ablation.name == name).ok_or_else(|| {
            let names = ABLATIONS.iter().chain(&CODA_ABLATIONS).map(|ablation| ablation.name);
            let names = names.collect::<Vec<_>>().join(", ");
            let name: String = name.chars().take(80).collect();
            let message = format!("ablation {name:?} is not in this version, which has {names}");
            Error::new(Code::Usage, message)
        })
    }

    /// Whether it is one of CodaRAG's.
    pub fn is_coda(&self) -> bool {
        CODA_ABLATIONS.iter().any(|ablation| ablation.name == self.name)
    }

    /// Why it cannot be told on an index; empty where it can.
    pub fn lacking(&self, index: &Index) -> String {
        let needed: Vec<String> =
            self.index.iter().map(|(key, value)| format!("--set {key}={value}")).collect();
        let by_rule = index.extractor.is_none();
        let same = matches!(self.index_of(index.config), Ok(None));
        match self.name {
            "no-types" if by_rule || same => {
                "this index has the five types alone, so nothing is left out".to_owned()
            }
            _ if by_rule || same => String::new(),
            _ => {
                let needed = needed.join(" ");
                format!(
                    "a chat model read this index; index the book once more with {needed} and compare the two"
                )
            }
        }
    }

    /// The configuration of the index that it needs, where that is another than the one it has.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn index_of(&self, index: IndexConfig) -> Result<Option<IndexConfig>> {
        let mut config = index;
        for (key, value) in self.index {
            config.set(key, value)?;
        }
        Ok((config != index).then_some(config))
    }

    /// A configuration with the ablation's settings; the others stay as they are.
    ///
    /// # Errors
    /// None as long as the table holds values that the tunables take, which a test sees to.
    pub fn of(&self, mut config: QueryConfig) -> Result<QueryConfig> {
        for (key, value) in self.settings {
            config.set(key, value)?;
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_is_a_change_of_its_own() {
        let whole = QueryConfig::default();
        let by_settings = |ablation: &&Ablation| !ablation.settings.is_empty();
        let all: Vec<&Ablation> = ABLATIONS.iter().chain(&CODA_ABLATIONS).filter(by_settings).collect();
        let configs: Vec<QueryConfig> = all.iter().map(|ablation| ablation.of(whole).unwrap()).collect();
        for (place, config) in configs.iter().enumerate() {
            assert_ne!(*config, whole, "{}", all[place].name);
            assert!(!configs[..place].contains(config), "{}", all[place].name);
        }
        let index = IndexConfig::default();
        let merged = Ablation::named("no-merge").unwrap().index_of(index).unwrap().unwrap();
        assert_ne!(merged, index);
        assert_eq!(Ablation::named("no-match").unwrap().index_of(index).unwrap(), None);
        // What else is set stays.
        let few = QueryConfig { k1: 3, ..whole };
        assert_eq!(Ablation::named("no-match").unwrap().of(few).unwrap().k1, 3);
    }

    #[test]
    fn a_name_that_is_none_gets_those_that_are() {
        let error = Ablation::named("no-magic").unwrap_err();
        assert_eq!(error.code(), Code::Usage);
        assert!(error.to_string().contains("char-only, plot-only, no-pons"), "{error}");
    }
}
