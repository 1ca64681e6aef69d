// Runs: each way in which all questions are asked, with the name its figures stand under.
//
// A run is `{ name, against?, options, sweep? }`: `against` is the run it is compared with question by
// question, `options` what the engine takes, `sweep` the key and value that it tries.

import { PlotbridgeError } from "../../src/errors.js";
import { readSweeps } from "../sweeps.js";
import { TABLES } from "./paper.js";

/** The row of the chat model alone. */
export const CLOSED_BOOK = "closed-book";

/** What has sweeps, and ablations but those of CodaRAG. */
const BASE = "pons";
const CODA = ["no-types", "no-merge", "no-semantic", "no-contextualized", "no-functional", "no-eliminate"];
const baseOf = (ablation) => (CODA.includes(ablation) ? "coda" : BASE);

/** Methods as they are, then without each part, then PonsRAG with each value of the sweeps, then the closed book. */
export function runsOf(flags, models, all, judge) {
  const table = flags.table && TABLES[flags.table];
  const config = { ...table?.set, ...flags.set };
  const asked = { contextTokens: flags["context-tokens"], steps: flags.steps };
  const ablations = [...(table?.ablate ?? []), ...namesOf(flags.ablate ?? "")];
  const methods = namesOf(flags.method ?? (table ? BASE : all));
  const sweeps = [...readSweeps(table?.sweep ? [table.sweep] : []), ...(flags.sweep ?? [])];
  const extras = [...ablations.map((name) => ["--ablate", baseOf(name)]), ...sweeps.map(() => ["--sweep", sweptIn(methods)])];
  for (const [extra, base] of extras) {
    if (!methods.includes(base)) throw new PlotbridgeError("usage", `${extra} is of ${base}, but --method is ${JSON.stringify(flags.method ?? methods.join(","))}`);
  }
  const options = (method, more) => ({ method, ...asked, config, ...more });
  const runs = [
    ...methods.map((method) => ({ name: method, against: method === methods[0] ? undefined : methods[0], options: options(method) })),
    ...ablations.map((ablate) => ({ name: `${baseOf(ablate)}:${ablate}`, against: baseOf(ablate), options: options(baseOf(ablate), { ablate }) })),
    ...sweeps.map(({ name, key, value, config: values }) => {
      const base = sweptIn(methods);
      return { name: `${base}:${name}`, against: base, sweep: { key, value }, options: options(base, { config: { ...config, ...values } }) };
    }),
    ...(models.chat ? [{ name: CLOSED_BOOK, against: methods[0], options: { closedBook: true } }] : []),
  ];
  if (judge) for (const run of runs) run.options.judge = true;
  // The same run asked for twice is one.
  return [...new Map(runs.map((run) => [run.name, run])).values()];
}

/** Sweeps are of PonsRAG; of CodaRAG where that alone is asked for. */
const sweptIn = (methods) => (!methods.includes(BASE) && methods.includes("coda") ? "coda" : BASE);

const namesOf = (list) => [...new Set(list.split(",").map((one) => one.trim()))].filter(Boolean);

/** A run as the document tells of it. */
export const described = ({ name, against = null, sweep = null, options }) => ({
  name, against, sweep,
  method: options.method ?? null, ablate: options.ablate ?? null, config: options.config ?? {},
});
