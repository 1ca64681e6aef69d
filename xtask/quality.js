// `cargo xtask quality`: writes the tables of docs/quality.md anew, by the command line as people run it.
//
// A table stands between `<!-- NAME -->` and `<!-- end -->`. What has no data on this machine keeps
// the table it has. The documents themselves go to target/quality, with a report in HTML of each.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const PAGE = path.join(ROOT, "docs/quality.md");
const OUT = path.join(ROOT, "target/quality");
const SHARED = path.join(process.env.PLOTBRIDGE_SHARED ?? path.join(ROOT, "../shared"), "data");

const bundled = (ending) => readdirSync(path.join(ROOT, "books")).filter((name) => name.endsWith(ending)).map((name) => path.join(ROOT, "books", name))[0];

const DATA = {
  story: { book: bundled(".txt"), questions: bundled(".questions.jsonl") },
  fairytaleqa: { book: path.join(SHARED, "books/fairytaleqa_val_collection.txt"), questions: path.join(SHARED, "qa/fairytaleqa_val.jsonl") },
};

/** What `plotbridge ARGS --json` prints; its progress passes on. */
function plotbridge(...args) {
  process.stderr.write(`$ plotbridge ${args.map((arg) => path.relative(ROOT, arg).startsWith("..") ? path.basename(arg) : arg.replace(`${ROOT}/`, "")).join(" ")}\n`);
  const { status, stdout } = spawnSync(process.execPath, [path.join(ROOT, "pkg/bin/plotbridge.js"), ...args, "--json"], {
    stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", maxBuffer: 1e9,
  });
  if (status === 0) return JSON.parse(stdout);
  return process.exit(status ?? 1);
}

function measured(name, { book, questions }) {
  const index = path.join(OUT, `${name}.plot.json`);
  const indexed = plotbridge("index", book, "-o", index);
  return { indexed, scored: scoredAs(name, index, questions), ablated: PROFILES.map((profile) => [profile, scoredAs(`${name}-${profile}`, index, questions, ...ABLATED, "--set", `profile=${profile}`)]) };
}

const PROFILES = ["offline", "paper"];
const ABLATED = ["--table", "3", "--ablate", "match-2,match-3,dense-edges"];

function scoredAs(name, index, questions, ...flags) {
  const scored = plotbridge("eval", index, questions, ...flags, "--html", path.join(OUT, `${name}.html`));
  writeFileSync(path.join(OUT, `${name}.json`), `${JSON.stringify(scored)}\n`);
  return scored;
}

/** Of each profile, the whole method and how each ablation differs from it. */
function ablations(ablated) {
  return ablated.map(([profile, { methods, differences }]) => {
    const measures = [["@1", ({ recall_at: r }) => r[1]], ["@5", ({ recall_at: r }) => r[5]], ["@20", ({ recall_at: r }) => r[20]], ["context", ({ recall_context: r }) => r], ["F1", ({ f1 }) => f1]];
    const n = (value) => Math.round(value).toLocaleString("en");
    const row = (cells) => `| ${cells.join(" | ")} |`;
    const rows = differences.map((one) => [`\`${one.of.replace("pons:", "")}\``, ...measures.map(([, of]) => changed(one, of)), n(methods[one.of].context_tokens_mean)]);
    const whole = ["the whole", ...measures.map(([, of]) => shared(of(methods.pons))), n(methods.pons.context_tokens_mean)];
    const head = [`profile ${profile}`, ...measures.map(([name]) => name), "tokens of the context"];
    return [row(head), row(head.map(() => "---")), row(whole), ...rows.map(row)].join("\n");
  }).join("\n\n");
}

/** A difference with its interval, in bold where it may be claimed; 0 where not one question differs. */
function changed(one, of) {
  if (of(one) === null) return "–";
  if (of(one.differing) === 0) return "0";
  const text = `${signed(of(one))} (${of(one.intervals).map(signed).join(" to ")})`;
  return of(one.claimed) ? `**${text}**` : text;
}

const shared = (value) => (value === null ? "–" : value.toFixed(3).replace(/^(-?)0/, "$1"));
const signed = (value) => (value < 0 ? shared(value) : `+${shared(value)}`).replace(/^-(?=\.000$)/, "+");

