// Assertions that throw, for any place the contract runs in.

export function ok(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}

export function same(actual, expected, what) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${clip(a)} is not ${clip(b)}`);
}

/** The error that the promise rejects with, which must have this code and be one of ours. */
export async function fails({ PlotbridgeError }, promise, code) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    ok(error instanceof PlotbridgeError && error instanceof Error, `a PlotbridgeError, but got ${error?.stack ?? error}`);
    same(error.code, code, `code of "${error.message}"`);
    ok(error.message.length > 0 && !error.message.endsWith("."), `a sentence without a full stop: ${error.message}`);
    same(typeof error.retryable, "boolean", "retryable");
    same(Object.prototype.toString.call(error.details), "[object Object]", "details");
    return error;
  }
  throw new Error(`should have failed with ${code}, but gave ${clip(JSON.stringify(value) ?? typeof value)}`);
}

/** The value is objects, arrays, texts, finite numbers, booleans and null all the way down. */
export function plain(value, path = "result") {
  if (value === null || ["string", "boolean"].includes(typeof value)) return;
  if (typeof value === "number") return ok(Number.isFinite(value), `${path} is a finite number, not ${value}`);
  ok(typeof value === "object", `${path} is plain, not ${typeof value}`);
  const prototype = Object.getPrototypeOf(value);
  ok(prototype === Object.prototype || prototype === Array.prototype, `${path} is a plain object or array`);
  for (const [key, item] of Object.entries(value)) plain(item, `${path}.${key}`);
}

const clip = (text) => (text?.length > 300 ? `${text.slice(0, 300)}…` : text);
