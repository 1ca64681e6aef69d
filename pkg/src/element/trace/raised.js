/**
 * Every event that some stage of a retrieval raised, once, in story order, with what raised it and what
 * became of it. Labels repeat in a book, so an event is known by where it stands.
 */

/**
 * @typedef {object} Raised
 * @property {string} label
 * @property {number} start
 * @property {number} end
 * @property {number} position 0 to 1
 * @property {"anchor" | "awakened" | undefined} by
 * @property {"kept" | "dropped" | "none"} fate
 * @property {string[]} characters whom it was matched with, or would have been
 * @property {string} [reason] why it was dropped
 */

/**
 * @param {import("../../../index.js").Trace} trace
 * @returns {Raised[]}
 */
export function raised({ anchors, awakened, pairs, dropped }) {
  const events = new Map();
  const at = ({ label, event = label, start, end, position }) => {
    const key = `${start}-${end}`;
    if (!events.has(key)) events.set(key, { label: event, start, end, position, by: undefined, fate: "none", characters: [] });
    return events.get(key);
  };
  for (const event of anchors.events) at(event).by = "anchor";
  for (const event of awakened.events) at(event).by ??= "awakened";
  for (const line of dropped) {
    const event = at(line);
    Object.assign(event, { fate: "dropped", reason: line.reason });
    if (line.character !== "") event.characters.push(line.character);
  }
  for (const pair of pairs) {
    const event = at(pair);
    if (event.fate !== "kept") Object.assign(event, { fate: "kept", reason: undefined, characters: [] });
    event.characters.push(pair.character);
  }
  return [...events.values()].sort((a, b) => a.position - b.position || a.start - b.start);
}
