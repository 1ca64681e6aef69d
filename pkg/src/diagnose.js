// diagnose: what is wrong with an endpoint, and what to set where.
//
// It is asked from where the engine runs, a worker or this thread, as it would be for a book: what a
// browser forbids there, and with which leave, is what counts.

import { cancellable } from "./cancel.js";
import { checkEndpoint } from "./models.js";
import { CALL, checkOptions } from "./options.js";

/** The function diagnose of an entry; `start` as for `bookOver`. */
export function diagnoseOver(start) {
  return async function diagnose(endpoint, given) {
    const { book, as: part, signal, ...options } = checkOptions("diagnose", given);
    const checked = checkEndpoint(endpoint);
    // A function that gives a key is asked once: it cannot cross into a worker.
    const args = { endpoint: typeof checked.key === "function" ? { ...checked, key: await checked.key() } : checked, part };
    if (book) return book[CALL]("diagnose", args, signal);
    return cancellable(signal, undefined, async (signal) => {
      const engine = await start(options, signal);
      try {
        return await engine.call("diagnose", args, { signal, emit: () => {} });
      } finally {
        engine.close();
      }
    });
  };
}
