// The contract for a page that a browser's driver talks to: drivers send expressions, in which not
// every engine can import. `await holds(name, subject)` is there once `holds` is.

import { long } from "./books.js";
import { contract } from "./suite.js";

const base = new URL("/shelf/story/", location.href).href;
const pkg = await import(`${base}pkg/index.js`);
const { isTrap } = await import(`${base}pkg/src/errors.js`);
const urls = { index: `${base}story.plot.json`, html: base, missing: `${base}none.plot.json` };

/** Runs one check; resolves to nothing, or to what does not hold. */
globalThis.holds = (name, { options, engine, models }) =>
  contract[name]({ ...pkg, options, engine, name: (text) => `${engine}: ${text}`, lasting: true, urls: { ...urls, models } }).then(() => "", (error) => `${error} ${error.stack}`);

/** Begins to index a book by the models of a server, from what is kept; `made` is then its file, or what went wrong. */
globalThis.index = (url, { options, resume }) => {
  const models = { chat: { url, model: "scripted-chat" }, embed: { url, model: "scripted-embed" } };
  pkg.Book.build(long(6_000), { ...options, models, extraction: "llm", resume })
    .then(async (book) => (await book.save()).text())
    .then((file) => (globalThis.made = file), (error) => (globalThis.made = String(error)));
};

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
