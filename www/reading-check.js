/**
 * What was read of a file, before it is indexed: title, author, encoding, chapters, and where every
 * character goes. Pure: it draws what it is given, and calls back.
 */
import { sentence } from "./pkg/src/element/answer.js";
import { el } from "./pkg/src/element/dom.js";
import { plural } from "./pkg/src/element/places.js";
import { chapterList } from "./chapter-list.js";
import { coverageOf, decoded, ENCODINGS, skipsOf } from "./coverage.js";
import { indexing } from "./indexing.js";

/**
 * @param {{name: string, bytes: Uint8Array, read: import("./pkg/index.js").Chunks, title?: string, chapters?: object[]}} file
 *   `title` and `chapters` where the reader has already changed them
 * @param {{index: (title: string, how: object) => void, changed: (what: object) => void, again: (encoding: string, title: string) => void, corrected: (chapters: object[] | undefined, focus: string) => void, leave: () => void}} act
 *   index it so, hear of another title or other titles of chapters, read it again in another encoding or with other
 *   chapters, or leave it
 * @returns {HTMLElement} with a heading that can take the focus
 */
export function readingCheck({ name, bytes, encoding: chosenEncoding, read, title = read.title, chapters }, { index, changed, again, corrected, leave }) {
  const { text, encoding } = decoded(read, bytes);
  const input = el("input", { id: "own-book-title", name: "title", type: "text", value: title, autocomplete: "off", maxlength: 200, on: { input: () => changed({ title: input.value }) } });
  const how = indexing({ name, bytes, encoding: chosenEncoding }, read.chunks.length);
  const chosen = () => input.value.trim() || read.title;
  const submit = (event) => {
    event.preventDefault();
    index(chosen(), how.chosen());
  };
  return el("form", { class: "check", "aria-labelledby": "check-title", on: { submit } },
    el("h3", { id: "check-title", tabindex: -1 }, "Is this your book?"),
    el("p", { class: "note" }, `Read from ${name}. Nothing is indexed yet.`),
    el("label", { class: "field", for: input.id }, "Title"), input,
    el("dl", {}, ...facts(read)),
    encodings(encoding, (other) => again(other, chosen())),
    chapterList(read, { text, corrected: chapters !== undefined, open: chapters !== undefined }, { titled: (list) => changed({ chapters: list }), corrected }),
    ...coverage(read, text),
    ...read.issues.map(({ message }) => el("p", { class: "note issue" }, sentence(message))),
    how.view,
    el("p", { class: "actions" },
      el("button", { type: "submit", class: "primary" }, "Index this book"),
      el("button", { type: "button", on: { click: leave } }, "Leave it")));
}

function facts({ author, language, text_length: length }) {
  return Object.entries({
    Author: author || "not found",
    Language: languageLine(language),
    Text: plural(length, "character"),
  }).map(([what, value]) => el("div", {}, el("dt", {}, what), el("dd", {}, value)));
}

function languageLine(language) {
  const name = language === "und" ? "not recognised" : new Intl.DisplayNames("en", { type: "language" }).of(language);
  return /^en\b/.test(language) ? name : `${name}; the rules are made for English, and will find little in another language`;
}

/** The recognised encoding, and the others to read the text in where its letters are wrong. */
const encodings = (encoding, read) => el("label", { class: "encoding" }, el("span", {}, "Encoding"),
  el("select", { name: "encoding", on: { change: ({ target }) => read(target.value) } },
    ...(encoding ? [] : [el("option", { value: "", disabled: true, selected: true }, "As it was recognised")]),
    ...Object.entries(ENCODINGS).map(([value, words]) => el("option", { value, selected: value === encoding }, words))));

/** With one decimal, and 100 only where it is all. */
const percentOf = (part, whole) => `${part < whole ? Math.min(Math.round((1000 * part) / whole), 999) / 10 : 100}%`;

/** The sum, and each part that is left out, with its beginning. */
function coverage(read, text) {
  const { length, indexed, skipped, whole } = coverageOf(read);
  const size = (n) => el("strong", {}, plural(n, "character"));
  const share = el("p", { class: "coverage" },
    size(indexed), ` (${percentOf(indexed, length)}) will be searched, in ${plural(read.chunks.length, "part")}; `,
    ...(skipped > 0 ? [size(skipped), " are left out. "] : ["nothing is left out. "]),
    whole ? "Together they are the whole text." : `They are not the whole text of ${plural(length, "character")}: please report this book.`);
  if (read.skips.length === 0) return [share];
  return [share, el("details", { class: "list skips" },
    el("summary", {}, `What is left out, in ${plural(read.skips.length, "place")}`),
    el("ol", {}, ...skipsOf(read, text).map(({ reason, size: units, words }) =>
      el("li", {}, el("span", {}, reason), " ", el("span", { class: "size" }, plural(units, "character")),
        words && el("q", {}, words)))))];
}
