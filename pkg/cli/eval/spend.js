// Spending: every call within what is left of the budget, and entered in one ledger, also where it fails.

import { equipped } from "../../src/models.js";

/** Runs `work` with the models it may ask; it gives what asking cost. */
export async function spend({ limits, budgetTokens, ledger }, models, work) {
  const { prompt_tokens: sent, completion_tokens: received } = ledger.document.total;
  const left = budgetTokens === undefined ? undefined : Math.max(0, budgetTokens - sent - received);
  try {
    ledger.add(await work(equipped(models, { limits, budgetTokens: left })));
  } catch (thrown) {
    const before = ledger.document.calls.map((call) => ({ ...call, ms: call.seconds * 1e3 }));
    if (thrown?.details) thrown.details.calls = [...before, ...(thrown.details.calls ?? [])];
    throw thrown;
  }
}
