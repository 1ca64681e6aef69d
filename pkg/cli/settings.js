// The tunables: the list that `--set help` prints, and the line that tells which were in effect.

import { loadPackage } from "./files.js";
import { output, sections, wrap } from "./print.js";

/** Whether a command line asks for the list: `--set help`. */
export const wantsTunables = (args) => args.some((arg, at) => arg === "--set=help" || (arg === "--set" && args[at + 1] === "help"));

const HEADS = {
  question: "With each question (retrieve, ask, eval), --set KEY=VALUE",
  index: "When a book is indexed (index, estimate, chunks), --set KEY=VALUE",
};

const SOURCE = "\"P\" is the paper of PonsRAG, with the number of its table, equation or appendix.";

const METHODS = 6;

/** Prints the tunables of a moment, `question` or `index`; of both where none is named. */
export async function printTunables(when, json) {
  const all = (await loadPackage()).engineModule().tunables();
  const list = all.filter((tunable) => when === undefined || tunable.when === when);
  const of = (moment) => list.filter((tunable) => tunable.when === moment);
  const part = (moment) => of(moment).length > 0 && `${HEADS[moment]}\n\n${byMethods(of(moment))}`;
  output(json, list, () => sections(part("question"), part("index"), wrap(SOURCE)));
  return 0;
}

/** Tunables under the methods that read them, in the order in which these first come. */
function byMethods(list) {
  const groups = new Map();
  for (const tunable of list) {
    const who = tunable.methods.length === METHODS ? "of every method" : tunable.methods.join(", ");
    groups.set(who, [...(groups.get(who) ?? []), line(tunable)]);
  }
  return [...groups].map(([who, lines]) => [who && ` ${who}`, ...lines].filter(Boolean).join("\n\n")).join("\n\n");
}

const line = ({ name, takes, default: value, doc }) => `${wrap(`${name}: ${takes}, ${value} where unset`, 2)}\n${wrap(doc, 6)}`;

/** Where a value comes from, in the order in which they are told. */
const ORIGINS = ["set", "auto", "index"];

/** The settings in effect on one line: those that are not as by default, by where they come from. */
export function settingsLine(settings) {
  const by = (origin) => settings.filter(({ from }) => from === origin).map(({ name, value }) => `${name} ${figure(value)}`);
  const told = ORIGINS.filter((origin) => by(origin).length > 0).map((origin) => `${by(origin).join(", ")} (${origin})`);
  const rest = by("default").length;
  return [...told, rest > 0 && `${rest} by default`].filter(Boolean).join("; ");
}

const figure = (value) => (typeof value === "number" ? String(Number(value.toPrecision(4))) : value);
