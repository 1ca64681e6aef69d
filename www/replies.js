/**
 * What a model has replied already of a file, kept in this browser: how much it is, and a way to forget it.
 * Builds are kept by the file's name; what was asked decides what is used again.
 */
import { forgetReplies, keptReplies } from "./pkg/index.js";
import { el } from "./pkg/src/element/dom.js";
import { plural } from "./pkg/src/element/places.js";
import { say } from "./announcer.js";

/** @returns {Promise<string>} in a sentence, what is kept of a file; empty where nothing is */
export async function keptOf(name) {
  const [kept] = await keptReplies(name);
  return kept?.replies > 0 ? `Of ${name}, this browser keeps ${plural(kept.replies, "answer")} of models (${sizeOf(kept.bytes)}).` : "";
}

/** A note on what is kept, which appears once that is known. */
export function keptNote(name) {
  const view = el("div", { class: "kept-replies", hidden: true });
  const tell = async () => {
    const kept = await keptOf(name);
    view.hidden = kept === "";
    view.replaceChildren(el("p", { class: "note" }, `${kept} What was asked is not asked, or paid for, again.`),
      el("p", { class: "actions" }, el("button", { type: "button", on: { click: forget } }, "Forget the replies")));
  };
  const forget = async () => {
    await forgetReplies(name);
    view.replaceChildren(el("p", { class: "note", tabindex: -1 }, "The replies are forgotten."));
    view.firstChild.focus();
    say("The replies are forgotten.");
  };
  tell();
  return view;
}

const sizeOf = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
