// Sweeps: `KEY=v1,v2` tries values of one tunable, `K1/K2=a/b,c/d` of several together.

import { PlotbridgeError } from "../src/errors.js";

/** `[{ name, key, value, config }]`; each value has the spelling it bears in the results: `.25` is `0.25`. */
export const readSweeps = (texts) => texts.flatMap(readSweep);

function readSweep(text) {
  const at = text.indexOf("=");
  const keys = text.slice(0, Math.max(at, 0)).split("/").map((key) => key.trim());
  const lists = text.slice(at + 1).split(",").map((list) => list.split("/").map(spelled));
  if (keys.includes("") || lists.flat().includes("")) throw refused(text, "must be KEY=v1,v2 with values parted by commas");
  const odd = lists.find((list) => list.length !== keys.length);
  if (odd) throw refused(text, `has ${odd.length} for ${keys.length} keys in ${JSON.stringify(odd.join("/"))}: K1/K2=a/b,c/d takes one for each`);
  return lists.map((list) => {
    const [key, value] = [keys.join("/"), list.join("/")];
    return { name: `${key}=${value}`, key, value, config: Object.fromEntries(keys.map((one, place) => [one, list[place]])) };
  });
}

function spelled(text) {
  const value = text.trim();
  return value !== "" && Number.isFinite(Number(value)) ? String(Number(value)) : value;
}

const refused = (text, why) => new PlotbridgeError("usage", `--sweep is ${JSON.stringify(text)}, but ${why}`);
