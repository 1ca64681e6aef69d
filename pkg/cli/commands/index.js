// plotbridge index: a book into an index file.

import { existsSync, statSync } from "node:fs";
import path from "node:path";

import { callsOf, PlotbridgeError } from "../../src/errors.js";
import { forgetReplies, keptReplies } from "../../src/replies-file.js";
import { Account } from "../account.js";
import { coverageLine } from "../coverage.js";
import { checkOutput, loadPackage, readBook, readChapters, readMerges, writeWhole } from "../files.js";
import { ledgerTable } from "../ledger.js";
import { asking, LIMIT_FLAGS, limitsOf, MODEL_FLAGS, modelsOf } from "../models.js";
import { byline, count, fields, issues, output, sections, size } from "../print.js";
import { progressOn } from "../progress.js";

export const name = "index";
export const takes = ["FILE"];
export const needs = "-o OUT.plot.json";
export const flags = ["output", "offline", "concurrency", "fresh", "budget-tokens", ...LIMIT_FLAGS, "encoding", "title", "chapters", "merges", "set", ...MODEL_FLAGS];
/** When its tunables are set. */
export const sets = "index";
export const summary = "read a book and write its index";
export const about =
  "Reads a plain-text book and writes its index, one JSON file that any static host can serve. FILE is a path or - for stdin; it is recognised by its content. A chat endpoint reads the book where one is configured, and rules where not; an embedding endpoint's vectors stand beside the built-in ones. What they reply is kept beside the index, in OUT.plot.json.replies: a run that was broken off, or one with other settings, goes on from there and asks for nothing twice; delete the file when you need it no more. FILE may be an index too: then the models read what none has read yet, such as what a content filter withheld. No address and no key is written to the index.";
export const example = "plotbridge index novel.txt -o novel.plot.json";

export async function run({ positionals: [file], flags, signal }) {
  if (!flags.output) throw new PlotbridgeError("usage", "where to? -o OUT.plot.json is missing");
  const place = await checkOutput(flags.output, file);
  const models = flags.offline ? {} : modelsOf(flags);
  const merges = flags.merges === undefined ? undefined : await readMerges(flags.merges, signal);
  const chapters = flags.chapters === undefined ? undefined : await readChapters(flags.chapters, signal);
  const { Book } = await loadPackage();
  const replies = Object.keys(models).length ? `${place.path}.replies` : undefined;
  if (replies && flags.fresh) await forget(replies);
  const account = replies && await Account.beside(place.path, file, flags.fresh || (existsSync(place.path) && !sizeOf(replies)));
  const started = performance.now();
  const { book, bytes, tokens } = await asking(models, () => lost(replies), () => build(Book, file, flags, { models, merges, chapters, resume: replies, account, signal }));
  const { ledger, coverage } = book;
  try {
    await writeWhole(place, bytes, signal);
  } finally {
    await account?.enter(ledger.calls);
  }
  const inspected = await book.inspect();
  const seconds = Math.round(performance.now() - started) / 1e3;
  const lasting = sizeOf(replies) && !book.info.issues.some(({ code }) => code === "store_memory");
  const kept = lasting ? `${flags.output}.replies` : null;
  const document = { index: flags.output, bytes: bytes.length, seconds, tokens, replies: kept, ledger, coverage, ...book.info };
  output(flags.json, document, () => people(document, inspected, bytes, models, sizeOf(replies)));
  book.close();
}

/** Said of an endpoint's failure and of Ctrl-C: how to go on. */
async function lost(replies) {
  const [kept] = replies ? await keptReplies(replies) : [];
  const how = kept?.replies
    ? `${count(kept.replies, "reply", "replies")} ${kept.replies === 1 ? "is" : "are"} kept in ${replies}: the same command goes on from there, and asks for nothing twice`
    : "nothing was replied yet that could be kept";
  return `no index was written; ${how}; --offline indexes without an endpoint`;
}

/** Bytes of a file; 0 where there is none. */
const sizeOf = (file) => (file && statSync(file, { throwIfNoEntry: false })?.size) || 0;

async function forget(replies) {
  try {
    await forgetReplies(replies);
  } catch (cause) {
    throw new PlotbridgeError("storage", `${replies} is not deleted, as --fresh wants it: ${cause.message}`, { cause });
  }
}

