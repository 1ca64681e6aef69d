/**
 * One's own book: a text is read, checked and indexed, a saved index is opened, and either is then the
 * page's book. Whatever fails or is cancelled, the book that was open stays open, and a text that was
 * read stays ready to be indexed.
 */
import { Book, Pause, PlotbridgeError } from "./pkg/index.js";
import { sentence } from "./pkg/src/element/answer.js";
import { el } from "./pkg/src/element/dom.js";
import { say } from "./announcer.js";
import { busy } from "./busy.js";
import { ENCODINGS } from "./coverage.js";
import { modelsInUse } from "./models.js";
import { openView, restView } from "./own-views.js";
import { readingCheck } from "./reading-check.js";
import { keptOf } from "./replies.js";
import { download } from "./save.js";
import { Shelf } from "./shelf.js";
import { wholeProgress } from "./stages.js";
import { bytesOf, isIndex } from "./taken.js";
import { helpFor, helpForModel } from "./trouble.js";

export class OwnBook {
  #root;
  #choose;
  #panel;
  #trouble;
  #page;
  #shelf = new Shelf();
  #unread; // {name, bytes, title?} whose letters could not be read
  #file; // {name, bytes, encoding?, title?, chapters?, read} that was read and may be indexed
  #book; // one's own, when it is open
  #focus; // a selector of what has the focus when the pane is next at rest
  #stop; // the controller of what is under way
  #stale; // the models were changed meanwhile: what to say then

