// plotbridge eval: its document, its tables, several books, and what it refuses.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";

import { plain } from "../contract/assert.js";
import { long, QUESTION, SMALL } from "../contract/books.js";
import { fits } from "../contract/shapes.js";
import { folder, run, start, until } from "./command.js";

const N = "number";
const AT = { 1: N, 5: N, 10: N, 20: N };
const AT_TOKENS = { 1200: N, 6000: N };
const ENDS = [N];
const METHOD = {
  f1: N, em: N, acc: N, recall_at: AT, recall_at_tokens: AT_TOKENS,
  passage_tokens_mean: N, context_tokens_mean: N, ms_p50: N, ms_p95: N, failures: N,
  failed: [{ id: "string", code: "string", message: "string" }],
  intervals: {
    f1: ENDS, em: ENDS, acc: ENDS, recall_at: { 1: ENDS, 5: ENDS, 10: ENDS, 20: ENDS }, recall_at_tokens: { 1200: ENDS, 6000: ENDS },
  },
  counted: { f1: N, em: N, acc: N, recall_at: AT, recall_at_tokens: AT_TOKENS },
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
const timeless = ({ methods, ...rest }) => ({ ...rest, methods: Object.values(methods).map((method) => ({ ...method, ms_p50: 0, ms_p95: 0 })) });

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
    fits(document, { questions: N, generator: "string" });
    assert.deepEqual([document.questions, document.generator], [3, "none"]);
    assert.deepEqual(Object.keys(document.methods), ["pons", "dense", "bm25"]);
    for (const [name, method] of Object.entries(document.methods)) {
      fits(method, METHOD, name);
      assert.equal(method.failures, 0);
      assert.deepEqual([method.counted.f1, method.counted.acc, method.counted.recall_at[1]], [1, 1, 2]);
      assert.equal(method.recall_at[20], 1, "three chunks: all of them are evidence");
      assert.equal(method.recall_at_tokens[1200], 1);
      assert.ok(method.ms_p50 <= method.ms_p95);
    }
    assert.equal(document.methods.pons.acc, 1);
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
  });
});

test("for people: two tables, and the progress on stderr", async () => {
  const { status, out, err } = await run(["eval", index, written(lines([...QUESTIONS, { id: "none", question: "?" }])), "--sweep", "k1=5"]);
  assert.equal(status, 0, err);
  assert.match(out, /^4 questions, generator none\n/);
  for (const name of ["pons", "dense", "bm25", "pons:k1=5"]) assert.match(out, new RegExp(`^  ${name} +[\\d.]+ .*\\n +±`, "m"));
  assert.match(out, /Not asked: 1 question\n  none: the question is empty \[question_invalid\]/);
  assert.doesNotMatch(out, /undefined|NaN|null|\[object/);
  assert.ok(out.split("\n").every((line) => line.length <= 80), "within 80 columns");
  assert.match(err, /pons …\ndense …\nbm25 …\n/);
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
    "a flag of a later version": [() => [index, file, "--html", "x.html"], 2, /not in this version/],
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
    const running = start(["eval", path.join(place, "long.plot.json"), asked]);
    await until(running, "err", /pons …\n/);
    running.child.kill("SIGINT");
    const ended = await running.done;
    assert.equal(ended.status, 130, ended.err);
    assert.equal(ended.out, "");
    assert.match(ended.err, /cancelled\n$/);
  });
});
