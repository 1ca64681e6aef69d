// The contract, in Node: on Node's own entry, and on the browser's entry with the engine in the
// thread and in a worker.

import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import * as browser from "../../pkg/index.js";
import * as node from "../../pkg/node.js";
import { SMALL } from "../contract/books.js";
import { RULES } from "../contract/models.js";
import { contract } from "../contract/suite.js";
import { folder } from "./command.js";
import { host } from "./host.js";
import { modelServer } from "./model-server.js";
import { fetchFiles, WebWorker } from "./web-worker.js";

let site;
let server;
const urls = {};

before(async () => {
  fetchFiles();
  const book = await node.Book.build(SMALL);
  const index = Buffer.from(await (await book.save()).arrayBuffer());
  book.close();
  server = await modelServer({ rules: RULES });
  site = await host({
    "/index.json": { type: "application/json", body: index },
    "/app": { type: "text/html", body: "<!doctype html><title>Start page</title>" },
  });
  Object.assign(urls, { index: `${site.url}/index.json`, html: `${site.url}/app`, missing: `${site.url}/none.json`, models: server.url });
});

after(() => Promise.all([site.close(), server.close()]));

const home = folder();
const nowhere = { name: (text) => text, lasting: false }; // Node has no IndexedDB

const places = {
  "Node's entry": { ...node, options: {}, engine: "thread", name: (text) => path.join(home, text), lasting: true },
  "the browser's entry, in the thread": { ...browser, options: { worker: false }, engine: "thread", ...nowhere },
  "the browser's entry, in a worker": { ...browser, options: {}, engine: "worker", ...nowhere },
};

for (const [place, subject] of Object.entries(places)) {
  describe(place, () => {
    before(() => {
      globalThis.Worker = WebWorker;
    });
    after(() => {
      delete globalThis.Worker;
      assert.equal(WebWorker.alive, 0, "every worker was ended");
    });
    for (const [name, check] of Object.entries(contract)) {
      test(name, () => check({ ...subject, urls }));
    }
  });
}
