// plotbridge chunks: how a book is cut, and what is left out of the story.

import path from "node:path";

import { coverage } from "../coverage.js";
import { loadPackage, readBook, readChapters } from "../files.js";
import { byline, count, fields, issues, output, sections, shorten } from "../print.js";

export const name = "chunks";
export const takes = ["FILE"];
export const flags = ["encoding", "title", "chapters", "set"];
/** When its tunables are set. */
export const sets = "index";
export const summary = "show how a book is cut";
export const about =
  "Shows the chapters of a book, the chunks it is cut into and the parts that are not taken for story; chunks and skipped parts together are the whole text, and their shares of it are shown. FILE is a path or - for stdin.";
export const example = "plotbridge chunks novel.txt --json | head -c 2000";

export async function run({ positionals: [file], flags, signal }) {
  const { engineModule } = await loadPackage();
  const options = {
    ...(file !== "-" && { name: path.basename(file) }),
    ...(flags.encoding && { encoding: flags.encoding }),
    ...(flags.title && { title: flags.title }),
    ...(flags.chapters && { chapters: await readChapters(flags.chapters, signal) }),
    ...(flags.set && { config: flags.set }),
  };
  const document = await engineModule().chunks(await readBook(file, signal), options, signal);
  output(flags.json, document, () => people(document));
}

function people({ title, author, language, text_length, chapters, chunks, skips, issues: list }) {
  const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  const facts = fields([
    ["text", `${count(text_length, "character")}, language ${language}${/^en\b/.test(language) ? "" : " (the rules are made for English)"}`],
    ...coverage(text_length, chunks, skips),
    ["chunks", `${count(Math.round(tokens / Math.max(1, chunks.length)), "token")} each on average`],
  ]);
  const skipped = skips.map(({ start, end, reason }) => `  ${`${start}–${end}`.padEnd(16)}${reason.replaceAll("_", " ")}`);
  return sections(
    `${byline(title, author)}\n${facts}`,
    `Chapters\n${chapters.map((chapter, at) => chapterLine(chapter, at + 1, chunks)).join("\n")}`,
    `Not taken for story\n${skipped.join("\n") || "  nothing"}`,
    issues(list),
  );
}

function chapterLine({ title, start, end }, number, chunks) {
  const inside = chunks.filter((chunk) => chunk.start >= start && chunk.start < end).length;
  return `  ${String(number).padStart(3)}  ${shorten(title, 44).padEnd(46)}${count(inside, "chunk")}`;
}
