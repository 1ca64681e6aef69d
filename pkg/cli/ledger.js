// What models cost, for people: a table by stage and model, and what is said of it in one line.

import { Ledger } from "../src/ledger.js";
import { count } from "./print.js";

/** The ledger as a table under a heading; nothing where nothing was asked. */
export function ledgerTable({ calls, total }, heading = "Spent") {
  if (!calls.length) return "";
  const models = new Set(calls.map(({ model }) => model));
  const name = ({ stage, model }) => stage.replaceAll("_", " ") + (models.size > 1 && model ? `, ${model}` : "");
  const rows = [...calls.map((call) => [name(call), call]), ...(calls.length > 1 ? [["together", total]] : [])];
  return `${heading}\n${table(["", "requests", "sent", "received", "cached", "again", "seconds"], rows.map(([first, row]) => [
    first, ...["requests", "prompt_tokens", "completion_tokens", "cached", "retried"].map((key) => number(row[key])), row.seconds.toFixed(1),
  ]))}${guessed(total)}`;
}

const guessed = ({ estimated }) => (estimated ? `\n  ${count(estimated, "request")} of unknown cost: our estimate` : "");

/** Lines of cells under heads, the first to the left, the others to the right. */
export function table(heads, rows) {
  const all = [heads, ...rows];
  const widths = heads.map((_, at) => Math.max(...all.map((row) => row[at].length)));
  const line = (row) => `  ${row.map((cell, at) => (at ? cell.padStart(widths[at]) : cell.padEnd(widths[at]))).join("  ")}`.trimEnd();
  return all.map(line).join("\n");
}

const number = (n) => n.toLocaleString("en");

/** What a failed piece of work had spent, as a part of its message; nothing where it spent nothing. */
export function spent(error) {
  const { total } = new Ledger().add(error?.details?.calls).document;
  const tokens = total.prompt_tokens + total.completion_tokens;
  return total.requests ? `${count(tokens, "token")} were spent in ${count(total.requests, "request")}` : "";
}
