// A crash of the real engine (trap.js): what the package does after it, in Node and in a worker.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, test } from "node:test";

import { QUESTION, SMALL } from "../contract/books.js";
import { host } from "./host.js";
import { TRAP } from "./trap.js";
import { fetchFiles, WebWorker } from "./web-worker.js";

/** Runs a script in a process of its own, with `Book` and `crash()` at hand; gives what it prints. */
function inProcess(script) {
  const source = `
    const { Book } = await import(${JSON.stringify(new URL("../../pkg/node.js", import.meta.url).href)});
    const { QUESTION, SMALL } = await import(${JSON.stringify(new URL("../contract/books.js", import.meta.url).href)});
    const said = (list) => list.map(({ status, reason }) => reason?.code ?? status);
    const print = (value) => process.stdout.write(JSON.stringify(value));
    process.on("warning", ({ message }) => process.stderr.write(message));
    ${script}`;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", TRAP + source], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
  return JSON.parse(out);
}

describe("in Node's thread", () => {
  test("a trap rejects what is pending in all books, and each is begun again by its next call", () => {
    const result = inProcess(`
      const books = [await Book.build(SMALL, { title: "kept" }), await Book.build(SMALL)];
      const rounds = [];
      for (let round = 0; round < 3; round++) {
        const calls = [books[0].ask(QUESTION, { onEvent: crash }), books[1].ask(QUESTION), books[0].ask(QUESTION)];
        const ended = said(await Promise.allSettled(calls));
        rounds.push([ended, (await books[0].ask(QUESTION)).text, (await books[1].text()).length]);
      }
      print({ rounds, title: (await books[0].inspect()).title });
    `);
    for (const [ended, answer, length] of result.rounds) {
      assert.deepEqual(ended, ["crashed", "crashed", "crashed"]);
      assert.match(answer, /chapel floor/);
      assert.equal(length, SMALL.length);
    }
    assert.equal(result.rounds.length, 3);
    assert.equal(result.title, "kept");
  });

  test("a trap that its own call reports does the same, and new books open", () => {
    const result = inProcess(`
      const book = await Book.build(SMALL);
      const saved = await book.save();
      crash();
      const [ended] = said(await Promise.allSettled([book.ask(QUESTION)]));
      const opened = await Book.open(saved);
      print([ended, (await opened.ask(QUESTION)).text, (await book.ask(QUESTION)).text]);
    `);
    assert.equal(result[0], "crashed");
    assert.match(result[1], /chapel floor/);
    assert.equal(result[2], result[1]);
  });

  test("a trap while a file is opened is that call's, and the file opens again", () => {
    const result = inProcess(`
      const book = await Book.build(SMALL);
      const saved = await book.save();
      const ended = said(await Promise.allSettled([Book.open(saved, { onProgress: crash })]));
      const opened = await Book.open(saved);
      print([...ended, (await opened.ask(QUESTION)).text, (await book.ask(QUESTION)).text]);
    `);
    assert.equal(result[0], "crashed");
    assert.match(result[1], /chapel floor/);
    assert.equal(result[2], result[1]);
  });

  test("the models stay with a book that is begun again", () => {
    const result = inProcess(`
      let [fall, read] = [false, 0];
      const chat = async ({ messages: [{ content }] }) => {
        if (fall) crash();
        if (/^Task: (entities|triples|events)/.test(content)) read++;
        return /^Task: answer/.test(content) ? "### Final Answer\\nunder the floor" : '{"entities": [], "triples": [], "events": []}';
      };
      const embed = async (texts) => texts.map((text) => [1, text.length]);
      const models = { chat: Object.assign(chat, { model: "mine" }), embed };
      const book = await Book.build(SMALL, { models, extraction: "llm" });
      const once = read;
      fall = true;
      const [ended] = said(await Promise.allSettled([book.ask(QUESTION)]));
      fall = false;
      const { text, trace } = await book.ask(QUESTION);
      print([ended, text, trace.embedding_space, once > 0, read - once]);
    `);
    assert.deepEqual(result, ["crashed", "under the floor", "page", true, 0], "and the book is not read again");
  });

  test("a book that is closed after a crash stays closed", () => {
    const result = inProcess(`
      const book = await Book.build(SMALL);
      crash();
      const first = said(await Promise.allSettled([book.ask(QUESTION)]));
      const reopening = book.text();
      book.close();
      print([...first, ...said(await Promise.allSettled([reopening, book.text()]))]);
    `);
    assert.deepEqual(result, ["crashed", "not_ready", "not_ready"]);
  });

  test("the process is listened to only while calls run, and others' errors go their way", () => {
    const counted = inProcess(`
      const count = () => process.listenerCount("uncaughtException");
      const book = await Book.build(SMALL);
      const between = count();
      const asking = book.ask(QUESTION);
      const during = count();
      await asking;
      print([between, during, count()]);
    `);
    assert.deepEqual(counted, [0, 1, 0]);
    const heard = inProcess(`
      const others = [];
      process.on("uncaughtException", ({ message }) => others.push(message));
      const book = await Book.build(SMALL);
      await book.ask(QUESTION, { onEvent: () => queueMicrotask(() => { throw new Error("the host's"); }) }).catch(() => {});
      print([others[0], (await book.text()).length]);
    `);
    assert.deepEqual(heard, ["the host's", SMALL.length]);
    for (const thrown of ["new Error('the host is wrong')", "new WebAssembly.RuntimeError('the host is wrong')"]) {
      const script = `const book = await Book.build(SMALL); book.ask(QUESTION); queueMicrotask(() => { throw ${thrown}; }); await new Promise((go) => setTimeout(go, 60_000));`;
      assert.throws(() => inProcess(script), ({ status, stderr }) => status === 1 && /the host is wrong/.test(stderr));
    }
  });
});

