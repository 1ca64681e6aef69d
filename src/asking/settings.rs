//! The settings of one question as they take effect: nothing left to be worked out, and told in the trace.
//!
//! What a caller leaves open is settled once, before the first stage, from what index and question have: the
//! profile, the weights and the edges it stands for, and who decides. tau and the bar of synonyms belong to the
//! space that a question is compared in, so each stage takes them from there; here they are told.
//!
//! Invariant: `told` names what the method reads and nothing else, each once.

use crate::book::Book;
use crate::config::{By, Edges, Layers, Profile, QueryConfig, Recognition, Value};
use crate::options::{AskOptions, Method};
use crate::position::Position;
use crate::question::Question;
use crate::report::{Setting, SettingValue};
use crate::stage::seed;

/// What HippoRAG 2 reads, and PonsRAG of it.
const WALK: [&str; 6] = ["k1", "synonyms", "damping", "link_facts", "recognition", "passage_weight"];
/// What LightRAG reads, and CodaRAG beside its own.
const LIGHT: [&str; 7] =
    ["profile", "cues", "seed_top", "seed_cosine", "seed_share", "entity_tokens", "relation_tokens"];
/// What CodaRAG alone reads.
const CODA: [&str; 11] = [
    "semantic_alpha",
    "walk_damping",
    "hubs",
    "k_sem",
    "k_con",
    "k_fun",
    "standing",
    "rank_constant",
    "seed_weight",
    "eliminate",
    "support",
];
/// What CodaRAG reads of PonsRAG's in the offline profile, for the words of its passages.
const WORDS: [&str; 5] = ["alpha", "beta", "gamma", "delta", "dense_share"];
/// What PonsRAG reads in the offline profile alone.
const OFFLINE: [&str; 2] = ["delta", "dense_share"];
/// What it reads in the paper's alone.
const PAPER: [&str; 1] = ["chunks"];

/// The configuration with nothing left to be worked out, but for what each space has of its own.
pub(super) fn settled(book: &Book, question: &Question, options: &AskOptions) -> QueryConfig {
    let (config, chat) = (options.config, options.models.chat.is_some());
    let profile = match config.profile {
        // Systems 1.8 item 8: the paper's where a chat model read the book and an endpoint embeds the question.
        Profile::Auto if book.index.extractor.is_some() && question.elsewhere.is_some() => Profile::Paper,
        Profile::Auto => Profile::Offline,
        set => set,
    };
    let paper = profile == Profile::Paper;
    let [alpha, beta, gamma] = if paper { [0.7, 0.2, 0.1] } else { [0.5, 0.0, 0.5] };
    let weight = |set: f64, own: f64| if set >= 0.0 { set } else { own };
    // The method hippo is its paper's, whatever the index was made by.
    let asks = chat && (paper || options.method == Method::Hippo);
    QueryConfig {
        profile,
        alpha: weight(config.alpha, alpha),
        beta: weight(config.beta, beta),
        gamma: weight(config.gamma, gamma),
        edges: match config.edges {
            Edges::Auto if paper => Edges::Cosine,
            Edges::Auto => Edges::Mention,
            set => set,
        },
        recognition: match config.recognition {
            // Without the character layer no fact leads anywhere: no model is asked.
            _ if options.method == Method::Pons && config.layers == Layers::Plot => Recognition::Rule,
            Recognition::Auto if asks => Recognition::Chat,
            Recognition::Auto => Recognition::Rule,
            set => set,
        },
        filter: by(config.filter, chat && paper),
        query_type: by(config.query_type, chat),
        // Of CodaRAG, too, the paper's way is taken where there is a chat model.
        cues: by(config.cues, chat),
        eliminate: by(config.eliminate, chat),
        seed_cosine: if paper && by_share(config.seed_cosine) { seed::LEAST } else { config.seed_cosine },
        ..config
    }
}

fn by(set: By, chat: bool) -> By {
    match set {
        By::Auto if chat => By::Chat,
        By::Auto => By::Rule,
        set => set,
    }
}

/// The settings in effect that the method reads, in the order of the configuration, then those of the call.
pub(super) fn told(
    book: &Book,
    question: &Question,
    options: &AskOptions,
    settled: &QueryConfig,
) -> Vec<Setting> {
    let chat = options.models.chat.is_some();
    let wanted = |key: &str| reads(options.method, settled, chat, key);
    let (default, given) = (QueryConfig::default().values(), options.config.values());
    let mut told = Vec::new();
    for (((key, value), (_, given)), (_, default)) in settled.values().into_iter().zip(given).zip(default) {
        if !wanted(key) {
            continue;
        }
        told.push(match own(book, question, settled, key) {
            Some(value) => setting(key, SettingValue::Number(value), "index"),
            None if key == "seed_cosine" && by_share(settled.seed_cosine) => {
                setting(key, SettingValue::Text("by seed_share".to_owned()), "auto")
            }
            None => setting(key, shown(value), origin(value, given, default)),
        });
        if let (true, Some((space, _))) = (key == "tau" && from_index(settled.tau), question.space(book)) {
            told.push(setting("tau_quantile", SettingValue::Number(space.quantile), "index"));
        }
    }
    told.extend(of_the_call(options));
    told
}

