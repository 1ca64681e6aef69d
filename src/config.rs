//! Every tunable: meaning, effect at both ends, range, default and source.
//!
//! One table per moment: [`IndexConfig`] is fixed when a book is indexed and stored in its file,
//! [`QueryConfig`] is chosen with each question (`--set key=value`, or `config: {key: value}`).
//! Sources: `P` is the PonsRAG paper with the section or equation, `ours` a value the paper leaves
//! open or that we change, explained in docs/departures.md.

#[macro_use]
mod tunable;

use crate::error::Result;

pub use tunable::{Key, Value, unknown};

use tunable::{Tunable, out_of_range};

choice!(
    /// Which of the two readings of the system to run (docs/departures.md).
    Profile {
        /// Paper where a chat model read the book and an endpoint embeds the question, else offline.
        Auto = "auto",
        /// Rule-based knowledge and the built-in embedder: events by fused scores fill the context,
        /// awakening and matching annotate and arrange.
        Offline = "offline",
        /// The paper's: cosine scores, weights over tau, the matched pairs are the context.
        Paper = "paper",
    }
);

choice!(
    /// How "the top k3 of the activation, anchors removed" is read (P eq. 8).
    TopK {
        /// Anchors removed first, then the best k3 of each side.
        PerSideExcl = "per_side_excl",
        /// Anchors removed first, then the best k3 of both sides together.
        JointExcl = "joint_excl",
        /// The best k3 of both sides together, then anchors removed: the literal reading.
        JointLiteral = "joint_literal",
    }
);

choice!(
    /// How vectors are stored in the index file.
    Encoding {
        /// One signed byte a number and a scale a vector.
        Int8 = "int8",
        /// 32-bit floats.
        F32 = "f32",
    }
);

choice!(
    /// Who says which facts link the question to the character graph.
    Recognition {
        /// A chat model where there is one and the method or profile is a paper's, else the rule.
        Auto = "auto",
        /// A chat model.
        Chat = "chat",
        /// The rule: a fact that shares a content word with the question.
        Rule = "rule",
        /// Nobody: all are kept.
        Off = "off",
    }
);

choice!(
    /// Where the pons layer has edges.
    Edges {
        /// The profile's own: mention in offline, cosine in paper.
        Auto = "auto",
        /// Where cosine reaches tau (P eq. 4).
        Cosine = "cosine",
        /// There too, but weighted by the cosine alone, without `I_u` (P appendix C, "Pure Semantic").
        Semantic = "semantic",
        /// Where the event names the character (P appendix C, "Entity Mention").
        Mention = "mention",
    }
);

choice!(
    /// Which of the two layers take part (P table 3).
    Layers {
        /// Both, tied by the pons layer.
        Both = "both",
        /// Characters alone: no event is anchored ("w/ Char").
        Char = "char",
        /// Events alone: no character is anchored ("w/ Plot").
        Plot = "plot",
        /// Both, without an edge between them ("w/o Pons").
        Apart = "apart",
    }
);

choice!(
    /// Which edges between anchored and awakened nodes become pairs (P eq. 9, tables 3 and 5).
    Matching {
        /// The matching of the largest sum, each node at most once.
        OneToOne = "1-to-1",
        /// The same with each node at most twice.
        OneToTwo = "1-to-2",
        /// The same with each node at most three times.
        OneToThree = "1-to-3",
        /// The heaviest k4 edges, however often a node is in them ("w/o Pons Match").
        Top = "top",
        /// Every edge ("Dense").
        Dense = "dense",
    }
);

impl Matching {
    /// The most pairs a node is in; none where there is no such bound.
    pub fn bound(self) -> Option<usize> {
        match self {
            Self::OneToOne => Some(1),
            Self::OneToTwo => Some(2),
            Self::OneToThree => Some(3),
            Self::Top | Self::Dense => None,
        }
    }
}

choice!(
    /// Where the activation starts (P eq. 7 leaves it open).
    Start {
        /// Every anchor of a side alike.
        Uniform = "uniform",
        /// Anchors by their scores: the walk's probability, `S(q, v)`.
        Scores = "scores",
    }
);

choice!(
    /// Who decides what a step keeps.
    By {
        /// A chat model where there is one and the profile leaves it to one, else the rule.
        Auto = "auto",
        /// A chat model.
        Chat = "chat",
        /// The rule.
        Rule = "rule",
        /// Nobody: everything is kept.
        Off = "off",
    }
);

choice!(
    /// Which entities may be one.
    MergeTypes {
        /// Those of one type, and those of which one is `other`.
        Same = "same",
        /// Any two.
        Any = "any",
    }
);

