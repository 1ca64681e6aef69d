// The command line with endpoints, against the scripted server: what is asked of it, what comes of each of
// its faults, and that a key is nowhere but where it belongs.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Book } from "../../pkg/node.js";
import { QUESTION, SMALL } from "../contract/books.js";
import { ASKED, fits, TRACE } from "../contract/shapes.js";
import { folder, run, start, until } from "./command.js";
import { modelServer } from "./model-server.js";

const KEY = "sk-hidden-key";
let server, home, book, index, env;

before(async () => {
  server = await modelServer();
  home = folder();
  book = path.join(home, "ferry.txt");
  index = path.join(home, "ferry.plot.json");
  writeFileSync(book, SMALL);
  env = { PLOTBRIDGE_CHAT_URL: server.url, PLOTBRIDGE_CHAT_MODEL: "scripted-chat", PLOTBRIDGE_EMBED_URL: server.url, PLOTBRIDGE_EMBED_MODEL: "scripted-embed", PLOTBRIDGE_KEY: KEY };
  const { status, err } = await run(["index", book, "-o", index], { env });
  assert.equal(status, 0, err);
});
after(() => server.close());

const script = async (...rules) => {
  await server.script(rules);
  await server.forget();
};

const asked = async () => (await server.log()).requests;
const chatOnly = () => ({ PLOTBRIDGE_CHAT_URL: server.url, PLOTBRIDGE_CHAT_MODEL: "scripted-chat" });
const embedOnly = () => ({ PLOTBRIDGE_EMBED_URL: server.url, PLOTBRIDGE_EMBED_MODEL: "scripted-embed" });
const anywhere = () => path.join(folder(), "x.plot.json");
const parsed = (file) => JSON.parse(readFileSync(file, "utf8"));
const spaces = (file) => parsed(file).spaces.map(({ id }) => id);
const extractor = (file) => parsed(file).book.extractor;

/** Neither output holds the key, nor does any file of the folder. */
function secret({ out, err }, place) {
  assert.doesNotMatch(out + err, /hidden/);
  for (const file of place ? readdirSync(place) : []) assert.doesNotMatch(readFileSync(path.join(place, file), "utf8"), /hidden|127\.0\.0\.1|localhost/);
}

describe("index", () => {
  test("is read by the chat model and embedded by the other; nothing of either address is in it", async () => {
    await script();
    const out = anywhere();
    const said = await run(["index", book, "-o", out], { env });
    assert.equal(said.status, 0, said.err);
    secret(said, path.dirname(out));
    assert.match(said.out, /models +read by scripted-chat, embedded by scripted-embed, [\d,]+ tokens/);
    assert.match(said.err, /passages 3 of 3, [\d,]+ tokens\n/);
    assert.equal(extractor(out), "scripted-chat");
    assert.equal(spaces(out).length, 2);
    assert.equal(spaces(out)[1], "scripted-embed");
    const tasks = (await asked()).map(({ task }) => task).filter(Boolean);
    for (const task of ["entities", "triples", "events"]) assert.equal(tasks.filter((one) => one === task).length, 3, task);
  });

  test("takes flags before the environment, and the environment without flags", async () => {
    await script();
    const out = anywhere();
    const flags = ["--chat-url", server.url, "--chat-model", "other-chat", "--embed-url", server.url, "--embed-model", "other-embed"];
    assert.equal((await run(["index", book, "-o", out, ...flags], { env })).status, 0);
    assert.deepEqual([extractor(out), spaces(out)[1]], ["other-chat", "other-embed"]);
    const models = new Set((await asked()).map(({ body }) => body.model));
    assert.deepEqual([...models].sort(), ["other-chat", "other-embed"]);
  });

  test("with --offline asks nobody, and gives the bytes of an index without endpoints", async () => {
    await script();
    const [without, offline] = [anywhere(), anywhere()];
    assert.equal((await run(["index", book, "-o", without])).status, 0);
    assert.equal((await run(["index", book, "-o", offline, "--offline"], { env })).status, 0);
    assert.ok(readFileSync(offline).equals(readFileSync(without)));
    assert.deepEqual(await asked(), []);
  });

  test("with an embedding endpoint alone is read by rule and has its space", async () => {
    await script();
    const out = anywhere();
    assert.equal((await run(["index", book, "-o", out], { env: embedOnly() })).status, 0);
    assert.equal(spaces(out)[1], "scripted-embed");
    assert.ok((await asked()).every(({ path }) => path.endsWith("/embeddings")));
    const { entities } = JSON.parse((await run(["inspect", out, "--json"])).out);
    const { entities: byRule } = JSON.parse((await run(["inspect", index, "--json"])).out);
    assert.ok(entities.length > 0 && byRule.length > 0);
  });

  test("is the same whatever --concurrency", async () => {
    await script({ fault: "slow", value: 20, every: 2 });
    const files = [];
    for (const n of ["1", "8"]) {
      files.push(anywhere());
      const { status, err } = await run(["index", book, "-o", files.at(-1), "--concurrency", n], { env });
      assert.equal(status, 0, err);
    }
    assert.ok(readFileSync(files[0]).equals(readFileSync(files[1])));
    const { status, err } = await run(["index", book, "-o", anywhere(), "--concurrency", "65"], { env });
    assert.deepEqual([status, /concurrency is 65/.test(err)], [2, true]);
  });
});

