// The engine in this thread: where there is no worker, and in Node.
//
// All books of a thread share one instance of the wasm module. A trap ends the instance with all
// that runs in it: its memory cannot be trusted after that.

import { aborted, asError, endsLater, isTrap, notReady } from "./errors.js";
import { openReplies } from "./replies-base.js";
import { Session } from "./session.js";

/** One instance of the wasm module and the calls that run in it, of all books. */
export class Instance {
  /** Set once the instance is dead. */
  crashed;
  /** Opens the replies of a build, by its name. */
  openReplies;
  #load;
  #hear;
  #calls = new Set();
  #deaf;

  /**
   * `load(signal)` gives the module. `hear(listener)` listens for traps that reach no promise, as
   * those inside a wasm future do, and returns how to stop; it is called only while calls run.
   */
  constructor(load, hear = hearPage, replies = openReplies) {
    this.#load = load;
    this.#hear = hear;
    this.openReplies = replies;
  }

  load(signal) {
    return this.#load(signal);
  }

  /** A call begins; `fail(error)` is called when the instance dies before it ends. */
  begin(fail) {
    if (!this.#calls.size) this.#deaf = this.#hear((trap) => this.end(trap));
    this.#calls.add(fail);
  }

  done(fail) {
    if (this.#calls.delete(fail) && !this.#calls.size && !this.crashed) this.#deaf();
  }

  /** The instance died of this trap. It goes on listening: what is left of its work may trap too. */
  end(trap) {
    this.crashed ??= asError(trap);
    for (const fail of [...this.#calls]) {
      this.done(fail);
      fail(this.crashed);
    }
  }
}

/**
 * An engine for one book, with the same members as the worker's: `kind`, `issues`, `crashed`, `call`,
 * `close`. `issues` says why the engine is here, where that is worth knowing.
 */
export class ThreadEngine {
  kind = "thread";
  issues;
  #instance;
  #session;
  #calls = new Set();
  #closed = false;

  constructor(instance, issues = []) {
    this.#instance = instance;
    this.issues = issues;
  }

  get crashed() {
    return this.#instance.crashed !== undefined;
  }

  call(op, args, { signal, emit, pause }) {
    if (this.#closed) return Promise.reject(notReady());
    if (this.crashed) return Promise.reject(this.#instance.crashed);
    if (signal.aborted) return Promise.reject(aborted(signal));
    return new Promise((resolve, reject) => {
      const stop = new AbortController();
      const fail = (error) => {
        reject(error);
        stop.abort();
      };
      const abort = () => {
        endsLater(signal.reason, running);
        fail(aborted(signal));
      };
      const done = () => {
        signal.removeEventListener("abort", abort);
        this.#calls.delete(fail);
        this.#instance.done(fail);
      };
      signal.addEventListener("abort", abort);
      this.#calls.add(fail);
      this.#instance.begin(fail);
      const running = this.#run(op, args, { signal: stop.signal, emit, pause });
      running
        .then(resolve, (thrown) => {
          if (isTrap(thrown)) this.#instance.end(thrown);
          reject(asError(thrown));
        })
        .finally(done);
    });
  }

  async #run(op, args, hooks) {
    const wasm = await this.#instance.load(hooks.signal);
    this.#session ??= new Session(wasm, this.#instance.openReplies);
    return this.#session.run(op, args, hooks);
  }

  close() {
    this.#closed = true;
    for (const fail of this.#calls) fail(notReady());
    // A dead instance frees nothing: it goes as a whole.
    if (!this.crashed) this.#session?.close().catch(() => {});
  }
}

/** Traps of a page's or worker's thread that reach no promise. */
function hearPage(listener) {
  const hear = (event) => {
    const thrown = event.error ?? event.reason;
    if (isTrap(thrown)) listener(thrown);
  };
  const types = ["error", "unhandledrejection"];
  for (const type of types) globalThis.addEventListener?.(type, hear);
  return () => types.forEach((type) => globalThis.removeEventListener?.(type, hear));
}
