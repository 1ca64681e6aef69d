/**
 * Where an offset lies in a book: its chapter and how far through. Offsets are UTF-16 units of the
 * document text, as everywhere in the package.
 */
export class Places {
  #chapters;
  #start;
  #length;

  /** @param {{chapters: {title: string, start: number, end: number}[], text_length: number}} info */
  constructor(info) {
    this.#chapters = info.chapters;
    this.#start = info.chapters[0]?.start ?? 0;
    const end = info.chapters.at(-1)?.end ?? info.text_length;
    this.#length = Math.max(1, end - this.#start);
  }

  /** The chapters, in order. */
  get chapters() {
    return this.#chapters;
  }

  /** The title of the chapter that holds `offset`; empty outside the story. */
  chapter(offset) {
    return this.#chapters.find(({ start, end }) => start <= offset && offset < end)?.title ?? "";
  }

  /** How far through the story `offset` is, 0 to 1. */
  position(offset) {
    return Math.min(1, Math.max(0, (offset - this.#start) / this.#length));
  }

  /**
   * How far through a reading position is, 0 to 1.
   * @param {import("../../index.js").Position} [upTo] the whole book where absent
   */
  reach(upTo) {
    if (upTo === undefined || typeof upTo === "number") return upTo ?? 1;
    return this.position(upTo.offset ?? this.#chapters[upTo.chapter - 1]?.end ?? Infinity);
  }
}

const share = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 });
const count = new Intl.NumberFormat("en");

/** `0.234` as `23%`. */
export const percent = (part) => share.format(part);

/** `1 passage`, `20 passages`, `1,204 tokens`. */
export const plural = (n, noun) => `${count.format(n)} ${noun}${n === 1 ? "" : "s"}`;