async function build(Book, file, flags, { models, merges, chapters, resume, account, signal }) {
  const { encoding, title, set, concurrency } = flags;
  const progress = progressOn();
  let tokens = 0;
  let book;
  const onProgress = (heard) => {
    tokens = Math.max(tokens, heard.tokens ?? 0);
    progress.hear(heard);
  };
  try {
    book = await Book.build(await readBook(file, signal, { again: Boolean(models.chat || models.embed || merges) }), {
      name: file === "-" ? undefined : path.basename(file),
      encoding,
      title,
      chapters,
      config: set,
      models,
      extraction: models.chat ? "llm" : "offline",
      concurrency,
      merges,
      limits: limitsOf(flags),
      budgetTokens: flags["budget-tokens"],
      resume,
      signal,
      onProgress,
    });
    return { book, tokens, bytes: new Uint8Array(await (await book.save()).arrayBuffer()) };
  } catch (thrown) {
    // What it cost is written down, and told; where that fails, why the build failed counts more.
    const calls = book?.ledger.calls ?? (await callsOf(thrown));
    if (thrown instanceof PlotbridgeError && calls.length) thrown.details.calls = calls;
    await account?.enter(calls)?.catch(() => {});
    throw thrown;
  } finally {
    progress.end();
  }
}

function people(document, { entities }, file, models, kept) {
  const { index, bytes, seconds, tokens, title, author, text_length, chapters, counts, replies, ledger, issues: list } = document;
  const persons = entities.filter(({ type }) => type === "person").sort((a, b) => b.mentions - a.mentions);
  const names = persons.slice(0, 8).map((person) => person.name);
  const cast = persons.length ? `${persons.length.toLocaleString("en")}: ${names.join(", ")}${persons.length > names.length ? ", …" : ""}` : "none found";
  const facts = fields([
    ["text", `${count(text_length, "character")}, ${count(chapters.length, "chapter")}, ${count(counts.chunks, "chunk")}`],
    ["coverage", coverageOf(file, text_length)],
    ["persons", cast],
    ["plot", `${count(counts.events, "event")} in ${count(counts.clusters, "cluster")}, ${count(counts.relations, "relation")}`],
    ...modelLines(models, tokens),
    ...(models.chat ? readLines(document) : []),
    ["index", `${index}, ${size(bytes)}, in ${seconds.toFixed(1)} s`],
    ...(replies ? [["replies", `kept in ${replies}, ${size(kept)}: the next run asks only for what is new`]] : []),
  ]);
  return sections(`${byline(title, author)}\n${facts}`, ledgerTable(ledger), issues(list));
}

/** How much the chat model read, what of it was left out, and whether one name holds everything. */
function readLines({ coverage: { chunks, read, unread, ungrounded }, top_hub: hub }) {
  const why = new Map();
  for (const { code } of unread) why.set(code, (why.get(code) ?? 0) + 1);
  const reasons = [...why].map(([code, times]) => `${code} ${times}`).join(", ");
  const { entities, triples, events } = ungrounded;
  const dropped = `${count(entities, "name")}, ${count(triples, "triple")} and ${count(events, "event")} that do not stand in their chunk`;
  return [
    ["read", `${read.toLocaleString("en")} of ${count(chunks, "chunk")}${reasons && `; not answered: ${reasons}`}`],
    ...(entities + triples + events ? [["left out", dropped]] : []),
    ...(hub ? [["most tied", `${hub.name}, in ${Math.round(100 * hub.share)} % of the relations`]] : []),
  ];
}

/** Who read and who embedded, and for how many tokens; nothing without an endpoint. */
function modelLines({ chat, embed }, tokens) {
  const who = [chat && `read by ${chat.model}`, embed && `embedded by ${embed.model}`].filter(Boolean);
  return who.length ? [["models", `${who.join(", ")}, ${count(tokens, "token")}`]] : [];
}

/** The index file itself says what is searched: a text with little of it in chunks was read wrongly. */
function coverageOf(file, length) {
  const { chunks, skips } = JSON.parse(new TextDecoder().decode(file));
  return coverageLine(length, chunks.map(([start, end]) => ({ start, end })), skips);
}
