// The browser's entry. Nothing runs when it is imported: it is safe in a server-side render.
// A bundler finds the two files by these two constants.
const WORKER_URL = new URL("./worker.js", import.meta.url);
const WASM_URL = new URL("./wasm/plotbridge_bg.wasm", import.meta.url);

import { bookOver } from "./src/book.js";
import { PlotbridgeError } from "./src/errors.js";
import { loadFrom } from "./src/load.js";
import { absolute } from "./src/source.js";
import { ThreadEngine } from "./src/thread.js";
import { startWorker, WorkerRefused } from "./src/worker-client.js";
import * as glue from "./wasm/plotbridge.js";

export { PlotbridgeError };

/** The book, on an engine in a worker, or in this thread where no worker can be made. */
export const Book = /* @__PURE__ */ bookOver(startEngine);

async function startEngine({ worker, workerUrl = WORKER_URL, wasmUrl = WASM_URL, policy }, signal) {
  const load = () => loadOnce(absolute(wasmUrl));
  if (worker === false) return new ThreadEngine(load);
  if (worker === undefined && typeof Worker === "undefined") return new ThreadEngine(load);
  try {
    return await startWorker({ workerUrl: absolute(workerUrl), wasmUrl: absolute(wasmUrl), policy, signal });
  } catch (thrown) {
    if (!(thrown instanceof WorkerRefused)) throw thrown;
    if (worker) throw new PlotbridgeError("not_ready", thrown.message, { cause: thrown.cause });
    return new ThreadEngine(load, [{ code: "in_thread", message: thrown.message }]);
  }
}

let loading;

/** The wasm module of this thread, loaded by the first book that needs it; a failure is not kept. */
function loadOnce(url) {
  loading ??= loadFrom(url, glue).catch((thrown) => {
    loading = undefined;
    throw thrown;
  });
  return loading;
}
