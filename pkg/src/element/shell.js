/**
 * The element's standing parts: question box, examples, progress, failure, announcer, an answer that is
 * being written, results. Built once in a shadow root; `show` decides which are visible in which state.
 */
import { el } from "./dom.js";
import { plural } from "./places.js";

const styles = new URL("../../ask-element.css", import.meta.url);

/** @param {HTMLElement} host */
export function shell(host) {
  const ui = {
    label: el("label", { class: "label", part: "label", for: "question" }, "Your question"),
    input: el("input", { class: "input", part: "input", id: "question", type: "text", required: true, autocomplete: "off", enterkeyhint: "search" }),
    examples: el("ul", { class: "examples" }),
    stage: el("span", { class: "stage-name" }),
    meter: el("progress", { class: "meter", part: "progress", "aria-labelledby": "doing", max: 1 }),
    cancel: el("button", { part: "button", type: "button" }, "Cancel"),
    doing: el("span", { id: "doing" }),
    reason: el("p", { class: "reason" }),
    retry: el("button", { part: "button", type: "button" }, "Try again"),
    status: el("p", { class: "quiet", role: "status" }),
    words: el("div"),
    result: el("div", { class: "result", part: "result" }),
  };
  ui.form = el("form", { class: "form", part: "form", role: "search" },
    ui.label,
    el("div", { class: "row" }, ui.input, el("button", { class: "submit", part: "submit", type: "submit" }, "Ask")));
  ui.suggestions = el("div", { class: "suggestions", hidden: true }, el("p", { class: "note" }, "For instance"), ui.examples);
  ui.progress = el("div", { class: "progress", hidden: true },
    el("p", { class: "doing" }, ui.doing, " ", ui.stage), ui.meter, ui.cancel);
  // It is heard once, when it is whole: no live region.
  ui.coming = el("section", { class: "coming", part: "answer", "aria-label": "The answer so far", "aria-busy": "true", hidden: true },
    el("p", { class: "heading" }, "Answer"), ui.words);
  ui.failure = el("div", { class: "failure", part: "failure", hidden: true }, ui.reason, ui.retry);
  ui.box = el("div", { class: "box", part: "box", hidden: true },
    ui.form, el("slot", { name: "controls" }), ui.suggestions, ui.progress, ui.failure, ui.status, ui.coming, ui.result);
  host.attachShadow({ mode: "open" }).append(sheet(ui.box), ui.box);
  return ui;
}

/**
 * One stylesheet by link: it needs no `'unsafe-inline'`, and works in engines that cannot construct
 * sheets. Until it is there the box would be bare, so it is not shown; should it fail, it is.
 */
function sheet(box) {
  const reveal = () => box.removeAttribute("hidden");
  return el("link", { rel: "stylesheet", href: styles, on: { load: reveal, error: reveal } });
}

/** @param {"empty" | "loading" | "failed" | "ready" | "asking" | "unanswered" | "answered"} state */
export function show(ui, state) {
  ui.box.dataset.state = state;
  ui.stage.textContent = "";
  ui.meter.removeAttribute("value");
  ui.progress.hidden = state !== "loading" && state !== "asking";
  ui.doing.textContent = state === "loading" ? "Opening the book" : "Searching the book";
  ui.cancel.hidden = state !== "asking";
  ui.failure.hidden = state !== "failed" && state !== "unanswered";
  ui.retry.hidden = state !== "failed";
  ui.coming.hidden = true;
  ui.words.replaceChildren();
  ui.result.hidden = !["answered", "unanswered", "asking"].includes(state);
  ui.result.setAttribute("aria-busy", state === "asking");
}

/** How far the opening or the search is, or how long a busy server is waited for; how long a model thinks nobody knows. */
export function progress(ui, { stage, done, total, waiting }) {
  const model = stage === "generate";
  const busy = waiting > 0;
  if (ui.coming.hidden && (model || waiting !== undefined)) {
    ui.doing.textContent = busy ? "The model’s server is busy and is waited for" : model ? "Waiting for the language model" : "Searching the book";
  }
  ui.stage.textContent = busy ? plural(Math.ceil(waiting), "second") : model ? "" : stage.replaceAll("_", " ");
  if (model) ui.meter.removeAttribute("value");
  else if (total > 0) ui.meter.setAttribute("value", done / total);
}

/** A model's words come: they stand where the answer before stood. */
export function writes(ui) {
  if (!ui.coming.hidden) return;
  ui.doing.textContent = "The language model is writing";
  ui.coming.hidden = false;
  ui.result.hidden = true;
}

/** The list items of `host` as example questions; each is asked when it is pressed. */
export function suggest(ui, host, ask) {
  const questions = [...host.querySelectorAll("li")].map((item) => item.textContent.trim()).filter(Boolean);
  ui.examples.replaceChildren(...questions.map((question) => el("li", {},
    el("button", { class: "example", part: "example", type: "button", on: { click: () => ask(question) } }, question))));
  ui.suggestions.hidden = questions.length === 0;
}
