// Flags: one table, from which both parsing and help are made.

import { parseArgs } from "node:util";

import { PlotbridgeError } from "../src/errors.js";
import { MOST, nearestName } from "../src/options.js";
import { TABLES } from "./eval/paper.js";
import { wrap } from "./print.js";
import { readSweeps } from "./sweeps.js";

const FLAGS = {
  output: { type: "string", short: "o", arg: "OUT.plot.json", help: "where the index goes; written whole or not at all" },
  offline: { type: "boolean", help: "rules and the built-in embedder, no endpoint, also where one is configured" },
  concurrency: { type: "string", arg: "N", help: "requests sent to the chat endpoint side by side, 1 to 64 (default 4)", read: atLeastOne },
  fresh: { type: "boolean", help: "ask the models everything anew: what an earlier run was answered, OUT.plot.json.replies, is deleted first" },
  "budget-tokens": { type: "string", arg: "N", help: "the most tokens that this run may spend at endpoints, sent and received; a request that might pass it is not sent", read: whole },
  rpm: { type: "string", arg: "N", help: "the most requests a minute that an endpoint is sent", read: atLeastOne },
  tpm: { type: "string", arg: "N", help: "the most tokens a minute, sent and received", read: atLeastOne },
  timeout: { type: "string", arg: "SECONDS", help: "how long an endpoint may be silent (default 300)", read: atLeastOne },
  patience: { type: "string", arg: "SECONDS", help: "how long a request waits in all for an endpoint that is busy or says when to come again, before the command gives up and keeps what was done (default 900; 0 waits for none)", read: whole },
  encoding: { type: "string", arg: "NAME", help: "the file's encoding, instead of the recognised one" },
  title: { type: "string", arg: "TEXT", help: "the book's title, instead of the found one" },
  chapters: { type: "string", arg: "FILE", help: "the chapters, instead of the found ones: a JSON list of {\"title\": ..., \"start\": ...}, or what chunks --json prints, corrected" },
  merges: { type: "string", arg: "FILE", help: "a JSON file that says which names are one and which are not: {\"same\": [[\"A\", \"B\"]], \"different\": [[\"A\", \"C\"]]}; it wins over rules and models" },
  about: { type: "string", arg: "TEXT", help: "with --merges, only decisions about names that hold it" },
  method: { type: "string", arg: "M", help: "pons (default), coda, hippo, light, dense or bm25" },
  "up-to": { type: "string", arg: "P", help: "how far you have read: a share (0.25 or 25%), the end of a chapter (ch:7, counted from 1) or a place (@12345, as places are printed); nothing later is shown", read: position },
  "context-tokens": { type: "string", arg: "N", help: "the most tokens of the context (default 6000)", read: whole },
  steps: { type: "string", arg: "N", help: "retrievals at most, 1 to 10, with a thought of the chat model between them (1)", read: whole },
  choices: { type: "string", arg: '"A|B|C|D"', help: "options to choose from; True|False for a statement", read: choices },
  set: { type: "string", multiple: true, arg: "KEY=VALUE", help: "a tunable; may be given several times; --set help lists them with their ranges", read: config },
  ablate: { type: "string", arg: "X,Y", help: "PonsRAG once more without each of these: char-only, plot-only, no-pons, no-awaken, no-match, no-filter, match-2, match-3, dense-edges; CodaRAG: no-types, no-merge, no-semantic, no-contextualized, no-functional, no-eliminate" },
  sweep: { type: "string", multiple: true, arg: "KEY=v1,v2", help: "PonsRAG (or CodaRAG, where that is asked without it) once more with each of these values of a tunable, or of several together: K1/K2=a/b,c/d; may be given several times", read: readSweeps },
  table: { type: "string", arg: "N", help: "what a table of the paper takes (3: parts left out, 4: tau, 5: one to N, 8: weights), beside its figures", read: table },
  html: { type: "string", arg: "REPORT.html", help: "also write a report with plots, one file that needs nothing else" },
  rows: { type: "string", arg: "ROWS.jsonl", help: "also write what each question got from each run, a JSON object a line" },
  judge: { type: "boolean", help: "let the chat model judge the answers: correctness, coverage, faithfulness, recall of the evidence, relevance of the context (GraphRAG-Bench), some nine requests a question" },
  "judge-url": { type: "string", arg: "URL", help: "judge by another endpoint's model (else PLOTBRIDGE_JUDGE_URL, else the chat model)" },
  "judge-model": { type: "string", arg: "NAME", help: "its model (else PLOTBRIDGE_JUDGE_MODEL)" },
  "judge-key-env": { type: "string", arg: "NAME", help: "the environment variable that holds its key (default PLOTBRIDGE_JUDGE_KEY; the chat endpoint's where both have one origin)" },
  limit: { type: "string", arg: "N", help: "only the first N questions", read: atLeastOne },
  "chat-url": { type: "string", arg: "URL", help: "a chat endpoint, OpenAI-compatible, such as http://localhost:11434/v1 (else PLOTBRIDGE_CHAT_URL)" },
  "chat-model": { type: "string", arg: "NAME", help: "its model (else PLOTBRIDGE_CHAT_MODEL)" },
  "embed-url": { type: "string", arg: "URL", help: "an embedding endpoint (else PLOTBRIDGE_EMBED_URL)" },
  "embed-model": { type: "string", arg: "NAME", help: "its model (else PLOTBRIDGE_EMBED_MODEL)" },
  "key-env": { type: "string", arg: "NAME", help: "the environment variable that holds the chat endpoint's key (default PLOTBRIDGE_KEY; it goes to the embedding endpoint too where both have one origin)" },
  "embed-key-env": { type: "string", arg: "NAME", help: "the same for the embedding endpoint (default PLOTBRIDGE_EMBED_KEY)" },
  port: { type: "string", arg: "N", help: "the port (default 8017; 0 finds a free one)", read: port },
  json: { type: "boolean", help: "print exactly one JSON document on stdout" },
  help: { type: "boolean", short: "h", help: "print this" },
};