choice!(
    /// Whether the paper profile's context has the chunks that its events lie in.
    Chunks {
        /// Profiles and events alone, as the paper's mean context of 1,187 tokens allows.
        Off = "off",
        /// Chunks behind them, best first, while they fit.
        Fill = "fill",
    }
);

choice!(
    /// What a filter that finds no line of use leaves.
    OnNone {
        /// Everything, as far as it fits.
        Keep = "keep",
        /// Nothing.
        Empty = "empty",
    }
);

choice!(
    /// Which types a chat model is told to sort entities by.
    Types {
        /// Person, group, place, object and other.
        Default = "default",
        /// Those that it finds the book to have, each of which belongs to one of the five (CodaRAG I.a).
        Discover = "discover",
    }
);

choice!(
    /// What makes two entities alike in standing.
    Standing {
        /// The same neighbours.
        Company = "company",
        /// The same types and numbers of ties around them.
        Roles = "roles",
    }
);

choice!(
    /// Whether the walk over the relations is freed of what is visited wherever it starts.
    Hubs {
        /// Entities by the walk's probability.
        Keep = "keep",
        /// By that over their probability in a walk that starts everywhere.
        Correct = "correct",
    }
);

config!(
    /// Fixed when a book is indexed; stored in the index file.
    IndexConfig {
        /// The most tokens of a chunk. Small chunks are precise and lose what stands around; large
        /// ones blur. P appendix B.1: 512.
        chunk_tokens: usize = 512, 32 ..= 512;
        /// Tokens a chunk repeats from its predecessor. 0 keeps chunks and skips a tiling; more lets
        /// a sentence be found with either neighbour; over half of a chunk counts as half. P does not state
        /// it; ours, systems 1.1.
        chunk_overlap: usize = 0, 0 ..= 256;
        /// Sentences are merged inside a chunk until an event has this many words. Few: sharp events
        /// and many; many: fewer with more context. Ours, from the offline study: 20.
        event_words: usize = 20, 1 ..= 200;
        /// Width of the built-in embedder's vectors. Narrow blurs topics together, wide costs bytes.
        /// Ours: 128.
        dims: usize = 128, 8 ..= 512;
        /// Weight of a co-occurrence edge where a stated fact counts 1. Ours: 0.25.
        weak_tie: f64 = 0.25, 0.0 ..= 1.0;
        /// How vectors are stored. int8 is a quarter of the size, with no loss of rank measured.
        encoding: Encoding = Encoding::Int8, 0 ..= 0;
        /// Share of character-event pairs below tau, from which tau is set for this embedder. Low
        /// keeps weak edges, high prunes to a few. P's .75 is for another embedder; ours: 0.25.
        tau_quantile: f64 = 0.25, 0.0 ..= 1.0;
        /// Least cosine of a synonym edge in an endpoint's space. Low joins what is merely alike, high
        /// leaves each phrase alone. HippoRAG 2: 0.8.
        synonym_cosine: f64 = 0.8, 0.0 ..= 1.0;
        /// The same for the built-in embedder, whose cosines are on another scale: the share of phrases
        /// whose nearest neighbour is no synonym. Ours: 0.9.
        synonym_share: f64 = 0.9, 0.0 ..= 1.0;
        /// Which types a chat model sorts entities by: default for the five kinds, or discover for those that it
        /// finds the book to have, which costs some nine requests before the first passage is read. CodaRAG
        /// I.a: discover; ours: default, since a story's are the five and the page and PonsRAG know no other.
        types: Types = Types::Default, 0 ..= 0;
        /// The most types that are found, other aside. CodaRAG states none; ours: 20.
        most_types: usize = 20, 1 ..= 50;
        /// How often a chat model is asked what it missed in a passage: 0 saves a request a passage, 1 finds
        /// more. LightRAG and GraphRAG: 1.
        gleaning: usize = 1, 0 ..= 1;
        /// Who decides which entities are one: a chat model, the rule, auto for a chat model where one reads
        /// the book, or off for nobody; then every form of a name is an entity of its own. CodaRAG I.c: a
        /// chat model.
        merging: By = By::Auto, 0 ..= 0;
        /// Least cosine of two entities that are looked at, in an endpoint's space. Low asks of many that are
        /// merely alike, high misses fragments. CodaRAG states none; ours: 0.85.
        merge_cosine: f64 = 0.85, 0.0 ..= 1.0;
        /// The same for the built-in embedder: the share of entities whose nearest neighbour is not looked
        /// at. Ours: 0.9.
        merge_share: f64 = 0.9, 0.0 ..= 1.0;
        /// The most neighbours of one entity that are looked at. CodaRAG states none; ours: 10.
        merge_neighbours: usize = 10, 0 ..= 100;
        /// Whether two entities must be of one type, or one of no sure type, to be one: same, or any.
        /// Ours: same.
        merge_types: MergeTypes = MergeTypes::Same, 0 ..= 0;
    }
);

