/**
 * The reader's own book, kept in this browser for the next visit: the bytes of its saved index, in
 * IndexedDB. Where there is none, or it is full or does not answer, the book is held until the tab is closed.
 */
import { answered } from "./pkg/src/patience.js";

const PLACE = "books";
const NAME = "own";

let held; // what could not be stored
let silent = false; // a storage that did not answer is not waited for again

/**
 * Keeps a book instead of the one before.
 * @param {{title: string, bytes: ArrayBuffer}} book
 * @returns {Promise<boolean>} whether it will be there at the next visit
 */
export async function keep(book) {
  const lasting = await inStore("readwrite", (store) => store.put(book, NAME)).then(() => true, () => false);
  if (!lasting) await hold(book);
  else held = undefined;
  return lasting;
}

/** Holds a book until the tab is closed; none is kept for the next visit. */
export async function hold(book) {
  await forget();
  held = book;
}

/**
 * The book that is kept, or undefined.
 * @returns {Promise<{title: string, bytes: ArrayBuffer, lasting: boolean} | undefined>} `lasting`: whether it will be
 *   there at the next visit
 */
export async function kept() {
  const book = held ?? await inStore("readonly", (store) => store.get(NAME)).catch(() => undefined);
  return book && { ...book, lasting: book !== held };
}

export async function forget() {
  held = undefined;
  await inStore("readwrite", (store) => store.delete(NAME)).catch(() => {});
}

async function inStore(mode, work) {
  const base = await openBase();
  try {
    const transaction = base.transaction(PLACE, mode);
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const [result] = await answered(Promise.all([settled(work(transaction.objectStore(PLACE))), done]));
    return result;
  } finally {
    base.close();
  }
}

async function openBase() {
  if (silent) throw new Error("the storage does not answer");
  const opening = settled(indexedDB.open("plotbridge", 1), (request) => {
    request.onupgradeneeded = () => request.result.createObjectStore(PLACE);
  });
  try {
    return await answered(opening);
  } catch (thrown) {
    silent = thrown?.name === "TimeoutError";
    opening.then((late) => late.close(), () => {}); // nobody has it any more: it would keep others out
    throw thrown;
  }
}

function settled(request, prepare) {
  prepare?.(request);
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
