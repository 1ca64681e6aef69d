// The browser's entry. Nothing runs when it is imported: it is safe in a server-side render.
// A bundler finds the two files by these two constants.
const WORKER_URL = new URL("./worker.js", import.meta.url);
const WASM_URL = new URL("./wasm/plotbridge_bg.wasm", import.meta.url);

import { bookOver } from "./src/book.js";
import { diagnoseOver } from "./src/diagnose.js";
import { PlotbridgeError } from "./src/errors.js";
import { loadFrom } from "./src/load.js";
import { Pause } from "./src/pause.js";
import { forgetReplies, keptReplies } from "./src/replies-base.js";
import { absolute } from "./src/source.js";
import { Instance, ThreadEngine } from "./src/thread.js";
import { startWorker, WorkerRefused } from "./src/worker-client.js";
import * as glue from "./wasm/plotbridge.js";

export { forgetReplies, keptReplies, Pause, PlotbridgeError };

/** The book, on an engine in a worker, or in this thread where no worker can be made. */
export const Book = /* @__PURE__ */ bookOver(startEngine);

/** What is wrong with an endpoint. */
export const diagnose = /* @__PURE__ */ diagnoseOver(startEngine);

async function startEngine({ worker, workerUrl = WORKER_URL, wasmUrl = WASM_URL, policy }, signal) {
  if (worker === false) return inThread(wasmUrl);
  if (worker === undefined && typeof Worker === "undefined") return inThread(wasmUrl);
  try {
    return await startWorker({ workerUrl: absolute(workerUrl), wasmUrl: absolute(wasmUrl), policy, signal });
  } catch (thrown) {
    if (!(thrown instanceof WorkerRefused)) throw thrown;
    if (worker) throw new PlotbridgeError("not_ready", thrown.message, { cause: thrown.cause });
    return inThread(wasmUrl, [{ code: "in_thread", message: thrown.message }]);
  }
}

let instance;
let loading;

/** An engine in this thread. A page's thread has one instance of the module: its glue starts once. */
function inThread(wasmUrl, issues) {
  const url = absolute(wasmUrl);
  instance ??= new Instance(() => loadOnce(url));
  if (instance.crashed) {
    throw new PlotbridgeError("not_ready", "the engine of this page's thread crashed; load the page again", { cause: instance.crashed });
  }
  return new ThreadEngine(instance, issues);
}

/** Loads the module for the first book that needs it; a failure is not kept. */
function loadOnce(url) {
  loading ??= loadFrom(url, glue).catch((thrown) => {
    loading = undefined;
    throw thrown;
  });
  return loading;
}
