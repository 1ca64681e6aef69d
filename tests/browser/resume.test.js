// A book read by a model in the page, broken off and gone on with: by closing the tab, by a pause, where the
// browser has no room or no storage at all; and what is kept holds no key. The server's own log counts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";

import { long, SMALL } from "../contract/books.js";
import { modelServer } from "../node/model-server.js";
import { launch, objections, open, skip, state } from "./browser.js";
import { host } from "./host.js";

const KEY = "sk-mark-of-nobody-77c1";
const CLOSINGS = 10;
/** What is asked before it is decided whose names are one, for which vectors are wanted. */
const READING = /Task: (entities|events|facts|gleaning|inventory|triples|typed)/;
const book = { name: "ferry.txt", mimeType: "text/plain", buffer: Buffer.from(long(6_000)) };

describe("a book that a model reads in the page", { skip }, () => {
  let browser;
  let site;
  let server;
  before(async () => {
    [browser, site, server] = await Promise.all([launch(), host(), modelServer()]);
  });
  after(() => Promise.all([browser?.close(), site?.close(), server?.close()]));

  const asked = async () => (await server.log()).requests.filter(({ method }) => method === "POST").map(({ path, body }) => JSON.stringify([path, body]));

  /** A visit with the model set up, in a context that may have been here before. */
  async function visit(context, { key = "", once = true, address = server.url } = {}) {
    const page = context ? await context.newPage() : (await open(browser, site.url)).page;
    if (context) await page.goto(site.url);
    await state(page, "ready");
    if (!once) return page;
    await page.getByRole("link", { name: "Model", exact: true }).click();
    await page.getByRole("radio", { name: /^A language model/ }).check();
    await page.getByLabel("Server’s address", { exact: true }).fill(address);
    await page.getByLabel("Model", { exact: true }).fill("scripted-chat");
    await page.getByLabel("Embedding model", { exact: true }).fill("scripted-embed");
    await page.getByLabel("Key, if the server wants one", { exact: true }).fill(key);
    await page.getByRole("button", { name: "Use it" }).click();
    await page.waitForFunction(() => document.getElementById("announcer").textContent.startsWith("In use"));
    return page;
  }

  async function choose(page, file = book) {
    await page.getByRole("link", { name: "Your book" }).click();
    await page.locator("input[type=file]").setInputFiles([file]);
    await page.locator(".check").waitFor();
    await page.getByRole("radio", { name: /^scripted-chat/ }).check();
    await page.getByRole("checkbox", { name: /^Compare meanings too/ }).check();
  }

  const index = (page) => page.getByRole("button", { name: "Index this book" }).click();
  const built = (page) => page.locator(".open h3").waitFor();

  async function saved(page) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the index" }).click()]);
    return readFileSync(await download.path());
  }

  /** An index that nobody stopped, and each request it took. */
  async function uninterrupted() {
    await server.script([]);
    await server.forget();
    const page = await visit();
    await choose(page);
    await index(page);
    await built(page);
    const whole = { index: await saved(page), requests: new Set(await asked()) };
    await page.context().close();
    return whole;
  }

  test(`goes on after its tab was closed, ${CLOSINGS} times, and asks for nothing twice but what was on its way`, async () => {
    const whole = await uninterrupted();
    assert.ok(whole.requests.size >= 20, `${whole.requests.size} requests`);
    await server.script([{ fault: "slow", value: 30 }]); // so that some are always on their way
    await server.forget();
    const first = await visit();
    const context = first.context();
    let page = first;
    for (let closing = 0; closing < CLOSINGS; closing++) {
      await choose(page);
      const { count } = await server.log();
      await index(page);
      await server.log(count + 5 + (closing * 7) % 3); // one more than goes at once: a reply has come
      await page.close();
      page = await visit(context, { once: false });
    }
    await choose(page);
    await page.locator(".kept-replies").filter({ hasText: /^Of ferry\.txt, this browser keeps \d+ answers of models \(\d+ kB\)\./ }).waitFor();
    assert.deepEqual(await objections(page), []);
    await index(page);
    await built(page);
    assert.ok((await saved(page)).equals(whole.index), "the index of a build that nobody stopped");
    const requests = await asked();
    assert.deepEqual(new Set(requests), whole.requests, "what is asked is the same");
    const twice = requests.length - whole.requests.size;
    assert.ok(twice <= 4 * CLOSINGS, `${twice} requests were sent again after ${CLOSINGS} closings`);
    console.log(`# ${CLOSINGS} closings in a build of ${whole.requests.size} requests: ${twice} sent again`);
    await context.close();
  });

  test("pauses, goes on, and is cancelled with what is kept said", async () => {
    await server.script([{ fault: "hang", nth: 6 }]);
    await server.forget();
    const page = await visit();
    await choose(page);
    const { count } = await server.log();
    await index(page);
    await server.log(count + 6);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    assert.equal(await page.locator("#announcer").textContent(), "Paused: no further request is sent.");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForFunction(() => /^Cancelled\. Of ferry\.txt, this browser keeps \d+ answers/.test(document.getElementById("announcer").textContent));
    await server.script([]);
    await page.locator(".kept-replies").getByRole("button", { name: "Forget the replies" }).click();
    await page.locator(".kept-replies", { hasText: "The replies are forgotten." }).waitFor();
    const left = await page.evaluate(async () => (await import(new URL("pkg/index.js", location.href))).keptReplies());
    assert.deepEqual(left, []);
    await page.context().close();
  });

  test("while it is paused the server is asked for nothing, by its own count, and then for what is left", async () => {
    const whole = await uninterrupted();
    await server.script([{ fault: "slow", value: 30 }]);
    await server.forget();
    const page = await visit();
    await choose(page);
    await index(page);
    await server.log(6);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Go on" }).waitFor();
    await server.script([]); // each further request would be answered at once
    // Two more things done in the same engine meanwhile: what was on its way has ended, and nothing comes.
    const elsewhere = () => page.evaluate(async (text) => {
      const { Book } = await import(new URL("pkg/index.js", location.href));
      const book = await Book.build(text);
      const { text: answer } = await book.ask("What was in the letter?");
      book.close();
      return answer;
    }, long(6_000));
    assert.ok((await elsewhere()).length > 0);
    const paused = (await asked()).length;
    assert.ok(paused < whole.requests.size, `${paused} of ${whole.requests.size}`);
    await elsewhere();
    assert.equal((await asked()).length, paused, "none arrived");
    await page.getByRole("button", { name: "Go on" }).click();
    await built(page);
    assert.ok((await saved(page)).equals(whole.index));
    const requests = await asked();
    assert.deepEqual([requests.length, new Set(requests)], [whole.requests.size, whole.requests], "each once");
    await page.context().close();
  });

  for (const [what, rule, words] of [
    ["has no credit left", { fault: "quota", nth: 7 }, /^The model’s server refused the request\./],
    ["is busy for longer than anybody waits", { fault: "rate-limit", value: 5000, nth: 7 }, /^The model’s server takes no more requests for now\.\s*Wait a little/],
    ["gives no vectors", { fault: "status", value: 501, on: "embeddings" }, /^The model’s server (refused the request|did not answer)\./],
    ["gives vectors of zeros", { fault: "zeros", on: "embeddings" }, /^The embedding model’s vectors could not be used\.\s*Check that it is an embedding model/],
  ]) {
    test(`is told where the server ${what}, with what is kept, and goes on when it works again`, async () => {
      await server.script([rule]);
      await server.forget();
      const page = await visit();
      await choose(page);
      await index(page);
      await page.locator(".trouble h3").waitFor();
      const told = await page.locator(".trouble").textContent();
      assert.match(told, words);
      assert.match(told, /this browser keeps \d+ answers of models.*Index it again to go on from there\./);
      await server.script([]);
      const before = await asked();
      await server.forget();
      await page.getByRole("radio", { name: /^scripted-chat/ }).check();
      await page.getByRole("checkbox", { name: /^Compare meanings too/ }).check();
      await index(page);
      await built(page);
      const chats = (list) => list.filter((request) => request.includes("/chat/"));
      const twice = chats(await asked()).filter((request) => chats(before).includes(request));
      assert.ok(twice.length <= 4, `${twice.length} questions were sent again: no more than were on their way`);
      const reading = chats(await asked()).filter((request) => READING.test(request));
      assert.ok(!rule.on || before.some((request) => READING.test(request)));
      if (rule.on) assert.deepEqual([twice, reading], [[], []], "the book was read already");
      await page.context().close();
    });
  }

  test("whose streams break off is read whole: what was cut is asked for again, and nothing is lost", async () => {
    const whole = await uninterrupted();
    await server.script([{ fault: "cut", value: 700, on: "chat", nth: 3 }, { fault: "end-early", value: 400, on: "chat", nth: 8 }]);
    await server.forget();
    const page = await visit();
    await choose(page);
    await index(page);
    await built(page);
    assert.ok((await saved(page)).equals(whole.index), "the index of a build without a fault");
    assert.ok((await asked()).length > whole.requests.size, "it was asked for again");
    await page.context().close();
  });

  test("stops at the tokens that are allowed, and goes on from there when more are", async () => {
    await server.script([]);
    await server.forget();
    const page = await visit();
    await choose(page);
    await page.getByLabel("Tokens at most").fill("9000");
    await index(page);
    await page.locator(".trouble h3").waitFor();
    assert.match(await page.locator(".trouble").textContent(), /^The tokens that you allowed are spent\..*this browser keeps \d+ answers of models.*Index it again to go on from there\./);
    const before = (await asked()).length;
    assert.ok(before > 0, "something was done");
    await page.getByRole("radio", { name: /^scripted-chat/ }).check();
    await page.getByRole("checkbox", { name: /^Compare meanings too/ }).check();
    assert.equal(await page.getByLabel("Tokens at most").inputValue(), "9000");
    await page.getByLabel("Tokens at most").fill("");
    await index(page);
    await built(page);
    const requests = (await asked()).filter((request) => request.includes("/chat/"));
    assert.ok(requests.length > before);
    assert.equal(new Set(requests).size, requests.length, "no question is asked twice");
    await page.context().close();
  });

  /** What stands under an open book of things that its reading left undone. */
  const issues = (page) => page.locator(".open .issue").allTextContents();

  /** Builds twice through the package in the page; gives of each what it tells, and how often the function was asked. */
  const packaged = (page, worker) => page.evaluate(async ([text, worker]) => {
    const { Book } = await import(new URL("pkg/index.js", location.href));
    const run = async () => {
      let calls = 0;
      const chat = async ({ messages }) => {
        calls += 1;
        const task = /^Task: (\w+)/.exec(messages[0].content)[1];
        return task in { entities: 1, triples: 1, gleaning: 1, events: 1 } ? JSON.stringify({ [task]: [] }) : "It is told.";
      };
      const book = await Book.build(text, { worker, models: { chat }, extraction: "llm", resume: "a build" });
      const told = book.info.issues.filter(({ code }) => code === "store_memory").map(({ message }) => message);
      book.close();
      return { calls, told };
    };
    return [await run(), await run()];
  }, [SMALL, worker]);

  test("where there is no storage, as in some private windows, it is read all the same, and says so", async () => {
    const forbid = () => Object.defineProperty(globalThis, "indexedDB", { get() { throw new DOMException("not here", "SecurityError"); } });
    const { page } = await open(browser, site.url, { scripts: [forbid] });
    await state(page, "ready");
    const [first, second] = await packaged(page, false);
    assert.ok(first.calls > 5 && first.calls === second.calls, "nothing lasts from one build to the next");
    for (const { told: [message] } of [first, second]) {
      assert.match(message, /^this browser's storage for this page does not take what the models reply \(not here.*held in memory only/);
    }
    await page.context().close();
  });

  test("where the storage is full, in the worker too, it is read all the same, and says so with the numbers", async () => {
    await server.script([]);
    const page = await visit();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Storage.overrideQuotaForOrigin", { origin: site.origin, quotaSize: 100 });
    await choose(page);
    await index(page);
    await built(page);
    assert.match((await issues(page)).join(), /MB are used.*held in memory only.*The book itself is whole: save its index\./);
    for (const worker of [true, false]) {
      for (const { told } of await packaged(page, worker)) assert.match(told.join(), /MB are used.*held in memory only/);
    }
    await devtools.send("Storage.overrideQuotaForOrigin", { origin: site.origin });
    const [first, second] = await packaged(page, true);
    assert.deepEqual([first.told, second.told, second.calls], [[], [], 0]);
    assert.ok(first.calls > 5);
    await page.context().close();
  });

  test("what is deleted while it is read is asked for again, and nothing fails", async () => {
    const { page } = await open(browser, site.url);
    await state(page, "ready");
    const stopped = await page.evaluate(async (text) => {
      const { Book } = await import(new URL("pkg/index.js", location.href));
      const forgotten = () => new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase("plotbridge-replies");
        request.onsuccess = resolve;
        request.onerror = reject;
      });
      let calls = 0;
      const chat = async () => {
        if ((calls += 1) % 3 === 0) await forgotten();
        return '{"entities": [], "events": []}';
      };
      const book = await Book.build(text, { models: { chat }, extraction: "llm", resume: "a build" });
      book.close();
      return { calls, issues: book.info.issues.map(({ code }) => code) };
    }, SMALL);
    assert.ok(stopped.calls > 5 && !stopped.issues.includes("store_memory"), JSON.stringify(stopped));
    await page.context().close();
  });

  test("a key that the server sends back is in nothing that the page keeps, shows, logs or saves", async (t) => {
    const echo = await echoing();
    t.after(echo.close);
    for (const address of [server.url, echo.url]) {
      await server.script([]);
      const said = [];
      const page = await visit(undefined, { key: KEY, address });
      page.on("console", (message) => said.push(message.text()));
      page.on("request", (request) => said.push(request.url()));
      await choose(page);
      await index(page);
      await page.locator(address === echo.url ? ".trouble h3" : ".open h3").waitFor();
      const kept = await page.evaluate(everything);
      if (address === server.url) said.push((await saved(page)).toString());
      assert.ok(kept.length > 5_000 && said.length > 0, `${kept.length} characters and ${said.length} messages to search`);
      assert.doesNotMatch(kept + said.join("\n"), /mark-of-nobody|77c1/);
      await page.context().close();
    }
    assert.ok(echo.keys.length > 0 && echo.keys.every((key) => key === `Bearer ${KEY}`), "the key was sent");
  });
});

