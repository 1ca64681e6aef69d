// A session: one book in one engine of the wasm module, the same in a worker and in the thread.
//
// It is given the module once it is ready, so that this file knows neither how nor where that
// happens. Every result is plain data that structured clone carries.

import { aborted, notReady, PlotbridgeError } from "./errors.js";

export class Session {
  #wasm;
  #engine;
  #running = new Set();
  #closed = new AbortController();

  constructor(wasm) {
    this.#wasm = wasm;
  }

  /** Runs one operation; `emit` hears its progress or events, `signal` cancels it. */
  async run(op, args, { signal, emit }) {
    if (this.#closed.signal.aborted) throw notReady();
    if (signal.aborted) throw aborted(signal);
    const call = this[op](args, signal, emit);
    this.#running.add(call);
    try {
      return await call;
    } finally {
      this.#running.delete(call);
    }
  }

  async open({ bytes, url }, signal, emit) {
    const { Engine } = this.#wasm;
    return this.#begin(await (url ? Engine.fetch(url, signal, emit) : Engine.open(bytes, signal, emit)), signal);
  }

  async build({ bytes, options, models }, signal, emit) {
    return this.#begin(await this.#wasm.Engine.build(bytes, options, models, signal, emit), signal);
  }

  /** How a text would be cut; no book is opened by it. */
  async read({ bytes, options }, signal) {
    return this.#wasm.chunks(bytes, options, signal);
  }

  async inspect() {
    return this.#ready().inspect();
  }

  async text({ start, end }) {
    return this.#ready().text(start, end);
  }

  async retrieve({ question, options, models }, signal, emit) {
    return this.#ready().retrieve(question, options, models, signal, emit);
  }

  async ask({ question, options, models }, signal, emit) {
    return this.#ready().ask(question, options, models, signal, emit);
  }

  async save() {
    return this.#ready().save();
  }

  /** Frees the engine's memory once nothing runs in it any more. */
  async close() {
    this.#closed.abort();
    await Promise.allSettled(this.#running);
    this.#engine?.free();
    this.#engine = undefined;
  }

  #begin(engine, signal) {
    if (signal.aborted || this.#closed.signal.aborted) {
      engine.free();
      throw aborted(signal);
    }
    this.#engine = engine;
    return engine.info();
  }

  #ready() {
    if (!this.#engine) throw new PlotbridgeError("not_ready", "no book is open in this engine");
    return this.#engine;
  }
}
