/**
 * The page: a question box beside the book. The address says what is shown (`#ask`, `#read`,
 * `#people`, `#passage-START-END`), so the back button returns from a passage, and a passage can be
 * linked to. The element opens the index; reader and people share its book.
 */
import "./pkg/ask-element.js";
import { People } from "./people.js";
import { Reader } from "./reader.js";

const { body } = document;
const ask = document.querySelector("plotbridge-ask");
const reader = new Reader(document.getElementById("read"));
const people = new People(document.getElementById("people"), (question) => {
  location.hash = "#ask";
  ask.ask(question).catch(() => {}); // the element shows what went wrong
});
const back = document.querySelector(".back");
let opener; // what was pressed to open the passage: where "back" leads
let scrolled = 0; // how far the answer was scrolled on a small screen

ask.addEventListener("plotbridge-ready", ({ detail: book }) => useBook(book));
ask.addEventListener("plotbridge-answer", () => {
  opener = undefined;
  back.hidden = true;
});
ask.addEventListener("plotbridge-error", () => {
  if (!ask.book) for (const empty of document.querySelectorAll(".pane .empty")) empty.textContent = "The book is not open.";
});
ask.addEventListener("plotbridge-open", (event) => {
  event.preventDefault();
  const { start, end } = event.detail;
  opener = event.detail.opener;
  back.hidden = false;
  const hash = `#passage-${start}-${end}`;
  if (location.hash === hash) show(addressed(), true);
  else location.hash = hash;
});

history.scrollRestoration = "manual";
addEventListener("hashchange", () => show(addressed(), true));
show(addressed(), false);

async function useBook(book) {
  document.title = book.info.title ? `${book.info.title}: ask the book` : document.title;
  people.use(book);
  await reader.use(book);
  show(addressed(), false);
}

/** What the address asks for: a view, and a passage if one is named. */
function addressed() {
  const passage = /^#passage-(\d{1,9})-(\d{1,9})$/.exec(location.hash);
  if (passage) return { view: "read", span: { start: Number(passage[1]), end: Number(passage[2]) } };
  const view = location.hash.slice(1);
  return { view: ["read", "people"].includes(view) ? view : "ask" };
}

/** Shows a view; `moved` when the reader asked for it, and the focus should go there. */
function show({ view, span }, moved) {
  const before = body.dataset.view;
  if (before === "ask") scrolled = scrollY;
  body.dataset.view = view;
  if (view !== "ask") body.dataset.side = view;
  for (const link of document.querySelectorAll("[data-to]")) {
    link.toggleAttribute("aria-current", link.dataset.to === view);
    if (link.dataset.to === view) link.setAttribute("aria-current", "page");
  }
  if (view === "people") people.show();
  if (span) reader.show(span);
  else if (moved) arrive(view, before);
}

function arrive(view, before) {
  if (view === before) return;
  const target = view === "ask" && opener?.isConnected ? opener : document.getElementById(`${view}-title`);
  scrollTo(0, view === "ask" ? scrolled : 0);
  target.focus({ preventScroll: true });
}
