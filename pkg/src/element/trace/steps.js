/** The steps of a question that was asked in several: what was thought, what was looked for, what came. */
import { el } from "../dom.js";
import { percent, plural } from "../places.js";
import { figures, note, placeLink } from "./table.js";

/**
 * @param {import("../../../index.js").Trace} trace
 * @param {import("../answer.js").View} view
 */
export const steps = ({ steps: list }, view) => ({ title: "Steps", size: plural(list.length, "step"), of: ["steps", "thought"], draw: () => [
  note("The model looked more than once: after each search it thought about what was still missing, and searched for that. Each step leads to the passages it found first."),
  el("ol", { class: "steps" }, ...list.map(({ thought, query, passages, context_tokens: tokens }) => el("li", {}, figures([
    ["Searched for", query],
    ["Thought", thought],
    ["Context", plural(tokens, "token")],
  ]), el("p", { class: "sources" }, ...passages.map((passage) => placeLink(passage, percent(view.places.position(passage.start)), view)))))),
] });
