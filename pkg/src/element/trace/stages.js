/**
 * The stages of one answer in their order. A stage stands here when the trace has something of it, or when
 * that it has nothing is worth knowing; what each word means stands with it, in a line.
 */
import { el } from "../dom.js";
import { percent, plural } from "../places.js";
import { associations } from "./associations.js";
import { costs, spent } from "./cost.js";
import { matching, tiesOf } from "./matching.js";
import { steps } from "./steps.js";
import { figure, figures, fold, note, placeLink, table, verbatim } from "./table.js";
import { BY, MATCHINGS, METHODS, ORIGINS, PROFILES, QUERY_TYPES, spaceName, TIMES, WITHOUT_EVENTS } from "./terms.js";

/**
 * @param {import("../../../index.js").Answer} answer
 * @param {import("../answer.js").View} view
 * @returns {HTMLElement[]}
 */
export function stagesOf(answer, view) {
  const { trace } = answer;
  const tied = trace.anchors.characters.length + trace.anchors.events.length > 0;
  const layered = tied && trace.matching.mode !== ""; // both layers, and the one between them
  const stages = [
    question(trace),
    ...associations(trace),
    trace.facts.length > 0 && facts(trace),
    tied && anchors(trace),
    layered && awakened(trace),
    layered && matched(trace, view),
    layered && filtered(trace, view),
    context(trace),
    trace.steps.length > 1 && steps(trace, view),
    generation(answer, view),
    costs(answer),
  ].filter(Boolean);
  return stages.map(({ title, size, of, draw }) => fold({ title, size: [size, spent(trace, of)].filter(Boolean).join(" · "), class: "stage" }, draw));
}

const both = ({ characters, events }, method) =>
  [plural(characters.length, "character"), !WITHOUT_EVENTS.includes(method) && plural(events.length, "event")].filter(Boolean).join(", ");

function question({ question: asked, method, profile, query_type: type, embedding_space: space, settings }) {
  return { title: "The question", size: type.type && `type ${type.type}`, of: ["question", "query_type"], draw: () => [figures([
    ["Asked", asked],
    ["Method", METHODS[method] ?? method],
    ["Profile", profile && `${profile}: ${PROFILES[profile] ?? ""}`],
    ["Type", type.type && `${type.type}: ${QUERY_TYPES[type.type] ?? ""}; told ${BY[type.by] ?? type.by}; it steers nothing`],
    ["Embedder", space && spaceName(space)],
  ]), note("An embedder turns texts into numbers, so that texts of like meaning can be found."),
  settings.length > 0 && fold({ title: "Settings", size: plural(settings.length, "setting"), level: "span", class: "as-table" }, () => [settingsOf(settings)])] };
}

const settingsOf = (settings) => table("What the search was set to", ["Setting", "Value#", "From"],
  settings.map(({ name, value, from }) => [name, typeof value === "number" ? String(Number(value.toPrecision(4))) : value, ORIGINS[from] ?? from]));

function facts({ facts: list, recognition }) {
  const kept = list.filter((fact) => fact.kept).length;
  return { title: "Facts recognised", size: `${kept} of ${list.length} kept`, of: ["recognise", "recognition", "facts"], draw: () => [
    note(`Statements of the book that are near the question. Those that speak of it point to the characters to begin with. Chosen ${BY[recognition.by] ?? recognition.by}.`),
    kept === 0 && note("None was kept, so the search begins with whom the question names, or with what is nearest to it."),
    table("Facts near the question", ["Fact", "Likeness#", "Kept"], list.map(({ subject, predicate, object, score, kept, reason }) =>
      [`${subject}, ${predicate}, ${object}`, figure(score), kept ? "yes" : reason || "no"])),
  ] };
}

const anchors = ({ anchors: nodes, method }) => ({ title: "Anchors", size: both(nodes, method), of: ["score", "anchor", "walk"], draw: () => [
  note("What the question itself points to: characters (people, groups, places and things) by a walk over who is named together, events by how well they fit."),
  ...nodesOf(nodes, "Anchored"),
] });

