/**
 * How an answer was found: the stages in their order, each with what went in, what came out, what it cost
 * and what its words mean; the plotline along the book; who was matched with what. Drawn when unfolded.
 */
import { el } from "./dom.js";
import { fold, note } from "./trace/table.js";
import { stagesOf } from "./trace/stages.js";
import { BY_NAMES, WITHOUT_EVENTS } from "./trace/terms.js";
import { timeline } from "./trace/timeline.js";

/**
 * @param {import("../../index.js").Answer} answer
 * @param {import("./answer.js").View} view
 */
export function how(answer, view) {
  const details = fold({ title: "How this was found", level: "h3", class: "how", part: "how" }, () => {
    const drawn = timeline(answer, view);
    return [
      note("Every step of the search, from the question to the answer. Each unfolds."),
      !drawn && note(nothingDrawn(answer.trace)),
      drawn,
      el("ol", { class: "stages" }, ...stagesOf(answer, view).map((stage) => el("li", {}, stage))),
    ];
  });
  if (view.trace === "open") details.open = true;
  return details;
}

function nothingDrawn({ method }) {
  if (BY_NAMES.includes(method)) return "This method goes by names and by what ties them, not by events, so there is no plotline and no timeline; what it found stands under Associations.";
  return WITHOUT_EVENTS.includes(method)
    ? "This method ranks passages only. It looks at no events, so there is no plotline, no timeline and no matching to show."
    : "No event was raised for this question, so there is no timeline to show.";
}
