// diagnose: what is wrong with an endpoint, and what to set where.
//
// It is asked from where the engine runs, a worker or this thread, as it would be for a book: what a
// browser forbids there, and with which leave, is what counts.

import { cancellable } from "./cancel.js";
import { aborted, PlotbridgeError } from "./errors.js";
import { checkEndpoint } from "./models.js";
import { CALL, checkOptions } from "./options.js";

/** The function diagnose of an entry; `start` as for `bookOver`. */
export function diagnoseOver(start) {
  return async function diagnose(endpoint, given) {
    const { book, as: part, limits, budgetTokens: budget, signal, onProgress, ...options } = checkOptions("diagnose", given);
    const checked = checkEndpoint(endpoint);
    return cancellable(signal, onProgress, async (signal, emit) => {
      const args = { endpoint: await withKey(checked), part, limits, budget };
      if (signal.aborted) throw aborted(signal);
      if (book) return book[CALL]("diagnose", args, signal, emit);
      const engine = await start(options, signal);
      try {
        return await engine.call("diagnose", args, { signal, emit });
      } finally {
        engine.close();
      }
    });
  };
}

/** A function that gives a key is asked once: it cannot cross into a worker. What it throws is not repeated. */
async function withKey(endpoint) {
  if (typeof endpoint.key !== "function") return endpoint;
  const key = await endpoint.key().catch(() => {
    throw new PlotbridgeError("endpoint_auth", "the page's function endpoint.key failed");
  });
  if (key === undefined || key === null) return { ...endpoint, key: undefined };
  if (typeof key === "string") return { ...endpoint, key };
  throw new PlotbridgeError("endpoint_auth", "the page's function endpoint.key must give a text");
}
