//! What the rules know of English: word lists, irregular forms, genders, classes of events.
//!
//! The lists are text files under `english/`, one `list: words` a line, read once into one table, so
//! that a word costs one lookup whatever is asked of it. They are general English: no name stands
//! here because a particular book has it.
//!
//! Invariant: everything takes lower-case words, and what it returns does not depend on any text.

mod verbs;

use std::collections::HashMap;
use std::sync::LazyLock;

pub(crate) use verbs::{happening, is_weak, verb, verb_class};

/// The lists, strongest claim first where a word stands in several of one kind.
const FILES: [&str; 5] = [
    include_str!("english/stop.txt"),
    include_str!("english/irregular.txt"),
    include_str!("english/people.txt"),
    include_str!("english/events.txt"),
    include_str!("english/words.txt"),
];

macro_rules! tags {
    ($($(#[$doc:meta])* $tag:ident = $name:literal),* $(,)?) => {
        /// A list a word may stand in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Tag { $($(#[$doc])* $tag),* }

        impl Tag {
            const NAMES: &'static [(&'static str, Tag)] = &[$(($name, Tag::$tag)),*];
        }
    };
}

tags! {
    /// Carries no topic in any text.
    Stop = "stop",
    /// Asks: who, when.
    Question = "question",
    /// Speaks of the story as a story: chapter, happen.
    Meta = "meta",
    /// A personal pronoun.
    Pronoun = "pronoun",
    /// A pronoun that is a subject.
    SubjectPronoun = "subject_pronoun",
    /// Mr, Captain, Lady.
    Honorific = "honorific",
    /// Honorific of a married woman.
    Married = "married",
    /// Honorific of an unmarried woman.
    Maiden = "maiden",
    /// Sir, Lady, Lord.
    Noble = "noble",
    /// Honorific after which a single name is a given name.
    GivenAfter = "given_after",
    /// Stands alone as a name when capitalised.
    Vocative = "vocative",
    /// A relation: daughter, servant.
    Kin = "kin",
    /// Names a character by office or age: king, boy.
    Role = "role",
    /// A role too general to name one person.
    Vague = "vague",
    /// An adjective that tells two of one role apart.
    Telling = "telling",
    /// What persons have: face, voice.
    Body = "body",
    /// Said of how somebody looks.
    Looks = "looks",
    /// A verb of speech.
    Speech = "speech",
    /// A verb whose subject is nearly always a person.
    Human = "human",
    /// A common given name.
    Given = "given",
    /// A month.
    Month = "month",
    /// A day or feast.
    Day = "day",
    /// Shouted, not named.
    Exclamation = "exclamation",
    /// A nation, tongue, faith.
    People = "people",
    /// A preposition of place.
    PlacePrep = "place_prep",
    /// A noun of place.
    Place = "place",
    /// A noun of houses and their land.
    Estate = "estate",
    /// How the great are spoken to and of, which names none of them: majesty, excellency.
    Style = "style",
    /// A continent, a country, a great city.
    Land = "land",
    /// Said of ships.
    Ship = "ship",
    /// A noun of groups.
    Group = "group",
    /// A point of the compass.
    North = "north",
    /// A number.
    Number = "number",
    /// Stands inside a name: of, von.
    Particle = "particle",
    /// A verb.
    Verb = "verb",
    /// A verb that says little of what happens.
    Light = "light",
    /// A verb that tells how things are: know, belong.
    State = "state",
    /// A participle that tells a quality after `was`: dressed, situated.
    Quality = "quality",
    /// An irregular participle that is no past: taken, gone.
    Participle = "_participle",
    /// Looks like a participle and is none: wicked, hundred.
    Adjective = "adjective",
    /// Male.
    Male = "_m",
    /// Female.
    Female = "_f",
}

/// Whether a word, a name or a pronoun is of a man or of a woman.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gender {
    /// He.
    Male,
    /// She.
    Female,
}

/// A class of events, by its place in [`class_name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Class(u8);

/// All that is known of one word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    tags: u64,
    base: Option<&'static str>,
    verb_class: Option<Class>,
    noun_class: Option<Class>,
}

