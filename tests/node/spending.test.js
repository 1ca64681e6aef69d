// Budgets, limits and ledgers from the command line, against the scripted server.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { QUESTION, SMALL } from "../contract/books.js";
import { fits, LEDGER } from "../contract/shapes.js";
import { folder, run, start, until } from "./command.js";
import { modelServer } from "./model-server.js";

const KEY = "sk-hidden-key";
let server, home, book, index, env, whole;

before(async () => {
  server = await modelServer();
  home = folder();
  book = path.join(home, "ferry.txt");
  index = path.join(home, "ferry.plot.json");
  writeFileSync(book, SMALL);
  env = { PLOTBRIDGE_CHAT_URL: server.url, PLOTBRIDGE_CHAT_MODEL: "scripted-chat", PLOTBRIDGE_EMBED_URL: server.url, PLOTBRIDGE_EMBED_MODEL: "scripted-embed", PLOTBRIDGE_KEY: KEY };
  const { status, out, err } = await run(["index", book, "-o", index, "--json"], { env });
  assert.equal(status, 0, err);
  whole = JSON.parse(out);
});
after(() => server.close());

const script = async (...rules) => {
  await server.script(rules);
  await server.forget();
};
const asked = async () => (await server.log()).requests;
const tokens = ({ prompt_tokens: sent, completion_tokens: received }) => sent + received;
const anywhere = () => path.join(folder(), "x.plot.json");

describe("the ledger", () => {
  test("stands beside the index, whole, with counts and names alone", () => {
    const text = readFileSync(path.join(home, "ferry.ledger.json"), "utf8");
    const ledger = JSON.parse(text);
    fits(ledger, LEDGER);
    assert.deepEqual(ledger, whole.ledger);
    assert.doesNotMatch(text, /hidden|127\.0\.0\.1|localhost|http|20\d\d-/);
    assert.deepEqual(ledger.calls.slice(0, 3).map(({ stage, model }) => [stage, model]), ["entities", "triples", "events"].map((stage) => [stage, "scripted-chat"]));
    assert.equal(tokens(ledger.total), whole.tokens);
  });

  test("that could not be written is told before anything is asked", async () => {
    const out = anywhere();
    mkdirSync(out.replace(".plot.json", ".ledger.json"));
    await script();
    const { status, err } = await run(["index", book, "-o", out], { env });
    assert.deepEqual([status, (await asked()).length], [2, 0], err);
    assert.match(err, /ledger\.json is a folder/);
  });

  const written = (out) => JSON.parse(readFileSync(out.replace(".plot.json", ".ledger.json"), "utf8")).total;

  test("is written when a build fails, is over its budget or interrupted, and holds the whole cost after each resume", async () => {
    const out = anywhere();
    const args = ["index", book, "-o", out, "--concurrency", "1"];
    await script({ fault: "quota", nth: 3, on: "chat" });
    assert.equal((await run(args, { env })).status, 4);
    assert.ok(!existsSync(out));
    assert.equal(written(out).requests, (await asked()).length);

    await server.script([]);
    assert.equal((await run([...args, "--budget-tokens", String(Math.floor(tokens(whole.ledger.total) * 0.5))], { env })).status, 5);
    assert.equal(written(out).requests, (await asked()).length);

    await server.script([{ fault: "hang", nth: 2, on: "chat" }]);
    const { count } = await server.log();
    const running = start(args, { env });
    await server.log(count + 2);
    running.child.kill("SIGINT");
    const broken = await running.done;
    assert.equal(broken.status, 130);
    assert.match(broken.err, /tokens were spent in 2 requests/);
    assert.equal(written(out).requests, (await asked()).length);

    await server.script([]);
    const last = JSON.parse((await run([...args, "--json"], { env })).out);
    assert.ok(existsSync(out));
    const total = written(out);
    fits(JSON.parse(readFileSync(out.replace(".plot.json", ".ledger.json"), "utf8")), LEDGER);
    assert.equal(total.requests, (await asked()).length, "what four runs sent");
    assert.ok(total.requests > last.ledger.total.requests && tokens(total) > tokens(last.ledger.total));

    assert.equal((await run([...args, "--fresh"], { env })).status, 0);
    assert.equal(written(out).requests, whole.ledger.total.requests, "--fresh begins anew");
  });

  test("none is written without an endpoint, and the index holds no time, date or address", async () => {
    const out = anywhere();
    const { status, err } = await run(["index", book, "-o", out]);
    assert.equal(status, 0, err);
    assert.ok(!existsSync(out.replace(".plot.json", ".ledger.json")));
    for (const file of [out, index]) assert.doesNotMatch(readFileSync(file, "utf8"), /"(seconds|ms|created|date|time|url|host|prompt_tokens)"|127\.0\.0\.1|localhost|hidden|https?:\/\/|\b20\d\d-\d\d-\d\d/);
  });

  test("is printed at the end of index, ask and eval, with retries and what was kept", async () => {
    await script({ fault: "status", value: 500, nth: 2, on: "chat" });
    const out = anywhere();
    const first = await run(["index", book, "-o", out, "--concurrency", "1"], { env });
    assert.match(first.out, /Spent\n +requests +sent +received +cached +again +seconds\n +entities/, first.err);
    assert.match(first.out, /read +(\d+) of \1 chunks/);
    const { total } = JSON.parse(readFileSync(out.replace(".plot.json", ".ledger.json"), "utf8"));
    assert.equal(total.retried, 1);
    assert.equal(total.requests, (await asked()).length);
    const again = JSON.parse((await run(["index", book, "-o", out, "--json"], { env })).out);
    assert.equal(again.ledger.total.requests, 0);
    assert.ok(again.ledger.total.cached > 10, "all was kept");
    const answer = await run(["ask", index, QUESTION], { env });
    assert.match(answer.out, /Spent\n.*generate/s);
    const questions = path.join(home, "questions.jsonl");
    writeFileSync(questions, `${JSON.stringify({ id: "a", question: QUESTION, answers: ["the chapel"] })}\n`);
    const scores = await run(["eval", index, questions, "--method", "pons,bm25"], { env });
    assert.match(scores.out, /Spent\n.*generate, scripted-chat +2 /s, scores.err);
    const { ledger } = JSON.parse((await run(["eval", index, questions, "--method", "bm25", "--json"], { env })).out);
    assert.equal(ledger.calls.find(({ stage }) => stage === "generate").requests, 1);
  });
});

