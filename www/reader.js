/**
 * The book, a chapter at a time, as far as it has been read; what comes later is neither listed nor shown
 * until the reader asks for the whole. Text is asked of the book when a chapter is turned to, and laid out
 * so that its text nodes are the text itself (see prose.js): a passage is marked by its offsets.
 */
import { el } from "./pkg/src/element/dom.js";
import { prose } from "./pkg/src/element/prose.js";
import { partsOf } from "./parts.js";

// A span over so many units is a passage rather than a sentence: marked softly, read from its start.
const LONG = 400;

export class Reader {
  #root;
  #page;
  #chooser;
  #book;
  #parts = []; // see parts.js
  #at = -1;
  #end; // how far has been read, as an offset; undefined for the whole book
  #whole; // the switch that shows the rest all the same
  #turning = 0; // counts page turns, so that a slow one does not overwrite a later one

  /** @param {HTMLElement} root the section that holds heading, chooser, switch, page and turn buttons */
  constructor(root) {
    this.#root = root;
    this.#page = root.querySelector(".page");
    this.#chooser = root.querySelector("select");
    this.#chooser.addEventListener("change", () => this.#turn(this.#chooser.selectedIndex));
    this.#whole = root.querySelector(".whole");
    this.#whole.addEventListener("click", () => {
      this.#whole.setAttribute("aria-checked", !this.#all);
      this.#list();
    });
    root.querySelector(".previous").addEventListener("click", () => this.#turn(this.#at - 1, true));
    root.querySelector(".next").addEventListener("click", () => this.#turn(this.#at + 1, true));
  }

  /** Shows another book, from its first chapter or where the reader is. */
  async use(book) {
    this.#book = book;
    this.#parts = [];
    const { title, author, chapters } = book.info;
    this.#root.querySelector("h2").replaceChildren(title || "The book", author ? el("span", { class: "author" }, author) : "");
    const parts = await partsOf(book);
    if (book !== this.#book) return;
    this.#parts = parts;
    for (const part of this.#root.querySelectorAll(".chapters, .turn")) part.hidden = false;
    this.#at = -1;
    this.#list();
    const first = Math.max(0, parts.findIndex(({ end }) => end > chapters[0]?.start));
    await this.#turn(this.#end === undefined ? first : this.#last);
  }

  /** Turns to the last chapter that has been read; where that is the whole book, nowhere. */
  toPlace() {
    if (this.#end !== undefined && this.#book) this.#turn(this.#last);
  }

  /** The book has been read to this offset; undefined for the whole. */
  limit(end) {
    if (end === this.#end) return;
    this.#end = end;
    this.#whole.setAttribute("aria-checked", "false");
    this.#whole.hidden = end === undefined;
    this.#list();
  }

  /** Whether everything may be shown. */
  get #all() {
    return this.#end === undefined || this.#whole.getAttribute("aria-checked") === "true";
  }

  /** How many parts may be shown, from the first. */
  get #shown() {
    return this.#all ? this.#parts.length : this.#parts.filter(({ start }) => start < this.#end).length;
  }

  /** The part that the reader has read to, also where the rest is shown. */
  get #last() {
    return this.#parts.filter(({ start }) => start < this.#end).length - 1;
  }

  /** Lists the parts that may be shown, and leaves one that may not. */
  #list() {
    if (this.#parts.length === 0) return;
    this.#chooser.replaceChildren(...this.#parts.slice(0, this.#shown).map((part) => el("option", {}, part.title)));
    if (this.#at >= this.#shown) this.#turn(this.#shown - 1);
    else if (this.#at >= 0) this.#place();
  }

  /** Shows where the page is. */
  #place() {
    this.#chooser.selectedIndex = this.#at;
    this.#root.querySelector(".previous").disabled = this.#at === 0;
    this.#root.querySelector(".next").disabled = this.#at >= this.#shown - 1;
  }

  /** Turns to a span of the text, marks it and moves the focus there. */
  async show(span) {
    const index = this.#parts.findIndex(({ start, end }) => start <= span.start && span.start < end);
    if (index < 0 || index >= this.#shown) return;
    await this.#turn(index, false, span);
    const marks = this.#page.querySelectorAll("mark");
    if (marks.length === 0) return;
    const long = span.end - span.start > LONG;
    for (const mark of marks) mark.classList.toggle("long", long);
    marks[0].tabIndex = -1;
    marks[0].focus({ preventScroll: true });
    marks[0].scrollIntoView({ block: long ? "start" : "center" });
  }

  async #turn(index, moved = false, span) {
    const part = this.#parts[index];
    if (!part) return;
    const turning = ++this.#turning;
    const text = await this.#book.text(part.start, part.end);
    if (turning !== this.#turning) return;
    if (index >= this.#shown) return; // the reader went back meanwhile
    this.#at = index;
    this.#place();
    const marks = span ? [{ start: span.start - part.start, end: span.end - part.start }] : [];
    this.#page.replaceChildren(chapter(part.title, prose(text, marks)));
    this.#page.scrollTop = 0;
    if (moved) this.#page.focus();
  }
}

/** The paragraphs as an article; those that are the chapter's heading become one, with the line of a part that begins there. */
function chapter(title, paragraphs) {
  const words = plain(title.replace(/ \(\d+ of \d+\)$/, ""));
  const above = /^\s*(?:part|book|volume)\b/i.test(paragraphs[0]?.textContent ?? "") ? [0, 1] : [0];
  const size = above.map((lines) => lines + headingSize(words, paragraphs.slice(lines))).find((size, lines) => size > lines) ?? 0;
  const heading = paragraphs.slice(0, size).map((line) => el("span", {}, ...line.childNodes));
  return el("article", { "data-title": title }, size > 0 && el("h3", {}, ...heading), ...paragraphs.slice(size));
}

/** How many of the first paragraphs are the words of the title. */
function headingSize(title, paragraphs) {
  let [rest, size] = [title, 0];
  for (const paragraph of paragraphs) {
    const words = plain(paragraph.textContent);
    if (rest === "" || words === "" || !rest.startsWith(words)) break;
    rest = rest.slice(words.length);
    size += 1;
  }
  return size;
}

const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
