// plotbridge index: a book into an index file.

import path from "node:path";

import { PlotbridgeError } from "../../src/errors.js";
import { coverageLine } from "../coverage.js";
import { checkOutput, loadPackage, readBook, writeWhole } from "../files.js";
import { byline, count, fields, issues, output, sections, size } from "../print.js";
import { progressOn } from "../progress.js";

export const name = "index";
export const takes = ["FILE"];
export const needs = "-o OUT.plot.json";
export const flags = ["output", "offline", "encoding", "title", "set"];
export const summary = "read a book and write its index";
export const about =
  "Reads a plain-text book and writes its index, one JSON file that any static host can serve. FILE is a path or - for stdin; it is recognised by its content.";
export const example = "plotbridge index novel.txt -o novel.plot.json";

export async function run({ positionals: [file], flags, signal }) {
  if (!flags.output) throw new PlotbridgeError("usage", "where to? -o OUT.plot.json is missing");
  const place = await checkOutput(flags.output, file);
  const { Book } = await loadPackage();
  const started = performance.now();
  const { book, bytes } = await build(Book, file, flags, signal);
  const inspected = await book.inspect();
  await writeWhole(place, bytes, signal);
  const seconds = Math.round(performance.now() - started) / 1e3;
  const document = { index: flags.output, bytes: bytes.length, seconds, ...book.info };
  output(flags.json, document, () => people(document, inspected, bytes));
  book.close();
}

async function build(Book, file, { encoding, title, set }, signal) {
  const progress = progressOn();
  try {
    const book = await Book.build(await readBook(file, signal), {
      name: file === "-" ? undefined : path.basename(file),
      encoding,
      title,
      config: set,
      signal,
      onProgress: progress.hear,
    });
    return { book, bytes: new Uint8Array(await (await book.save()).arrayBuffer()) };
  } finally {
    progress.end();
  }
}

function people({ index, bytes, seconds, title, author, text_length, chapters, counts, issues: list }, { entities }, file) {
  const persons = entities.filter(({ type }) => type === "person").sort((a, b) => b.mentions - a.mentions);
  const names = persons.slice(0, 8).map((person) => person.name);
  const cast = persons.length ? `${persons.length.toLocaleString("en")}: ${names.join(", ")}${persons.length > names.length ? ", …" : ""}` : "none found";
  const facts = fields([
    ["text", `${count(text_length, "character")}, ${count(chapters.length, "chapter")}, ${count(counts.chunks, "chunk")}`],
    ["coverage", coverageOf(file, text_length)],
    ["persons", cast],
    ["plot", `${count(counts.events, "event")} in ${count(counts.clusters, "cluster")}, ${count(counts.relations, "relation")}`],
    ["index", `${index}, ${size(bytes)}, in ${seconds.toFixed(1)} s`],
  ]);
  return sections(`${byline(title, author)}\n${facts}`, issues(list));
}

/** The index file itself says what is searched: a text with little of it in chunks was read wrongly. */
function coverageOf(file, length) {
  const { chunks, skips } = JSON.parse(new TextDecoder().decode(file));
  return coverageLine(length, chunks.map(([start, end]) => ({ start, end })), skips);
}