const awakened = ({ awakened: nodes, method }) => ({ title: "Awakened", size: both(nodes, method), of: ["awaken"], draw: () => [
  note("What is not in the question but belongs to it: reached from the anchors, since characters and events that go together wake each other."),
  ...nodesOf(nodes, "Awakened"),
] });

/** Scores of the two sides are of different kinds, so they stand in two tables. */
function nodesOf({ characters, events }, what) {
  if (characters.length + events.length === 0) return [note("None.")];
  return [
    characters.length > 0 && table(`${what} characters`, ["Character", "Score#"], characters.map(({ name, score }) => [name, figure(score)])),
    events.length > 0 && table(`${what} events`, ["Event", "Where#", "Score#"], events.map(({ label, position, score }) => [label, percent(position), figure(score)])),
  ];
}

function matched(trace, view) {
  const ties = tiesOf(trace);
  const won = ties.filter(({ matched }) => matched).length;
  return { title: "Matching", size: ties.length > 0 ? `${won} of ${plural(ties.length + trace.matching.omitted, "tie")}` : "no tie", of: ["match", "pair"], draw: (summary) => [
    note(`A tie joins a character and an event that belong together; its weight says how closely. ${MATCHINGS[trace.matching.mode] ?? ""}`),
    ...(ties.length > 0 ? matching(trace, view, summary) : [note("No tie joins the characters and events that were found, so nothing was matched.")]),
  ] };
}

function filtered({ pairs, dropped, filter }, view) {
  return { title: "Filter", size: `${pairs.length} kept, ${dropped.length} left out`, of: ["filter"], draw: () => [
    note(`What serves the question stays, in story order; the rest is left out. Decided ${BY[filter.by] ?? filter.by}. “Linked” is what came by awakening.`),
    filter.scene && el("p", { class: "note" }, `${TIMES[filter.time] ?? filter.time} `, placeLink(filter.scene, filter.scene.label, view), ` (${percent(filter.scene.position)}).`),
    pairs.length > 0 ? table("Kept: the plotline", ["Character", "Event", "Where#", "Weight#"], pairs.map(({ character, event, weight, position }) => [character, event, percent(position), figure(weight)]))
      : note("No matched pair was kept."),
    dropped.length > 0 && table("Left out", ["Character", "Event", "Why"], dropped.map(({ character, event, reason }) => [character || "nobody", event, reason])),
    filter.reply && fold({ title: "What the model said", level: "span", class: "as-table" }, () => [verbatim("What the model said", filter.reply)]),
  ] };
}

function context({ evidence, context: text, context_tokens: tokens }) {
  const scores = evidence.map(({ score }) => score);
  return { title: "Context", size: `${plural(evidence.length, "passage")}, ${plural(tokens, "token")}`, of: ["rank", "evidence", "context"], draw: () => [
    note("The text that an answer is made from, and the passages best first. A token is about three quarters of a word."),
    figures([["Passages", scores.length > 0 && `${scores.length}, scores ${figure(scores[0])} to ${figure(scores.at(-1))}`]]),
    text === "" ? note("It is empty.") : fold({ title: "Show the text", level: "span", class: "as-table" }, () => [verbatim("The context", text)]),
  ] };
}

function generation({ confidence, usage, trace }, { asked }) {
  const call = trace.calls.find(({ stage }) => stage === "generate");
  const words = asked ? "A language model wrote the answer from the context." : "No language model was asked: the answer is the sentence of the book that covers most of the question.";
  return { title: "Answer", size: asked ? plural(call?.completion_tokens ?? usage.completion_tokens, "token") : "by rule", of: ["generate", "answer"], draw: () => [
    note(words),
    figures([
      ["Model", call?.model],
      ["Confidence", confidence !== undefined && `${percent(confidence)}: how much of the question the sentence covers, weighed by experience`],
    ]),
  ] };
}
