/** A tick box or radio button with its words beside it, all of which can be pressed. */
import { el } from "./pkg/src/element/dom.js";

/**
 * @param {HTMLInputElement} control
 * @param {string} label
 * @param {string} [note] what it means
 */
export const box = (control, label, note) => el("label", { class: "box" }, control,
  el("span", {}, el("span", { class: "box-name" }, label), note && el("span", { class: "note" }, note)));
