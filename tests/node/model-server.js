// The scripted model server as a child process (CONTRIBUTING.md, The scripted model server).

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The program: the one that runs these tests, else cargo, which builds it first. */
const [PROGRAM, ...FIRST] = process.env.PLOTBRIDGE_XTASK ? [process.env.PLOTBRIDGE_XTASK] : ["cargo", "run", "--quiet", "--package", "xtask", "--"];

/**
 * Starts the server. `faults` are as on the command line, `rules` as in a script; `args` are more options.
 *
 * Gives `{ url, pid, log, script, forget, close }`: `url` ends in `/v1`; `log(count)` resolves to what was
 * asked once `count` requests have arrived; `script(rules)` replaces the rules; `forget()` empties the log;
 * `close()` ends the process, `letGo()` lets it end as it does when this process is gone.
 */
export async function modelServer({ rules, faults = [], args = [] } = {}) {
  const options = [...faults.flatMap((fault) => ["--fault", fault]), ...args];
  const child = spawn(PROGRAM, [...FIRST, "model-server", "--attached", ...options], { cwd: ROOT, stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  const ended = new Promise((resolve) => child.on("close", resolve));
  const url = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => reject(new Error(`the model server ended with ${status}: ${said}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, found] = /^listening on (\S+)$/.exec(line) ?? [];
      if (found) resolve(found);
    });
  });
  const control = async (path, method = "GET", body) => {
    const response = await fetch(new URL(path, url), { method, body });
    const document = await response.json();
    if (!response.ok) throw new Error(document.error.message);
    return document;
  };
  const server = {
    url,
    pid: child.pid,
    log: (count = 0) => control(`/log?wait=${count}`),
    script: (list) => control("/script", "POST", JSON.stringify({ rules: list })),
    forget: () => control("/log", "DELETE"),
    close: () => {
      child.kill("SIGKILL");
      return ended;
    },
    letGo: () => {
      child.stdin.end();
      return ended;
    },
  };
  if (rules) await server.script(rules);
  return server;
}
