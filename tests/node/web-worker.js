// A page's Worker over Node's threads, so that pkg/worker.js, the very file a page starts, runs in
// Node's tests too: same messages, another thread. And a fetch that reads file: addresses, which
// Node's does not and a page's server does.

import { readFileSync } from "node:fs";
import { Worker as Thread } from "node:worker_threads";
import { fileURLToPath } from "node:url";

const PRELUDE = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { readFileSync } = require("node:fs");
  const target = new EventTarget();
  globalThis.self = globalThis;
  self.addEventListener = target.addEventListener.bind(target);
  self.postMessage = (data, transfer) => parentPort.postMessage(data, transfer);
  parentPort.on("message", (data) => target.dispatchEvent(Object.assign(new Event("message"), { data })));
  for (const [here, there] of [["uncaughtException", "error"], ["unhandledRejection", "unhandledrejection"]]) {
    process.on(here, (error) => target.dispatchEvent(Object.assign(new Event(there), { error, reason: error })));
  }
  const network = globalThis.fetch;
  globalThis.fetch = async (request, init) => {
    const url = String(request.url ?? request);
    if (!url.startsWith("file:")) return network(request, init);
    return new Response(readFileSync(new URL(url)), { headers: { "content-type": "application/wasm" } });
  };
  require("node:vm").runInThisContext(workerData.source, { filename: workerData.url });
`;

/** The part of a page's Worker that the package uses. */
export class WebWorker {
  static alive = 0;
  /** What runs in the worker ahead of its script. */
  static prelude = "";
  onmessage = null;
  onerror = null;

  constructor(url) {
    const source = new.target.prelude + readFileSync(fileURLToPath(url), "utf8");
    this.thread = new Thread(PRELUDE, { eval: true, workerData: { source, url: String(url) } });
    WebWorker.alive++;
    this.thread.on("message", (data) => this.onmessage?.({ data }));
    this.thread.on("error", (error) => this.onerror?.({ message: error.message }));
  }

  postMessage(data, transfer) {
    this.thread.postMessage(data, transfer);
  }

  terminate() {
    WebWorker.alive--;
    this.thread.unref(); // A thread that was told to end holds nobody up.
    this.thread.terminate();
  }
}

/** A fetch that also reads file: addresses. */
export function fetchFiles() {
  const network = globalThis.fetch;
  globalThis.fetch = async (request, init) => {
    const url = String(request.url ?? request);
    if (!url.startsWith("file:")) return network(request, init);
    return new Response(readFileSync(fileURLToPath(url)), { headers: { "content-type": "application/wasm" } });
  };
}
