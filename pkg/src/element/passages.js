/**
 * The passages, ranked. Each shows its best part first and unfolds to the whole; the part that
 * scored, its focus, is marked.
 */
import { placeButton } from "./answer.js";
import { el } from "./dom.js";
import { plural } from "./places.js";
import { marked, prose } from "./prose.js";

const SHOWN = 4;
const EXCERPT = 280;

/**
 * @param {import("../../index.js").Evidence[]} evidence best first
 * @param {import("./answer.js").View} view
 */
export function passages(evidence, view) {
  const list = el("ol", { class: "passages" },
    ...evidence.slice(0, SHOWN).map((passage) => item(passage, view)));
  const rest = evidence.slice(SHOWN);
  return el("section", { class: "evidence", part: "passages" },
    el("h3", { class: "heading" }, "Passages"),
    el("p", { class: "note" }, `${plural(evidence.length, "passage")}, best first.`),
    list,
    rest.length > 0 && el("button", { class: "quiet-button", part: "button", type: "button", on: { click: (event) => {
      const more = rest.map((passage) => item(passage, view));
      list.append(...more);
      event.currentTarget.remove();
      more[0].querySelector("button").focus();
    } } }, `Show ${rest.length} more`));
}

function item(passage, view) {
  const marks = [{ start: passage.focus.start - passage.start, end: passage.focus.end - passage.start }];
  const words = el("div", { class: "words" }, ...excerpt(passage, marks));
  const whole = passage.text.length > EXCERPT;
  const toggle = whole && el("button", { class: "quiet-button", part: "button", type: "button", "aria-expanded": "false", on: { click: () => {
    const open = toggle.getAttribute("aria-expanded") === "false";
    toggle.setAttribute("aria-expanded", open);
    toggle.textContent = open ? "Show less" : "Show the whole passage";
    words.replaceChildren(...(open ? prose(passage.text, marks) : excerpt(passage, marks)));
  } } }, "Show the whole passage");
  return el("li", { class: "passage", part: "passage" },
    el("p", { class: "sources" }, placeButton(passage, view)), words, toggle);
}

/** Up to `EXCERPT` units of the passage round its mark, and all of the mark, cut between words. */
function excerpt({ text }, [mark]) {
  if (text.length <= EXCERPT) return marked(text, [mark]);
  const wanted = Math.max(0, Math.min(mark.start - 60, text.length - EXCERPT));
  const from = wanted === 0 ? 0 : Math.min(mark.start, text.indexOf(" ", wanted) + 1);
  const limit = Math.max(from + EXCERPT, mark.end);
  const to = limit >= text.length ? text.length : Math.max(mark.end, text.lastIndexOf(" ", limit));
  const inside = { start: mark.start - from, end: mark.end - from };
  return [from > 0 && "…\u00a0", ...marked(text.slice(from, to), [inside]), to < text.length && "\u00a0…"].filter(Boolean);
}
