// The command line as another program runs it.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const COMMAND = fileURLToPath(new URL("../../pkg/bin/plotbridge.js", import.meta.url));

/** No endpoint that happens to be set where the tests run. */
const NO_MODELS = Object.fromEntries(["CHAT_URL", "CHAT_MODEL", "EMBED_URL", "EMBED_MODEL", "KEY", "EMBED_KEY"].map((name) => [`PLOTBRIDGE_${name}`, ""]));

/** Starts `plotbridge ARGS`; `done` gives `{ status, out, err }`. */
export function start(args, { stdin, cwd, env, script = COMMAND } = {}) {
  const child = spawn(process.execPath, [script, ...args], { cwd, env: { ...process.env, COLUMNS: "", ...NO_MODELS, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const said = { out: "", err: "" };
  for (const [name, stream] of [["out", child.stdout], ["err", child.stderr]]) {
    stream.setEncoding("utf8").on("data", (text) => (said[name] += text));
  }
  if (stdin !== null) child.stdin.end(stdin);
  const done = new Promise((resolve) => child.on("close", (status, signal) => resolve({ status: status ?? signal, ...said })));
  return { child, said, done };
}

export const run = (args, options) => start(args, options).done;

/** Resolves once the output so far matches. */
export function until({ child, said }, stream, pattern) {
  return new Promise((resolve, reject) => {
    const look = () => pattern.test(said[stream]) && resolve(pattern.exec(said[stream]));
    child[stream === "out" ? "stdout" : "stderr"].on("data", look);
    child.on("close", () => reject(new Error(`ended without ${pattern}: ${said.out}${said.err}`)));
    look();
  });
}

/** A new folder that is gone when the tests are. */
export function folder() {
  const made = mkdtempSync(path.join(tmpdir(), "plotbridge-"));
  process.on("exit", () => rmSync(made, { recursive: true, force: true }));
  return made;
}
