// Errors: one class, one table of stable codes, and the way across a message port.
//
// Those that the engine itself gives (src/error.rs) are the same there; some arise on this side only.

/** Every code: the command line's exit status, and whether the same call may succeed again. */
export const CODES = {
  usage: { exit: 2, retryable: false },
  unknown_option: { exit: 2, retryable: false },
  question_invalid: { exit: 2, retryable: false },
  unreadable: { exit: 3, retryable: false },
  unsupported_format: { exit: 3, retryable: false },
  encoding: { exit: 3, retryable: false },
  too_large: { exit: 3, retryable: false },
  index_version: { exit: 3, retryable: false },
  index_damaged: { exit: 3, retryable: false },
  vector_invalid: { exit: 3, retryable: false },
  endpoint_unreachable: { exit: 4, retryable: true },
  endpoint_auth: { exit: 4, retryable: false },
  endpoint_rate_limited: { exit: 4, retryable: true },
  endpoint_refused: { exit: 4, retryable: false },
  endpoint_reply: { exit: 4, retryable: true },
  endpoint_timeout: { exit: 4, retryable: true },
  aborted: { exit: 130, retryable: true },
  crashed: { exit: 1, retryable: true },
  budget: { exit: 5, retryable: false },
  storage: { exit: 1, retryable: false },
  not_ready: { exit: 1, retryable: false },
  wasm_blocked: { exit: 1, retryable: false },
};

/** What every failed call rejects with. */
export class PlotbridgeError extends Error {
  constructor(code, message, { details = {}, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = code === "aborted" ? "AbortError" : "PlotbridgeError";
    this.code = code;
    this.retryable = CODES[code]?.retryable ?? false;
    this.details = details;
  }
}

const CANCELLED = "the call was cancelled";

/** The error of a call that was cancelled; what `abort(reason)` was given is its cause. */
export const aborted = (signal) =>
  new PlotbridgeError("aborted", CANCELLED, { cause: signal?.reason });

const ENDED = Symbol("ended");

/** A call ends at once when its signal aborts, its `work` a little later, which then says what it had spent. */
export function endsLater(reason, work) {
  if (reason instanceof PlotbridgeError) reason[ENDED] = work;
}

/** What a failed call had asked of models; of one that was cancelled once its work has ended. */
export async function callsOf(error) {
  const late = await error?.[ENDED]?.then(() => undefined, (thrown) => thrown);
  return (late ?? error)?.details?.calls ?? [];
}

/** The error of a call to a book that is closed or never opened. */
export const notReady = (message = "the book is closed") => new PlotbridgeError("not_ready", message);

/** The words of anything thrown, also of what has none; without the full stop that some engines end with. */
export function words(thrown) {
  try {
    return String(thrown?.message ?? thrown).replace(/\.$/, "");
  } catch {
    return "something without words";
  }
}

/** Anything thrown, as a PlotbridgeError. A trap of the engine, which ends it, is `crashed`. */
export function asError(thrown) {
  if (thrown instanceof PlotbridgeError) return thrown;
  const message = words(thrown);
  if (Object.hasOwn(CODES, thrown?.code ?? "")) {
    return new PlotbridgeError(thrown.code, message, { details: { ...thrown.details } });
  }
  if (thrown?.name === "AbortError") return new PlotbridgeError("aborted", CANCELLED, { cause: thrown });
  const said = isTrap(thrown) ? `the engine crashed: ${message}` : message;
  return new PlotbridgeError("crashed", said, { cause: thrown });
}

/**
 * Whether this is a trap inside WebAssembly, after which its memory cannot be trusted; a stack that
 * overflows there is one too, though engines call it otherwise (Firefox: "too much recursion").
 */
export const isTrap = (thrown) =>
  thrown instanceof WebAssembly.RuntimeError || (thrown instanceof Error && /call stack|too much recursion/.test(thrown.message) && /wasm/.test(thrown.stack));

/** An error as a message that structured clone carries whole in every browser. */
export function toMessage(thrown) {
  const { code, message, details } = asError(thrown);
  return { code, message, details, trap: isTrap(thrown) };
}

/** The error that `toMessage` made a message of. */
export const fromMessage = ({ code, message, details }) => new PlotbridgeError(code, message, { details });
