// The contract for a page that a browser's driver talks to: drivers send expressions, in which not
// every engine can import. `await holds(name, subject)` is there once `holds` is.

import { contract } from "./suite.js";

const base = new URL("/shelf/story/", location.href).href;
const pkg = await import(`${base}pkg/index.js`);
const { isTrap } = await import(`${base}pkg/src/errors.js`);
const urls = { index: `${base}story.plot.json`, html: base, missing: `${base}none.plot.json` };

/** Runs one check; resolves to nothing, or to what does not hold. */
globalThis.holds = (name, { options, engine, models }) =>
  contract[name]({ ...pkg, options, engine, name: (text) => `${engine}: ${text}`, lasting: true, urls: { ...urls, models } }).then(() => "", (error) => `${error} ${error.stack}`);

/** Whether the package knows a stack that overflows within WebAssembly for a crash. */
globalThis.knowsOverflow = () => {
  // (module (func $f (export "f") (call $f) (call $f)))
  const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 8, 1, 6, 0, 16, 0, 16, 0, 11];
  try {
    new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports.f();
  } catch (thrown) {
    return isTrap(thrown) || `${thrown}`;
  }
  return "nothing overflowed";
};
