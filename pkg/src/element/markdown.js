/**
 * The little Markdown that language models write, as a tree: paragraphs, lists, headings, emphasis, code,
 * line breaks. Nothing else is known: HTML, links and images stay the characters they are written with.
 * `writing.js` makes nodes of it.
 *
 * Whatever the text, reading it takes time linear in it: each kind of emphasis is open at most once, so
 * nothing nests deeper than there are kinds, and what has no end is looked for in vain only once.
 *
 * @typedef {string | {tag: string, start?: number, children: Part[]}} Part
 */
const DEEPEST = 3; // lists within lists; what is indented further stands in the deepest
const ITEM = /^([ \t]*)(?:[-+*•]|(\d{1,9})[.)])[ \t]+(?=\S)/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(?=\S)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const BEGUN = /(?:^|\n)[ \t]*(?:[-+*•#`~]+|\d{1,9}[.)]?)[ \t]*$/; // a line that may become a list, a heading, a fence
const TOKEN = /\\[!-/:-@[-`{-~]|`+|\*+|_+|\n|[^\\`*_\n]+|\\/g;
const EMPHASIS = { "*": ["em"], _: ["em"], "**": ["strong"], __: ["strong"], "***": ["strong", "em"], ___: ["strong", "em"] };

/**
 * @param {string} text
 * @param {{growing?: boolean}} [how] whether more will come: then what has no end yet counts as ended
 * @returns {Part[]} blocks: `p`, `ul`, `ol`, `pre`
 */
export function parsed(text, { growing = false } = {}) {
  const lines = (growing ? text.replace(BEGUN, "") : text).replace(/\r\n?/g, "\n").split("\n");
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    if (lines[at].trim() === "") at++;
    else at = blockOf(lines[at])(lines, at, blocks, growing);
  }
  return blocks;
}

/** The reader of the block that begins with this line; it tells at which line the next one may begin. */
function blockOf(line) {
  if (FENCE.test(line)) return fenced;
  if (HEADING.test(line)) return headed;
  return ITEM.test(line) ? listed : flowing;
}

/** Code between fences; one that is never closed goes on to the end. */
function fenced(lines, at, blocks) {
  const [, fence] = FENCE.exec(lines[at]);
  const closes = (line) => line.length >= fence.length && line === fence[0].repeat(line.length);
  let end = at + 1;
  while (end < lines.length && !closes(lines[end].trim())) end++;
  blocks.push({ tag: "pre", children: [{ tag: "code", children: [lines.slice(at + 1, end).join("\n")] }] });
  return end + 1;
}

/** A heading is a paragraph in bold: the page has headings of its own. */
function headed(lines, at, blocks, growing) {
  const words = lines[at].replace(HEADING, "").trim();
  blocks.push({ tag: "p", children: [{ tag: "strong", children: inline(words, growing) }] });
  return at + 1;
}

function flowing(lines, at, blocks, growing) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() !== "" && blockOf(lines[end]) === flowing) end++;
  blocks.push({ tag: "p", children: inline(trimmed(lines.slice(at, end)), growing) });
  return end;
}

function listed(lines, at, blocks, growing) {
  const items = [];
  for (; at < lines.length; at++) {
    const line = lines[at];
    const [mark, space, number] = ITEM.exec(line) ?? [];
    if (mark && !FENCE.test(line)) items.push({ indent: space.replaceAll("\t", "    ").length, number, words: [line.slice(mark.length)] });
    else if (line.trim() === "" ? !ITEM.test(lines[at + 1] ?? "") : blockOf(line) !== flowing) break;
    else if (line.trim() !== "") items.at(-1).words.push(line);
  }
  blocks.push(...nested(items.map((item) => ({ ...item, children: inline(trimmed(item.words), growing) }))));
  return at;
}

/** Items as lists within lists, by their indents. */
function nested(items) {
  const whole = [];
  const open = []; // outermost first: {indent, into, list}
  for (const { indent, number, children } of items) {
    while (open.length > 1 && indent < open.at(-1).indent) open.pop();
    const last = open.at(-1);
    const deeper = !last || (indent > last.indent + 1 && open.length < DEEPEST);
    if (deeper) open.push({ indent, into: last ? last.list.children.at(-1).children : whole });
    const here = open.at(-1);
    const tag = number === undefined ? "ul" : "ol";
    if (here.list?.tag !== tag) {
      here.list = { tag, ...(number > 1 && { start: Number(number) }), children: [] };
      here.into.push(here.list);
    }
    here.list.children.push({ tag: "li", children });
  }
  return whole;
}

const trimmed = (lines) => lines.map((line) => line.trim()).join("\n");

/** The words of one block: strings that are next to each other are one. */
function inline(text, growing) {
  const tokens = text.match(TOKEN) ?? [];
  const open = [{ children: [] }]; // the block, then each emphasis that is open: {mark, children}
  const endless = new Set(); // runs of backticks that have no partner any more
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    const end = token[0] === "`" && !endless.has(token) ? tokens.indexOf(token, at + 1) : -1;
    if (end > 0) {
      put(open.at(-1), { tag: "code", children: [tokens.slice(at + 1, end).join("").trim()] });
      at = end;
    } else if (token[0] === "`") {
      endless.add(token);
      put(open.at(-1), token);
    } else if (token === "\n") put(open.at(-1), { tag: "br", children: [] });
    else if (token[0] === "*" || token[0] === "_") emphasis(token, tokens[at - 1]?.at(-1), tokens[at + 1]?.[0], open);
    else put(open.at(-1), token.length === 2 && token[0] === "\\" ? token[1] : token);
  }
  while (open.length > 1) (growing && open.at(-1).children.length > 0 ? close : giveUp)(open);
  return open[0].children;
}

/** A run of one mark, between two characters: ends what is open, begins something, or is itself. */
function emphasis(run, before = " ", after = " ", open) {
  const inWord = run[0] === "_" ? /[\p{L}\p{N}]/u : /(?!)/;
  const [ends, begins] = [[before, after], [after, before]].map(([inside, outside]) => !/\s/.test(inside) && !inWord.test(outside));
  let rest = run;
  for (let place = open.length - 1; ends && place > 0; place--) {
    const { mark } = open[place];
    if (mark === undefined || !rest.startsWith(mark)) continue;
    while (open.length - 1 > place) giveUp(open);
    close(open);
    rest = rest.slice(mark.length);
  }
  if (begins && EMPHASIS[rest] && open.every(({ mark }) => mark !== rest)) open.push({ mark: rest, children: [] });
  else if (rest !== "") put(open.at(-1), rest);
}

function close(open) {
  const { mark, children } = open.pop();
  put(open.at(-1), EMPHASIS[mark].reduceRight((inside, tag) => [{ tag, children: inside }], children)[0]);
}

/** What never ends was no emphasis. */
function giveUp(open) {
  const { mark, children } = open.pop();
  for (const child of [mark, ...children]) put(open.at(-1), child);
}

function put({ children }, part) {
  if (typeof part === "string" && typeof children.at(-1) === "string") children[children.length - 1] += part;
  else children.push(part);
}
