// What an evaluation has so far: kept in a file when it ends early, found again by the same command.
//
// The file's name is a digest of what is asked (questions, runs, models, place), so another command finds
// nothing; rows of a book are taken only from the same index, byte for byte. When the evaluation is whole,
// the file goes.

import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";

import { PlotbridgeError } from "../../src/errors.js";
import { checkOutput, writeWhole } from "../files.js";
import { count } from "../print.js";

const FORMAT = "plotbridge-eval-part";

export const digestOf = (data) => createHash("sha256").update(data).digest("hex");

export class Kept {
  #file;
  /** By book: `{ digest, rows: { run: [row] } }`. */
  #books;
  #found;

  constructor(file, books) {
    this.#file = file;
    this.#books = books;
    this.#found = this.count();
  }

  /** What an earlier run of the same command left, or nothing yet. `asked` is all that makes it the same. */
  static async of(asked) {
    const file = `plotbridge-eval-${digestOf(JSON.stringify(asked)).slice(0, 12)}.part.json`;
    const text = await readFile(file, "utf8").catch(() => undefined);
    return new Kept(file, text === undefined ? Object.create(null) : booksIn(text, file));
  }

  /** How many rows there are. */
  count() {
    return Object.values(this.#books).flatMap(({ rows }) => Object.values(rows)).reduce((sum, list) => sum + list.length, 0);
  }

  /** The line that says what was found again; empty where nothing was. */
  get greeting() {
    return this.#found ? `${count(this.#found, "answer")} found again in ${this.#file}` : "";
  }

  /** The rows of a book and a run, to be added to; none where they were of another index. */
  rows(book, digest, run) {
    if (this.#books[book]?.digest !== digest) this.#books[book] = { digest, rows: {} };
    return (this.#books[book].rows[run] ??= []);
  }

  /** Lets go of what a run has of all books. */
  forget(run) {
    for (const { rows } of Object.values(this.#books)) delete rows[run];
  }

  /** Writes what there is; gives the sentence that says how to go on, also where it cannot be written. */
  async save() {
    if (this.count() === 0) return "nothing was answered yet";
    const document = { format: FORMAT, version: 1, books: this.#books };
    try {
      await writeWhole(await checkOutput(this.#file, "-"), `${JSON.stringify(document)}\n`, new AbortController().signal);
    } catch (thrown) {
      return `the answers so far are lost, since ${thrown.message}`;
    }
    return `${count(this.count(), "answer")} so far are kept in ${this.#file}, and the same command goes on from there`;
  }

  /** The evaluation is whole. */
  async done() {
    if (this.#found) await rm(this.#file, { force: true });
  }
}

function booksIn(text, file) {
  try {
    const { format, version, books } = JSON.parse(text);
    const right = format === FORMAT && version === 1 && Object.values(books).every(isBook);
    if (right) return Object.assign(Object.create(null), books);
  } catch {
    // Said below.
  }
  throw new PlotbridgeError("unreadable", `${file} is not what an evaluation leaves: delete it to begin anew`);
}

/** Whether it is what is kept of a book: rows of each run, made from an index of a digest. */
function isBook(book) {
  const isRow = (row) => typeof row?.id === "string" && typeof row.scores === "object";
  return typeof book.digest === "string" && Object.values(book.rows).every((rows) => rows.every(isRow));
}
