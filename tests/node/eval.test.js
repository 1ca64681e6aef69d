// plotbridge eval: its document, its tables, its report, several books, claims, what is kept of a run that
// ends early, and what it refuses.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { plain } from "../contract/assert.js";
import { long, QUESTION, SMALL } from "../contract/books.js";
import { fits } from "../contract/shapes.js";
import { folder, run, start, until } from "./command.js";
import { elements } from "./html.js";
import { modelServer } from "./model-server.js";

const N = "number";
const AT = { 1: N, 5: N, 10: N, 20: N };
const AT_TOKENS = { 1200: N, 6000: N };
const ENDS = [N];
const EACH = { f1: N, em: N, acc: N, recall_at: AT, recall_at_tokens: AT_TOKENS, recall_context: N, rouge_l: N };
const JUDGED = { correctness: N, factual: N, similarity: N, coverage: N, faithfulness: N, evidence_recall: N, context_relevance: N, unread: N };
const COUNTS = { ...EACH, claim_acc: N, pair_acc: N, judge: JUDGED };
const INTERVALS = {
  f1: ENDS, em: ENDS, acc: ENDS, recall_at: { 1: ENDS, 5: ENDS, 10: ENDS, 20: ENDS }, recall_at_tokens: { 1200: ENDS, 6000: ENDS }, recall_context: ENDS,
};
const MEANS = { questions: N, ...EACH, intervals: INTERVALS, counted: COUNTS, books: COUNTS };
const METHOD = {
  ...MEANS, by_type: {}, by_question_type: {}, type_by: {}, passage_tokens_mean: N, context_tokens_mean: N, ms_p50: N, ms_p95: N, seconds: N,
  requests: N, prompt_tokens: N, completion_tokens: N, failures: N,
  failed: [{ id: "string", code: "string", message: "string" }], issues: {},
};
const DIFFERENCE = { of: "string", against: "string", ...EACH, intervals: INTERVALS, counted: COUNTS, differing: COUNTS };
const DOCUMENT = {
  questions: N, generator: "string", embedder: "string", books: N, index_tokens: { text: N, knowledge: N }, context_tokens: N, steps: N,
  runs: [{ name: "string", config: {} }], methods: {}, differences: [DIFFERENCE],
  left_out: [{ what: "string", reason: "string" }], issues: [{ code: "string", message: "string" }],
};

/** The span of a part of the story: all of it is ASCII, so that code points are what slice counts. */
const span = (part) => ({ start: SMALL.indexOf(part), end: SMALL.indexOf(part) + part.length });

const QUESTIONS = [
  { id: "box", question: QUESTION, answers: ["under the chapel floor"], evidence: [span("bury the box under the chapel floor")], book: "ferry" },
  { id: "uncle", question: "Where did Ines find the letter?", choices: ["in the market", "under the third stone"], label: "B", evidence: [span("a letter in her mother's hand")], book: "ferry" },
  { id: "bare", question: "Who kept the ferry at Stonemouth?", book: "ferry", note: { any: "thing" } },
];

const lines = (questions) => questions.map((question) => JSON.stringify(question)).join("\n");
/** Without the times, which differ from run to run. */
const timeless = ({ methods, ...rest }) => ({ ...rest, methods: Object.values(methods).map((method) => ({ ...method, ms_p50: 0, ms_p95: 0, seconds: 0 })) });

let home;
let index;
let file;

/** A question file of its own with these lines. */
function written(text) {
  const place = path.join(folder(), "questions.jsonl");
  writeFileSync(place, text);
  return place;
}

async function json(args, options) {
  const { status, out, err } = await run(["eval", ...args, "--json"], options);
  assert.equal(status, 0, err);
  assert.equal(out.trimEnd().split("\n").length, 1, "one line");
  const document = JSON.parse(out);
  plain(document);
  return document;
}

