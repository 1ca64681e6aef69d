// plotbridge diagnose and diagnose(), against the scripted server and against nobody.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer as plainServer } from "node:http";
import { createServer } from "node:net";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { inspect } from "node:util";

import { Book, diagnose } from "../../pkg/node.js";
import { SMALL } from "../contract/books.js";
import { fits } from "../contract/shapes.js";
import { folder, run, start } from "./command.js";
import { modelServer } from "./model-server.js";

const KEY = "sk-hidden-key";
const DIAGNOSIS = {
  ok: "boolean", checks: [{ endpoint: "string", check: "string", ok: "boolean", message: "string" }], issues: [{ code: "string", message: "string" }],
  usage: { requests: "number", prompt_tokens: "number", completion_tokens: "number" },
};

let server, env, index;
before(async () => {
  server = await modelServer();
  env = { PLOTBRIDGE_CHAT_URL: server.url, PLOTBRIDGE_CHAT_MODEL: "scripted-chat", PLOTBRIDGE_EMBED_URL: server.url, PLOTBRIDGE_EMBED_MODEL: "scripted-embed", PLOTBRIDGE_KEY: KEY };
  const home = folder();
  [index] = [path.join(home, "ferry.plot.json")];
  writeFileSync(path.join(home, "ferry.txt"), SMALL);
  const { status, err } = await run(["index", path.join(home, "ferry.txt"), "-o", index], { env: { ...env, PLOTBRIDGE_CHAT_URL: "", PLOTBRIDGE_CHAT_MODEL: "" } });
  assert.equal(status, 0, err);
});
after(() => server.close());

async function diagnosed(args, rules = [], own = {}) {
  await server.script(rules);
  await server.forget();
  const { status, out, err } = await run(["diagnose", ...args, "--json"], { env: { ...env, ...own } });
  assert.doesNotMatch(out + err, /hidden/);
  const found = JSON.parse(out);
  fits(found, DIAGNOSIS);
  assert.equal(status, found.ok ? 0 : 4, err);
  return found;
}

const faults = ({ checks }) => checks.filter(({ ok }) => !ok).map(({ endpoint, check, code }) => `${endpoint} ${check} ${code}`);

test("diagnose tells that it waits for a busy server, and for how long", async () => {
  await server.script([{ fault: "rate-limit-ms", value: 1200, nth: 1 }]);
  const heard = [];
  const endpoint = { url: server.url, model: "scripted-chat" };
  const found = await diagnose(endpoint, { as: "chat", limits: { patienceSeconds: 20 }, onProgress: (progress) => heard.push(progress) });
  await server.script([]);
  assert.equal(found.ok, true);
  assert.ok(heard.every(({ stage }) => stage === "diagnosis"));
  const waits = heard.filter(({ waiting }) => waiting > 0).map(({ waiting }) => waiting);
  assert.equal(waits[0], 2);
  assert.deepEqual(waits, [...new Set(waits)].sort().reverse(), "each second once");
  assert.deepEqual([heard[0].done, heard.at(-1).done], [0, 1]);
});

