// Books: which index each question is asked of. One index is asked all; of a folder each question names its own.

import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";

import { PlotbridgeError } from "../../src/errors.js";
import { count } from "../print.js";

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

/** An issue where questions that name their book are asked of one index that bears another name. */
export function otherBooks({ name, index }, title, listed) {
  if (name) return [];
  const known = [path.basename(index).replace(/(\.plot)?\.json$/i, ""), title].map(bare).filter(Boolean);
  const same = (book) => known.some((one) => one.includes(bare(book)) || bare(book).includes(one));
  const strange = listed.filter(({ book }) => book && !same(book));
  if (!strange.length) return [];
  const message = `${count(strange.length, "question")} of the file ${strange.length === 1 ? "names" : "name"} another book, such as ${JSON.stringify(strange[0].book)}, and ${strange.length === 1 ? "was" : "were"} asked of ${JSON.stringify(title || index)}`;
  return [{ code: "book_other", message }];
}

const bare = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
