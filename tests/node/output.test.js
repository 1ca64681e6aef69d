// Where `plotbridge index` writes: whole, beside what it replaces, through links, and over nothing
// that is not a file. Every pipe and link here is made in a folder of the test's own.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, beforeEach, describe, test } from "node:test";

import { SMALL } from "../contract/books.js";
import { folder, run } from "./command.js";

let book;
let index;
let place;

before(async () => {
  const home = folder();
  book = path.join(home, "ferry.txt");
  writeFileSync(book, SMALL);
  assert.equal((await run(["index", book, "-o", path.join(home, "x.json")])).status, 0);
  index = readFileSync(path.join(home, "x.json"));
});

beforeEach(() => {
  place = folder();
});

const write = (name) => run(["index", book, "-o", path.join(place, name)]);

/** It is refused before anything is read: there is no word of progress. */
async function refused(name, status, message) {
  const { status: got, out, err } = await write(name);
  assert.equal(got, status, err);
  assert.match(err, message);
  assert.equal(err.trimEnd().split("\n").length, 1, `nothing was begun: ${err}`);
  assert.equal(out, "");
}

describe("the output of index", () => {
  test("replaces an older file and keeps its mode", async () => {
    writeFileSync(path.join(place, "x.json"), "older");
    chmodSync(path.join(place, "x.json"), 0o640);
    assert.equal((await write("x.json")).status, 0);
    assert.ok(readFileSync(path.join(place, "x.json")).equals(index));
    assert.equal(statSync(path.join(place, "x.json")).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(place), ["x.json"]);
  });

  test("follows links, to a file and to a place where there is none yet", async () => {
    mkdirSync(path.join(place, "kept"));
    writeFileSync(path.join(place, "kept", "old.json"), "older");
    symlinkSync(path.join("kept", "old.json"), path.join(place, "to-old"));
    symlinkSync(path.join("kept", "new.json"), path.join(place, "to-new"));
    symlinkSync("to-new", path.join(place, "to-link"));
    for (const [link, file] of [["to-old", "old.json"], ["to-link", "new.json"]]) {
      assert.equal((await write(link)).status, 0);
      assert.ok(lstatSync(path.join(place, link)).isSymbolicLink(), `${link} is still a link`);
      assert.ok(readFileSync(path.join(place, "kept", file)).equals(index));
    }
    assert.deepEqual(readdirSync(path.join(place, "kept")).sort(), ["new.json", "old.json"]);
  });

  test("may have the longest name there is, and no longer one", async () => {
    const name = `${"x".repeat(250)}.json`;
    assert.equal((await write(name)).status, 0);
    assert.deepEqual(readdirSync(place), [name]);
    await refused(`x${name}`, 1, /the name is too long/);
  });

  test("is never a pipe, which stays one", { skip: process.platform === "win32" && "there are no named pipes" }, async () => {
    execFileSync("mkfifo", [path.join(place, "pipe")]);
    symlinkSync("pipe", path.join(place, "to-pipe"));
    for (const name of ["pipe", "to-pipe"]) await refused(name, 2, /is a pipe or a device/);
    assert.ok(lstatSync(path.join(place, "pipe")).isFIFO());
  });

  test("is never a folder, nor in one that is not there, nor behind a circle of links", async () => {
    mkdirSync(path.join(place, "folder"));
    symlinkSync("b", path.join(place, "a"));
    symlinkSync("a", path.join(place, "b"));
    symlinkSync(path.join("nowhere", "x.json"), path.join(place, "lost"));
    await refused("folder", 2, /is a folder/);
    await refused("new/", 2, /is a folder/);
    await refused("none/x.json", 1, /there is no folder .*none/);
    await refused("lost", 1, /there is no folder .*nowhere/);
    await refused("a", 1, /circle/);
    assert.deepEqual(readdirSync(place).sort(), ["a", "b", "folder", "lost"]);
  });

  test("is never the input, by whatever name", async () => {
    symlinkSync(book, path.join(place, "link.txt"));
    linkSync(book, path.join(place, "hard.txt"));
    for (const name of ["link.txt", "hard.txt"]) await refused(name, 2, /the input itself/);
    assert.equal(readFileSync(book, "utf8"), SMALL);
  });
});
