// A host for the built site: the policy that `plotbridge serve` sends, on every file, with an address
// for reports of violations, which the page's and each worker's own policy sends here. The site
// stands under a path of its own, as it would on a shared host.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";

import { POLICY } from "../../pkg/cli/commands/serve.js";
import { ROOT, SITE } from "./browser.js";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json", ".wasm": "application/wasm", ".txt": "text/plain; charset=utf-8" };

/** Where each part of the address space comes from; the longest prefix counts. */
const FOLDERS = {
  "/shelf/story/": SITE,
  "/example/pkg/": path.join(SITE, "pkg"),
  "/example/": path.join(ROOT, "examples/static-page"),
  "/contract/": path.join(ROOT, "tests/contract"),
};
const FILES = { "/example/book.plot.json": path.join(SITE, "story.plot.json") };

export async function host() {
  const requests = []; // every path asked for, in order
  const reports = []; // every violation reported
  let heard = () => {}; // called with each further report
  const failing = new Set(); // paths that answer 503 for now
  const pages = new Map(); // paths that a test makes up
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    if (pathname === "/reports") {
      let body = "";
      for await (const part of request) body += part;
      reports.push(JSON.parse(body)["csp-report"]);
      heard();
      return response.writeHead(204).end();
    }
    requests.push(pathname);
    response.setHeader("Content-Security-Policy", `${POLICY}; report-uri /reports`);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cache-Control", "no-store");
    const file = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    const body = failing.has(pathname) ? undefined : pages.get(pathname) ?? await readFile(located(file)).catch(() => undefined);
    if (body === undefined) return response.writeHead(failing.has(pathname) ? 503 : 404).end("not here");
    response.setHeader("Content-Type", TYPES[path.extname(file)] ?? "application/octet-stream");
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  /** Resolves when each of these words stands in the address that some report says was blocked. */
  const reported = (...words) => new Promise((resolve) => {
    heard = () => words.every((word) => reports.some((report) => report["blocked-uri"].includes(word))) && resolve();
    heard();
  });
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { origin, url: `${origin}/shelf/story/`, requests, reports, reported, failing, pages, close };
}

function located(pathname) {
  if (FILES[pathname]) return FILES[pathname];
  const prefixes = Object.keys(FOLDERS).filter((prefix) => pathname.startsWith(prefix));
  const prefix = prefixes.sort((a, b) => b.length - a.length)[0];
  return prefix ? path.join(FOLDERS[prefix], path.normalize(decodeURIComponent(pathname.slice(prefix.length)))) : "";
}