config!(
    /// Chosen with each question.
    QueryConfig {
        /// Which reading of the system runs: offline, paper, or auto for what index and question have.
        profile: Profile = Profile::Auto, 0 ..= 0;
        /// Characters tied to the query. Few: narrow; many: the activation spreads thin. P table 7: 15.
        k1: usize = 15, 1 ..= 200;
        /// Events tied to the query; in the offline profile the least number, since events fill the
        /// context. P table 7: 15.
        k2: usize = 15, 1 ..= 200;
        /// Nodes awakened on each side. 0 switches awakening off. P table 7: 15.
        k3: usize = 15, 0 ..= 200;
        /// Pairs kept of the matching, times the pairs that a node may be in; all edges where
        /// `matching` is dense. P table 7: 30.
        k4: usize = 30, 1 ..= 200;
        /// Which layers take part: both, char, plot, or apart for both without edges between them.
        layers: Layers = Layers::Both, 0 ..= 0;
        /// Which edges become pairs: 1-to-1, 1-to-2 and 1-to-3 as the largest sum, top as the heaviest
        /// k4, dense as all. P eq. 9: 1-to-1.
        matching: Matching = Matching::OneToOne, 0 ..= 0;
        /// Who chooses what of the plotline serves the question: auto, chat, rule, or off to keep
        /// everything that fits the context. auto is the chat model in the paper profile. P: a chat model.
        filter: By = By::Auto, 0 ..= 0;
        /// What is left where the chat model finds that no line serves: keep, or empty. P states none.
        on_none: OnNone = OnNone::Keep, 0 ..= 0;
        /// Whether chunks of the kept pairs follow profiles and events in the paper profile's context: off, or
        /// fill for as many as fit. P appendix G names them, P table 5 has no room for them.
        chunks: Chunks = Chunks::Off, 0 ..= 0;
        /// Who tells whether the question turns on characters, plot or both: rule, chat, auto for a chat model
        /// where there is one, or off. It is in the trace and steers nothing, so by default it costs no
        /// request. P appendix D: a chat model.
        query_type: By = By::Rule, 0 ..= 0;
        /// Weight of the event itself in the multi-granularity score (P eq. 5: 0.7). Unset (-1), the
        /// profile's own: paper 0.7, offline 0.5.
        alpha: f64 = -1.0, -1.0 ..= 10.0;
        /// Weight of the cluster's summary (P eq. 5: 0.2). Unset (-1): paper 0.2, offline 0.
        beta: f64 = -1.0, -1.0 ..= 10.0;
        /// Weight of the surrounding text (P eq. 5: the chunk, 0.1). Unset (-1): paper 0.1, offline 0.5.
        gamma: f64 = -1.0, -1.0 ..= 10.0;
        /// Weight of the whole chapter, lexical only; offline profile. 0 off. Ours: 0.5.
        delta: f64 = 0.5, 0.0 ..= 10.0;
        /// Share of the vectors in each fused score of the offline profile. 0: words only. Ours: 0.25.
        dense_share: f64 = 0.25, 0.0 ..= 10.0;
        /// Least cosine of an edge (P table 7: 0.75 for choices, 0.50 for questions). Unset (-1), the
        /// index's own, calibrated by quantile. 0 prunes nothing that is positive.
        tau: f64 = -1.0, -1.0 ..= 1.0;
        /// Where the pons layer has edges: cosine, semantic, mention, or auto for the profile's own, which is
        /// mention in offline and cosine in paper.
        edges: Edges = Edges::Auto, 0 ..= 0;
        /// Where the activation starts: uniform over the anchors, or by their scores. P states none.
        start: Start = Start::Uniform, 0 ..= 0;
        /// Co-HITS: how much of a character's score comes from its events. 0: only the start counts.
        /// P states none; 0.5 as the restart of the character graph.
        lambda_char: f64 = 0.5, 0.0 ..= 1.0;
        /// Co-HITS: how much of an event's score comes from its characters. As `lambda_char`.
        lambda_plot: f64 = 0.5, 0.0 ..= 1.0;
        /// How "top k3, anchors removed" is read: per_side_excl, joint_excl or joint_literal.
        topk_mode: TopK = TopK::PerSideExcl, 0 ..= 0;
        /// Least cosine of a synonym edge, where higher than what the index keeps. Unset (-1), all that it
        /// keeps; above 1 none.
        synonyms: f64 = -1.0, -1.0 ..= 2.0;
        /// PageRank: the share that follows edges rather than restarting. HippoRAG 2: 0.5.
        damping: f64 = 0.5, 0.0 ..= 0.99;
        /// Facts that link the query to the character graph. HippoRAG 2: 5.
        link_facts: usize = 5, 1 ..= 50;
        /// Who keeps some of them: a chat model, a rule, or nobody (off). HippoRAG 2: a chat model.
        recognition: Recognition = Recognition::Auto, 0 ..= 0;
        /// Weight of every passage in the restart, relative to the facts. HippoRAG 2: 0.05.
        passage_weight: f64 = 0.05, 0.0 ..= 1.0;
        /// CodaRAG: who takes the cues out of the question: a chat model, a rule, auto for a chat model where there
        /// is one, or off for the question itself as both. LightRAG: a chat model.
        cues: By = By::Auto, 0 ..= 0;
        /// CodaRAG: entities, and relations, that are seeds at most. Few: narrow; many: everything is near.
        /// LightRAG: 40.
        seed_top: usize = 40, 1 ..= 400;
        /// CodaRAG: least cosine of a seed (LightRAG: 0.2). Unset (-1): paper 0.2, offline the cosine that
        /// `seed_share` of the book stays below.
        seed_cosine: f64 = -1.0, -1.0 ..= 1.0;
        /// CodaRAG, offline profile: the share of entities, and of relations, that are no seeds of a question.
        /// 0 seeds all up to `seed_top`. Ours: 0.95.
        seed_share: f64 = 0.95, 0.0 ..= 1.0;
        /// CodaRAG: weight of the relation that reaches an entity in semantic association, the entity's own
        /// being the rest to 1. The paper's value is not known; ours: 0.5.
        semantic_alpha: f64 = 0.5, 0.0 ..= 1.0;
        /// CodaRAG: the share of its walk that follows relations rather than restarting. The paper's: 0.85.
        walk_damping: f64 = 0.85, 0.0 ..= 0.99;
        /// CodaRAG: whether that walk is freed of hubs: keep, or correct to divide by a walk that starts
        /// everywhere. Ours: keep.
        hubs: Hubs = Hubs::Keep, 0 ..= 0;
        /// CodaRAG: entities that semantic association adds at most. 0 switches it off. Ours: 20.
        k_sem: usize = 20, 0 ..= 200;
        /// CodaRAG: entities that contextualized association, the walk, adds at most. 0: off. Ours: 20.
        k_con: usize = 20, 0 ..= 200;
        /// CodaRAG: entities that functional association adds at most, and neighbours of each seed that are
        /// looked at. 0: off. Ours: 20.
        k_fun: usize = 20, 0 ..= 200;
        /// CodaRAG: what makes two entities alike in standing: company for the same neighbours (FastRP, as the
        /// paper names it), or roles for types and ties around them, whoever they are. Ours: company.
        standing: Standing = Standing::Company, 0 ..= 0;
        /// CodaRAG: the constant of reciprocal rank fusion. Small: the first places decide; large: how many
        /// lists hold an entity does. Ours: 60.
        rank_constant: f64 = 60.0, 0.0 ..= 10000.0;
        /// CodaRAG: weight of the seeds' list in that fusion, where each pathway's is 1. Small: what several
        /// pathways raise goes before what the question names; large: seeds come first. Ours: 3.
        seed_weight: f64 = 3.0, 0.0 ..= 100.0;
        /// CodaRAG: who eliminates interference: a chat model, the rule, auto for a chat model where there is
        /// one, or off to keep everything. The paper: a chat model.
        eliminate: By = By::Auto, 0 ..= 0;
        /// CodaRAG, offline profile: weight of what was associated in the order of passages, beside their own
        /// words and vectors. 0: those alone. Ours: 0.05.
        support: f64 = 0.05, 0.0 ..= 10.0;
        /// CodaRAG and LightRAG: tokens of entities in a context of 30,000; of a smaller one the same share,
        /// offline a quarter of it. LightRAG: 6000.
        entity_tokens: usize = 6000, 0 ..= 30000;
        /// CodaRAG and LightRAG: tokens of relations, likewise. LightRAG: 8000.
        relation_tokens: usize = 8000, 0 ..= 30000;
        /// The offline answer: least share of the question's weight that a passage must cover, below
        /// which the answer is "not found in what you have read"; four fifths of it are enough for a question
        /// that names someone of the book. 0 always answers, 1 asks for every word. Ours: 0.5.
        min_cover: f64 = 0.5, 0.0 ..= 1.0;
    }
);
