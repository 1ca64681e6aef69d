// The command line: finds the command, lets it run, turns what it throws into a message on stderr
// and an exit status. Ctrl-C cancels what runs; a second one ends the process.

import { readFileSync } from "node:fs";

import { asError, CODES, PlotbridgeError } from "../src/errors.js";
import { nearestName } from "../src/options.js";
import * as ask from "./commands/ask.js";
import * as chunks from "./commands/chunks.js";
import * as diagnose from "./commands/diagnose.js";
import * as estimate from "./commands/estimate.js";
import * as evaluate from "./commands/eval.js";
import * as inspect from "./commands/inspect.js";
import * as index from "./commands/index.js";
import * as retrieve from "./commands/retrieve.js";
import * as serve from "./commands/serve.js";
import { printable } from "./print.js";
import { printTunables, wantsTunables } from "./settings.js";
import { helpOf, overview, parse } from "./usage.js";

const COMMANDS = { index, estimate, chunks, inspect, retrieve, ask, eval: evaluate, diagnose, serve };

/** Runs one command line and gives its exit status. */
export async function main(argv) {
  const stop = new AbortController();
  const interrupt = () => (stop.signal.aborted ? process.exit(130) : stop.abort());
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, interrupt);
  process.stdout.on("error", (error) => process.exit(error.code === "EPIPE" ? 0 : 1));
  // What reaches no promise: a fault of ours, said like any other.
  process.on("uncaughtException", (thrown) => process.exit(report(thrown)));
  try {
    return await dispatch(argv, stop.signal);
  } catch (thrown) {
    return report(thrown);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

async function dispatch([name, ...rest], signal) {
  if (name === "--version" || name === "-V") return say(version());
  if (name === "help" && rest[0] === "settings") return printTunables(undefined, rest.includes("--json"));
  if (name === "--help" || name === "-h" || name === "help") {
    return say(rest.length > 0 ? helpOf(find(rest[0])) : overview(Object.values(COMMANDS)));
  }
  const command = find(name);
  if (rest.includes("--help") || rest.includes("-h")) return say(helpOf(command));
  if (command.flags.includes("set") && wantsTunables(rest)) return printTunables(command.sets ?? "question", rest.includes("--json"));
  const result = await command.run({ ...parse(command, rest), signal });
  return result ?? 0;
}

function find(name) {
  if (Object.hasOwn(COMMANDS, name ?? "")) return COMMANDS[name];
  if (name === undefined) throw new PlotbridgeError("usage", `which command? One of ${Object.keys(COMMANDS).join(", ")}; see plotbridge --help`);
  throw new PlotbridgeError("usage", `there is no command "${name}"; the nearest is "${nearestName(name, Object.keys(COMMANDS))}"; see plotbridge --help`);
}

function say(text) {
  process.stdout.write(`${text}\n`);
  return 0;
}

/** Says on stderr what went wrong; gives the exit status of its code. */
function report(thrown) {
  const error = asError(thrown);
  const stack = error.code === "crashed" ? `${error.cause?.stack ?? error.stack}\n` : "";
  process.stderr.write(printable(`plotbridge: ${error.message}\n${stack}`));
  return CODES[error.code].exit;
}

const version = () => JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
