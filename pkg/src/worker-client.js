// The engine in a worker: this side of the messages that worker.js describes.
//
// A signal cannot cross into a worker, so an abort becomes a message. A crashed engine ends its
// worker; the book's next call starts a new one (book.js).

import { aborted, fromMessage, notReady, PlotbridgeError, toMessage } from "./errors.js";
import { functionsOf, portable } from "./models.js";

/** The worker could not be made; the reason is a sentence a site's author can act on. */
export class WorkerRefused extends Error {}

/** Starts a worker and the wasm module in it; rejects with `WorkerRefused` where none can be made. */
export async function startWorker({ workerUrl, wasmUrl, policy, signal }) {
  const worker = create(workerUrl, policy);
  const engine = new WorkerEngine(worker);
  try {
    await started(worker, workerUrl, wasmUrl, signal);
  } catch (thrown) {
    engine.close();
    throw thrown;
  }
  return engine;
}

function create(url, policy) {
  try {
    return new Worker(scriptUrl(url, policy), { type: "module", name: "plotbridge" });
  } catch (cause) {
    const words = /trusted|sink type/i.test(cause.message) // Firefox: "Sink type mismatch"
      ? "; on a site with trusted types, allow `trusted-types plotbridge` or hand in a policy"
      : "; worker-src must allow it, and the file must be on the page's own origin";
    throw new WorkerRefused(`no worker could be made of ${url} (${cause.message})${words}`, { cause });
  }
}

let ours;

/** The URL as `new Worker` takes it: through a trusted-types policy, made once, where there are any. */
function scriptUrl(url, given) {
  const types = globalThis.trustedTypes;
  if (given) return given.createScriptURL(String(url));
  if (!types) return url;
  try {
    ours ??= types.createPolicy("plotbridge", { createScriptURL: (address) => address });
  } catch {
    return url; // The name is not allowed; where the site does not require a policy this still works.
  }
  return ours.createScriptURL(String(url));
}

function started(worker, workerUrl, wasmUrl, signal) {
  return new Promise((resolve, reject) => {
    const refuse = (why) => reject(new WorkerRefused(`the worker ${workerUrl} did not start (${why}); worker-src must allow it, and the file must be there`));
    signal.addEventListener("abort", () => reject(aborted(signal)), { once: true });
    worker.onerror = (event) => {
      event.preventDefault?.();
      refuse(event.message || "it was blocked or is not there");
    };
    worker.onmessage = ({ data }) => (data.started ? resolve() : reject(fromMessage(data.error)));
    worker.postMessage({ start: String(wasmUrl) });
  });
}

/** An engine for one book, with the same members as the thread's. */
class WorkerEngine {
  kind = "worker";
  issues = [];
  crashed = false;
  #worker;
  #calls = new Map();
  #lastId = 0;
  #ended;

  constructor(worker) {
    this.#worker = worker;
  }

  call(op, args, { signal, emit, pause }) {
    if (this.#ended) return Promise.reject(this.#ended);
    if (signal.aborted) return Promise.reject(aborted(signal));
    const id = ++this.#lastId;
    this.#listen();
    return new Promise((resolve, reject) => {
      const cancel = () => this.#worker.postMessage({ cancel: id });
      const turn = () => this.#worker.postMessage({ pause: id, paused: pause.paused });
      const settle = (how) => (value) => {
        signal.removeEventListener("abort", cancel);
        pause?.removeEventListener("change", turn);
        this.#calls.get(id)?.asked.stop();
        this.#calls.delete(id);
        how(value);
      };
      const asked = new PageFunctions(args.models, (message) => this.#worker.postMessage(message));
      this.#calls.set(id, { emit, asked, resolve: settle(resolve), reject: settle(reject) });
      signal.addEventListener("abort", cancel);
      pause?.addEventListener("change", turn);
      const carried = { ...args, models: portable(args.models) };
      this.#worker.postMessage({ id, op, args: carried, paused: pause?.paused }, args.bytes ? [args.bytes.buffer] : []);
    });
  }

  close() {
    this.#end(notReady(), notReady());
  }

  #listen() {
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = (event) => {
      event.preventDefault?.();
      this.#crash(new PlotbridgeError("crashed", `the worker failed: ${event.message}`));
    };
  }

  #hear(message) {
    const { id, event, result, error, crashed } = message;
    if (crashed) return this.#crash(fromMessage(crashed));
    const call = this.#calls.get(id);
    if (message.asked) return call?.asked.hear(message);
    if (error?.trap) return this.#crash(fromMessage(error));
    if (event) call?.emit(event);
    else if (error) call?.reject(fromMessage(error));
    else call?.resolve(result);
  }

  #crash(error) {
    this.crashed = true;
    this.#end(error, error);
  }

  /** Ends the worker; pending calls reject with `now`, later ones with `after`. */
  #end(now, after) {
    if (this.#ended) return;
    this.#ended = after;
    this.#worker.terminate();
    for (const call of [...this.#calls.values()]) call.reject(now);
  }
}

/** The page's own functions among a call's models, and those that give keys, asked by message. */
class PageFunctions {
  #functions;
  #send;
  #asked = new Map();

  constructor(models, send) {
    this.#functions = functionsOf(models);
    this.#send = send;
  }

  hear({ asked, part, request, stop }) {
    if (stop) return this.#asked.get(asked)?.abort();
    const controller = new AbortController();
    this.#asked.set(asked, controller);
    const onText = (piece) => this.#send({ asked, piece: String(piece) });
    // A function that throws at once fails like one whose promise does.
    new Promise((resolve) => resolve(this.#functions[part](request, { signal: controller.signal, onText })))
      .then((given) => this.#send({ asked, given }))
      .catch((thrown) => this.#send({ asked, failed: toMessage(thrown) }))
      .finally(() => this.#asked.delete(asked));
  }

  /** The call has ended: what its functions still do is in vain. */
  stop() {
    for (const controller of this.#asked.values()) controller.abort();
  }
}
