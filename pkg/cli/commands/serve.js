// plotbridge serve: a static host on this machine, with the headers a real one should send.

import { createReadStream, existsSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { createServer, STATUS_CODES } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { aborted, PlotbridgeError } from "../../src/errors.js";
import { output } from "../print.js";

export const name = "serve";
export const takes = ["[DIR]"];
export const flags = ["port"];
export const summary = "serve a folder on this machine";
export const about =
  "Serves a folder at 127.0.0.1 until Ctrl-C, with the content security policy on every file. Without DIR, in a clone of the sources, it serves the site that cargo xtask site writes.";
export const example = "plotbridge serve target/site --port 8017";

/** What every file is sent with; a page needs no more, and a static host should send the same. */
export const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self' https: http://localhost:* http://127.0.0.1:*; worker-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".jsonl": "application/jsonl; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

const SITE = fileURLToPath(new URL("../../../target/site", import.meta.url));

const IN_CLONE = existsSync(new URL("../../../Cargo.toml", import.meta.url));
const WITHOUT = IN_CLONE
  ? "which folder? There is no site yet: run cargo xtask site first, or name a folder"
  : "which folder? Name the one that your page lies in: plotbridge serve FOLDER";

export async function run({ positionals: [given], flags, signal }) {
  const root = await folder(given ?? SITE, given === undefined);
  // Whether a request names its host is ours to check: Node's own refusal would lack the policy.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    answer(root, request, response).catch(() => end(response, 500, "internal error"));
  });
  server.on("checkExpectation", (_, response) => refuse(response, 417, "no expectations"));
  server.on("clientError", refuseUnread);
  const port = await listen(server, flags.port ?? 8017);
  const document = { url: `http://127.0.0.1:${port}/`, dir: root };
  output(flags.json, document, () => `Serving ${root} at ${document.url} (Ctrl-C ends)`);
  await new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", resolve)));
  server.close();
  server.closeAllConnections();
  throw aborted(signal);
}

async function folder(dir, byDefault) {
  const found = await stat(dir).catch(() => undefined);
  if (found?.isDirectory()) return realpath(dir);
  throw new PlotbridgeError("usage", byDefault ? WITHOUT : `${dir} is not a folder`);
}

function listen(server, port) {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const why = cause.code === "EADDRINUSE" ? "is in use by another program; choose another with --port" : `cannot be used (${cause.message})`;
      reject(new PlotbridgeError("not_ready", `port ${port} ${why}`, { cause }));
    });
    server.listen(port, "127.0.0.1", () => resolve(server.address().port));
  });
}

const HEADERS = { "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache" };

/** What Node could not read as a request has no response object: the answer is written by hand. */
function refuseUnread(error, socket) {
  if (error.code === "ECONNRESET" || !socket.writable) return socket.destroy();
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code] ?? 400;
  const lines = Object.entries({ ...HEADERS, Connection: "close", "Content-Length": 0 }).map((pair) => pair.join(": "));
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n`);
}

function refuse(response, status, text) {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  end(response, status, text);
}

async function answer(root, request, response) {
  if (request.httpVersion === "1.1" && request.headers.host === undefined) return refuse(response, 400, "which host?");
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return end(response, 405, "only GET and HEAD");
  }
  const file = await locate(root, request.url);
  if (!file) return end(response, 404, "not found");
  if (file.redirect) {
    response.setHeader("Location", file.redirect);
    return end(response, 301, "moved");
  }
  response.writeHead(200, { "Content-Type": TYPES[path.extname(file.path).toLowerCase()] ?? "application/octet-stream", "Content-Length": file.size });
  if (request.method === "HEAD") return response.end();
  createReadStream(file.path).on("error", () => response.destroy()).pipe(response);
}

/** The file for a request, if it is one: inside the folder, links followed, nothing hidden. */
async function locate(root, url) {
  const { pathname, search } = parse(url);
  if (pathname === undefined || /(^|[\\/])\.|\0|\\/.test(pathname)) return undefined;
  const wanted = path.join(root, pathname, pathname.endsWith("/") ? "index.html" : "");
  const real = await realpath(wanted).catch(() => undefined);
  if (!real || !(real + path.sep).startsWith(root.endsWith(path.sep) ? root : root + path.sep)) return undefined;
  const found = await stat(real);
  if (found.isFile()) return { path: real, size: found.size };
  // One slash at the start: two would name another host.
  return found.isDirectory() ? { redirect: `${encodeURI(pathname).replace(/^\/+/, "/")}/${search}` } : undefined;
}

function parse(url) {
  try {
    const at = (url + "?").indexOf("?");
    return { pathname: decodeURIComponent(url.slice(0, at)), search: url.slice(at) };
  } catch {
    return {};
  }
}

function end(response, status, text) {
  if (response.headersSent) return response.destroy();
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" });
  response.end(`${text}\n`);
}
