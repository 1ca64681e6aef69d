// Book: the package's one class, over an engine that a worker or this thread runs.
//
// Arguments are checked here, so that both engines and both entries refuse the same things in the
// same words; what an argument means is the engine's business.

import { cancellable } from "./cancel.js";
import { aborted, notReady, PlotbridgeError } from "./errors.js";
import { Ledger } from "./ledger.js";
import { equipped } from "./models.js";
import { CALL, checkOptions, engineOptions, show } from "./options.js";
import { readSource } from "./source.js";

/** The options that say how a book is read. */
const READING = ["name", "encoding", "title", "chapters", "config", "extraction", "concurrency", "merges"];

/**
 * The class Book of an entry. `start(options, signal)` gives an engine: `{ kind, issues, crashed,
 * call(op, args, { signal, emit }), close() }`. A crash of the engine rejects what is pending; the
 * next call begins the book again in a new engine, from its source, which is kept as a Blob.
 */
export function bookOver(start, read = readSource) {
  let making = false;
  let forgotten; // Ends the engines of books that were dropped without `close`.

  async function make(call, source, given) {
    const asked = checkOptions(call, given);
    return cancellable(asked.signal, asked.onProgress, async (signal, emit) => {
      const { bytes, url, name } = await read(call, source, signal);
      const options = named(asked, name);
      const text = bytes && new Blob([bytes]); // The bytes themselves are given away to the engine.
      const { engine, info, told } = await begin(call, { bytes, url }, options, { signal, emit, pause: options.pause });
      try {
        // What models made is not paid for twice: after a crash its index is opened, not built again.
        const made = call === "build" && options.models && new Blob([await engine.call("save", {}, { signal, emit: () => {} })]);
        const [way, kept, from] = made ? ["open", made] : [call, text, url];
        const built = call === "build" ? await engine.call("built", {}, { signal, emit: () => {} }) : undefined;
        const was = JSON.stringify(info);
        const again = async (signal) => {
          const input = { url: from, bytes: kept && new Uint8Array(await kept.arrayBuffer()) };
          const begun = await begin(way, input, options, { signal, emit: () => {} });
          if (JSON.stringify(begun.info) === was) return begun.engine;
          begun.engine.close();
          throw notReady("the engine crashed, and there is another book at this one's address now: open it again");
        };
        if (signal.aborted) throw aborted(signal);
        return create(engine, { ...info, issues: [...info.issues, ...told, ...engine.issues] }, options, again, built);
      } catch (thrown) {
        engine.close(); // There is no book to do it.
        throw thrown;
      }
    });
  }

  /** A new engine with what it knows of its book, and `told`: the issues of its replies. */
  async function begin(call, input, options, hooks) {
    const engine = await start(options, hooks.signal);
    try {
      const args = { ...input, options: engineOptions(options, READING), models: equipped(options.models, options), resume: options.resume };
      const { told = [], ...info } = await engine.call(call, args, hooks);
      return { engine, info, told };
    } catch (thrown) {
      engine.close();
      throw thrown;
    }
  }

  function create(engine, info, options, again, built) {
    making = true;
    try {
      return new Book(engine, info, equipped(options.models, { limits: options.limits }), again, built);
    } finally {
      making = false;
    }
  }

  class Book {
    #engine;
    #models;
    #again;
    #reopening;
    #closed = new AbortController();
    #ledger = new Ledger();
    info;
    coverage;

    constructor(engine, info, models, again, built) {
      if (!making) throw new PlotbridgeError("not_ready", "a book is made by Book.open or Book.build, not by new");
      this.info = info;
      this.coverage = built?.coverage ?? null;
      this.#ledger.add(built?.calls);
      this.#models = models;
      this.#again = again;
      this.#take(engine);
    }

    static open(source, options) {
      return make("open", source, options);
    }

    static build(source, options) {
      return make("build", source, options);
    }

    static async read(source, given) {
      const options = checkOptions("read", given);
      return cancellable(options.signal, undefined, async (signal, emit) => {
        const { bytes, name } = await read("read", source, signal);
        const { engine, info } = await begin("read", { bytes }, named(options, name), { signal, emit });
        engine.close();
        return info;
      });
    }

    static async estimate(source, given) {
      const options = checkOptions("estimate", given);
      return cancellable(options.signal, options.onProgress, async (signal, emit) => {
        const { bytes, name } = await read("estimate", source, signal);
        const { engine, info } = await begin("estimate", { bytes }, named(options, name), { signal, emit });
        engine.close();
        return info;
      });
    }

    get engine() {
      return this.#engine.kind;
    }

    get ledger() {
      return this.#ledger.document;
    }

    inspect() {
      return this.#call("inspect", {});
    }

    async text(start, end) {
      for (const [name, value] of Object.entries({ start, end })) {
        if (value !== undefined && !(Number.isInteger(value) && value >= 0 && value <= this.info.text_length)) {
          throw new PlotbridgeError("usage", `${name} is ${show(value)}, but must be a whole number from 0 to ${this.info.text_length}`);
        }
      }
      return this.#call("text", { start, end });
    }

    async retrieve(question, given) {
      const options = checkOptions("retrieve", given);
      const args = { question: checkQuestion(question), options: engineOptions(options, ["method", "upTo", "contextTokens", "config"]), models: this.#models };
      return this.#spending(this.#call("retrieve", args, options.signal), (trace) => trace.calls);
    }

    async ask(question, given) {
      const options = checkOptions("ask", given);
      const names = ["method", "steps", "choices", "upTo", "contextTokens", "config"];
      const args = { question: checkQuestion(question), options: engineOptions(options, names), models: equipped(this.#models, options) };
      return this.#spending(this.#call("ask", args, options.signal, options.onEvent), ({ trace }) => trace.calls);
    }

    /** Enters what a call asked of models, also where it came to nothing. */
    async #spending(call, callsOf) {
      try {
        const done = await call;
        this.#ledger.add(callsOf(done));
        return done;
      } catch (thrown) {
        this.#ledger.add(thrown?.details?.calls);
        throw thrown;
      }
    }

    async save() {
      return new Blob([await this.#call("save", {})], { type: "application/json" });
    }

    close() {
      this.#closed.abort();
      forgotten.unregister(this);
      this.#engine.close();
    }

    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
      this.close();
    }

    /** For `diagnose` (diagnose.js). */
    [CALL](op, args, outer, listener) {
      return this.#call(op, args, outer, listener);
    }

    #call(op, args, outer, listener) {
      return cancellable(outer, listener, async (signal, emit) => {
        const engine = this.#usable ? this.#engine : await this.#reopen();
        return engine.call(op, args, { signal, emit });
      });
    }

    get #usable() {
      return !this.#engine.crashed || this.#closed.signal.aborted;
    }

    /** After a crash the next call begins the book anew; calls meanwhile wait for the same beginning. */
    #reopen() {
      this.#reopening ??= this.#beginAgain().finally(() => (this.#reopening = undefined));
      return this.#reopening;
    }

    async #beginAgain() {
      const { signal } = this.#closed;
      try {
        const engine = await this.#again(signal);
        if (!signal.aborted) return this.#take(engine);
        engine.close();
      } catch (thrown) {
        if (!signal.aborted) throw thrown;
      }
      throw notReady();
    }

    #take(engine) {
      forgotten ??= new FinalizationRegistry((dropped) => dropped.close());
      forgotten.unregister(this);
      forgotten.register(this, engine, this);
      return (this.#engine = engine);
    }
  }
  return Book;
}

/** Where the caller names no file, the source's own name is the hint. */
const named = (options, name) => (name && options.name === undefined ? { ...options, name } : options);

function checkQuestion(question) {
  if (typeof question === "string") return question;
  throw new PlotbridgeError("question_invalid", `the question is ${question === null ? "null" : typeof question}, but must be a text`);
}
