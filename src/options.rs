//! What a caller may say with a question: method, choices, reading position, models, tunables.

use crate::config::{IndexConfig, QueryConfig, unknown};
use crate::error::{Code, Error, Result};
use crate::llm::Models;
use crate::position::Position;

/// Tokens of a context where the caller says nothing (PonsRAG B: 6000).
pub const CONTEXT_TOKENS: u32 = 6000;

/// Which method retrieves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// PonsRAG.
    Pons,
    /// CodaRAG.
    Coda,
    /// HippoRAG 2: chunks by a walk over the character graph.
    Hippo,
    /// LightRAG: entities and relations, one hop.
    Light,
    /// Chunks by vectors.
    Dense,
    /// Chunks by words.
    Bm25,
}

impl Method {
    /// Every method of this version.
    pub const ALL: [Self; 6] = [Self::Pons, Self::Coda, Self::Hippo, Self::Light, Self::Dense, Self::Bm25];

    /// The method of this name.
    ///
    /// # Errors
    /// `usage` for a name that is none, or a method of a later version.
    pub fn named(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join(", ");
            Error::new(Code::Usage, format!("method {name:?} is not in this version, which has {names}"))
        })
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pons => "pons",
            Self::Coda => "coda",
            Self::Hippo => "hippo",
            Self::Light => "light",
            Self::Dense => "dense",
            Self::Bm25 => "bm25",
        }
    }
}

/// How a question is asked.
#[derive(Clone, Debug)]
pub struct AskOptions {
    /// Which method retrieves; PonsRAG.
    pub method: Method,
    /// The most tokens of the context, 100 to 1,000,000; 6000.
    pub context_tokens: u32,
    /// The tunables.
    pub config: QueryConfig,
    /// Options of a multiple-choice question; empty for an open one.
    pub choices: Vec<String>,
    /// How far the reader is: nothing from later reaches the result. `None`: the whole book.
    pub up_to: Option<Position>,
    /// Retrieval steps; more than one needs a chat model, without which one is run and told so.
    pub steps: u32,
    /// The chat model that writes the answer, the embedder that embeds the question; none by default.
    pub models: Models,
}

impl Default for AskOptions {
    fn default() -> Self {
        Self {
            method: Method::Pons,
            context_tokens: CONTEXT_TOKENS,
            config: QueryConfig::default(),
            choices: Vec::new(),
            up_to: None,
            steps: 1,
            models: Models::default(),
        }
    }
}

impl AskOptions {
    /// Fails for what is out of range.
    pub(crate) fn checked(&self) -> Result<()> {
        self.config.check()?;
        let tokens = self.context_tokens;
        if !(100..=1_000_000).contains(&tokens) {
            let message = format!("context tokens are {tokens}, but must be 100 to 1000000");
            return Err(Error::new(Code::Usage, message));
        }
        if !(1..=10).contains(&self.steps) {
            return Err(Error::new(Code::Usage, format!("steps are {}, but must be 1 to 10", self.steps)));
        }
        if self.choices.len() == 1 || self.choices.len() > 26 {
            let message = format!("there are {} choices, but there must be 2 to 26", self.choices.len());
            return Err(Error::new(Code::Usage, message));
        }
        let wordless = |choice: &&String| !choice.chars().any(char::is_alphanumeric);
        if let Some(choice) = self.choices.iter().find(wordless) {
            return Err(Error::new(Code::Usage, format!("the choice {choice:?} has no letter or digit")));
        }
        Ok(())
    }
}

/// Sets tunables by name from text, as `--set key=value` and `config: {key: value}` do.
///
/// # Errors
/// `unknown_option` for a name that neither moment has (with the nearest), `usage` for a bad value or a
/// tunable of the other moment.
pub fn set_query(config: &mut QueryConfig, key: &str, value: &str) -> Result<()> {
    match config.set(key, value) {
        Err(error) if error.code() == Code::UnknownOption => {
            Err(misplaced(key, IndexConfig::KEYS, "when a book is indexed"))
        }
        done => done,
    }
}

/// As [`set_query`], for the tunables of indexing.
///
/// # Errors
/// As [`set_query`].
pub fn set_index(config: &mut IndexConfig, key: &str, value: &str) -> Result<()> {
    match config.set(key, value) {
        Err(error) if error.code() == Code::UnknownOption => {
            Err(misplaced(key, QueryConfig::KEYS, "with each question"))
        }
        done => done,
    }
}

fn misplaced(key: &str, other: &[crate::config::Key], when: &str) -> Error {
    if other.iter().any(|known| known.name == key) {
        return Error::new(Code::Usage, format!("{key} is set {when}, not here"));
    }
    let all = IndexConfig::KEYS.iter().chain(QueryConfig::KEYS);
    unknown(key, all.map(|key| key.name))
}
