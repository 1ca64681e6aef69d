/**
 * Where every character of a text goes: into a chunk, which is searched, or among the skips. The two
 * must add up to the text.
 */
const WORDS = 60;

/** The encodings that are read. ISO 8859-1 is a part of Windows-1252. */
export const ENCODINGS = {
  "utf-8": "UTF-8",
  "windows-1252": "Western European (Latin-1, Windows-1252)",
  "utf-16le": "UTF-16, little-endian",
  "utf-16be": "UTF-16, big-endian",
};

/** Reasons of the engine in plain words; another reason is shown as it is. */
const REASONS = {
  boilerplate: "Licence and notes around the book",
  front_matter: "Before the story begins",
  contents: "Table of contents",
  heading: "Chapter heading",
  separator: "Line between scenes",
};

/** @param {import("./pkg/index.js").Chunks} read */
export function coverageOf({ text_length: length, chunks, skips }) {
  const [indexed, skipped] = [chunks, skips].map((spans) => spans.reduce((sum, { start, end }) => sum + end - start, 0));
  return { length, indexed, skipped, whole: indexed + skipped === length };
}

/**
 * The text that the engine read, and its encoding, found by decoding the file's bytes until they give
 * the engine's chunks: it names the places of skips only. Nothing is found where none does.
 * @param {import("./pkg/index.js").Chunks} read
 * @param {Uint8Array} bytes
 * @returns {{text?: string, encoding?: string}}
 */
export function decoded({ text_length: length, chunks }, bytes) {
  const isIt = (text) => text.length === length && chunks.every(({ start, end, text: words }) => text.slice(start, end) === words);
  for (const encoding of Object.keys(ENCODINGS)) {
    const text = new TextDecoder(encoding).decode(bytes).replace(/\r\n?/g, "\n");
    if (isIt(text)) return { text, encoding };
  }
  return {};
}

/** The skips with size and first words, where the text is known. */
export function skipsOf({ skips }, text) {
  return skips.map(({ start, end, reason }) => ({
    reason: REASONS[reason] ?? reason.replaceAll("_", " "),
    size: end - start,
    words: text === undefined ? "" : firstWords(text.slice(start, end)),
  }));
}

function firstWords(text) {
  const line = text.slice(0, 4 * WORDS).replace(/\s+/g, " ").trim();
  if (line.length <= WORDS) return line;
  return `${line.slice(0, Math.max(line.lastIndexOf(" ", WORDS), WORDS / 2))} …`;
}
