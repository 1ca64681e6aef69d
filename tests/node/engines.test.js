// What goes wrong between a page and its engine: no worker, a blocked one, a crash, a host that
// answers with something else. Workers and the wasm module are doubles here.

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";

import { bookOver } from "../../pkg/src/book.js";
import { PlotbridgeError } from "../../pkg/src/errors.js";
import { loadFrom } from "../../pkg/src/load.js";
import { Instance, ThreadEngine } from "../../pkg/src/thread.js";
import { startWorker, WorkerRefused } from "../../pkg/src/worker-client.js";
import { host } from "./host.js";

const URLS = { workerUrl: "https://example.test/worker.js", wasmUrl: "https://example.test/p.wasm" };
const INFO = { title: "T", issues: [] };

/** A worker that answers each message as `script` says: `script(message, reply, worker)`. */
function workerThat(script) {
  return class {
    static made = [];
    sent = [];
    terminated = false;
    constructor(url, options) {
      this.constructor.made.push(this);
      Object.assign(this, { url, options });
    }
    postMessage(message) {
      this.sent.push(message);
      queueMicrotask(() => script(message, (data) => this.terminated || this.onmessage?.({ data }), this));
    }
    terminate() {
      this.terminated = true;
    }
  };
}

/** A worker whose engine opens every book and answers by `answers[op](reply, message)`. */
const engineThat = (answers) =>
  workerThat((message, reply, worker) => {
    if (message.start) return reply({ started: true });
    if (message.cancel) return undefined;
    if (message.op === "open") return reply({ id: message.id, result: INFO });
    return answers[message.op](reply, message, worker);
  });

const never = new AbortController().signal;
const start = () => startWorker({ ...URLS, signal: never });
const Book = bookOver((options, signal) => startWorker({ ...URLS, policy: options.policy, signal }));

afterEach(() => {
  delete globalThis.Worker;
  delete globalThis.trustedTypes;
});

describe("starting a worker", () => {
  test("is refused where the constructor throws, as in a content script", async () => {
    globalThis.Worker = class {
      constructor() {
        throw new DOMException("not of this origin", "SecurityError");
      }
    };
    await assert.rejects(start(), (error) => error instanceof WorkerRefused && /not of this origin/.test(error.message));
  });

  test("is refused, and the worker ended, where the script is blocked or missing", async () => {
    globalThis.Worker = workerThat((_, __, worker) => worker.onerror({}));
    await assert.rejects(start(), (error) => error instanceof WorkerRefused && /worker-src/.test(error.message));
    assert.equal(globalThis.Worker.made[0].terminated, true);
  });

  test("fails with the engine's own error where the wasm does not load", async () => {
    const error = { code: "wasm_blocked", message: "add 'wasm-unsafe-eval'", details: {} };
    globalThis.Worker = workerThat((_, reply) => reply({ started: false, error }));
    await assert.rejects(start(), { code: "wasm_blocked", message: error.message });
  });

  test("goes through one policy named plotbridge, and says so where that is not allowed", async () => {
    const names = [];
    globalThis.trustedTypes = {
      createPolicy: (name, rules) => {
        names.push(name);
        return { createScriptURL: (url) => ({ trusted: rules.createScriptURL(url) }) };
      },
    };
    globalThis.Worker = workerThat((_, reply) => reply({ started: true }));
    await start();
    await start();
    assert.deepEqual(globalThis.Worker.made.map(({ url }) => url), [{ trusted: URLS.workerUrl }, { trusted: URLS.workerUrl }]);
    assert.deepEqual(names, ["plotbridge"]);
    globalThis.Worker = class {
      constructor() {
        throw new TypeError("requires 'TrustedScriptURL'");
      }
    };
    await assert.rejects(start(), /trusted-types plotbridge/);
  });

  test("takes the site's own policy", async () => {
    globalThis.Worker = workerThat((_, reply) => reply({ started: true }));
    await startWorker({ ...URLS, policy: { createScriptURL: (url) => `policed ${url}` }, signal: never });
    assert.equal(globalThis.Worker.made[0].url, `policed ${URLS.workerUrl}`);
  });

  test("is ended when the call is cancelled meanwhile", async () => {
    globalThis.Worker = workerThat(() => {});
    const stop = new AbortController();
    const opening = Book.open({}, { signal: stop.signal });
    await new Promise(setImmediate);
    stop.abort();
    await assert.rejects(opening, { code: "aborted", name: "AbortError" });
    await new Promise(setImmediate);
    assert.equal(globalThis.Worker.made[0].terminated, true);
  });
});