  /**
   * @param {HTMLElement} root the section
   * @param {{use: (book: Book) => Promise<void>, story: (signal: AbortSignal) => Promise<void>, ask: () => void}} page
   *   how the page opens a book, opens the bundled story, and goes to the question
   */
  constructor(root, page) {
    this.#root = root;
    this.#choose = root.querySelector(".choose");
    this.#panel = root.querySelector(".panel");
    this.#trouble = root.querySelector(".trouble");
    this.#page = page;
    const input = root.querySelector("input[type=file]");
    this.#choose.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      if (input.files.length > 0) this.take([...input.files]);
      input.value = ""; // the same file may be chosen again
    });
    this.#rest();
  }

  /** Takes what was dropped or chosen: a text, or a saved index. */
  take([file, ...others]) {
    return this.#run(`Reading ${file.name}`, async (signal, progress) => {
      const bytes = await bytesOf(file, others);
      if (!isIndex(file.name, bytes)) return this.#read({ name: file.name, bytes }, signal);
      await this.#open(bytes, signal, progress);
      this.#file = undefined;
      this.#page.ask();
    });
  }

  async #read({ name, bytes, encoding, title, chapters }, signal) {
    this.#unread = { name, bytes, title }; // until it is read
    const read = await Book.read(bytes, { name, encoding, chapters, signal });
    this.#file = { name, bytes, encoding, title, chapters, read };
    say(`${name} is read. Check it, then index it.`);
  }

  /** Reads the text again with other chapters; the focus is on what the selector finds then. */
  #corrected(chapters, focus) {
    this.#focus = focus;
    return this.#run("Reading the chapters again", (signal) => this.#read({ ...this.#file, chapters }, signal));
  }

  /** What could not be read, in an encoding that the reader chooses. */
  #otherwise() {
    const file = this.#unread;
    const submit = (event) => {
      event.preventDefault();
      const encoding = event.target.elements.encoding.value;
      this.#run(`Reading ${file.name} again`, (signal) => this.#read({ ...file, encoding }, signal));
    };
    return el("form", { class: "otherwise", on: { submit } },
      el("label", { class: "encoding" }, el("span", {}, "Encoding"),
        el("select", { name: "encoding" }, ...Object.entries(ENCODINGS).map(([value, words]) => el("option", { value }, words)))),
      el("p", { class: "actions" }, el("button", { type: "submit" }, "Read it again")));
  }

  /** Reads the text again, in another encoding. */
  #again(encoding, title) {
    const file = this.#file;
    file.title = title;
    return this.#run(`Reading ${file.name} again`, (signal) => this.#read({ ...file, encoding, chapters: undefined }, signal));
  }

  /** Opens the book that is kept. */
  reopen() {
    return this.#run("Opening your book", async (signal, progress) => {
      const book = await this.#shelf.kept();
      if (!book) throw new PlotbridgeError("storage", "the book is not in this browser any more");
      await this.#open(new Uint8Array(book.bytes), signal, progress, () => this.#shelf.took(book));
    });
  }

  /** Indexes the text; `how` are the options that say by whom. */
  #index(title, how) {
    const file = this.#file;
    file.title = title;
    const readers = { chat: how.extraction === "llm", embed: how.models?.embed !== undefined };
    const { name, bytes, encoding, chapters } = file;
    const asks = how.models && { help: helpForModel, kept: () => keptOf(name), ...(how.resume && { pause: new Pause() }) };
    return this.#run(`Indexing ${title}`, async (signal, show) => {
      const book = await Book.build(bytes, { name, title, encoding, chapters, signal, pause: asks?.pause, onProgress: wholeProgress(show, readers), ...how });
      await this.#opened(book, signal);
      this.#file = undefined;
      this.#page.ask();
    }, asks);
  }

  /** Opens the page's book once more: other models are to answer. What is under way is not disturbed. */
  again(words) {
    this.#stale = this.#stop && words;
    if (this.#stale) return say(words);
    return this.#run("Opening the book again", async (signal, progress) => {
      if (this.#book) await this.#open(new Uint8Array(await (await this.#book.save()).arrayBuffer()), signal, progress, () => {});
      else await this.#page.story(signal);
      say(words);
    });
  }

  async #open(bytes, signal, progress, shelve) {
    const onProgress = ({ done, total }) => progress(total > 0 ? done / total : 0, "");
    const models = modelsInUse();
    await this.#opened(await Book.open(bytes, { signal, onProgress, ...(models && { models }) }), signal, shelve);
  }

  /** The book is there: it becomes the page's, and is put on the shelf. */
  async #opened(book, signal, shelve = () => this.#shelf.put(book)) {
    try {
      await this.#page.use(book, signal);
    } catch (error) {
      book.close();
      throw error;
    }
    this.#book = book;
    await shelve();
    say(`${book.info.title} is open. Ask about it.`);
  }

  #story() {
    return this.#run("Opening the story", async (signal) => {
      await this.#page.story(signal);
      this.#book = undefined;
      this.#shelf.leave();
      say("The story that came with the page is open.");
      this.#page.ask();
    });
  }

  async #save() {
    try {
      say(`Saved as ${await download(this.#book)}.`);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Does one thing at a time: shows that it goes on, and when it has ended what can be done next. `kept` says
   * what is not lost where it does not come to its end.
   */
  async #run(doing, work, { help = helpFor, kept = () => "", pause } = {}) {
    this.#stop?.abort();
    const stop = (this.#stop = new AbortController());
    this.#trouble.replaceChildren();
    const show = this.#progress(doing, stop, pause);
    say(`${doing}.`);
    try {
      await work(stop.signal, show);
      if (stop === this.#stop) await this.#rest();
      return true;
    } catch (error) {
      if (stop !== this.#stop) return false; // something else was begun
      await this.#rest();
      if (error?.name === "AbortError") say(`Cancelled. ${await kept()}`.trim());
      else this.#fail(error, help, await kept());
      return false;
    } finally {
      if (stop === this.#stop) this.#stop = undefined;
      if (this.#stale && !this.#stop) this.again(this.#stale);
    }
  }

  /** Shows a bar with a way to cancel; returns how to move it. */
  #progress(doing, stop, pause) {
    const { view, cancel, show } = busy(doing, stop, pause);
    const focused = this.#panel.contains(document.activeElement);
    this.#panel.replaceChildren(view);
    if (focused) cancel.focus();
    return show;
  }

  /** Shows what can be done now; the focus goes there if it was in this pane. */
  async #rest() {
    const view = await this.#view();
    const focused = this.#root.contains(document.activeElement);
    this.#panel.replaceChildren(view);
    if (focused) (view.querySelector(this.#focus ?? "h3") ?? this.#choose).focus();
    this.#focus = undefined;
  }

  #view() {
    if (this.#file) {
      const leave = () => {
        this.#file = undefined;
        this.#rest();
      };
      return readingCheck(this.#file, {
        index: (...as) => this.#index(...as), again: (...as) => this.#again(...as), leave,
        changed: (what) => Object.assign(this.#file, what), corrected: (...as) => this.#corrected(...as),
      });
    }
    if (this.#book) {
      return openView(this.#book, this.#shelf, { ask: this.#page.ask, save: () => this.#save(), story: () => this.#story() });
    }
    return restView(this.#shelf, { reopen: async () => await this.reopen() && this.#page.ask() });
  }

  #fail(error, help = helpFor, kept = "") {
    const { what, advice } = help(error);
    const found = sentence(error?.message || "something went wrong");
    this.#trouble.replaceChildren(el("h3", {}, what), el("p", {}, advice),
      kept && el("p", {}, `${kept} Index it again to go on from there.`), error?.code === "encoding" && !this.#file ? this.#otherwise() : "", el("p", { class: "note" }, found));
    say(`${what} ${advice}`);
  }
}