describe("in a worker", () => {
  const hold = `${TRAP} self.addEventListener("message", ({ data }) => data.crash && crash());`;
  class Crashable extends WebWorker {
    static made = [];
    static prelude = hold;
    static trapOpening = false;
    constructor(url) {
      super(url);
      Crashable.made.push(this);
    }
    postMessage(data, transfer) {
      if (Crashable.trapOpening && data.op) {
        Crashable.trapOpening = false;
        super.postMessage({ crash: true });
      }
      super.postMessage(data, transfer);
    }
  }
  let Book;
  let site;
  const answers = {};

  before(async () => {
    fetchFiles();
    globalThis.Worker = Crashable;
    ({ Book } = await import("../../pkg/index.js"));
    site = await host(answers);
  });
  after(() => {
    delete globalThis.Worker;
    site.close();
  });

  const crash = () => Crashable.made.at(-1).postMessage({ crash: true });
  const alive = () => WebWorker.alive;

  test("a trap gives crashed once, a new worker, and the same book", async () => {
    for (const from of ["build", "open"]) {
      const built = await Book.build(SMALL, { title: "kept" });
      const book = from === "build" ? built : await Book.open(await built.save());
      const before = alive();
      crash();
      await assert.rejects(book.ask(QUESTION), { code: "crashed", retryable: true });
      assert.equal(alive(), before - 1, "the crashed worker is ended");
      const [answer, text] = await Promise.all([book.ask(QUESTION), book.text()]);
      assert.match(answer.text, /chapel floor/);
      assert.equal(text, SMALL);
      assert.equal(alive(), before, "one new worker for both");
      assert.equal(book.info.title, "kept");
      book.close();
      built.close();
    }
    assert.equal(alive(), 0);
  });

  test("the page's functions are asked by the new worker as by the old", async () => {
    let asked = 0;
    const chat = async () => `### Final Answer\n${(asked += 1)}`;
    const book = await Book.build(SMALL, { models: { chat } });
    assert.equal((await book.ask(QUESTION)).text, "1");
    crash();
    await assert.rejects(book.ask(QUESTION), { code: "crashed" });
    assert.equal((await book.ask(QUESTION)).text, `${asked}`);
    assert.ok(asked >= 2);
    book.close();
    assert.equal(alive(), 0);
  });

  test("a trap while opening ends that worker, and the same file opens in a new one", async () => {
    const built = await Book.build(SMALL, { title: "kept" });
    const saved = await built.save();
    built.close();
    Crashable.trapOpening = true;
    await assert.rejects(Book.open(saved), { code: "crashed", retryable: true });
    assert.equal(alive(), 0, "the crashed worker is ended");
    const book = await Book.open(saved);
    assert.match((await book.ask(QUESTION)).text, /chapel floor/);
    // The new beginning of a crashed book may crash too; the next call tries once more.
    crash();
    await assert.rejects(book.ask(QUESTION), { code: "crashed" });
    Crashable.trapOpening = true;
    await assert.rejects(book.ask(QUESTION), { code: "crashed", retryable: true });
    assert.equal(alive(), 0);
    assert.match((await book.ask(QUESTION)).text, /chapel floor/);
    assert.equal(book.info.title, "kept");
    book.close();
    assert.equal(alive(), 0);
  });

  test("a book from an address is fetched again, and refused where another is there now", async () => {
    const index = async (text) => {
      const book = await Book.build(text);
      const body = Buffer.from(await (await book.save()).arrayBuffer());
      book.close();
      return { type: "application/json", body };
    };
    answers["/b.json"] = await index(SMALL);
    const book = await Book.open(`${site.url}/b.json`);
    crash();
    await assert.rejects(book.ask(QUESTION), { code: "crashed" });
    assert.equal(await book.text(), SMALL);
    crash();
    await assert.rejects(book.ask(QUESTION), { code: "crashed" });
    answers["/b.json"] = await index(`${SMALL} And more was told of Ines Vale.`);
    await assert.rejects(book.text(), { code: "not_ready", message: /another book/ });
    book.close();
    assert.equal(alive(), 0);
  });
});
