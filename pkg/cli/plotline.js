// The plotline and the passages, as `retrieve` and `ask` print them.

import { associations } from "./associations.js";
import { chapterAt, chapterName, shorten, wrap } from "./print.js";

const PASSAGES = 5;

/** What a method found beside passages; nothing for one that looks for nothing else. */
export function found(trace, chapters) {
  if (trace.method === "pons") return plotline(trace, chapters);
  return ["coda", "light"].includes(trace.method) ? associations(trace) : "";
}

/** The pairs in story order: who and what, a line of the text, the chapter. */
function plotline({ pairs }, chapters) {
  if (!pairs.length) return "Plotline\n  no character of the book meets an event that serves this question";
  return `Plotline, in story order\n${pairs.map((pair) => pairLines(pair, chapters)).join("\n")}`;
}

function pairLines({ character, event, details, start, position }, chapters) {
  const where = [chapterAt(chapters, start), `${(100 * position).toFixed(0)} %`].filter(Boolean).join(", ");
  return `${wrap(`${character} — ${event}`, 2)}\n${wrap(shorten(details, 150), 6)}\n${wrap(where, 6)}`;
}

/** How far was read, where a question was asked with a reading position. */
export function readTo(upTo, chapters) {
  if (upTo === undefined) return "";
  if (upTo.chapter !== undefined) return `Read\n${wrap(upTo.chapter === 0 ? "nothing yet" : `to the end of ${chapterName(chapters, Math.min(upTo.chapter, chapters.length) - 1)}; nothing later is shown`, 2)}`;
  const far = upTo.offset === undefined ? `${Number((100 * upTo).toFixed(2))} % of the book` : `place ${upTo.offset}`;
  return `Read\n${wrap(`to ${far}; nothing later is shown`, 2)}`;
}

/** The best passages, each with the part of it that scored. */
export function passages({ evidence }, chapters) {
  if (!evidence.length) return "Passages\n  none";
  const shown = evidence.slice(0, PASSAGES).map(({ start, end, text, score, focus }, at) => {
    const head = [`${at + 1}. ${chapterAt(chapters, start)}`, `${start}–${end}`, score > 0 && `score ${score.toFixed(3)}`].filter(Boolean).join(", ");
    return `${wrap(head, 2)}\n${wrap(shorten(text.slice(focus.start - start, focus.end - start), 300), 6)}`;
  });
  const rest = evidence.length - shown.length;
  return `Passages, best first\n${wrap("places count characters from the book's start", 2)}\n${shown.join("\n")}${rest > 0 ? `\n  and ${rest} more; --json has all` : ""}`;
}
