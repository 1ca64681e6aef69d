/**
 * What the reader has set, kept in this browser from visit to visit. Where the browser keeps nothing
 * (its storage throws, or is full) everything works until the tab is closed. What was stored is read
 * as if a stranger had written it: a value that is not valid gives way to the default.
 */
const KEY = "plotbridge";
const MOST_BOOKS = 50;

export const METHODS = { pons: "People and events together (PonsRAG)", coda: "What the question calls to mind (CodaRAG)", hippo: "Passages that facts lead to (HippoRAG 2)", light: "People and what ties them (LightRAG)", dense: "Passages alike in meaning", bm25: "Passages with the same words" };
/** What each does, in a line. */
export const ABOUT = {
  pons: "Finds whom and what the question is about, wakes what belongs to them, and tells the plotline between.",
  coda: "Begins with what the question calls to mind, follows relations, company and likeness, and takes out what misleads.",
  hippo: "Walks from facts near the question over who and what is named together.",
  light: "Looks up the people and relations that the question names, and what is one step away.",
  dense: "Compares the meaning of the question with that of each passage.",
  bm25: "Counts the words that question and passage share.",
};
export const CONTEXTS = [1500, 3000, 6000, 12000];
export const AT_ONCE = [1, 2, 4, 8]; // requests to a model
export const THEMES = { auto: "As the device", light: "Light", dark: "Dark" };

const isShort = (value) => typeof value === "string" && value.length <= 500;
const isPlace = (place) => Array.isArray(place) && typeof place[0] === "string" && Number.isInteger(place[1]) && place[1] > 0;

/** Each setting: its default, and which values are valid. */
const SETTINGS = {
  method: ["pons", (value) => Object.hasOwn(METHODS, value)],
  contextTokens: [6000, (value) => CONTEXTS.includes(value)],
  theme: ["auto", (value) => Object.hasOwn(THEMES, value)],
  keep: [true, (value) => typeof value === "boolean"], // keep one's own book in this browser
  own: [false, (value) => typeof value === "boolean"], // the last visit ended with it open
  answers: ["book", (value) => ["book", "model"].includes(value)], // who answers: the book's own words, or a model's
  chatUrl: ["", isShort],
  chatModel: ["", isShort],
  embedModel: ["", isShort], // empty: no embedding model
  embedSame: [true, (value) => typeof value === "boolean"], // on the chat model's server
  embedUrl: ["", isShort],
  concurrency: [4, (value) => AT_ONCE.includes(value)],
  places: [[], (value) => Array.isArray(value) && value.every(isPlace)], // [book, chapter], latest last
};

const stored = load();

/** Keys are not among them: see keys.js. */
export const settings = Object.fromEntries(Object.entries(SETTINGS)
  .map(([name, [usual, valid]]) => [name, Object.hasOwn(stored, name) && valid(stored[name]) ? stored[name] : usual]));

/** Changes some settings. */
export function set(changes) {
  Object.assign(settings, changes);
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // They hold until the tab is closed.
  }
}

/** The chapter that this book has been read to; undefined for the whole. */
export const placeIn = (info) => settings.places.find(([book]) => book === keyOf(info))?.[1];

/** Sets it; undefined for the whole book. */
export function setPlace(info, chapter) {
  const others = settings.places.filter(([book]) => book !== keyOf(info));
  set({ places: chapter ? [...others, [keyOf(info), chapter]].slice(-MOST_BOOKS) : others });
}

const keyOf = ({ title, text_length: length }) => `${title} ${length}`;

function load() {
  try {
    return Object(JSON.parse(localStorage.getItem(KEY)));
  } catch {
    return {};
  }
}
