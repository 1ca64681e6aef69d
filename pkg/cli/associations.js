// What CodaRAG and LightRAG associated, as `retrieve` prints it.

import { shorten, wrap } from "./print.js";

const NAMES = 10;
const RELATIONS = 5;

/** The cues, the names with the ways that reached them, the relations, and what was taken out. */
export function associations({ cues, entities, relations, eliminated }) {
  const gone = eliminated.filter(({ restored }) => !restored);
  const back = eliminated.length - gone.length;
  return [
    `Cues, by ${cues.by}\n${wrap(`in large: ${cues.high.join(", ") || "none"}`, 2)}\n${wrap(`in detail: ${cues.low.join(", ") || "none"}`, 2)}`,
    list("Associated", entities, NAMES, ({ name, via }) => `${name} (${via.join(", ")})`),
    list("Tied by", relations, RELATIONS, ({ source, target, keywords, description }) =>
      shorten(`${source} — ${target}${keywords.length ? `: ${keywords.join(", ")}` : ""}. ${description}`, 160)),
    list(`Taken out${back ? ` (and ${back} put back)` : ""}`, gone, RELATIONS, ({ entity, source, target, reason }) =>
      `${entity || `${source} — ${target}`}: ${reason}`),
  ].join("\n\n");
}

function list(head, items, most, line) {
  if (!items.length) return `${head}\n  nothing`;
  const rest = items.length - most;
  return `${head}\n${items.slice(0, most).map((item) => wrap(line(item), 2)).join("\n")}${rest > 0 ? `\n  and ${rest} more; --json has all` : ""}`;
}
