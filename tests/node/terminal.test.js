// What the command line prints for people: nothing that a terminal would obey, in the width asked
// for; and what it says of a path, an address or a file that is not what was meant.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { before, describe, test } from "node:test";

import { QUESTION, SMALL } from "../contract/books.js";
import { Book } from "../../pkg/node.js";
import { folder, run } from "./command.js";
import { host } from "./host.js";

const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;
const EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m";

let book;
let index;

before(async () => {
  const home = folder();
  book = path.join(home, "ferry.txt");
  index = path.join(home, "ferry.plot.json");
  writeFileSync(book, SMALL);
  // The index as anyone may send it: control characters in title, text, names and details.
  const built = await Book.build(SMALL, { title: `Ferry${EVIL}` });
  const json = await (await built.save()).text();
  built.close();
  assert.ok(json.includes("\\u001b"), "the title is kept as it is");
  writeFileSync(index, json);
});

describe("control characters", () => {
  test("never reach the terminal, and are exact in JSON", async () => {
    const people = await run(["inspect", index]);
    assert.equal(people.status, 0, people.err);
    assert.match(people.out, /^Ferry\uFFFD/);
    assert.doesNotMatch(people.out, CONTROL);
    const { out } = await run(["inspect", index, "--json"]);
    assert.doesNotMatch(out, CONTROL);
    assert.equal(JSON.parse(out).title, `Ferry${EVIL}`, "JSON has the very title");
  });

  test("of a book are replaced by every command that prints it", async () => {
    const evil = path.join(folder(), "evil.txt");
    writeFileSync(evil, SMALL.replaceAll("iron box", `iron${EVIL}box`).replaceAll("Ines", "Ines\x1b[1m"));
    const out = `${evil}.json`;
    const commands = [["index", evil, "-o", out, "--title", EVIL], ["chunks", evil, "--title", EVIL], ["inspect", out], ["retrieve", out, `Who ${EVIL}?`], ["ask", out, QUESTION]];
    for (const args of commands) {
      const said = await run(args);
      assert.equal(said.status, 0, said.err);
      assert.doesNotMatch(said.out + said.err, CONTROL, args[0]);
      assert.match(said.out, /\uFFFD/, `${args[0]} showed what had them`);
    }
  });

  test("of an argument are replaced in messages", async () => {
    for (const args of [["inspect", `/no/${EVIL}`], [EVIL], ["ask", index, "why?", `--${EVIL}`], ["serve", `/no/${EVIL}`]]) {
      const { status, err } = await run(args);
      assert.ok(status > 0);
      assert.doesNotMatch(err, CONTROL);
    }
  });
});

test("COLUMNS is the width, but never less than 40", async () => {
  const widest = async (columns) => {
    const { out } = await run(["ask", index, QUESTION], { env: { COLUMNS: columns } });
    return Math.max(...out.split("\n").map((line) => line.length));
  };
  const [narrow, half, wide] = [await widest("10"), await widest("60"), await widest("140")];
  assert.ok(narrow <= 40, `${narrow}`);
  assert.ok(half > 40 && half <= 60, `${half}`);
  assert.ok(wide > 100 && wide <= 140, `${wide}`);
});

describe("what is not what was meant", () => {
  const cases = {
    "an address without a host": [["inspect", "https://"], 2, /"https:\/\/" is not an address/],
    "an address of nonsense": [["ask", "HTTP://[", "why?"], 2, /is not an address/],
    "an empty path": [["inspect", ""], 2, /the path is empty/],
    "an empty path of a book": [["chunks", ""], 2, /the path is empty/],
    "a text for an index": [() => ["ask", book, "why?"], 3, /ferry\.txt is a text, not an index; make one of it first: plotbridge index/],
    "an index for a text": [() => ["chunks", index], 3, /ferry\.plot\.json is an index already; ask it: plotbridge ask/],
    "an index to index": [() => ["index", index, "-o", path.join(path.dirname(index), "again.json")], 3, /is an index already/],
    "the same choice twice": [() => ["ask", index, "why?", "--choices", "A|B|A"], 2, /choices is .* different texts/],
  };
  for (const [name, [args, status, message]] of Object.entries(cases)) {
    test(`${name} is said kindly`, async () => {
      const result = await run(typeof args === "function" ? args() : args);
      assert.equal(result.status, status, result.err);
      assert.match(result.err, message);
      assert.doesNotMatch(result.err, /\n\s+at /, "no stack");
    });
  }

  test("file: addresses and capitals are understood", async (t) => {
    const site = await host({ "/b.json": { type: "application/json", body: readFileSync(index) } });
    t.after(site.close);
    const file = pathToFileURL(index).href;
    for (const address of [file, file.replace("file", "FILE"), `${site.url}/b.json`.replace("http", "HTTP")]) {
      const { status, err } = await run(["inspect", address]);
      assert.equal(status, 0, err);
      const opened = await Book.open(address);
      assert.match(opened.info.title, /^Ferry/);
      opened.close();
    }
    await assert.rejects(Book.open("file:///no/such"), { code: "unreadable" });
    await assert.rejects(Book.open("file://elsewhere/x"), { code: "unreadable" });
  });
});

test("many calls that share a signal warn of no leak", async () => {
  const warnings = [];
  const hear = ({ name }) => warnings.push(name);
  process.on("warning", hear);
  const stop = new AbortController();
  const opened = await Book.open(readFileSync(index), { signal: stop.signal });
  await Promise.all(Array.from({ length: 40 }, () => opened.ask(QUESTION, { signal: stop.signal })));
  const last = Array.from({ length: 40 }, () => opened.ask(QUESTION, { signal: stop.signal }));
  stop.abort();
  for (const call of last) await assert.rejects(call, { code: "aborted" });
  await new Promise(setImmediate);
  process.off("warning", hear);
  opened.close();
  assert.deepEqual(warnings, []);
});
