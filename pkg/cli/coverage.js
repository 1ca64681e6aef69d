// Coverage: how much of a text is searched, what is left out, and why. Both add up to the text.

import { count } from "./print.js";

/**
 * `[name, value]` lines for people: what is searched, and what is left out by reason.
 * @param {number} length the text's
 * @param {{start: number, end: number}[]} chunks in text order; they may overlap
 * @param {{start: number, end: number, reason: string}[]} skips
 */
export function coverage(length, chunks, skips) {
  const searched = covered(chunks);
  const left = skips.reduce((sum, { start, end }) => sum + end - start, 0);
  const lines = [["searched", `${amount(searched, length)} in ${count(chunks.length, "chunk")}`]];
  if (left > 0) lines.push(["left out", `${amount(left, length)}: ${reasons(length, skips)}`]);
  const rest = length - searched - left;
  return rest === 0 ? lines : [...lines, ["lost", `${amount(rest, length)}: please report this book`]];
}

/** The same in one line. */
export const coverageLine = (length, chunks, skips) =>
  [`${share(covered(chunks), length)} searched`, ...(skips.length ? [`left out ${reasons(length, skips)}`] : [])].join("; ");

/** How many characters lie in at least one of the spans. */
function covered(spans) {
  let [sum, at] = [0, 0];
  for (const { start, end } of spans) {
    sum += Math.max(0, end - Math.max(start, at));
    at = Math.max(at, end);
  }
  return sum;
}

/** Each reason with its share, the largest first. */
function reasons(length, skips) {
  const sums = new Map();
  for (const { start, end, reason } of skips) sums.set(reason, (sums.get(reason) ?? 0) + end - start);
  const sorted = [...sums].sort(([, a], [, b]) => b - a);
  return sorted.map(([reason, sum]) => `${reason.replaceAll("_", " ")} ${share(sum, length)}`).join(", ");
}

const amount = (part, length) => `${count(part, "character")} (${share(part, length)})`;

/** A share with one decimal; what is not nothing is not shown as nothing, nor what is not all as all. */
function share(part, length) {
  const percent = (100 * part) / length;
  if (part > 0 && percent < 0.1) return "under 0.1 %";
  return `${(part < length ? Math.min(percent, 99.9) : 100).toFixed(1)} %`;
}