describe("a budget", () => {
  const commands = {
    index: (budget, out) => ["index", book, "-o", out, "--budget-tokens", String(budget)],
    ask: (budget) => ["ask", index, QUESTION, "--budget-tokens", String(budget)],
    eval: (budget) => ["eval", index, path.join(home, "some.jsonl"), "--method", "bm25", "--budget-tokens", String(budget)],
  };

  test("of nothing sends nothing", async () => {
    writeFileSync(path.join(home, "some.jsonl"), [1, 2, 3].map((id) => `${JSON.stringify({ id: `q${id}`, question: QUESTION, answers: ["x"] })}\n`).join(""));
    for (const command of Object.values(commands)) {
      await script();
      const { status, err } = await run(command(0, anywhere()), { env });
      assert.equal(status, 5, err);
      assert.match(err, /budget of 0 tokens is reached.*--budget-tokens allows more/s);
      assert.equal((await asked()).length, 0);
    }
  });

  test("is never passed, whatever it is, and the next run goes on from what was done", async () => {
    const cost = tokens(whole.ledger.total);
    for (const share of [0.5, 0.7, 0.9]) {
      await script();
      const out = anywhere();
      const budget = Math.floor(cost * share);
      const { status, err } = await run(commands.index(budget, out), { env });
      assert.equal(status, 5, err);
      assert.match(err, /tokens were spent in [\d,]+ requests?.*the same command goes on from there/s);
      const [, spent] = /([\d,]+) tokens were spent/.exec(err);
      assert.ok(Number(spent.replaceAll(",", "")) <= budget, `${spent} of ${budget}`);
      const before = (await asked()).length;
      assert.ok(before > 0, "something was done");
      const next = JSON.parse((await run(["index", book, "-o", out, "--json"], { env })).out);
      assert.equal((await asked()).length - before, next.ledger.total.requests);
      assert.equal(next.ledger.total.requests + before, whole.ledger.total.requests, "nothing is asked twice");
      assert.ok(readFileSync(out).equals(readFileSync(index)), "the same index");
    }
  });

  test("counts retries too", async () => {
    await script({ fault: "status", value: 500, on: "chat" });
    const { status, err } = await run([...commands.index(2500, anywhere()), "--concurrency", "1"], { env });
    assert.equal(status, 5, err);
    const requests = (await asked()).length;
    assert.ok(requests > 1 && requests < 9, `what failed may be charged for: ${requests} requests, and 9 without a budget`);
  });
});

describe("limits", () => {
  test("of requests a minute are kept", async () => {
    await script();
    const { count } = await server.log();
    const running = start(["index", book, "-o", anywhere(), "--rpm", "1"], { env });
    await Promise.all([until(running, "err", /passages: waiting, \d+ /), server.log(count + 1)]);
    running.child.kill("SIGINT");
    const { status, err } = await running.done;
    assert.equal(status, 130, err);
    assert.equal((await asked()).length, 1);
    assert.ok(err.match(/waiting/g).length <= 8, "told once, not for each tenth of a second");
  });

  test("a server that asks for more than --patience is waited for no longer", async () => {
    await script({ fault: "rate-limit", value: 30, on: "chat" });
    const { status, err } = await run(["index", book, "-o", anywhere(), "--patience", "0"], { env });
    assert.equal(status, 4, err);
    assert.doesNotMatch(err, /waiting/);
  });

  test("a wait that a server asks for is told", async () => {
    await script({ fault: "rate-limit", value: 1, nth: 1, on: "chat" });
    const { status, err } = await run(["index", book, "-o", anywhere()], { env });
    assert.equal(status, 0, err);
    assert.match(err, /passages: waiting, \d s\n/);
  });

  test("what is answered by a page in place of a stream is asked for once", async () => {
    await script({ fault: "html", on: "chat" });
    const { status } = await run(["ask", index, QUESTION], { env });
    assert.equal(status, 4);
    const chats = (await asked()).filter(({ body }) => body.messages).map(({ body }) => JSON.stringify(body.messages));
    assert.ok(chats.length > 0);
    assert.equal(new Set(chats).size, chats.length, "each request once");
  });
});