/** `{ positionals, flags }` of a command's arguments; throws `usage` for what it does not take. */
export function parse(command, args) {
  const names = [...command.flags, "json", "help"];
  const options = Object.fromEntries(names.map((name) => [name, { ...FLAGS[name], ...command.words?.[name] }]));
  const { tokens, positionals } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const flags = {};
  for (const token of tokens.filter(({ kind }) => kind === "option")) {
    if (!names.includes(token.name)) throw unknownFlag(command, token, names);
    const { type, multiple } = options[token.name];
    checkValue(token, type, args);
    if (multiple) (flags[token.name] ??= []).push(token.value);
    else flags[token.name] = token.value ?? true;
  }
  for (const [name, value] of Object.entries(flags)) flags[name] = FLAGS[name].read?.(value, name) ?? value;
  checkCount(command, positionals);
  return { positionals, flags };
}

function unknownFlag(command, { name, rawName }, names) {
  const why = `${command.name} takes no ${rawName}; the nearest is --${nearestName(name, names)}`;
  return new PlotbridgeError("usage", `${why}; see plotbridge ${command.name} --help`);
}

function checkValue({ name, rawName, value, inlineValue }, type) {
  if (type === "boolean" && value !== undefined) throw new PlotbridgeError("usage", `${rawName} takes no value`);
  const missing = value === undefined || (!inlineValue && value.length > 1 && value.startsWith("-") && !/^-\d/.test(value));
  if (type === "string" && missing) throw new PlotbridgeError("usage", `${rawName} needs a value: --${name} ${FLAGS[name].arg}`);
}

function checkCount({ name, takes }, given) {
  const hint = takes.includes("QUESTION") ? " (quote a question)" : "";
  const least = takes.filter((take) => !take.startsWith("[")).length;
  if (given.length >= least && given.length <= takes.length) return;
  const missing = given.length < least ? `${takes[given.length]} is missing` : `${JSON.stringify(given[takes.length])} is one too many${hint}`;
  throw new PlotbridgeError("usage", `${missing}; see plotbridge ${name} --help`);
}

