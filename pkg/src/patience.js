// How long a browser's storage is waited for. In some browsers, and in some private windows, a request is
// never answered: then there is no storage.

/** So long, in milliseconds. */
export const PATIENCE_MS = 10_000;

/** Who does not answer once is not asked again. */
class Late extends Error {
  name = "TimeoutError";
  message = "it does not answer";
}

/** What a promise gives; rejects with a TimeoutError where that takes too long. */
export async function answered(promise) {
  let late;
  const patience = new Promise((_, reject) => (late = setTimeout(() => reject(new Late()), PATIENCE_MS)));
  try {
    return await Promise.race([promise, patience]);
  } finally {
    clearTimeout(late);
  }
}
