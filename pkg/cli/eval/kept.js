// What an evaluation has so far: each answer is a line of a file as soon as it is sure, so that nothing is lost
// however the evaluation ends; the same command finds the file and goes on.
//
// The file's name is a digest of what is asked (questions, runs, models, judge, place), so another command finds
// nothing; rows of a book are taken only from the same index, byte for byte. A line that was being written when
// the program was killed is passed over. When the evaluation is whole, the file goes.

import { createHash } from "node:crypto";
import { appendFileSync, rmSync, truncateSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { PlotbridgeError } from "../../src/errors.js";
import { checkOutput } from "../files.js";
import { count } from "../print.js";

const HEAD = { format: "plotbridge-eval-part", version: 2 };

export const digestOf = (data) => createHash("sha256").update(data).digest("hex");

export class Kept {
  #file;
  /** By book: `{ digest, rows: { run: [row] } }`. */
  #books = Object.create(null);
  #found = 0;
  /** Whether the file has its first line, and why it cannot be written. */
  #begun = false;
  #fault;

  /** What an earlier run of the same command left, or nothing yet. `asked` is all that makes it the same. */
  static async of(asked) {
    const kept = new Kept();
    kept.#file = `plotbridge-eval-${digestOf(JSON.stringify(asked)).slice(0, 12)}.part.jsonl`;
    await checkOutput(kept.#file, "-").catch((fault) => (kept.#fault = fault));
    const text = await readFile(kept.#file, "utf8").catch(() => "");
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    kept.#read(whole);
    // What is added must not stand on a line that was cut.
    if (whole.length < text.length && !kept.#fault) truncateSync(kept.#file, Buffer.byteLength(whole));
    return kept;
  }

  #read(text) {
    const lines = text.split("\n").filter(Boolean);
    try {
      const [head, ...rest] = lines.map((line) => JSON.parse(line));
      if (head && (head.format !== HEAD.format || head.version !== HEAD.version)) throw new Error("another format");
      rest.forEach((line) => this.#take(line));
    } catch (cause) {
      throw new PlotbridgeError("unreadable", `${this.#file} is not what an evaluation leaves: delete it to begin anew`, { cause });
    }
    this.#begun = lines.length > 0;
    this.#found = this.count();
  }

  /** A row, or a run that was forgotten. */
  #take({ forget, book, digest, run, row }) {
    if (typeof forget === "string") return this.#drop(forget);
    const isRow = typeof row?.id === "string" && typeof row.number === "number" && typeof row.scores === "object";
    if (!isRow || ![book, digest, run].every((name) => typeof name === "string")) throw new Error("no row");
    const rows = this.rows(book, digest, run);
    // The same command twice at one time leaves a row twice.
    if (!rows.some(({ number }) => number === row.number)) rows.push(row);
  }

  #drop(run) {
    for (const { rows } of Object.values(this.#books)) delete rows[run];
  }

  /** How many rows there are. */
  count() {
    return Object.values(this.#books).flatMap(({ rows }) => Object.values(rows)).reduce((sum, list) => sum + list.length, 0);
  }

  /** The line that says what was found again; empty where nothing was. */
  get greeting() {
    return this.#found ? `${count(this.#found, "answer")} found again in ${this.#file}` : "";
  }

  /** The rows of a book and a run so far; none where they were of another index. */
  rows(book, digest, run) {
    if (this.#books[book]?.digest !== digest) this.#books[book] = { digest, rows: Object.create(null) };
    return (this.#books[book].rows[run] ??= []);
  }

  /** A row more, here and in the file. */
  add(book, digest, run, row) {
    this.rows(book, digest, run).push(row);
    this.#append({ book, digest, run, row });
  }

  /** Lets go of what a run has of all books. */
  forget(run) {
    this.#drop(run);
    this.#append({ forget: run });
  }

  /** One write for each line; where none can be written, the evaluation goes on without. */
  #append(line) {
    if (this.#fault) return;
    const lines = [...(this.#begun ? [] : [HEAD]), line];
    try {
      appendFileSync(this.#file, lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
      this.#begun = true;
    } catch (cause) {
      this.#fault = new PlotbridgeError("storage", `${this.#file} cannot be written: ${cause.message}`, { cause });
    }
  }

  /** What is kept, and how to go on. */
  told() {
    if (this.count() === 0) {
      this.done();
      return "nothing was answered yet";
    }
    if (this.#fault) return `the answers so far are lost, since ${this.#fault.message}`;
    return `${count(this.count(), "answer")} so far ${this.count() === 1 ? "is" : "are"} kept in ${this.#file}, and the same command goes on from there`;
  }

  /** The evaluation is whole, or has nothing to keep. */
  done() {
    if (this.#begun) rmSync(this.#file, { force: true });
  }
}
