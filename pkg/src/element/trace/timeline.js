/**
 * The events of one retrieval along the book: a lane for what the question touched, for what that reached,
 * for what was kept and for what was left out. The table says the same, and comes first; the drawing is
 * for the eye and the mouse. Widths are shares of the room there is, so nothing is measured.
 */
import { svg } from "../dom.js";
import { percent, plural } from "../places.js";
import { mark } from "./marks.js";
import { raised } from "./raised.js";
import { fold, note, placeLink, table } from "./table.js";
import { FATES, RAISED } from "./terms.js";

const LANES = [
  { kind: "anchor", title: "Anchors: what the question points to", holds: ({ by }) => by === "anchor" },
  { kind: "awakened", title: "Awakened: what the anchors led to", holds: ({ by }) => by === "awakened" },
  { kind: "kept", title: "Kept: the plotline", holds: ({ fate }) => fate === "kept" },
  { kind: "dropped", title: "Left out", holds: ({ fate }) => fate === "dropped" },
];
const LANE = 40; // the height of one
const BOOK = LANES.length * LANE + 12; // where the line of the book is
const HEIGHT = BOOK + 28;

/**
 * @param {import("../../../index.js").Answer} answer
 * @param {import("../answer.js").View} view
 * @returns {HTMLElement | undefined} nothing where no event was raised
 */
export function timeline({ trace, citations }, view) {
  const events = raised(trace);
  if (events.length === 0) return undefined;
  const kept = events.filter(({ fate }) => fate === "kept").length;
  return fold({ title: "Timeline", size: `${plural(events.length, "event")}, ${kept} kept`, class: "timeline", part: "timeline" }, (summary) => [
    note("Where in the book the events stand that were looked at, and what became of each. An event is a few sentences in which something happens."),
    fold({ title: "The same as a table", size: "", level: "span", class: "as-table" }, () => [tableOf(events, view)]),
    drawing(events, citations, view, summary),
  ]);
}

/** What raised an event and what became of it, in words. */
export function story({ by, fate, characters, reason }) {
  const partner = characters.length > 0 && fate !== "none" && ` with ${characters.join(", ")}`;
  return [RAISED[by], `${FATES[fate]}${partner || ""}`].filter(Boolean).join(", ") + (reason ? `: ${reason}` : "");
}

const tableOf = (events, view) => table("Events in story order", ["Event", "Where#", "What became of it"], events.map((event) => [
  placeLink(event, event.label, view),
  percent(event.position),
  story(event),
]));

/** `summary` is what the reader comes back to from a passage. */
function drawing(events, citations, view, summary) {
  const opens = (span) => () => view.open(span, summary);
  return svg("svg", { class: "drawing", width: "100%", height: HEIGHT, "aria-hidden": "true", focusable: "false" },
    book(view), ...links(events),
    ...LANES.flatMap(({ kind, title, holds }, at) => [
      svg("text", { class: "lane", x: 0, y: at * LANE + 11 }, title),
      ...lane(events.filter(holds), at, (event, y) =>
        mark(kind, { x: across(event.position), y, title: `${event.label}, ${percent(event.position)}: ${story(event)}`, open: opens(event) })),
    ]),
    ...citations.map((citation) => mark("answer", {
      x: across(view.places.position(citation.start)), y: BOOK - 10, title: `The answer, ${percent(view.places.position(citation.start))}`, open: opens(citation),
    })));
}

/** The marks of one lane, or the word that there are none. */
function lane(events, at, draw) {
  const y = middle(at);
  if (events.length === 0) return [svg("text", { class: "none", x: across(0), y: y + 4 }, "none")];
  return [svg("line", { class: "rail", x1: across(0), x2: across(1), y1: y, y2: y }), ...events.map((event) => draw(event, y))];
}

/** From the lane that raised an event down to the lane where it ended. */
const links = (events) => events.filter(({ by, fate }) => by && fate !== "none").map(({ position, by, fate }) => {
  const [from, to] = [by, fate].map((kind) => LANES.findIndex((lane) => lane.kind === kind));
  return svg("line", { class: "link", x1: across(position), x2: across(position), y1: middle(from), y2: middle(to) });
});

/** The book as a line with a notch for each chapter; after the reading position it is only dashed. */
function book({ places, reach = 1 }) {
  const line = (kind, from, to) => svg("line", { class: kind, x1: across(from), x2: across(to), y1: BOOK, y2: BOOK });
  const read = places.chapters.map(({ start, title }) => ({ at: places.position(start), title })).filter(({ at }) => at < reach);
  return svg("g", { class: "book" },
    ...read.map(({ at, title }, index) => chapter(at, read[index + 1]?.at ?? reach, title)),
    line("read", 0, reach), reach < 1 && line("unread", reach, 1),
    ...[0, .25, .5, .75, 1].map((share) =>
      svg("text", { x: across(share), y: HEIGHT - 4, "text-anchor": share === 0 ? "start" : share === 1 ? "end" : "middle" }, percent(share))),
    reach < 1 && svg("line", { class: "reach", x1: across(reach), x2: across(reach), y1: 16, y2: BOOK + 8 }),
    reach < 1 && svg("text", { class: "reach", x: across(reach), y: BOOK - 8, dx: reach > .5 ? -6 : 6, "text-anchor": reach > .5 ? "end" : "start" }, "read to here"));
}

/** A notch, and room beneath the lanes that tells the chapter's title. */
const chapter = (from, to, title) => svg("g", {},
  svg("line", { class: "notch", x1: across(from), x2: across(from), y1: BOOK - 5, y2: BOOK + 5 }),
  svg("rect", { class: "around", x: across(from), y: BOOK - 12, width: `${(to - from) * 96}%`, height: 24 }, title && svg("title", {}, title)));

const middle = (lane) => lane * LANE + 26;
const across = (position) => `${2 + position * 96}%`;
