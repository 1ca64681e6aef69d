/**
 * `<plotbridge-ask src="story.plot.json">`: ask a book, in any page.
 *
 * ```html
 * <script type="module" src="pkg/ask-element.js"></script>
 * <plotbridge-ask src="story.plot.json"><ul><li>Who keeps the ferry?</li></ul></plotbridge-ask>
 * ```
 *
 * - `src`: the index's address. List items inside the element, now or later, become example
 *   questions; what has `slot="controls"` stands beneath the box.
 * - `book`: the open `Book`; set it to share one that the page owns (the element then never closes it).
 * - `trace`: `open` shows how an answer was found unfolded, `none` leaves it out; else it is folded.
 * - `options`: an object given to every `book.ask`, such as `{ contextTokens: 2000 }`.
 * - `models`: given to `Book.open` for `src`; a book handed over has its own. No attribute: keys stay out of HTML.
 * - `ask(question)`: asks as a reader would; resolves to the answer. `clear()`: takes it away again.
 * - Events, all of which leave shadow roots: `plotbridge-ready` (detail: the book),
 *   `plotbridge-answer` (the answer), `plotbridge-error` (the error), and `plotbridge-open`
 *   (`{start, end, opener}`) when a place of the book is chosen. A page that shows the place itself
 *   calls `preventDefault()` on it; otherwise the element opens it in a dialog.
 *
 * Looks: `ask-element.css` lists the custom properties and parts. All text becomes text nodes; without
 * models nothing is fetched but that stylesheet, the engine and the index.
 */
import { Book, PlotbridgeError } from "./index.js";
import { answerView, isFound, sentence } from "./src/element/answer.js";
import { el } from "./src/element/dom.js";
import { Hearing } from "./src/element/hearing.js";
import { passages } from "./src/element/passages.js";
import { placeDialog } from "./src/element/place-dialog.js";
import { Places, plural } from "./src/element/places.js";
import { progress, shell, show, suggest } from "./src/element/shell.js";

// Where there is no document (a server that renders pages) importing this does nothing.
const Base = globalThis.HTMLElement ?? class {};

export class PlotbridgeAsk extends Base {
  static observedAttributes = ["src"];

  /** Given to every `book.ask`. */
  options = this.options ?? {};

  #ui = shell(this);
  #models;
  #book;
  #ownsBook = false;
  #opening; // {promise, controller} while the index is being opened
  #asking; // the controller of the question under way
  #places;

