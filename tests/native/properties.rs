//! What must hold for any book and any question: books made of generated sentences with generated names,
//! questions of any characters, every method, profile and reading.

use plotbridge::algo::cohits::CoHits;
use plotbridge::algo::csr::Csr;
use plotbridge::algo::pagerank::page_rank;
use plotbridge::algo::separators::needed;
use plotbridge::config::{By, Edges, Layers, Matching, Profile, Start, TopK};
use plotbridge::knowledge::Span;
use plotbridge::pace::{Native, Pace};
use plotbridge::position::Position;
use plotbridge::report::{Edge, Pair, Trace};
use plotbridge::text::{Utf16Map, tokens};
use plotbridge::{AskOptions, Code, Engine, IndexConfig, Method, QueryConfig, snapshot};
use pollster::block_on;
use proptest::prelude::*;

use super::support::*;

fn graph(height: usize, width: usize) -> impl Strategy<Value = Csr> {
    let edge = (0..height as u32, 0..width as u32, 0.0..9.0f64);
    prop::collection::vec(edge, 0..40).prop_map(move |edges| Csr::new(height, width, edges))
}

fn starts(size: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![Just(0.0), 0.0..3.0f64], size)
}

proptest! {
    #[test]
    fn pagerank_is_a_distribution(graph in graph(9, 9), restart in starts(9), damping in 0.0..0.99f64) {
        let rank = page_rank(&graph, &restart, damping);
        prop_assert!(rank.iter().all(|&share| share >= 0.0), "{rank:?}");
        prop_assert!((rank.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{rank:?}");
    }

    /// What was joined stays joined: whoever is taken out, terminals that a path joined are joined by one yet.
    #[test]
    fn what_is_needed_keeps_terminals_joined(
        edges in prop::collection::vec((0..9u32, 0..9u32), 0..20),
        terminals in prop::collection::vec(any::<bool>(), 9),
        unwanted in prop::sample::subsequence((0..9usize).collect::<Vec<_>>(), 0..9),
    ) {
        let both = edges.iter().flat_map(|&(a, b)| [(a, b, 1.0), (b, a, 1.0)]);
        let graph = Csr::new(9, 9, both.collect());
        let unwanted: Vec<usize> = unwanted.into_iter().filter(|&vertex| !terminals[vertex]).collect();
        let needed = needed(&graph, &terminals, &unwanted);
        let gone: Vec<usize> = unwanted.iter().copied().filter(|vertex| !needed.contains(vertex)).collect();
        for from in (0..9).filter(|&vertex| terminals[vertex]) {
            let (whole, left) = (reached(&graph, from, &[]), reached(&graph, from, &gone));
            for to in (0..9).filter(|&vertex| terminals[vertex]) {
                prop_assert_eq!(whole[to], left[to], "{} to {} without {:?}", from, to, gone);
            }
        }
    }

    /// Which side is called the rows decides only the order of the half steps, not where they settle.
    #[test]
    fn co_hits_is_the_same_from_either_side(
        graph in graph(5, 8), x in starts(5), y in starts(8), lx in 0.0..0.9f64, ly in 0.0..0.9f64,
    ) {
        let one = CoHits::new(&graph).settle(&x, &y, lx, ly);
        let other = CoHits::new(&graph.transposed()).settle(&y, &x, ly, lx);
        for (a, b) in one.rows.iter().zip(&other.columns).chain(one.columns.iter().zip(&other.rows)) {
            prop_assert!((a - b).abs() < 1e-8, "{one:?} {other:?}");
        }
    }
}

/// What paths lead to from a vertex, without some others.
fn reached(graph: &Csr, from: usize, gone: &[usize]) -> Vec<bool> {
    let mut reached = vec![false; graph.height()];
    let mut open = vec![from];
    while let Some(vertex) = open.pop() {
        if !std::mem::replace(&mut reached[vertex], true) {
            open.extend(graph.row(vertex).map(|(next, _)| next).filter(|next| !gone.contains(next)));
        }
    }
    reached
}

/// A name of two to four syllables, some of other scripts or beyond the basic plane.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[BDKLMRT][aeiou][bdklmrt][aeiou](n|th|ll)?",
        1 => "[ÅÉÖ][lmn]v[ae]",
        1 => "𐐀𐐨𐑊𐐨",
    ]
}

