/**
 * The book that lies on the table: which one the question box asks, with examples that fit it. The
 * box closes the story it has opened itself; what is laid here is closed here, when another is laid.
 */
import { Book } from "./pkg/index.js";
import { el } from "./pkg/src/element/dom.js";

const EXAMPLES = 3;

export class Table {
  #ask;
  #story; // the story's address and examples
  #book; // what was laid here

  /** @param {import("./pkg/ask-element.js").PlotbridgeAsk} ask */
  constructor(ask) {
    this.#ask = ask;
    this.#story = { src: ask.getAttribute("src"), examples: ask.querySelector("ul") };
  }

  /** One's own book. Nothing is changed when `signal` aborts before it lies there. */
  async lay(book, signal) {
    const { entities } = await book.inspect();
    signal.throwIfAborted();
    const persons = entities.filter(({ type }) => type === "person").sort((a, b) => b.mentions - a.mentions).slice(0, EXAMPLES);
    this.#lay(book, el("ul", {}, ...persons.map(({ name }) => el("li", {}, `Who is ${name}?`))), "own");
  }

  /** The story that came with the page. */
  async layStory(signal) {
    const book = await Book.open(new URL(this.#story.src, document.baseURI), { signal });
    this.#lay(book, this.#story.examples, "story");
  }

  #lay(book, examples, kind) {
    const before = this.#book;
    this.#book = book;
    document.body.dataset.book = kind;
    this.#ask.querySelector("ul").replaceWith(examples);
    this.#ask.book = book;
    before?.close();
  }
}
