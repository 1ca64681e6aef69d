// plotbridge eval --judge: a good judge, one that says "Output:" first, one that rambles, one that fails; who
// judges, what it costs, and what is said where nobody can.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { plain } from "../contract/assert.js";
import { QUESTION, SMALL } from "../contract/books.js";
import { folder, run, start } from "./command.js";
import { elements } from "./html.js";
import { modelServer } from "./model-server.js";

const MEASURES = ["correctness", "factual", "similarity", "coverage", "faithfulness", "evidence_recall", "context_relevance", "unread"];
const GOLD = "Dr. Pike and Ines bury the box under the chapel floor.";

/** As GraphRAG-Bench has them: `answer`, evidence in words, `question_type`; and one without a type. */
const QUESTIONS = [
  { id: "fact", question: QUESTION, answer: GOLD, evidence: [GOLD], question_type: "Fact Retrieval" },
  { id: "free", question: QUESTION, answer: GOLD, evidence: [{ start: SMALL.indexOf("bury the box"), end: SMALL.indexOf("bury the box") + 12, quote: "bury the box" }] },
];

let server;
let index;
let file;
let env;

before(async () => {
  server = await modelServer();
  env = { PLOTBRIDGE_CHAT_URL: server.url, PLOTBRIDGE_CHAT_MODEL: "scripted-chat" };
  const home = folder();
  index = path.join(home, "ferry.plot.json");
  file = path.join(home, "questions.jsonl");
  writeFileSync(path.join(home, "ferry.txt"), SMALL);
  writeFileSync(file, QUESTIONS.map((question) => `${JSON.stringify(question)}\n`).join(""));
  const { status, err } = await run(["index", path.join(home, "ferry.txt"), "-o", index, "--title", "ferry"]);
  assert.equal(status, 0, err);
});
after(() => server.close());

const ANSWERS = [
  { reply: `### Final Answer\n${GOLD}`, task: "answer" },
  { reply: "### Final Answer\nin a barrel", task: "closed_book" },
];

async function judged(rules = [], args = [], environment = env) {
  await server.script([...rules, ...ANSWERS]);
  await server.forget();
  const { status, out, err } = await run(["eval", index, file, "--method", "pons", "--judge", "--json", ...args], { env: environment });
  assert.equal(status, 0, err);
  const document = JSON.parse(out);
  plain(document);
  return document;
}

describe("a judge", () => {
  test("that is good gives every measure, its interval, and what it cost", async () => {
    const document = await judged();
    assert.equal(document.judge, "scripted-chat");
    const { pons, "closed-book": closed } = document.methods;
    assert.deepEqual(Object.keys(pons.judge), MEASURES);
    assert.ok(Math.abs(pons.judge.correctness - 1) < 1e-6 && Math.abs(pons.rouge_l - 1) < 1e-9, JSON.stringify(pons.judge));
    assert.deepEqual([pons.judge.coverage, pons.judge.faithfulness, pons.judge.evidence_recall, pons.judge.unread], [1, 1, 1, 0]);
    assert.ok(pons.judge.context_relevance > 0);
    assert.equal(pons.intervals.judge.coverage.length, 2);
    assert.deepEqual([pons.counted.judge.correctness, pons.counted.judge.coverage], [2, 1], "coverage is not of Fact Retrieval");
    assert.ok(closed.judge.correctness < 0.5);
    assert.deepEqual([closed.judge.faithfulness, closed.judge.evidence_recall], [null, null]);
    assert.deepEqual(Object.keys(pons.by_question_type), ["Fact Retrieval"]);
    const judging = document.ledger.calls.find(({ stage }) => stage === "judge");
    assert.equal(judging.requests, 6 + 9 + 3 + 5);
    assert.ok(pons.requests < 10, "judging is no cost of answering");
    const difference = document.differences.find(({ of }) => of === "closed-book");
    assert.ok(difference.judge.correctness < -0.5);
    assert.deepEqual(document.issues.map(({ code }) => code).filter((code) => code === "judge_own"), ["judge_own"]);
    const { requests } = await server.log();
    assert.ok(requests.filter(({ task }) => task === "covered").length === 2);
  });

  test('that says "Output:" first, or writes a list, is read', async () => {
    const both = (number) => `Output: {"verdicts": [{"number": 1, "supported": true}${number > 1 ? ', {"number": 2, "supported": true}' : ""}]}`;
    const { methods: { pons } } = await judged([
      { reply: 'Output: {"statements": ["The box is under the chapel floor."]}', task: "statements" },
      { reply: "Here are the facts:\n1. The box is under the floor.", task: "gold_facts" },
      { reply: both(2), task: "correctness" },
      { reply: "Statement 1: supported", task: "covered" },
      { reply: `Let me think about it.\n\n\`\`\`json\n${both(1).slice(8)}\n\`\`\``, task: "faithful" },
      { reply: "[true]", task: "attributed" },
      { reply: "Rating: 2", task: "relevance" },
      { reply: "I rate it 2.", task: "relevance_again" },
    ]);
    const { similarity, correctness, factual, ...rest } = pons.judge;
    assert.ok(Math.abs(factual - 1) < 1e-6 && Math.abs(correctness - 0.75 - 0.25 * similarity) < 1e-6);
    assert.deepEqual(rest, { coverage: 1, faithfulness: 1, evidence_recall: 1, context_relevance: 1, unread: 0 });
  });

  test("that rambles judges nothing, which is a figure, and no zero", async () => {
    const ramble = ["statements", "gold_facts", "correctness", "covered", "faithful", "attributed", "relevance", "relevance_again"]
      .map((task) => ({ reply: "That depends on what one takes the floor to be, and on much else.", task }));
    const document = await judged(ramble);
    const { judge, counted, rouge_l: rouge } = document.methods.pons;
    assert.deepEqual([judge.correctness, judge.coverage, judge.evidence_recall, judge.context_relevance, judge.unread], [null, null, null, null, 1]);
    assert.deepEqual([counted.judge.correctness, counted.judge.unread], [0, 2]);
    assert.ok(rouge > 0.9, "what needs no judge is there");
    const place = path.join(folder(), "report.html");
    const { status, out, err } = await run(["eval", index, file, "--method", "pons", "--judge", "--html", place], { env });
    assert.equal(status, 0, err);
    assert.match(out, /unr\b/);
    assert.doesNotMatch(out, /undefined|NaN|null/);
  });

  test("4: that fails ends the command, and the same command goes on with what was judged", async () => {
    const place = folder();
    const args = ["eval", index, file, "--method", "pons", "--judge", "--json"];
    await server.script([{ fault: "key", value: "another", task: "faithful" }, ...ANSWERS]);
    const failed = await run(args, { env, cwd: place });
    assert.deepEqual([failed.status, failed.out], [4, ""], failed.err);
    assert.match(failed.err.replace(/\s+/g, " "), /1 answer so far is kept in \S+\.part\.jsonl, and the same command goes on from there/);
    await server.script(ANSWERS);
    await server.forget();
    const went = await run(args, { env, cwd: place });
    assert.equal(went.status, 0, went.err);
    assert.match(went.err, /1 answer found again/);
    assert.equal(JSON.parse(went.out).methods.pons.counted.judge.correctness, 2);
    assert.deepEqual(readdirSync(place), []);
  });

  test("5: keeps to the budget, and Ctrl-C keeps what was judged", async () => {
    const place = folder();
    await server.script(ANSWERS);
    const { status, err } = await run(["eval", index, file, "--method", "pons", "--judge", "--budget-tokens", "9000"], { env, cwd: place });
    assert.equal(status, 5, err);
    await server.script([{ fault: "hang", task: "faithful" }, ...ANSWERS]);
    await server.forget();
    const running = start(["eval", index, file, "--method", "pons", "--judge", "--limit", "2"], { env, cwd: folder() });
    let log = await server.log(1);
    while (!log.requests.some(({ task }) => task === "faithful")) log = await server.log(log.requests.length + 1);
    running.child.kill("SIGINT");
    const ended = await running.done;
    assert.equal(ended.status, 130, ended.err);
    assert.match(ended.err, /1 answer so far is kept/);
  });
});