fn sentence(names: Vec<String>) -> impl Strategy<Value = String> {
    let name = prop::sample::select(names);
    let thing =
        prop::sample::select(vec!["lantern", "mill", "letter 🗝", "river", "naïve goat", "brass bell"]);
    prop_oneof![
        4 => (name.clone(), name.clone(), thing.clone()).prop_map(|(a, b, t)| format!("{a} gave {b} the {t}.")),
        3 => (name.clone(), thing.clone()).prop_map(|(a, t)| format!("Mrs {a} lost a {t} at night, and wept.")),
        2 => (name.clone(), name).prop_map(|(a, b)| format!("“Where is {b}?” asked Captain {a}.")),
        2 => thing.prop_map(|t| format!("The {t} was never seen again, it rained, and nobody spoke of it.")),
        1 => Just("It rained.".to_owned()),
    ]
}

/// Books with chapters, of one sentence, without persons, of headings alone; with BOM and CRLF.
fn tale() -> impl Strategy<Value = String> {
    let story = prop::collection::vec(name(), 1..6)
        .prop_flat_map(|names| prop::collection::vec(prop::collection::vec(sentence(names), 1..14), 1..5));
    let chapters = story.prop_map(|chapters| {
        let tell =
            |(place, told): (usize, &Vec<String>)| format!("CHAPTER {}\n\n{}\n\n", place + 1, told.join(" "));
        chapters.iter().enumerate().map(tell).collect::<String>()
    });
    let shape = prop_oneof![
        8 => chapters,
        1 => Just("It rained all night on the slate roofs.".to_owned()),
        1 => Just("CHAPTER I\n\nCHAPTER II\n\nCHAPTER III\n".to_owned()),
        1 => "\\PC{1,300}",
    ];
    (shape, any::<bool>(), any::<bool>()).prop_map(|(text, bom, crlf)| {
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        if bom { format!("\u{feff}{text}") } else { text }
    })
}

fn index_config() -> impl Strategy<Value = IndexConfig> {
    (prop::sample::select(vec![32, 60, 512]), prop::sample::select(vec![0, 20]), 1..40usize, any::<bool>())
        .prop_map(|(chunk_tokens, chunk_overlap, event_words, exact)| {
            let encoding =
                if exact { plotbridge::config::Encoding::F32 } else { plotbridge::config::Encoding::Int8 };
            IndexConfig {
                chunk_tokens,
                chunk_overlap,
                event_words,
                dims: 32,
                encoding,
                ..IndexConfig::default()
            }
        })
}