/// What PonsRAG reads only where its layers are tied.
const TIED: [&str; 4] = ["k3", "k4", "topk_mode", "edges"];

/// The methods that read a tunable of a question in one profile or the other; none for what the answer reads
/// whatever the method.
pub fn methods_that_read(key: &str) -> Vec<Method> {
    let reading = |profile, seed_cosine| QueryConfig {
        profile,
        seed_cosine,
        filter: By::Chat,
        edges: Edges::Cosine,
        ..QueryConfig::default()
    };
    let profiles = [Profile::Offline, Profile::Paper];
    let ways = profiles.map(|profile| [-1.0, 0.0].map(|cosine| reading(profile, cosine)));
    let reads = |method: &Method| ways.as_flattened().iter().any(|way| reads(*method, way, true, key));
    Method::ALL.into_iter().filter(reads).collect()
}

/// Whether a method reads a tunable when it retrieves, with a chat model or without.
fn reads(method: Method, settled: &QueryConfig, chat: bool, key: &str) -> bool {
    let paper = settled.profile == Profile::Paper;
    let tied = settled.layers == Layers::Both;
    let cosine = tied && settled.edges != Edges::Mention;
    match (method, key) {
        // Who tells what the question turns on is no matter of the method; the answer alone reads the cover.
        (_, "query_type") => true,
        (_, "min_cover") | (Method::Dense | Method::Bm25, _) => false,
        (Method::Hippo, key) => WALK.contains(&key),
        (Method::Coda, "support") => !paper,
        (Method::Coda | Method::Light, "seed_share") => by_share(settled.seed_cosine),
        (Method::Coda, key) => LIGHT.contains(&key) || CODA.contains(&key) || !paper && WORDS.contains(&key),
        (Method::Light, key) => LIGHT.contains(&key),
        (Method::Pons, key) if key != "profile" && (LIGHT.contains(&key) || CODA.contains(&key)) => false,
        (Method::Pons, "tau") => cosine,
        (Method::Pons, "on_none") => chat && settled.filter == By::Chat,
        (Method::Pons, key) if TIED.contains(&key) && !tied => false,
        (Method::Pons, key) => (paper || !PAPER.contains(&key)) && (!paper || !OFFLINE.contains(&key)),
    }
}

/// Whether seeds are taken by their share of the book.
fn by_share(seed_cosine: f64) -> bool {
    seed_cosine <= -1.0
}

/// Where a value comes from.
fn origin(settled: Value, given: Value, default: Value) -> &'static str {
    match (settled == given, given == default) {
        (false, _) => "auto",
        (true, true) => "default",
        (true, false) => "set",
    }
}

/// Of what is left to the index, what it has for the space that the question is compared in.
fn own(book: &Book, question: &Question, settled: &QueryConfig, key: &str) -> Option<f64> {
    let (space, _) = question.space(book)?;
    match key {
        "tau" => from_index(settled.tau).then_some(space.tau),
        "synonyms" => (settled.synonyms <= space.synonyms.least).then_some(space.synonyms.least),
        _ => None,
    }
}

/// Of the negative values of tau -1 alone leaves it to the index.
fn from_index(tau: f64) -> bool {
    tau <= -1.0
}

/// What a call sets beside the configuration.
fn of_the_call(options: &AskOptions) -> Vec<Setting> {
    let default = AskOptions::default();
    // Without a chat model there is no thought to go on by.
    let steps = if options.models.chat.is_some() { options.steps } else { 1 };
    let number = |name, value: u32, given: u32, default: u32| {
        let (value, given, default) =
            (Value::Number(value.into()), Value::Number(given.into()), Value::Number(default.into()));
        setting(name, shown(value), origin(value, given, default))
    };
    let mut told = vec![
        number("context_tokens", options.context_tokens, options.context_tokens, default.context_tokens),
        number("steps", steps, options.steps, default.steps),
    ];
    let position = options.up_to.map(|up_to| match up_to {
        Position::Share(share) => share.to_string(),
        Position::Chapter(number) => format!("ch:{number}"),
        Position::Offset(unit) => format!("@{unit}"),
    });
    told.extend(position.map(|position| setting("up_to", SettingValue::Text(position), "set")));
    told
}

/// What an answer reads beside: the options, and by rule the least cover.
pub(super) fn of_the_answer(options: &AskOptions, by_rule: bool) -> Vec<Setting> {
    let mut told = Vec::new();
    if !options.choices.is_empty() {
        told.push(setting("choices", SettingValue::Text(options.choices.join("|")), "set"));
    }
    let (cover, default) = (options.config.min_cover, QueryConfig::default().min_cover);
    if by_rule {
        let origin = if cover == default { "default" } else { "set" };
        told.push(setting("min_cover", SettingValue::Number(cover), origin));
    }
    told
}

fn shown(value: Value) -> SettingValue {
    match value {
        Value::Number(number) => SettingValue::Number(number),
        Value::Name(name) => SettingValue::Text(name.to_owned()),
    }
}

fn setting(name: &str, value: SettingValue, from: &'static str) -> Setting {
    Setting { name: name.to_owned(), value, from: from.to_owned() }
}
