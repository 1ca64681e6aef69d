// Pause: a switch that a build heeds. While it is on no request is begun; those under way end.

/** A switch for `Book.build`; one may serve several builds. It tells of a change by the event `change`. */
export class Pause extends EventTarget {
  #paused = false;

  get paused() {
    return this.#paused;
  }

  pause() {
    this.#turn(true);
  }

  resume() {
    this.#turn(false);
  }

  #turn(paused) {
    if (this.#paused === paused) return;
    this.#paused = paused;
    this.dispatchEvent(new Event("change"));
  }
}

/** Resolves once nothing is paused. */
export async function opened(pause) {
  while (pause.paused) await new Promise((resolve) => pause.addEventListener("change", resolve, { once: true }));
}
