// A session: one book in one engine of the wasm module, the same in a worker and in the thread.
//
// It is given the module once it is ready, and how to open the replies of a build, so that this file
// knows neither how nor where that happens. Every result is plain data that structured clone carries.

import { aborted, notReady, PlotbridgeError } from "./errors.js";
import { opened } from "./pause.js";
import { look, surroundings } from "./surroundings.js";

export class Session {
  #wasm;
  #openReplies;
  #engine;
  #running = new Set();
  #closed = new AbortController();

  constructor(wasm, openReplies) {
    this.#wasm = wasm;
    this.#openReplies = openReplies;
  }

  /** Runs one operation; `emit` hears its progress or events, `signal` cancels it, `pause` stops it for a while. */
  async run(op, args, { signal, emit, pause }) {
    if (this.#closed.signal.aborted) throw notReady();
    if (signal.aborted) throw aborted(signal);
    const call = this[op](args, signal, emit, pause);
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

  /** Beside what the book knows of itself, `told` are the issues of its replies. */
  async build({ bytes, options, models, resume }, signal, emit, pause) {
    const { Engine } = this.#wasm;
    const store = models && resume !== undefined ? await this.#openReplies(resume) : undefined;
    const gate = models && pause ? () => opened(pause) : undefined;
    try {
      const engine = await Engine.build(bytes, options, models && { ...models, store, gate }, signal, emit);
      return { ...this.#begin(engine, signal), told: (await store?.issues()) ?? [] };
    } finally {
      await store?.close();
    }
  }

  /** How a text would be cut; no book is opened by it. */
  async read({ bytes, options }, signal) {
    return this.#wasm.chunks(bytes, options, signal);
  }

  /** What building it by models would cost; no book is opened by it. */
  async estimate({ bytes, options, models }, signal, emit) {
    return this.#wasm.estimate(bytes, options, models, signal, emit);
  }

  /** What its build cost, and how much of the book its models read. */
  async built() {
    return this.#ready().built();
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

  /** What is wrong with an endpoint; with its vectors beside the open book's, if one is open. */
  async diagnose({ endpoint, part, limits, budget }, signal, emit) {
    const place = { ...(await surroundings(endpoint.url)), limits, budget };
    return (this.#engine ?? this.#wasm).diagnose(endpoint, part, place, look, signal, emit);
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
