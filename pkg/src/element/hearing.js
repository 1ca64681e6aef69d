/**
 * What is heard of one question while it is answered: its stages, its passages, and a model's words as
 * they come. Text that no model writes comes with its answer, and is left to it.
 */
import { progress, writes } from "./shell.js";
import { Writing } from "./writing.js";

export class Hearing {
  /** The passages, best first: all there is to show when the model fails. */
  evidence = [];
  #ui;
  #writing; // once a model was asked

  /** @param {ReturnType<typeof import("./shell.js").shell>} ui */
  constructor(ui) {
    this.#ui = ui;
  }

  /** Whether a chat model was asked. */
  get asked() {
    return this.#writing !== undefined;
  }

  /** @param {import("../../index.js").AskEvent} event */
  hear(event) {
    if (event.type === "stage") this.#stage(event);
    else if (event.type === "evidence") this.evidence.push(event);
    else if (event.type === "text" && this.#writing) {
      writes(this.#ui);
      this.#writing.add(event.text, event.anew);
    }
  }

  #stage(event) {
    progress(this.#ui, event);
    if (event.stage === "generate") this.#writing ??= new Writing(this.#ui.words);
  }

  end() {
    this.#writing?.end();
  }
}
