/**
 * How an answer was found, as plain tables: each stage of the trace, what was kept, what was dropped
 * and why. Drawn when it is first unfolded.
 */
import { el } from "./dom.js";
import { percent, plural } from "./places.js";

/** @param {import("../../index.js").Answer} answer */
export function how(answer) {
  const details = el("details", { class: "how", part: "how", on: { toggle: () => {
    if (details.open && details.children.length === 1) details.append(...stages(answer));
  } } }, el("summary", {}, el("h3", {}, "How this was found")));
  return details;
}

function stages({ trace, confidence }) {
  return [
    figures(trace, confidence),
    nodes("Anchors", "The characters and events closest to the question.", trace.anchors),
    nodes("Awakened", "Reached from the anchors through the layer that ties characters to events.", trace.awakened),
    table("Pairs kept", "Each character with the one event that fits it best, in story order.",
      ["Character", "Event", "Weight", "Place"],
      trace.pairs.map(({ character, event, weight, position }) => [character, event, figure(weight), percent(position)])),
    table("Pairs dropped", "Matched, and then left out.", ["Character", "Event", "Why"],
      trace.dropped.map(({ character, event, reason }) => [character, event, reason])),
    table("Time", "In milliseconds, on this device.", ["Stage", "ms"],
      Object.entries(trace.timings_ms).map(([stage, ms]) => [stage.replaceAll("_", " "), ms.toFixed(1)])),
  ];
}

function figures({ method, embedding_space: space, context_tokens: tokens, evidence, cues }, confidence) {
  const words = [...cues.high, ...cues.low];
  const scores = evidence.map(({ score }) => score);
  return el("dl", { class: "figures" }, ...rows([
    ["Method", method],
    ["Embedding", space],
    ["Words looked for", words.join(", ")],
    ["Confidence", confidence !== undefined && percent(confidence)],
    ["Context", plural(tokens, "token")],
    ["Passages", scores.length > 0 && `${scores.length}, scores ${figure(scores[0])} to ${figure(scores.at(-1))}`],
  ]));
}

const rows = (pairs) => pairs.filter(([, value]) => value)
  .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)));

const nodes = (title, note, { characters, events }) => table(title, note, ["", "Name", "Score"], [
  ...characters.map(({ name, score }) => ["character", name, figure(score)]),
  ...events.map(({ label, score }) => ["event", label, figure(score)]),
]);

function table(title, note, heads, body) {
  const caption = [el("h4", { class: "heading" }, title), el("p", { class: "note" }, body.length > 0 ? note : "None.")];
  if (body.length === 0) return el("div", { class: "stage" }, ...caption);
  const kind = (at) => (isNumber(body[0][at]) ? "number" : heads[at] === "" ? "kind" : null);
  return el("div", { class: "stage" }, ...caption, el("table", { "aria-label": title },
    el("thead", {}, el("tr", {}, ...heads.map((head, at) => (head
      ? el("th", { scope: "col", class: kind(at) }, head)
      : el("td", {}))))),
    el("tbody", {}, ...body.map((cells) => el("tr", {}, ...cells.map((cell, at) => el("td", { class: kind(at) }, cell)))))));
}

const isNumber = (cell) => /^-?[\d.,]+%?$/.test(cell);
const figure = (value) => (Math.abs(value) >= 0.01 || value === 0 ? value.toFixed(2) : value.toExponential(1));
