/**
 * Names in a column, best first, and an arc for each relation between two of them, as wide as its weight;
 * what was taken out stands below, faint and struck through. The tables say the same, and come first. Names
 * are text beside the drawing, so that any width cuts them, not letters.
 */
import { el, svg } from "../dom.js";
import { note } from "./table.js";
import { sign } from "./marks.js";

const MOST = 24; // more rows cannot be followed
const GONE = 6; // of them, what was taken out
const ROW = 28; // the height of a name
const WIDEST = 6;

/**
 * The drawing; nothing where no two names are tied.
 * @param {import("../../../index.js").Trace} trace
 * @returns {HTMLElement | undefined}
 */
export function arcs({ entities, relations, eliminated }) {
  const kept = entities.map(({ name, via }) => ({ name, via, gone: false }));
  const gone = eliminated.filter(({ entity, restored }) => entity && !restored).map(({ entity }) => ({ name: entity, via: [], gone: true }));
  const shown = gone.slice(0, GONE);
  const rows = [...kept.slice(0, MOST - shown.length), ...shown];
  const place = new Map(rows.map(({ name }, at) => [name, at]));
  const ties = relations.filter(({ source, target }) => place.has(source) && place.has(target));
  if (ties.length === 0) return undefined;
  const tied = new Set(ties.flatMap(({ source, target }) => [source, target]));
  const left = kept.length + gone.length - rows.length;
  const key = `An arc joins two names that a relation ties.${gone.length > 0 ? " Struck through is what was taken out again." : ""}`;
  return el("div", {}, note(left > 0 ? `${key} Here are ${rows.length} of ${kept.length + gone.length} names.` : key),
    el("div", { class: "drawing arcs", "aria-hidden": "true" },
      el("div", { class: "side" }, ...rows.map(({ name, via, gone }) => el("span", { class: gone ? "gone" : tied.has(name) ? "matched" : null, title: name }, ...via.map(sign), name))),
      lines(ties, place, rows.length)));
}

/** The box is 100 wide and 100 high whatever its size, as the names spread evenly over its height. */
function lines(ties, place, rows) {
  const heaviest = Math.max(...ties.map(({ weight }) => weight));
  const level = (name) => ((place.get(name) + .5) / rows) * 100;
  const draw = ({ source, target, keywords, weight }) => {
    const [from, to] = [level(source), level(target)].sort((a, b) => a - b);
    const out = (12 + 88 * ((to - from) / 100)).toFixed(2); // the farther apart, the wider the arc
    return svg("path", {
      class: "tie matched", d: `M0 ${from.toFixed(2)}C${out} ${from.toFixed(2)} ${out} ${to.toFixed(2)} 0 ${to.toFixed(2)}`,
      "stroke-width": (1 + (WIDEST - 1) * (heaviest > 0 ? weight / heaviest : 0)).toFixed(2), "vector-effect": "non-scaling-stroke",
    }, svg("title", {}, `${source} and ${target}${keywords.length > 0 ? `: ${keywords.join(", ")}` : ""}`));
  };
  return svg("svg", { class: "ties", viewBox: "0 0 100 100", preserveAspectRatio: "none", height: rows * ROW, focusable: "false" }, ...ties.map(draw));
}
