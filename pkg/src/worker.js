// The worker: one session, driven by messages. `cargo xtask build` bundles this file with all it
// imports into pkg/worker.js, which must have no import and no import.meta.
//
//   in   { start: wasmUrl }   { id, op, args }   { cancel: id }
//   out  { started }   { id, event }   { id, result }   { id, error }   { crashed: error }

import * as glue from "../wasm/plotbridge.js";
import { isTrap, toMessage } from "./errors.js";
import { loadFrom } from "./load.js";
import { Session } from "./session.js";

const running = new Map();
let session;

async function start(url) {
  try {
    session = new Session(await loadFrom(url, glue));
    self.postMessage({ started: true });
  } catch (thrown) {
    self.postMessage({ started: false, error: toMessage(thrown) });
  }
}

async function perform({ id, op, args }) {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const emit = (event) => self.postMessage({ id, event });
    const result = await session.run(op, args, { signal: controller.signal, emit });
    self.postMessage({ id, result }, result instanceof Uint8Array ? [result.buffer] : []);
  } catch (thrown) {
    self.postMessage({ id, error: toMessage(thrown) });
  } finally {
    running.delete(id);
  }
}

self.addEventListener("message", ({ data }) => {
  if (data.start) start(data.start);
  else if (data.cancel) running.get(data.cancel)?.abort();
  else perform(data);
});

// A trap inside a wasm future does not reject the call's promise; it surfaces here.
for (const type of ["error", "unhandledrejection"]) {
  self.addEventListener(type, (event) => {
    const thrown = event.error ?? event.reason;
    if (isTrap(thrown)) self.postMessage({ crashed: toMessage(thrown) });
  });
}
