/**
 * Who was matched with what: characters on one side, events in story order on the other, a line for each
 * tie as wide as its weight. The matched ones are strong, the candidates faint. The table says the same,
 * and comes first. Names are laid out as text beside the lines, so that any width cuts them, not letters.
 */
import { el, svg } from "../dom.js";
import { percent, plural } from "../places.js";
import { figure, fold, placeLink, table } from "./table.js";

const ROW = 28; // the height of a name
const WIDEST = 7;

/**
 * The ties of a trace, the matched ones first.
 * @param {import("../../../index.js").Trace} trace
 */
export const tiesOf = ({ matching }) => [...matching.edges].sort((a, b) => b.matched - a.matched || b.weight - a.weight);

/**
 * @param {import("../../../index.js").Trace} trace
 * @param {import("../answer.js").View} view
 * @param {HTMLElement} summary what the reader comes back to from a passage
 * @returns {HTMLElement[]}
 */
export function matching(trace, view, summary) {
  const ties = tiesOf(trace);
  if (ties.length === 0) return [];
  const { omitted } = trace.matching;
  return [
    fold({ title: "The ties as a table", size: "", level: "span", class: "as-table" }, () => [tableOf(ties, view)]),
    omitted > 0 && el("p", { class: "note" }, `The heaviest are shown; ${plural(omitted, "more tie")} left out.`),
    drawing(ties, view, summary),
  ];
}

const tableOf = (ties, view) => table("Ties between characters and events", ["Character", "Event", "Weight#", "Matched"], ties.map((tie) => [
  tie.character, placeLink(tie, tie.event, view, percent(tie.position)), figure(tie.weight), tie.matched ? "yes" : "no",
]));

function drawing(ties, view, summary) {
  const events = [...new Map(ties.map((tie) => [tie.start, tie])).values()].sort((a, b) => a.position - b.position || a.start - b.start);
  const characters = arranged(ties, events);
  const rows = Math.max(events.length, characters.length);
  const matched = (holds) => ties.some((tie) => tie.matched && holds(tie));
  const side = (kind, items) => el("div", { class: `side ${kind}` }, ...items);
  return el("div", { class: "drawing matching", "aria-hidden": "true" },
    side("characters", characters.map((name) => el("span", { class: matched(({ character }) => character === name) ? "matched" : null, title: name }, name))),
    lines(ties, characters, events, rows),
    side("events", events.map((event) => el("span", {
      class: matched(({ start }) => start === event.start) ? "matched" : null,
      title: `${event.event}, ${percent(event.position)}`, on: { click: () => view.open(event, summary) },
    }, event.event))));
}

/** Characters by where their events stand, matched ties before others: few lines cross. */
function arranged(ties, events) {
  const places = new Map(events.map(({ start }, at) => [start, at]));
  const names = [...new Set(ties.map(({ character }) => character))];
  const middle = (name) => {
    const all = ties.filter(({ character }) => character === name);
    const matched = all.filter(({ matched }) => matched);
    const counted = matched.length > 0 ? matched : all;
    return counted.reduce((sum, { start }) => sum + places.get(start), 0) / counted.length;
  };
  const order = new Map(names.map((name) => [name, middle(name)]));
  return names.sort((a, b) => order.get(a) - order.get(b));
}

/** The box is 100 wide and 100 high whatever its size: both sides spread their names evenly over it. */
function lines(ties, characters, events, rows) {
  const heaviest = Math.max(...ties.map(({ weight }) => weight));
  const level = (list, at) => ((at + .5) / list.length) * 100;
  const draw = (tie) => {
    const from = level(characters, characters.indexOf(tie.character));
    const to = level(events, events.findIndex(({ start }) => start === tie.start));
    return svg("path", {
      class: tie.matched ? "tie matched" : "tie", d: `M0 ${from.toFixed(2)}C50 ${from.toFixed(2)} 50 ${to.toFixed(2)} 100 ${to.toFixed(2)}`,
      "stroke-width": (1 + (WIDEST - 1) * (heaviest > 0 ? tie.weight / heaviest : 0)).toFixed(2), "vector-effect": "non-scaling-stroke",
    }, svg("title", {}, `${tie.character} and ${tie.event}: ${figure(tie.weight)}${tie.matched ? ", matched" : ""}`));
  };
  return svg("svg", { class: "ties", viewBox: "0 0 100 100", preserveAspectRatio: "none", height: rows * ROW, focusable: "false" },
    ...[...ties].reverse().map(draw)); // the matched ones on top
}
