// The tables of `eval` for people: runs in rows, measures in columns, intervals under their means.

import { columns, count, wrap } from "../print.js";
import { measured, measureOf, NONE, ofJudge, share, shown, signed, telling, tenths, verdict, whole } from "./measures.js";
import { TABLES } from "./paper.js";

/** Longer names stand on a line of their own. */
const LONGEST = 16;

const NOTE =
  "F1, EM, acc and R-L (ROUGE-L) of the answers; @k: share of the marked evidence that the first k passages touch, @bt: that those touch which fit into b tokens, ctx: of which the context tells; ± half of the 95 % interval";

const JUDGED =
  "as judged: correctness, F1 over facts, likeness, coverage and faithfulness of the answers, evidence held by the context and its relevance, and the share of judgements that could not be read, which count in no mean";

/** Means with half of their intervals. */
export function scores({ methods }) {
  const measures = shown(Object.values(methods));
  const lines = Object.entries(methods).flatMap(([name, method]) => [
    [name, ...measures.map(({ of }) => share(of(method)))],
    ["", ...measures.map(({ of }) => halfOf(of(method.intervals)))],
  ]);
  const note = measures.some(ofJudge) ? `${NOTE}; ${JUDGED}` : NOTE;
  return `${table([["", ...measures.map(({ head }) => head)], ...lines])}\n\n${wrap(note, 2)}`;
}

/** The same for the questions of each type; nothing where none has one. */
export const byType = ({ methods }) => byTypes(methods, "by_type", `By type of question (${typedBy(methods)})`);

/** The same for the types of the benchmark that the questions are of. */
export const byQuestionType = ({ methods }) => byTypes(methods, "by_question_type", "By question_type");

function byTypes(methods, key, title) {
  const figures = Object.values(methods).flatMap((method) => Object.values(method[key]));
  if (!figures.length) return "";
  const measures = shown(figures);
  const lines = Object.entries(methods).flatMap(([name, method]) =>
    Object.entries(method[key]).map(([type, means], at) => [at ? "" : name, type, String(means.questions), ...measures.map(({ of }) => share(of(means)))]));
  return `${title}\n${table([["", "type", "n", ...measures.map(({ head }) => head)], ...lines], 2)}`;
}

/** Who says the types: `file 45, rule 5`, of the first run. */
export const typedBy = (methods) => Object.entries(Object.values(methods)[0].type_by).map(([who, times]) => `${who} ${times}`).join(", ");

/** What each run changes against another, and what of it may be claimed. */
export function differences({ differences: list }) {
  if (!list.length) return "";
  const measures = measured(list).filter(({ of }) => list.some((one) => of(one.differing) > 0));
  const alike = measured(list).filter((one) => !measures.includes(one)).map(({ head }) => head);
  const lines = list.flatMap((one) => [
    [one.of, ...measures.map(({ of }) => signed(of(one)) + (verdict(of(one), of(one.claimed)) ? "*" : " "))],
    ["", ...measures.map(({ of }) => `${halfOf(of(one.intervals))} `)],
  ]);
  const against = [...new Set(list.map((one) => one.against))].join(", ");
  const note = list.some((one) => measures.some(({ of }) => of(one.claimed)))
    ? "* may be claimed: its 95 % interval leaves out 0, and six or more of what was resampled differ"
    : "nothing may be claimed: of no difference the 95 % interval leaves out 0 while six or more of what was resampled differ";
  const same = alike.length ? `not one question differs in ${alike.join(", ")}` : "";
  const told = measures.length ? `${table([["", ...measures.map(({ head }) => `${head} `)], ...lines])}\n\n` : "";
  return `Against ${against}, question by question\n${told}${wrap([same, note].filter(Boolean).join("; "), 2)}`;
}

/** Tokens, times and failures. */
export function sizes({ methods }) {
  const lines = Object.entries(methods).map(([name, method]) => [
    name,
    whole(method.passage_tokens_mean),
    whole(method.context_tokens_mean),
    tenths(method.ms_p50),
    tenths(method.ms_p95),
    tenths(method.seconds),
    String(method.failures),
  ]);
  return table([["", "passage", "context", "ms p50", "ms p95", "seconds", "failed"], ...lines]);
}

/** What endpoints were asked; nothing where none was. */
export function spending({ methods, questions }) {
  const asked = Object.entries(methods).filter(([, { requests }]) => requests > 0);
  if (!asked.length) return "";
  const lines = asked.map(([name, { requests, prompt_tokens: sent, completion_tokens: received }]) =>
    [name, whole(requests), whole(sent), whole(received), whole((sent + received) / questions)]);
  return table([["", "requests", "tokens sent", "received", "a question"], ...lines]);
}