test("types of the book's own are found where they are asked for, and inspect tells them", async () => {
  await script();
  const out = anywhere();
  const said = await run(["index", book, "-o", out, "--set", "types=discover"], { env });
  assert.equal(said.status, 0, said.err);
  assert.deepEqual(parsed(out).types.map(({ name, type }) => [name, type]), [["speaker", "person"], ["named thing", "other"]]);
  const tasks = (await asked()).map(({ task }) => task);
  assert.deepEqual(["types", "inventory", "typed", "entities", "gleaning"].map((task) => tasks.filter((one) => one === task).length), [3, 1, 3, 0, 3]);
  const { entities } = JSON.parse((await run(["inspect", out, "--json"], { env })).out);
  assert.ok(entities.some(({ type, category }) => type === "person" && category === "speaker"), JSON.stringify(entities));
  assert.match((await run(["inspect", out], { env })).out, /\(person: speaker, /);
});

describe("a whole story", () => {
  const story = fileURLToPath(new URL("../../books/white-line.txt", import.meta.url));

  test("goes through, as many requests side by side as are asked for, without a word of Node's own", async () => {
    await script({ fault: "slow", value: 30, on: "chat" });
    const out = anywhere();
    const { status, err } = await run(["index", story, "-o", out, "--concurrency", "12"], { env });
    assert.equal(status, 0, err);
    assert.doesNotMatch(err, /Warning/);
    assert.match(err, /passages (\d+) of \1, [\d,]+ tokens\n/);
    const { most_in_flight: most, in_flight: left, requests } = await server.log();
    assert.deepEqual([most, left], [12, 0]);
    const { chunks } = parsed(out);
    for (const task of ["entities", "events"]) assert.equal(requests.filter((one) => one.task === task).length, chunks.length, task);
    const answer = await run(["ask", out, "Why was the clerk Lambert Tapp called Comma in the office?", "--json"], { env });
    const { usage, embedding_space: space, answer: { text, citations } } = JSON.parse(answer.out);
    // The question, its facts, its plotline and its answer.
    assert.deepEqual([usage.requests, space], [4, "scripted-embed"]);
    assert.ok(text.length > 0 && citations.length > 0, answer.out.slice(0, 500));
  });
});

describe("a fault that costs at most a part", () => {
  const spoilt = (fault) => ["entities", "triples", "events"].map((task) => ({ fault, task }));
  const rows = {
    "500 once": [{ fault: "status", value: 500, nth: 2 }],
    "429 once, with how long to wait": [{ fault: "rate-limit-ms", value: 5, nth: 1, on: "chat" }],
    "fields that are refused": [{ fault: "refuse", value: "temperature" }, { fault: "refuse", value: "max_tokens" }, { fault: "refuse", value: "json_schema" }, { fault: "refuse", value: "encoding_format" }],
    "JSON in a fence": spoilt("json-fenced"),
    "JSON in prose": spoilt("json-prose"),
    "JSON with commas too many": spoilt("json-trailing-comma"),
    "JSON in single quotes": spoilt("json-single-quotes"),
    "JSON with other names": spoilt("json-renamed"),
    "thoughts before the text": [{ fault: "think" }],
    "reasoning beside the text": [{ fault: "reasoning" }],
    "base64 vectors": [{ fault: "base64" }],
    "vectors in another order": [{ fault: "reversed" }],
    "bytes one by one": [{ fault: "split", value: 1, every: 5 }],
  };
  for (const [name, rules] of Object.entries(rows)) {
    test(`${name}: the index is the same`, async () => {
      await script(...rules);
      const out = anywhere();
      const { status, err } = await run(["index", book, "-o", out], { env });
      assert.equal(status, 0, err);
      assert.deepEqual(parsed(out).issues, parsed(index).issues);
      assert.ok(readFileSync(out).equals(readFileSync(index)), "the same bytes");
    });
  }

  const parts = {
    "a reply that a filter withheld": [{ fault: "filter", task: "entities", nth: 1 }, "reply_withheld"],
    "a request that a filter refused": [{ fault: "filter-refused", task: "events", nth: 1 }, "reply_withheld"],
    "prose instead of JSON, twice": [{ reply: "I am sorry, there is nothing I can list.", task: "triples", first: 2 }, "reply_unreadable"],
    "an empty reply": [{ fault: "empty", task: "events", nth: 1 }, "reply_failed"],
  };
  for (const [name, [rule, code]] of Object.entries(parts)) {
    test(`${name}: the part is left out and said so`, async () => {
      await script(rule);
      const out = anywhere();
      const { status, out: text, err } = await run(["index", book, "-o", out, "--concurrency", "1"], { env });
      assert.equal(status, 0, err);
      assert.match(text, new RegExp(`chunk 0.*\\[${code}\\]`, "s"));
    });
  }
});

test("an index is read once more: what was left out is asked for, and nothing else", async () => {
  await script({ fault: "filter", task: "entities", nth: 1 }, { fault: "filter", task: "events", nth: 1 });
  const [part, whole, fresh] = ["part", "whole", "fresh"].map((name) => path.join(folder(), `${name}.plot.json`));
  assert.match((await run(["index", book, "-o", part], { env: chatOnly() })).out, /reply_withheld/);
  await script();
  const { status, out, err } = await run(["index", part, "-o", whole], { env: chatOnly() });
  assert.equal(status, 0, err);
  assert.doesNotMatch(out, /reply_withheld/);
  const tasks = (await asked()).map(({ task }) => task).filter((task) => ["entities", "triples", "events"].includes(task));
  assert.deepEqual(tasks.sort(), ["entities", "events", "triples"]);
  assert.equal((await run(["index", book, "-o", fresh], { env: chatOnly() })).status, 0);
  // What was decided of two names before is kept, so that names may be grouped otherwise than in a fresh reading.
  const forms = ({ entities }) => entities.flatMap(({ aliases }) => aliases.map(({ name }) => name)).sort();
  assert.deepEqual(forms(parsed(whole)), forms(parsed(fresh)));
  const told = ({ events }) => events.map(({ start, end, details }) => [start, end, details]);
  assert.deepEqual(told(parsed(whole)), told(parsed(fresh)));
});

describe("a fault that ends the work", () => {
  const LOST = /no index was written; (\d+ repl(y is|ies are) kept in .*\.replies: the same command goes on from there|nothing was replied yet that could be kept)/;
  const rows = {
    "a wrong key": [{ fault: "key", value: "another" }, 4, /does not take this key.*PLOTBRIDGE_KEY.*--key-env/],
    "an unknown model": [{ fault: "unknown-model", value: "scripted-chat" }, 4, /has no model "scripted-chat"/],
    "no credit": [{ fault: "quota" }, 4, /no credit/],
    "a page": [{ fault: "html", on: "embeddings" }, 4, /scripted-embed/],
    "vectors of zeros": [{ fault: "zeros" }, 3, /all zeros/],
    "vectors of another width": [{ fault: "width", value: 7, on: "embeddings", nth: 2 }, 3, /gave 64 numbers where it gave 7 before/],
    "vectors too few": [{ fault: "count" }, 3, /vectors came for/],
    "vectors without numbers": [{ fault: "nan" }, 4, /the reply is not JSON/],
    "a redirect, which the key does not follow": [{ fault: "redirect" }, 4, /sends the request on to another address, which is not followed/],
  };
  for (const [name, [rule, expected, words]] of Object.entries(rows)) {
    test(`${expected}: ${name}`, async () => {
      await script(rule);
      const out = anywhere();
      const said = await run(["index", book, "-o", out, "--concurrency", "1"], { env });
      assert.equal(said.status, expected, said.err);
      assert.match(said.err, words);
      assert.match(said.err, LOST);
      assert.equal(said.out, "");
      assert.equal(existsSync(out), false);
      secret(said);
      if (name.includes("redirect")) assert.ok((await asked()).every(({ host }) => !/^localhost/.test(host ?? "")));
    });
  }

  test("vectors without numbers are by their code a reply that cannot be used", async () => {
    await script({ fault: "nan" });
    await assert.rejects(Book.build(SMALL, { models: { embed: { url: server.url, model: "scripted-embed" } } }), { code: "endpoint_reply" });
  });

  test("4: no server at all, with what to do", async () => {
    const gone = await modelServer();
    await gone.close();
    const said = await run(["index", book, "-o", anywhere()], { env: { ...env, PLOTBRIDGE_CHAT_URL: gone.url } });
    assert.equal(said.status, 4, said.err);
    assert.match(said.err, /is the server running there\?/);
    assert.match(said.err, LOST);
    secret(said);
  });

  test("130: Ctrl-C while the server is silent", async () => {
    await script({ fault: "hang", nth: 3 });
    const out = anywhere();
    const seen = (await server.log()).count;
    const running = start(["index", book, "-o", out, "--concurrency", "1"], { env });
    await server.log(seen + 3);
    running.child.kill("SIGINT");
    const said = await running.done;
    assert.equal(said.status, 130, said.err);
    assert.match(said.err, /cancelled; .*spent in 3 requests; no index was written/);
    assert.equal(existsSync(out), false);
    assert.equal((await server.log()).count, seen + 3, "nothing more is sent");
  });
});

describe("retrieve and ask", () => {
  const json = async (args, options) => {
    const { status, out, err } = await run([...args, "--json"], options);
    assert.equal(status, 0, err);
    return JSON.parse(out);
  };

  test("compare the question in the endpoint's space, and fall back with an issue", async () => {
    await script();
    const trace = await json(["retrieve", index, QUESTION], { env: embedOnly() });
    fits(trace, TRACE);
    assert.equal(trace.embedding_space, "scripted-embed");
    for (const rule of [{ fault: "width", value: 7 }, { fault: "zeros" }, { fault: "quota" }]) {
      await script(rule);
      const fallen = await json(["retrieve", index, QUESTION], { env: embedOnly() });
      assert.notEqual(fallen.embedding_space, "scripted-embed");
      assert.ok(fallen.issues.some(({ code }) => code === "embedding_fallback"), JSON.stringify(fallen.issues));
    }
    const without = await json(["retrieve", index, QUESTION]);
    assert.notEqual(without.embedding_space, "scripted-embed");
  });

  test("ask prints the model's answer, its checked places, and what it cost", async () => {
    await script();
    const document = await json(["ask", index, QUESTION], { env });
    fits(document, ASKED);
    assert.deepEqual(document.calls.map(({ stage, requests }) => [stage, requests]), [["question", 1], ["recognition", 1], ["filter", 1], ["generate", 1]]);
    assert.deepEqual([document.usage.requests, document.filter.by], [4, "chat"]);
    assert.ok(document.answer.citations.length > 0 && document.usage.completion_tokens > 0);
    const said = await run(["ask", index, QUESTION], { env });
    assert.equal(said.status, 0, said.err);
    assert.match(said.out, /^Answer\n  \S/);
    assert.match(said.out, /Model\n  scripted-chat: 4 requests, [\d,]+ tokens sent, [\d,]+ received/);
    assert.ok(said.out.split("\n").every((line) => line.length <= 80), said.out);
    assert.equal(said.out.replace(/\s+/g, " ").includes(document.answer.text.replace(/\s+/g, " ")), true);
    secret(said);
  });

  test("ask works a question out in steps, and reads the option of a statement", async () => {
    await script();
    const { steps, context_tokens: tokens, issues } = await json(["ask", index, QUESTION, "--steps", "4"], { env });
    assert.deepEqual(steps.map(({ query }) => query !== ""), [true, true, false], JSON.stringify(steps));
    assert.match(steps[2].thought, /^So the answer is: /);
    assert.ok(steps.reduce((sum, step) => sum + step.context_tokens, 0) <= 6000 && tokens <= 6000);
    assert.deepEqual(issues, []);
    const claim = await json(["ask", index, "Dr. Pike buried the box.", "--choices", "True|False"], { env });
    assert.ok(["True", "False"].includes(claim.answer.choice), JSON.stringify(claim.answer));
    assert.equal((await asked()).filter(({ task }) => task === "claim").length, 1);
  });

  test("ask prints the answer while it comes", async () => {
    const words = "### Final Answer\nUnder the chapel floor lay the iron box, ";
    await script({ reply: `${words}${"and the doctor knew it well ".repeat(40)}`, task: "answer" }, { fault: "stall", value: 4000, on: "chat" });
    const running = start(["ask", index, QUESTION], { env: chatOnly() });
    await until(running, "out", /^Answer\n  Under the chapel/);
    running.child.kill("SIGINT");
    const { status, out, err } = await running.done;
    assert.equal(status, 130, err);
    assert.match(out, /\n$/, "the message begins a line of its own");
  });

  test("a stream that breaks keeps what was said, and says so", async () => {
    await script({ reply: `### Final Answer\n${"one two three four ".repeat(60)}`, task: "answer" }, { fault: "cut", value: 3000, on: "chat" });
    const said = await run(["ask", index, QUESTION], { env: chatOnly() });
    assert.equal(said.status, 0, said.err);
    assert.match(said.out, /^Answer\n  one two three/);
    assert.match(said.out, /broke off.*\[answer_cut\]/s);
  });

  test("4: a chat model that fails, with the book's own answer one flag away", async () => {
    await script({ fault: "key", value: "another" });
    const said = await run(["ask", index, QUESTION], { env });
    assert.equal(said.status, 4);
    assert.match(said.err, /does not take this key/);
    assert.equal(said.out, "");
    secret(said);
  });

  test("an index with a model's reading answers without any, also up to a place", async () => {
    await script();
    const plain = await json(["ask", index, QUESTION]);
    assert.match(plain.answer.text, /chapel/);
    const early = await json(["ask", index, QUESTION, "--up-to", "ch:1"], { env });
    assert.doesNotMatch(JSON.stringify({ ...early, question: "" }), /chapel|Groat/);
    assert.equal((await json(["ask", index, QUESTION])).usage.requests, 0);
  });

  test("eval scores the chat model's answers and names it", async () => {
    await script();
    const file = path.join(folder(), "q.jsonl");
    writeFileSync(file, `${JSON.stringify({ id: "a", question: QUESTION, answers: ["under the chapel floor"], choices: ["under the chapel floor", "in the river"], label: "A" })}\n`);
    const document = await json(["eval", index, file, "--method", "pons"], { env });
    assert.deepEqual([document.generator, document.questions, document.methods.pons.failures], ["scripted-chat", 1, 0]);
    assert.equal((await asked()).filter(({ task }) => task === "choice").length, 1);
    assert.equal((await json(["eval", index, file, "--method", "pons"])).generator, "none");
    await script({ fault: "unknown-model", value: "scripted-chat" });
    const failed = await run(["eval", index, file], { env, cwd: folder() });
    assert.deepEqual([failed.status, /nothing was answered yet/.test(failed.err)], [4, true]);
  });
});

describe("keys", () => {
  const other = async (t) => {
    const second = await modelServer();
    t.after(() => second.close());
    return second;
  };

  test("PLOTBRIDGE_KEY goes to both endpoints of one origin, and not to another origin", async (t) => {
    await script({ fault: "key", value: KEY });
    assert.equal((await run(["ask", index, QUESTION], { env })).status, 0);
    const second = await other(t);
    await second.script([{ fault: "key", value: KEY, on: "embeddings" }]);
    const said = await run(["index", book, "-o", anywhere()], { env: { ...env, PLOTBRIDGE_EMBED_URL: second.url } });
    assert.equal(said.status, 4);
    assert.match(said.err, new RegExp(`${new URL(second.url).origin} wants a key`));
    await script({ fault: "key", value: "embed-key", on: "embeddings" }, { fault: "key", value: KEY, on: "chat" });
    assert.equal((await run(["index", book, "-o", anywhere()], { env: { ...env, PLOTBRIDGE_EMBED_KEY: "embed-key" } })).status, 0);
  });

  test("an embedding endpoint alone gets no key of the chat's", async () => {
    await script({ fault: "key", value: KEY });
    const said = await run(["index", book, "-o", anywhere()], { env: { ...embedOnly(), PLOTBRIDGE_KEY: KEY } });
    assert.deepEqual([said.status, /wants a key/.test(said.err)], [4, true]);
  });

  test("a flag names the variable; the environment's key is not sent to a flag's other origin", async (t) => {
    await script({ fault: "key", value: "mine" });
    const named = { ...chatOnly(), MINE: "mine", PLOTBRIDGE_KEY: KEY };
    assert.equal((await run(["ask", index, QUESTION, "--key-env", "MINE"], { env: named })).status, 0);
    const second = await other(t);
    await second.script([{ fault: "key", value: KEY }]);
    const elsewhere = await run(["ask", index, QUESTION, "--chat-url", second.url], { env: { ...chatOnly(), PLOTBRIDGE_KEY: KEY } });
    assert.deepEqual([elsewhere.status, /wants a key/.test(elsewhere.err)], [4, true], elsewhere.err);
    const alone = { PLOTBRIDGE_KEY: KEY, PLOTBRIDGE_CHAT_MODEL: "m" };
    assert.equal((await run(["ask", index, QUESTION, "--chat-url", second.url], { env: alone })).status, 0);
  });

  const wrong = {
    "an address without a model": [["--chat-url", "http://127.0.0.1:1/v1"], /--chat-model \(or PLOTBRIDGE_CHAT_MODEL\) is missing/],
    "a model without an address": [["--embed-model", "m"], /--embed-url \(or PLOTBRIDGE_EMBED_URL\) is missing/],
    "a key's variable without an endpoint": [["--key-env", "PATH"], /no chat endpoint/],
    "a key instead of its variable": [["--chat-url", "http://127.0.0.1:1/v1", "--chat-model", "m", "--key-env", "sk-hidden-key"], /takes a variable's name, not a key/],
    "an address that is none": [["--chat-url", "hidden.example/v1", "--chat-model", "m"], /--chat-url is no address/],
    "an address with a password": [["--chat-url", "http://me:hidden@127.0.0.1:1/v1", "--chat-model", "m"], /holds a name or a password/],
  };
  for (const [name, [args, words]] of Object.entries(wrong)) {
    test(`2: ${name}`, async () => {
      for (const command of [["index", book, "-o", anywhere()], ["ask", index, QUESTION], ["retrieve", index, QUESTION]]) {
        const said = await run([...command, ...args]);
        assert.equal(said.status, 2, said.err);
        assert.match(said.err, words);
        secret(said);
      }
    });
  }
});
