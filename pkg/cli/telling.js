// An answer on stdout as it comes: wrapped like all that people read, word by word.

import { columns, printable } from "./print.js";

/** Prints a heading, then the words of a text that comes in pieces. Nothing is printed before the first word. */
export class Telling {
  #heading;
  #indent;
  #out;
  /** Letters of a word that may go on. */
  #open = "";
  /** Where the line stands; 0 before the first. */
  #column = 0;

  constructor(heading, indent, out = process.stdout) {
    this.#heading = heading;
    this.#indent = indent;
    this.#out = out;
  }

  hear(piece) {
    const words = (this.#open + piece).split(/\s+/);
    this.#open = words.pop();
    words.filter(Boolean).forEach((word) => this.#say(word));
  }

  /** The text begins once more: the heading stands again over what comes now. */
  anew() {
    this.breakOff();
    this.#column = 0;
  }

  /** The text is whole: its last word, and the end of its line. */
  end() {
    this.hear(" ");
    if (this.#column) this.#out.write("\n");
  }

  /** The text ends here, for whatever reason: an error's message begins a line of its own. */
  breakOff() {
    if (this.#open || this.#column) this.end();
  }

  #say(word) {
    const margin = " ".repeat(this.#indent);
    const begins = this.#column === 0;
    const fits = !begins && this.#column + 1 + word.length <= columns();
    if (begins) this.#out.write(`${this.#heading}\n`);
    this.#out.write(printable(fits ? ` ${word}` : `${begins ? "" : "\n"}${margin}${word}`));
    this.#column = (fits ? this.#column + 1 : this.#indent) + word.length;
  }
}