describe("plotbridge diagnose", () => {
  test("passes both endpoints and an index of theirs, and says what it cost", async () => {
    const found = await diagnosed([index]);
    assert.deepEqual(faults(found), []);
    assert.deepEqual(found.checks.map(({ endpoint, check }) => `${endpoint} ${check}`), [
      ..."address connection path key model reply context".split(" ").map((check) => `chat ${check}`),
      ..."address connection path key model vectors index".split(" ").map((check) => `embed ${check}`),
    ]);
    const { requests } = await server.log();
    assert.equal(found.usage.requests, requests.filter(({ method }) => method === "POST").length);
    const counted = found.usage.prompt_tokens;
    assert.ok(counted > 10_000 && counted < 16_000, counted);
    const said = await run(["diagnose", index], { env });
    assert.equal(said.status, 0, said.err);
    assert.match(said.out, /^Chat\n  ok {3}address: Requests go to /);
    assert.match(said.out, /All is well\. This took \d+ requests/);
    assert.ok(said.out.split("\n").every((line) => line.length <= 80), said.out);
  });

  for (const [name, rules, own, fault, copy] of [
    ["a bad key", [{ fault: "key", value: "another", on: "chat" }], {}, "chat key key"],
    ["an unknown model", [{ fault: "unknown-model", on: "chat" }], { PLOTBRIDGE_CHAT_MODEL: "scripted-chta" }, "chat model model", /^scripted-chat$/],
    ["no embeddings", [{ fault: "status", value: 501, on: "embeddings" }], {}, "embed vectors no_embeddings"],
    ["vectors of another width", [{ fault: "width", value: 7 }], {}, "embed index width"],
    ["vectors of zeros", [{ fault: "zeros" }], {}, "embed vectors vectors"],
    ["a context that silently cuts", [{ fault: "window", value: 2500, on: "chat" }], {}, "chat context context"],
    ["a context that refuses", [{ fault: "context", value: 3000, on: "chat" }], {}, "chat context context"],
    ["no credit", [{ fault: "quota", on: "chat" }], {}, "chat reply credit"],
    ["a page instead of a reply", [{ fault: "html", on: "chat" }], {}, "chat reply reply"],
    ["a redirect", [{ fault: "redirect", on: "chat" }], {}, "chat connection redirect"],
  ]) {
    test(`names ${name}`, async () => {
      const found = await diagnosed([index], rules, own);
      assert.deepEqual(faults(found), [fault], JSON.stringify(found, null, 1));
      const check = found.checks.find(({ ok }) => !ok);
      assert.ok(check.fix.length > 10);
      if (copy) assert.match(check.copy, copy);
    });
  }

  test("keeps to a budget for both endpoints together, and says what it did not try", async () => {
    const found = await diagnosed([index, "--budget-tokens", "3500"]);
    assert.deepEqual(faults(found), [], JSON.stringify(found, null, 1));
    assert.ok(found.usage.prompt_tokens + found.usage.completion_tokens <= 3500);
    assert.deepEqual(found.issues.map(({ code }) => code), ["budget"]);
    assert.match(found.issues[0].message, /of 4000 tokens is seen whole was not tried: the budget of 3500 tokens is reached/);
    assert.ok(found.checks.some(({ check, ok }) => check === "index" && ok), "the embeddings are tried with what is left");
    const none = await diagnosed(["--budget-tokens", "0"]);
    assert.deepEqual(faults(none), ["chat reply budget", "embed vectors budget"]);
    assert.equal((await server.log()).requests.filter(({ method }) => method === "POST").length, 0);
  });

  test("waits for a busy server only with --patience, and for a silent one as long as --timeout says", async () => {
    const busy = [{ fault: "rate-limit-ms", value: 1100, on: "chat", nth: 1 }];
    assert.deepEqual(faults(await diagnosed([], busy)), ["chat reply busy"]);
    assert.deepEqual(faults(await diagnosed(["--patience", "60"], busy)), []);
    assert.deepEqual(faults(await diagnosed(["--timeout", "1"], [{ fault: "hang", on: "chat" }])), ["chat connection timeout"]);
    const { status, err } = await run(["diagnose", "--rpm", "0"], { env });
    assert.deepEqual([status, /--rpm is 0/.test(err)], [2, true]);
    assert.match((await run(["diagnose", "--help"])).out, /--timeout SECONDS +how long an endpoint may be silent \(default 120\)/);
  });

  test("follows a redirect no more than a build does, without a key either", async () => {
    const found = await diagnosed([], [{ fault: "redirect" }], { PLOTBRIDGE_KEY: "" });
    assert.deepEqual(faults(found), ["chat connection redirect", "embed connection redirect"], JSON.stringify(found, null, 1));
    const { requests } = await server.log();
    assert.ok(requests.length > 0 && requests.every(({ host }) => !/^localhost/.test(host ?? "")), "nobody else was asked");
  });

  test("names a path without /v1 and gives the address to copy", async () => {
    const wrong = server.url.replace("/v1", "/api");
    const found = await diagnosed([], [], { PLOTBRIDGE_CHAT_URL: wrong, PLOTBRIDGE_EMBED_URL: wrong });
    assert.deepEqual(faults(found), ["chat path path", "embed path path"]);
    for (const { copy } of found.checks.filter(({ ok }) => !ok)) assert.equal(copy, server.url);
    const said = await run(["diagnose"], { env: { ...env, PLOTBRIDGE_CHAT_URL: wrong, PLOTBRIDGE_EMBED_URL: "", PLOTBRIDGE_EMBED_MODEL: "" } });
    assert.equal(said.status, 4);
    assert.ok(said.out.includes(`\n         ${server.url}\n`), said.out);
    assert.match(said.out, / NOT {2}path: /);
  });

  test("names an index that has no such vectors", async () => {
    assert.deepEqual(faults(await diagnosed([index], [], { PLOTBRIDGE_EMBED_MODEL: "scripted-embed-2" })), ["embed index no_space"]);
  });

  test("names nobody listening, and https where there is none", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address();
    await new Promise((resolve) => closed.close(resolve));
    const plain = plainServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => plain.once("listening", resolve));
    for (const [url, code] of [[`http://127.0.0.1:${port}/v1`, "unreachable"], [`https://127.0.0.1:${plain.address().port}/v1`, "tls"]]) {
      const found = await diagnosed([], [], { PLOTBRIDGE_CHAT_URL: url, PLOTBRIDGE_EMBED_URL: "", PLOTBRIDGE_EMBED_MODEL: "" });
      assert.deepEqual(faults(found), [`chat connection ${code}`], JSON.stringify(found));
    }
    plain.close();
  });

  test("without an endpoint says which flags name one; Ctrl-C ends it", async () => {
    const none = await run(["diagnose"]);
    assert.deepEqual([none.status, /--chat-url/.test(none.err)], [2, true]);
    await server.script([{ fault: "hang" }]);
    const seen = (await server.log()).count;
    const running = start(["diagnose"], { env });
    await server.log(seen + 1);
    running.child.kill("SIGINT");
    assert.equal((await running.done).status, 130);
  });
});