function tables({ title, text_length, chapters, counts }, { questions, methods }) {
  const [{ counted }] = Object.values(methods);
  const n = (value) => Math.round(value).toLocaleString("en");
  const facts = `${title}: ${n(text_length)} characters, ${n(chapters.length)} chapters, ${n(counts.chunks)} chunks, ${n(counts.events)} events. ${n(questions)} questions: ${n(counted.f1)} with gold answers, ${n(counted.acc)} with choices, ${n(counted.recall_at[1])} with marked evidence.`;
  const passages = [1, 5, 10, 20].map((k) => [`@${k}`, ({ recall_at }) => recall_at[k]]);
  const context = ["context", ({ recall_context }) => recall_context];
  const limits = [1200, 6000].map((b) => [`@${n(b)} tokens`, ({ recall_at_tokens }) => recall_at_tokens[b]]);
  const answers = [["F1", ({ f1 }) => f1], ["EM", ({ em }) => em], ["accuracy", ({ acc }) => acc]];
  const sizes = [
    ["tokens of a passage", ({ passage_tokens_mean }) => n(passage_tokens_mean)],
    ["tokens of the context", ({ context_tokens_mean }) => n(context_tokens_mean)],
    ["failures", ({ failures }) => String(failures)],
  ];
  const found = table("recall of evidence", methods, [...passages, ...limits, context].map(withInterval));
  return [facts, found, table("answers and sizes", methods, [...answers.map(withInterval), ...sizes])].join("\n\n");
}

/** A measure with the ends of its interval after it. */
function withInterval([head, of]) {
  return [head, (method) => {
    const ends = of(method.intervals);
    return shared(of(method)) + (ends === null ? "" : ` (${ends.map(shared).join("–")})`);
  }];
}

function table(corner, methods, columns) {
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const lines = Object.entries(methods).map(([name, method]) => row([`\`${name}\``, ...columns.map(([, of]) => of(method))]));
  return [row([corner, ...columns.map(([head]) => head)]), row(["---", ...columns.map(() => "---")]), ...lines].join("\n");
}

mkdirSync(OUT, { recursive: true });
let page = readFileSync(PAGE, "utf8");
for (const [name, data] of Object.entries(DATA)) {
  if (!existsSync(data.book) || !existsSync(data.questions)) {
    console.log(`${name}: ${data.book} or its questions are not here; its table stays`);
    continue;
  }
  const { indexed, scored, ablated } = measured(name, data);
  put(name, tables(indexed, scored));
  put(`${name} ablations`, ablations(ablated));
}

if (existsSync(path.join(SHARED, "litbank"))) put("litbank", litbank());
else console.log("litbank: it is not here; its table stays");

/** What the rules find of LitBank's persons and happenings: of the books they were tuned on, and of the others. */
function litbank() {
  const { status, stdout } = spawnSync("cargo", ["run", "--quiet", "--example", "litbank", "--", SHARED], { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });
  if (status !== 0) process.exit(status ?? 1);
  const measured = JSON.parse(stdout);
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const head = ["", "books", "gold", "ours", "recall", "precision", "F1"];
  const kinds = [["chains", "named characters"], ["persons", "named characters that are one person"], ["pairs", "pairs of names of one person"], ["sentences", "sentences in which something happens"]];
  const halves = [["tuned", "tuned on"], ["held", "the others"], ["all", "all"]];
  const rows = kinds.flatMap(([kind, name]) => halves.map(([half, books]) => {
    const { gold, ours, recall, precision, f1 } = measured[half][kind];
    return [`${name}, ${books}`, measured[half].books, gold.toLocaleString("en"), ours.toLocaleString("en"), ...[recall, precision, f1].map(shared)];
  }));
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}

/** Puts a table between its marks. */
function put(name, written) {
  const [head, end] = [`<!-- ${name} -->`, "<!-- end -->"];
  const start = page.indexOf(head);
  if (start < 0) throw new Error(`docs/quality.md has no ${head}`);
  page = `${page.slice(0, start)}${head}\n\n${written}\n\n${page.slice(page.indexOf(end, start))}`;
  writeFileSync(PAGE, page);
  console.log(`${name}: written\n\n${written}\n`);
}
