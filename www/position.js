/**
 * How far the reader has read, by chapter: answers then tell nothing that rests on later text. The
 * last place of the slider is the whole book, for which nothing is passed on. Kept for each book.
 */
import { say } from "./announcer.js";
import { placeIn, setPlace } from "./settings.js";

const WHOLE = "The whole book";

export class Position {
  #root;
  #slider;
  #words;
  #info;

  /**
   * @param {HTMLElement} root holds the slider, and words that show its value to the eye
   * @param {(back: boolean) => void} changed called when another place was chosen; `back` for an earlier one
   */
  constructor(root, changed) {
    this.#root = root;
    this.#slider = root.querySelector("input");
    this.#words = root.querySelector(".words");
    this.#slider.addEventListener("input", () => this.#tell());
    this.#slider.addEventListener("change", () => {
      const before = placeIn(this.#info) ?? this.#info.chapters.length;
      setPlace(this.#info, this.upTo?.chapter);
      say(this.upTo ? `Answers now tell nothing from after ${this.#title()}.` : "Answers now come from the whole book.");
      changed(this.#slider.valueAsNumber < before);
    });
  }

  /** `{chapter}`, from 1, as `book.ask` takes it; undefined for the whole book. */
  get upTo() {
    const chapter = this.#slider.valueAsNumber;
    return this.#info && chapter < this.#info.chapters.length ? { chapter } : undefined;
  }

  /** Where in the text that is; undefined for the whole book. */
  get end() {
    return this.upTo && this.#info.chapters[this.upTo.chapter - 1].end;
  }

  /** Another book: at the place that was kept for it. A book of one chapter has no choice. */
  use({ info }) {
    this.#info = info;
    const last = Math.max(1, info.chapters.length);
    this.#root.hidden = last === 1;
    this.#slider.max = last;
    this.#slider.value = Math.min(last, placeIn(info) ?? last);
    this.#tell();
  }

  #tell() {
    const words = this.upTo ? `To the end of ${this.#title()}` : WHOLE;
    this.#words.textContent = words;
    this.#slider.setAttribute("aria-valuetext", words);
  }

  #title() {
    const { chapter } = this.upTo;
    return this.#info.chapters[chapter - 1].title || `chapter ${chapter}`;
  }
}
