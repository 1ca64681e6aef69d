// What an open book holds: under three times its file, in pages of WebAssembly and growth of the heap.
//
// And the small stack that this asks for is large enough for the deepest that a file may make of it.
//
// Measured as `cargo xtask bench` does, each time in a fresh process: pages are never given back, so one
// that had built a book would tell of that.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Book } from "../../pkg/node.js";
import { QUESTION, SMALL } from "../contract/books.js";

const file = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const STORY = file("books/white-line.txt");
/** An engine without a book: its stack, its tables. The linker's own stack alone would be as much as this. */
const MOST_EMPTY = 16 * 65_536;

const apart = (...how) => JSON.parse(execFileSync(process.execPath, ["--expose-gc", file("xtask/bench.js"), ...how], { encoding: "utf8" }));

describe("an open book", () => {
  let place;
  before(() => (place = mkdtempSync(path.join(os.tmpdir(), "plotbridge-memory-"))));
  after(() => rmSync(place, { recursive: true }));

  /** The median of five processes that open the index of this text. */
  function opened(text) {
    const index = path.join(place, "book.plot.json");
    apart("--index", text, index);
    const runs = Array.from({ length: 5 }, () => apart("--memory", index));
    return runs.sort((a, b) => a.open - b.open)[2];
  }

  function holdsLittle({ index, empty, open, pages_open }) {
    assert.ok(empty <= MOST_EMPTY, `an engine without a book has ${empty} bytes`);
    assert.ok(open < 3 * index, `${open} bytes, ${pages_open} of them pages, for a file of ${index}`);
  }

  test("takes less than three times its file, as short as the bundled story", () => {
    holdsLittle(opened(STORY));
  });

  test("takes less than three times its file, as long as a novel, and less than twice", () => {
    const novel = path.join(place, "novel.txt");
    writeFileSync(novel, readFileSync(STORY, "utf8").repeat(4));
    const memory = opened(novel);
    holdsLittle(memory);
    assert.ok(memory.open < 2 * memory.index, `${memory.open} bytes for a file of ${memory.index}`);
  });
});

test("values nested as deeply as the parser goes do not exhaust the stack", async () => {
  const book = await Book.build(SMALL);
  const index = await (await book.save()).text();
  for (const [open, close] of [["[", "]"], ['{"a":', "}"]]) {
    for (const depth of [60, 120, 100_000]) {
      const deep = `${open.repeat(depth)}1${close.repeat(depth)}`;
      for (const [part, nested] of [['"config":[', `"config":[["dims",${deep}],`], ['"description":', `"description":${deep},"x":`]]) {
        assert.ok(index.includes(part), part);
        const bytes = new TextEncoder().encode(index.replace(part, () => nested));
        await assert.rejects(Book.open(bytes), { code: "index_damaged" }, `${part} ${open} ${depth}`);
      }
    }
  }
  assert.match((await book.ask(QUESTION)).text, /chapel floor/, "the same instance answers on");
  book.close();
});
