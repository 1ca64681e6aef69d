// plotbridge retrieve: every stage of one retrieval, without an answer.

import { openIndex } from "../files.js";
import { asking, LIMIT_FLAGS, limitsOf, MODEL_FLAGS, modelsOf } from "../models.js";
import { found, passages } from "../plotline.js";
import { count, fields, issues, output, sections, wrap } from "../print.js";
import { settingsLine } from "../settings.js";

export const name = "retrieve";
export const takes = ["INDEX", "QUESTION"];
export const flags = ["method", "up-to", "context-tokens", ...LIMIT_FLAGS, "set", ...MODEL_FLAGS];
export const summary = "find the passages and the plotline for a question";
export const about =
  "Finds what in the book serves a question and shows each stage: who and what the question is tied to, what those awaken, the matched pairs (pons), or cues, associations and what was taken out (coda, light), and the passages. INDEX is a path, an http address or - for stdin. Where its index has vectors of the embedding endpoint's model, the question is compared in those.";
export const example = 'plotbridge retrieve novel.plot.json "Who raised the girl?" --method bm25';

export async function run({ positionals: [index, question], flags, signal }) {
  const models = modelsOf(flags);
  const book = await openIndex(index, signal, models, limitsOf(flags));
  const options = {
    method: flags.method,
    upTo: flags["up-to"],
    contextTokens: flags["context-tokens"],
    config: flags.set,
    signal,
  };
  const trace = await asking(models, "", () => book.retrieve(question, options));
  output(flags.json, trace, () => people(trace, book.info.chapters));
  book.close();
}

function people(trace, chapters) {
  const { question, method, anchors, awakened, dropped, context_tokens, settings, timings_ms, issues: list } = trace;
  const time = Object.values(timings_ms).reduce((sum, ms) => sum + ms, 0);
  const anchored = ["pons", "hippo"].includes(method);
  const facts = fields([
    ...(anchored ? [["tied to", names(anchors) || "nothing in the book"]] : []),
    ...(method === "pons" ? [["awakened", names(awakened) || "nothing"], ["left out", count(dropped.length, "pair")]] : []),
    ["context", `${count(context_tokens, "token")}, ${method}, ${trace.embedding_space}, ${time.toFixed(0)} ms`],
    ["settings", settingsLine(settings)],
  ]);
  return sections(`${wrap(question)}\n${facts}`, found(trace, chapters), passages(trace, chapters), issues(list));
}

const names = ({ characters, events }) => [
  characters.slice(0, 6).map(({ name }) => name).join(", "),
  events.length > 0 && `events ${events.slice(0, 4).map(({ label }) => `“${label}”`).join(", ")}`,
].filter(Boolean).join("; ");
