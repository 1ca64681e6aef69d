/**
 * The page: a question box beside the book. The address says what is shown (`#ask`, `#read`,
 * `#people`, `#own`, `#models`, `#passage-START-END`), so the back button returns from a passage, and a passage
 * can be linked to. The element opens the story; reader and people share its book, or one's own.
 */
import "./pkg/ask-element.js";
import { onFileDrop } from "./drop.js";
import { ModelPane } from "./model-pane.js";
import { modelsInUse, named } from "./models.js";
import { fillOptions } from "./options.js";
import { OwnBook } from "./own-book.js";
import { People } from "./people.js";
import { Position } from "./position.js";
import { Reader } from "./reader.js";
import { settings } from "./settings.js";
import { storyModels, Table } from "./table.js";

const { body } = document;
const ask = document.querySelector("plotbridge-ask");
const table = new Table(ask);
const reader = new Reader(document.getElementById("read"));
const people = new People(document.getElementById("people"), (question) => {
  // A new question begins at the top, in the window on a phone, in its own pane on a wide screen.
  [scrolled, opener] = [0, undefined];
  document.querySelector(".pane.ask").scrollTop = 0;
  location.hash = "#ask";
  ask.ask(question).catch(() => {}); // the element shows what went wrong
});
const position = new Position(document.querySelector(".position"), (back) => {
  if (back) ask.clear(); // the answer may tell what comes later
  asThat();
  reader.toPlace();
  table.limit(ask.book, position.end).catch(() => {}); // the book was closed meanwhile
});
const own = new OwnBook(document.getElementById("own"), {
  use: (book, signal) => table.lay(book, signal),
  story: (signal) => table.layStory(signal),
  ask: toQuestion,
});
const back = document.querySelector(".back");
const wide = matchMedia("(min-width: 60rem) and (min-height: 32rem)"); // two panes, as in style.css
let opener; // what was pressed to open the passage: where "back" leads
let scrolled = 0; // how far the answer was scrolled on a small screen

ask.addEventListener("plotbridge-ready", ({ detail: book }) => useBook(book));
ask.addEventListener("plotbridge-answer", () => {
  opener = undefined;
  back.hidden = true;
});
ask.addEventListener("plotbridge-error", () => {
  if (!ask.book) for (const empty of document.querySelectorAll(".read .empty, .people .empty")) empty.textContent = "The book is not open.";
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

new ModelPane(document.getElementById("models"), (words) => {
  tellWho();
  own.again(words);
}, () => ask.book);
tellWho();
ask.models = storyModels()?.models;
fillOptions(document.querySelector(".choices"), asThat);
onFileDrop((files) => {
  location.hash = "#own";
  own.take(files);
});
history.scrollRestoration = "manual";
addEventListener("hashchange", () => show(addressed(), true));
show(addressed(), false);
if (settings.own) reopen();

async function useBook(book) {
  document.title = book.info.title ? `${book.info.title}: ask the book` : document.title;
  position.use(book);
  people.use(book);
  const reading = reader.use(book);
  asThat();
  try {
    await Promise.all([reading, table.limit(book, position.end)]);
  } catch (error) {
    if (book === ask.book) throw error; // else it was closed for another
  }
  show(addressed(), false);
}

/** Instead of the story, the book that was open at the last visit; the story where that fails. */
async function reopen() {
  const src = ask.getAttribute("src");
  ask.removeAttribute("src");
  if (!await own.reopen() && !ask.book) ask.setAttribute("src", src);
}

/** Questions are asked as it is set, as far as the reader has read. */
function asThat() {
  const { method, contextTokens } = settings;
  const { upTo } = position;
  ask.options = { method, contextTokens, ...(upTo && { upTo }) };
  people.limit(upTo !== undefined);
  reader.limit(position.end);
}

/** Who answers, and so where a question goes, stands above the box. */
function tellWho() {
  const models = modelsInUse();
  body.dataset.answers = models ? "model" : "book";
  if (models) document.querySelector(".model-name").textContent = named(models.chat);
}

function toQuestion() {
  if (wide.matches) ask.focus();
  else location.hash = "#ask";
}

/** What the address asks for: a view, and a passage if one is named. */
function addressed() {
  const passage = /^#passage-(\d{1,9})-(\d{1,9})$/.exec(location.hash);
  if (passage) return { view: "read", span: { start: Number(passage[1]), end: Number(passage[2]) } };
  const view = location.hash.slice(1);
  return { view: ["read", "people", "own", "models"].includes(view) ? view : "ask" };
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
