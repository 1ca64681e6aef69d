// The document of an evaluation on a terminal.

import { ledgerTable } from "../ledger.js";
import { count, issues, sections, wrap } from "../print.js";
import { bars, byQuestionType, byType, differences, failures, published, scores, sizes, spending } from "./tables.js";

export function people(document) {
  return sections(
    heading(document),
    scores(document),
    byType(document),
    byQuestionType(document),
    differences(document),
    published(document),
    bars(document),
    sizes(document),
    spending(document),
    ledgerTable(document.ledger),
    failures(document),
    toKnow(document),
  );
}

function heading({ questions, books, generator, judge, embedder, index_tokens: { text, knowledge } }) {
  const of = books > 1 ? ` about ${count(books, "book")}` : "";
  const who = embedder === "built-in" ? `generator ${generator}` : `generator ${generator}, embedder ${embedder}`;
  const size = `The ${books > 1 ? "indexes hold" : "index holds"} about ${count(text, "token")} of text and ${count(knowledge, "token")} of what is known of it; what making it cost is not in an index`;
  return `${count(questions, "question")}${of}, ${who}${judge ? `, judge ${judge}` : ""}\n${wrap(size, 2)}`;
}

/** What was left out, and what readers of the answers were told. */
function toKnow({ left_out: out, issues: list, methods }) {
  const told = new Map();
  for (const [name, { issues }] of Object.entries(methods)) {
    for (const [code, times] of Object.entries(issues)) told.set(code, [...(told.get(code) ?? []), `${name} ${times}`]);
  }
  return issues([
    ...out.map(({ what, reason }) => ({ code: "left_out", message: `${what} is left out: ${reason}` })),
    ...list,
    ...[...told].map(([code, runs]) => ({ code, message: `so many answers came with this issue: ${runs.join(", ")}` })),
  ]);
}
