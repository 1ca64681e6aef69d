// A crash of the real engine in a page (tests/node/trap.js says how it is made): what is pending
// rejects, the page lives, and the same book answers from a new worker.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";

import { TRAP } from "../node/trap.js";
import { ROOT } from "./browser.js";
import { inEachEngine } from "./drive/engines.js";

const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; require-trusted-types-for 'script'";
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const LISTEN = `${TRAP} new BroadcastChannel("crash").onmessage = () => globalThis.crash?.();`;

inEachEngine("after a crash in a page", ({ open }) => {
  let tab;
  let server;

  before(async () => {
    server = createServer(async (request, response) => {
      response.setHeader("Content-Security-Policy", POLICY);
      const file = async (name) => readFile(path.join(ROOT, name)).catch(() => undefined);
      const made = {
        "/": () => '<!doctype html><title>page</title><script type="module" src="/try.js"></script>',
        "/try.js": () => `globalThis.crashed = ${crash};`,
        "/trap.js": () => TRAP,
        "/worker.js": async () => `${LISTEN}\n${await file("pkg/worker.js")}`,
        "/books.js": () => file("tests/contract/books.js"),
      };
      const body = await (made[request.url] ?? (() => file(path.join("pkg", request.url))))();
      response.writeHead(body === undefined ? 404 : 200, { "Content-Type": TYPES[path.extname(request.url)] ?? "text/html" });
      response.end(body);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    tab = await open();
  });
  after(async () => {
    await tab?.close();
    server.closeAllConnections();
    server.close();
  });

  const crashed = async (worker) => {
    await tab.goto(`http://127.0.0.1:${server.address().port}/`);
    await tab.until(() => "crashed" in globalThis);
    return tab.eval((inWorker) => globalThis.crashed(inWorker), worker);
  };

  test("the worker is replaced and the book goes on", async () => {
    const { pending, next, answer, info, workers } = await crashed(true);
    assert.equal(pending, "crashed");
    assert.equal(next, "answered");
    assert.match(answer, /chapel floor/);
    assert.equal(info, "kept");
    assert.equal(workers, 1, "the crashed one is gone");
  });

  test("in the page's own thread the calls reject, and later ones say what helps", async () => {
    const { pending, next } = await crashed(false);
    assert.equal(pending, "crashed");
    assert.match(next, /^not_ready .*load the page again$/);
  });
});

/** This function is a script of the page. */
async function crash(worker) {
  const living = new Set();
  globalThis.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      living.add(this);
    }
    terminate() {
      living.delete(this);
      super.terminate();
    }
  };
  if (!worker) await import("/trap.js");
  const { Book } = await import("/index.js");
  const { QUESTION, SMALL } = await import("/books.js");
  const book = await Book.build(SMALL, { worker, title: "kept" });
  if (worker) new BroadcastChannel("crash").postMessage("now");
  else globalThis.crash();
  // The message may come after the first answers; the call that it meets is the one that rejects.
  let pending;
  while (!pending) pending = await book.ask(QUESTION).then(() => undefined, ({ code }) => code);
  const result = await book.ask(QUESTION).catch((error) => error);
  return { pending, next: result.code ? `${result.code} ${result.message}` : "answered", answer: result.text, info: book.info.title, workers: living.size };
}
