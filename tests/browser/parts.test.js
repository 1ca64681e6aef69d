// The reader's parts, put end to end, are the text, whatever the text and its chapters are.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { partsOf } from "../../www/parts.js";

const book = (text, chapters) => ({ info: { chapters, text_length: text.length }, text: async (start, end) => text.slice(start, end) });

const story = "I\n\nOne.\n\nII\n\nTwo.\n";
const chapters = [{ title: "I", start: 0, end: 9 }, { title: "II", start: 9, end: story.length }];
const moved = (by) => chapters.map(({ title, start, end }) => ({ title, start: start + by, end: end + by }));

const BOOKS = {
  "two chapters": [story, chapters, ["I", "II"]],
  "empty lines around them": [`\n\n${story}\n \n`, moved(2), ["I", "II"]],
  "front matter and end": [`Title\n\n${story}Licence`, moved(7), ["Before the story", "I", "II", "After the story"]],
  "no chapters": ["A text.", [], ["The text"]],
  "no text": ["", [], []],
  "a long chapter": ["A line.\n\n".repeat(20_000), [{ title: "I", start: 0, end: 180_000 }], ["I (1 of 4)", "I (2 of 4)", "I (3 of 4)", "I (4 of 4)"]],
  "one line without a space": ["😀".repeat(45_000), [{ title: "I", start: 0, end: 90_000 }], ["I (1 of 2)", "I (2 of 2)"]],
  "a character across the limit": [`a${"😀".repeat(45_000)}`, [{ title: "I", start: 0, end: 90_001 }], ["I (1 of 2)", "I (2 of 2)"]],
};

describe("the parts of a book", () => {
  for (const [name, [text, given, titles]] of Object.entries(BOOKS)) {
    test(name, async () => {
      const parts = await partsOf(book(text, given));
      assert.deepEqual(parts.map(({ title }) => title), titles);
      const pieces = parts.map(({ start, end }) => text.slice(start, end));
      assert.equal(pieces.join(""), text);
      for (const piece of pieces) assert.ok(piece.isWellFormed(), "no character is cut in half");
    });
  }
});
