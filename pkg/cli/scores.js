// The tables of `eval`: methods in rows, measures in columns, intervals under their means.

import { count, wrap } from "./print.js";

/** Of each measure its heading and where it stands among a method's scores. */
const MEASURES = [
  ["F1", ({ f1 }) => f1],
  ["EM", ({ em }) => em],
  ["acc", ({ acc }) => acc],
  ...[1, 5, 10, 20].map((k) => [`@${k}`, ({ recall_at }) => recall_at[k]]),
  ...[1200, 6000].map((b) => [`@${b}t`, ({ recall_at_tokens }) => recall_at_tokens[b]]),
];

const NOTE =
  "F1, EM and acc of the answers; @k: share of the marked evidence that the first k passages touch, @bt: that those touch which fit into b tokens; ± half of the 95 % interval over questions";

/** Means with half of their intervals. */
export function scores(methods) {
  const lines = Object.entries(methods).flatMap(([name, method]) => [
    [name, ...MEASURES.map(([, of]) => share(of(method)))],
    ["", ...MEASURES.map(([, of]) => halfOf(of(method.intervals)))],
  ]);
  return `${table([["", ...MEASURES.map(([head]) => head)], ...lines])}\n\n${wrap(NOTE, 2)}`;
}

/** Tokens, times and failures. */
export function sizes(methods) {
  const lines = Object.entries(methods).map(([name, method]) => [
    name,
    rounded(method.passage_tokens_mean),
    rounded(method.context_tokens_mean),
    tenths(method.ms_p50),
    tenths(method.ms_p95),
    String(method.failures),
  ]);
  return table([["", "passage", "context", "ms p50", "ms p95", "failed"], ...lines]);
}

/** Why questions could not be asked: once, since all methods refuse the same ones. */
export function failures(methods) {
  const failed = new Map(Object.values(methods).flatMap((method) => method.failed).map((one) => [one.id, one]));
  if (!failed.size) return "";
  const lines = [...failed.values()].slice(0, 5).map(({ id, code, message }) => wrap(`${id}: ${message} [${code}]`, 2));
  return `Not asked: ${count(failed.size, "question")}\n${lines.join("\n")}`;
}

/** Left column to the left, the others to the right, all as wide as their widest. */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const cell = (text, column) => (column ? text.padStart(widths[column]) : text.padEnd(widths[0]));
  return rows.map((row) => `  ${row.map(cell).join(" ")}`.trimEnd()).join("\n");
}

const share = (value) => (value === null ? "–" : value.toFixed(3).replace(/^0/, ""));
const halfOf = (ends) => (ends === null ? "" : `±${share((ends[1] - ends[0]) / 2)}`);
const rounded = (value) => (value === null ? "–" : value.toFixed(0));
const tenths = (value) => (value === null ? "–" : value.toFixed(1));
