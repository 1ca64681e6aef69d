// plotbridge eval: how good the answers are, over questions whose answers and places are known.
//
// Each run (a method, PonsRAG without a part or with one value of a sweep, the closed book) asks each book
// its questions; the rows of all books together give its figures. The engine scores, averages and compares;
// here are files, order and what is written.

import { PlotbridgeError } from "../../src/errors.js";
import { Ledger } from "../../src/ledger.js";
import { booksOf, otherBooks } from "../eval/books.js";
import { document as documentOf } from "../eval/document.js";
import { digestOf, Kept } from "../eval/kept.js";
import { people } from "../eval/people.js";
import { report } from "../eval/report.js";
import { described, runsOf } from "../eval/runs.js";
import { spend } from "../eval/spend.js";
import { checkOutput, loadPackage, openEngine, readInput, writeWhole } from "../files.js";
import { asking, JUDGE_FLAGS, judgeOf, LIMIT_FLAGS, limitsOf, MODEL_FLAGS, modelsOf } from "../models.js";
import { output } from "../print.js";
import { progressOn } from "../progress.js";

export const name = "eval";
export const takes = ["INDEX|DIR", "QUESTIONS.jsonl"];
export const flags = ["method", "ablate", "sweep", "table", "limit", "html", "rows", "judge", ...JUDGE_FLAGS, "steps", "context-tokens", "budget-tokens", ...LIMIT_FLAGS, "set", ...MODEL_FLAGS];
/** What differs from the flag in other commands. */
export const words = { method: { arg: "M,M", help: "pons, coda, hippo, light, dense, bm25 or several of them (default all; with --table pons)" } };
export const summary = "score the methods on questions with known answers";
export const about =
  "Asks every question of a file with each method and scores answers, choices and passages, with 95 % intervals, and says which differences from the first method lie outside of theirs. A line is a JSON object with question and, where they are known, answers, choices with label, evidence as [{start, end}] in Unicode code points, type (char, plot or mix), and for claims to judge true or false label and pair. With DIR, a question's book names DIR/<book>.plot.json. Results of an ablation or a sweep stand under pons:no-match, coda:no-merge, pons:KEY=VALUE; sweeps are of PonsRAG, or of CodaRAG where --method names it without the other. With a chat endpoint its answers are scored, and the row closed-book tells what the model knows without the book; without, the book's own sentences are (generator none). With --judge a chat model judges answers and contexts as GraphRAG-Bench does; answer, question_type and evidence in words are read as its questions have them. What was answered is kept however the command ends, and the same command goes on from there.";
export const example = "plotbridge eval novel.plot.json questions.jsonl --table 3 --html report.html";

const METHODS = "pons,coda,hippo,light,dense,bm25";

export async function run({ positionals: [place, file], flags, signal }) {
  const models = modelsOf(flags);
  const judge = judging(flags, models);
  const module = (await loadPackage()).engineModule();
  const text = await readText(file, signal);
  const questions = module.Questions.parse(text, flags.limit);
  const listed = questions.list();
  const books = await booksOf(place, listed);
  const runs = runsOf(flags, models, METHODS, judge);
  // Before the first runs: a wrong option of the last, or a report that cannot be written, must not wait for it.
  for (const { options } of runs) module.Engine.checkOptions(options, models);
  const [html, lines] = [await placeOf(flags.html, file), await placeOf(flags.rows, file)];
  const kept = await Kept.of([module.version(), text, place, flags.limit, runs.map(described), flags["context-tokens"], flags.steps, namesOf({ ...models, judge: judge?.endpoint })]);
  const spending = { limits: limitsOf(flags), budgetTokens: flags["budget-tokens"], ledger: new Ledger() };
  const asked = judge?.endpoint ? { ...models, judge: judge.endpoint } : models;
  const found = await asking(asked, "", () => askAll({ books, questions, listed, runs, models: asked, spending, kept, signal }));
  const document = documentOf({ ...found, ledger: spending.ledger.document, module, listed, books, runs, models, judge, table: flags.table, contextTokens: flags["context-tokens"], steps: flags.steps });
  if (html) await writeWhole(html, report(document), signal);
  if (lines) await writeWhole(lines, rowLines(runs), signal);
  kept.done();
  output(flags.json, document, () => people(document));
}