/// The book of a text; none where the text is refused as holding nothing to read.
fn told(text: &str, config: IndexConfig) -> Option<Engine> {
    match try_book(text, config) {
        Ok(book) => Some(book),
        Err(error) => {
            assert!(
                matches!(error.code(), Code::Unreadable | Code::Encoding | Code::UnsupportedFormat),
                "{error}"
            );
            None
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn an_index_file_reads_back_as_it_was(text in tale(), config in index_config()) {
        let Some(book) = told(&text, config) else { return Ok(()) };
        let file = book.save().unwrap();
        let host = Native::default();
        let (index, map) = block_on(snapshot::read(&file, &Pace::new(&host))).unwrap();
        prop_assert_eq!(&index, &book.book().index);
        prop_assert!(snapshot::write(&index, &map).unwrap() == file, "written again, it has other bytes");
        prop_assert!(told(&text, config).unwrap().save().unwrap() == file, "built again, it has other bytes");
    }

    #[test]
    fn any_question_gets_a_result_that_keeps_its_promises(
        text in tale(), index in index_config(), question in question(), options in options(),
    ) {
        let Some(book) = told(&text, index) else { return Ok(()) };
        match block_on(book.ask(&question, &options, &Native::default())) {
            Ok(answer) => {
                check(&book, &answer.trace, &options);
                for citation in &answer.citations {
                    prop_assert_eq!(book.text(citation.start, Some(citation.end)).unwrap(), &citation.quote);
                }
                prop_assert!(answer.confidence.is_none_or(|share| (0.0..=1.0 + 1e-9).contains(&share)));
            }
            Err(error) => {
                prop_assert_eq!(error.code(), Code::QuestionInvalid, "{}", error);
                prop_assert!(!question.chars().any(char::is_alphanumeric) || question.chars().count() > 2000);
            }
        }
    }

    #[test]
    fn the_character_graph_is_the_same_in_both_directions(text in tale(), config in index_config()) {
        let Some(book) = told(&text, config) else { return Ok(()) };
        let (book, host) = (book.book(), Native::default());
        let edges = block_on(book.walk(book.space().unwrap(), -1.0, &Pace::new(&host))).unwrap();
        prop_assert_eq!(edges.as_ref(), &edges.transposed());
        prop_assert!(edges.edges().all(|(from, to, weight)| from != to && weight > 0.0));
        let (phrases, chunks) = (book.graph.phrase_count(), book.index.chunks.len());
        prop_assert_eq!(edges.height(), phrases + chunks);
        let ties = |phrase: usize| edges.row(phrase).filter(|&(to, _)| to >= phrases);
        for phrase in 0..phrases {
            prop_assert!(ties(phrase).all(|(_, weight)| weight == 1.0));
            prop_assert_eq!(ties(phrase).count(), book.graph.chunk_counts[phrase] as usize);
        }
        let rank = page_rank(&edges, &vec![1.0; edges.height()], 0.5);
        prop_assert!(edges.height() == 0 || (rank.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn units_slice_as_javascript_does(text in "\\PC{0,80}|[a-z𐐨é🗝\n]{0,200}") {
        let map = Utf16Map::new(&text);
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut at = 0u32;
        for (byte, character) in text.char_indices().chain([(text.len(), '.')]) {
            prop_assert_eq!(map.to_utf16(byte as u32), at);
            prop_assert_eq!(map.to_byte(at), Some(byte as u32));
            prop_assert_eq!(String::from_utf16(&units[at as usize..]).unwrap(), &text[byte..]);
            if character.len_utf16() == 2 {
                prop_assert_eq!(map.to_byte(at + 1), None, "inside a character");
            }
            at += character.len_utf16() as u32;
        }
        prop_assert_eq!(map.to_byte(at + 1), None);
    }
}

fn question() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "(Who|Where|Why|When|How many|What) (did|was|gave) [BDKLMRT][aeiou][bdklmrt][aeiou] (the lantern|a goat|lost)\\?",
        2 => "\\PC{0,60}",
        1 => "(before|after|then) it rained\\?",
        1 => any::<String>(),
        1 => "[a-z]{1,2100}",
    ]
}

fn options() -> impl Strategy<Value = AskOptions> {
    let method =
        prop::sample::select(vec![Method::Pons, Method::Pons, Method::Hippo, Method::Dense, Method::Bm25]);
    let profile = prop::sample::select(vec![Profile::Offline, Profile::Paper]);
    let edges = prop::sample::select(vec![Edges::Auto, Edges::Cosine, Edges::Semantic, Edges::Mention]);
    let reading = prop::sample::select(vec![TopK::PerSideExcl, TopK::JointExcl, TopK::JointLiteral]);
    let layers =
        prop::sample::select(vec![Layers::Both, Layers::Both, Layers::Char, Layers::Plot, Layers::Apart]);
    let matching = prop::sample::select(vec![
        Matching::OneToOne,
        Matching::OneToTwo,
        Matching::OneToThree,
        Matching::Top,
        Matching::Dense,
    ]);
    let start = prop::sample::select(vec![Start::Uniform, Start::Scores]);
    let filter = prop::sample::select(vec![By::Auto, By::Rule, By::Off]);
    let switches = (profile, edges, reading, layers, matching, start, filter);
    let counts = (1..20usize, 1..20usize, 0..20usize, 1..30usize);
    let rest = (-0.1..1.0f64, 0.0..1.0f64, 0.0..1.0f64, 0.0..0.99f64);
    let up_to = prop::option::of(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64].prop_map(Position::Share));
    (method, 100..6000u32, switches, counts, rest, up_to).prop_map(
        |(
            method,
            context_tokens,
            (profile, edges, topk_mode, layers, matching, start, filter),
            (k1, k2, k3, k4),
            (tau, lambda_char, lambda_plot, damping),
            up_to,
        )| {
            let config = QueryConfig {
                profile,
                edges,
                topk_mode,
                layers,
                matching,
                start,
                filter,
                k1,
                k2,
                k3,
                k4,
                tau,
                lambda_char,
                lambda_plot,
                damping,
                ..QueryConfig::default()
            };
            AskOptions { method, context_tokens, config, up_to, ..AskOptions::default() }
        },
    )
}

/// The promises of a trace (product.md's shapes), whatever was asked.
fn check(book: &Engine, trace: &Trace, options: &AskOptions) {
    let chunk = |id: u32| book.book().index.chunks[id as usize].span;
    let map = Utf16Map::new(&book.book().index.document.text);
    for passage in &trace.evidence {
        let at = |unit: u32| map.to_byte(unit).unwrap();
        let inside = Span { start: at(passage.start), end: at(passage.end) };
        assert!(chunk(passage.chunk).contains(inside), "{passage:?}");
        assert!(
            inside.contains(Span { start: at(passage.focus.start), end: at(passage.focus.end) }),
            "{passage:?}"
        );
        assert_eq!(book.text(passage.start, Some(passage.end)).unwrap(), passage.text);
        assert!(tokens(&passage.text) <= 512 && passage.score.is_finite());
    }
    assert!(trace.evidence.is_sorted_by(|a, b| a.score >= b.score), "{:?}", trace.evidence);
    let unread = book.book().index.chunks.is_empty() || options.up_to.is_some();
    assert!(unread || !trace.evidence.is_empty(), "no passage at all");

    assert!(
        trace.facts.len() <= options.config.link_facts && trace.facts.is_sorted_by(|a, b| a.score >= b.score)
    );
    assert!(trace.pairs.is_sorted_by_key(|pair| pair.start), "story order");
    let bound = options.config.matching.bound();
    let most = if options.config.matching == Matching::Dense { usize::MAX } else { options.config.k4 };
    assert!(trace.pairs.len() <= most.saturating_mul(bound.unwrap_or(1)));
    for pair in &trace.pairs {
        let with =
            |same: fn(&Pair, &Pair) -> bool| trace.pairs.iter().filter(|other| same(pair, other)).count();
        let uses = with(|one, other| one.character == other.character)
            .max(with(|one, other| one.start == other.start));
        assert!(bound.is_none_or(|bound| uses <= bound), "{pair:?} is one of {uses}");
        assert_eq!(
            with(|one, other| (&one.character, one.start) == (&other.character, other.start)),
            1,
            "{pair:?}"
        );
        assert!(pair.weight > 0.0 && (0.0..=1.0).contains(&pair.position));
        let edge = |edge: &&Edge| (&edge.character, edge.start) == (&pair.character, pair.start);
        let listed = trace.matching.edges.iter().find(edge);
        assert!(listed.is_some_and(|edge| edge.matched && edge.weight == pair.weight), "{pair:?} is no edge");
    }
    let matching = &trace.matching;
    assert!(matching.edges.is_sorted_by(|a, b| a.weight >= b.weight) && matching.edges.len() <= 200);
    assert!(matching.omitted == 0 || matching.edges.len() == 200);
    let (config, none) = (&options.config, |nodes: &plotbridge::report::Nodes| nodes.events.len());
    assert!(trace.anchors.characters.len() <= config.k1 && trace.anchors.events.len() <= config.k2);
    assert!(trace.awakened.characters.len() <= config.k3 && none(&trace.awakened) <= config.k3);

    assert_eq!(trace.context_tokens, tokens(&trace.context));
    assert!(trace.context_tokens <= options.context_tokens, "limit {}", options.context_tokens);
}

/// How an error begins, and the change of a configuration that causes it.
type Set<C> = (&'static str, fn(&mut C));

/// A tunable that is set as a field, past `set`, is held to the same limits, and named with its value.
#[test]
fn fields_are_held_to_their_limits_when_they_are_used() {
    let book = book("Mr Tapp met Mrs Quennell. Mrs Quennell gave Mr Tapp a key.");
    let with = |change: fn(&mut QueryConfig)| {
        let mut options = AskOptions::default();
        change(&mut options.config);
        block_on(book.ask("Who gave the key?", &options, &Native::default())).map(drop)
    };
    let asked: [Set<QueryConfig>; 10] = [
        ("tau is \"NaN\"", |config| config.tau = f64::NAN),
        ("tau is \"-1.5\"", |config| config.tau = -1.5),
        ("lambda_char is \"inf\"", |config| config.lambda_char = f64::INFINITY),
        ("lambda_plot is \"-1\"", |config| config.lambda_plot = -1.0),
        ("damping is \"1\"", |config| config.damping = 1.0),
        ("k1 is \"0\"", |config| config.k1 = 0),
        ("k2 is \"18446744073709551615\"", |config| config.k2 = usize::MAX),
        ("k3 is \"201\"", |config| config.k3 = 201),
        ("k4 is \"0\"", |config| config.k4 = 0),
        ("min_cover is \"NaN\"", |config| config.min_cover = f64::NAN),
    ];
    let indexed: [Set<IndexConfig>; 6] = [
        ("dims is \"0\"", |config| config.dims = 0),
        ("dims is \"1000000\"", |config| config.dims = 1_000_000),
        ("chunk_tokens is \"0\"", |config| config.chunk_tokens = 0),
        ("event_words is \"18446744073709551615\"", |config| config.event_words = usize::MAX),
        ("tau_quantile is \"NaN\"", |config| config.tau_quantile = f64::NAN),
        ("weak_tie is \"-1\"", |config| config.weak_tie = -1.0),
    ];
    let built = indexed.map(|(words, change)| {
        let mut config = IndexConfig::default();
        change(&mut config);
        (words, try_book("Mr Tapp met Mrs Quennell.", config).map(drop))
    });
    for (words, result) in asked.map(|(words, change)| (words, with(change))).into_iter().chain(built) {
        let error = result.expect_err(words);
        assert_eq!(error.code(), Code::Usage, "{words}");
        assert!(error.to_string().starts_with(words) && error.to_string().contains(" to "), "{error}");
    }
    for context_tokens in [0, 99, 1_000_001, u32::MAX] {
        let options = AskOptions { context_tokens, ..AskOptions::default() };
        let error = block_on(book.retrieve("Who gave the key?", &options, &Native::default())).unwrap_err();
        assert_eq!(error.code(), Code::Usage);
        assert!(
            error.to_string().contains(&format!("{context_tokens}, but must be 100 to 1000000")),
            "{error}"
        );
    }
}

/// A tunable takes what its documentation says and nothing else.
#[test]
fn tunables_refuse_what_is_out_of_range() {
    for key in IndexConfig::KEYS {
        let mut config = IndexConfig::default();
        for bad in ["", "NaN", "-inf", "1e999", "-1", "1e6", "18446744073709551616", "ja"] {
            let error = config.set(key.name, bad).expect_err(&format!("{} = {bad}", key.name));
            assert_eq!(error.code(), Code::Usage);
            assert!(error.to_string().contains(key.name), "{error}");
        }
        assert_eq!(config, IndexConfig::default(), "{} changed", key.name);
    }
    for key in QueryConfig::KEYS {
        let mut config = QueryConfig::default();
        for bad in ["", "NaN", "nan", "inf", "-inf", "infinity", "1e999", "-2", "1e6", "0x1", "ja", "½"] {
            let error = config.set(key.name, bad).expect_err(&format!("{} = {bad}", key.name));
            assert_eq!(error.code(), Code::Usage);
            assert!(error.to_string().contains(key.name), "{error}");
        }
        assert_eq!(config, QueryConfig::default(), "{} changed", key.name);
        let takes = (key.takes)();
        match takes.split_once(" from ").and_then(|(_, range)| range.split_once(" to ")) {
            Some((low, high)) => [low, high].iter().for_each(|end| config.set(key.name, end).unwrap()),
            None => takes.split(" or ").for_each(|name| config.set(key.name, name).unwrap()),
        }
        config.set(key.name, &(key.default)()).unwrap();
        assert_eq!(config, QueryConfig::default(), "{} tells another default", key.name);
    }
    let error = QueryConfig::default().set("lamda_char", "1").unwrap_err();
    assert_eq!(error.code(), Code::UnknownOption);
    assert!(error.to_string().contains("lambda_char"), "{error}");
}
