// plotbridge eval: how good the answers are, over questions whose answers and places are known.
//
// Each run (a method, or PonsRAG with one value of a sweep) asks each book its questions; the rows of
// all books together give its means. The engine scores and averages; here are files, order and print.

import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";

import { PlotbridgeError } from "../../src/errors.js";
import { loadPackage, openEngine, readInput } from "../files.js";
import { Ledger } from "../../src/ledger.js";
import { equipped } from "../../src/models.js";
import { ledgerTable } from "../ledger.js";
import { asking, LIMIT_FLAGS, limitsOf, MODEL_FLAGS, modelsOf } from "../models.js";
import { count, output, sections } from "../print.js";
import { progressOn } from "../progress.js";
import { failures, scores, sizes } from "../scores.js";

export const name = "eval";
export const takes = ["INDEX|DIR", "QUESTIONS.jsonl"];
export const flags = ["method", "limit", "context-tokens", "budget-tokens", ...LIMIT_FLAGS, "set", "sweep", ...MODEL_FLAGS];
/** What differs from the flag in other commands. */
export const words = { method: { arg: "M,M", help: "pons, hippo, dense, bm25 or several of them (default all)" } };
export const summary = "score the methods on questions with known answers";
export const about =
  "Asks every question of a file with each method and scores the answers, the choices and the passages, with 95 % intervals. A line is a JSON object with question and, where they are known, answers, choices with label, and evidence as [{start, end}] in Unicode code points. With DIR, a question's book names DIR/<book>.plot.json. Results of a sweep stand under pons:KEY=VALUE. With a chat endpoint its answers are scored; without, the book's own sentences (generator none).";
export const example = "plotbridge eval novel.plot.json questions.jsonl --method pons,bm25 --sweep k1=5,30";

const METHODS = "pons,hippo,dense,bm25";

export async function run({ positionals: [place, file], flags, signal }) {
  const models = modelsOf(flags);
  const { Engine, Questions, Rows } = (await loadPackage()).engineModule();
  const questions = Questions.parse(await readText(file, signal), flags.limit);
  const listed = questions.list();
  const books = await booksOf(place, questions, listed);
  const runs = runsOf(flags).map((one) => ({ ...one, rows: Rows.none() }));
  // Before the first runs: a wrong option of the last must not wait for it.
  for (const { options } of runs) Engine.checkOptions(options);
  const spending = { limits: limitsOf(flags), budgetTokens: flags["budget-tokens"], ledger: new Ledger() };
  await asking(models, LOST, () => askAll(books, runs, { models, spending }, listed.length, signal));
  const methods = Object.fromEntries(runs.map(({ name, rows }) => [name, rows.summary()]));
  const document = { questions: listed.length, generator: models.chat?.model ?? "none", methods, ledger: spending.ledger.document };
  output(flags.json, document, () => people(document, books.length));
}

const LOST = "the scores so far are not kept in this version";

async function readText(file, signal) {
  const bytes = await readInput(file, signal);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new PlotbridgeError("encoding", `${file} is not UTF-8`, { cause });
  }
}

/** `[{ name, options }]`: every method as it is, then PonsRAG with each value of the sweeps. */
function runsOf({ method = METHODS, set = {}, sweep = [], "context-tokens": contextTokens }) {
  const methods = [...new Set(method.split(",").map((one) => one.trim()))];
  if (sweep.length && !methods.includes("pons")) {
    throw new PlotbridgeError("usage", `--sweep is of pons, but --method is ${JSON.stringify(method)}`);
  }
  return [
    ...methods.map((one) => ({ name: one, options: { method: one, contextTokens, config: set } })),
    ...sweep.map(({ key, value }) => ({
      name: `pons:${key}=${value}`,
      options: { method: "pons", contextTokens, config: { ...set, [key]: value } },
    })),
  ];
}

/** `[{ index, questions, count }]`, each book once, in the order of the questions. */
async function booksOf(place, questions, listed) {
  if (!(await stat(place).catch(() => undefined))?.isDirectory()) return [{ index: place, questions, count: listed.length }];
  const books = new Map();
  for (const { id, book } of listed) {
    if (!books.has(book)) books.set(book, { index: indexOf(place, { id, book }), questions: questions.about(book ?? ""), count: 0 });
    books.get(book).count += 1;
  }
  return [...books.values()];
}

function indexOf(place, { id, book }) {
  if (!book) throw new PlotbridgeError("usage", `question ${JSON.stringify(id)} names no book, which it must with a folder of indexes`);
  const index = path.join(place, `${book}.plot.json`);
  if (path.relative(place, index).startsWith("..")) {
    throw new PlotbridgeError("usage", `the book ${JSON.stringify(book)} of question ${JSON.stringify(id)} is not in ${place}`);
  }
  if (!existsSync(index)) throw new PlotbridgeError("unreadable", `question ${JSON.stringify(id)} is about ${JSON.stringify(book)}, but there is no ${index}`);
  return index;
}

/** Asks within what is left of the budget, and enters what it cost, also where it fails. */
async function spend({ limits, budgetTokens, ledger }, models, work) {
  const { prompt_tokens: sent, completion_tokens: received } = ledger.document.total;
  const left = budgetTokens === undefined ? undefined : Math.max(0, budgetTokens - sent - received);
  try {
    const rows = await work(equipped(models, { limits, budgetTokens: left }));
    ledger.add(rows.calls());
    return rows;
  } catch (thrown) {
    const before = ledger.document.calls.map((call) => ({ ...call, ms: call.seconds * 1e3 }));
    if (thrown?.details) thrown.details.calls = [...before, ...(thrown.details.calls ?? [])];
    throw thrown;
  }
}

/** Gives each run the rows of all books. */
async function askAll(books, runs, { models, spending }, total, signal) {
  const progress = progressOn();
  let before = 0;
  try {
    for (const { index, questions, count: own } of books) {
      const engine = await openEngine(index, signal);
      for (const { name, options, rows } of runs) {
        const hear = ({ done, waiting }) => progress.hear({ stage: name, done: before + done, total, waiting });
        const some = await spend(spending, models, (asked) => engine.evaluate(questions, options, asked, signal, hear));
        rows.append(some);
      }
      engine.free();
      before += own;
    }
  } finally {
    progress.end();
  }
}

function people({ questions, generator, methods, ledger }, books) {
  const of = books > 1 ? ` about ${count(books, "book")}` : "";
  return sections(`${count(questions, "question")}${of}, generator ${generator}`, scores(methods), sizes(methods), failures(methods), ledgerTable(ledger));
}
