/**
 * Who is in the book: a table that sorts by any column. It is read from the index when it is first
 * looked at.
 */
import { el } from "./pkg/src/element/dom.js";

const SHOWN = 40;
/** A name that is known for this person's only from here on, 0 to 1, may be what the story keeps back. */
const REVEALED = 0.5;
const COLUMNS = [
  { key: "who", title: "Name", compare: (a, b) => a.name.localeCompare(b.name) },
  { key: "kind", title: "Kind", compare: (a, b) => a.type.localeCompare(b.type) || b.mentions - a.mentions },
  { key: "count", title: "Mentions", compare: (a, b) => b.mentions - a.mentions || a.name.localeCompare(b.name) },
];

export class People {
  #root;
  #ask;
  #book;
  #entities; // promise, of the book in use
  #sorting = { column: COLUMNS[2], reversed: false };
  #all = false;
  #limited = false; // the reader has not read to the end
  #anyway = false; // but wants to see the list

  /**
   * @param {HTMLElement} root the section
   * @param {(question: string) => void} ask
   */
  constructor(root, ask) {
    this.#root = root.querySelector(".table");
    this.#ask = ask;
  }

  /** Another book: what is shown is of the old one, and is read again when it is looked at. */
  use(book) {
    this.#book = book;
    this.#entities = undefined;
    this.#all = this.#anyway = false;
  }

  /** Whether the reader has read only a part: the list is of the whole book, and may tell of later. */
  limit(limited) {
    if (limited === this.#limited) return;
    this.#limited = limited;
    this.#anyway = false;
    if (this.#entities) this.show();
  }

  /** Reads the book's people and draws the table. */
  async show() {
    const book = this.#book;
    if (!book) return;
    this.#entities ??= book.inspect().then(({ entities }) => entities.filter(({ type }) => type === "person" || type === "group"));
    try {
      const entities = await this.#entities;
      if (book === this.#book) this.#draw(entities);
    } catch (error) {
      if (book === this.#book) throw error; // else it was closed for another
    }
  }

  #draw(entities) {
    if (this.#limited && !this.#anyway) {
      const show = () => this.#again(() => { this.#anyway = true; }, "who");
      this.#root.replaceChildren(
        el("p", { class: "empty" }, "You have not read to the end, and this list is of the whole book: it may tell what comes later."),
        el("button", { type: "button", on: { click: show } }, "Show it all the same"));
      return;
    }
    if (entities.length === 0) {
      this.#root.replaceChildren(el("p", { class: "empty" }, "No person or group was found in this book."));
      return;
    }
    const { column, reversed } = this.#sorting;
    const sorted = [...entities].sort(column.compare);
    if (reversed) sorted.reverse();
    const shown = this.#all ? sorted : sorted.slice(0, SHOWN);
    const rest = sorted.length - shown.length;
    this.#root.replaceChildren(
      el("table", { "aria-labelledby": "people-title" },
        el("thead", {}, el("tr", {}, ...COLUMNS.map((each) => this.#head(each)))),
        el("tbody", {}, ...shown.map((entity) => this.#row(entity)))),
      rest > 0 ? el("button", { type: "button", on: { click: () => this.#again(() => { this.#all = true; }) } }, `Show ${rest} more`) : "");
  }

  #head(column) {
    const sorted = this.#sorting.column === column;
    const falls = (column.key === "count") !== this.#sorting.reversed;
    const sort = () => this.#again(() => {
      this.#sorting = { column, reversed: sorted && !this.#sorting.reversed };
    }, column.key);
    return el("th", { scope: "col", class: column.key, "aria-sort": sorted ? (falls ? "descending" : "ascending") : null },
      el("button", { type: "button", "data-key": column.key, on: { click: sort } }, column.title));
  }

  #row({ name, type, aliases, known_from: known = [], mentions, description }) {
    const [others, later] = [false, true].map((late) => aliases.filter((_, at) => (known[at] > REVEALED) === late));
    const question = type === "person" ? `Who is ${name}?` : `What is ${name}?`;
    return el("tr", {},
      el("td", { class: "who" },
        el("button", { type: "button", class: "ask-about", title: question, on: { click: () => this.#ask(question) } }, name),
        others.length > 0 && el("p", { class: "note" }, `also ${others.join(", ")}`),
        later.length > 0 && el("details", { class: "later" }, el("summary", {}, "names revealed later"), el("p", { class: "note" }, `also ${later.join(", ")}`)),
        description && el("p", { class: "description" }, description)),
      el("td", { class: "kind" }, type),
      el("td", { class: "count" }, String(mentions)));
  }

  /** Changes what is shown and draws it again, with the focus where it was. */
  async #again(change, key) {
    change();
    this.#draw(await this.#entities);
    const target = key ? `[data-key="${key}"]` : `tr:nth-child(${SHOWN + 1}) button`;
    this.#root.querySelector(target)?.focus();
  }
}
