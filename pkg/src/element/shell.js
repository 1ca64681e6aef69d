/**
 * The element's standing parts: question box, examples, progress, failure, announcer, results. Built
 * once in a shadow root; `show` decides which are visible in which state.
 */
import { el } from "./dom.js";

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
    result: el("div", { class: "result", part: "result" }),
  };
  ui.form = el("form", { class: "form", part: "form", role: "search" },
    ui.label,
    el("div", { class: "row" }, ui.input, el("button", { class: "submit", part: "submit", type: "submit" }, "Ask")));
  ui.suggestions = el("div", { class: "suggestions", hidden: true }, el("p", { class: "note" }, "For instance"), ui.examples);
  ui.progress = el("div", { class: "progress", hidden: true },
    el("p", { class: "doing" }, ui.doing, " ", ui.stage), ui.meter, ui.cancel);
  ui.failure = el("div", { class: "failure", part: "failure", hidden: true }, ui.reason, ui.retry);
  ui.box = el("div", { class: "box", part: "box", hidden: true },
    ui.form, el("slot", { name: "controls" }), ui.suggestions, ui.progress, ui.failure, ui.status, ui.result);
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
  ui.progress.hidden = state !== "loading" && state !== "asking";
  ui.doing.textContent = state === "loading" ? "Opening the book" : "Searching the book";
  ui.cancel.hidden = state !== "asking";
  ui.failure.hidden = state !== "failed" && state !== "unanswered";
  ui.retry.hidden = state !== "failed";
  ui.result.hidden = state !== "answered" && state !== "asking";
  ui.result.setAttribute("aria-busy", state === "asking");
}
