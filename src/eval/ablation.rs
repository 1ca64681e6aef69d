//! The ablations of the PonsRAG paper (tables 3 and 5) by name, and the settings that make each.
//!
//! An ablation is the whole method with some tunables set, so that `--ablate no-match` and `--set
//! matching=top` are the same run. What each means in the offline profile stands in docs/departures.md.

use crate::config::QueryConfig;
use crate::error::{Code, Error, Result};

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
}

/// Every ablation of PonsRAG, in the paper's order.
pub const ABLATIONS: [Ablation; 9] = [
    Ablation {
        name: "char-only",
        what: "characters alone",
        paper: "w/ Char (table 3)",
        settings: &[("layers", "char")],
    },
    Ablation {
        name: "plot-only",
        what: "events alone",
        paper: "w/ Plot (table 3)",
        settings: &[("layers", "plot")],
    },
    Ablation {
        name: "no-pons",
        what: "both layers, no edges between them",
        paper: "w/o Pons (table 3)",
        settings: &[("layers", "apart")],
    },
    Ablation {
        name: "no-awaken",
        what: "anchors alone are matched",
        paper: "w/o Awaken (table 3)",
        settings: &[("k3", "0")],
    },
    Ablation {
        name: "no-match",
        what: "the heaviest edges instead of a matching",
        paper: "w/o Match (table 3)",
        settings: &[("matching", "top")],
    },
    Ablation {
        name: "no-filter",
        what: "matched pairs as they are",
        paper: "w/o Filter (table 3)",
        settings: &[("filter", "off")],
    },
    Ablation {
        name: "match-2",
        what: "two partners for each node",
        paper: "1-to-2 (table 5)",
        settings: &[("matching", "1-to-2")],
    },
    Ablation {
        name: "match-3",
        what: "three partners for each node",
        paper: "1-to-3 (table 5)",
        settings: &[("matching", "1-to-3")],
    },
    Ablation {
        name: "dense-edges",
        what: "every edge is a pair",
        paper: "Dense (table 5)",
        settings: &[("matching", "dense")],
    },
];

impl Ablation {
    /// The ablation of this name.
    ///
    /// # Errors
    /// `usage` for a name that is none, with those that are.
    pub fn named(name: &str) -> Result<&'static Self> {
        ABLATIONS.iter().find(|ablation| ablation.name == name).ok_or_else(|| {
            let names = ABLATIONS.map(|ablation| ablation.name).join(", ");
            let name: String = name.chars().take(80).collect();
            let message = format!("ablation {name:?} is not in this version, which has {names}");
            Error::new(Code::Usage, message)
        })
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
        let configs = ABLATIONS.map(|ablation| ablation.of(whole).unwrap());
        for (place, config) in configs.iter().enumerate() {
            assert_ne!(*config, whole, "{}", ABLATIONS[place].name);
            assert!(!configs[..place].contains(config), "{}", ABLATIONS[place].name);
        }
        // What else is set stays.
        let few = QueryConfig { k1: 3, ..whole };
        assert_eq!(Ablation::named("no-match").unwrap().of(few).unwrap().k1, 3);
    }

    #[test]
    fn a_name_that_is_none_gets_those_that_are() {
        let error = Ablation::named("no-types").unwrap_err();
        assert_eq!(error.code(), Code::Usage);
        assert!(error.to_string().contains("char-only, plot-only, no-pons"), "{error}");
    }
}
