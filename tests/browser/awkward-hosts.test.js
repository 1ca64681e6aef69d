// The package on hosts that forbid, mislabel or mislay its files: where the engine then runs, or
// what the error says that a site's author can act on.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";

import { ROOT } from "./browser.js";
import { inEachEngine } from "./drive/engines.js";

const POLICY = {
  "default-src": "'none'", "script-src": "'self' 'wasm-unsafe-eval'", "connect-src": "'self'", "worker-src": "'self'",
  "require-trusted-types-for": "'script'",
};
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const PAGE = { type: "text/html", body: '<!doctype html><title>page</title><script type="module" src="/try.js"></script>' };
const WASM = "/wasm/plotbridge_bg.wasm";

/** Each: how the policy differs, what is answered instead of a file, options, and what comes of it. */
const CASES = {
  "as it should be: a worker": [{}, {}, {}, { engine: "worker", codes: [] }],
  "trusted types that do not name our policy: the thread": [{ "trusted-types": "other" }, {}, {}, { engine: "thread", codes: ["in_thread"] }],
  "the same where a worker is required": [{ "trusted-types": "other" }, {}, { worker: true }, { code: "not_ready", says: /trusted-types plotbridge/ }],
  "names of policies without a duty to use one: a worker": [{ "trusted-types": "other", "require-trusted-types-for": undefined }, {}, {}, { engine: "worker", codes: [] }],
  "workers forbidden: the thread": [{ "worker-src": "'none'" }, {}, {}, { engine: "thread", codes: ["in_thread"] }],
  "workers forbidden, and one required": [{ "worker-src": "'none'" }, {}, { worker: true }, { code: "not_ready", says: /worker-src/ }],
  "WebAssembly forbidden in a worker": [{ "script-src": "'self'" }, {}, {}, { code: "wasm_blocked", says: /'wasm-unsafe-eval'/ }],
  "WebAssembly forbidden in the thread": [{ "script-src": "'self'" }, {}, { worker: false }, { code: "wasm_blocked", says: /'wasm-unsafe-eval'/ }],
  "fetching forbidden": [{ "connect-src": "'none'" }, {}, {}, { code: "not_ready", says: /connect-src/ }],
  "wasm of the wrong type: a worker all the same": [{}, { [WASM]: { type: "application/octet-stream" } }, {}, { engine: "worker", codes: [] }],
  "a page for the wasm file": [{}, { [WASM]: PAGE }, {}, { code: "not_ready", says: /plotbridge_bg\.wasm was answered with an HTML page/ }],
  "no wasm file": [{}, { [WASM]: { status: 404, ...PAGE } }, {}, { code: "not_ready", says: /plotbridge_bg\.wasm was answered with 404/ }],
  "a page for the worker's file: the thread": [{}, { "/worker.js": PAGE }, {}, { engine: "thread", codes: ["in_thread"] }],
  "a worker's file of another origin: the thread": [{}, {}, { workerUrl: "http://localhost:1/worker.js" }, { engine: "thread", codes: ["in_thread"] }],
};

inEachEngine("on an awkward host", ({ open, has }) => {
  let tab;
  let server;
  let policy;
  let instead;

  before(async () => {
    server = createServer(async (request, response) => {
      response.setHeader("Content-Security-Policy", policy);
      response.setHeader("Cache-Control", "no-store");
      const made = { "/": PAGE, "/try.js": { body: `globalThis.build = ${build};` } };
      const { status = 200, type, body } = made[request.url] ?? instead[request.url] ?? {};
      const found = body ?? (await readFile(path.join(ROOT, "pkg", request.url)).catch(() => undefined));
      response.writeHead(found === undefined ? 404 : status, { "Content-Type": type ?? TYPES[path.extname(request.url)] ?? "text/plain" });
      response.end(found);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    tab = await open();
  });
  after(async () => {
    await tab?.close();
    server.closeAllConnections();
    server.close();
  });

  for (const [name, [differs, answers, options, expected]] of Object.entries(CASES)) {
    if (differs["trusted-types"] && !has("trusted types")) continue;
    test(name, async () => {
      policy = Object.entries({ ...POLICY, ...differs }).filter(([, value]) => value).map((pair) => pair.join(" ")).join("; ");
      instead = answers;
      await tab.goto(`http://127.0.0.1:${server.address().port}/`);
      await tab.until(() => "build" in globalThis);
      const got = await tab.eval((given) => globalThis.build(given), options);
      if (expected.code) {
        assert.equal(got.code, expected.code, JSON.stringify(got));
        assert.match(got.message, expected.says);
      } else {
        assert.equal(got.engine, expected.engine, JSON.stringify(got));
        assert.deepEqual(got.codes.filter((code) => code === "in_thread"), expected.codes);
      }
    });
  }
});

/** This function is a script of the page. */
async function build(options) {
  try {
    const { Book } = await import("/index.js");
    const book = await Book.build("Ines Vale rowed to the chapel. Ines Vale found a box.", options);
    const result = { engine: book.engine, codes: book.info.issues.map(({ code }) => code) };
    book.close();
    return result;
  } catch ({ code, message }) {
    return { code, message };
  }
}
