/** Whether one's own book is kept in this browser, and which is: settings and store in one place. */
import { forget, hold, keep, kept } from "./keep.js";
import { set, settings } from "./settings.js";

export class Shelf {
  /** Of the open book: whether it will be there at the next visit. */
  lasting = false;

  /** Whether books are to be kept. */
  get keeping() {
    return settings.keep;
  }

  kept() {
    return kept();
  }

  /** A book of one's own was opened. */
  async put(book) {
    const saved = { title: book.info.title, bytes: await (await book.save()).arrayBuffer() };
    this.lasting = settings.keep ? await keep(saved) : await hold(saved).then(() => false);
    set({ own: this.lasting });
  }

  /** The book that is kept was opened again. Nothing is written: a visit that ends just then loses nothing. */
  took({ lasting }) {
    this.lasting = lasting;
    set({ own: lasting });
  }

  /** The reader went back to the story: the next visit begins with it. */
  leave() {
    set({ own: false });
  }

  async choose(on, book) {
    set({ keep: on });
    await this.put(book);
  }

  async forget() {
    this.lasting = false;
    set({ own: false });
    await forget();
  }
}
