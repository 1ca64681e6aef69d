// Files: input from a path, an address or stdin; output whole or not at all.

import { createHash, randomBytes } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { access, open, readFile, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { addAbortSignal } from "node:stream";

import { PlotbridgeError } from "../src/errors.js";
import { absolute } from "../src/source.js";

/** Node's entry of the package, once it is built. */
export async function loadPackage() {
  if (!existsSync(new URL("../wasm/plotbridge_bg.wasm", import.meta.url))) {
    throw new PlotbridgeError("not_ready", "the engine is not built yet: run cargo xtask build first");
  }
  return import("../node.js");
}

/** The bytes of a file, by its path or `file:` address, or of stdin for `-`. */
export async function readInput(file, signal) {
  if (file === "") throw new PlotbridgeError("usage", "the path is empty");
  try {
    if (file === "-") return await readStdin(signal);
    return new Uint8Array(await readFile(/^file:/i.test(file) ? new URL(file) : file, { signal }));
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new PlotbridgeError("unreadable", `${file} cannot be read: ${reason(cause)}`, { cause });
  }
}

/** What an author says of a book's names, from a JSON file. */
export async function readMerges(file, signal) {
  const text = new TextDecoder().decode(await readInput(file, signal));
  try {
    const merges = JSON.parse(text);
    if (merges !== null && typeof merges === "object" && !Array.isArray(merges)) return merges;
  } catch (cause) {
    throw new PlotbridgeError("usage", `${file} is not JSON, as --merges wants it: ${reason(cause)}`, { cause });
  }
  throw new PlotbridgeError("usage", `${file} is no object with same and different, as --merges wants it`);
}

/** The chapters of a book as somebody corrected them, from a JSON file: a list, or what `chunks --json` prints. */
export async function readChapters(file, signal) {
  const text = new TextDecoder().decode(await readInput(file, signal));
  try {
    const given = JSON.parse(text);
    const chapters = Array.isArray(given) ? given : given?.chapters;
    if (Array.isArray(chapters)) return chapters;
  } catch (cause) {
    throw new PlotbridgeError("usage", `${file} is not JSON, as --chapters wants it: ${reason(cause)}`, { cause });
  }
  throw new PlotbridgeError("usage", `${file} holds no list of chapters, as --chapters wants it`);
}

/** Opens the index at a path, an address or stdin, to be asked with these models. */
export async function openIndex(index, signal, models, limits) {
  const { Book } = await loadPackage();
  if (isAddress(index)) return Book.open(absolute(index), { signal, models, limits });
  return Book.open(await readIndex(index, signal), { signal, models, limits });
}

/**
 * As `openIndex`, giving `{ engine, digest }`, for what the package does not offer; `digest` is that of the
 * index's bytes, or its address.
 */
export async function openEngine(index, signal) {
  const { Engine } = (await loadPackage()).engineModule();
  if (isAddress(index)) return { engine: await Engine.fetch(String(absolute(index)), signal), digest: index };
  const bytes = await readIndex(index, signal);
  const digest = createHash("sha256").update(bytes).digest("hex");
  return { engine: await Engine.open(bytes, signal), digest };
}

const isAddress = (index) => /^https?:/i.test(index);

/** The bytes of an index; a text is told apart from one by how it begins. */
async function readIndex(index, signal) {
  const bytes = await readInput(index, signal);
  if (looksLikeText(bytes)) {
    const what = index === "-" ? "stdin" : index;
    throw new PlotbridgeError("index_damaged", `${what} is a text, not an index; make one of it first: plotbridge index ${index} -o OUT.plot.json`);
  }
  return bytes;
}

/** The bytes of a book; an index is told apart from one by how it begins. */
export async function readBook(file, signal, { again = false } = {}) {
  const bytes = await readInput(file, signal);
  if (!again && /^\s*\{\s*"format"\s*:\s*"plotbridge-index"/.test(head(bytes))) {
    throw new PlotbridgeError("unsupported_format", `${file === "-" ? "stdin" : file} is an index already; ask it: plotbridge ask ${file} "…"`);
  }
  return bytes;
}

/** Words, and not the brace that every index begins with. */
const looksLikeText = (bytes) => /^\s*[^\s{]/.test(head(bytes)) && !head(bytes).includes("\0");

const head = (bytes) => new TextDecoder().decode(bytes.subarray(0, 512));

async function readStdin(signal) {
  const parts = [];
  for await (const part of addAbortSignal(signal, process.stdin)) parts.push(part);
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * Where the index goes: `{ path, mode }`, links followed, the mode that of the file it replaces.
 * Throws when it cannot be written there or is the input itself: before the work, not after.
 */
export async function checkOutput(output, input) {
  if (output === "-") throw new PlotbridgeError("usage", "the output is \"-\", but it is written to a file, whole or not at all; ./- is a file of that name");
  if (/[\\/]$/.test(output)) throw new PlotbridgeError("usage", `the output ${output} is a folder; name a file in it`);
  try {
    const target = await followLinks(path.resolve(output));
    const found = await stat(target).catch(absent);
    if (found) checkReplaceable(output, found);
    await access(path.dirname(target), constants.W_OK);
    const read = found && input !== "-" && (await stat(input).catch(absent));
    if (read && read.dev === found.dev && read.ino === found.ino) throw new PlotbridgeError("usage", `the output ${output} is the input itself`);
    return { path: target, mode: found && found.mode & 0o777 };
  } catch (thrown) {
    throw thrown instanceof PlotbridgeError ? thrown : unwritable(output, thrown);
  }
}

/** A file may be replaced; a pipe or a device would be lost, and a folder cannot be. */
function checkReplaceable(output, found) {
  if (found.isDirectory()) throw new PlotbridgeError("usage", `the output ${output} is a folder; name a file in it`);
  if (!found.isFile()) throw new PlotbridgeError("usage", `the output ${output} is a pipe or a device, but an index is written to a file, whole or not at all`);
}

/** The place that a path means, also where the last link leads to nothing yet. */
async function followLinks(target) {
  for (let hops = 0; hops < 40; hops++) {
    const folder = path.dirname(target);
    if (!existsSync(folder)) throw new PlotbridgeError("storage", `${target} cannot be written: there is no folder ${folder}`);
    target = path.join(await realpath(folder), path.basename(target));
    const link = await readlink(target).catch(() => undefined);
    if (link === undefined) return target;
    target = path.resolve(path.dirname(target), link);
  }
  throw new PlotbridgeError("storage", `${target} cannot be written: its links lead in a circle`);
}

function absent(cause) {
  if (cause.code !== "ENOENT") throw cause;
}

/** Writes beside the place, then renames: whoever looks sees the old file or the whole new one. */
export async function writeWhole({ path: target, mode }, bytes, signal) {
  // A short name of its own: the target's may be as long as a name can be.
  const beside = path.join(path.dirname(target), `.${randomBytes(6).toString("hex")}.part`);
  try {
    const file = await open(beside, "wx");
    try {
      if (mode !== undefined) await file.chmod(mode);
      await file.writeFile(bytes, { signal });
      await file.sync();
    } finally {
      await file.close();
    }
    signal?.throwIfAborted();
    await rename(beside, target);
  } catch (cause) {
    await rm(beside, { force: true });
    if (signal?.aborted) throw cause;
    throw unwritable(target, cause);
  }
}

const unwritable = (target, cause) => new PlotbridgeError("storage", `${target} cannot be written: ${reason(cause)}`, { cause });

const REASONS = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOSPC: "the disk is full",
  EROFS: "the disk is read-only",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its links lead in a circle",
  ENOTDIR: "a part of its path is not a folder",
};

const reason = (cause) => REASONS[cause.code] ?? cause.message;
