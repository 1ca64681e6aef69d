// Sources: whatever a caller holds, as bytes of our own or as an address.
//
// A buffer that is passed in is copied, so that the copy can be handed to a worker and the
// caller's stays whole.

import { PlotbridgeError, words } from "./errors.js";

/** `{ url }` of an index to be fetched by the engine, or `{ bytes, name }` that are ours to give away. */
export async function readSource(call, source, signal) {
  try {
    return await read(call, source, signal);
  } catch (cause) {
    if (cause instanceof PlotbridgeError || signal.aborted) throw cause;
    throw new PlotbridgeError("unreadable", `the source of ${call} cannot be read: ${words(cause)}`, { cause });
  }
}

async function read(call, source, signal) {
  const name = tag(source);
  if (typeof source === "string" && call !== "open") return { bytes: new TextEncoder().encode(textItself(call, source)) };
  if (typeof source === "string" || name === "URL") {
    const url = absolute(source);
    return call === "open" ? { url } : { bytes: await fetchBytes(url, signal), name: lastPart(url) };
  }
  if (name === "Request") return { bytes: await fetchBytes(source, signal), name: lastPart(source.url) };
  if (name === "Blob" || name === "File") return { bytes: new Uint8Array(await source.arrayBuffer()), name: source.name };
  if (name === "ArrayBuffer") return { bytes: new Uint8Array(source.slice(0)) };
  if (name === "Uint8Array") return { bytes: new Uint8Array(source) };
  if (call === "open" && name === "Object") return { bytes: new TextEncoder().encode(jsonOf(source)) };
  const wanted = call === "open" ? "a URL, a Request, a Blob, bytes or a parsed index" : "a text, a URL, a Request, a Blob or bytes";
  throw new PlotbridgeError("usage", `the source of ${call} is ${source === null ? "null" : name}, but must be ${wanted}`);
}

/** The text that a string is; refused where it is an address or a path, which the caller meant to be read. */
function textItself(call, source) {
  const line = source.trim();
  const address = /^(https?|file|blob):\S+$/i.test(line);
  const path = /^(\.{0,2}[\\/]|~[\\/]|[a-z]:[\\/])[^\r\n]*\.\w{1,8}$/i.test(line) || /^[\w.-]+\.(txt|text|md|html?|xhtml|xml|epub|pdf|json|fountain)$/i.test(line);
  if (line.length > 1000 || !(address || path)) return source;
  const instead = address ? `pass new URL(${JSON.stringify(line)})` : "pass the file's bytes, a Blob or its URL";
  throw new PlotbridgeError("usage", `the source of ${call} is ${JSON.stringify(line)}, ${address ? "an address" : "a path"}, but a string is taken for the text itself: ${instead}`);
}

/** The file that an address names, if it names one: what a book without a title is called by. */
export function lastPart(url) {
  const { protocol, pathname } = new URL(url);
  if (!/^(https?|file):$/.test(protocol)) return undefined;
  const part = pathname.split("/").at(-1);
  try {
    return decodeURIComponent(part) || undefined;
  } catch {
    return part; // not percent-encoded
  }
}

/** A parsed index as text again; what is no JSON, such as an object within itself, is no index. */
function jsonOf(source) {
  let json;
  let cause;
  try {
    json = JSON.stringify(source);
  } catch (thrown) {
    cause = thrown;
  }
  if (json !== undefined) return json;
  throw new PlotbridgeError("usage", `the source of open is not a parsed index: ${cause ? words(cause) : "it has no JSON"}`, { cause });
}

/** The kind of a value, also of one that another realm (a frame, an extension) made. */
const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);

/** An absolute address: the engine and the worker have no page to be relative to. */
export function absolute(address) {
  if (address === "") throw new PlotbridgeError("usage", "the address is empty");
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  try {
    return new URL(address, base).href;
  } catch {
    const why = base || /^https?:/i.test(address) ? "" : ", and there is no page for it to be relative to";
    throw new PlotbridgeError("usage", `${JSON.stringify(String(address).slice(0, 200))} is not an address${why}`);
  }
}

async function fetchBytes(request, signal) {
  const url = String(request.url ?? request);
  let response;
  try {
    response = await fetch(request, { signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new PlotbridgeError("endpoint_unreachable", `nothing came from ${url}: ${cause.message}`, { details: { url }, cause });
  }
  if (!response.ok) {
    throw new PlotbridgeError("endpoint_unreachable", `${url} answered ${response.status}`, { details: { url, status: response.status } });
  }
  return new Uint8Array(await response.arrayBuffer());
}
