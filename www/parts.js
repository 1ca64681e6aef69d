/**
 * What the reader can turn to: the chapters, with the text before, between and after them, and a very
 * long chapter in pieces. Put end to end, the parts are the whole text.
 */

// So many units are laid out at once at most: a few hundredths of a second's work.
const LONGEST = 60_000;

/**
 * @param {import("./pkg/index.js").Book} book
 * @returns {Promise<{title: string, start: number, end: number}[]>}
 */
export async function partsOf(book) {
  const { chapters, text_length: length } = book.info;
  const parts = [];
  let at = 0;
  for (const { title, start, end } of [...chapters, { start: length, end: length }]) {
    const gap = start > at ? await book.text(at, start) : "";
    if (gap.trim() !== "") parts.push({ title: nameOf(parts, chapters), start: at, end: start });
    else if (parts.length > 0) parts.at(-1).end = start; // empty lines go with what stands before them
    if (end > start) parts.push({ title, start: parts.length > 0 ? start : at, end });
    at = end;
  }
  return (await Promise.all(parts.map((part) => piecesOf(book, part)))).flat();
}

function nameOf(before, chapters) {
  if (chapters.length === 0) return "The text";
  if (before.length === 0) return "Before the story";
  return before.length < chapters.length ? "Between chapters" : "After the story";
}

/** A part as it is, or, if it is very long, cut between paragraphs. */
async function piecesOf(book, { title, start, end }) {
  if (end - start <= LONGEST) return [{ title, start, end }];
  const cuts = [start, ...cutsOf(await book.text(start, end)).map((cut) => start + cut), end];
  return cuts.slice(1).map((cut, at) => ({ title: `${title} (${at + 1} of ${cuts.length - 1})`, start: cuts[at], end: cut }));
}

/** Where to cut: after the last empty line, else the last line or word, that still fits; else anywhere. */
function cutsOf(text) {
  const cuts = [];
  for (let from = 0; text.length - from > LONGEST; from = cuts.at(-1)) {
    const room = text.slice(from, from + LONGEST);
    const ends = ["\n\n", "\n", " "].map((gap) => room.lastIndexOf(gap) + gap.length);
    const cut = ends.find((end) => end > LONGEST / 2) ?? LONGEST - isHigh(room.charCodeAt(LONGEST - 1));
    cuts.push(from + cut);
  }
  return cuts;
}

/** 1 when a character of two units would be cut in half. */
const isHigh = (unit) => (unit >= 0xd800 && unit < 0xdc00 ? 1 : 0);
