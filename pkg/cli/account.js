// The account of an index, `novel.ledger.json` beside `novel.plot.json`: what its models cost, over all runs
// that it took.
//
// A run adds what it spent, however it ended. The account is begun anew by `--fresh`, and by a run that
// replaces an index whose replies are no more: nothing of what was paid for goes into what that one makes.

import { readFile } from "node:fs/promises";

import { Ledger } from "../src/ledger.js";
import { checkOutput, writeWhole } from "./files.js";

export class Account {
  #place;
  #ledger = new Ledger();

  /**
   * The account beside an index made of `input`; `anew` leaves out what earlier runs spent. Throws where it could
   * not be written: before anything is asked, not after.
   */
  static async beside(index, input, anew) {
    const account = new Account();
    account.#place = await checkOutput(`${index.replace(/(\.plot)?\.json$/i, "")}.ledger.json`, input);
    if (!anew) account.#ledger.add(await callsIn(account.#place.path));
    return account;
  }

  /** Enters what a run asked of models and writes the file; none where nothing was asked. */
  async enter(calls) {
    const { calls: rows } = this.#ledger.add(calls).document;
    if (rows.length) await writeWhole(this.#place, `${JSON.stringify(this.#ledger.document, null, 1)}\n`);
  }
}

/** The rows of a ledger's file; none of a file that is no ledger. */
async function callsIn(path) {
  try {
    const { calls } = JSON.parse(await readFile(path, "utf8"));
    return Object.values(new Ledger().add(calls).document.total).every(Number.isFinite) ? calls : [];
  } catch {
    return [];
  }
}
