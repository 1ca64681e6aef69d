/// <reference lib="dom" />

import type { Answer, AskOptions, Book, Models, PlotbridgeError } from "./index.js";

/**
 * `<plotbridge-ask src="story.plot.json">`: ask a book, in any page. Importing this defines it. The attribute
 * `trace` is `open` to show how an answer was found unfolded, `none` to leave it out.
 */
export class PlotbridgeAsk extends HTMLElement {
  /** The book that questions are asked of; undefined until it is open. Set it to share the page's own. */
  get book(): Book | undefined;
  set book(book: Book | undefined);
  /** Given to every `book.ask`. */
  options: Omit<AskOptions, "signal" | "onEvent">;
  /** Given to `Book.open` for the book that `src` names, which is opened anew when it is set. */
  get models(): Models | undefined;
  set models(models: Models | undefined);
  readonly state: "empty" | "loading" | "failed" | "ready" | "asking" | "unanswered" | "answered";
  /** Asks as if the reader had typed the question. */
  ask(question: string): Promise<Answer>;
  /** Takes away the answer, or the question under way. */
  clear(): void;
}

/** A place of the book that a reader chose; `opener` is what they pressed. */
export interface Place {
  start: number;
  end: number;
  opener: HTMLElement;
}

declare global {
  interface HTMLElementTagNameMap {
    "plotbridge-ask": PlotbridgeAsk;
  }
  interface HTMLElementEventMap {
    "plotbridge-ready": CustomEvent<Book>;
    "plotbridge-answer": CustomEvent<Answer>;
    "plotbridge-open": CustomEvent<Place>;
    "plotbridge-error": CustomEvent<PlotbridgeError | Error>;
  }
}
