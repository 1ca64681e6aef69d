// Cancelling: a call's promise rejects as soon as its signal aborts, whatever its work is doing.

import { aborted, asError } from "./errors.js";

/**
 * Runs `work(signal, emit)` and rejects as soon as `outer` aborts; a listener that throws, or whose
 * promise rejects, cancels the work and rejects with what it threw.
 */
export function cancellable(outer, listener, work) {
  return new Promise((resolve, reject) => {
    const inner = new AbortController();
    const stop = (error) => {
      reject(error);
      inner.abort(error);
    };
    if (outer?.aborted) return stop(aborted(outer));
    const forget = outer ? onAbort(outer, () => stop(aborted(outer))) : () => {};
    const emit = (event) => {
      if (inner.signal.aborted || !listener) return;
      try {
        const result = listener(event);
        if (typeof result?.then === "function") result.then(undefined, stop);
      } catch (thrown) {
        stop(thrown);
      }
    };
    work(inner.signal, emit)
      .then(resolve, (thrown) => reject(asError(thrown)))
      .finally(forget);
  });
}

const waiting = new WeakMap();

/**
 * Calls `stop` when the signal aborts; returns how to forget it. However many calls share a signal,
 * it has one listener: Node warns of more than ten as of a leak.
 */
function onAbort(signal, stop) {
  const stops = waiting.get(signal) ?? new Set();
  if (!stops.size) {
    const abort = () => [...stops].forEach((each) => each());
    signal.addEventListener("abort", abort);
    stops.unhear = () => signal.removeEventListener("abort", abort);
    waiting.set(signal, stops);
  }
  stops.add(stop);
  return () => {
    if (stops.delete(stop) && !stops.size) stops.unhear();
  };
}
