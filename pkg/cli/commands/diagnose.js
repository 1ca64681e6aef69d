// plotbridge diagnose: what is wrong with the endpoints, in plain words, with the setting to copy.

import { PlotbridgeError } from "../../src/errors.js";
import { loadPackage, openIndex } from "../files.js";
import { cost, LIMIT_FLAGS, limitsOf, MODEL_FLAGS, modelsOf } from "../models.js";
import { progressOn } from "../progress.js";
import { issues, output, sections, wrap } from "../print.js";

export const name = "diagnose";
export const takes = ["[INDEX]"];
export const flags = ["budget-tokens", ...LIMIT_FLAGS, ...MODEL_FLAGS];
export const words = {
  timeout: { help: "how long an endpoint may be silent (default 120)" },
  patience: { help: "how long a request waits in all for a busy endpoint (default 0: that it is busy is told)" },
  "budget-tokens": { help: "the most tokens for all of it, sent and received; prompts that do not fit are not tried" },
};
export const summary = "say what is wrong with the endpoints, and what to set where";
export const about =
  "Uses each endpoint once, as for a book: address, connection, path, key, model, a reply, and whether a long prompt is seen whole or silently cut, which sends some 15,000 tokens; or vectors, and with INDEX whether they fit its own. Ends with 4 where a check fails.";
export const example = "plotbridge diagnose --chat-url http://localhost:11434/v1 --chat-model qwen3:8b";

export async function run({ positionals: [index], flags, signal }) {
  const models = modelsOf(flags);
  if (!Object.keys(models).length) {
    throw new PlotbridgeError("usage", "there is no endpoint to look at: give --chat-url and --chat-model, --embed-url and --embed-model, or set PLOTBRIDGE_CHAT_URL and the others");
  }
  const { diagnose } = await loadPackage();
  const book = index === undefined ? undefined : await openIndex(index, signal);
  const found = [];
  let left = flags["budget-tokens"];
  for (const [part, endpoint] of Object.entries(models)) {
    if (!flags.json) process.stderr.write(`asking the ${part} endpoint\n`);
    const { hear, end } = progressOn();
    const onProgress = (progress) => { if (!flags.json && "waiting" in progress) hear(progress); };
    const one = await diagnose(endpoint, { as: part, book, signal, limits: limitsOf(flags), budgetTokens: left, onProgress }).finally(end);
    if (left !== undefined) left = Math.max(0, left - one.usage.prompt_tokens - one.usage.completion_tokens);
    found.push(one);
  }
  book?.close();
  const document = joined(found);
  output(flags.json, document, () => people(document, models));
  return document.ok ? 0 : 4;
}

/** One document of several. */
function joined(found) {
  const usage = { requests: 0, prompt_tokens: 0, completion_tokens: 0 };
  for (const one of found) for (const key of Object.keys(usage)) usage[key] += one.usage[key];
  return { ok: found.every(({ ok }) => ok), checks: found.flatMap(({ checks }) => checks), issues: found.flatMap((one) => one.issues), usage };
}

const TITLES = { chat: "Chat", embed: "Embeddings" };

function people({ ok, checks, issues: list, usage }, models) {
  const parts = Object.keys(models).map((part) => {
    const lines = checks.filter(({ endpoint }) => endpoint === part).map(line);
    return `${TITLES[part]}\n${lines.join("\n")}`;
  });
  const spent = cost(usage) && `This took ${cost(usage)}.`;
  return sections(...parts, issues(list), wrap([ok && "All is well.", spent].filter(Boolean).join(" ")));
}

/** A check; of one that failed also what to do, and what to copy on lines of its own. */
function line({ check, ok, message, fix, copy }) {
  const said = wrap(`${check}: ${message}`, 7).trimStart();
  const first = `  ${ok ? "ok " : "NOT"}  ${said}`;
  const todo = fix && wrap(fix, 7);
  const setting = copy && copy.split("\n").map((one) => `         ${one}`).join("\n");
  return [first, todo, setting].filter(Boolean).join("\n");
}