impl Entry {
    /// Whether the word stands in the list.
    pub(crate) fn is(self, tag: Tag) -> bool {
        self.tags & (1 << tag as u64) != 0
    }
    /// Its gender, where it has exactly one.
    pub(crate) fn gender(self) -> Option<Gender> {
        match (self.is(Tag::Male), self.is(Tag::Female)) {
            (true, false) => Some(Gender::Male),
            (false, true) => Some(Gender::Female),
            _ => None,
        }
    }
    /// The class of events it stands for as a noun.
    pub(crate) fn noun_class(self) -> Option<Class> {
        self.noun_class
    }
    fn set(&mut self, tag: Tag) {
        self.tags |= 1 << tag as u64;
    }
}

#[derive(Default)]
struct Table {
    words: HashMap<&'static str, Entry>,
    classes: Vec<&'static str>,
    nicknames: Vec<(&'static str, &'static str)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for line in FILES.iter().flat_map(|file| file.lines()) {
        if let Some((list, words)) = line.split_once(':')
            && !line.starts_with('#')
        {
            table.read(list, words.split_whitespace());
        }
    }
    table
});

impl Table {
    fn read(&mut self, list: &'static str, words: impl Iterator<Item = &'static str>) {
        if let Some(kind) = list.strip_prefix("irregular ") {
            self.read_irregular(kind, words);
        } else if let Some(class) = list.strip_prefix("verbs of ") {
            let class = self.class(class);
            for word in words {
                let entry = self.words.entry(word).or_default();
                entry.set(Tag::Verb);
                entry.verb_class.get_or_insert(class);
            }
        } else if let Some(class) = list.strip_prefix("nouns of ") {
            let class = self.class(class);
            for word in words {
                let entry = self.words.entry(word).or_default();
                entry.noun_class.get_or_insert(class);
            }
        } else if list == "nick" {
            if let [short, full] = words.collect::<Vec<_>>()[..] {
                self.nicknames.push((short, full));
            }
        } else {
            self.read_tagged(list, words);
        }
    }

    fn read_irregular(&mut self, kind: &str, mut words: impl Iterator<Item = &'static str>) {
        let Some(base) = words.next() else { return };
        let forms: Vec<&'static str> = words.collect();
        for form in &forms {
            let entry = self.words.entry(form).or_default();
            entry.base.get_or_insert(base);
        }
        if let [_, .., last] = forms[..]
            && kind == "verb"
        {
            self.words.entry(last).or_default().set(Tag::Participle);
        }
        if kind == "verb" {
            self.words.entry(base).or_default().set(Tag::Verb);
        }
    }

    fn read_tagged(&mut self, list: &str, words: impl Iterator<Item = &'static str>) {
        let (plain, gender) = match (list.strip_suffix("_m"), list.strip_suffix("_f")) {
            (Some(plain), _) => (plain, Some(Tag::Male)),
            (_, Some(plain)) => (plain, Some(Tag::Female)),
            _ => (list, None),
        };
        let tag = Tag::NAMES.iter().find(|(name, _)| *name == plain);
        for word in words {
            let entry = self.words.entry(word).or_default();
            for tag in tag.map(|(_, tag)| *tag).into_iter().chain(gender) {
                entry.set(tag);
                if matches!(tag, Tag::Speech | Tag::Human) {
                    entry.set(Tag::Verb);
                }
            }
        }
    }

    fn class(&mut self, name: &'static str) -> Class {
        let known = self.classes.iter().position(|class| *class == name);
        Class(known.unwrap_or_else(|| {
            self.classes.push(name);
            self.classes.len() - 1
        }) as u8)
    }
}

/// What is known of a lower-case word; the empty entry for an unknown one.
pub(crate) fn entry(word: &str) -> Entry {
    TABLE.words.get(word).copied().unwrap_or_default()
}

/// Whether a lower-case word carries no topic in any text: function words and question words.
pub(crate) fn is_stop(word: &str) -> bool {
    let entry = entry(word);
    entry.is(Tag::Stop) || entry.is(Tag::Question)
}

/// Whether a lower-case word only says that a story is asked about: `chapter`, `happen`. Such a word
/// is dropped from questions, not from texts.
pub(crate) fn is_meta(word: &str) -> bool {
    entry(word).is(Tag::Meta)
}

/// The base of an irregular form, `go` for `went`; any other word is its own.
pub(crate) fn base(word: &str) -> &str {
    match TABLE.words.get(word) {
        Some(Entry { base: Some(base), .. }) => base,
        _ => word,
    }
}