describe("diagnose()", () => {
  const endpoint = () => ({ url: server.url, model: "scripted-embed", key: KEY });

  test("takes an open book, finds out by it what the model is for, and takes a key that a function gives", async () => {
    await server.script([]);
    const book = await Book.build(SMALL, { models: { embed: endpoint() } });
    const found = await diagnose({ ...endpoint(), key: async () => KEY }, { book });
    assert.deepEqual([found.ok, found.checks.at(-1).check], [true, "index"], JSON.stringify(found));
    book.close();
  });

  test("a key function that fails is an error without its words, and one that never ends can be cancelled", async () => {
    for (const [key, message] of [
      [() => { throw new Error("sk-hidden"); }, "the page's function endpoint.key failed"],
      [async () => { throw new Error("sk-hidden"); }, "the page's function endpoint.key failed"],
      [() => 7, "the page's function endpoint.key must give a text"],
    ]) {
      await assert.rejects(diagnose({ ...endpoint(), key }), (thrown) => {
        assert.deepEqual([thrown.code, thrown.message], ["endpoint_auth", message]);
        assert.doesNotMatch(inspect(thrown, { depth: 9, showHidden: true }), /hidden"|sk-hidden/);
        return true;
      });
    }
    const stop = new AbortController();
    const running = diagnose({ ...endpoint(), key: () => new Promise(() => stop.abort()) }, { signal: stop.signal });
    await assert.rejects(running, { code: "aborted" });
  });

  test("refuses what is none, and is cancelled", async () => {
    await assert.rejects(diagnose(() => "yes"), { code: "usage", message: /^the endpoint must be/ });
    await assert.rejects(diagnose(endpoint(), { as: "both" }), { code: "usage" });
    await assert.rejects(diagnose(endpoint(), { bok: 1 }), { code: "unknown_option" });
    await assert.rejects(diagnose(endpoint(), { budgetTokens: -1 }), { code: "usage" });
    await assert.rejects(diagnose(endpoint(), { limits: { requestsPerMinute: 0 } }), { code: "usage" });
    await assert.rejects(diagnose(endpoint(), { book: {} }), { code: "usage" });
    await server.script([{ fault: "hang" }]);
    const stop = new AbortController();
    const seen = (await server.log()).count;
    const running = assert.rejects(diagnose(endpoint(), { as: "chat", signal: stop.signal }), { code: "aborted" });
    await server.log(seen + 1);
    stop.abort();
    await running;
  });
});
