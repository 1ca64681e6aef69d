/** Tables of the trace: a head for each column, and cells that are text or a node. */
import { el } from "../dom.js";

/**
 * @param {string} label what the table is of
 * @param {string[]} heads one for each column; a column of numbers has its words end in `#`
 * @param {(string | Node)[][]} rows
 */
export function table(label, heads, rows) {
  const numeric = heads.map((head) => head.endsWith("#"));
  const kind = (at) => (numeric[at] ? "number" : null);
  return el("table", {}, el("caption", {}, label),
    el("thead", {}, el("tr", {}, ...heads.map((head, at) =>
      el("th", { scope: "col", class: kind(at) }, head.replace("#", ""))))),
    el("tbody", {}, ...rows.map((cells) => el("tr", {}, ...cells.map((cell, at) =>
      el("td", { class: kind(at) }, cell))))));
}

/** A part that unfolds, drawn when it first does. `title` and `size` are its summary. */
export function fold({ title, size, level = "h4", ...attributes }, draw) {
  const summary = el("summary", {}, el(level, {}, title), size && el("span", { class: "size" }, size));
  const details = el("details", { ...attributes, on: { toggle: () => {
    if (details.open && details.children.length === 1) details.append(...draw(summary).filter(Boolean));
  } } }, summary);
  return details;
}

/** Names with their values; those without one are left out. */
export const figures = (pairs) => el("dl", { class: "figures" }, ...pairs.filter(([, value]) => value)
  .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));

/** A number with two decimals, or two digits where it is small: 5.34, 0.095, 0.0021. */
export const figure = (value) => (Math.abs(value) >= 1 || value === 0 ? value.toFixed(2) : String(Number(value.toPrecision(2))));

export const milliseconds = (ms) => (ms < 9.95 ? `${ms.toFixed(1)} ms` : ms < 999.5 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`);

export const note = (...parts) => el("p", { class: "note" }, ...parts);

/** A place of the book that is named by its own words, and by where it is if that is given; the view opens it. */
export const placeLink = (span, words, view, where) => el("button", { class: "place", part: "citation", type: "button", on: { click: ({ currentTarget }) => view.open(span, currentTarget) } },
  el("span", { class: "quiet" }, "Open in the book: "), el("span", { class: "chapter" }, words), where && el("span", { class: "share" }, where));

/** A text that may be long, as it is: it scrolls in a box of its own. */
export const verbatim = (label, text) => el("p", { class: "verbatim", tabindex: 0, role: "group", "aria-label": label }, text);
