// Replies of models, kept by what was asked: on a shelf that lasts, and where that fails in memory.
//
// A shelf is `{ get(key), put(key, value), close() }`: a page's is in IndexedDB (replies-base.js), Node's
// is a file (replies-file.js). Keys are digests of what was asked, values what came of it; neither knows
// an address, a key of a server or a prompt.
//
// The invariant: a reply that is here is never lost to the build that asked, and a build that cannot keep
// its replies for the next says so.

import { words } from "./errors.js";

/** The replies of one build. */
export class Replies {
  #shelf;
  #memory = new Map();
  #where;
  #trouble;

  /** Opens a shelf by `open()`; `where` says in a message what it is. */
  static async on(open, where) {
    const replies = new Replies();
    replies.#where = where;
    try {
      replies.#shelf = await open();
    } catch (thrown) {
      replies.#trouble = thrown;
    }
    return replies;
  }

  /** The value of a key, or undefined. Never rejects. */
  async get(key) {
    if (this.#memory.has(key)) return this.#memory.get(key);
    return this.#shelf?.get(key).catch((thrown) => this.#failed(thrown));
  }

  /** Keeps a value: once this resolves it is written, or held. Never rejects. */
  async put(key, value) {
    try {
      if (!this.#shelf) throw this.#trouble;
      await this.#shelf.put(key, value);
    } catch (thrown) {
      this.#failed(thrown);
      this.#memory.set(key, value);
    }
  }

  /** A shelf that did not answer is left alone: each further request would wait for it again. */
  #failed(thrown) {
    this.#trouble = thrown;
    if (thrown?.name === "TimeoutError") this.#shelf = undefined;
  }

  /** What a reader should know: how many replies are held in memory only, and why. */
  async issues() {
    if (!this.#memory.size) return [];
    const why = `${words(this.#trouble)}${await room()}`;
    const message = `${this.#where} does not take what the models reply (${why}): ${this.#memory.size} of the replies are held in memory only, and a build that is broken off asks for them again.`;
    return [{ code: "store_memory", message }];
  }

  async close() {
    await this.#shelf?.close();
  }
}

/** How full the browser's storage is, where it says so. */
async function room() {
  try {
    const { usage, quota } = await navigator.storage.estimate();
    return `; ${megabytes(usage)} of ${megabytes(quota)} MB are used`;
  } catch {
    return "";
  }
}

const megabytes = (bytes) => Math.round(bytes / 1e5) / 10;
