// Loading the wasm module: by address in a browser, from bytes in Node.
//
// A host that says the wrong type, answers every address with its start page, or forbids
// WebAssembly gets an error that says so and names the address.

import { aborted, PlotbridgeError } from "./errors.js";

/** Compiles the module at `url` and starts the glue with it. */
export async function loadFrom(url, glue, signal) {
  const module = await compile(url, signal);
  try {
    await glue.default({ module_or_path: module });
  } catch (cause) { // WebKit compiles what is forbidden, and fails here
    throw blockedOrBroken(cause, url);
  }
  return glue;
}

async function compile(url, signal) {
  const response = await request(url, signal);
  const type = response.headers.get("content-type") ?? "";
  try {
    if (type.startsWith("application/wasm") && WebAssembly.compileStreaming) {
      return await WebAssembly.compileStreaming(response);
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    checkMagic(bytes, url, type);
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw signal?.aborted ? aborted(signal) : blockedOrBroken(cause, url);
  }
}

async function request(url, signal) {
  let response;
  try {
    response = await fetch(url, { signal });
  } catch (cause) {
    if (signal?.aborted) throw aborted(signal);
    throw notLoaded(url, `could not be fetched (${cause.message}); a content security policy must allow it in connect-src`, cause);
  }
  if (!response.ok) throw notLoaded(url, `was answered with ${response.status}`);
  return response;
}

/** A wasm file begins with a zero byte and "asm"; a start page with "<". */
function checkMagic(bytes, url, type) {
  if (bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d) return;
  const html = type.includes("html") || new TextDecoder().decode(bytes.subarray(0, 64)).trimStart().startsWith("<");
  throw notLoaded(url, html ? "was answered with an HTML page; the file is not at this address" : "is not a WebAssembly file");
}

function blockedOrBroken(cause, url) {
  if (cause instanceof PlotbridgeError) return cause;
  if (/content security policy|unsafe-eval|csp/i.test(cause.message)) {
    return new PlotbridgeError("wasm_blocked", "the content security policy forbids WebAssembly: add 'wasm-unsafe-eval' to script-src, also in the header of worker.js", { details: { url }, cause });
  }
  return notLoaded(url, `could not be compiled (${cause.message})`, cause);
}

const notLoaded = (url, what, cause) =>
  new PlotbridgeError("not_ready", `the engine could not be loaded: ${url} ${what}`, { details: { url: String(url) }, cause });
