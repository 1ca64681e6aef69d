// A shelf of replies in IndexedDB, in a page or a worker.
//
// Two tables: the replies by build and key, and the builds with how many replies each has and how long
// they are together; both are written in one transaction. A browser may drop all of it whenever it
// likes: this is a cache.

import { answered } from "./patience.js";
import { Replies } from "./replies.js";

const BASE = "plotbridge-replies";

/** The replies of the build of a name. */
export const openReplies = (name) => Replies.on(() => Shelf.open(name), "this browser's storage for this page");

class Shelf {
  #name;
  #base;
  #opening;

  static async open(name) {
    const shelf = new Shelf();
    shelf.#name = name;
    shelf.#base = await openBase();
    return shelf;
  }

  get(key) {
    return this.#do("readonly", ({ replies }) => settled(replies.get([this.#name, key])));
  }

  put(key, value) {
    return this.#do("readwrite", async ({ replies, builds }) => {
      const [before, build] = await Promise.all([settled(replies.get([this.#name, key])), settled(builds.get(this.#name))]);
      replies.put(value, [this.#name, key]);
      const { count = 0, length = 0 } = build ?? {};
      builds.put({ count: count + (before === undefined), length: length + value.length - (before?.length ?? 0) }, this.#name);
    });
  }

  close() {
    this.#base.close();
  }

  /** Once more with a new connection where this one was closed, as for a page that deletes all. */
  async #do(mode, work) {
    try {
      return await within(this.#base, mode, work);
    } catch (thrown) {
      if (thrown?.name !== "InvalidStateError") throw thrown;
      this.#opening ??= openBase().finally(() => (this.#opening = undefined));
      this.#base = await this.#opening;
      return within(this.#base, mode, work);
    }
  }
}

/** What is kept of one build or of all: `[{ name, replies, bytes }]`; nothing where there is no storage. */
export async function keptReplies(name) {
  const list = ({ builds }) => Promise.all([settled(builds.getAllKeys(name)), settled(builds.getAll(name))]);
  const [names, builds] = await once("readonly", list).catch(() => [[], []]);
  return names.map((name, at) => ({ name, replies: builds[at].count, bytes: builds[at].length }));
}

/** Deletes what is kept of a build, or of all. */
export async function forgetReplies(name) {
  await once("readwrite", ({ replies, builds }) => {
    replies.delete(name === undefined ? IDBKeyRange.lowerBound([]) : IDBKeyRange.bound([name], [name, []]));
    builds.delete(name === undefined ? IDBKeyRange.lowerBound("") : name);
  }).catch(() => {}); // where there is no storage nothing is kept
}

async function once(mode, work) {
  const base = await openBase();
  try {
    return await within(base, mode, work);
  } finally {
    base.close();
  }
}

/** Runs work on both tables; resolves once it is written. */
async function within(base, mode, work) {
  const transaction = base.transaction(["replies", "builds"], mode);
  const written = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error ?? new Error("it was cancelled"));
  });
  const done = Promise.all([work({ replies: transaction.objectStore("replies"), builds: transaction.objectStore("builds") }), written]);
  const [result] = await answered(done);
  return result;
}

function openBase() {
  let givenUp = false;
  const opening = new Promise((resolve, reject) => {
    const request = indexedDB.open(BASE, 1); // throws where storage is forbidden
    request.onupgradeneeded = () => ["replies", "builds"].forEach((table) => request.result.createObjectStore(table));
    request.onblocked = () => reject(new Error("another tab holds it"));
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const base = request.result;
      base.onversionchange = () => base.close(); // who deletes it need not wait
      if (givenUp) base.close(); // nobody has it: it would keep others out
      resolve(base);
    };
  });
  return answered(opening).catch((thrown) => {
    givenUp = true;
    throw thrown;
  });
}

const settled = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