describe("a book in a worker", () => {
  test("rejects what is pending with crashed when the engine traps, ends the worker and goes on in another", async () => {
    const crashed = { code: "crashed", message: "the engine crashed: unreachable", details: {} };
    const text = (reply, { id }, worker) => worker !== globalThis.Worker.made[0] && reply({ id, result: "words" });
    globalThis.Worker = engineThat({ ask: (reply) => reply({ crashed }), text });
    const book = await Book.open({});
    const pending = book.text();
    const asking = book.ask("why?");
    await assert.rejects(pending, { code: "crashed", retryable: true });
    await assert.rejects(asking, { code: "crashed" });
    assert.equal(globalThis.Worker.made[0].terminated, true);
    assert.deepEqual(await Promise.all([book.text(), book.text()]), ["words", "words"]);
    assert.equal(globalThis.Worker.made.length, 2, "one new worker for both");
    book.close();
    assert.equal(globalThis.Worker.made[1].terminated, true);
  });

  test("the same when the call itself reports the trap, or the worker's script fails", async () => {
    for (const ask of [
      (reply, { id }) => reply({ id, error: { code: "crashed", message: "unreachable", details: {}, trap: true } }),
      (_, __, worker) => worker.onerror({ message: "out of memory" }),
    ]) {
      globalThis.Worker = engineThat({ ask });
      const book = await Book.open({});
      await assert.rejects(book.ask("why?"), { code: "crashed" });
      assert.equal(globalThis.Worker.made[0].terminated, true);
    }
  });

  test("is cancelled at once, and the worker is told", async () => {
    globalThis.Worker = engineThat({ ask: () => {}, text: (reply, { id }) => reply({ id, result: "words" }) });
    const book = await Book.open({});
    const stop = new AbortController();
    const asking = book.ask("why?", { signal: stop.signal });
    stop.abort("enough");
    await assert.rejects(asking, { code: "aborted", name: "AbortError", cause: "enough" });
    const [worker] = globalThis.Worker.made;
    const { id } = worker.sent.find(({ op }) => op === "ask");
    assert.deepEqual(worker.sent.at(-1), { cancel: id });
    assert.equal(await book.text(), "words");
  });

  test("hears events until its call is settled, with errors carried whole", async () => {
    const error = { code: "usage", message: "steps is 0", details: { steps: 0 } };
    globalThis.Worker = engineThat({
      ask: (reply, { id }) => {
        reply({ id, event: { type: "stage" } });
        reply({ id, error });
        reply({ id, event: { type: "late" } });
      },
    });
    const book = await Book.open({});
    const heard = [];
    await assert.rejects(book.ask("why?", { onEvent: (event) => heard.push(event.type) }), { ...error, retryable: false });
    assert.deepEqual(heard, ["stage"]);
  });
});

describe("a book in the thread", () => {
  const glueWith = (engine) => ({
    Engine: { open: async () => ({ info: () => INFO, free() {}, ...engine }) },
  });
  const open = (engine) => bookOver(async () => new ThreadEngine(new Instance(() => glueWith(engine)))).open({});

  test("turns a trap into crashed", async () => {
    const book = await open({
      ask: async () => {
        throw new WebAssembly.RuntimeError("unreachable");
      },
    });
    await assert.rejects(book.ask("why?"), (error) => error instanceof PlotbridgeError && error.code === "crashed");
  });

  test("frees the engine once, after what runs in it has ended", async () => {
    const order = [];
    const book = await open({
      ask: (_question, _options, _models, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => setImmediate(() => resolve(order.push("ended"))))),
      free: () => order.push("freed"),
    });
    const asking = book.ask("why?");
    await new Promise(setImmediate);
    book.close();
    book.close();
    await assert.rejects(asking, { code: "not_ready" });
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    assert.deepEqual(order, ["ended", "freed"]);
  });
});

describe("loading the wasm file", () => {
  const EMPTY = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  const glue = { default: async ({ module_or_path }) => assert.ok(module_or_path instanceof WebAssembly.Module) };

  test("needs no right type, and says which address gave a page, nothing or nonsense", async (t) => {
    const site = await host({
      "/typed.wasm": { type: "application/wasm", body: EMPTY },
      "/untyped.wasm": { type: "application/octet-stream", body: EMPTY },
      "/page.wasm": { type: "text/html", body: "<!doctype html>" },
      "/typed-page.wasm": { type: "text/plain", body: " <!doctype html>" },
      "/noise.wasm": { type: "application/octet-stream", body: "noise" },
      "/broken.wasm": { type: "application/wasm", body: "noise" },
    });
    t.after(site.close);
    for (const name of ["typed", "untyped"]) assert.equal(await loadFrom(`${site.url}/${name}.wasm`, glue), glue);
    const said = { page: /HTML page/, "typed-page": /HTML page/, noise: /not a WebAssembly file/, broken: /could not be compiled/, none: /answered with 404/ };
    for (const [name, message] of Object.entries(said)) {
      const url = `${site.url}/${name}.wasm`;
      await assert.rejects(loadFrom(url, glue), (error) => error.code === "not_ready" && message.test(error.message) && error.message.includes(url));
    }
  });

  test("names the words of the policy where WebAssembly is forbidden", async (t) => {
    const site = await host({ "/p.wasm": { type: "application/octet-stream", body: EMPTY } });
    t.after(site.close);
    t.mock.method(WebAssembly, "compile", async () => {
      throw new WebAssembly.CompileError("WebAssembly.compile(): Compiling or instantiating WebAssembly module violates the following Content Security policy directive");
    });
    await assert.rejects(loadFrom(`${site.url}/p.wasm`, glue), { code: "wasm_blocked", message: /'wasm-unsafe-eval'/ });
  });
});
