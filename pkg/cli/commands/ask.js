// plotbridge ask: an answer, the plotline behind it and its exact places in the book.

import { openIndex } from "../files.js";
import { ledgerTable } from "../ledger.js";
import { asking, cost, LIMIT_FLAGS, limitsOf, MODEL_FLAGS, modelsOf } from "../models.js";
import { found, passages, readTo } from "../plotline.js";
import { chapterName, issues, output, sections, shorten, wrap } from "../print.js";
import { progressOn } from "../progress.js";
import { GUESS, isGuess, isWeak, WEAK } from "../../src/confidence.js";
import { Ledger } from "../../src/ledger.js";
import { Telling } from "../telling.js";

export const name = "ask";
export const takes = ["INDEX", "QUESTION"];
export const flags = ["method", "steps", "choices", "up-to", "context-tokens", "budget-tokens", ...LIMIT_FLAGS, "set", ...MODEL_FLAGS];
export const summary = "answer a question from the book";
export const about =
  "Answers a question with the sentence of the book that fits best, or in the words of a chat endpoint's model, whose quotations are checked against the book; with the plotline behind it and the passages it rests on. INDEX is a path, an http address or - for stdin.";
export const example = 'plotbridge ask novel.plot.json "Who raised the girl?" --choices "her aunt|the weaver"';

export async function run({ positionals: [index, question], flags, signal }) {
  const models = modelsOf(flags);
  const book = await openIndex(index, signal, models, limitsOf(flags));
  const progress = progressOn();
  const telling = flags.json ? undefined : new Telling("Answer", 2);
  const options = {
    method: flags.method,
    steps: flags.steps,
    choices: flags.choices,
    upTo: flags["up-to"],
    contextTokens: flags["context-tokens"],
    config: flags.set,
    budgetTokens: flags["budget-tokens"],
    signal,
    onEvent: (event) => {
      if (event.anew) telling?.anew();
      if (event.type === "text") telling?.hear(event.text);
      // A question's stages are not told, but that it waits for a server is.
      else if (event.waiting !== undefined) progress.hear(event);
    },
  };
  try {
    const answer = await asking(models, "", () => book.ask(question, options));
    telling?.end();
    output(flags.json, documentOf(answer), () => people(answer, models, flags["up-to"], book.info.chapters));
  } catch (thrown) {
    telling?.breakOff();
    throw thrown;
  }
  book.close();
}

/** The `ask` document: the trace's keys, with the answer, what it cost and all issues. */
function documentOf({ trace, usage, issues: list, ...answer }) {
  return { ...trace, issues: list, answer: pick(answer, ["text", "choice", "confidence", "citations"]), usage };
}

const pick = (object, names) => Object.fromEntries(names.filter((name) => name in object).map((name) => [name, object[name]]));

/** What follows the answer, which stands there already. */
function people(answer, { chat }, upTo, chapters) {
  const { text, choice, confidence, citations, usage, issues: list, trace } = answer;
  const places = citations.map((citation) => citationLine(citation, text, chapters)).join("\n");
  const sure = confidence === undefined ? "" : `confidence ${confidence.toFixed(2)}`;
  // Where there is a choice the confidence is the choice's.
  const belief = sure && choice === undefined && wrap(isWeak(answer) ? `${sure}. ${WEAK}` : sure, 4);
  const chosen = choice !== undefined && [`Choice\n${wrap(sure ? `${choice} (${sure})` : choice, 2)}`, isGuess(answer) && wrap(GUESS, 2)].filter(Boolean).join("\n");
  const spent = cost(usage) && `Model\n${wrap([chat?.model, cost(usage)].filter(Boolean).join(": "), 2)}`;
  const finds = [found(trace, chapters), passages(trace, chapters)];
  const ledger = ledgerTable(new Ledger().add(trace.calls).document);
  // Where nothing of the book is quoted, what comes closest in it counts most.
  const rest = sections(chosen, readTo(upTo, chapters), ...(places ? finds : finds.reverse()), spent, ledger, issues(list));
  return places ? `${[places, belief].filter(Boolean).join("\n")}\n\n${rest}` : `\n${rest}`;
}

/** The place, and the quotation where it is not the answer itself. */
function citationLine({ start, end, quote, chapter }, answer, chapters) {
  const said = quote.split(/\s+/).join(" ") === answer ? "" : ` ${shorten(quote, 160)}`;
  return wrap(`[${chapterName(chapters, chapter)}, ${start}–${end}]${said}`, 4);
}
