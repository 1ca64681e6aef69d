// Books: which index each question is asked of. One index is asked all; of a folder each question names its own.

import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";

import { PlotbridgeError } from "../../src/errors.js";

/** `[{ name, index, numbers }]`, each book once, in the order of the questions. */
export async function booksOf(place, listed) {
  const numbers = listed.map(({ number }) => number);
  if (!(await stat(place).catch(() => undefined))?.isDirectory()) return [{ name: "", index: place, numbers }];
  const books = new Map();
  for (const { number, id, book } of listed) {
    if (!books.has(book)) books.set(book, { name: book, index: indexOf(place, { id, book }), numbers: [] });
    books.get(book).numbers.push(number);
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
