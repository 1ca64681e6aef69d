/**
 * The plotline: matched characters and events in story order, as a list, with a drawing of where in
 * the book they stand. The list says everything; the drawing repeats it for the eye.
 */
import { el, svg } from "./dom.js";
import { percent } from "./places.js";

// A longer plotline shows at first only the moments that stand in the best passages.
const SHOWN = 7;

/**
 * @param {import("../../index.js").Trace} trace
 * @param {import("../../index.js").Citation[]} citations
 * @param {import("./answer.js").View} view
 */
export function plotline({ pairs, evidence }, citations, view) {
  const list = el("ol", { class: "moments" }, ...moments(nearest(pairs, evidence), view));
  const more = pairs.length > SHOWN && el("button", { class: "quiet-button", part: "button", type: "button", on: { click: () => {
    list.replaceChildren(...moments(pairs, view));
    more.remove();
    list.querySelector("button").focus();
  } } }, `Show all ${pairs.length} moments`);
  return el("section", { class: "plotline", part: "plotline" },
    el("h3", { class: "heading" }, "Plotline"),
    el("p", { class: "note" }, citations.length > 0
      ? "Who and what lies behind the answer, in the order of the story. "
      : "Who and what comes nearest to the question, in the order of the story. ",
    "In bold, whom or what a moment is told of; beside it, in a word or two, what happens, and who else is in it."),
    strip(pairs, citations, view.places),
    list, more);
}

const moments = (pairs, view) => pairs.map((pair, at) => moment(pair, pairs[at - 1], view));

/** The pairs whose events stand in the best passages, still in story order. */
function nearest(pairs, evidence) {
  const rank = (pair) => {
    const at = evidence.findIndex(({ start, end }) => start <= pair.start && pair.start < end);
    return at < 0 ? evidence.length : at;
  };
  const kept = new Set([...pairs].sort((a, b) => rank(a) - rank(b)).slice(0, SHOWN));
  return pairs.filter((pair) => kept.has(pair));
}

/** One pair; it names its chapter when the one before it stands in another. */
function moment(pair, before, view) {
  const chapter = chapterOf(pair, view);
  return el("li", { class: "moment", part: "moment" },
    chapter !== "" && (!before || chapterOf(before, view) !== chapter) && el("p", { class: "chapter-name" }, chapter),
    el("p", { class: "who" },
      el("strong", { class: "character" }, pair.character),
      el("span", { class: "event" }, labelOf(pair))),
    el("p", { class: "details" }, pair.details),
    el("p", { class: "sources" },
      el("button", { class: "place", part: "citation", type: "button", on: { click: (event) => view.open(pair, event.currentTarget) } },
        el("span", { class: "chapter" }, `Open at ${percent(pair.position)}`),
        chapter !== "" && el("span", { class: "quiet" }, `, ${chapter}`))));
}

const chapterOf = ({ start }, { places }) => places.chapter(start);

/** A label such as `journey: Ida, Corin` without the character shown beside it. */
function labelOf({ event, character }) {
  const [kind, names] = event.split(": ");
  const others = names?.split(", ").filter((name) => name !== character) ?? [];
  return others.length > 0 ? `${kind}: ${others.join(", ")}` : kind;
}

/** The book as a line, its chapters as notches, each pair as a dot, the answer as a flag. */
function strip(pairs, citations, places) {
  const x = (position) => `${1.5 + position * 97}%`;
  return svg("svg", { class: "strip", width: "100%", height: 34, "aria-hidden": "true", focusable: "false" },
    svg("line", { class: "book", x1: x(0), x2: x(1), y1: 22, y2: 22 }),
    ...places.chapters.slice(1).map(({ start }) => {
      const at = x(places.position(start));
      return svg("line", { class: "notch", x1: at, x2: at, y1: 16, y2: 28 });
    }),
    ...pairs.map(({ position }) => svg("circle", { class: "dot", cx: x(position), cy: 22, r: 5.5 })),
    ...citations.map(({ start }) => svg("svg", { x: x(places.position(start)), overflow: "visible" },
      svg("path", { class: "flag", d: "M0 14l-6 -10h12z" }))));
}
