// Programs that a test starts: each in a group of its own with all that it starts in turn, which ends
// with the test, however that ends.

import { spawn } from "node:child_process";
import { createServer } from "node:net";

const running = new Set();
process.once("exit", () => running.forEach(end));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1)); // so that the line above runs

export function start(program, args, options) {
  const child = spawn(program, args, { ...options, detached: true });
  if (child.pid === undefined) return child; // `error` says why
  running.add(child);
  return child;
}

/** Ends a program, with what it started. */
export async function stop(child) {
  end(child);
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once("exit", resolve));
}

function end(child) {
  if (!running.delete(child)) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // All of the group have ended by themselves.
  }
}

/** A port of this machine's own address that nobody listens on. */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
