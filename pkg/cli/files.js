// Files: input from a path, an address or stdin; output whole or not at all.

import { existsSync } from "node:fs";
import { open, readFile, realpath, rename, rm } from "node:fs/promises";
import path from "node:path";
import { addAbortSignal } from "node:stream";

import { PlotbridgeError } from "../src/errors.js";

/** Node's entry of the package, once it is built. */
export async function loadPackage() {
  if (!existsSync(new URL("../wasm/plotbridge_bg.wasm", import.meta.url))) {
    throw new PlotbridgeError("not_ready", "the engine is not built yet: run cargo xtask build first");
  }
  return import("../node.js");
}

/** The bytes of a file, or of stdin for `-`. */
export async function readInput(file, signal) {
  try {
    return file === "-" ? await readStdin(signal) : new Uint8Array(await readFile(file, { signal }));
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new PlotbridgeError("unreadable", `${file} cannot be read: ${reason(cause)}`, { cause });
  }
}

/** Opens the index at a path, an address or stdin. */
export async function openIndex(index, signal) {
  const { Book } = await loadPackage();
  const source = /^https?:\/\//.test(index) ? new URL(index) : await readInput(index, signal);
  return Book.open(source, { signal });
}

async function readStdin(signal) {
  const parts = [];
  for await (const part of addAbortSignal(signal, process.stdin)) parts.push(part);
  return new Uint8Array(Buffer.concat(parts));
}

/** Throws when `output` cannot be written or is the input itself: before the work, not after. */
export async function checkOutput(output, input) {
  const folder = path.dirname(path.resolve(output));
  if (!existsSync(folder)) throw new PlotbridgeError("storage", `${output} cannot be written: there is no folder ${folder}`);
  if (input === "-" || !existsSync(output) || !existsSync(input)) return;
  if ((await realpath(output)) === (await realpath(input))) {
    throw new PlotbridgeError("usage", `the output ${output} is the input itself`);
  }
}

/** Writes beside the target, then renames: whoever looks sees the old file or the whole new one. */
export async function writeWhole(target, bytes, signal) {
  const beside = path.join(path.dirname(path.resolve(target)), `.${path.basename(target)}.${process.pid}.part`);
  try {
    const file = await open(beside, "wx");
    try {
      await file.writeFile(bytes, { signal });
      await file.sync();
    } finally {
      await file.close();
    }
    signal.throwIfAborted();
    await rename(beside, target);
  } catch (cause) {
    await rm(beside, { force: true });
    if (signal.aborted) throw cause;
    throw new PlotbridgeError("storage", `${target} cannot be written: ${reason(cause)}`, { cause });
  }
}

const REASONS = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOSPC: "the disk is full",
  EROFS: "the disk is read-only",
};

const reason = (cause) => REASONS[cause.code] ?? cause.message;
