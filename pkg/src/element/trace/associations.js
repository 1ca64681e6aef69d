/**
 * What CodaRAG and LightRAG found: what the question calls to mind, who and what that leads to and by which
 * ways, what ties them, and what was taken out again. A table first, then the drawing of the same.
 */
import { told } from "../../eliminated.js";
import { el } from "../dom.js";
import { plural } from "../places.js";
import { arcs } from "./arcs.js";
import { sign } from "./marks.js";
import { figure, figures, fold, note, table } from "./table.js";
import { BY, VIA } from "./terms.js";

/**
 * The stages of a trace with cues, in their order.
 * @param {import("../../../index.js").Trace} trace
 */
export function associations(trace) {
  if (!trace.cues.by) return [];
  return [cues(trace), associated(trace), trace.method === "coda" && eliminated(trace)].filter(Boolean);
}

const cues = ({ cues: { high, low, by } }) => ({ title: "Cues", size: plural(new Set([...high, ...low]).size, "cue"), of: ["cues"], draw: () => [
  note(`What the question calls to mind: in large, what it is about; in small, whom and what it names. Told ${CUED[by] ?? BY[by] ?? by}.`),
  figures([["In large", high.join(", ") || "nothing"], ["In small", low.join(", ") || "nothing"]]),
] });

const CUED = { off: "by nobody: the question itself stands for both" };

function associated(trace) {
  const { entities, relations } = trace;
  const ways = new Set(entities.flatMap(({ via }) => via));
  return { title: "Associations", size: `${plural(entities.length, "name")}, ${plural(relations.length, "relation")}`, of: ["seed", "navigate", "fuse", "hop"], draw: () => [
    note("Who and what the cues lead to, and by which ways. One that several ways reach stands further up. The number after a way says at which place it came there."),
    entities.length === 0 ? note("The cues lead to nobody and nothing of the book.")
      : legend([...Object.keys(VIA)].filter((way) => ways.has(way))),
    entities.length > 0 && table("Names, best first", ["Name", "Reached", "Score#"], entities.map(({ name, via, places, score }) => [name, reached(via, places), figure(score)])),
    relations.length > 0 && fold({ title: "Relations between them, as a table", level: "span", class: "as-table" }, () => [tableOf(relations)]),
    arcs(trace),
  ] };
}

const legend = (ways) => el("ul", { class: "ways" }, ...ways.map((way) => el("li", {}, sign(way), el("b", {}, VIA[way][0]), ` ${VIA[way][1]}`)));

/** Each way with its mark, its word and the place. */
const reached = (via, places) => el("span", { class: "reached" }, ...via.map((way, at) => el("span", { class: "way" }, sign(way), `${VIA[way]?.[0] ?? way} ${places[at] ?? ""}`.trim())));

const tableOf = (relations) => table("Relations, best first", ["Between", "What is told", "Score#", "Weight#"], relations.map(({ source, target, keywords, description, score, weight }) => [
  `${source} and ${target}${keywords.length > 0 ? `: ${keywords.join(", ")}` : ""}`, description, figure(score), figure(weight),
]));

function eliminated({ eliminated: list, entities }) {
  const { gone, crowded, back } = told(list);
  const size = [`${gone.length} left out`, crowded > 0 && `${crowded} without room`, back > 0 && `${back} put back`].filter(Boolean).join(", ");
  return { title: "Taken out", size: list.length === 0 ? "nothing" : size, of: ["eliminate"], draw: () => [
    note("What the cues lead to but the question does not need would mislead whoever answers, so it is taken out. What the rest would fall apart without is put back."),
    list.length === 0 ? note(entities.length === 0 ? "There was nothing to take out." : "Everything was kept.")
      : table("Taken out, and why", ["What", "Why", "Became"], list.map(({ entity, source, target, reason, restored }) => [
        entity || `${source} and ${target}`, reason, restored ? "put back: it holds the others together" : "left out"])),
  ] };
}
