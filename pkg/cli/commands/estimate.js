// plotbridge estimate: what a book will cost, before anything is sent.

import path from "node:path";

import { loadPackage, readBook, readChapters } from "../files.js";
import { table } from "../ledger.js";
import { MODEL_FLAGS, modelsOf } from "../models.js";
import { fields, issues, output, sections, wrap } from "../print.js";

export const name = "estimate";
export const takes = ["FILE"];
export const flags = ["encoding", "title", "chapters", "set", ...MODEL_FLAGS];
/** When its tunables are set. */
export const sets = "index";
export const summary = "tell what indexing a book with models would cost";
export const about =
  "Tells how many requests and tokens index would send for a book, stage by stage, and how many it may receive. Nothing is sent: the requests are made of the book's own passages and counted with our estimate of tokens. It reckons with the endpoints that are configured, or with both where none is. FILE is a path or - for stdin.";
export const example = "plotbridge estimate novel.txt --json";

export async function run({ positionals: [file], flags, signal }) {
  const models = modelsOf(flags);
  const { Book } = await loadPackage();
  const { encoding, title, set: config } = flags;
  const extraction = models.embed && !models.chat ? "offline" : undefined;
  const document = await Book.estimate(await readBook(file, signal), {
    name: file === "-" ? undefined : path.basename(file),
    encoding, title, config, models,
    chapters: flags.chapters && await readChapters(flags.chapters, signal),
    extraction, signal,
  });
  output(flags.json, document, () => people(document, models));
}

function people({ stages, total, issues: list }, { chat, embed }) {
  const rows = [...stages, { ...total, stage: "together" }].map((row) => [
    row.stage.replaceAll("_", " "), ...["requests", "prompt_tokens", "completion_tokens"].map((key) => row[key].toLocaleString("en")), range(row),
  ]);
  const who = [chat && `read by ${chat.model}`, embed && `embedded by ${embed.model}`].filter(Boolean).join(", ");
  return sections(
    wrap(who || "No endpoint is configured: this is what reading and embedding would cost with any."),
    table(["", "requests", "sent", "received", "at least to at most"], rows),
    `What the stages ask\n${told(stages)}`,
    issues(list),
  );
}

/** What is asked, of whom, by stage. */
const ASKS = {
  types: "which types of people, places and things the book has",
  entities: "who and what each part of the book tells of",
  triples: "what each part says of them: who does, is or has what",
  events: "what happens in each part",
  gleaning: "what was missed in each part",
  merges: "which of the names are one and the same",
  descriptions: "one description of whom several parts describe",
  summaries: "a summary of events of one kind",
  relations: "what ties two of them, where many sentences tell of it",
};

function told(stages) {
  const known = stages.map(({ stage }) => stage).filter((stage) => ASKS[stage]);
  const lines = known.map((stage) => [stage, ASKS[stage]]);
  if (stages.some(({ stage }) => stage.endsWith("vectors"))) lines.push(["… vectors", "the embedder: places in its space for each of these, by which a question finds them"]);
  return fields(lines);
}

const range = ({ completion_range: [least, most] }) => (most ? `${least.toLocaleString("en")} to ${most.toLocaleString("en")}` : "");
