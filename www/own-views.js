/** What stands in the pane of one's own book when nothing is under way. Pure but for the shelf. */
import { el } from "./pkg/src/element/dom.js";
import { sentence } from "./pkg/src/element/answer.js";
import { plural } from "./pkg/src/element/places.js";
import { say } from "./announcer.js";
import { fileName, saveLedger } from "./save.js";

const BY_RULE = "What rules found stands there instead.";

/** What a model's reading can leave undone, and what was done instead. */
const INSTEAD = { reply_unreadable: BY_RULE, reply_withheld: BY_RULE, reply_failed: BY_RULE, reply_cut: "", ungrounded: "", empty_stage: "", one_hub: "",
  store_memory: "The book itself is whole: save its index." };

/** One's own book is open. */
export function openView(book, shelf, { save, ask, story }) {
  const { title, author, chapters, counts } = book.info;
  return el("div", { class: "open" },
    el("h3", { tabindex: -1 }, title),
    el("p", { class: "note" }, [author, plural(chapters.length, "chapter"), plural(counts.events, "event")].filter(Boolean).join(" · ")),
    el("p", { class: "actions" },
      button("Ask about it", ask, "primary"),
      button("Save the index", save),
      ...(book.ledger.calls.length > 0 ? [button("Save what it cost", () => say(`Saved as ${saveLedger(book)}.`))] : []),
      button("Back to the bundled story", story)),
    el("p", { class: "note" }, `The index is one file, ${fileName(book)}. It opens here at once, and on any page with a question box.`),
    ...readBy(book),
    ...book.info.issues.filter(({ code }) => Object.hasOwn(INSTEAD, code))
      .map(({ code, message }) => el("p", { class: "note issue" }, `${sentence(message)} ${INSTEAD[code]}`.trim())),
    keeping(book, shelf));
}

/** How much of it a model read, who is tied to most, and what it all cost; nothing for a book that rules read. */
function readBy({ coverage, info: { top_hub: hub }, ledger: { calls, total } }) {
  if (calls.length === 0) return [];
  const tokens = total.prompt_tokens + total.completion_tokens;
  const lines = [`${plural(total.requests, "request")} and ${plural(tokens, "token")} so far${total.cached > 0 ? `, and ${plural(total.cached, "answer")} kept from before` : ""}.`];
  if (coverage) lines.unshift(`The model read ${coverage.read} of ${plural(coverage.chunks, "part")}.`);
  if (hub) lines.push(`${hub.name} is in ${Math.round(100 * hub.share)}% of all relations.`);
  return [el("p", { class: "note spent" }, lines.join(" "))];
}

/** The switch that keeps the book, with what it means in this browser. */
function keeping(book, shelf) {
  const note = el("p", { class: "note", id: "keep-note" });
  const toggle = el("button", { type: "button", class: "switch", role: "switch", "aria-describedby": note.id, on: { click: async () => {
    await shelf.choose(!shelf.keeping, book);
    show();
    say(note.textContent);
  } } }, "Keep this book in this browser");
  const show = () => {
    toggle.setAttribute("aria-checked", shelf.keeping);
    note.textContent = !shelf.keeping ? "It is here until you close this tab."
      : shelf.lasting ? "It will be open at your next visit, from this browser’s own storage."
      : "This browser keeps nothing for this page, or has no room: the book is here until you close the tab. Save the index to have it again.";
  };
  show();
  return el("div", { class: "keep" }, toggle, note);
}

/** No book of one's own is open; one that is kept can be opened or forgotten. */
export async function restView(shelf, { reopen }) {
  const book = await shelf.kept();
  if (!book) return el("div", {});
  const view = el("div", { class: "kept" },
    el("h3", { tabindex: -1 }, book.title),
    el("p", { class: "note" }, "Your book is still here."),
    el("p", { class: "actions" },
      button("Open it", reopen, "primary"),
      button("Forget it", async () => {
        await shelf.forget();
        view.replaceChildren(el("p", { class: "note", tabindex: -1 }, `${book.title} is forgotten.`));
        view.firstChild.focus();
        say(`${book.title} is forgotten.`);
      })));
  return view;
}

const button = (words, click, kind) => el("button", { type: "button", class: kind, on: { click: () => click() } }, words);
