// A reading position: nothing that rests on later text is in a result.

import { fails, ok, same } from "./assert.js";
import { SECRET } from "./books.js";

/** Every text of a result, whatever its key. */
function texts(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}

const ASKED = "Who hid the silver key?";

export const position = {
  async "a reading position keeps later text and names out of the trace and the answer"({ Book, options }) {
    const book = await Book.build(SECRET, options);
    const [first, second] = book.info.chapters;
    const positions = [{ chapter: 1 }, { offset: first.end }, (first.end - 20) / second.end];
    for (const method of ["pons", "coda", "hippo", "light", "dense", "bm25"]) {
      const whole = await book.ask(ASKED, { method });
      ok(texts(whole.trace).some((text) => text.includes("Mallory")), `${method} finds the later name in the whole book`);
      for (const upTo of positions) {
        const events = [];
        const { trace, ...answer } = await book.ask(ASKED, { method, upTo, onEvent: (event) => void events.push(event) });
        const heard = texts(events).join("\n");
        ok(events.some(({ type }) => type === "evidence") && !heard.includes("Mallory") && !heard.includes("silver key"), `${method}: no event tells of later`);
        // The question is the asker's own words.
        const said = texts({ ...answer, trace: { ...trace, question: "" } }).join("\n");
        ok(!said.includes("Mallory") && !said.includes("silver key"), `${method} up to ${JSON.stringify(upTo)} keeps silent`);
        ok(trace.evidence.length > 0, "what was read is still found");
        ok([...trace.evidence, ...answer.citations].every(({ end }) => end <= first.end), "no place lies later");
      }
    }
    book.close();
  },

  async "before the first sentence there is nothing to ask, and the result says so"({ Book, options }) {
    const book = await Book.build(SECRET, options);
    const answer = await book.ask(ASKED, { upTo: 0 });
    same(answer.text, "not found in what you have read", "answer");
    same(answer.trace.evidence.length, 0, "passages");
    ok(answer.issues.some(({ code }) => code === "nothing_read"), "the issue nothing_read");
    book.close();
  },

  async "a position that the book has not is refused"(subject) {
    const book = await subject.Book.build(SECRET, subject.options);
    for (const upTo of [1.5, -0.1, { chapter: 0 }, { chapter: 99 }, { offset: 9_999_999 }, { page: 3 }, "0.5"]) {
      await fails(subject, book.retrieve(ASKED, { upTo }), "usage");
    }
    book.close();
  },
};
