// What is measured, with its heading and where it stands among a method's figures; and how figures are written.

/**
 * A measure: `{ key, head, short, name, of }`, a heading for a terminal, one for a page, and all that it is;
 * `of` finds its value among means, intervals or counts.
 */
const measure = (key, head, short, name, of) => ({ key, head, short, name, of });

export const MEASURES = [
  measure("f1", "F1", "F1", "F1 of the answer", ({ f1 }) => f1),
  measure("em", "EM", "exact match", "exact match of the answer", ({ em }) => em),
  measure("acc", "acc", "accuracy", "accuracy of the choice", ({ acc }) => acc),
  measure("claim_acc", "claim", "claims", "accuracy of claims", ({ claim_acc }) => claim_acc),
  measure("pair_acc", "pair", "pairs", "accuracy of pairs of claims", ({ pair_acc }) => pair_acc),
  ...[1, 5, 10, 20].map((k) => measure(`recall_at ${k}`, `@${k}`, `recall @${k}`, `recall of evidence by ${k === 1 ? "the first passage" : `the first ${k} passages`}`, ({ recall_at }) => recall_at[k])),
  ...[1200, 6000].map((b) => measure(`recall_at_tokens ${b}`, `@${b}t`, `recall @${b.toLocaleString("en")} tokens`, `recall of evidence by the passages in ${b.toLocaleString("en")} tokens`, ({ recall_at_tokens }) => recall_at_tokens[b])),
  measure("rouge_l", "R-L", "ROUGE-L", "ROUGE-L of the answer", ({ rouge_l }) => rouge_l),
  measure("recall_context", "ctx", "recall, context", "recall of evidence by the context", ({ recall_context }) => recall_context),
  ...[
    ["correctness", "corr", "correctness", "correctness of the answer, as judged"],
    ["factual", "fact", "facts, F1", "F1 over facts of the answer, as judged"],
    ["similarity", "sim", "likeness", "likeness of the answer and the model answer"],
    ["coverage", "cov", "coverage", "coverage of the model answer's facts, as judged"],
    ["faithfulness", "fait", "faithfulness", "faithfulness of the answer to its context, as judged"],
    ["evidence_recall", "evid", "evidence", "recall of the evidence by the context, as judged"],
    ["context_relevance", "rel", "relevance", "relevance of the context, as judged"],
    ["unread", "unr", "unread", "share of judgements that could not be read"],
  ].map(([key, ...words]) => measure(`judge ${key}`, ...words, ({ judge }) => judge[key])),
];

/** Whether a measure is of a judge. */
export const ofJudge = ({ key }) => key.startsWith("judge ");

export const measureOf = (key) => MEASURES.find((one) => one.key === key);

/** Measures that most files have nothing for: shown only where there is something. */
const seldom = (measure) => ["claim_acc", "pair_acc"].includes(measure.key) || ofJudge(measure);

/** The measures to show of some methods' figures. */
export const shown = (figures) => MEASURES.filter((one) => !seldom(one) || figures.some((method) => one.of(method) !== null));

/** The measures that there are figures of. */
export const measured = (figures) => MEASURES.filter(({ of }) => figures.some((one) => of(one) !== null));

/**
 * The measure that tells methods apart best, of those that there are: with a chat model its answers; without
 * one, whose answers are sentences of the book, what the context holds.
 */
export function telling(document) {
  const order = document.generator === "none"
    ? ["recall_context", "recall_at 5", "f1", "acc"]
    : ["acc", "f1", "claim_acc", "recall_context", "recall_at 5"];
  const there = measured(Object.values(document.methods)).map(({ key }) => key);
  return measureOf(order.find((key) => there.includes(key)) ?? "f1");
}

export const NONE = "–";

/** `.489`, `1.000`, `–`. */
export const share = (value) => (value === null ? NONE : value.toFixed(3).replace(/^(-?)0/, "$1"));

/** `+.021`, `-.300`. */
export const signed = (value) => (value === null ? NONE : `${value < 0 ? "" : "+"}${share(value)}`.replace("+-", "-"));

/** `.356–.633`. */
export const ends = (interval) => (interval === null ? "" : interval.map(share).join("–"));

/** What may be said of a difference: `higher`, `lower`, or nothing. */
export const verdict = (mean, claimed) => (claimed && mean !== null ? (mean > 0 ? "higher" : "lower") : "");

export const whole = (value) => (value === null ? NONE : Math.round(value).toLocaleString("en"));
export const tenths = (value) => (value === null ? NONE : value.toFixed(1));
