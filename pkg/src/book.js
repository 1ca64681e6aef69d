// Book: the package's one class, over an engine that a worker or this thread runs.
//
// Arguments are checked here, so that both engines and both entries refuse the same things in the
// same words; what an argument means is the engine's business.

import { aborted, asError, notReady, PlotbridgeError } from "./errors.js";
import { checkOptions, engineOptions } from "./options.js";
import { readSource } from "./source.js";

/**
 * The class Book of an entry. `start(options, signal)` gives an engine: `{ kind, issues,
 * call(op, args, { signal, emit }), close() }`.
 */
export function bookOver(start, read = readSource) {
  let making = false;
  let forgotten; // Ends the engines of books that were dropped without `close`.

  async function make(call, source, given) {
    const options = checkOptions(call, given);
    return cancellable(options.signal, options.onProgress, async (signal, emit) => {
      const input = await read(call, source, signal);
      const engine = await start(options, signal);
      try {
        const args = { ...input, options: engineOptions(options, ["name", "encoding", "title", "config"]) };
        const info = await engine.call(call, args, { signal, emit });
        return create(engine, { ...info, issues: [...info.issues, ...engine.issues] });
      } catch (thrown) {
        engine.close();
        throw thrown;
      }
    });
  }

  function create(engine, info) {
    making = true;
    try {
      return new Book(engine, info);
    } finally {
      making = false;
    }
  }

  class Book {
    #engine;
    info;

    constructor(engine, info) {
      if (!making) throw new PlotbridgeError("not_ready", "a book is made by Book.open or Book.build, not by new");
      this.#engine = engine;
      this.info = info;
      forgotten ??= new FinalizationRegistry((dropped) => dropped.close());
      forgotten.register(this, engine, this);
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
        const input = await read("read", source, signal);
        const engine = await start(options, signal);
        try {
          const args = { ...input, options: engineOptions(options, ["name", "encoding", "title", "config"]) };
          return await engine.call("read", args, { signal, emit });
        } finally {
          engine.close();
        }
      });
    }

    get engine() {
      return this.#engine.kind;
    }

    inspect() {
      return this.#call("inspect", {});
    }

    async text(start, end) {
      for (const [name, value] of Object.entries({ start, end })) {
        if (value !== undefined && !(Number.isInteger(value) && value >= 0 && value <= this.info.text_length)) {
          throw new PlotbridgeError("usage", `${name} is ${String(value)}, but must be a whole number from 0 to ${this.info.text_length}`);
        }
      }
      return this.#call("text", { start, end });
    }

    async retrieve(question, given) {
      const options = checkOptions("retrieve", given);
      const args = { question: checkQuestion(question), options: engineOptions(options, ["method", "upTo", "contextTokens", "config"]) };
      return this.#call("retrieve", args, options.signal);
    }

    async ask(question, given) {
      const options = checkOptions("ask", given);
      const names = ["method", "steps", "choices", "upTo", "contextTokens", "config"];
      const args = { question: checkQuestion(question), options: engineOptions(options, names) };
      return this.#call("ask", args, options.signal, options.onEvent);
    }

    async save() {
      return new Blob([await this.#call("save", {})], { type: "application/json" });
    }

    close() {
      forgotten.unregister(this);
      this.#engine.close();
    }

    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
      this.close();
    }

    #call(op, args, outer, listener) {
      return cancellable(outer, listener, (signal, emit) => this.#engine.call(op, args, { signal, emit }));
    }
  }
  return Book;
}

function checkQuestion(question) {
  if (typeof question === "string") return question;
  throw new PlotbridgeError("question_invalid", `the question is ${question === null ? "null" : typeof question}, but must be a text`);
}

/**
 * Runs `work(signal, emit)` and rejects as soon as `outer` aborts, whatever the work is doing; a
 * listener that throws cancels the work and rejects with what it threw.
 */
function cancellable(outer, listener, work) {
  return new Promise((resolve, reject) => {
    const inner = new AbortController();
    const stop = (error) => {
      reject(error);
      inner.abort(error);
    };
    const abort = () => stop(aborted(outer));
    if (outer?.aborted) return abort();
    outer?.addEventListener("abort", abort);
    const emit = (event) => {
      if (inner.signal.aborted || !listener) return;
      try {
        listener(event);
      } catch (thrown) {
        stop(thrown);
      }
    };
    work(inner.signal, emit)
      .then(resolve, (thrown) => reject(asError(thrown)))
      .finally(() => outer?.removeEventListener("abort", abort));
  });
}
