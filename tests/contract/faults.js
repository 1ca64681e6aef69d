// What is refused, with which code; and cancelling.

import { fails, ok, same } from "./assert.js";
import { long, QUESTION, SMALL } from "./books.js";
import { bytesOf } from "./lifecycle.js";

export const faults = {
  async "an unknown option names itself and the nearest one"(subject) {
    const { Book, options } = subject;
    const error = await fails(subject, Book.build(SMALL, { ...options, tittle: "x" }), "unknown_option");
    ok(error.message.includes('"tittle"') && error.message.includes('"title"'), error.message);
    const book = await Book.build(SMALL, options);
    const second = await fails(subject, book.ask(QUESTION, { contextToken: 5 }), "unknown_option");
    ok(second.message.includes('"contextTokens"'), second.message);
    const models = await fails(subject, book.ask(QUESTION, { models: {} }), "unknown_option");
    ok(models.message.includes("open and build"), models.message);
    for (const wrong of [{ budgetTokens: -1 }, { limits: { rpm: 5 } }, { limits: { requestsPerMinute: 0.5 } }, { limits: 5 }]) {
      await fails(subject, Book.build(SMALL, { ...options, ...wrong }), "usage");
    }
    const key = await fails(subject, book.retrieve(QUESTION, { config: { dampin: 0.5 } }), "unknown_option");
    ok(key.message.includes("damping"), key.message);
    book.close();
  },

  async "an address or a path is not taken for a text, nor a page or JSON for a story"(subject) {
    const { Book, options } = subject;
    for (const source of ["https://example.org/book.txt", "/books/the ferry.txt", "./ferry.md", "C:\\books\\ferry.txt", "~/ferry.txt", "ferry.txt", " ferry.plot.json\n"]) {
      for (const call of ["build", "read"]) {
        const error = await fails(subject, Book[call](source, options), "usage");
        ok(error.message.includes(JSON.stringify(source.trim())) && error.message.includes("text itself"), error.message);
      }
    }
    for (const source of ["<!DOCTYPE html>\n<title>The Ferry</title>\n<p>It rained.", '{"title": "The Ferry", "text": "It rained."}']) {
      const error = await fails(subject, Book.build(source, options), "unsupported_format");
      ok(/HTML|JSON/.test(error.message), error.message);
    }
    for (const text of ["He read ferry.txt again.", "/ was all he wrote.", "https: he never learnt it."]) {
      (await Book.build(text, options)).close();
    }
  },

  async "an option of the wrong kind or out of range is named"(subject) {
    const { Book, options } = subject;
    const book = await Book.build(SMALL, options);
    const calls = {
      method: () => book.retrieve(QUESTION, { method: "magic" }),
      contextTokens: () => book.retrieve(QUESTION, { contextTokens: "many" }),
      damping: () => book.retrieve(QUESTION, { config: { damping: 7 } }),
      choices: () => book.ask(QUESTION, { choices: "A|B" }),
      signal: () => book.ask(QUESTION, { signal: {} }),
      onEvent: () => book.ask(QUESTION, { onEvent: "yes" }),
    };
    for (const [name, call] of Object.entries(calls)) {
      const error = await fails(subject, call(), "usage");
      ok(error.message.includes(name), `"${error.message}" names ${name}`);
    }
    book.close();
  },

  async "options that cannot be read, or lists with holes or doubles, are usage"(subject) {
    const { Book, options } = subject;
    const thrower = () => {
      throw new Error("no peeking");
    };
    const book = await Book.build(SMALL, options);
    const holes = ["a", "b"];
    holes[1_000_000_000] = "c";
    const given = {
      "no peeking": [Object.defineProperty({}, "method", { enumerable: true, get: thrower }), new Proxy({}, { ownKeys: thrower }), { config: new Proxy({}, { ownKeys: thrower }) }],
      "choices is": [{ choices: holes }, { choices: new Array(3) }, { choices: ["a", "b", " a"] }, { choices: ["a", 1] }],
      "config is": [{ config: new Map([["k1", 1]]) }, { config: { k1: null } }],
      "must be an object": [[], 7, { config: [] }],
      "signal is": [{ signal: { aborted: false, addEventListener() {} } }],
      "contextTokens is": [{ contextTokens: 10n }, { contextTokens: Number.NaN }, { contextTokens: Symbol("x") }],
    };
    for (const [words, list] of Object.entries(given)) {
      for (const each of list) {
        const error = await fails(subject, book.ask(QUESTION, each), "usage");
        ok(error.message.includes(words) && error.message.length < 300, `"${error.message}" says ${words}`);
      }
    }
    const long = await fails(subject, book.ask(QUESTION, { ["x".repeat(5000)]: 1 }), "unknown_option");
    ok(long.message.length < 250, `a long name is clipped: ${long.message.length}`);
    book.close();
  },

  async "lists and objects are taken as they are at the call"({ Book, options }) {
    const book = await Book.build(SMALL, options);
    const choices = ["under the floor", "in a barrel"];
    const config = { k1: 1 };
    const asking = book.ask(QUESTION, { choices, config });
    choices.fill("changed");
    config.k1 = "changed";
    const { choice } = await asking;
    ok(choice !== "changed", `choice ${choice}`);
    book.close();
  },

  async "a source that cannot be read is told from one that is none"(subject) {
    const { Book, options } = subject;
    const detached = new ArrayBuffer(8);
    const view = new Uint8Array(detached);
    structuredClone(detached, { transfer: [detached] });
    for (const source of [detached, view]) await fails(subject, Book.open(source, options), "unreadable");
    await fails(subject, Book.build(view, options), "unreadable");
    const circle = {};
    circle.self = circle;
    const thrower = () => {
      throw new Error("no peeking");
    };
    for (const source of [circle, { n: 1n }, { toJSON: thrower }, { toJSON() {} }, Object.defineProperty({}, "x", { enumerable: true, get: thrower })]) {
      await fails(subject, Book.open(source, options), "usage");
    }
    for (const address of ["https://", "http://[", ""]) await fails(subject, Book.open(address, options), "usage");
    await fails(subject, Book.build(new Blob([SMALL]), { ...options, wasmUrl: 5 }), "usage");
  },

  async "an address may be in capitals"({ Book, options, urls }) {
    const book = await Book.open(urls.index.replace(/^http/, "HTTP"), options);
    ok(book.info.counts.chunks > 0, "chunks");
    book.close();
  },

  async "a listener whose promise rejects fails its call with what it rejected with"({ Book, options }) {
    const thrown = new Error("the page's own fault");
    const listener = async () => {
      throw thrown;
    };
    ok((await Book.build(SMALL, { ...options, onProgress: listener }).catch((error) => error)) === thrown, "of build");
    const book = await Book.build(SMALL, options);
    ok((await book.ask(QUESTION, { onEvent: listener }).catch((error) => error)) === thrown, "of ask");
    ok((await book.ask(QUESTION)).text.length > 0, "the book still answers");
    book.close();
  },

  async "text out of range is refused with the limit"(subject) {
    const { Book, options } = subject;
    const book = await Book.build(SMALL, options);
    const error = await fails(subject, book.text(0, SMALL.length + 1), "usage");
    ok(error.message.includes(String(SMALL.length)), error.message);
    await fails(subject, book.text(10, 5), "usage");
    await fails(subject, book.text(-1), "usage");
    await fails(subject, book.text(0.5), "usage");
    same(await book.text(7, 7), "", "an empty part");
    book.close();
  },

  async "a damaged index, another version and what is no index are told apart"(subject) {
    const { Book, options } = subject;
    const book = await Book.build(SMALL, options);
    const bytes = await bytesOf(await book.save());
    const parsed = JSON.parse(new TextDecoder().decode(bytes));
    book.close();
    await fails(subject, Book.open(bytes.subarray(0, bytes.length >> 1), options), "index_damaged");
    await fails(subject, Book.open(new Uint8Array(0), options), "index_damaged");
    await fails(subject, Book.open({}, options), "index_damaged");
    await fails(subject, Book.open({ ...parsed, version: parsed.version + 1 }, options), "index_version");
    await fails(subject, Book.open(42, options), "usage");
    await fails(subject, Book.open(null, options), "usage");
    await fails(subject, Book.open([1, 2], options), "usage");
  },

  async "an address that has no index is named"(subject) {
    const { Book, options, urls } = subject;
    const page = await Book.open(urls.html, options).catch((error) => error);
    ok(page.message.includes(urls.html), `"${page.message}" names ${urls.html}`);
    ok(/page/.test(page.message), `"${page.message}" says what came`);
    const missing = await fails(subject, Book.open(urls.missing, options), "endpoint_unreachable");
    ok(missing.message.includes(urls.missing) && missing.message.includes("404"), missing.message);
  },

  async "a book that holds nothing or is no text is refused"(subject) {
    const { Book, options } = subject;
    await fails(subject, Book.build("", options), "unreadable");
    await fails(subject, Book.build(" \n ", options), "unreadable");
    const binary = new Uint8Array(4096).map((_, at) => (at * 37) % 256);
    const error = await Book.build(binary, options).then((book) => book.close(), (thrown) => thrown);
    if (error) ok(["unsupported_format", "encoding", "unreadable"].includes(error.code), `code ${error.code}`);
  },

  async "an aborted signal refuses at once; abort has our code and the platform's name"(subject) {
    const { Book, options } = subject;
    const signal = AbortSignal.abort("enough");
    const error = await fails(subject, Book.build(SMALL, { ...options, signal }), "aborted");
    same(error.name, "AbortError", "name");
    same(error.cause, "enough", "cause");
    const book = await Book.build(SMALL, options);
    await fails(subject, book.ask(QUESTION, { signal }), "aborted");
    ok((await book.ask(QUESTION)).text.length > 0, "the book still answers");
    book.close();
  },

  async "a long build is cancelled in the middle, and the engine stays usable"(subject) {
    const { Book, options } = subject;
    const small = await Book.build(SMALL, options);
    const stop = new AbortController();
    let after = 0;
    // The abort comes from a task of its own: it arrives only if the work lets the event loop run.
    const onProgress = () => {
      if (stop.signal.aborted) after++;
      else setTimeout(() => stop.abort(), 0);
    };
    await fails(subject, Book.build(long(1_500_000), { ...options, signal: stop.signal, onProgress }), "aborted");
    ok((await small.ask(QUESTION)).text.length > 0, "another book answers");
    same(after, 0, "progress heard after the abort");
    small.close();
    (await Book.build(SMALL, options)).close();
  },

  async "a question is cancelled, and the same book answers the next"(subject) {
    const { Book, options } = subject;
    const book = await Book.build(long(150_000), options);
    const stop = new AbortController();
    const call = book.ask("Who forgave Lady Merrow?", { signal: stop.signal });
    stop.abort();
    await fails(subject, call, "aborted");
    ok((await book.retrieve("Who forgave Lady Merrow?")).evidence.length > 0, "evidence");
    book.close();
  },
};
