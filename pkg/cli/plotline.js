// The plotline and the passages, as `retrieve` and `ask` print them.

import { associations } from "./associations.js";
import { chapterAt, shorten, wrap } from "./print.js";

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

/** The best passages, each with the part of it that scored. */
export function passages({ evidence }, chapters) {
  if (!evidence.length) return "Passages\n  none";
  const shown = evidence.slice(0, PASSAGES).map(({ start, end, text, score, focus }, at) => {
    const head = `${at + 1}. ${chapterAt(chapters, start)}, ${start}–${end}, score ${score.toFixed(3)}`;
    return `${wrap(head, 2)}\n${wrap(shorten(text.slice(focus.start - start, focus.end - start), 300), 6)}`;
  });
  const rest = evidence.length - shown.length;
  return `Passages, best first\n${shown.join("\n")}${rest > 0 ? `\n  and ${rest} more; --json has all` : ""}`;
}
