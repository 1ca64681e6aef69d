// Node's entry: the same Book, in this thread, from the wasm file beside this one.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { bookOver } from "./src/book.js";
import { PlotbridgeError } from "./src/errors.js";
import { readSource } from "./src/source.js";
import { ThreadEngine } from "./src/thread.js";
import * as glue from "./wasm/plotbridge.js";

export { PlotbridgeError };

/** The book, on an engine in this thread. */
export const Book = bookOver(startEngine, readSourceOrFile);

let started = false;

/** The wasm module, started by the first call that needs it. */
export function engineModule() {
  if (!started) glue.initSync({ module: readFileSync(new URL("./wasm/plotbridge_bg.wasm", import.meta.url)) });
  started = true;
  return glue;
}

async function startEngine({ worker, wasmUrl }) {
  if (worker) throw new PlotbridgeError("not_ready", "worker is true, but in Node the engine runs in the thread");
  return new ThreadEngine(engineModule);
}

/** As in a browser, and a `file:` URL is read from the disk, which Node's fetch does not do. */
async function readSourceOrFile(call, source, signal) {
  if (!(source instanceof URL) || source.protocol !== "file:") return readSource(call, source, signal);
  try {
    return { bytes: new Uint8Array(await readFile(source, { signal })) };
  } catch (cause) {
    throw new PlotbridgeError("unreadable", `${source.pathname} could not be read: ${cause.message}`, { cause });
  }
}
