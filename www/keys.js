/**
 * Keys of model servers: in this page's memory, and in the tab's session storage only where the reader
 * asks for it. Nowhere else: not with the settings, not in an address, not in an index, not in an attribute.
 * Each belongs to the origin it was given for, and is never sent to another.
 */
const PLACE = "plotbridge-keys";

let keys = Object(stored()); // {chat: {origin, key}, embed: {origin, key}}

/** Whether they are in session storage. */
export const keysAreKept = () => stored() !== undefined;

/**
 * The key of the chat or the embedding server, where it was given for this address.
 * @param {"chat" | "embed"} use
 * @param {string} url
 * @returns {string} empty where there is none
 */
export function keyFor(use, url) {
  const held = keys[use];
  return typeof held?.key === "string" && held.origin === originOf(url) ? held.key : "";
}

/**
 * Sets all keys, instead of those before.
 * @param {Record<string, {url: string, key: string}>} given by use
 * @param {boolean} keep in session storage, until the tab is closed
 */
export function setKeys(given, keep) {
  const filled = Object.entries(given).filter(([, { key }]) => key !== "");
  keys = Object.fromEntries(filled.map(([use, { url, key }]) => [use, { origin: originOf(url), key }]));
  try {
    if (keep && filled.length > 0) sessionStorage.setItem(PLACE, JSON.stringify(keys));
    else sessionStorage.removeItem(PLACE);
  } catch {
    // They are in memory until the page is left.
  }
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @returns {string | undefined} undefined for what is no address */
export function originOf(url) {
  try {
    return new URL(url).origin;
  } catch {
    return undefined;
  }
}
