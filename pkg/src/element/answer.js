/**
 * An answer as elements: the sentence with its citations, the plotline, the passages and how they
 * were found. Pure: it draws what it is given, and calls `open` when a place is asked for.
 */
import { el } from "./dom.js";
import { how } from "./how.js";
import { passages } from "./passages.js";
import { percent } from "./places.js";
import { plotline } from "./plotline.js";

/**
 * What every part of the view is drawn with.
 * @typedef {object} View
 * @property {import("./places.js").Places} places
 * @property {(span: {start: number, end: number}, opener: HTMLElement) => void} open
 */

/**
 * @param {import("../../index.js").Answer} answer
 * @param {View} view
 * @returns {HTMLElement[]} sections, in reading order; the first holds the heading
 */
export function answerView(answer, view) {
  const { trace, citations } = answer;
  const found = citations.length > 0;
  const moments = trace.pairs.length > 0 && plotline(trace, citations, view);
  const places = trace.evidence.length > 0 && passages(trace.evidence, view);
  // Without an answer the passages are the best there is, and the plotline only what is near them.
  return [finding(answer, found, view), ...(found ? [moments, places] : [places, moments]), how(answer)].filter(Boolean);
}

function finding(answer, found, view) {
  const quoted = answer.citations.some(({ quote }) => squeezed(quote).includes(squeezed(answer.text)));
  return el("section", { class: "finding", part: "answer" },
    el("h2", { class: "heading", tabindex: -1 }, found ? "Answer" : "No answer found"),
    quoted ? quotation(answer, view) : statement(answer, view),
    answer.choice && el("p", { class: "choice" }, "Best supported choice: ", el("strong", {}, answer.choice)),
    el("p", { class: "note" }, noteOn(answer, found, quoted)),
    ...[...answer.issues, ...answer.trace.issues].filter(firstOfItsCode)
      .map(({ message }) => el("p", { class: "note issue" }, sentence(message))));
}

/** The answer is a sentence of the book: shown as a quotation with its source. */
const quotation = (answer, view) => el("figure", { class: "quotation" },
  el("blockquote", { part: "quote" }, answer.text),
  el("figcaption", { class: "sources" }, ...answer.citations.map((citation) => placeButton(citation, view))));

/** The answer is not the book's own words: shown as text, with the quotations it cites below. */
const statement = (answer, view) => el("div", {},
  el("p", { class: "statement" }, sentence(answer.text)),
  ...answer.citations.map((citation) => el("figure", { class: "quotation" },
    el("blockquote", { part: "quote" }, citation.quote),
    el("figcaption", { class: "sources" }, placeButton(citation, view)))));

function noteOn(answer, found, quoted) {
  if (!found) {
    return answer.trace.evidence.length > 0
      ? "No sentence fits the question well enough. The passages below come closest, and may not answer it."
      : "Nothing in this book is near the question. Other words may help: the book’s own names and things.";
  }
  if (!quoted || answer.usage.requests > 0) return "Written from the passages below.";
  return "The sentence that fits best, in the book’s own words. No language model was asked.";
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

const firstOfItsCode = ({ code }, at, issues) => issues.findIndex((issue) => issue.code === code) === at;

/** Messages are lower case and without a full stop; on the page they are sentences. */
export function sentence(message) {
  const text = message.trim();
  const word = /^[a-z]+(?=[\s,;:'’])/.test(text); // not the name of a file
  return (word ? text[0].toUpperCase() + text.slice(1) : text) + (/[.!?…"”’]$/.test(text) ? "" : ".");
}
