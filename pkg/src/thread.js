// The engine in this thread: where there is no worker, and in Node.

import { aborted, asError, isTrap, notReady } from "./errors.js";
import { Session } from "./session.js";

/**
 * An engine for one book, with the same three members as the worker's: `kind`, `call`, `close`.
 * `load` gives the wasm module, started once for all books of the realm; `issues` says why the
 * engine is here, where that is worth knowing.
 */
export class ThreadEngine {
  kind = "thread";
  issues;
  #load;
  #session;
  #stop = new AbortController();

  constructor(load, issues = []) {
    this.#load = load;
    this.issues = issues;
  }

  async call(op, args, { signal, emit }) {
    const stop = new AbortController();
    const unlink = follow(stop, [signal, this.#stop.signal]);
    try {
      return await Promise.race([this.#run(op, args, stop.signal, emit), interrupted(stop.signal)]);
    } catch (thrown) {
      if (this.#stop.signal.aborted) throw notReady();
      throw signal.aborted ? aborted(signal) : asError(thrown);
    } finally {
      unlink();
      stop.abort();
    }
  }

  async #run(op, args, signal, emit) {
    this.#session ??= new Session(await this.#load(signal));
    return this.#session.run(op, args, { signal, emit });
  }

  close() {
    this.#stop.abort();
    this.#session?.close().catch(() => {});
  }
}

/** Aborts `controller` as soon as one of `signals` is; returns how to stop that. */
function follow(controller, signals) {
  const abort = () => controller.abort();
  for (const signal of signals) signal.aborted ? abort() : signal.addEventListener("abort", abort);
  return () => signals.forEach((signal) => signal.removeEventListener("abort", abort));
}

/**
 * Rejects when `signal` aborts, and with the next trap of WebAssembly in this realm: a trap inside a
 * wasm future surfaces as an uncaught error and leaves the promise of its call pending for ever.
 */
function interrupted(signal) {
  return new Promise((_, reject) => {
    const hear = (event) => {
      const error = event.error ?? event.reason;
      if (isTrap(error)) reject(error);
    };
    for (const type of ["error", "unhandledrejection"]) globalThis.addEventListener?.(type, hear, { signal });
    signal.addEventListener("abort", () => reject(aborted(signal)), { once: true });
  });
}
