//! The whole file as it is written: its parts in the order of docs/index-format.md, the text last.

use serde::Serialize;

use crate::config::IndexConfig;
use crate::index::Index;
use crate::text::Utf16Map;

use super::merges::{MergeShape, WishesShape};
use super::shapes::*;
use super::space::{FunctionalShape, SpaceShape};
use super::ties::{RelationShape, TripleShape};
use super::{FORMAT, VERSION};

#[derive(Serialize)]
pub(super) struct File<'a> {
    format: &'static str,
    version: u32,
    book: Head,
    config: Vec<(&'static str, serde_json::Value)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wishes: Option<WishesShape>,
    chapters: Vec<ChapterShape>,
    skips: Vec<SkipShape>,
    chunks: Vec<ChunkShape>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    types: Vec<TypeShape>,
    entities: Vec<EntityShape>,
    mentions: Vec<MentionShape>,
    triples: Vec<TripleShape>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relations: Vec<RelationShape>,
    events: Vec<EventShape>,
    clusters: Vec<ClusterShape>,
    merges: Vec<MergeShape>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fragments: Vec<MentionShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    functional: Option<FunctionalShape<'static>>,
    spaces: Vec<SpaceShape<'static>>,
    issues: Vec<IssueShape>,
    text: &'a str,
}

impl<'a> File<'a> {
    pub(super) fn of(index: &'a Index, map: &Utf16Map, sha256: String) -> Self {
        let (document, knowledge) = (&index.document, &index.knowledge);
        Self {
            format: FORMAT,
            version: VERSION,
            book: Head {
                title: document.title.clone(),
                author: document.author.clone(),
                language: document.language.clone(),
                extractor: index.extractor.clone(),
                prompts: index.prompts.clone(),
                sha256,
            },
            config: config_pairs(&index.config),
            wishes: WishesShape::of(&index.wishes, map),
            chapters: each(&document.chapters, |chapter| ChapterShape::of(chapter, map)),
            skips: each(&document.skips, |skip| SkipShape::of(skip, map)),
            chunks: each(&index.chunks, |chunk| ChunkShape::of(chunk, map)),
            types: each(&knowledge.types, TypeShape::of),
            entities: each(&knowledge.entities, |entity| EntityShape::of(entity, map)),
            mentions: each(&knowledge.mentions, |mention| MentionShape::of(mention, map)),
            triples: each(&knowledge.triples, |triple| TripleShape::of(triple, map)),
            relations: knowledge.relations.iter().filter_map(RelationShape::of).collect(),
            events: each(&knowledge.events, |event| EventShape::of(event, map)),
            clusters: each(&knowledge.clusters, |cluster| ClusterShape::of(cluster, map)),
            merges: each(&knowledge.merges, |merge| MergeShape::of(merge, map)),
            fragments: each(&knowledge.fragments, |fragment| MentionShape::of(fragment, map)),
            functional: FunctionalShape::of(&index.functional),
            spaces: each(&index.spaces, SpaceShape::of),
            issues: each(&document.issues, IssueShape::of),
            text: &document.text,
        }
    }
}

fn each<T, S>(items: &[T], shape: impl Fn(&T) -> S) -> Vec<S> {
    items.iter().map(shape).collect()
}

fn config_pairs(config: &IndexConfig) -> Vec<(&'static str, serde_json::Value)> {
    vec![
        ("chunk_tokens", config.chunk_tokens.into()),
        ("chunk_overlap", config.chunk_overlap.into()),
        ("event_words", config.event_words.into()),
        ("dims", config.dims.into()),
        ("weak_tie", config.weak_tie.into()),
        ("encoding", config.encoding.as_str().into()),
        ("tau_quantile", config.tau_quantile.into()),
        ("synonym_cosine", config.synonym_cosine.into()),
        ("synonym_share", config.synonym_share.into()),
        ("types", config.types.as_str().into()),
        ("most_types", config.most_types.into()),
        ("gleaning", config.gleaning.into()),
        ("merging", config.merging.as_str().into()),
        ("merge_cosine", config.merge_cosine.into()),
        ("merge_share", config.merge_share.into()),
        ("merge_neighbours", config.merge_neighbours.into()),
        ("merge_types", config.merge_types.as_str().into()),
    ]
}
