/**
 * The book that lies on the table: which one the question box asks, with examples that fit it. The
 * box closes the story it has opened itself; what is laid here is closed here, when another is laid.
 */
import { Book } from "./pkg/index.js";
import { el } from "./pkg/src/element/dom.js";
import { modelsInUse } from "./models.js";

const EXAMPLES = 3;

export class Table {
  #ask;
  #story; // the story's address and examples
  #book; // what was laid here
  #examples; // of the book that lies here, all of them

  /** @param {import("./pkg/ask-element.js").PlotbridgeAsk} ask */
  constructor(ask) {
    this.#ask = ask;
    this.#examples = textsOf(ask.querySelector("ul"));
    this.#story = { src: ask.getAttribute("src"), examples: this.#examples };
  }

  /** One's own book. Nothing is changed when `signal` aborts before it lies there. */
  async lay(book, signal) {
    const { entities } = await book.inspect();
    signal.throwIfAborted();
    const persons = entities.filter(({ type }) => type === "person").sort((a, b) => b.mentions - a.mentions).slice(0, EXAMPLES);
    this.#lay(book, persons.map(({ name }) => `Who is ${name}?`), "own");
  }

  /** The story that came with the page. */
  async layStory(signal) {
    const book = await Book.open(new URL(this.#story.src, document.baseURI), { signal, ...storyModels() });
    this.#lay(book, this.#story.examples, "story");
  }

  #lay(book, examples, kind) {
    const before = this.#book;
    this.#book = book;
    document.body.dataset.book = kind;
    this.#examples = examples;
    this.#show([]); // which of them may be shown is known when the book is there
    this.#ask.book = book;
    before?.close();
  }

  /** Shows the examples that name nobody and nothing from after `end`; all for the whole book. */
  async limit(book, end) {
    this.#show([]);
    const read = end === undefined ? undefined : wordsOf(await book.text(0, end));
    if (book !== this.#ask.book) return;
    // The first word has its capital from the question.
    const named = (example) => wordsOf(example).slice(1).filter((word) => /^\p{Lu}/u.test(word));
    this.#show(this.#examples.filter((example) => !read || named(example).every((name) => read.includes(name))));
  }

  #show(examples) {
    this.#ask.querySelector("ul").replaceChildren(...examples.map((example) => el("li", {}, example)));
  }
}

const textsOf = (list) => [...list.children].map((item) => item.textContent.trim());
const wordsOf = (text) => text.match(/[\p{L}\p{N}]+/gu) ?? [];

/** The options that let a model answer about the story: its index has no endpoint's vectors. */
export function storyModels() {
  const models = modelsInUse();
  return models && { models: { chat: models.chat } };
}
