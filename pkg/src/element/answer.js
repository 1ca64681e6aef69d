/**
 * An answer as elements: the sentence or a model's words with their citations, the plotline, the passages
 * and how they were found. Pure: it draws what it is given, and calls `open` when a place is asked for.
 */
import { GUESS, isGuess, isWeak, WEAK } from "../confidence.js";
import { el } from "./dom.js";
import { how } from "./how.js";
import { passages } from "./passages.js";
import { percent, plural } from "./places.js";
import { plotline } from "./plotline.js";
import { written } from "./writing.js";

/** The engine's sentence where nothing was found, by rule or by a model. */
const NOT_FOUND = "not found in what you have read";

/**
 * What every part of the view is drawn with.
 * @typedef {object} View
 * @property {import("./places.js").Places} places
 * @property {(span: {start: number, end: number}, opener: HTMLElement) => void} open
 * @property {boolean} [asked] whether a chat model was asked
 * @property {number} [reach] how far was read when it was asked, 0 to 1; the whole book where absent
 * @property {"open" | "none" | null} [trace] whether how it was found is unfolded, or left out
 */

/** @param {import("../../index.js").Answer} answer */
export const isFound = ({ text }) => text !== NOT_FOUND;

/**
 * @param {import("../../index.js").Answer} answer
 * @param {View} view
 * @returns {HTMLElement[]} sections, in reading order; the first holds the heading
 */
export function answerView(answer, view) {
  const { trace, citations } = answer;
  const found = isFound(answer);
  const moments = trace.pairs.length > 0 && plotline(trace, citations, view);
  const places = trace.evidence.length > 0 && passages(trace.evidence, view);
  // Without an answer the passages are the best there is, and the plotline only what is near them.
  return [finding(answer, found, view), ...(found ? [moments, places] : [places, moments]), view.trace !== "none" && how(answer, view)].filter(Boolean);
}

function finding(answer, found, view) {
  const { text, citations, usage } = answer;
  const issues = issuesOf(answer, view.asked);
  const quoted = citations.length === 1 && squeezed(citations[0].quote) === squeezed(text);
  return el("section", { class: "finding", part: "answer" },
    el("h2", { class: "heading", tabindex: -1 }, found ? "Answer" : "No answer found"),
    quoted ? quotation(citations[0], view) : statement(answer, found, view),
    answer.choice && el("p", { class: "choice" }, "Best supported choice: ", el("strong", {}, answer.choice), shareOf(answer)),
    isGuess(answer) && el("p", { class: "note weak" }, GUESS),
    ...issues.filter(isReason).map(issueNote),
    el("p", { class: "note" }, noteOn(answer, found, quoted, view.asked)),
    found && isWeak(answer) && el("p", { class: "note weak" }, WEAK),
    usage.requests > 0 && el("p", { class: "note usage" }, costOf(usage)),
    ...issues.filter((issue) => !isReason(issue)).map(issueNote));
}

/** By rule, how much of what supports any of the options supports this one. */
const shareOf = ({ confidence }) => (confidence === undefined ? "" : `, with ${percent(confidence)} of what supports any of them`);

/** Why nothing can be found: it comes before what to make of that. */
const isReason = ({ code }) => ["nothing_read", "no_terms", "no_match"].includes(code);

const issueNote = ({ code, message }) =>
  el("p", { class: code === UNVERIFIED ? "note issue unverified" : "note issue" }, sentence(message));

/** A sentence of the book with its source. */
const quotation = (citation, view) => el("figure", { class: "quotation" },
  el("blockquote", { part: "quote" }, squeezed(citation.quote)),
  el("figcaption", { class: "sources" }, placeButton(citation, view)));

/** The answer is not the book's own words: shown as text, with the quotations it cites below. */
const statement = ({ text, citations }, found, view) => el("div", {},
  el("div", { class: "statement" }, ...(found ? written(text) : [el("p", {}, sentence(text))])),
  ...citations.map((citation) => quotation(citation, view)));

function noteOn({ trace, citations }, found, quoted, asked) {
  if (!found && asked) return "The language model found no answer in the passages below.";
  if (!found) {
    return trace.evidence.length > 0
      ? "No sentence fits the question well enough. The passages below come closest, and may not answer it."
      : "Nothing in this book is near the question. Other words may help: the book’s own names and things.";
  }
  if (quoted) return asked ? "In the book’s own words." : "The sentence that fits best, in the book’s own words. No language model was asked.";
  const written = "Written by a language model from the passages below.";
  return citations.length > 0 ? `${written} The quotations above stand in the book, word for word.` : written;
}

function costOf({ requests, prompt_tokens: sent, completion_tokens: received }) {
  const tokens = sent + received > 0 ? plural(sent + received, "token") : "tokens not counted by the server";
  return `${plural(requests, "request")}, ${tokens}.`;
}

const UNVERIFIED = "citation_unverified";

/**
 * One of each code; but every quotation that the book does not hold is named. Who asks no model is not told
 * that the index holds a model's vectors too.
 */
function issuesOf({ issues, trace }, asked) {
  const all = [...issues, ...trace.issues].filter(({ code }) => asked || code !== "embedding_fallback");
  const same = (a, b) => a.code === b.code && (a.code !== UNVERIFIED || a.message === b.message);
  return all.filter((issue, at) => all.findIndex((other) => same(other, issue)) === at);
}

const squeezed = (text) => text.replace(/\s+/g, " ").trim();

/** A button that opens a place of the book, named by its chapter. */
export function placeButton(span, { places, open }) {
  const title = places.chapter(span.start) || "the text";
  return el("button", { class: "place", part: "citation", type: "button", on: { click: (event) => open(span, event.currentTarget) } },
    el("span", { class: "quiet" }, "Open in the book: "),
    el("span", { class: "chapter" }, title),
    el("span", { class: "share" }, percent(places.position(span.start))));
}

/** Messages are lower case and without a full stop; on the page they are sentences. */
export function sentence(message) {
  const text = message.trim();
  const word = /^[a-z]+(?=[\s,;'’]|:\s)/.test(text); // not the name of a file, or an address
  return (word ? text[0].toUpperCase() + text.slice(1) : text) + (/[.!?…"”’]$/.test(text) ? "" : ".");
}