/** All that a page keeps and shows, as a text. */
async function everything() {
  const all = [{ ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML, document.querySelector("plotbridge-ask").shadowRoot.innerHTML, location.href];
  const result = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  for (const { name } of await indexedDB.databases()) {
    const base = await result(indexedDB.open(name));
    for (const table of base.objectStoreNames) {
      const rows = (what) => result(base.transaction(table).objectStore(table)[what]());
      for (const row of [...await rows("getAllKeys"), ...await rows("getAll")]) {
        all.push(row, row.bytes instanceof ArrayBuffer ? new TextDecoder().decode(row.bytes) : "");
      }
    }
    base.close();
  }
  return JSON.stringify(all);
}

/** A server that lets any page in and refuses every key, in whose words it stands. */
async function echoing() {
  const keys = [];
  const made = createServer((request, response) => {
    const key = request.headers.authorization;
    if (request.method === "POST") keys.push(key);
    const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*, authorization", "access-control-expose-headers": "*", "x-echo": String(key) };
    response.writeHead(request.method === "POST" ? 401 : 204, headers).end(JSON.stringify({ error: { message: `not this key: ${key}`, code: key } }));
  });
  await new Promise((resolve) => made.listen(0, "127.0.0.1", resolve));
  const close = () => {
    made.closeAllConnections();
    made.close();
  };
  return { url: `http://127.0.0.1:${made.address().port}/v1`, keys, close };
}
