// plotbridge inspect: what an index holds.

import { PlotbridgeError } from "../../src/errors.js";
import { openIndex } from "../files.js";
import { count, fields, issues, output, sections, shorten, size, wrap } from "../print.js";

export const name = "inspect";
export const takes = ["INDEX"];
export const flags = ["merges", "about"];
export const words = { merges: { type: "boolean", arg: undefined, help: "list which names were merged, which were looked at and not, and why" } };
export const summary = "show what an index holds";
export const about = "Shows the people, places and events of an index, its vectors and its size. INDEX is a path, an http address or - for stdin. With --merges it lists the decisions about names instead, each with its reason and the place where a reader can know it; what is wrong there is put right by index --merges FILE.";
export const example = "plotbridge inspect novel.plot.json";

const SHOWN = 20;

export async function run({ positionals: [index], flags, signal }) {
  if (flags.about !== undefined && !flags.merges) throw new PlotbridgeError("usage", "--about is for --merges");
  const book = await openIndex(index, signal);
  const whole = await book.inspect();
  const document = flags.about === undefined ? whole : { ...whole, merges: naming(whole.merges, flags.about) };
  output(flags.json, document, () => (flags.merges ? decisions(document) : people(document)));
  book.close();
}

/** Decisions about names that hold a text, in any case. */
function naming(merges, text) {
  const holds = (name) => name.toLowerCase().includes(text.toLowerCase());
  return merges.filter(({ one, other }) => holds(one) || holds(other));
}

/** Every decision about names: merged, told apart, left apart. */
function decisions({ title, merges, issues: list }) {
  const line = (mark) => ({ one, other, by, reason, evidence }) => wrap(`${one} ${mark} ${other}: ${reason} (${by}, known at ${evidence.toLocaleString("en")})`, 2);
  const part = (heading, verdict, mark) => {
    const some = merges.filter((merge) => merge.verdict === verdict);
    return `${heading}: ${some.length.toLocaleString("en")}\n${some.map(line(mark)).join("\n") || "  none"}`;
  };
  return sections(title, part("One", "same", "="), part("Two", "different", "≠"), part("Not sure, left apart", "uncertain", "?"), issues(list));
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