/// The name of a class of events, as labels show it.
pub(crate) fn class_name(class: Class) -> &'static str {
    TABLE.classes.get(usize::from(class.0)).copied().unwrap_or("event")
}

/// Whether one lower-case given name is a short form of the other: `will`, `william`; `cathy`,
/// `catherine`; `bob`, `robert`. A bare beginning counts for common given names only.
pub(crate) fn is_nickname(short: &str, full: &str) -> bool {
    let root = nickname_root(short);
    let familiar = root.len() < short.len() && root.len() >= 4 && full.starts_with(root);
    let beginning = short.len() >= 3 && entry(full).is(Tag::Given) && full.starts_with(short);
    full.len() > root.len() && (familiar || beginning) || full_names(short).any(|name| name == full)
}

/// Whether two lower-case given names may be one person's: equal, an initial, or a short form.
pub(crate) fn same_given(a: &str, b: &str) -> bool {
    let initial = |short: &str, long: &str| short.chars().count() == 1 && long.starts_with(short);
    a == b || initial(a, b) || initial(b, a) || is_nickname(a, b) || is_nickname(b, a)
}

/// What a short name shares with its full form: `cath` of `cathy`.
pub(crate) fn nickname_root(short: &str) -> &str {
    short.strip_suffix("ie").or_else(|| short.strip_suffix('y')).unwrap_or(short)
}

/// The full forms of a short name that does not begin like them.
pub(crate) fn full_names(short: &str) -> impl Iterator<Item = &'static str> {
    TABLE.nicknames.iter().filter(move |(nick, _)| *nick == short).map(|(_, full)| *full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irregular_forms_have_a_base() {
        for (form, expected) in [
            ("went", "go"),
            ("children", "child"),
            ("knew", "know"),
            ("was", "be"),
            ("walked", "walked"),
            ("eldest", "old"),
        ] {
            assert_eq!(base(form), expected, "{form}");
        }
    }

    #[test]
    fn stop_words_are_function_words() {
        for word in ["the", "who", "whom", "under", "didn't"] {
            assert!(is_stop(word), "{word}");
        }
        for word in ["king", "story", "happen", "went", "nurse"] {
            assert!(!is_stop(word), "{word}");
        }
        assert!(is_meta("chapter") && !is_meta("king"));
    }

    #[test]
    fn verbs_are_known_in_every_inflection() {
        for (form, expected) in [
            ("coming", Some("come")),
            ("carried", Some("carry")),
            ("stopped", Some("stop")),
            ("replies", Some("reply")),
            ("went", Some("go")),
            ("kisses", Some("kiss")),
            ("loved", Some("love")),
            ("called", Some("call")),
            ("leaves", Some("leave")),
            ("table", None),
            ("red", None),
        ] {
            assert_eq!(verb(form), expected, "{form}");
        }
    }

    #[test]
    fn classes_cover_verbs_and_nouns() {
        let class = |word| verb_class(word).map(class_name);
        assert_eq!(class("arrive"), Some("arrival"));
        assert_eq!(class("die"), Some("death"));
        assert_eq!(class("hang"), Some("killing"));
        assert_eq!(entry("wedding").noun_class().map(class_name), Some("marriage"));
        assert!(TABLE.classes.len() >= 30);
    }

    #[test]
    fn genders_and_nicknames() {
        assert_eq!(entry("mrs").gender(), Some(Gender::Female));
        assert_eq!(entry("he").gender(), Some(Gender::Male));
        assert_eq!(entry("doctor").gender(), None);
        assert!(is_nickname("cathy", "catherine") && is_nickname("bob", "robert"));
        assert!(!is_nickname("jo", "james") && !is_nickname("mary", "martha"));
    }

    #[test]
    fn every_list_of_the_files_is_a_known_one() {
        for line in FILES.iter().flat_map(|file| file.lines()) {
            let Some((list, _)) = line.split_once(':').filter(|_| !line.starts_with('#')) else {
                assert!(line.starts_with('#'), "not a list: {line}");
                continue;
            };
            let plain = list.trim_end_matches("_m").trim_end_matches("_f");
            let known = Tag::NAMES.iter().any(|(name, _)| *name == plain);
            let other = ["irregular ", "verbs of ", "nouns of "];
            assert!(known || list == "nick" || other.iter().any(|kind| list.starts_with(kind)), "{list}");
        }
    }
}