/** The paper's figures of a table beside ours. */
export function published({ table: number, methods }) {
  if (number === null) return "";
  const { title, heads, published: theirs } = TABLES[number];
  const ours = ["acc", "f1", "em", "recall_context"].map(measureOf);
  const lines = Object.entries(methods).map(([name, method]) => [
    name,
    ...(theirs[name] ?? heads.map(() => null)).map((figure) => (figure === null ? NONE : String(figure))),
    ...ours.map(({ of }) => share(of(method))), whole(method.context_tokens_mean),
  ]);
  const note = "the paper's figures are in per cent, of GPT-4o-mini and BGE-M3 on other books: they show an order, and are not to be reached with another model";
  return `Table ${number} of the paper: ${title}\n${table([["", ...heads, ...ours.map(({ head }) => head), "context"], ...lines])}\n\n${wrap(note, 2)}`;
}

/** One measure as bars, with the ends of the intervals. */
export function bars(document) {
  const { name, of } = telling(document);
  const drawn = Object.entries(document.methods).filter(([, method]) => of(method) !== null);
  if (drawn.length < 2) return "";
  const left = Math.min(Math.max(...drawn.map(([name]) => name.length)), columns() - 40);
  const width = Math.min(columns() - left - 12, 60);
  const lines = drawn.map(([name, method]) => `  ${name.slice(0, left).padEnd(left)} ${bar(of(method), of(method.intervals), width)} ${share(of(method))}`);
  return `${name[0].toUpperCase()}${name.slice(1)}, from 0 to 1; ├ ┤ the 95 % interval\n${lines.join("\n")}`;
}

function bar(mean, [low, high], width) {
  const at = (value) => Math.min(width - 1, Math.max(0, Math.round(value * (width - 1))));
  const sign = (place) => {
    if (place === at(low) && at(low) < at(high)) return "├";
    if (place === at(high) && at(low) < at(high)) return "┤";
    if (place > at(low) && place < at(high)) return place <= at(mean) ? "▒" : "─";
    return place <= at(mean) ? "█" : "·";
  };
  return Array.from({ length: width }, (_, place) => sign(place)).join("");
}

/** Why questions could not be asked, each with the runs that it failed. */
export function failures({ methods }) {
  const failed = new Map(Object.values(methods).flatMap((method) => method.failed).map((one) => [one.id, one]));
  if (!failed.size) return "";
  const lines = [...failed.values()].slice(0, 5).map(({ id, code, message }) => wrap(`${id}: ${message} [${code}]`, 2));
  return `Not asked: ${count(failed.size, "question")}\n${lines.join("\n")}`;
}

/**
 * The first `left` columns to the left, the others to the right, all as wide as their widest. What is too wide
 * goes on below, with the left columns once more.
 */
function table(rows, left = 1) {
  const parted = rows.flatMap((row) => (row[0].length > LONGEST ? [[row[0]], ["", ...row.slice(1)]] : [row]));
  const widths = rows[0].map((_, column) => Math.max(...parted.filter((row) => row.length > 1).map((row) => row[column].length)));
  const cell = (row, column) => (column < left ? row[column].padEnd(widths[column]) : row[column].padStart(widths[column]));
  const block = (shownColumns) => parted
    .map((row) => `  ${row.length > 1 ? shownColumns.map((column) => cell(row, column)).join(" ") : row[0]}`.trimEnd())
    .filter(Boolean)
    .join("\n");
  return blocks(widths, left).map(block).join("\n\n");
}

/** Which columns stand beside each other: as many as fit, and the left ones always. */
function blocks(widths, left) {
  const firsts = widths.slice(0, left).map((_, column) => column);
  const room = columns() - 1 - firsts.reduce((sum, column) => sum + widths[column] + 1, 0);
  const all = [[]];
  let taken = 0;
  for (let column = left; column < widths.length; column += 1) {
    taken += widths[column] + 1;
    if (taken > room && all.at(-1).length) {
      all.push([]);
      taken = widths[column] + 1;
    }
    all.at(-1).push(column);
  }
  return all.map((rest) => [...firsts, ...rest]);
}

const halfOf = (interval) => (interval === null ? "" : `±${share((interval[1] - interval[0]) / 2)}`);
