/** What is shown while something is under way: a bar, how far it is, and how to cancel or pause it. */
import { el } from "./pkg/src/element/dom.js";
import { percent } from "./pkg/src/element/places.js";
import { say } from "./announcer.js";

/**
 * @param {string} doing what is under way
 * @param {AbortController} stop aborted by the reader
 * @param {import("./pkg/index.js").Pause} [pause] where it can be paused
 * @returns {{view: HTMLElement, cancel: HTMLElement, show: (share: number, stage: string, more: string) => void}}
 */
export function busy(doing, stop, pause) {
  const bar = el("progress", { max: 1, "aria-labelledby": "own-doing" });
  const words = el("p", { class: "stage" });
  const cancel = el("button", { type: "button", on: { click: () => stop.abort() } }, "Cancel");
  const view = el("div", { class: "busy" }, el("h3", { id: "own-doing" }, doing), bar, words,
    el("p", { class: "actions" }, cancel, pause && pausing(pause)));
  const show = (share, stage, more) => {
    bar.value = share;
    words.textContent = [`${stage} ${percent(share)}`.trim(), more].filter(Boolean).join(" · ");
  };
  return { view, cancel, show };
}

/** A button that pauses and goes on, and says what that means. */
function pausing(pause) {
  const toggle = () => {
    if (pause.paused) pause.resume();
    else pause.pause();
    button.textContent = pause.paused ? "Go on" : "Pause";
    say(pause.paused ? "Paused: no further request is sent." : "Going on.");
  };
  const button = el("button", { type: "button", on: { click: toggle } }, "Pause");
  return button;
}
