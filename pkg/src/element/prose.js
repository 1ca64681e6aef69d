/**
 * Book text as paragraphs. The text nodes tile the text: put end to end they are the text itself, so
 * an offset in the book is an offset on the page, and what is marked is exactly what was cited.
 */
import { el } from "./dom.js";

const BETWEEN = /\n(?:[^\S\n]*\n)+/g;
const VERSE = /^(?:[^\S\n]{2,}[^\n]*(?:\n|$)|\s*\n)+$/;
const BREAK = /^\s*(?:[*·•—–_-]\s*){2,}$/;

/**
 * @param {string} text
 * @param {{start: number, end: number}[]} marks spans of `text`, in order, not overlapping
 * @returns {HTMLElement[]} one `<p>` for each block between empty lines
 */
export function prose(text, marks = []) {
  return blocksOf(text).map(({ start, end }) => {
    const block = text.slice(start, end);
    const inside = marks.filter((mark) => mark.start < end && start < mark.end)
      .map((mark) => ({ start: Math.max(mark.start, start) - start, end: Math.min(mark.end, end) - start }));
    return el("p", { class: kindOf(block) }, ...marked(block, inside));
  });
}

/** Lines that all stand in are verse or a table, and keep their breaks; the rest flows. */
function kindOf(block) {
  if (BREAK.test(block)) return "break";
  return VERSE.test(block) ? "verse" : null;
}

/** Spans that tile `text`, each ending with the empty lines after it. */
function blocksOf(text) {
  const blocks = [];
  let start = 0;
  for (const gap of text.matchAll(BETWEEN)) {
    const end = gap.index + gap[0].length;
    blocks.push({ start, end });
    start = end;
  }
  if (start < text.length) blocks.push({ start, end: text.length });
  return blocks;
}

/** `text` as strings and `<mark>`s. */
export function marked(text, marks) {
  const nodes = [];
  let at = 0;
  for (const { start, end } of marks) {
    if (start < at) continue;
    nodes.push(text.slice(at, start), el("mark", {}, text.slice(start, end)));
    at = end;
  }
  return [...nodes, text.slice(at)].filter((node) => node !== "");
}
