// Options: a name that does not exist is an error that says which one was probably meant.

import { PlotbridgeError, words } from "./errors.js";
import { checkModels } from "./models.js";

const ENGINE = ["worker", "workerUrl", "wasmUrl", "policy", "signal"];
const READ = ["name", "encoding", "title", "chapters", "config"];
const RETRIEVE = ["method", "upTo", "contextTokens", "config", "signal"];

/** By this name a book's engine is called from this package, and from nowhere else. */
export const CALL = Symbol("call");

/** The options each call takes. */
const KNOWN = {
  open: [...ENGINE, "models", "limits", "onProgress"],
  build: [...READ, ...ENGINE, "models", "limits", "budgetTokens", "extraction", "concurrency", "merges", "resume", "pause", "onProgress"],
  estimate: [...READ, ...ENGINE, "models", "extraction", "merges", "onProgress"],
  read: [...READ, ...ENGINE],
  retrieve: RETRIEVE,
  ask: [...RETRIEVE, "steps", "choices", "budgetTokens", "onEvent"],
  diagnose: [...ENGINE, "book", "as", "limits", "budgetTokens", "onProgress"],
};

/** How fast endpoints are asked, and how long they are waited for. */
const LIMITS = ["requestsPerMinute", "tokensPerMinute", "timeoutSeconds", "patienceSeconds"];

const CHAPTERS = "list of chapters, each an object with title and start";

/** The largest whole number that is taken. */
export const MOST = 2 ** 32 - 1;

const KINDS = {
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number" && Number.isFinite(value),
  "whole number": (value) => Number.isInteger(value) && value >= 0 && value <= MOST,
  boolean: (value) => typeof value === "boolean",
  "choice of \"offline\" and \"llm\"": (value) => value === "offline" || value === "llm",
  "choice of \"chat\" and \"embed\"": (value) => value === "chat" || value === "embed",
  Book: (value) => typeof value?.[CALL] === "function",
  "object with chat, embed or both": (value) => value !== null && typeof value === "object",
  function: (value) => typeof value === "function",
  URL: (value) => typeof value === "string" || value instanceof URL,
  signal: (value) => ["addEventListener", "removeEventListener"].every((name) => typeof value?.[name] === "function") && typeof value.aborted === "boolean",
  [`object with ${LIMITS.join(", ")}, each a number of 1 or more, at most ${MOST}`]: (value) =>
    plainObject(value) && Object.entries(value).every(([name, n]) => LIMITS.includes(name) && (n === undefined || limit(name, n))),
  Pause: (value) => KINDS.signal({ aborted: false, addEventListener: value?.addEventListener, removeEventListener: value?.removeEventListener }) && typeof value.paused === "boolean",
  "name that is not empty": (value) => typeof value === "string" && value !== "",
  policy: (value) => typeof value?.createScriptURL === "function",
  "share from 0 to 1, {chapter} or {offset}": (value) =>
    KINDS.number(value) || ["chapter", "offset"].some((key) => KINDS["whole number"](value?.[key]) && Object.keys(value).length === 1),
  "list of different texts": (value) => Array.isArray(value) && !value.includes(undefined) && new Set(value.map((item) => item.trim())).size === value.length,
  "object with same, lists of names that are one, and different, pairs of names that are not": (value) =>
    plainObject(value) && Object.entries(value).every(([list, groups]) => ["same", "different"].includes(list) && Array.isArray(groups) && groups.every((group) => names(group) || (list === "same" && namedGroup(group)))),
  [CHAPTERS]: (value) => Array.isArray(value) && value.length > 0 && value.every(({ title, start }) => KINDS["whole number"](start) && (title === undefined || KINDS.text(title))),
  "object of texts and numbers": (value) => plainObject(value) && Object.values(value).every((item) => KINDS.text(item) || KINDS.number(item)),
};

const KIND_OF = {
  book: "Book", as: "choice of \"chat\" and \"embed\"",
  worker: "boolean", workerUrl: "URL", wasmUrl: "URL", policy: "policy", signal: "signal",
  onProgress: "function", onEvent: "function", name: "text", encoding: "text", title: "text",
  method: "text", upTo: "share from 0 to 1, {chapter} or {offset}", contextTokens: "whole number", steps: "whole number",
  models: "object with chat, embed or both", extraction: "choice of \"offline\" and \"llm\"", concurrency: "whole number",
  resume: "name that is not empty", pause: "Pause", budgetTokens: "whole number",
  limits: `object with ${LIMITS.join(", ")}, each a number of 1 or more, at most ${MOST}`,
  merges: "object with same, lists of names that are one, and different, pairs of names that are not",
  chapters: CHAPTERS, choices: "list of different texts", config: "object of texts and numbers",
};

/** Two texts or more. */
const names = (group) => Array.isArray(group) && group.length >= 2 && group.every(KINDS.text);