  constructor() {
    super();
    show(this.#ui, "empty");
    const { form, input, cancel, retry } = this.#ui;
    form.addEventListener("submit", (event) => (event.preventDefault(), this.#submit(input.value)));
    // Both buttons go away when pressed: the focus goes back to the box first.
    const press = (button, act) => button.addEventListener("click", () => (input.focus(), act()));
    press(cancel, () => this.#asking?.abort());
    press(retry, () => this.#open().catch(() => {}));
    const listed = ({ target }) => !target.closest("[slot]");
    new MutationObserver((changes) => changes.some(listed) && suggest(this.#ui, this, (question) => this.#submit(question))).observe(this, { childList: true, subtree: true });
  }

  /** The book that questions are asked of; undefined until it is open. */
  get book() {
    return this.#book;
  }

  set book(book) {
    this.#release();
    if (book) this.#use(book, false);
    else show(this.#ui, "empty");
  }

  /** The models of the book that `src` names; it is opened anew with others. */
  get models() {
    return this.#models;
  }

  set models(models) {
    const anew = models !== this.#models && (this.#ownsBook || this.#opening);
    this.#models = models;
    if (!anew) return;
    this.#release();
    this.#open().catch(() => {});
  }

  /** empty, loading, failed, ready, asking, unanswered or answered */
  get state() {
    return this.#ui.box.dataset.state;
  }

  focus(options) {
    this.#ui.input.focus(options);
  }

  connectedCallback() {
    for (const name of ["models", "book"].filter((name) => Object.hasOwn(this, name))) {
      // Set before the element was defined: let the setter see it.
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    if (!this.#book && this.hasAttribute("src")) this.#open().catch(() => {});
  }

  disconnectedCallback() {
    queueMicrotask(() => {
      if (this.isConnected) return; // it was only moved
      this.#asking?.abort();
      if (this.#ownsBook || this.#opening) this.#release();
    });
  }

  attributeChangedCallback(_name, before, after) {
    if (before === after || !this.isConnected) return;
    this.#release();
    if (after !== null) this.#open().catch(() => {});
  }

  /** Asks as if the reader had typed the question. Rejects as `book.ask` does. */
  async ask(question) {
    this.#asking?.abort();
    const asking = (this.#asking = new AbortController());
    const hearing = new Hearing(this.#ui);
    const onEvent = (event) => asking.signal.aborted || hearing.hear(event);
    this.#ui.input.value = question;
    try {
      const book = this.#book ?? (await this.#open());
      asking.signal.throwIfAborted();
      this.#begin("asking", "Searching the book.");
      const { upTo } = this.options;
      const answer = await book.ask(question, { ...this.options, signal: asking.signal, onEvent });
      asking.signal.throwIfAborted();
      this.#answered(answer, { asked: hearing.asked, reach: this.#places.reach(upTo) });
      return answer;
    } catch (error) {
      if (asking === this.#asking && this.state !== "failed") this.#failed(error, hearing.evidence);
      throw error;
    } finally {
      hearing.end();
      if (asking === this.#asking) this.#asking = undefined;
    }
  }

  /** Takes away the answer, or the question under way. */
  clear() {
    this.#ui.result.replaceChildren();
    this.#asking?.abort();
    if (this.#book) this.#begin("ready", "");
  }

  /** Opens the index that `src` names; one opening at a time. */
  #open() {
    if (this.#opening) return this.#opening.promise;
    const controller = new AbortController();
    const promise = this.#load(controller.signal).finally(() => {
      if (this.#opening?.controller === controller) this.#opening = undefined;
    });
    this.#opening = { promise, controller };
    return promise;
  }

  async #load(signal) {
    this.#begin("loading", "Opening the book.");
    try {
      const src = this.getAttribute("src");
      if (!src) throw new PlotbridgeError("usage", "the element has neither a src nor a book");
      const onProgress = (event) => progress(this.#ui, event);
      const book = await Book.open(new URL(src, document.baseURI), { signal, onProgress, ...(this.#models && { models: this.#models }) });
      if (signal.aborted) book.close();
      signal.throwIfAborted();
      this.#use(book, true);
      return book;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
      throw error;
    }
  }

  #use(book, owned) {
    this.#book = book;
    this.#ownsBook = owned;
    this.#places = new Places(book.info);
    const { title } = book.info;
    this.#ui.label.replaceChildren(...(title ? ["Your question about ", el("cite", {}, title)] : ["Your question"]));
    suggest(this.#ui, this, (question) => this.#submit(question));
    this.#ui.result.replaceChildren();
    this.#begin("ready", owned ? "The book is open." : ""); // who hands a book over speaks for itself
    this.#tell("plotbridge-ready", book);
  }

  #release() {
    this.#opening?.controller.abort();
    this.#asking?.abort();
    if (this.#ownsBook) this.#book.close();
    this.#opening = this.#asking = this.#book = this.#ownsBook = undefined;
  }

  /** Asks for a reader, and brings them to the answer. */
  async #submit(question) {
    const answer = await this.ask(question).catch(() => undefined);
    // Who types stays in the box for the next question and hears the status. A touch keyboard would
    // cover the answer, and a button that has gone leaves the focus nowhere: then it goes there.
    const touch = matchMedia("(pointer: coarse)").matches;
    if (answer && (touch || !this.shadowRoot.activeElement)) this.#ui.result.querySelector("h2").focus();
  }

  #answered(answer, how) {
    const { pairs, evidence } = answer.trace;
    this.#ui.result.replaceChildren(...answerView(answer, this.#view(how)));
    this.#begin("answered", !isFound(answer)
      ? "No answer found."
      : `Answer found, with ${plural(pairs.length, "moment")} and ${plural(evidence.length, "passage")}.`);
    this.#tell("plotbridge-answer", answer);
  }

  #view(how) {
    return { places: this.#places, open: (span, opener) => this.#openPlace(span, opener), trace: this.getAttribute("trace"), ...how };
  }

  /** What was found before a model failed is shown all the same. */
  #failed(error, evidence = []) {
    if (error?.name === "AbortError") return this.#begin(this.#ui.result.hasChildNodes() ? "answered" : "ready", "Cancelled.");
    const found = evidence.length > 0;
    const words = [!this.#book && "The book could not be opened.", sentence(error?.message || "something went wrong"), found && "The passages that were found are below."];
    this.#ui.reason.textContent = words.filter(Boolean).join(" ");
    this.#ui.result.replaceChildren(...(found ? [passages(evidence, this.#view())] : []));
    this.#begin(this.#book ? "unanswered" : "failed", this.#ui.reason.textContent);
    this.#tell("plotbridge-error", error);
  }

  async #openPlace({ start, end }, opener) {
    if (!this.#tell("plotbridge-open", { start, end, opener })) return; // the page shows it
    await placeDialog(this.#ui.box, this.#book, { start, end }, this.#places.chapter(start));
  }

  /** Enters a state and says so, once. */
  #begin(state, words) {
    show(this.#ui, state);
    this.#ui.status.textContent = words;
  }

  /** Dispatches; false when a listener took the default away. */
  #tell(type, detail) {
    return this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable: true }));
  }
}

globalThis.customElements?.get("plotbridge-ask") ?? globalThis.customElements?.define("plotbridge-ask", PlotbridgeAsk);
