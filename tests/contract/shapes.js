// The shapes of the documents: every key that is promised, with its kind. Keys may be added.

import { ok } from "./assert.js";

const T = "string";
const N = "number";
const SPAN = { start: N, end: N };
const ISSUES = [{ code: T, message: T }];
const CHAPTERS = [{ title: T, ...SPAN }];
const COUNTS = { chunks: N, entities: N, mentions: N, triples: N, relations: N, events: N, clusters: N, pons_edges: N, ubiquitous: N };
const SPACES = [{ id: T, dims: N, encoding: T, tau: N, quantile: N, pons_edges: N, d_cross: N, synonyms: N }];
const NODES = { characters: [{ name: T, score: N }], events: [{ label: T, score: N, position: N, ...SPAN }] };

export const INFO = {
  title: T, author: T, language: T, text_length: N, chapters: CHAPTERS, counts: COUNTS,
  embedding_spaces: SPACES, empty: [T], issues: ISSUES,
};

export const INSPECT = {
  title: T, counts: COUNTS, d_cross: N, embedding_spaces: SPACES, bytes: N, empty: [T],
  entities: [{ name: T, type: T, aliases: [T], known_from: [N], mentions: N, chunks: N, description: T }],
  merges: [{ one: T, other: T, verdict: T, by: T, reason: T, evidence: N }],
  events: [{ label: T, details: T, chunk: N, ...SPAN, position: N }],
  issues: ISSUES,
};

const STAGE = { stage: T, requests: N, prompt_tokens: N, completion_tokens: N, requests_range: [N], prompt_range: [N], completion_range: [N] };
export const ESTIMATE = { stages: [STAGE], total: STAGE, issues: ISSUES };

const SPENT = { requests: N, prompt_tokens: N, completion_tokens: N, cached: N, retried: N, estimated: N, seconds: N };
export const LEDGER = { calls: [{ stage: T, model: T, ...SPENT }], total: SPENT };
export const COVERAGE = { chunks: N, read: N, unread: [{ chunk: N, stage: T, code: T, why: T }], ungrounded: { entities: N, triples: N, events: N } };

export const CHUNKS = {
  title: T, author: T, language: T, text_length: N, chapters: CHAPTERS,
  chunks: [{ id: N, chapter: N, ...SPAN, tokens: N, text: T }],
  skips: [{ ...SPAN, reason: T }],
  issues: ISSUES,
};

export const TRACE = {
  method: T, profile: T, question: T, embedding_space: T, settings: [{ name: T, from: T }], recognition: { by: T },
  facts: [{ subject: T, predicate: T, object: T, score: N, kept: "boolean", reason: T }], anchors: NODES, awakened: NODES,
  matching: { mode: T, edges: [{ character: T, event: T, weight: N, matched: "boolean", position: N, ...SPAN }], omitted: N },
  pairs: [{ character: T, type: T, event: T, details: T, weight: N, chunk: N, position: N, ...SPAN }],
  dropped: [{ character: T, event: T, reason: T, position: N, ...SPAN }],
  query_type: { type: T, by: T },
  filter: { by: T, reply: T, time: T },
  steps: [{ thought: T, query: T, passages: [{ chunk: N, ...SPAN, score: N }], context_tokens: N }],
  cues: { high: [T], low: [T], by: T },
  entities: [{ name: T, score: N, via: [T], places: [N] }],
  relations: [{ source: T, target: T, keywords: [T], description: T, score: N, weight: N }],
  eliminated: [{ entity: T, source: T, target: T, reason: T, restored: "boolean" }],
  evidence: [{ chunk: N, ...SPAN, text: T, score: N, focus: SPAN }],
  calls: [{ stage: T, model: T, requests: N, prompt_tokens: N, completion_tokens: N, retried: N, cached: N, estimated: N, ms: N }],
  context: T, context_tokens: N, timings_ms: {}, issues: ISSUES,
};

export const CITATIONS = [{ ...SPAN, quote: T, chapter: N }];
export const USAGE = { requests: N, prompt_tokens: N, completion_tokens: N };
export const ANSWER = { text: T, citations: CITATIONS, usage: USAGE, issues: ISSUES, trace: TRACE };

/** The document that the command line prints for `ask`. */
export const ASKED = { ...TRACE, answer: { text: T, citations: CITATIONS }, usage: USAGE };

/** Throws unless the value has all keys of the shape, of the right kind, all the way down. */
export function fits(value, shape, path = "result") {
  if (typeof shape === "string") return ok(typeof value === shape, `${path} is a ${shape}, not ${typeof value}`);
  if (Array.isArray(shape)) {
    ok(Array.isArray(value), `${path} is an array`);
    if (shape.length) value.forEach((item, at) => fits(item, shape[0], `${path}[${at}]`));
    return;
  }
  ok(value !== null && typeof value === "object" && !Array.isArray(value), `${path} is an object`);
  for (const [key, inner] of Object.entries(shape)) {
    ok(Object.hasOwn(value, key), `${path} has ${key}`);
    fits(value[key], inner, `${path}.${key}`);
  }
}