/** Who judges, where someone is to: `{ endpoint? }`, without one the chat model. */
function judging(flags, models) {
  const wanted = flags.judge || JUDGE_FLAGS.some((name) => flags[name] !== undefined);
  return wanted ? { endpoint: judgeOf(flags, models) ?? models.chat } : undefined;
}

const namesOf = (models) => Object.entries(models).filter(([, model]) => model).map(([part, { url, model }]) => [part, model, digestOf(url)]);

const placeOf = (target, questions) => (target === undefined ? undefined : checkOutput(target, questions));

const rowLines = (runs) => runs.flatMap(({ name, rows }) => rows.map((row) => `${JSON.stringify({ run: name, ...row })}\n`)).join("");

async function readText(file, signal) {
  const bytes = await readInput(file, signal);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new PlotbridgeError("encoding", `${file} is not UTF-8`, { cause });
  }
}

/** Gives each run the rows of all books; gives `{ sizes, strays }` of their indexes. What fails says what is kept. */
async function askAll({ books, questions, listed, runs, models, spending, kept, signal }) {
  const progress = progressOn();
  const found = { sizes: [], strays: [] };
  if (kept.greeting) process.stderr.write(`${kept.greeting}\n`);
  for (const run of runs) run.rows = [];
  try {
    for (const book of books) {
      const { engine, digest } = await openEngine(book.index, signal);
      found.sizes.push(engine.indexTokens());
      found.strays.push(...otherBooks(book, engine.info().title, listed), ...[engine.strays(questions.only(book.numbers))].filter(Boolean));
      for (const run of runs) {
        run.lacking ||= engine.lacking(run.options);
        if (run.lacking) continue;
        const rows = kept.rows(book.name, digest, run.name);
        const [before, known] = [run.rows.length, new Set(rows.map(({ number }) => number))];
        const open = book.numbers.filter((number) => !known.has(number));
        const hear = ({ done, waiting }) => progress.hear({ stage: run.name, done: before + known.size + done, total: listed.length, waiting });
        const keep = (row) => kept.add(book.name, digest, run.name, row);
        await spend(spending, models, (asked) => engine.evaluate(questions.only(open), run.options, asked, signal, hear, keep));
        run.rows.push(...rows);
      }
      engine.free();
    }
    const silent = runs.filter(({ rows }) => rows.length && rows.every(atEndpoint));
    if (silent.length) throw noneAnswered(silent, kept);
    return found;
  } catch (thrown) {
    throw told(thrown, kept, signal);
  } finally {
    progress.end();
  }
}

const atEndpoint = ({ failure }) => /^endpoint_/.test(failure?.code);

/** Runs without one answer have no figures: what failed is the endpoint, not the questions. */
function noneAnswered(runs, kept) {
  for (const { name } of runs) kept.forget(name);
  const [{ failure }] = runs[0].rows;
  return new PlotbridgeError(failure.code, failure.message);
}

/** The error with what is kept, where the same command may fare better later. */
function told(thrown, kept, signal) {
  const mayGoOn = thrown?.retryable || signal.aborted || /^(endpoint_|budget$|vector_invalid$)/.test(thrown?.code);
  // A question file that has to be changed makes another command: what is kept of this one serves nobody.
  if (thrown?.code === "usage") kept.done();
  if (!mayGoOn || thrown.code === "crashed") return thrown;
  return new PlotbridgeError(thrown.code, `${thrown.message}; ${kept.told()}`, { details: thrown.details, cause: thrown });
}
