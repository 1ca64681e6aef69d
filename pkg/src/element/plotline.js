/**
 * The plotline: matched characters and events in story order, as a list, with a drawing of where in
 * the book they stand. The list says everything; the drawing repeats it for the eye.
 */
import { el, svg } from "./dom.js";
import { percent } from "./places.js";

/**
 * @param {import("../../index.js").Pair[]} pairs in story order
 * @param {import("../../index.js").Citation[]} citations
 * @param {import("./answer.js").View} view
 */
export function plotline(pairs, citations, view) {
  return el("section", { class: "plotline", part: "plotline" },
    el("h3", { class: "heading" }, "Plotline"),
    el("p", { class: "note" }, "Who and what lies behind the answer, in the order of the story."),
    strip(pairs, citations, view.places),
    el("ol", { class: "moments" }, ...pairs.map((pair, at) => moment(pair, pairs[at - 1], view))));
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

/** A label that names its event by the character repeats the name shown beside it: cut it there. */
const labelOf = ({ event, character }) => (event.endsWith(`: ${character}`) ? event.slice(0, -character.length - 2) : event);

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