describe("who judges", () => {
  test("another model than the one that answers, or one where none does", async () => {
    const flags = ["--judge-url", server.url, "--judge-model", "scripted-judge"];
    const document = await judged([], flags);
    assert.deepEqual([document.generator, document.judge], ["scripted-chat", "scripted-judge"]);
    assert.deepEqual(document.issues.filter(({ code }) => code === "judge_own"), []);
    const stages = document.ledger.calls.filter(({ model }) => model === "scripted-judge").map(({ stage }) => stage);
    assert.deepEqual(stages, ["judge"]);
    const offline = await judged([], flags, {});
    assert.deepEqual([offline.generator, offline.judge, offline.methods["closed-book"]], ["none", "scripted-judge", undefined]);
    assert.ok(offline.methods.pons.judge.correctness > 0);
  });

  test("nobody: what needs a judge is left out, and said so; ROUGE-L is there", async () => {
    const document = await judged([], [], {});
    assert.equal(document.judge, null);
    assert.match(document.left_out[0].what, /correctness, .*context_relevance/);
    const { judge, rouge_l: rouge } = document.methods.pons;
    assert.deepEqual(Object.values(judge), MEASURES.map(() => null));
    assert.ok(rouge > 0);
  });

  test("2: half of a judge", async () => {
    const { status, err } = await run(["eval", index, file, "--judge-model", "x"], { env });
    assert.equal(status, 2);
    assert.match(err, /--judge-url/);
  });
});

test("the tables and the report show the judge's measures", async () => {
  await server.script(ANSWERS);
  const place = path.join(folder(), "report.html");
  const { status, out, err } = await run(["eval", index, file, "--method", "pons,bm25", "--judge", "--html", place], { env });
  assert.equal(status, 0, err);
  assert.match(out, /^2 questions, generator scripted-chat, judge scripted-chat\n/);
  assert.match(out, /corr +fact +sim/);
  assert.match(out, /By question_type\n/);
  assert.ok(out.split("\n").every((line) => line.length <= 80), "within 80 columns");
  const text = readFileSync(place, "utf8");
  const heads = elements(text).filter(({ name }) => name === "th").length;
  assert.ok(heads > 30);
  for (const word of ["judged by", "correctness", "faithfulness", "By question_type", "unread"]) assert.ok(text.includes(word), word);
  assert.doesNotMatch(text, /undefined|NaN|null/);
});
