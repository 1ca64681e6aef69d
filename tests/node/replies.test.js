// The file of kept replies: whole lines are read whatever happened to the others, and where it cannot be
// written the replies are held in memory, which is said.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { forgetReplies, keptReplies, openReplies } from "../../pkg/src/replies-file.js";
import { folder } from "./command.js";

const ENTRIES = [["a", "one"], ["b", "two\nlines, \u2028 and “quotes”"], ["c", "x".repeat(300_000)], ["a", "one again"]];
const LAST = new Map(ENTRIES);

async function written(file, entries = ENTRIES) {
  const replies = await openReplies(file);
  for (const [key, value] of entries) await replies.put(key, value);
  await replies.close();
  return replies;
}

/** Of each key what is kept, by a new look at the file. */
async function found(file, keys = LAST.keys()) {
  const replies = await openReplies(file);
  const list = [];
  for (const key of keys) list.push([key, await replies.get(key)]);
  await replies.close();
  return list.filter(([, value]) => value !== undefined);
}

test("what is put is there afterwards, the last of each key", async () => {
  const file = path.join(folder(), "x.replies");
  assert.deepEqual(await keptReplies(file), []);
  const replies = await written(file);
  assert.deepEqual(await replies.issues(), []);
  assert.deepEqual(await found(file), [...LAST]);
  assert.deepEqual(await keptReplies(file), [{ name: file, replies: 3, bytes: readFileSync(file).length }]);
  await forgetReplies(file);
  assert.deepEqual([await keptReplies(file), await found(file)], [[], []]);
});

test("puts that overlap are lines one after another", async () => {
  const file = path.join(folder(), "x.replies");
  const replies = await openReplies(file);
  const keys = Array.from({ length: 50 }, (_, n) => `k${n}`);
  await Promise.all(keys.map((key) => replies.put(key, key.repeat(1000))));
  await replies.close();
  assert.deepEqual(await found(file, keys), keys.map((key) => [key, key.repeat(1000)]));
});

test("cut anywhere, the file gives every whole line, and takes more", async () => {
  const entries = [["a", "one"], ["b", "two"], ["c", "three"]];
  const file = path.join(folder(), "x.replies");
  await written(file, entries);
  const whole = readFileSync(file);
  const ends = [...whole.toString()].flatMap((c, at) => (c === "\n" ? [at] : [])).slice(1);
  for (let cut = 0; cut <= whole.length; cut++) {
    writeFileSync(file, whole.subarray(0, cut));
    const kept = entries.filter((_, at) => cut >= ends[at]); // a line may lack its end
    assert.deepEqual(await found(file, ["a", "b", "c"]), kept, `cut at ${cut}`);
    await written(file, [["d", "four"]]);
    assert.deepEqual(await found(file, ["a", "b", "c", "d"]), [...kept, ["d", "four"]], `cut at ${cut}, then more`);
  }
});

test("a damaged line is lost alone", async () => {
  const file = path.join(folder(), "x.replies");
  await written(file, [["a", "one"], ["b", "two"], ["c", "three"]]);
  writeFileSync(file, readFileSync(file, "utf8").replace("two", "owt"));
  assert.deepEqual(await found(file, ["a", "b", "c"]), [["a", "one"], ["c", "three"]]);
});

test("a file that holds something else is left alone, and the replies are held in memory", async () => {
  const file = path.join(folder(), "x.replies");
  const words = "a novel of mine\n";
  writeFileSync(file, words);
  const replies = await written(file);
  for (const [key, value] of LAST) assert.equal(await replies.get(key), value);
  const [{ code, message }] = await replies.issues();
  assert.equal(code, "store_memory");
  assert.match(message, /there is a file that holds something else.*3 of the replies are held in memory only/);
  assert.equal(readFileSync(file, "utf8"), words);
  await assert.rejects(forgetReplies(file), /something else/);
});

test("a pipe is not waited for, and a line that is no pair is no reply", async () => {
  const pipe = path.join(folder(), "x.replies");
  execFileSync("mkfifo", [pipe]);
  const replies = await written(pipe);
  assert.equal(await replies.get("b"), LAST.get("b"));
  assert.match((await replies.issues())[0].message, /no file/);
  await assert.rejects(forgetReplies(pipe), /no file/);

  const file = path.join(folder(), "x.replies");
  await written(file, [["a", "one"]]);
  const foreign = ["5", '["a"]', '["a", 5]', "null"].map((entry) => `${createHash("sha256").update(entry).digest("hex").slice(0, 16)} ${entry}\n`);
  writeFileSync(file, `${readFileSync(file, "utf8")}${foreign.join("")}\n\n`);
  assert.deepEqual(await found(file), [["a", "one"]]);
});

test("where nothing can be written the replies are held in memory, and one that fails is no other's fault", async () => {
  const place = path.join(folder(), "no", "such");
  const replies = await written(path.join(place, "x.replies"));
  assert.equal(await replies.get("b"), LAST.get("b"));
  assert.match((await replies.issues())[0].message, /ENOENT/);
  mkdirSync(place, { recursive: true });
  await replies.put("d", "four");
  assert.deepEqual(await found(path.join(place, "x.replies"), ["d"]), [["d", "four"]], "a folder that came later is used");
  assert.equal(await replies.get("a"), "one again");
});