before(async () => {
  home = folder();
  index = path.join(home, "ferry.plot.json");
  file = path.join(home, "questions.jsonl");
  writeFileSync(path.join(home, "ferry.txt"), SMALL);
  writeFileSync(file, lines(QUESTIONS));
  const { status, err } = await run(["index", path.join(home, "ferry.txt"), "-o", index, "--title", "ferry"]);
  assert.equal(status, 0, err);
});

describe("the document", () => {
  test("has every promised key for every method, and says what was counted", async () => {
    const document = await json([index, file]);
    fits(document, DOCUMENT);
    assert.deepEqual([document.questions, document.generator], [3, "none"]);
    assert.deepEqual(Object.keys(document.methods), ["pons", "coda", "hippo", "light", "dense", "bm25"]);
    for (const [name, method] of Object.entries(document.methods)) {
      fits(method, METHOD, name);
      assert.equal(method.failures, 0);
      assert.deepEqual([method.counted.f1, method.counted.acc, method.counted.recall_at[1]], [1, 1, 2]);
      assert.equal(method.recall_at[20], 1, "three chunks: all of them are evidence");
      assert.equal(method.recall_at_tokens[1200], 1);
      assert.ok(method.ms_p50 <= method.ms_p95);
    }
    assert.equal(document.methods.pons.acc, 1);
    assert.deepEqual(document.differences.map(({ of, against }) => [of, against]), [["coda", "pons"], ["hippo", "pons"], ["light", "pons"], ["dense", "pons"], ["bm25", "pons"]]);
    assert.deepEqual(document.left_out, [{ what: "closed-book", reason: "needs a chat model" }]);
    assert.equal(document.methods["closed-book"], undefined);
    assert.ok(document.index_tokens.text > 200 && document.index_tokens.knowledge > 100, JSON.stringify(document.index_tokens));
  });

  test("an ablation stands under its name and is compared with the method question by question", async () => {
    const document = await json([index, file, "--method", "pons", "--ablate", "no-match,no-awaken"]);
    assert.deepEqual(Object.keys(document.methods), ["pons", "pons:no-match", "pons:no-awaken"]);
    for (const one of document.differences) {
      assert.equal(one.against, "pons");
      assert.deepEqual([one.counted.f1, one.counted.recall_context, one.counted.pair_acc], [1, 2, 0]);
      assert.equal(one.claimed.recall_at[5], false, "two questions tell nothing");
    }
    assert.deepEqual(document.runs.map(({ method, ablate }) => [method, ablate]), [["pons", null], ["pons", "no-match"], ["pons", "no-awaken"]]);
  });

  test("a sweep of several keys takes a value of each", async () => {
    const document = await json([index, file, "--method", "pons", "--sweep", "alpha/beta/gamma=1/0/0,.5/.1/.4"]);
    assert.deepEqual(Object.keys(document.methods), ["pons", "pons:alpha/beta/gamma=1/0/0", "pons:alpha/beta/gamma=0.5/0.1/0.4"]);
    assert.deepEqual(document.runs[2].config, { alpha: "0.5", beta: "0.1", gamma: "0.4" });
    assert.deepEqual(document.runs[2].sweep, { key: "alpha/beta/gamma", value: "0.5/0.1/0.4" });
  });

  for (const [number, runs] of [["3", 7], ["4", 7], ["5", 4], ["8", 9]]) {
    test(`table ${number} of the paper is one command`, async () => {
      const args = [index, written(lines([QUESTIONS[0]])), "--table", number];
      const document = await json(args);
      assert.deepEqual([Object.keys(document.methods).length, document.table, document.differences.length], [runs, Number(number), runs - 1]);
      const { status, out } = await run(["eval", ...args]);
      assert.equal(status, 0);
      assert.match(out, new RegExp(`Table ${number} of the paper: .*\\n +EN\\.MC acc EN\\.QA F1`));
      assert.match(out, /recall of evidence by the context, from 0 to 1/i);
      assert.ok(out.split("\n").every((line) => line.length <= 80), "within 80 columns");
    });
  }

  test("figures by type, where questions have one; another word for one is told", async () => {
    const typed = [{ ...QUESTIONS[0], type: "plot" }, { ...QUESTIONS[1], type: "char" }, { ...QUESTIONS[2], type: "why" }];
    const document = await json([index, written(lines(typed)), "--method", "bm25"]);
    const { by_type: types } = document.methods.bm25;
    assert.deepEqual(Object.keys(types), ["char", "plot"]);
    assert.deepEqual([types.plot.questions, types.plot.counted.f1, types.char.counted.acc, types.char.f1], [1, 1, 1, null]);
    assert.deepEqual(document.issues.map(({ code }) => code), ["type_unknown"]);
    const { out } = await run(["eval", index, written(lines(typed)), "--method", "bm25"]);
    assert.match(out, /By type of question \(file 3\)\n +type n .*\n +bm25 char 1 .*\n +plot 1 /);
  });

  test("a question without a type is put to one by the method, which is said", async () => {
    const { methods } = await json([index, file, "--method", "pons"]);
    assert.deepEqual(methods.pons.type_by, { rule: 3 });
    assert.equal(Object.values(methods.pons.by_type).reduce((sum, { questions }) => sum + questions, 0), 3);
  });

  test("claims are not judged without a chat model", async () => {
    const claims = [{ question: "Ines kept the iron box.", label: true, pair: "a" }, { question: "Ines burned the iron box.", label: false, pair: "a" }, { question: "x", label: true, pair: "b" }];
    const document = await json([index, written(lines(claims)), "--method", "pons"]);
    const { acc, claim_acc: claim, pair_acc: pair } = document.methods.pons;
    assert.deepEqual([acc, claim, pair], [null, null, null]);
    assert.match(document.left_out[1].reason, /3 claims needs a chat model/);
    assert.deepEqual(document.issues.map(({ code }) => code), ["pair_alone"]);
  });

  test("--rows writes what each question got", async () => {
    const rows = path.join(folder(), "rows.jsonl");
    await json([index, file, "--method", "pons,bm25", "--rows", rows]);
    const read = readFileSync(rows, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(read.map(({ run, id }) => `${run} ${id}`), ["pons box", "pons uncle", "pons bare", "bm25 box", "bm25 uncle", "bm25 bare"]);
    assert.match(read[0].text, /chapel floor/);
    assert.equal(read[1].choice, "under the third stone");
  });

  test("is the same each time, but for the times", async () => {
    assert.deepEqual(timeless(await json([index, file])), timeless(await json([index, file])));
  });

  test("holds null where no question has gold for a measure", async () => {
    const { methods } = await json([index, written(lines([QUESTIONS[2]])), "--method", "bm25"]);
    const { f1, em, acc, recall_at, intervals, counted } = methods.bm25;
    assert.deepEqual([f1, em, acc, recall_at[5], intervals.f1, counted.f1], [null, null, null, null, null, 0]);
  });

  test("a sweep stands under the value's plain spelling, beside the method as it is", async () => {
    const document = await json([index, file, "--method", "bm25, pons", "--sweep", "tau=.25,0", "--sweep", "profile=paper", "--set", "k1=3", "--limit", "2"]);
    assert.deepEqual(Object.keys(document.methods), ["bm25", "pons", "pons:tau=0.25", "pons:tau=0", "pons:profile=paper"]);
    assert.equal(document.questions, 2);
  });

  test("a refused question is a failure that has its reason", async () => {
    const asked = [{ id: "empty", question: "…" }, QUESTIONS[0], { id: "huge", question: "why ".repeat(25_000) }];
    const { methods } = await json([index, written(lines(asked)), "--method", "pons"]);
    assert.equal(methods.pons.failures, 2);
    assert.deepEqual(methods.pons.failed.map(({ id, code }) => [id, code]), [["empty", "question_invalid"], ["huge", "question_invalid"]]);
  });

  test("questions and an index may come from stdin", async () => {
    assert.equal((await json([index, "-", "--method", "bm25"], { stdin: lines(QUESTIONS) })).questions, 3);
  });
});

describe("a folder of indexes", () => {
  test("each question goes to its book, and the means are over all", async () => {
    const place = folder();
    const other = "CHAPTER I\n\nOld Brine kept a parrot. The parrot stole a silver spoon.\n";
    writeFileSync(path.join(place, "parrot.txt"), other);
    for (const [from, name] of [[path.join(home, "ferry.txt"), "ferry"], [path.join(place, "parrot.txt"), "parrot"]]) {
      assert.equal((await run(["index", from, "-o", path.join(place, `${name}.plot.json`)])).status, 0);
    }
    const start = other.indexOf("silver");
    const asked = [QUESTIONS[0], { id: "p", question: "What did the parrot steal?", evidence: [{ start, end: start + 6 }], book: "parrot" }, QUESTIONS[1]];
    const { questions, methods } = await json([place, written(lines(asked)), "--method", "bm25"]);
    assert.deepEqual([questions, methods.bm25.counted.recall_at[1], methods.bm25.recall_at[20]], [3, 3, 1]);
    assert.equal(methods.bm25.books.recall_at[1], 2);
  });
});

describe("the report", () => {
  const HOSTILE = `</title><script>alert("x")</script><img src=x onerror=alert(1)>&'\u0007`;
  const typed = () => [{ ...QUESTIONS[0], type: "plot" }, QUESTIONS[1], { id: HOSTILE, question: "?" }];
  let text;

  before(async () => {
    const place = path.join(folder(), "report.html");
    await json([index, written(lines(typed())), "--table", "8", "--ablate", "no-match", "--sweep", "k1=5,30", "--html", place]);
    text = readFileSync(place, "utf8");
  });

  test("is whole: every element closed, every attribute quoted, no id twice", () => {
    const all = elements(text);
    const ids = all.map(({ attributes }) => attributes.id).filter(Boolean);
    assert.equal(new Set(ids).size, ids.length);
    const titles = all.filter(({ name }) => name === "svg").map(({ attributes }) => attributes["aria-labelledby"]);
    assert.ok(titles.length > 8 && titles.every((id) => ids.includes(id)));
    for (const one of ["html", "main", "h1", "table", "caption", "svg"]) assert.ok(all.some(({ name }) => name === one), one);
  });

  test("needs no script, nothing from elsewhere, and no style of an element", () => {
    const all = elements(text);
    const allowed = ["html", "head", "meta", "title", "style", "body", "main", "section", "h1", "h2", "dl", "div", "dt", "dd", "p", "ul", "li", "table", "caption", "thead", "tbody", "tr", "th", "td", "small", "strong", "figure", "figcaption", "svg", "g", "text", "rect", "path", "circle"];
    assert.deepEqual([...new Set(all.map(({ name }) => name))].filter((name) => !allowed.includes(name)), []);
    const attributes = new Set(all.flatMap((one) => Object.keys(one.attributes)));
    assert.deepEqual([...attributes].filter((name) => /^on|style|href|src/.test(name)), []);
    assert.doesNotMatch(text, /https?:|url\(|@import/);
    const policy = all.find(({ attributes }) => attributes["http-equiv"] === "Content-Security-Policy");
    assert.match(policy.attributes.content.replaceAll("&#39;", "'"), /^default-src 'none'; style-src 'unsafe-inline'/);
  });

  test("shows what a question is called, and obeys none of it", () => {
    assert.ok(text.includes("&lt;/title&gt;&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&amp;&#39;\uFFFD"));
    assert.doesNotMatch(text, /<script|<img|[\0-\x08\x0b-\x1f]/);
  });

  test("has tables before their plots, and a line plot for each sweep", () => {
    const order = elements(text).map(({ name, attributes }) => (attributes.class === "wide" ? "table" : name)).filter((name) => ["h2", "table", "figure"].includes(name));
    assert.ok(order.every((name, at) => name !== "figure" || order[at - 1] !== "h2"), "no plot opens a section");
    assert.match(text, /<h2>Sweep of alpha\/beta\/gamma<\/h2>/);
    assert.match(text, /<h2>Sweep of k1<\/h2>/);
    assert.match(text, /<h2>Table 8 of the paper/);
    assert.doesNotMatch(text, /undefined|NaN|null|\[object/);
  });

  test("is refused before any question where it cannot be written", async () => {
    for (const place of [path.join(home, "no/such/report.html"), file]) {
      const { status, out, err } = await run(["eval", index, file, "--html", place]);
      assert.notEqual(status, 0);
      assert.equal(out, "");
      assert.doesNotMatch(err, /pons …/);
    }
  });
});

describe("with a chat model", () => {
  let server;
  let env;
  before(async () => {
    server = await modelServer();
    env = { PLOTBRIDGE_CHAT_URL: server.url, PLOTBRIDGE_CHAT_MODEL: "scripted-chat" };
  });
  after(() => server.close());

  const asked = () => [
    { ...QUESTIONS[0], type: "plot" }, { ...QUESTIONS[1], type: "char" },
    { id: "t", question: "Ines kept the iron box.", label: true, pair: "a" }, { id: "f", question: "Ines burned the iron box.", label: "False", pair: "a" },
  ];
  /** True to what names the box as kept, and false to the other; the closed book knows nothing. */
  const JUDGE = [
    { reply: "### Final Answer\nunder the chapel floor", task: "answer", contains: "Question: Where did Dr. Pike bury" },
    { reply: "### Final Answer\n[B]", task: "claim", contains: "Statement: Ines burned" },
    { reply: "### Final Answer\n[A]", task: "claim", contains: "Statement: Ines kept" },
    { reply: "### Final Answer\n[B]", task: "choice", contains: "Question: Where did Ines find" },
    { reply: "### Final Answer\nin a barrel [A]", task: "closed_book" },
  ];

  test("every figure is there: claims, pairs, requests and tokens, and the closed book", async () => {
    await server.script(JUDGE);
    const document = await json([index, written(lines(asked())), "--method", "pons"], { env });
    assert.deepEqual(Object.keys(document.methods), ["pons", "closed-book"]);
    const { pons, "closed-book": closed } = document.methods;
    assert.deepEqual([pons.f1, pons.em, pons.acc, pons.claim_acc, pons.pair_acc, pons.counted.pair_acc], [1, 1, 1, 1, 1, 1]);
    assert.ok(pons.requests >= 4 && pons.prompt_tokens > 0 && pons.completion_tokens > 0, JSON.stringify(pons));
    assert.deepEqual([closed.f1, closed.em, closed.claim_acc, closed.pair_acc, closed.recall_at[1], closed.context_tokens_mean], [0, 0, 0.5, 0, null, null]);
    assert.equal(closed.requests, 4);
    assert.deepEqual(document.left_out, []);
    const { out } = await run(["eval", index, written(lines(asked())), "--method", "pons"], { env });
    assert.match(out, /requests tokens sent received a question\n +pons +\d+ .*\n +closed-book +4 /);
    assert.match(out, / acc +claim +pair /);
  });

  test("4: an endpoint that goes loses nothing: the same command goes on", async () => {
    const place = folder();
    const questions = written(lines(asked()));
    const args = ["eval", index, questions, "--method", "pons", "--json"];
    await server.script([{ fault: "key", value: "another", task: "claim", contains: "Statement: Ines burned" }, ...JUDGE]);
    const failed = await run(args, { env, cwd: place });
    assert.equal(failed.status, 4, failed.err);
    assert.equal(failed.out, "");
    const [, kept] = /3 answers so far are kept in (\S+), and the same command goes on from there/.exec(failed.err.replace(/\s+/g, " ")) ?? [];
    assert.ok(kept && existsSync(path.join(place, kept)), failed.err);
    const file = path.join(place, kept);
    const text = readFileSync(file, "utf8");
    const [head, ...kepts] = text.trimEnd().split("\n");
    assert.deepEqual([JSON.parse(head).format, kepts.length], ["plotbridge-eval-part", 3]);
    await server.forget();
    for (const other of ["5\n", `${head.replace("part", "whole")}\n`, `${head}\n${kepts[0].replace(/"id":"[^"]*"/, '"id":5')}\n`]) {
      writeFileSync(file, other);
      const { status, err } = await run(args, { env, cwd: place });
      assert.equal(status, 3, err);
      assert.match(err, /is not what an evaluation leaves/);
    }
    assert.deepEqual((await server.log()).requests, [], "a damaged file is told before anything is asked");
    writeFileSync(file, text);
    await server.script(JUDGE);
    const went = await run(args, { env, cwd: place });
    assert.equal(went.status, 0, went.err);
    assert.match(went.err, /3 answers found again/);
    const { pons, "closed-book": closed } = JSON.parse(went.out).methods;
    assert.deepEqual([pons.questions, pons.pair_acc, closed.questions], [4, 1, 4]);
    const { requests } = await server.log();
    assert.equal(requests.filter(({ task }) => task === "claim").length, 1, "nothing is paid for twice");
    assert.deepEqual(readdirSync(place), [], "what was kept is gone");
  });

  test("a command that is killed loses nothing: the same command goes on, also after half a line", async () => {
    const place = folder();
    const questions = written(lines(asked()));
    const args = ["eval", index, questions, "--method", "pons", "--json"];
    // The third question is never answered.
    await server.script([{ fault: "hang", task: "claim" }, ...JUDGE]);
    await server.forget();
    const running = start(args, { env, cwd: place });
    let log = await server.log(1);
    while (!log.requests.some(({ task }) => task === "claim")) log = await server.log(log.requests.length + 1);
    running.child.kill("SIGKILL");
    await running.done;
    const [kept] = readdirSync(place);
    const file = path.join(place, kept);
    const text = readFileSync(file, "utf8");
    assert.equal(text.trimEnd().split("\n").length, 3, "a head and two answers");
    writeFileSync(file, `${text}{"book":"","dig`);
    await server.script(JUDGE);
    await server.forget();
    const went = await run(args, { env, cwd: place });
    assert.equal(went.status, 0, went.err);
    assert.match(went.err, /2 answers found again in plotbridge-eval-\S+\.part\.jsonl/);
    assert.equal(JSON.parse(went.out).methods.pons.pair_acc, 1);
    const { requests } = await server.log();
    assert.equal(requests.filter(({ task }) => task === "answer" || task === "choice").length, 0, "nothing is paid for twice");
    assert.deepEqual(readdirSync(place), []);
  });

  test("4: an endpoint that answers no question has no figures", async () => {
    const place = folder();
    await server.script([{ fault: "unknown-model", value: "scripted-chat" }]);
    const { status, out, err } = await run(["eval", index, written(lines(asked().slice(0, 2))), "--method", "bm25"], { env, cwd: place });
    assert.deepEqual([status, out], [4, ""]);
    assert.match(err, /nothing was answered yet/);
    assert.deepEqual(readdirSync(place), []);
  });

  test("a question that an endpoint fails for is a failure that counts as nothing found", async () => {
    await server.script([{ fault: "context", value: 1, task: "claim", contains: "Statement: Ines burned" }, ...JUDGE]);
    const { methods } = await json([index, written(lines(asked())), "--method", "pons"], { env });
    assert.deepEqual([methods.pons.failures, methods.pons.claim_acc, methods.pons.pair_acc], [1, 0.5, 0]);
    assert.equal(methods.pons.failed[0].id, "f");
  });

  test("another command finds nothing of it, and what is damaged is said", async () => {
    const place = folder();
    const questions = written(lines(asked()));
    await server.script([{ fault: "key", value: "another", task: "claim", contains: "Statement: Ines burned" }, ...JUDGE]);
    const args = ["eval", index, questions, "--method", "pons"];
    await run(args, { env, cwd: place });
    const [kept] = readdirSync(place);
    await server.script(JUDGE);
    const other = await run([...args, "--set", "k1=5"], { env, cwd: place });
    assert.equal(other.status, 0, other.err);
    assert.doesNotMatch(other.err, /found again/);
    writeFileSync(path.join(place, kept), "{\n");
    const damaged = await run(args, { env, cwd: place });
    assert.deepEqual([damaged.status, /delete it to begin anew/.test(damaged.err)], [3, true]);
  });
});

describe("questions of another book", () => {
  const quoted = (part, quote, more) => ({ question: "Who?", evidence: [{ ...span(part), quote }], ...more });

  test("2: quotations that do not stand where they should", async () => {
    const { status, out, err } = await run(["eval", index, written(lines([quoted("bury the box", "Call me Ishmael", { id: "w1" })])), "--method", "bm25"]);
    assert.deepEqual([status, out], [2, ""]);
    assert.match(err, /the questions are of another text: 1 of 1 .*"w1".*"Call me Ishmael" there, but "bury the box"/);
  });

  test("2: of the second of two books, and nothing is left of the first", async () => {
    const [place, there] = [folder(), folder()];
    for (const name of ["ferry", "other"]) copyFileSync(index, path.join(place, `${name}.plot.json`));
    const asked = [quoted("bury the box", "bury the box", { book: "ferry" }), quoted("a letter", "a whale", { book: "other" })];
    const { status, err } = await run(["eval", place, written(lines(asked)), "--method", "bm25"], { cwd: there });
    assert.equal(status, 2, err);
    assert.match(err, /of another text: 1 of 1/);
    assert.deepEqual(readdirSync(there), []);
  });

  test("one quotation of several that differs is an issue, and so is the name of another book", async () => {
    const asked = [quoted("bury the box", "Bury the box."), quoted("chapel floor", "chapel floor"), quoted("a letter", "a whale", { book: "moby" })];
    const { issues } = await json([index, written(lines(asked)), "--method", "bm25"]);
    assert.deepEqual(issues.map(({ code }) => code), ["book_other", "evidence_differs"]);
    assert.match(issues[0].message, /1 question of the file names another book, such as "moby", and was asked of "ferry"/);
  });
});

test("for people: tables, and the progress on stderr", async () => {
  const { status, out, err } = await run(["eval", index, written(lines([...QUESTIONS, { id: "none", question: "?" }])), "--sweep", "k1=5"]);
  assert.equal(status, 0, err);
  assert.match(out, /^4 questions, generator none\n/);
  for (const name of ["pons", "dense", "bm25", "pons:k1=5"]) assert.match(out, new RegExp(`^  ${name} +[\\d.]+ .*\\n +±`, "m"));
  assert.match(out, /Not asked: 1 question\n  none: the question is empty \[question_invalid\]/);
  assert.doesNotMatch(out, /undefined|NaN|null|\[object/);
  assert.ok(out.split("\n").every((line) => line.length <= 80), "within 80 columns");
  assert.match(err, /pons …\ncoda …\nhippo …\nlight …\ndense …\nbm25 …\n/);
});

describe("exit statuses", () => {
  const cases = {
    "a bad line, by its number": [() => [index, written(`${JSON.stringify(QUESTIONS[0])}\n\n{"question": 5}\n`)], 2, /line 3 .*expected a string/],
    "no question": [() => [index, written("\n")], 2, /no question/],
    "a file that is not text": [() => [index, written(Buffer.from([0x7b, 0xff, 0xfe]))], 3, /not UTF-8/],
    "a file that is not there": [() => [index, "/no/such.jsonl"], 3, /no such file/],
    "an index that is not there": [() => ["/no/such.plot.json", file], 3, /no such file/],
    "evidence of another text": [() => [index, written('{"id": "q7", "question": "Who?", "evidence": [{"start": 1, "end": 99999}]}')], 2, /"q7".*99999/],
    "a method that does not exist": [() => [index, file, "--method", "bm25,magic"], 2, /magic/],
    "a setting that does not exist": [() => [index, file, "--sweep", "dampin=0.1"], 2, /damping/],
    "a value out of range": [() => [index, file, "--sweep", "k1=5,0"], 2, /k1/],
    "a sweep without values": [() => [index, file, "--sweep", "k1"], 2, /KEY=v1,v2/],
    "a sweep with an empty value": [() => [index, file, "--sweep", "k1=5,"], 2, /KEY=v1,v2/],
    "a sweep of a baseline": [() => [index, file, "--method", "bm25", "--sweep", "k1=5"], 2, /bm25/],
    "a limit of none": [() => [index, file, "--limit", "0"], 2, /--limit is 0/],
    "a context too small": [() => [index, file, "--context-tokens", "5"], 2, /context tokens are 5/],
    "a flag of another command": [() => [index, file, "--merges"], 2, /eval takes no --merges/],
    "an ablation that does not exist": [() => [index, file, "--ablate", "no-matches"], 2, /"no-matches".*no-match/],
    "an ablation of a baseline": [() => [index, file, "--method", "bm25", "--ablate", "no-match"], 2, /--ablate is of pons/],
    "a table that there is not": [() => [index, file, "--table", "6"], 2, /one of 3, 4, 5, 8/],
    "a sweep with a value too few": [() => [index, file, "--sweep", "alpha/beta=1/0,1"], 2, /has 1 for 2 keys/],
    "a claim without a label": [() => [index, written('{"question": "x", "pair": 1}')], 2, /line 1 .*neither true nor false/],
    "a book that is not there": [() => [home, written(lines([{ ...QUESTIONS[0], book: "moby" }]))], 3, /"box" is about "moby".*moby\.plot\.json/],
    "a book outside of the folder": [() => [home, written(lines([{ ...QUESTIONS[0], book: "../x" }]))], 2, /is not in/],
    "no book for a folder": [() => [home, written(lines([{ id: "n", question: "Who?" }]))], 2, /"n" names no book/],
  };
  for (const [name, [args, status, message]] of Object.entries(cases)) {
    test(`${status}: ${name}`, async () => {
      const result = await run(["eval", ...args()]);
      assert.equal(result.status, status, result.err);
      assert.match(result.err.trimEnd().split("\n").at(-1), message);
      assert.equal(result.out, "", "nothing on stdout");
    });
  }

  test("130: interrupted, with nothing on stdout", async () => {
    const place = folder();
    writeFileSync(path.join(place, "long.txt"), long(400_000));
    const { status } = await run(["index", path.join(place, "long.txt"), "-o", path.join(place, "long.plot.json")]);
    assert.equal(status, 0);
    const asked = written(lines(Array.from({ length: 20_000 }, (_, at) => ({ question: `Who warned Ines Vale about number ${at}?` }))));
    const running = start(["eval", path.join(place, "long.plot.json"), asked], { cwd: place });
    await until(running, "err", /pons …\n/);
    running.child.kill("SIGINT");
    const ended = await running.done;
    assert.equal(ended.status, 130, ended.err);
    assert.equal(ended.out, "");
    assert.match(ended.err, /cancelled; (nothing was answered yet|[\d,]+ answers? so far (is|are) kept in \S+, and the same command goes on from there)\n$/);
  });
});
