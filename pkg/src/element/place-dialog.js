/**
 * A place of the book in a dialog, for pages that have no reader of their own: nobody answered the
 * `plotbridge-open` event, so the element shows the passage itself.
 */
import { el } from "./dom.js";
import { prose } from "./prose.js";

const AROUND = 900;

/**
 * @param {HTMLElement} box where it is put
 * @param {import("../../index.js").Book} book
 * @param {{start: number, end: number}} span what to mark
 * @param {string} title the chapter's
 */
export async function placeDialog(box, book, { start, end }, title) {
  const from = Math.max(0, start - AROUND);
  const text = await book.text(from, Math.min(end + AROUND, book.info.text_length));
  const dialog = el("dialog", { class: "dialog", part: "dialog", "aria-labelledby": "dialog-title", on: { close: () => dialog.remove() } },
    el("h3", { class: "heading", id: "dialog-title" }, title || "In the book"),
    el("div", { class: "page", tabindex: 0, role: "group", "aria-label": "The passage and what stands around it" },
      ...prose(text, [{ start: start - from, end: end - from }])),
    el("button", { part: "button", type: "button", on: { click: () => dialog.close() } }, "Close"));
  box.append(dialog);
  dialog.showModal();
  dialog.querySelector("mark").scrollIntoView({ block: "center" });
}
