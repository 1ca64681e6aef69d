// The worker: one session, driven by messages. `cargo xtask build` bundles this file with all it
// imports into pkg/worker.js, which must have no import and no import.meta.
//
//   in   { start: wasmUrl }   { id, op, args, paused }   { cancel: id }   { pause: id, paused }
//   out  { started }   { id, event }   { id, result }   { id, error }   { crashed: error }
//
// A call may ask a function of the page in its turn (models.js): a model, or the key of one.
//
//   out  { id, asked, part, request }   { id, asked, stop }
//   in   { asked, piece }   { asked, given }   { asked, failed: error }

import * as glue from "../wasm/plotbridge.js";
import { aborted, fromMessage, isTrap, toMessage } from "./errors.js";
import { loadFrom } from "./load.js";
import { revived } from "./models.js";
import { Pause } from "./pause.js";
import { openReplies } from "./replies-base.js";
import { Session } from "./session.js";

const running = new Map();
const asking = new Map();
let lastAsked = 0;
let session;

async function start(url) {
  try {
    session = new Session(await loadFrom(url, glue), openReplies);
    self.postMessage({ started: true });
  } catch (thrown) {
    self.postMessage({ started: false, error: toMessage(thrown) });
  }
}

async function perform({ id, op, args, paused }) {
  const [controller, pause] = [new AbortController(), new Pause()];
  running.set(id, { controller, pause });
  turn(pause, paused);
  try {
    const emit = (event) => self.postMessage({ id, event });
    args.models = revived(args.models, (...question) => askPage(id, ...question));
    const result = await session.run(op, args, { signal: controller.signal, emit, pause });
    self.postMessage({ id, result }, result instanceof Uint8Array ? [result.buffer] : []);
  } catch (thrown) {
    self.postMessage({ id, error: toMessage(thrown) });
  } finally {
    running.delete(id);
  }
}

const turn = (pause, paused) => (paused ? pause?.pause() : pause?.resume());

/** Asks the page's function of one of the call's models. */
function askPage(id, part, request, { signal, onText }) {
  const asked = ++lastAsked;
  return new Promise((resolve, reject) => {
    const stop = () => {
      self.postMessage({ id, asked, stop: true });
      reject(aborted(signal));
    };
    signal?.addEventListener("abort", stop, { once: true });
    asking.set(asked, { piece: onText, given: resolve, failed: (error) => reject(fromMessage(error)) });
    self.postMessage({ id, asked, part, request });
  }).finally(() => asking.delete(asked));
}

function hearPage({ asked, ...said }) {
  for (const [what, value] of Object.entries(said)) asking.get(asked)?.[what]?.(value);
}

self.addEventListener("message", ({ data }) => {
  if (data.asked) hearPage(data);
  else if (data.start) start(data.start);
  else if (data.cancel) running.get(data.cancel)?.controller.abort();
  else if (data.pause) turn(running.get(data.pause)?.pause, data.paused);
  else perform(data);
});

// A trap inside a wasm future does not reject the call's promise; it surfaces here.
for (const type of ["error", "unhandledrejection"]) {
  self.addEventListener(type, (event) => {
    const thrown = event.error ?? event.reason;
    if (isTrap(thrown)) self.postMessage({ crashed: toMessage(thrown) });
  });
}
