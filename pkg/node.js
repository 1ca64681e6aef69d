// Node's entry: the same Book, in this thread, from the wasm file beside this one.

import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { bookOver } from "./src/book.js";
import { diagnoseOver } from "./src/diagnose.js";
import { PlotbridgeError } from "./src/errors.js";
import { addressOf, hearProcess } from "./src/node-traps.js";
import { Pause } from "./src/pause.js";
import { forgetReplies, keptReplies, openReplies } from "./src/replies-file.js";
import { lastPart, readSource } from "./src/source.js";
import { Instance, ThreadEngine } from "./src/thread.js";
import * as glue from "./wasm/plotbridge.js";

export { forgetReplies, keptReplies, Pause, PlotbridgeError };

/** The book, on an engine in this thread. */
export const Book = bookOver(startEngine, readSourceOrFile);

/** What is wrong with an endpoint. */
export const diagnose = diagnoseOver(startEngine);

const WASM = new URL("./wasm/plotbridge_bg.wasm", import.meta.url);

let crashes = 0;
let current = copyOf(glue);

/** A copy of the glue with the one instance it can have. */
function copyOf(glue, query = "") {
  const copy = { glue, query, address: undefined };
  const load = async (signal) => {
    // Each request that runs listens to its call's signal: Node takes more than ten for a leak.
    setMaxListeners(0, signal);
    return engineModule();
  };
  copy.instance = new Instance(load, hearProcess(copy), openReplies);
  return copy;
}

/** The wasm module, started by the first call that needs it. */
export function engineModule() {
  if (current.instance.crashed) throw current.instance.crashed;
  if (!current.address) {
    current.glue.initSync({ module: readFileSync(WASM) });
    current.address = addressOf(current.glue);
  }
  return current.glue;
}

async function startEngine({ worker }) {
  if (worker) throw new PlotbridgeError("not_ready", "worker is true, but in Node the engine runs in the thread");
  if (current.instance.crashed) await replace(current);
  return new ThreadEngine(current.instance);
}

/**
 * Another instance after a crash: the glue keeps its instance for good, so it takes another copy of
 * the glue, by another address. The dead one stays in memory, as modules do.
 */
async function replace(dead) {
  const query = `?after=${++crashes}`;
  const glue = await import(`./wasm/plotbridge.js${query}`);
  if (current === dead) current = copyOf(glue, query);
}

/** As in a browser, and a `file:` address is read from the disk, which Node's fetch does not do. */
async function readSourceOrFile(call, source, signal) {
  const address = source instanceof URL || (call === "open" && typeof source === "string") ? String(source) : "";
  if (!/^file:/i.test(address)) return readSource(call, source, signal);
  try {
    return { bytes: new Uint8Array(await readFile(new URL(address), { signal })), name: lastPart(address) };
  } catch (cause) {
    throw new PlotbridgeError("unreadable", `${address} cannot be read: ${cause.message}`, { cause });
  }
}
