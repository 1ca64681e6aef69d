// plotbridge inspect: what an index holds.

import { openIndex } from "../files.js";
import { count, fields, issues, output, sections, shorten, size, wrap } from "../print.js";

export const name = "inspect";
export const takes = ["INDEX"];
export const flags = [];
export const summary = "show what an index holds";
export const about = "Shows the people, places and events of an index, its vectors and its size. INDEX is a path, an http address or - for stdin.";
export const example = "plotbridge inspect novel.plot.json";

const SHOWN = 20;

export async function run({ positionals: [index], flags, signal }) {
  const book = await openIndex(index, signal);
  const document = await book.inspect();
  output(flags.json, document, () => people(document));
  book.close();
}

function people({ title, counts, embedding_spaces, bytes, entities, events, issues: list }) {
  const space = ({ id, dims, encoding, tau, pons_edges, d_cross, synonyms }) =>
    `${id}, ${dims} numbers of ${encoding}, tau ${tau.toFixed(3)}, ${count(pons_edges, "edge")}, D_cross ${d_cross.toFixed(2)}, ${count(synonyms, "synonym")}`;
  const spaces = embedding_spaces.map(space);
  const holds = ["chunks", "entities", "mentions", "triples", "relations", "events", "clusters"];
  const facts = fields([
    ["holds", holds.map((what) => `${counts[what].toLocaleString("en")} ${what}`).join(", ")],
    ["pons", `${count(counts.pons_edges, "edge")}; ${counts.ubiquitous.toLocaleString("en")} of the entities are named too often for one`],
    ["vectors", spaces.join("; ") || "none"],
    ["size", size(bytes)],
  ]);
  const cast = [...entities].sort((a, b) => b.mentions - a.mentions);
  return sections(
    `${title}\n${facts}`,
    `People, places and things\n${top(cast, entityLine)}`,
    `Events, as told\n${top(events, eventLine)}`,
    issues(list),
  );
}

function top(list, line) {
  const rest = list.length - SHOWN;
  return `${list.slice(0, SHOWN).map(line).join("\n") || "  none"}${rest > 0 ? `\n  and ${rest.toLocaleString("en")} more; --json has all` : ""}`;
}

function entityLine({ name, type, category, aliases, mentions }) {
  const others = aliases.filter((alias) => alias !== name);
  const also = others.length ? `; also ${others.join(", ")}` : "";
  return wrap(`${name} (${category ? `${type}: ${category}` : type}, ${count(mentions, "mention")}${also})`, 2);
}

const eventLine = ({ label, details, position }) => wrap(`${(100 * position).toFixed(0).padStart(2)} %  ${label}: ${shorten(details, 120)}`, 2);
