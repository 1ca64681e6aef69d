// What people read: wrapped, aligned, in the terminal's width.

/** The width to print in: what COLUMNS says, or the terminal's up to 100. */
export const columns = () => Math.max(40, Number.parseInt(process.env.COLUMNS, 10) || Math.min(process.stdout.columns || 80, 100));

/**
 * A text without the control characters that a terminal obeys, which a book may hold; lines and tabs
 * stay. Everything printed for people goes through here.
 */
export const printable = (text) => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\uFFFD");

/** The text wrapped at spaces, every line indented; runs of white space become one space. */
export function wrap(text, indent = 0) {
  const width = columns() - indent;
  const lines = [];
  let line = "";
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line ? `${line} ${word}` : word;
    }
  }
  lines.push(line);
  return lines.map((one) => " ".repeat(indent) + one).join("\n");
}

/** At most `length` characters of a text, ended at a word, as one line. */
export function shorten(text, length) {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= length) return line;
  const cut = line.slice(0, length);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), length / 2))} …`;
}

/** `name  value` lines with the values under each other. */
export function fields(rows) {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, value]) => `  ${name.padEnd(width)}${wrap(value, width + 2).trimStart()}`).join("\n");
}

/** Title and author. */
export const byline = (title, author) => (author ? `${title}, by ${author}` : title);

/** A count with its noun, and thousands parted. */
export const count = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

/** A size for people. */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The chapter at an offset, for people; empty where there is none. */
export function chapterAt(chapters, offset) {
  const at = chapters.findIndex(({ start, end }) => start <= offset && offset < end);
  return at < 0 ? "" : chapterName(chapters, at);
}

/** A chapter by its place, from 0: its title, with the number that --up-to takes where the title has no other. */
export function chapterName(chapters, at) {
  const title = shorten(withoutNumber(chapters[at]?.title ?? "", at + 1), 50);
  if (/^chapter\b/i.test(title)) return title;
  return title ? `chapter ${at + 1} (${title})` : `chapter ${at + 1}`;
}

/** A title without its number, where that is the chapter's own: of "15. The Island" or "XV. The Island" the rest. */
function withoutNumber(title, number) {
  const [, first, rest] = /^(\d+|[IVXLC]+)[.:]\s+(\S.*)$/s.exec(title) ?? [];
  return first === String(number) || first === roman(number) ? rest : title;
}

function roman(number) {
  const signs = [[100, "C"], [90, "XC"], [50, "L"], [40, "XL"], [10, "X"], [9, "IX"], [5, "V"], [4, "IV"], [1, "I"]];
  const [value, sign] = signs.find(([value]) => value <= number) ?? [];
  return value ? sign + roman(number - value) : "";
}

/** Issues as lines; nothing where there are none. */
export function issues(list) {
  return list.length ? `To know\n${list.map(({ code, message }) => wrap(`${message} [${code}]`, 2)).join("\n")}` : "";
}

/** Parts one under the other with an empty line between; empty ones are left out. */
export const sections = (...parts) => parts.filter(Boolean).join("\n\n");

/** JSON leaves some control characters as they are, which a terminal obeys; escaped it says the same. */
const escaped = (json) => json.replace(/[\x7f-\x9f]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);

/** Prints the JSON document, or what `people` makes of it. */
export function output(json, document, people) {
  process.stdout.write(`${json ? escaped(JSON.stringify(document)) : printable(people())}\n`);
}
