// plotbridge ask: an answer, the plotline behind it and its exact places in the book.

import { openIndex } from "../files.js";
import { passages, plotline } from "../plotline.js";
import { chapterName, issues, output, sections, shorten, wrap } from "../print.js";

export const name = "ask";
export const takes = ["INDEX", "QUESTION"];
export const flags = ["method", "steps", "choices", "up-to", "context-tokens", "set"];
export const summary = "answer a question from the book";
export const about =
  "Answers a question with the sentence of the book that fits best, the plotline behind it and the passages it rests on. INDEX is a path, an http address or - for stdin.";
export const example = 'plotbridge ask novel.plot.json "Who raised the girl?" --choices "her aunt|the weaver"';

export async function run({ positionals: [index, question], flags, signal }) {
  const book = await openIndex(index, signal);
  const answer = await book.ask(question, {
    method: flags.method,
    steps: flags.steps,
    choices: flags.choices,
    upTo: flags["up-to"],
    contextTokens: flags["context-tokens"],
    config: flags.set,
    signal,
  });
  output(flags.json, documentOf(answer), () => people(answer, book.info.chapters));
  book.close();
}

/** The `ask` document: the trace's keys, with the answer, what it cost and all issues. */
function documentOf({ trace, usage, issues: list, ...answer }) {
  return { ...trace, issues: list, answer: pick(answer, ["text", "choice", "confidence", "citations"]), usage };
}

const pick = (object, names) => Object.fromEntries(names.filter((name) => name in object).map((name) => [name, object[name]]));

function people({ text, choice, confidence, citations, issues: list, trace }, chapters) {
  const said = [wrap(text, 2), ...citations.map((citation) => citationLine(citation, text, chapters))];
  const chosen = choice !== undefined && `Choice\n${wrap(`${choice} (confidence ${confidence.toFixed(2)})`, 2)}`;
  return sections(`Answer\n${said.join("\n")}`, chosen, plotline(trace, chapters), passages(trace, chapters), issues(list));
}

/** The place, and the quotation where it is not the answer itself. */
function citationLine({ start, end, quote, chapter }, answer, chapters) {
  const said = quote.split(/\s+/).join(" ") === answer ? "" : ` ${shorten(quote, 160)}`;
  return wrap(`[${chapterName(chapters, chapter)}, ${start}–${end}]${said}`, 4);
}