function whole(text, name) {
  if (!/^\d+$/.test(text)) throw new PlotbridgeError("usage", `--${name} is ${JSON.stringify(text)}, but must be a whole number`);
  return atMost(text, name);
}

function atMost(text, name) {
  if (Number(text) <= MOST) return Number(text);
  throw new PlotbridgeError("usage", `--${name} is ${text.length > 30 ? `${text.slice(0, 30)}…` : text}, but must be at most ${MOST}`);
}

function port(text, name) {
  if (whole(text, name) <= 65_535) return Number(text);
  throw new PlotbridgeError("usage", `--port is ${text}, but must be at most 65535`);
}

function position(text) {
  const [, chapter, offset] = /^(?:ch:(\d+)|@(\d+))$/.exec(text) ?? [];
  if (chapter !== undefined) return { chapter: atMost(chapter, "up-to") };
  if (offset !== undefined) return { offset: atMost(offset, "up-to") };
  if (/^(0(\.\d+)?|1(\.0+)?|\.\d+)$/.test(text)) return Number(text);
  const [, percent] = /^(\d{1,3}(?:\.\d+)?)\s*%$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) <= 100) return Number(percent) / 100;
  throw new PlotbridgeError("usage", `--up-to is ${JSON.stringify(text)}, but must be a share like 0.25 or 25%, a chapter by its number like ch:7, or a place like @12345`);
}

function atLeastOne(text, name) {
  if (whole(text, name) === 0) throw new PlotbridgeError("usage", `--${name} is 0, but must be 1 at least`);
  return Number(text);
}

function choices(text) {
  const list = text.split("|").map((choice) => choice.trim());
  if (list.length < 2 || list.includes("")) throw new PlotbridgeError("usage", `--choices is ${JSON.stringify(text)}, but must be two or more options parted by |`);
  return list;
}

function config(pairs) {
  return Object.fromEntries(pairs.map((pair) => keyAndValue("set", pair)));
}

function table(text) {
  if (Object.hasOwn(TABLES, text)) return text;
  throw new PlotbridgeError("usage", `--table is ${JSON.stringify(text)}, but must be one of ${Object.keys(TABLES).join(", ")}`);
}

function keyAndValue(name, pair) {
  const at = pair.indexOf("=");
  if (at < 1) throw new PlotbridgeError("usage", `--${name} is ${JSON.stringify(pair)}, but must be ${FLAGS[name].arg}`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** The help of one command. */
export function helpOf(command) {
  const lines = [...command.flags, "json", "help"].map((name) => {
    const { short, arg, help } = { ...FLAGS[name], ...command.words?.[name] };
    return [`${short ? `-${short}, ` : ""}--${name}${arg ? ` ${arg}` : ""}`, help];
  });
  return `plotbridge ${synopsis(command)} [flags]\n\n${wrap(command.about)}\n\n${columns(lines)}\n\nFor example\n  ${command.example}`;
}

/** The help of all. */
export function overview(commands) {
  const lines = commands.map((command) => [synopsis(command), command.summary]);
  const codes = "Exit status: 0 done, 1 a fault of ours, 2 bad usage, 3 input that cannot be read, 4 an endpoint failed, 5 budget reached, 130 interrupted.";
  return `plotbridge: ask a book\n\n${columns(lines)}\n\nEvery command takes --json and --help; plotbridge help settings lists what --set takes.\n${wrap(codes)}`;
}

const synopsis = ({ name, takes, needs = "" }) => `${name} ${takes.join(" ")} ${needs}`.trimEnd();

function columns(lines) {
  const width = Math.max(...lines.map(([left]) => left.length)) + 4;
  return lines.map(([left, right]) => `  ${left}`.padEnd(width) + wrap(right, width).trimStart()).join("\n");
}
