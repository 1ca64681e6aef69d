// The ledger: what models cost, by stage and model, over one or several pieces of work.
//
// It holds counts and the models' own names: no key, no address, no date.

const COUNTS = ["requests", "prompt_tokens", "completion_tokens", "cached", "retried", "estimated"];

const nothing = () => ({ ...Object.fromEntries(COUNTS.map((name) => [name, 0])), seconds: 0 });

export class Ledger {
  #rows = new Map();

  /** Enters what a piece of work asked: `calls` of a trace, of a build, of an error's details, or another ledger's. */
  add(calls = []) {
    for (const call of calls) {
      const key = JSON.stringify([call.stage, call.model]);
      const row = this.#rows.get(key) ?? { stage: call.stage, model: call.model, ...nothing() };
      this.#rows.set(key, enter(row, call, call.seconds ?? call.ms / 1e3));
    }
    return this;
  }

  /** `{ calls, total }`, as `index --json` prints it and `OUT.ledger.json` holds it. */
  get document() {
    const calls = [...this.#rows.values()].map((row) => ({ ...row, seconds: rounded(row.seconds) }));
    const total = calls.reduce((sum, row) => enter(sum, row, row.seconds), nothing());
    return { calls, total: { ...total, seconds: rounded(total.seconds) } };
  }
}

function enter(row, call, seconds) {
  for (const name of COUNTS) row[name] += call[name];
  row.seconds += seconds;
  return row;
}

const rounded = (seconds) => Math.round(seconds * 1e3) / 1e3;
