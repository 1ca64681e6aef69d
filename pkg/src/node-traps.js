// Traps in Node. A trap inside a wasm future reaches no promise: it ends the process as an uncaught
// exception. While calls run, one listener on `process` takes our own traps out of that way;
// everything else goes on to whoever else listens, and ends the process as ever where nobody does.
// After a crash it stays: what else ran in the dead instance may trap too.

import { isTrap } from "./errors.js";

const hearers = new Set();

/** How the instance of a copy of the glue, `{ address, query }`, hears of its traps. */
export const hearProcess = (copy) => (listener) => {
  const hearer = (trap) => isOf(trap, copy) && (listener(trap), true);
  if (!hearers.size) process.on("uncaughtException", hear);
  hearers.add(hearer);
  return () => {
    if (hearers.delete(hearer) && !hearers.size) process.off("uncaughtException", hear);
  };
};

function hear(thrown) {
  // The last first: a trap whose stack does not say which instance it was is the living one's.
  if (isTrap(thrown) && [...hearers].reverse().some((hearer) => hearer(thrown))) return;
  if (process.listenerCount("uncaughtException") > 1) return;
  // Thrown once more, without us: Node says it and ends as it would have.
  process.off("uncaughtException", hear);
  process.nextTick(() => {
    throw thrown;
  });
}

/** Whether the stack is of our module and, where it reaches that far, of this copy of the glue. */
function isOf({ stack }, { address, query }) {
  const [, found = query] = /\/wasm\/plotbridge\.js(\?after=\d+)?:/.exec(stack)?.map((part) => part ?? "") ?? [];
  return String(stack).includes(address) && found === query;
}

/** What V8 calls the module in stacks (`wasm://wasm/…`), from an error that the module itself makes. */
export function addressOf({ Engine }) {
  try {
    Engine.checkOptions({ method: "none" });
  } catch ({ stack }) {
    return /wasm:\/\/wasm\/[^:\s]*/.exec(stack)?.[0] ?? "wasm://";
  }
  return "wasm://";
}
