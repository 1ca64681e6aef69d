// Runs: each way in which all questions are asked, with the name its figures stand under.
//
// A run is `{ name, against?, options, sweep? }`: `against` is the run it is compared with question by
// question, `options` what the engine takes, `sweep` the key and value that it tries.

import { PlotbridgeError } from "../../src/errors.js";
import { readSweeps } from "../sweeps.js";
import { TABLES } from "./paper.js";

/** The row of the chat model alone. */
export const CLOSED_BOOK = "closed-book";

/** What has ablations and sweeps. */
const BASE = "pons";

/** Methods as they are, then PonsRAG without each part, then with each value of the sweeps, then the closed book. */
export function runsOf(flags, models, all, judge) {
  const table = flags.table && TABLES[flags.table];
  const config = { ...table?.set, ...flags.set };
  const asked = { contextTokens: flags["context-tokens"], steps: flags.steps };
  const methods = namesOf(flags.method ?? (table ? BASE : all));
  const ablations = [...(table?.ablate ?? []), ...namesOf(flags.ablate ?? "")];
  const sweeps = [...readSweeps(table?.sweep ? [table.sweep] : []), ...(flags.sweep ?? [])];
  const extra = [...ablations.map(() => "--ablate"), ...sweeps.map(() => "--sweep")][0];
  if (extra && !methods.includes(BASE)) {
    throw new PlotbridgeError("usage", `${extra} is of ${BASE}, but --method is ${JSON.stringify(flags.method)}`);
  }
  const options = (method, more) => ({ method, ...asked, config, ...more });
  const runs = [
    ...methods.map((method) => ({ name: method, against: method === methods[0] ? undefined : methods[0], options: options(method) })),
    ...ablations.map((ablate) => ({ name: `${BASE}:${ablate}`, against: BASE, options: options(BASE, { ablate }) })),
    ...sweeps.map(({ name, key, value, config: values }) => ({
      name: `${BASE}:${name}`, against: BASE, sweep: { key, value }, options: options(BASE, { config: { ...config, ...values } }),
    })),
    ...(models.chat ? [{ name: CLOSED_BOOK, against: methods[0], options: { closedBook: true } }] : []),
  ];
  if (judge) for (const run of runs) run.options.judge = true;
  // The same run asked for twice is one.
  return [...new Map(runs.map((run) => [run.name, run])).values()];
}

const namesOf = (list) => [...new Set(list.split(",").map((one) => one.trim()))].filter(Boolean);

/** A run as the document tells of it. */
export const described = ({ name, against = null, sweep = null, options }) => ({
  name, against, sweep,
  method: options.method ?? null, ablate: options.ablate ?? null, config: options.config ?? {},
});
