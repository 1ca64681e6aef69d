//! Who was decided to be one, who was not, and what an author wishes of it.
//!
//! A merge is a decision about two names of a book, kept whatever it was: a reader can list why `Mr Lind`
//! and `Mrs Lind` stayed two, and a reading position undoes what rests on later text. The names are those
//! from before the decision; each is found again by the place where it is first used, which no merge moves.

/// What was decided of two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// They name one, and were merged.
    Same,
    /// They name two.
    Different,
    /// It is not known; they stay apart.
    Uncertain,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Verdict; 3] = [Verdict::Same, Verdict::Different, Verdict::Uncertain];

    /// The stable string of the index file and of `inspect`.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::Different => "different",
            Verdict::Uncertain => "uncertain",
        }
    }
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decider {
    /// A rule.
    Rule,
    /// The chat model that read the book.
    Chat,
    /// Whoever indexed the book.
    Author,
}

impl Decider {
    /// Every one of them.
    pub const ALL: [Decider; 3] = [Decider::Rule, Decider::Chat, Decider::Author];

    /// The stable string of the index file and of `inspect`.
    pub fn as_str(self) -> &'static str {
        match self {
            Decider::Rule => "rule",
            Decider::Chat => "chat",
            Decider::Author => "author",
        }
    }
}

/// A decision about two names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The one, as the book writes it.
    pub one: String,
    /// The other.
    pub other: String,
    /// Where the first use of each ends, in bytes: by these they are found again.
    pub places: (u32, u32),
    /// What was decided.
    pub verdict: Verdict,
    /// By whom.
    pub by: Decider,
    /// Why: the rule, or the chat model's words.
    pub reason: String,
    /// Where the evidence ends, in bytes: before this offset a reader cannot know it.
    pub evidence: u32,
}

/// What an author wishes of a book's names; it wins over rules and chat models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Names of one person, place or thing each.
    pub same: Vec<Group>,
    /// Names that are of two.
    pub different: Vec<(String, String)>,
}

/// Names of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// As the book writes them: two or more.
    pub names: Vec<String>,
    /// Which of them it is called by; the most used where none is chosen.
    pub name: Option<String>,
    /// From where on a reader knows it; from where both are named where nothing is said.
    pub from: Option<Reveal>,
}

/// How far somebody must have read to know that names are one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reveal {
    /// To the end of a chapter, from 1.
    Chapter(u32),
    /// To a UTF-16 unit of the text.
    Unit(u32),
    /// To a byte of the text: what an index makes of the other two.
    Byte(u32),
}

impl Wishes {
    /// Whether nothing is wished.
    pub fn is_empty(&self) -> bool {
        self.same.is_empty() && self.different.is_empty()
    }

    /// Names that rules must not bring together: those of two, and those that are one's only from somewhere on.
    pub fn apart(&self) -> impl Iterator<Item = (&str, &str)> {
        let later = self.same.iter().filter(|group| group.from.is_some());
        let later = later.flat_map(|Group { names, .. }| {
            names.iter().enumerate().flat_map(move |(at, one)| {
                names.iter().skip(at + 1).map(move |other| (one.as_str(), other.as_str()))
            })
        });
        self.different.iter().map(|(one, other)| (one.as_str(), other.as_str())).chain(later)
    }

    /// Every name that is mentioned, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let same = self.same.iter().flat_map(|group| &group.names);
        let different = self.different.iter().flat_map(|(one, other)| [one, other]);
        same.chain(different).map(String::as_str)
    }
}
