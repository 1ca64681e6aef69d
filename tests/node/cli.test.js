// The command line: exit statuses, what goes to stdout and what to stderr, whole files or none.

import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";

import { long, QUESTION, SMALL } from "../contract/books.js";
import { plain } from "../contract/assert.js";
import { ASKED, CHUNKS, fits, INFO, INSPECT, TRACE } from "../contract/shapes.js";
import { folder, run, start, until } from "./command.js";
import { host } from "./host.js";

let home;
let index;

before(async () => {
  home = folder();
  writeFileSync(path.join(home, "ferry.txt"), SMALL);
  index = path.join(home, "ferry.plot.json");
  const { status, err } = await run(["index", path.join(home, "ferry.txt"), "-o", index, "--title", "ferry"]);
  assert.equal(status, 0, err);
});

/** A file of merges. */
function merges(wishes) {
  const file = path.join(folder(), "merges.json");
  writeFileSync(file, JSON.stringify(wishes));
  return file;
}

/** Runs with --json and gives the one document; stdout must hold nothing else. */
async function json(args, options) {
  const { status, out, err } = await run([...args, "--json"], options);
  assert.equal(status, 0, err);
  assert.equal(out.trimEnd().split("\n").length, 1, "one line");
  const document = JSON.parse(out);
  plain(document);
  return document;
}

