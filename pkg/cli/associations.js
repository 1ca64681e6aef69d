// What CodaRAG and LightRAG associated, as `retrieve` prints it.

import { told } from "../src/eliminated.js";
import { count, shorten, wrap } from "./print.js";

const NAMES = 10;
const RELATIONS = 5;

/** The cues, the names with the ways that reached them, the relations, and what was taken out. */
export function associations({ cues, entities, relations, eliminated }) {
  const { gone, crowded, back } = told(eliminated);
  return [
    `Cues, by ${cues.by}\n${wrap(`in large: ${cues.high.join(", ") || "none"}`, 2)}\n${wrap(`in detail: ${cues.low.join(", ") || "none"}`, 2)}`,
    list("Associated", entities, NAMES, ({ name, via }) => `${name} (${via.join(", ")})`),
    list("Tied by", relations, RELATIONS, ({ source, target, keywords, description }) =>
      shorten(`${source} — ${target}${keywords.length ? `: ${keywords.join(", ")}` : ""}. ${description}`, 160)),
    list(`Taken out${back ? ` (and ${back} put back)` : ""}`, gone, RELATIONS, ({ entity, source, target, reason }) =>
      `${entity || `${source} — ${target}`}: ${reason}`),
    crowded > 0 && `No room\n${wrap(`${count(crowded, "name or tie", "names and ties")} beyond the tokens that the context has for its kind`, 2)}`,
  ].filter(Boolean).join("\n\n");
}

function list(head, items, most, line) {
  if (!items.length) return `${head}\n  nothing`;
  const rest = items.length - most;
  return `${head}\n${items.slice(0, most).map((item) => wrap(line(item), 2)).join("\n")}${rest > 0 ? `\n  and ${rest} more; --json has all` : ""}`;
}
