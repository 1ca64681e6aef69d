/**
 * A model's words as elements, also while they are still coming: at most once a frame, and only what has
 * changed is touched, so that nothing flickers and what is selected stays selected.
 */
import { el } from "./dom.js";
import { parsed } from "./markdown.js";

/** A whole text. */
export const written = (text) => parsed(text).map(drawn);

/** A text that grows. */
export class Writing {
  #root = el("div", { class: "statement" });
  #text = "";
  #parts = [];
  #frame;

  /** @param {HTMLElement} place where it is put; what clears that ends it too */
  constructor(place) {
    place.append(this.#root);
  }

  /**
   * @param {string} piece what has come
   * @param {boolean} [anew] whether the text begins with it once more
   */
  add(piece, anew) {
    this.#text = anew ? piece : this.#text + piece;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      const parts = parsed(this.#text, { growing: true });
      redraw(this.#root, this.#parts, parts);
      this.#parts = parts;
    });
  }

  /** Nothing is drawn any more. */
  end() {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
  }
}

const drawn = (part) => (typeof part === "string" ? document.createTextNode(part)
  : el(part.tag, { start: part.start }, ...part.children.map(drawn)));

/** Makes what is drawn in `root` as `before` look as `after`. */
function redraw(root, before, after) {
  for (const [at, part] of after.entries()) {
    const [node, old] = [root.childNodes[at], before[at]];
    if (old === undefined) root.append(drawn(part));
    else if (typeof part === "string" && typeof old === "string") {
      if (old !== part) node.data = part;
    } else if (part.tag !== old.tag || part.start !== old.start) node.replaceWith(drawn(part));
    else redraw(node, old.children, part.children);
  }
  while (root.childNodes.length > after.length) root.lastChild.remove();
}