describe("--json prints exactly one document", () => {
  test("index", async () => {
    const out = path.join(folder(), "x.plot.json");
    const document = await json(["index", path.join(home, "ferry.txt"), "-o", out, "--offline", "--title", "Ferry"]);
    fits(document, { index: "string", bytes: "number", seconds: "number", tokens: "number", ...INFO });
    assert.equal(document.title, "Ferry");
    assert.equal(document.bytes, readFileSync(out).length);
  });

  test("chunks, whose chapters may be corrected and given back", async () => {
    const file = path.join(folder(), "chapters.json");
    const book = path.join(home, "ferry.txt");
    const read = await json(["chunks", book]);
    const [first, , third] = read.chapters;
    writeFileSync(file, JSON.stringify({ ...read, chapters: [{ ...first, title: "The river" }, third] }));
    const corrected = await json(["chunks", book, "--chapters", file]);
    assert.deepEqual(corrected.chapters, [{ title: "The river", start: first.start, end: third.start }, third]);
    const out = path.join(folder(), "corrected.plot.json");
    assert.deepEqual((await json(["index", book, "-o", out, "--chapters", file])).chapters, corrected.chapters);
    for (const [what, words] of [["{}", /holds no list of chapters/], ["[]", /chapters is .*must be a list of chapters/], ["[{\"start\": 1e7}]", /chapters\[0\] begins outside the story/], ["x", /is not JSON/]]) {
      writeFileSync(file, what);
      const refused = await run(["index", book, "-o", out, "--chapters", file]);
      assert.equal(refused.status, 2, refused.err);
      assert.match(refused.err, words);
    }
  });

  test("chunks, which tile the text with the skips", async () => {
    const document = await json(["chunks", path.join(home, "ferry.txt")]);
    fits(document, CHUNKS);
    const parts = [...document.chunks, ...document.skips].sort((a, b) => a.start - b.start);
    assert.equal(parts[0].start, 0);
    assert.equal(parts.at(-1).end, document.text_length);
    parts.slice(1).forEach((part, at) => assert.equal(part.start, parts[at].end));
    for (const { start, end, text } of document.chunks) assert.equal(text, SMALL.slice(start, end));
  });

  test("inspect", async () => fits(await json(["inspect", index]), INSPECT));

  test("the tunables, of the command's moment or of both", async () => {
    const tunable = { name: "string", when: "string", takes: "string", default: "string", doc: "string" };
    const both = await json(["help", "settings"]);
    fits(both, [tunable]);
    const question = await json(["retrieve", "--set", "help"]);
    const indexed = await json(["index", "--set=help"]);
    assert.deepEqual([...question, ...indexed], both);
    assert.ok(question.some(({ name, default: value }) => name === "k4" && value === "30"));
    assert.ok(indexed.every(({ when }) => when === "index"));
    const { out } = await run(["ask", "--set", "help"]);
    assert.match(out, /k4: a whole number from 1 to 200, 30 where unset\n/);
    // What a tunable is set to may be called help: then it is a value like any other.
    assert.equal((await run(["retrieve", index, QUESTION, "--set", "k1=help"])).status, 2);
  });

  test("index --merges joins from where its file says, and not before", async () => {
    const place = folder();
    const [book, wished] = ["book.txt", "wished.plot.json"].map((name) => path.join(place, name));
    writeFileSync(book, "CHAPTER I\n\nSilas Tapp slept. Silas Tapp kept the ferry. Aaron Moor came. Aaron Moor laughed at Silas Tapp.\n\nCHAPTER II\n\nSilas Tapp was gone. Aaron Moor was gone too.\n");
    const wish = (from) => merges({ same: [{ names: ["Silas Tapp", "Aaron Moor"], name: "Aaron Moor", from }] });
    await json(["index", book, "-o", wished, "--offline", "--merges", wish({ chapter: 2 })]);
    const names = async (...upTo) => (await json(["retrieve", wished, "What did Silas Tapp and Aaron Moor do?", "--method", "coda", ...upTo])).entities.map(({ name }) => name).sort();
    assert.deepEqual([await names(), await names("--up-to", "ch:1")], [["Aaron Moor"], ["Aaron Moor", "Silas Tapp"]]);
    const refused = await run(["index", book, "-o", wished, "--offline", "--merges", wish({ chapter: 9 })]);
    assert.equal(refused.status, 2);
    assert.match(refused.err, /merges.same\[0\].from is chapter 9, but the book has 2/);
  });

  test("index --merges puts together and takes apart, and inspect --merges tells it", async () => {
    const place = folder();
    const [book, plain, wished] = ["book.txt", "plain.plot.json", "wished.plot.json"].map((name) => path.join(place, name));
    writeFileSync(book, "Mr. Silas Tapp kept the ferry. Mr. Tapp said no. Silas Tapp slept. Mrs. Ida Lind came. Ida Lind laughed at Mr. Tapp. Mrs. Lind went home.\n");
    const wishes = merges({ same: [{ names: ["Silas Tapp", "Ida Lind"], name: "Ida Lind" }], different: [["Silas Tapp", "Mr Tapp"]] });
    await json(["index", book, "-o", plain, "--offline"]);
    await json(["index", book, "-o", wished, "--offline", "--merges", wishes]);
    const cast = async (file) => (await json(["inspect", file])).entities.map(({ name, aliases }) => [name, ...aliases].sort().join(" "));
    assert.match((await cast(plain)).join("; "), /Mr Tapp Silas Tapp/);
    assert.match((await cast(wished)).join("; "), /Ida Lind.*Silas Tapp/);
    assert.ok((await cast(wished)).includes("Mr Tapp"));
    const { merges: told } = await json(["inspect", wished, "--merges", "--about", "ida"]);
    assert.ok(told.length && told.every(({ one, other }) => /ida/i.test(one + other)));
    const { out } = await run(["inspect", wished, "--merges"]);
    assert.match(out, /\(author, known at/);
    assert.match(out, /Two: [1-9]/);
  });

  test("retrieve", async () => {
    const document = await json(["retrieve", index, QUESTION, "--method", "dense", "--context-tokens", "200", "--set", "damping=0.6", "--set", "k1=3"]);
    fits(document, TRACE);
    assert.equal(document.method, "dense");
    assert.ok(document.context_tokens <= 200);
  });

  test("ask", async () => {
    const document = await json(["ask", index, QUESTION, "--choices", "under the floor|in a barrel", "--steps", "2"]);
    fits(document, ASKED);
    assert.ok(document.issues.some(({ code }) => code === "needs_chat_model"));
  });
});

describe("for people", () => {
  test("index says what it found, and its progress on stderr", async () => {
    const { out, err } = await run(["index", path.join(home, "ferry.txt"), "-o", path.join(folder(), "x.plot.json")]);
    assert.match(out, /3 chapters/);
    assert.match(out, /persons .*Ines/);
    assert.match(err, /…\n/);
  });

  test("ask gives the answer, the plotline and passages with chapters and offsets", async () => {
    const { out, err, status } = await run(["ask", index, QUESTION]);
    assert.equal(status, 0, err);
    assert.equal(err, "");
    assert.match(out, /^Answer\n.*chapel floor/s);
    assert.match(out, /\[CHAPTER II\. The Iron Box, \d+–\d+\]/);
    assert.match(out, /Plotline, in story order/);
    assert.match(out, /Passages, best first/);
    assert.ok(out.split("\n").every((line) => line.length <= 80), "wrapped to 80 columns");
  });

  test("where nothing is quoted, the passages come before the plotline", async () => {
    const { out } = await run(["ask", index, "Which zeppelin parliament quarrelled?"]);
    assert.match(out, /^Answer\n  not found in what you have read\n\nPassages.*\n\nPlotline/s);
  });

  test("a chapter's number is said once, and is the one that --up-to takes", async () => {
    const home = folder();
    const story = (n, words) => `${n}. The ${words}\n\n${`Corin hid the ${words} under the chapel floor. It rained on the ferry all day. `.repeat(20)}\n\n\n`;
    writeFileSync(path.join(home, "parts.txt"), story("I", "Lamp") + story("II", "Box") + story("III", "Coin"));
    await run(["index", path.join(home, "parts.txt"), "-o", path.join(home, "parts.plot.json")]);
    const { out } = await run(["ask", path.join(home, "parts.plot.json"), "Where did Corin hide the Box?"]);
    assert.match(out, /\[chapter 2 \(The Box\), \d+–\d+\]/);
  });

  test("retrieve, inspect and chunks print without a terminal", async () => {
    for (const args of [["retrieve", index, QUESTION], ["inspect", index], ["chunks", path.join(home, "ferry.txt")]]) {
      const { out, err, status } = await run(args);
      assert.equal(status, 0, err);
      assert.ok(out.length > 200);
      assert.doesNotMatch(out, /undefined|NaN|\[object/);
    }
  });

  test("an encoding that was recognised is said, and another one wins", async () => {
    const book = path.join(folder(), "cafe.txt");
    writeFileSync(book, Buffer.from("Corin went to the caf\xe9 by the ferry. It rained on the ferry.\n", "latin1"));
    assert.match((await run(["chunks", book])).out, /read as iso-8859-1; where letters are wrong,\s+name\s+its\s+encoding\s+\[encoding\]/);
    const { chunks: [{ text }] } = await json(["chunks", book, "--encoding", "iso-8859-1"]);
    assert.match(text, /café/);
    assert.equal((await run(["chunks", book, "--encoding", "utf-8"])).status, 3);
  });

  test("chunks and index say how much is searched, and what is left out and why", async () => {
    const book = path.join(folder(), "front.txt");
    writeFileSync(book, `CONTENTS\n\nChapter 1\nChapter 2\nChapter 3\n\n\n${[1, 2, 3].map((n) => `Chapter ${n}\n\n${"It rained on the ferry all day, and nobody came to it. ".repeat(30)}\n\n\n`).join("")}`);
    const { text_length: length, skips } = await json(["chunks", book]);
    const left = (wanted) => skips.filter(({ reason }) => !wanted || reason === wanted).reduce((sum, { start, end }) => sum + end - start, 0);
    const percent = (part) => `${((100 * part) / length).toFixed(1)} %`;
    const { out } = await run(["chunks", book]);
    assert.ok(left() > 0 && left("contents") > 0 && left("heading") > 0, JSON.stringify(skips));
    assert.ok(out.includes(`${(length - left()).toLocaleString("en")} characters (${percent(length - left())}) in`), out);
    assert.ok(out.includes(`${left()} characters (${percent(left())})`), out);
    const reasons = `contents ${percent(left("contents"))}, heading ${percent(left("heading"))}`;
    assert.ok(out.includes(reasons), out);
    const indexed = await run(["index", book, "-o", path.join(folder(), "x.plot.json")]);
    assert.ok(indexed.out.includes(`${percent(length - left())} searched; left out ${reasons}`), indexed.out);
  });

  test("an answer by rule says how far it is to be believed, a weak one in words", async () => {
    const sure = await run(["ask", index, QUESTION]);
    assert.match(sure.out, /confidence 0\.\d\d\n/);
    const weak = await run(["ask", index, "Where did Dr. Pike learn to dance the waltz with seven officers?", "--set", "min_cover=0"]);
    assert.match(weak.out.replace(/\s+/g, " "), /confidence 0\.[0-4]\d\. It covers only a part of what was asked, and may well not be the answer\./);
  });

  test("help is there for all and for each, and version", async () => {
    assert.match((await run(["--version"])).out, /^\d+\.\d+\.\d+\n$/);
    assert.match((await run(["--help"])).out, /retrieve INDEX QUESTION/);
    for (const command of ["index", "estimate", "chunks", "inspect", "retrieve", "ask", "eval", "diagnose", "serve"]) {
      const { out, status } = await run([command, "--help"]);
      assert.equal(status, 0);
      assert.match(out, new RegExp(`^plotbridge ${command} `));
      assert.match(out, /For example\n  plotbridge/);
    }
  });
});

describe("input", () => {
  test("- is stdin, for a book and for an index", async () => {
    const out = path.join(folder(), "x.plot.json");
    const { status, err } = await run(["index", "-", "-o", out, "--title", "ferry"], { stdin: SMALL });
    assert.equal(status, 0, err);
    assert.ok(readFileSync(out).equals(readFileSync(index)), "the same book, the same bytes");
    const asked = await json(["ask", "-", QUESTION], { stdin: readFileSync(out) });
    assert.match(asked.answer.text, /chapel floor/);
  });

  test("an index may be an address", async (t) => {
    const site = await host({ "/b.json": { type: "application/json", body: readFileSync(index) } });
    t.after(site.close);
    assert.match((await json(["ask", `${site.url}/b.json`, QUESTION])).answer.text, /chapel floor/);
    const missing = await run(["inspect", `${site.url}/none.json`]);
    assert.equal(missing.status, 4);
    assert.match(missing.err, /none\.json/);
  });
});

describe("exit statuses", () => {
  const damaged = () => path.join(home, "damaged.plot.json");
  const cases = {
    "no command": [[], 2, /which command/],
    "a command that does not exist": [["aks"], 2, /nearest is "ask"/],
    "a flag that does not exist": [() => ["ask", index, "why?", "--metod", "x"], 2, /--method/],
    "a flag of another command": [() => ["ask", index, "why?", "--merges"], 2, /ask takes no --merges/],
    "a filter of nothing": [() => ["inspect", index, "--about", "Tapp"], 2, /--about is for --merges/],
    "merges that are no JSON": [() => ["index", path.join(home, "ferry.txt"), "-o", path.join(home, "m.plot.json"), "--merges", path.join(home, "ferry.txt")], 2, /is not JSON/],
    "merges of one name": [() => ["index", path.join(home, "ferry.txt"), "-o", path.join(home, "m.plot.json"), "--merges", merges({ same: [["Tapp"]] })], 2, /merges is .* must be an object with same/],
    "merges by another word": [() => ["index", path.join(home, "ferry.txt"), "-o", path.join(home, "m.plot.json"), "--merges", merges({ equal: [] })], 2, /must be an object with same/],
    "merges with a name of none": [() => ["index", path.join(home, "ferry.txt"), "-o", path.join(home, "m.plot.json"), "--merges", merges({ same: [{ names: ["A", "B"], name: "C" }] })], 2, /merges.same\[0\] is to be called "C", which is none of its names/],
    "merges of a name with itself": [() => ["index", path.join(home, "ferry.txt"), "-o", path.join(home, "m.plot.json"), "--merges", merges({ different: [["A", "A"]] })], 2, /merges.different\[0\]/],
    "a flag without its value": [["index", "x", "-o"], 2, /-o needs a value/],
    "a missing argument": [() => ["ask", index], 2, /QUESTION is missing/],
    "an argument too many": [() => ["ask", index, "who", "was"], 2, /"was" is one too many/],
    "no output": [["index", "x"], 2, /-o OUT\.plot\.json/],
    "a number that is none": [() => ["retrieve", index, "why?", "--context-tokens", "many"], 2, /"many"/],
    "a number beyond all": [() => ["ask", index, "why?", "--budget-tokens", "99999999999"], 2, /--budget-tokens is 99999999999, but must be at most 4294967295/],
    "a number of many digits": [() => ["ask", index, "why?", "--rpm", "9".repeat(400)], 2, /--rpm is 9{30}…, but must be at most 4294967295/],
    "a chapter beyond all": [() => ["ask", index, "why?", "--up-to", "ch:12345678901"], 2, /--up-to is 12345678901, but must be at most 4294967295/],
    "a choice of one": [() => ["ask", index, "why?", "--choices", "A"], 2, /--choices/],
    "a setting without a value": [() => ["ask", index, "why?", "--set", "k1"], 2, /KEY=VALUE/],
    "a setting that does not exist": [() => ["ask", index, "why?", "--set", "dampin=1"], 2, /damping/],
    "a method that does not exist": [() => ["ask", index, "why?", "--method", "magic"], 2, /magic/],
    "an empty question": [() => ["ask", index, " "], 2, /question/],
    "a question of 100,000 characters": [() => ["ask", index, "why ".repeat(25_000)], 2, /100000 characters, but may have 2000/],
    "white space for a question": [() => ["retrieve", index, "\n\t \u00a0"], 2, /question is empty/],
    "an index of a later version": [() => ["inspect", path.join(home, "later.plot.json")], 3, /version 2, but this program reads version 1/],
    "an index of an earlier version": [() => ["ask", path.join(home, "earlier.plot.json"), "why?"], 3, /version 0, but this program reads version 1/],
    "a book of other bytes": [() => ["index", path.join(home, "binary.txt"), "-o", path.join(home, "binary.plot.json")], 3, /./],
    "a book of white space": [() => ["index", path.join(home, "space.txt"), "-o", path.join(home, "space.plot.json")], 3, /./],
    "a tunable beyond its range": [() => ["ask", index, "why?", "--set", "lambda_char=1.5"], 2, /lambda_char is "1.5", but takes a number from 0.0 to 1.0/],
    "a tunable that is no number": [() => ["index", path.join(home, "ferry.txt"), "-o", path.join(home, "y.plot.json"), "--set", "tau_quantile=NaN"], 2, /tau_quantile is "NaN"/],
    "no context": [() => ["retrieve", index, "why?", "--context-tokens", "0"], 2, /tokens are 0, but must be 100 to 1000000/],
    "a file that is not there": [["inspect", "/no/such/file"], 3, /no such file/],
    "a folder for a file": [() => ["inspect", home], 3, /is a folder/],
    "a damaged index": [() => ["inspect", damaged()], 3, /./],
    "an empty book": [() => ["chunks", path.join(home, "empty.txt")], 3, /./],
    "a web page for a text": [() => ["index", path.join(home, "page.txt"), "-o", path.join(home, "page.json")], 3, /looks like an HTML page.* save it as plain text/],
    "letters that are no text": [() => ["chunks", path.join(home, "letters.txt")], 3, /name its encoding: utf-8/],
    "an encoding that does not exist": [() => ["chunks", path.join(home, "ferry.txt"), "--encoding", "klingon"], 3, /klingon/],
    "a folder that is not there": [() => ["index", path.join(home, "ferry.txt"), "-o", "/no/such/x.json"], 1, /no folder/],
    "the input as output": [() => ["index", path.join(home, "ferry.txt"), "-o", path.join(home, "ferry.txt")], 2, /the input itself/],
    "a folder to serve that is not there": [["serve", "/no/such"], 2, /not a folder/],
  };
  before(() => {
    writeFileSync(damaged(), readFileSync(index).subarray(0, 2000));
    writeFileSync(path.join(home, "empty.txt"), "");
    writeFileSync(path.join(home, "space.txt"), " \n\t\r\n ".repeat(500));
    writeFileSync(path.join(home, "binary.txt"), Uint8Array.from({ length: 5000 }, (_, at) => (at * 151 + (at >> 3)) % 256));
    for (const [name, version] of [["later", 2], ["earlier", 0]]) {
      writeFileSync(path.join(home, `${name}.plot.json`), JSON.stringify({ ...JSON.parse(readFileSync(index)), version }));
    }
    writeFileSync(path.join(home, "page.txt"), "<html><body><p>It rained.</p></body></html>");
    writeFileSync(path.join(home, "letters.txt"), Buffer.from("b5dad2bbbbd8d5aacab6d2c0", "hex"));
  });
  for (const [name, [args, status, message]] of Object.entries(cases)) {
    test(`${status}: ${name}`, async () => {
      const result = await run(typeof args === "function" ? args() : args);
      assert.equal(result.status, status, result.err);
      assert.match(result.err, /^plotbridge: .*[^.]\n/);
      assert.match(result.err, message);
      assert.equal(result.out, "", "nothing on stdout");
    });
  }

  test("1: the engine is not built", async () => {
    const bare = folder();
    for (const part of ["bin", "cli", "src", "package.json"]) {
      cpSync(new URL(`../../pkg/${part}`, import.meta.url), path.join(bare, part), { recursive: true });
    }
    const script = path.join(bare, "bin/plotbridge.js");
    const { status, err } = await start(["inspect", index], { script }).done;
    assert.equal(status, 1, err);
    assert.match(err, /run cargo xtask build first/);
  });

  test("130: interrupted while indexing, with nothing written", async () => {
    const place = folder();
    writeFileSync(path.join(place, "long.txt"), long(1_500_000));
    const running = start(["index", path.join(place, "long.txt"), "-o", path.join(place, "long.plot.json")]);
    await until(running, "err", /…\n/);
    running.child.kill("SIGINT");
    const { status, out, err } = await running.done;
    assert.equal(status, 130);
    assert.equal(out, "");
    assert.match(err, /cancelled\n$/);
    assert.deepEqual(readdirSync(place), ["long.txt"]);
  });

  test("a failed index leaves the older file as it was, and no part beside it", async () => {
    const place = folder();
    const out = path.join(place, "x.plot.json");
    writeFileSync(out, "older");
    writeFileSync(path.join(place, "empty.txt"), "");
    assert.equal((await run(["index", path.join(place, "empty.txt"), "-o", out])).status, 3);
    assert.equal(readFileSync(out, "utf8"), "older");
    assert.deepEqual(readdirSync(place).sort(), ["empty.txt", "x.plot.json"]);
  });

  test("a reader that has enough ends it quietly", async () => {
    const running = start(["chunks", path.join(home, "ferry.txt"), "--json"]);
    running.child.stdout.destroy();
    const { status, err } = await running.done;
    assert.equal(status, 0, err);
    assert.equal(err, "");
  });
});