/** How far somebody must have read: a chapter from 1, or an offset. */
const readTo = (place) => plainObject(place) && Object.entries(place).length === 1
  && Object.entries(place).every(([key, value]) => ["chapter", "offset"].includes(key) && Number.isInteger(value) && value >= 0 && value <= 0xffffffff);

/** Names of one, with what it is to be called, and from where on a reader knows it. */
const GROUP = { names, name: (value) => KINDS.text(value), from: readTo };
const namedGroup = (group) => plainObject(group) && "names" in group && Object.entries(group).every(([key, value]) => Object.hasOwn(GROUP, key) && GROUP[key](value));

/** Requests and tokens are counted whole; a patience of 0 waits for nobody. */
function limit(name, n) {
  if (/PerMinute$/.test(name)) return KINDS["whole number"](n) && n >= 1;
  return KINDS.number(n) && n <= MOST && n >= (name === "patienceSeconds" ? 0 : 1);
}

/** The options of `call`, copied, without those left undefined; throws for a wrong name or kind. */
export function checkOptions(call, given = {}) {
  if (given === null || typeof given !== "object" || Array.isArray(given)) {
    throw new PlotbridgeError("usage", `the options of ${call} are ${show(given)}, but must be an object`);
  }
  try {
    return readOptions(call, given);
  } catch (cause) {
    if (cause instanceof PlotbridgeError) throw cause;
    throw new PlotbridgeError("usage", `the options of ${call} cannot be read: ${words(cause)}`, { cause });
  }
}

function readOptions(call, given) {
  const options = {};
  for (const [name, value] of Object.entries(given)) {
    if (!KNOWN[call].includes(name)) throw unknownOption(name, call);
    if (value === undefined) continue;
    const kind = KIND_OF[name];
    const copy = name === "chapters" ? copiedChapters(value) : copied(value);
    if (copy === null || !KINDS[kind](copy)) {
      const shown = name === "models" ? "something else" : show(value); // it may be a key
      const most = kind === "whole number" && Number.isInteger(copy) && copy > MOST ? `, at most ${MOST}` : "";
      throw new PlotbridgeError("usage", `${name} is ${shown}, but must be ${/^[aeio]/.test(kind) ? "an" : "a"} ${kind}${most}`);
    }
    options[name] = name === "models" ? checkModels(copy) : copy;
  }
  return options;
}

/** Lists and plain objects as they are now: the caller may change its own while the call runs. */
function copied(value) {
  if (Array.isArray(value)) return copiedTexts(value);
  return plainObject(value) ? { ...value } : value;
}

/** The texts of a list; ends with undefined at the first place without one, which may be far from the last. */
function copiedTexts(list) {
  const texts = [];
  for (let at = 0; at < list.length; at++) {
    if (texts.push(typeof list[at] === "string" ? list[at] : undefined) && texts[at] === undefined) break;
  }
  return texts;
}

/** What is said of each chapter; what `Book.read` tells of one may be given back. */
const copiedChapters = (list) => (Array.isArray(list) ? list.map((chapter) => ({ start: chapter?.start, ...(chapter?.title !== undefined && { title: chapter.title }) })) : list);

/** No method of it is lost in a copy: a signal or a policy may be a plain object too. */
const plainObject = (value) => value !== null && typeof value === "object" && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** Those of the options that the engine itself reads. */
export function engineOptions(options, names) {
  return Object.fromEntries(names.filter((name) => name in options).map((name) => [name, options[name]]));
}

function unknownOption(name, call) {
  const known = KNOWN[call];
  const nearest = nearestName(name, known);
  if (name === "models") {
    throw new PlotbridgeError("unknown_option", `models belong to the book: they are an option of open and build, not of ${call}`, { details: { option: name, known } });
  }
  return new PlotbridgeError("unknown_option", `there is no option "${clip(name)}" of ${call}; the nearest is "${nearest}"`, {
    details: { option: name, nearest, known },
  });
}

/** The one of `known` with the fewest letters changed; letter case does not count. */
export function nearestName(name, known) {
  const scored = known.map((candidate) => [editDistance(name.toLowerCase(), candidate.toLowerCase()), candidate]);
  return scored.reduce((best, next) => (next[0] < best[0] ? next : best))[1];
}

/** Levenshtein distance, by one row of the table. */
function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < Math.min(a.length, 64); i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      next.push(Math.min(row[j] + (a[i] === b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1));
    }
    row = next;
  }
  return row[b.length];
}

const clip = (text) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** A value in a message: short, and whatever it is; of a list the beginning, which may have 2³² places. */
export function show(value) {
  const begun = (_, part) => (Array.isArray(part) ? part.slice(0, 10) : part);
  try {
    const json = typeof value === "number" ? undefined : JSON.stringify(value, begun);
    return clip(json ?? String(value));
  } catch {
    return typeof value === "bigint" ? clip(String(value)) : `of the kind ${typeof value}`;
  }
}
