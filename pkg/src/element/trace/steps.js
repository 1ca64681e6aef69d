/** The steps of a question that was asked in several: what was thought, what was looked for, what came. */
import { el } from "../dom.js";
import { plural } from "../places.js";
import { figures, note } from "./table.js";

/** @param {import("../../../index.js").Trace} trace */
export const steps = ({ steps: list }) => ({ title: "Steps", size: plural(list.length, "step"), of: ["steps", "thought"], draw: () => [
  note("The model looked more than once: after each search it thought about what is still missing, and searched for that."),
  el("ol", { class: "steps" }, ...list.map(({ thought, query, passages, context_tokens: tokens }) => el("li", {}, figures([
    ["Searched for", query],
    ["Found", `${plural(passages.length, "passage")}, ${plural(tokens, "token")} of context`],
    ["Thought", thought],
  ])))),
] });
