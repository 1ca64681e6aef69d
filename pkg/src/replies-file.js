// A shelf of replies in a file, in Node: a log that only grows, one reply a line.
//
//   plotbridge-replies 1
//   CHECK ["key","value"]
//
// CHECK is the beginning of the SHA-256 of the rest of the line. A line that a killed process left half
// written, or that was damaged, is not read: that reply is asked for again, and nothing else is lost. The
// file is made with the first reply, and a file that is none of ours is left alone.

import { createHash } from "node:crypto";
import { open, readFile, rm, stat } from "node:fs/promises";

import { Replies } from "./replies.js";

const HEAD = "plotbridge-replies 1";

/** The replies that the file of a path holds, and is to hold. */
export const openReplies = (path) => Replies.on(() => Shelf.open(path), path);

/** What the file of a path holds: `[{ name, replies, bytes }]`; nothing where there is no file of replies. */
export async function keptReplies(name) {
  const lines = name === undefined ? undefined : await linesOf(name).catch(() => undefined);
  const keys = new Set((lines ?? []).slice(1).map(read).filter(Boolean).map(([key]) => key));
  return lines ? [{ name, replies: keys.size, bytes: (await stat(name)).size }] : [];
}

/** Deletes the file, if it is one of replies. */
export async function forgetReplies(path) {
  if (await linesOf(path)) await rm(path, { force: true });
}

class Shelf {
  #path;
  #kept = new Map();
  #file;
  #begun; // whether the file has its head
  #torn; // whether it ends within a line
  #last = Promise.resolve();

  static async open(path) {
    const shelf = new Shelf();
    shelf.#path = path;
    const lines = (await linesOf(path)) ?? [];
    shelf.#begun = lines.length > 1;
    shelf.#torn = shelf.#begun && lines.at(-1) !== "";
    for (const line of lines.slice(1)) {
      const entry = read(line);
      if (entry) shelf.#kept.set(...entry);
    }
    return shelf;
  }

  async get(key) {
    return this.#kept.get(key);
  }

  /** Writes in the order of the calls; each line is on the disk before its call resolves. */
  put(key, value) {
    const written = this.#last.then(() => this.#write(JSON.stringify([key, value])));
    this.#last = written.catch(() => {});
    return written.then(() => void this.#kept.set(key, value));
  }

  async #write(entry) {
    // What a killed process left of a head is begun again.
    this.#file ??= await open(this.#path, this.#begun ? "a" : "w");
    const before = this.#begun ? (this.#torn ? "\n" : "") : `${HEAD}\n`;
    [this.#begun, this.#torn] = [true, true];
    await this.#file.appendFile(`${before}${check(entry)} ${entry}\n`);
    this.#torn = false;
    await this.#file.datasync();
  }

  async close() {
    await this.#last;
    await this.#file?.close();
  }
}

/** The lines of a file of replies: one where its head is not whole, undefined where there is no file. */
async function linesOf(path) {
  // A pipe would be waited for without an end.
  if ((await stat(path).catch(() => undefined))?.isFile() === false) throw new Error("there is something that is no file");
  const text = await readFile(path, "utf8").catch((cause) => {
    if (cause.code !== "ENOENT") throw cause;
  });
  if (text === undefined) return undefined;
  if (`${HEAD}\n`.startsWith(text)) return [text.trimEnd()];
  if (!text.startsWith(`${HEAD}\n`)) throw new Error("there is a file that holds something else");
  return text.split("\n");
}

function read(line) {
  const entry = line.slice(17);
  if (!entry || line.slice(0, 17) !== `${check(entry)} `) return undefined;
  const pair = JSON.parse(entry);
  return Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === "string") ? pair : undefined;
}

const check = (entry) => createHash("sha256").update(entry).digest("hex").slice(0, 16);
