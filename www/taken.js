/** What was dropped or chosen: its bytes, and whether it is a saved index. */
import { PlotbridgeError } from "./pkg/index.js";

const MOST_BYTES = 512 * 2 ** 20; // more is not even read into memory; the engine's own limits are lower

/** The bytes of the one file that is taken. */
export async function bytesOf(file, others) {
  if (others.length > 0) throw new PlotbridgeError("usage", "more than one file was given, but one book is open at a time");
  if (file.size > MOST_BYTES) throw new PlotbridgeError("too_large", `${file.name} has ${file.size} bytes`);
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (cause) { // a folder, or a file that has changed or gone
    throw new PlotbridgeError("unreadable", `${file.name} could not be read: ${cause.message}`, { cause });
  }
}

/** Whether this is a saved index rather than a text, by its content; a name that says so counts too. */
export function isIndex(name, bytes) {
  if (/\.json$/i.test(name)) return true;
  return !/\.txt$/i.test(name) && /^\s*\{\s*"/.test(new TextDecoder().decode(bytes.subarray(0, 64)));
}
