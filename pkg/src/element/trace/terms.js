/**
 * The trace's own words in plain ones: each in a line, for a reader who has met none of them. A value
 * that is not known here is shown as it is.
 */

export const METHODS = {
  pons: "PonsRAG: people and events together",
  coda: "CodaRAG: cues, entities and relations",
  hippo: "HippoRAG 2: a walk over who and what is named together",
  light: "LightRAG: entities and relations",
  dense: "passages alike in meaning",
  bm25: "passages with the same words",
};

/** Methods that know no events. */
export const WITHOUT_EVENTS = ["coda", "hippo", "light", "dense", "bm25"];

/** Methods that go by names and relations, and tell what they found of both. */
export const BY_NAMES = ["coda", "light"];

export const PROFILES = {
  paper: "as the paper has it: the matched pairs are what an answer is made from",
  offline: "for a book read by rules: the best events are what an answer is made from, and the matching arranges them",
};

export const QUERY_TYPES = {
  char: "about a person: who is tied to whom counts most",
  plot: "about what happens: the events count most",
  mix: "about people and what happens: both count",
};

/** By which way a name was reached: a word, and what it means. */
export const VIA = {
  seed: ["cue", "a cue speaks of it"],
  semantic: ["relation", "a relation ties it to such a one"],
  contextualized: ["walk", "a walk from those comes by it often"],
  functional: ["likeness", "it stands among the others as one of those does"],
};

/** Who decided. */
export const BY = { rule: "by a rule", chat: "by the language model", off: "by nobody: everything stays" };

/** Who set a setting. */
export const ORIGINS = { default: "as by default", set: "as asked for", auto: "as profile and models have it", index: "from the book's index" };

export const MATCHINGS = {
  "1-to-1": "Each character goes with one event at most, and each event with one character, so that the weights add up to the most.",
  "1-to-2": "Each may be matched twice, so that the weights add up to the most.",
  "1-to-3": "Each may be matched three times, so that the weights add up to the most.",
  top: "The heaviest ties, whoever they belong to.",
  dense: "Every tie between them.",
};

/** What the question's word of time ("at first", "after") makes of a scene that is named next. */
export const TIMES = {
  first: "The question asks for what comes first, so nothing linked is kept from after",
  last: "The question asks for what comes last, so nothing linked is kept from before",
  after: "The question asks for what comes after a scene, so nothing linked is kept from before",
  before: "The question asks for what comes before a scene, so nothing linked is kept from after",
};

/** What became of an event, after what raised it. */
export const FATES = { kept: "kept", dropped: "left out", none: "not matched" };
export const RAISED = { anchor: "anchor", awakened: "awakened" };

/** `builtin-1` or the name of an endpoint's model. */
export const spaceName = (id) => (id.startsWith("builtin") ? `the built-in one (${id})` : id);

/** A name of a stage or of a reason as words. */
export const words = (name) => name.replaceAll("_", " ");
