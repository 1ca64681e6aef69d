// The document of an evaluation, from the rows of its runs: what `--json` prints and both reports are made of.

import { CLOSED_BOOK, described } from "./runs.js";

/** What judging gives, in the words of the document. */
const JUDGED = "correctness, factual, similarity, coverage, faithfulness, evidence_recall, context_relevance";

const TYPES = ["char", "plot", "mix"];

/** Everything that is known once all questions are answered. */
export function document({ ledger, module, listed, books, runs: all, models, judge, sizes, strays, table, contextTokens, steps }) {
  const runs = all.filter(({ lacking }) => !lacking);
  const known = new Map(runs.map((run) => [run.name, run]));
  const differences = runs
    .filter(({ against }) => known.has(against))
    .map(({ name, against, rows }) => ({ of: name, against, ...module.compare(rows, known.get(against).rows) }));
  return {
    questions: listed.length,
    generator: models.chat?.model ?? "none",
    judge: judge?.endpoint?.model ?? null,
    embedder: models.embed?.model ?? "built-in",
    books: books.length,
    index_tokens: { text: sum(sizes, "text"), knowledge: sum(sizes, "knowledge") },
    context_tokens: contextTokens ?? 6000,
    steps: steps ?? 1,
    table: table === undefined ? null : Number(table),
    runs: runs.map(described),
    methods: Object.fromEntries(runs.map(({ name, rows }) => [name, module.summarise(rows)])),
    differences,
    ledger,
    left_out: [...leftOut(listed, models, judge), ...all.filter(({ lacking }) => lacking).map(({ name, lacking }) => ({ what: name, reason: lacking }))],
    issues: [...strays, ...issuesOf(listed), ...issuesOfRuns(runs, models), ...issuesOfJudge(models, judge)],
  };
}

const sum = (sizes, key) => sizes.reduce((all, size) => all + size[key], 0);

/** What would need a chat model: left out rather than given as a zero. */
function leftOut(listed, models, judge) {
  const unjudged = judge && !judge.endpoint ? [{ what: JUDGED, reason: "judging needs a chat model" }] : [];
  if (models.chat) return unjudged;
  const claims = listed.filter(({ claim }) => claim).length;
  return [
    ...unjudged,
    { what: CLOSED_BOOK, reason: "needs a chat model" },
    ...(claims ? [{ what: "claim_acc, pair_acc", reason: `judging ${claims} claims needs a chat model` }] : []),
  ];
}

function issuesOf(listed) {
  const odd = listed.filter(({ type }) => type !== null && !TYPES.includes(type)).length;
  const pairs = new Map();
  for (const { book, pair } of listed) {
    const key = JSON.stringify([book, pair]);
    if (pair !== null) pairs.set(key, (pairs.get(key) ?? 0) + 1);
  }
  const alone = [...pairs.values()].filter((claims) => claims === 1).length;
  return [
    ...(odd ? [{ code: "type_unknown", message: `${odd} of the questions have a type other than ${TYPES.join(", ")}, and stand in no table by type` }] : []),
    ...(alone ? [{ code: "pair_alone", message: `${alone} of the pairs have only one claim here, and count in no pair accuracy` }] : []),
  ];
}

/** A judge that reads its own words. */
function issuesOfJudge({ chat }, judge) {
  const own = chat && judge?.endpoint && chat.url === judge.endpoint.url && chat.model === judge.endpoint.model;
  return own ? [{ code: "judge_own", message: `${chat.model} judges its own answers, and models favour their own words; --judge-url and --judge-model name another judge` }] : [];
}

/** Where the runs cannot show what the paper's tables show. */
function issuesOfRuns(runs, models) {
  const offline = ({ options }) => !models.embed && (options.config?.profile ?? "auto") !== "paper";
  const ablated = runs.some((run) => run.options.ablate && (run.options.method ?? "pons") === "pons" && offline(run));
  const absolute = runs.some(({ sweep }) => sweep?.key.split("/").includes("tau")) && !models.embed;
  return [
    ...(ablated ? [{ code: "profile_offline", message: "these runs of PonsRAG are in the offline profile, where events rank the evidence by their own scores, so leaving out a part changes next to nothing of it; --set profile=paper runs the paper's own path" }] : []),
    ...(absolute ? [{ code: "tau_absolute", message: "tau is a cosine, and the built-in embedder's are on another scale than the paper's embedder's: the same values leave far fewer edges here" }] : []),
  ];
}
